"""driver.py - what gemm.py, conv.py and rows.py share: a process for each case, figures, groups and their limits.

A Suite says what its cases are and how one is measured; run() compiles a case's artifacts, starts its program and says a row of
Markdown. A figure is the median of ratios taken round by round, quartiles in parentheses: how many times the reference's time is
that of the kernel. run.py is the command."""
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
from dataclasses import dataclass
from typing import Callable

import numpy

AVX2 = {"TCC_BENCH_AVX2": "1", "ONEDNN_MAX_CPU_ISA": "AVX2", "DNNL_MAX_CPU_ISA": "AVX2", "OPENBLAS_CORETYPE": "Haswell"}
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench"))
from figures import interval  # noqa: E402


@dataclass
class Case:
    """models: kind -> file, compiled to artifacts of that name; words: of the program's command line before the artifacts."""
    models: dict
    words: list


@dataclass
class Suite:
    name: str
    cases: list                    # all that is measured unless asked otherwise
    lists: dict                    # names that stand for several cases
    make: Callable                 # (work, case, arguments, threads) -> Case
    reference: Callable            # kind -> names of engines; the quickest of them in each round is the reference
    group: Callable                # (result, kind) -> (group, least ratio or None)
    libraries: tuple               # names of engines that are not tcc's


def choose(suite, only):
    """In the order given; what begins the name of no case is a case of its own: another size."""
    wanted = [c for w in only for c in suite.lists.get(w) or [c for c in suite.cases if c.startswith(w)] or [w]]
    return wanted if only else suite.cases


def write_weights(work, name, size, count):
    """A file of `count` weights of `size` values each, all different."""
    path = work / f"weights-{name}.bin"
    if not path.exists() or path.stat().st_size != 4 * size * count:
        values = numpy.random.default_rng(1).uniform(-1, 1, size + count).astype(numpy.float32)
        with open(path, "wb") as file:
            for i in range(count):
                file.write(values[i:i + size].tobytes())
    return path


def measure(suite, work, name, arguments, threads):
    case, artifacts = suite.make(work, name, arguments, threads), []
    builds = [("tcc", ROOT / "build"), *((c.split("=")[0], pathlib.Path(c.split("=")[1])) for c in arguments.compiler)]
    for kind, model in case.models.items():
        for compiler, folder in builds:
            label = " ".join(filter(None, (compiler, kind)))
            artifact = work / f"{label.replace(' ', '-')}-{model.stem}.so"
            subprocess.run([folder / "bin" / "tcc-compile", model, "-o", artifact, "--no-cache", *(["--target=x86,x86-64-v3"] if arguments.avx2 else [])], check=True, env=dict(os.environ, TCC_CACHE_DIR=str(work / "cache")))
            artifacts.append(f"{label}={artifact}")
    command = [*arguments.before.split(), work / suite.name, *case.words, str(arguments.rounds), str(threads), *artifacts]
    env = dict(os.environ, OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=str(threads), OPENBLAS_THREAD_TIMEOUT="8", **(AVX2 if arguments.avx2 else {}))
    return {"case": name, **json.loads(subprocess.run(command, check=True, env=env, stdout=subprocess.PIPE).stdout)}


def kind_of(label):
    return label.partition(" ")[2]


def ratios(suite, result, label):
    ns = result["ns"]
    return sorted(min(times) / own for own, *times in zip(ns[label], *(ns[r] for r in suite.reference(kind_of(label)))))


def middle(values):
    return f"{statistics.median(values):.2f} ({values[len(values) // 4]:.2f}-{values[-1 - len(values) // 4]:.2f})"


def own(suite, result):
    return [label for label in result["ns"] if label not in suite.libraries]


def row(suite, result):
    ns = result["ns"]
    cells = [result["case"], str(result["threads"]), *(f"{statistics.median(values) / 1e3:.4g}" for values in ns.values())]
    if "flops" in result:
        peak = result["peak"] * result["threads"]
        cells += [f"{result['flops'] / min(ns[label]) / peak:.2f}" for label in ns]
    else:
        cells += [f"{result['bytes'] / 1024:.0f}"]
    return cells + [middle(ratios(suite, result, label)) for label in own(suite, result)]


def head(suite, result):
    last = [f"{label} of peak" for label in result["ns"]] if "flops" in result else ["KB"]
    return ["kernel", "threads", *(f"{label}, us" for label in result["ns"]), *last, *(f"{' or '.join(suite.reference(kind_of(label)))} / {label}" for label in own(suite, result))]


def line(cells):
    return "| " + " | ".join(cells) + " |"


def limited(suite, result):
    """[(group, limit or None, interval)] of what tcc's own build made."""
    return [(*suite.group(result, kind_of(label)), interval(ratios(suite, result, label))) for label in own(suite, result) if label.split(" ")[0] == "tcc"]


def settled(suite, result):
    """Whether no kernel is below its limit by its median only."""
    return all(not limit or middle >= limit or high < limit for _, limit, (middle, _, high) in limited(suite, result))


def groups(suite, results):
    """[{suite, group, threads, limit, count, least, case, geomean, below, surely}], of tcc's own build. below: how many have a median below
    the limit; surely: names of those whose 95 % interval is below it."""
    found = {}
    for result in results:
        for name, limit, measured in limited(suite, result):
            found.setdefault((name, result["threads"], limit), []).append((measured, result["case"]))
    return [{"suite": suite.name, "group": name, "threads": threads, "limit": limit, "count": len(values), "least": min(values)[0][0], "case": min(values)[1],
             "geomean": math.exp(statistics.fmean(math.log(v[0]) for v, _ in values)), "below": sum(v[0] < limit for v, _ in values) if limit else None,
             "surely": [f"{case} {v[0]:.2f}" for v, case in sorted(values) if v[2] < limit] if limit else []}
            for (name, threads, limit), values in found.items()]


def group_table(found):
    rows = [[f"{g['suite']}: {g['group']}", str(g["threads"]), str(g["count"]), f"{g['least']:.2f} ({g['case']})", f"{g['geomean']:.2f}",
             f"{g['limit']:.2f}" if g["limit"] else "-", "-" if g["below"] is None else str(g["below"]), ("; ".join(g["surely"]) or "none") if g["limit"] else "-"]
            for g in found]
    return "\n".join([line(["group", "threads", "kernels", "least", "geometric mean", "limit", "below it", "surely (95 %)"]), "|" + "---|" * 8, *map(line, rows)])


def run(suite, arguments, say, keep):
    """Measures a suite's cases, then those once more that are not settled, whose samples are added to the first. say: prints a line; keep:
    takes all results so far after each."""
    work, results = ROOT / "build" / "bench" / suite.name, []
    work.mkdir(parents=True, exist_ok=True)
    for threads in arguments.threads:
        for name in choose(suite, arguments.only):
            result = measure(suite, work, name, arguments, threads)
            if not results:
                names = head(suite, result)
                say(line(names) + "\n|" + "---|" * len(names))
            results.append(result)
            say(line(row(suite, result)))
            keep(results)
    for result in results:
        if not settled(suite, result):
            more = measure(suite, work, result["case"], arguments, result["threads"])
            result["ns"] = {label: values + more["ns"][label] for label, values in result["ns"].items()}
            say(line(["again: " + result["case"], *row(suite, result)[1:]]))
            keep(results)
