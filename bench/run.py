"""run.py - tcc and its peers on the same models, in one run. Started by run.sh; README.md says what is measured.

Models one after the other (model.py). With a budget each has a share of the time that is left, in proportion to what it is likely to
need. What torch.compile and IREE compile for minutes is compiled by --prime beforehand and kept; a run with a budget starts
only what is kept. The JSON file is written after each model.
"""
import argparse
import datetime
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
import traceback

import acceptance
import depth
import engines
import models
import report
from engines import MODELS, PEERS, ROOT, TORCH, WORK, Failed, say
from model import LEAST_ROUNDS, NARROW, START_S, TUNE_S, Model

F32 = ["toy64", "llama512x2", "llama512x4", "llama512x8", "llama512x16", "llama512x32", "llama1024x8", "gpt2", "bert", "bert_b8", "minilm", "vit",
       "resnet50", "resnet50_b8", "mobilenetv3", "decode", "whisper", "convnext", "unet"]
# Priming starts with the models on which peers come nearest to tcc.
URGENT = ["llama512x8", "bert", "minilm", "gpt2", "resnet50", "llama512x4", "llama512x16", "vit"]
PRIME_ORDER = ["torch-freezing", "torch-compile", "iree", "torch-max-autotune", "torch-regions"]
LAYER_ROUNDS, KERNEL_ROUNDS, KERNELS_S = 6, 7, 360
FORMAT = 5                              # of the JSON file


def cpu_name():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def commit():
    done = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return done.stdout.strip()


class Bench:
    """What all models share. `until`: when the present model should be done, None without a budget."""

    def __init__(self, options, record):
        self.record, self.run = record, len(record["runs"]) - 1
        self.peers, self.threads = options.peers, sorted(options.threads)
        self.rounds, self.starts = options.rounds or (4 if options.quick else 40), options.starts
        self.limit, self.tune = options.limit, options.tune
        self.begin, self.deadline, self.flops, self.until = time.monotonic(), None, {}, None
        if options.budget:
            self.deadline = self.begin + options.budget
        self.done = self.total = 0
        self.torch = None

    def root(self):
        """Torch, imported once; again if it has ended."""
        if not self.torch or self.torch.process.poll() is not None:
            self.torch = engines.Peer("torch")
        return self.torch

    def cost(self, name):
        """Seconds that a model is likely to take: its starts, and LEAST_ROUNDS with four engines."""
        turns = sum(8 * max(0.12, 1.2 * self.flops[name] / 9e10 / n) for n in self.threads)
        more = START_S["torch-compile"] * ("torch-compile" in self.peers)
        return 24 + more + min(110, LEAST_ROUNDS * turns) + TUNE_S / 2 * (name in self.tune)

    def share(self, names):
        """When the first of these models should be done."""
        if not self.deadline:
            return None
        costs = [self.cost(n) for n in names]
        now = time.monotonic()
        return now + (self.deadline - now) * costs[0] / sum(costs)

    def progress(self, name, what):
        passed = time.monotonic() - self.begin
        left = f", {max(0, self.deadline - time.monotonic()) / 60:.0f} min left" if self.deadline else ""
        say(f"[{self.done + 1}/{self.total}] {name}: {what} ({passed / 60:.1f} min{left})")


def choose(text, known, what):
    names = [n for n in text.split(",") if n]
    for name in names:
        if name not in known:
            sys.exit(f"bench: no {what} '{name}'; there are {', '.join(known)}")
    return names


def parse():
    parser = argparse.ArgumentParser(prog="bench/run.sh", description="Measures tcc beside its peers; bench/README.md says what and how.")
    parser.add_argument("--quick", action="store_true", help="at most 4 rounds instead of 40")
    parser.add_argument("--models", default=",".join(F32 + NARROW[:2]), help=f"some of {','.join(F32 + NARROW)}")
    parser.add_argument("--peers", default="onnxruntime,openvino", help=f"all, or some of {','.join(PEERS)}")
    parser.add_argument("--threads", default="1," + str(min(2, os.cpu_count())))
    parser.add_argument("--rounds", type=int, help="at most")
    parser.add_argument("--starts", type=int, default=5, help="rounds of fresh processes, at most")
    parser.add_argument("--budget", type=float, metavar="SECONDS", help="for all models together; nothing is compiled for minutes in it")
    parser.add_argument("--kernels", action=argparse.BooleanOptionalAction, help="bench/kernels/run.sh as well, about four minutes; on with --readme")
    parser.add_argument("--prime", action="store_true", help="measure nothing: compile what slow peers keep, unless it is kept already")
    parser.add_argument("--limit", type=float, default=300, metavar="SECONDS", help="that a peer's compilation may take")
    parser.add_argument("--memory", type=float, metavar="GB", help="that a process may write to; default: 60 %% of the machine's")
    parser.add_argument("--tune", default="", metavar="MODELS", help=f"tcc-tune measures schedules for these, {TUNE_S} s each; they run beside the default ones")
    parser.add_argument("--json", help="where the figures go instead of bench/results/DATE.json")
    parser.add_argument("--resume", action="store_true", help="go on with the run of --json: models that are complete stay")
    parser.add_argument("--report", metavar="JSON", help="measure nothing: print the tables of a run (and write README with --readme)")
    parser.add_argument("--readme", action="store_true", help="put the tables and the figure into README.md and docs")
    options = parser.parse_args()
    if options.resume and not options.json:
        parser.error("--resume needs --json")
    options.models = choose(options.models, F32 + NARROW, "model")
    options.peers = PEERS if options.peers == "all" else choose(options.peers, PEERS, "peer")
    options.tune = choose(options.tune, F32 + NARROW, "model")
    options.threads = [int(n) for n in options.threads.split(",")]
    if options.kernels is None:
        options.kernels = options.readme and not options.report
    if options.memory:
        engines.memory_limit = int(options.memory * 2**30)
    return options


