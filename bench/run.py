"""run.py - tcc and its peers on the same models, interleaved, each measurement in a process of its own. Started by run.sh.

A round measures everything once; rounds follow each other, and the order within a round turns, so that what else
happens on the machine meets all alike. Figures are medians over rounds; the spread is (max - min) / median of the
rounds. Before anything is timed, tcc's results are held against onnxruntime's.
"""
import argparse
import datetime
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import models

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
BUILD = os.path.join(ROOT, "build")
TCC_RUN = os.path.join(BUILD, "bin", "tcc-run")
WORK = os.path.join(BUILD, "bench")
ALL = ["minilm", "bert", "gpt2", "resnet50", "mobilenetv3"]


def cpu_name():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def minilm(batch=8, tokens=64):
    """The model of examples/minilm with its real weights, on a made-up batch without padding."""
    folder = os.path.join(WORK, "models", "minilm")
    os.makedirs(os.path.join(folder, "data"), exist_ok=True)
    weights = os.path.join(ROOT, ".venv", "share", "minilm", "model.safetensors")
    if not os.path.exists(weights):
        sys.exit("bench: minilm needs its weights, which scripts/setup.sh fetches; leave it out with --models")
    shutil.copy(os.path.join(ROOT, "examples", "minilm", "model.onnx"), folder)
    if not os.path.exists(os.path.join(folder, "model.safetensors")):
        shutil.copy(weights, folder)
    names = [i.name for i in models.onnx.load(os.path.join(folder, "model.onnx"), load_external_data=False).graph.input]
    ids = np.random.default_rng(6).integers(1000, 29000, (batch, tokens), np.int64)
    for k, name in enumerate(names):
        array = ids if "ids" in name and "type" not in name else np.ones_like(ids) if "mask" in name else np.zeros_like(ids)
        np.save(os.path.join(folder, "data", f"input_{k}.npy"), array)
    rows = batch * tokens
    flops = 6 * (2 * rows * (4 * 384 * 384 + 2 * 384 * 1536) + 4 * rows * tokens * 384)
    with open(os.path.join(folder, "model.json"), "w") as file:
        json.dump({"flops": flops, "inputs": names, "check": True}, file)
    return folder


def run(command, **environment):
    """Standard output, and wall milliseconds of the process."""
    start = time.perf_counter()
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True)
    wall = (time.perf_counter() - start) * 1e3
    if done.returncode:
        sys.exit(f"bench: '{' '.join(command)}' failed:\n{done.stdout}{done.stderr}")
    return done.stdout, wall


def tcc(folder, threads, cache, *more):
    report = os.path.join(WORK, "report.json")
    _, wall = run([TCC_RUN, os.path.join(folder, "model.onnx"), "--data", os.path.join(folder, "data"), "--threads", str(threads),
                   "--report", report, *more], TCC_CACHE_DIR=cache)
    with open(report) as file:
        return json.load(file), wall


def phases(report):
    """Milliseconds by phase of a compilation; the passes as one."""
    sums = {}
    for phase in report["phases"]:
        name = "passes" if phase["name"].startswith("tcc-") else phase["name"].replace(" ", "_")
        sums[name] = sums.get(name, 0) + phase["ms"]
    return sums


def peer(name, folder, threads, seconds, *more):
    out, wall = run([sys.executable, os.path.join(HERE, "peer.py"), name, folder, str(threads), str(seconds), *more])
    result = json.loads(out.strip().splitlines()[-1])
    result["process_ms"] = wall
    return result


def check(folder):
    """tcc's results against onnxruntime's, before either is timed."""
    data = os.path.join(folder, "data")
    peer("onnxruntime", folder, 1, 0, "--save", data)
    with tempfile.TemporaryDirectory(dir=WORK) as cache:
        tcc(folder, 2, cache, "--check", "--rtol", "1e-3", "--atol", "1e-3")


def measure(name, folder, peers, threads, rounds, seconds):
    """Every sample: {engine: {measurement: [value of each round]}}."""
    samples = {}

    def add(engine, key, value):
        samples.setdefault(engine, {}).setdefault(key, []).append(value)

    def tcc_round(n):
        with tempfile.TemporaryDirectory(dir=WORK) as cache:
            report, wall = tcc(folder, n, cache)
            add("tcc", f"cold_ms.{n}", wall)
            add("tcc", f"compile_ms.{n}", report["compile_ms"])
            for name, value in phases(report).items():
                add("tcc", f"phase.{name}.{n}", value)
            _, wall = tcc(folder, n, cache)
            add("tcc", f"warm_ms.{n}", wall)
            report, _ = tcc(folder, n, cache, f"--bench={seconds}")
            add("tcc", f"run_ms.{n}", report["run_ms"]["median"])
            add("tcc", f"peak_rss_mb.{n}", report["peak_rss_mb"])
            add("tcc", "artifact_bytes", report["artifact_bytes"])

    def peer_round(engine, n):
        once = peer(engine, folder, n, 0)
        add(engine, f"start_ms.{n}", once["process_ms"])
        add(engine, f"first_output_ms.{n}", once["first_output_ms"])
        result = peer(engine, folder, n, seconds)
        add(engine, f"run_ms.{n}", result["run_ms"]["median"])
        add(engine, f"peak_rss_mb.{n}", result["peak_rss_mb"])

    def peak_round(n):
        out, _ = run([os.path.join(WORK, "peak"), str(n), "0.1"])
        add("peak", f"gflops.{n}", float(out))

    for turn in range(rounds):
        for n in threads:
            steps = [lambda: tcc_round(n), *(lambda p=p: peer_round(p, n) for p in peers)]
            steps = steps[turn % len(steps):] + steps[:turn % len(steps)]
            peak_round(n)
            for step in steps:
                step()
        print(f"bench: {name}: round {turn + 1} of {rounds}", file=sys.stderr)
    return samples


