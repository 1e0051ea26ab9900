"""any_order.py COUNT FIRST FILE...: passes in orders that nobody had in mind. COUNT sequences of up to eight passes, from the seeds FIRST, FIRST + 1, ...,
each on one of the files, for one of the targets or none, verified after each pass. A pass may refuse what it gets, with a diagnostic; it may not crash
or leave what is invalid. Files that are no modules, and passes that need options, are left out."""
import functools
import random
import subprocess
import sys

NEED_OPTIONS = {"tcc-loss", "tcc-optimizer", "tcc-parameters"}
TARGETS = ("x86,avx2", "x86,avx512", "nvptx,sm_80", "nvptx,sm_90a", "reference", "")
INVALID = ("failed to verify", "does not dominate", "redefinition of symbol")
OPT = ["tcc-opt", "--no-reproducer", "--split-input-file", "--verify-each", "-o", "/dev/null"]


@functools.cache
def is_module(file): return subprocess.run([*OPT, file], capture_output=True).returncode == 0


count, first, files = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
listed = subprocess.run(["tcc-opt", "--list-passes"], capture_output=True, text=True, check=True).stdout.splitlines()
passes = sorted({line.split()[0] for line in listed if line.startswith("tcc-")} - NEED_OPTIONS)
bad = done = 0
for seed in range(first, first + count):
    pick = random.Random(seed)
    file, target = next(f for f in iter(lambda: pick.choice(files), None) if is_module(f)), pick.choice(TARGETS)
    sequence = ",".join(pick.choice(passes) for _ in range(pick.randrange(1, 9)))
    command = [*OPT, f"--pass-pipeline={sequence}", file]
    if target: command.append(f"--target={target}")
    run = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=300)
    done += run.returncode == 0
    if run.returncode not in (0, 1) or run.returncode == 1 and not run.stderr.strip() or any(text in run.stderr for text in INVALID):
        bad += 1
        print(f"seed {seed}: exit {run.returncode}: {' '.join(command)}\n{run.stderr[-500:]}")
print(f"{count} sequences, {bad} bad" + ("" if done * 10 > count else f", but only {done} went through"))