def read(path):
    record = engines.read_json(path)
    if not record or record.get("format") != FORMAT:
        sys.exit(f"bench: {path} is not a file of this bench")
    return record


def finish(record, path, readme):
    page = report.text(record) + "\n\n" + acceptance.text(record)
    print(page)
    print(f"\nfigures: {os.path.relpath(path)}")
    if readme:
        report.write_readme(record, page, ROOT)


def prime(options):
    """Each slow peer's compilation of each model, one at a time."""
    bench, slow = Bench(options, {"runs": [{}]}), [e for e in PRIME_ORDER if e in options.peers]
    names = sorted(options.models, key=lambda n: URGENT.index(n) if n in URGENT else len(URGENT))
    jobs = [(e, n, t) for e in slow for n in names for t in ([max(bench.threads)] if e != "torch-max-autotune" else bench.threads[::-1])
            if not (n in NARROW and e in TORCH)]
    bench.total = len(jobs)
    if set(slow) & set(TORCH):
        engines.prime_torch(options.limit)
    for bench.done, (engine, name, threads) in enumerate(jobs):
        if engines.kept(engine, name, threads):
            continue
        models.write(MODELS, name)
        bench.progress(name, f"{engine}, {threads} thread{'s' * (threads > 1)}")
        session = None
        try:
            session = engines.torch_session(name, bench.root()) if engine in TORCH else None
            engines.start_peer(engine, name, threads, options.limit, session)[0].end()
        except Failed as failure:
            say(f"{name}: {engine}: {failure}")
        finally:
            if session:
                session.end()
    if bench.torch:
        bench.torch.end()


def kernels():
    """How groups of kernels stand against their limits: bench/kernels/run.sh in a few rounds."""
    with tempfile.TemporaryDirectory(dir=WORK) as folder:
        path = os.path.join(folder, "kernels.json")
        try:
            done = subprocess.run([os.path.join(engines.HERE, "kernels", "run.sh"), "--rounds", str(KERNEL_ROUNDS), "--threads", "1", "--output", path],
                                  stdout=sys.stderr, preexec_fn=engines.limits, timeout=KERNELS_S).returncode
        except subprocess.TimeoutExpired:
            done = f"stopped after {KERNELS_S} s, what it has measured stands"
        found = engines.read_json(path) or {}
        if done:
            say(f"bench/kernels/run.sh: {done}")
    return {"date": found.get("date"), "groups": found.get("groups", [])}


def main():
    options = parse()
    if options.report:
        return finish(read(options.report), options.report, options.readme)
    if options.prime:
        os.makedirs(WORK, exist_ok=True)
        return prime(options)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143)) # as an interrupt: processes end, figures are kept
    os.makedirs(WORK, exist_ok=True)
    start = datetime.datetime.now()
    path = options.json or os.path.join(engines.HERE, "results", start.strftime("%Y-%m-%d-%H%M") + ".json")
    record = {"format": FORMAT, "cpu": cpu_name(), "cpus": os.cpu_count(), "kernel": platform.release(), "threads": sorted(options.threads),
              "peers": [], "runs": [], "versions": {}, "models": {}}
    if options.resume and os.path.exists(path):
        record = read(path)
    record["peers"] = [p for p in PEERS if p in options.peers or p in record["peers"]]
    record["runs"].append({"date": start.isoformat(timespec="seconds"), "commit": commit(), "load_before": round(os.getloadavg()[0], 2)})
    bench = Bench(options, record)
    chosen = [n for n in options.models if not record["models"].get(n, {}).get("complete")]
    bench.total = len(chosen)
    try:
        for name in chosen:
            bench.flops[name] = engines.read_json(os.path.join(models.write(MODELS, name), "model.json"))["flops"]
        if set(bench.peers) & set(TORCH[1:]):
            bench.progress("torch", "one op")
            record["primed"] = engines.prime_torch(options.limit)
        if any(name.startswith("llama512x") for name in chosen):
            bench.progress("llama", "a further layer")
            record["layers"] = depth.measure(LAYER_ROUNDS)
        for k, name in enumerate(chosen):
            bench.until = bench.share(chosen[k:])
            model = Model(bench, name)
            try:
                model.measure()
            except Exception: # of this program: one model less
                say(f"{name}: {traceback.format_exc()}")
            finally:
                record["models"][name] = {**model.record, "run": bench.run}
                record["runs"][-1]["load_after"] = round(os.getloadavg()[0], 2)
                engines.write_json(path, record)
            bench.done += 1
        for name in [n for n in acceptance.regions(record)[1] if record["models"][n]["run"] == bench.run]:
            say(f"{name}: regions once more, some seconds")
            try:
                Model(bench, name).settle(record["models"][name], lambda: name not in acceptance.regions(record)[1])
            except Failed as failure:
                say(f"{name}: {failure}")
            engines.write_json(path, record)
        if options.kernels:
            say("kernels beside hand-written libraries, about four minutes")
            record["kernels"] = kernels()
            engines.write_json(path, record)
    except (KeyboardInterrupt, SystemExit):
        say(f"stopped; --json {path} --resume goes on")
    except Failed as failure:
        say(f"stopped: {failure}")
    finally:
        if bench.torch:
            bench.torch.end()
    finish(record, path, options.readme)


if __name__ == "__main__":
    main()