def spread(values):
    return (max(values) - min(values)) / statistics.median(values)


def summary(samples):
    return {engine: {key: {"median": round(statistics.median(v), 3), "spread": round(spread(v), 3), "rounds": len(v)} for key, v in keys.items()}
            for engine, keys in samples.items()}


def number(value):
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def print_tables(results, peers, threads):
    def cell(model, engine, key):
        return results[model]["measured"][engine][key]["median"]

    print("\nTime of one run, ms (median of rounds, spread of rounds); ratio above 1: tcc is faster.\n")
    print("| model | threads | tcc | " + " | ".join(f"{p} | {p} / tcc" for p in peers) + " | tcc's share of FMA peak |")
    print("|---|---|---|" + "---|---|" * len(peers) + "---|")
    for model in results:
        for n in threads:
            own, key = results[model]["measured"], f"run_ms.{n}"
            time_ms = cell(model, "tcc", key)
            row = [model, str(n), f"{number(time_ms)} (±{own['tcc'][key]['spread'] * 50:.0f} %)"]
            for p in peers:
                row += [f"{number(cell(model, p, key))} (±{own[p][key]['spread'] * 50:.0f} %)", f"**{cell(model, p, key) / time_ms:.2f}**"]
            row.append(f"{results[model]['flops'] / time_ms * 1e-6 / cell(model, 'peak', f'gflops.{n}'):.2f}")
            print("| " + " | ".join(row) + " |")
    n = max(threads)
    print(f"\nStart to first output, ms, {n} threads; memory; artifact. A peer's time counts from its library's being imported;"
          " in parentheses with Python's start.\n")
    print("| model | tcc cold (compiles) | tcc warm (cached) | " + " | ".join(f"{p}" for p in peers) + " | tcc peak MB | "
          + " | ".join(f"{p} peak MB" for p in peers) + " | tcc code KB |")
    print("|---|---|---|" + "---|" * (2 * len(peers)) + "---|---|")
    for model in results:
        row = [model, number(cell(model, "tcc", f"cold_ms.{n}")), number(cell(model, "tcc", f"warm_ms.{n}"))]
        row += [f"{number(cell(model, p, f'first_output_ms.{n}'))} ({number(cell(model, p, f'start_ms.{n}'))})" for p in peers]
        row += [number(cell(model, "tcc", f"peak_rss_mb.{n}"))] + [number(cell(model, p, f"peak_rss_mb.{n}")) for p in peers]
        row.append(number(cell(model, "tcc", "artifact_bytes") / 1024))
        print("| " + " | ".join(row) + " |")


def main():
    parser = argparse.ArgumentParser(prog="bench/run.sh", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="3 rounds of 0.3 s instead of 7 of 1 s")
    parser.add_argument("--models", default=",".join(ALL), help=f"some of {','.join(ALL)}")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--peers", default="onnxruntime", help="onnxruntime, openvino")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--json", help="where the samples go instead of bench/results/DATE.json")
    options = parser.parse_args()
    names, peers, threads = options.models.split(","), options.peers.split(","), [int(n) for n in options.threads.split(",")]
    for name in names:
        if name not in ALL:
            parser.error(f"no model '{name}'; there are {', '.join(ALL)}")
    for name in peers:
        if name not in ("onnxruntime", "openvino"):
            parser.error(f"no peer '{name}' that reads ONNX; there are onnxruntime and openvino")
    rounds, seconds = options.rounds or (3 if options.quick else 7), 0.3 if options.quick else 1
    os.makedirs(WORK, exist_ok=True)
    start = datetime.datetime.now()
    record = {"date": start.isoformat(timespec="seconds"), "cpu": cpu_name(), "cpus": os.cpu_count(), "kernel": platform.release(),
              "load_before": os.getloadavg()[0], "models": {}}
    for name in names:
        folder = minilm() if name == "minilm" else models.write(os.path.join(WORK, "models"), name)
        with open(os.path.join(folder, "model.json")) as file:
            meta = json.load(file)
        check(folder)
        record["models"][name] = {"flops": meta["flops"], "measured": summary(measure(name, folder, peers, threads, rounds, seconds))}
    record["load_after"] = os.getloadavg()[0]
    path = options.json or os.path.join(HERE, "results", start.strftime("%Y-%m-%d-%H%M") + ".json")
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "w") as file:
        json.dump(record, file, indent=1)
    versions = ", ".join(f"{p} {peer(p, folder, 1, 0)['version']}" for p in peers)
    print(f"{record['cpu']}, {record['cpus']} CPUs, {record['date']}, {rounds} rounds; {versions}; "
          f"load {record['load_before']:.1f} before, {record['load_after']:.1f} after")
    print_tables(record["models"], peers, threads)
    print(f"\nsamples: {os.path.relpath(path)}")


if __name__ == "__main__":
    main()
