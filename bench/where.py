"""where.py - what kinds of kernels a model's time goes to, and how fast those that multiply are. Started by run.sh.

    bench/run.sh where bert gpt2 llama512x8 [--threads 1,2] [--calls 12]

Each call has every kernel timed and stands between two slices of the machine's FMA peak (serve.c). A share of peak counts the
multiplications and additions of contractions, attention and convolutions, as run.py does: `model` over the whole call, `those` over the
time of these kinds alone, so that the distance between the two is all that norms, maps, moves and the time between kernels cost. Kinds
are parts of the call's time. Figures are medians of the calls whose two peaks differ by less than 10 %, or of all if those are few.
"""
import argparse
import os
import statistics
import tempfile

import figures
import models
from engines import MODELS, WORK, Server, read_json, tcc_compile

MULTIPLY = ("contract", "gemv", "attention", "conv")
COLUMNS = {"products": ("contract", "gemv"), "attention": ("attention",), "convolutions": ("conv",), "norms and reductions": ("row",), "maps and moves": ("map",)}


def parse():
    parser = argparse.ArgumentParser(prog="bench/run.sh where")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--threads", default="1", help="such as 1,2")
    parser.add_argument("--calls", type=int, default=12)
    return parser.parse_args()


def kind(emitter):
    """x86.attention_decode is attention; what no column names is between kernels."""
    name = emitter.partition(".")[2] or emitter
    return next((k for kinds in COLUMNS.values() for k in kinds if name.startswith(k)), name)


def row(name, threads, flops, calls):
    steady = [c for c in calls if abs(c[1] - c[2]) <= figures.STEADY_PEAK * max(c[1], c[2])]
    calls = steady if len(steady) >= figures.ENOUGH else calls
    parts = [{} for _ in calls]
    for found, (*_, kinds) in zip(parts, calls):
        for emitter, ms in kinds.items():
            found[kind(emitter)] = found.get(kind(emitter), 0) + ms
    middle = statistics.median
    of_peak = lambda ms, call: flops / ms * 1e-6 / ((call[1] + call[2]) / 2)  # noqa: E731
    cells = [f"{middle([sum(p.get(k, 0) for k in kinds) / c[0] for p, c in zip(parts, calls)]):.1%}" for kinds in COLUMNS.values()]
    named = [sum(p.get(k, 0) for kinds in COLUMNS.values() for k in kinds) for p in parts]
    cells.append(f"{middle([1 - ms / c[0] for ms, c in zip(named, calls)]):.1%}")
    shares = [middle([of_peak(c[0], c) for c in calls]), middle([of_peak(sum(p.get(k, 0) for k in MULTIPLY), c) for p, c in zip(parts, calls)])]
    peak = middle([(c[1] + c[2]) / 2 for c in calls])
    return [name, str(threads), f"{middle([c[0] for c in calls]):.2f}", *cells, f"{peak:.0f}", *(f"{s:.0%}" for s in shares)]


def main():
    arguments, rows = parse(), []
    os.makedirs(WORK, exist_ok=True)
    for name in arguments.models:
        folder = models.write(MODELS, name)
        flops = read_json(os.path.join(folder, "model.json"))["flops"]
        with tempfile.TemporaryDirectory(dir=WORK) as cache:
            artifact = os.path.join(cache, f"{name}.so")
            tcc_compile(folder, artifact, cache)
            server = Server(folder, [artifact])
            for threads in map(int, arguments.threads.split(",")):
                rows.append(row(name, threads, flops, server.kinds(threads, arguments.calls)))
            server.end()
    print(figures.table(["model", "threads", "ms", *COLUMNS, "between", "peak, GF/s", "model", "those"], rows))


if __name__ == "__main__":
    main()
