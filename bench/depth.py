"""depth.py - what one further layer costs the compiler: llama-style graphs of 4, 16 and 64 layers, compiled from nothing.

    bench/.venv/bin/python bench/depth.py [ROUNDS]

Graphs take turns in each round; each compilation is a process with an empty cache. The slope between 4 and 64 layers is
the figure; 1 ms is what it should not exceed; layers repeat, so kernels are the same and `objects` and `link` differ by noise
alone. The time of loading weights and of running is not in it.
"""
import os
import statistics
import sys
import tempfile

import models
from engines import MODELS, WORK, phases, tcc_start

LAYERS = (4, 16, 64)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    os.makedirs(WORK, exist_ok=True)
    folders = {n: models.write(MODELS, f"llama{n}") for n in LAYERS}
    samples = {n: [] for n in LAYERS}
    for _ in range(rounds):
        for n in LAYERS:
            with tempfile.TemporaryDirectory(dir=WORK) as cache:
                report, _ = tcc_start(folders[n], 2, cache)
            parts = phases(report)
            parts["import, passes, plan"] = parts["import"] + parts["passes"] + parts["plan"]
            parts["all"] = sum(phases(report).values())
            parts["kernels"] = report["kernels"]["unique"]
            samples[n].append(parts)
    median = {n: {key: statistics.median(s[key] for s in samples[n]) for key in samples[n][0]} for n in LAYERS}
    print("| phase | " + " | ".join(f"{n} layers" for n in LAYERS) + " | ms per further layer |")
    print("|---|" + "---|" * (len(LAYERS) + 1))
    for key in median[LAYERS[0]]:
        slope = (median[LAYERS[-1]][key] - median[LAYERS[0]][key]) / (LAYERS[-1] - LAYERS[0])
        print(f"| {key} | " + " | ".join(f"{median[n][key]:.1f}" for n in LAYERS) + f" | {slope:.2f} |")


if __name__ == "__main__":
    main()
