"""depth.py - what one further layer costs the compiler: llama-style graphs of 4, 16 and 64 layers, compiled from nothing.

    bench/.venv/bin/python bench/depth.py [ROUNDS]

Graphs take turns in each round; each compilation is a process with an empty cache. A figure is the quickest of the rounds, since noise
only adds time, and what a layer costs is the slope of the line through the depths (least squares). 1 ms is what it should not exceed.
Layers repeat, so the kernels are the same: `load_compiler`, `start` and `objects` do the same work at each depth and differ by noise
alone, so a layer's cost is that of the other phases; the slope of all stands beside it. The time of loading weights and of running is
not in it. run.py measures it likewise.
"""
import os
import statistics
import sys
import tempfile

import models
from engines import MODELS, WORK, phases, tcc_start

LAYERS = (4, 16, 64)
PHASES = ("import", "passes", "emit", "plan", "link")
GRAPH = ", ".join(PHASES)


def measure(rounds):
    """{layers: {phase: [ms of each round]}}; keys are text, as in a JSON file."""
    os.makedirs(WORK, exist_ok=True)
    folders = {n: models.write(MODELS, f"llama{n}") for n in LAYERS}
    samples = {str(n): {} for n in LAYERS}
    for turn in range(rounds):
        for n in LAYERS if turn % 2 else LAYERS[::-1]:
            with tempfile.TemporaryDirectory(dir=WORK) as cache:
                report, _ = tcc_start(folders[n], 2, cache)
            parts = phases(report)
            parts["all"] = sum(parts.values())
            parts[GRAPH] = sum(parts.get(phase, 0) for phase in PHASES)
            for key, ms in parts.items():
                samples[str(n)].setdefault(key, []).append(round(ms, 3))
    return samples


def slope(samples, key=GRAPH):
    """Milliseconds for each further layer."""
    depths = [int(n) for n in samples]
    quickest = [min(found[key]) for found in samples.values()]
    return statistics.linear_regression(depths, quickest).slope


def main():
    samples = measure(int(sys.argv[1]) if len(sys.argv) > 1 else 8)
    print("| phase | " + " | ".join(f"{n} layers" for n in LAYERS) + " | ms per further layer |")
    print("|---|" + "---|" * (len(LAYERS) + 1))
    for key in samples[str(LAYERS[0])]:
        print(f"| {key} | " + " | ".join(f"{min(samples[str(n)][key]):.1f}" for n in LAYERS) + f" | {slope(samples, key):.2f} |")


if __name__ == "__main__":
    main()
