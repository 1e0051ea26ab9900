"""kills.py MODEL FOLDER KILLS SIGNAL: a run of tcc-train that a signal (KILL, INT) ends KILLS times at random moments, and that is taken
up again each time, has the checkpoint of one that was left alone, byte for byte. After INT it ends with a checkpoint of its last step.
A checkpoint is written after every step, so that kills fall within writes, too; no file is ever one that cannot be read."""
import json
import pathlib
import random
import signal
import subprocess
import sys
import time

model, out, kills = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
number = signal.Signals["SIG" + sys.argv[4]]
out.mkdir(parents=True, exist_ok=True)
# Far more steps than are waited for, as this script may be the one that waits; without a checkpoint after each they are short.
steps, random = (40 if number == signal.SIGKILL else 1000) * (kills + 1), random.Random(kills)


def command(name, more):
    return ["tcc-train", str(model), "--data", str(model.parent / "test_data_set_0"), "--steps", str(steps), "--threads=1",
            "--checkpoint", str(out / f"{name}.safetensors"), "--log", str(out / f"{name}.jsonl"), *more]


def lines():
    log = out / "killed.jsonl"
    return log.read_text().splitlines() if log.exists() else []


def killed_once():
    """Whether the run was ended by the signal, not by its last step."""
    want = len(lines()) + random.randrange(1, 30)
    run = subprocess.Popen(command("killed", ["--resume", "--every", "1"] if number == signal.SIGKILL else ["--resume"]),
                           stdout=subprocess.DEVNULL)
    while run.poll() is None and len(lines()) < want: time.sleep(0.001)
    time.sleep(random.random() * 0.005)
    run.send_signal(number)
    code = run.wait()
    if code not in (0, -signal.SIGKILL if number == signal.SIGKILL else 128 + number): sys.exit(f"exit status {code}")
    return code != 0


def check_log():
    """At most one step is done twice after each kill: that whose checkpoint was not whole."""
    done = [json.loads(line)["step"] for line in lines()]
    for before, after in zip(done, done[1:]):
        if not before <= after <= before + 1: sys.exit(f"step {after} follows {before}")
    if number == signal.SIGINT and len(set(done)) != len(done): sys.exit("a step was done twice")


for path in out.glob("killed.*"): path.unlink()
subprocess.run(command("whole", []), check=True, stdout=subprocess.DEVNULL)
count = sum(killed_once() for _ in range(kills))
subprocess.run(command("killed", ["--resume"]), check=True, stdout=subprocess.DEVNULL)
check_log()
same = (out / "whole.safetensors").read_bytes() == (out / "killed.safetensors").read_bytes()
print(f"{count} of {kills} ended by {number.name}, the checkpoint is {'the same' if same else 'another'}")
sys.exit(not same or not count)
