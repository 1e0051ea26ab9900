"""run.py - tcc and its peers on the same models, interleaved, each engine in a process of its own. Started by run.sh.

A round measures everything once; rounds follow each other, and the order within a round turns, so that what else
happens on the machine meets all alike. Figures are medians over rounds; the spread is (max - min) / median of the
rounds. Before anything is timed, tcc's results are held against onnxruntime's. A peer that fails or takes too long is
in the table as failed, with its reason below. Results are written after each model; --resume goes on with those.
"""
import argparse
import datetime
import json
import os
import platform
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import figure
import models

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
BUILD = os.path.join(ROOT, "build")
TCC_RUN = os.path.join(BUILD, "bin", "tcc-run")
WORK = os.path.join(BUILD, "bench")
ALL = ["toy64", "llama512x2", "llama512x4", "llama512x8", "llama512x16", "llama512x32", "llama1024x8", "gpt2", "bert", "bert_b8", "minilm", "vit",
       "resnet50", "resnet50_b8", "mobilenetv3", "decode", "whisper", "convnext", "unet"]
OTHERS = ["decode_bf16", "decode_f16", "decode_int8"]
TORCH = ["torch-eager", "torch-compile", "torch-freezing", "torch-max-autotune"]
PEERS = ["onnxruntime", "openvino", "iree", *TORCH]
START_S, RUN_S = 240, 120  # what a peer may take to its first output, and for one measurement
PAUSE_S = 0.1              # workers of the engine before spin for a while

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
    """The report, and milliseconds to the first line of output: of a run without more options, that of its result."""
    report = os.path.join(WORK, "report.json")
    command = [TCC_RUN, os.path.join(folder, "model.onnx"), "--data", os.path.join(folder, "data"), "--threads", str(threads),
               "--report", report, *more]
    with tempfile.TemporaryFile("w+", dir=WORK) as errors:
        start = time.perf_counter()
        process = subprocess.Popen(command, env={**os.environ, "TCC_CACHE_DIR": cache}, stdout=subprocess.PIPE, stderr=errors, text=True)
        out = process.stdout.readline()
        wall = (time.perf_counter() - start) * 1e3
        out += process.stdout.read()
        if process.wait():
            errors.seek(0)
            sys.exit(f"bench: '{' '.join(command)}' failed:\n{out}{errors.read()}")
    with open(report) as file:
        return json.load(file), wall


def phases(report):
    """Milliseconds by phase of a compilation; the passes as one."""
    sums = {}
    for phase in report["phases"]:
        name = "passes" if phase["name"].startswith("tcc-") else phase["name"].replace(" ", "_")
        sums[name] = sums.get(name, 0) + phase["ms"]
    return sums


class PeerFailed(Exception):
    pass


class Peer:
    """A peer's process: `start` is what it said of its first output, `run` times it again."""

    def __init__(self, name, folder, threads, *more):
        state = os.path.join(WORK, "state", os.path.basename(folder), name)
        os.makedirs(state, exist_ok=True)
        self.errors = tempfile.TemporaryFile(dir=WORK)
        begin = time.perf_counter()
        self.process = subprocess.Popen([sys.executable, os.path.join(HERE, "peer.py"), name, folder, str(threads), "--state", state, *more],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True)
        self.start = self.answer(START_S)
        self.start["process_ms"] = (time.perf_counter() - begin) * 1e3

    def answer(self, limit):
        if not select.select([self.process.stdout], [], [], limit)[0]:
            self.close()
            raise PeerFailed(f"no answer in {limit} s")
        line = self.process.stdout.readline()
        if not line.startswith("{"):
            self.close()
            self.errors.seek(0)
            said = self.errors.read().decode(errors="replace").strip().splitlines()
            raise PeerFailed(said[-1][:200] if said else "ended without an answer")
        return json.loads(line)

    def run(self, seconds):
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        return self.answer(RUN_S)

    def close(self):
        self.process.kill()
        self.process.wait()


def check(folder):
    """tcc's results against onnxruntime's, before either is timed."""
    data = os.path.join(folder, "data")
    Peer("onnxruntime", folder, 1, "--save", data).close()
    with tempfile.TemporaryDirectory(dir=WORK) as cache:
        tcc(folder, 2, cache, "--check", "--rtol", "1e-3", "--atol", "1e-3")


def measure(name, folder, peers, threads, rounds, seconds):
    """Every sample, {engine: {measurement: [value of each round]}}, and why a peer failed, {engine: reason}."""
    samples, failed, versions = {}, {}, {}

    def add(engine, key, value):
        samples.setdefault(engine, {}).setdefault(key, []).append(value)

    def tcc_start(n):
        with tempfile.TemporaryDirectory(dir=WORK) as cache:
            report, wall = tcc(folder, n, cache)
            add("tcc", f"cold_ms.{n}", wall)
            add("tcc", f"cold_rss_mb.{n}", report["peak_rss_mb"])
            add("tcc", f"compile_ms.{n}", report["compile_ms"])
            for name, value in phases(report).items():
                add("tcc", f"phase.{name}.{n}", value)
            _, wall = tcc(folder, n, cache)
            add("tcc", f"warm_ms.{n}", wall)

    def tcc_round(n, cache):
        report, _ = tcc(folder, n, cache, f"--bench={seconds}")
        add("tcc", f"run_ms.{n}", report["run_ms"]["median"])
        add("tcc", f"peak_rss_mb.{n}", report["peak_rss_mb"])
        add("tcc", "artifact_bytes", report["artifact_bytes"])

    def whole_round(n, cache):
        report, _ = tcc(folder, n, cache, "--no-dedup", f"--bench={seconds}")
        add("tcc-whole", f"run_ms.{n}", report["run_ms"]["median"])
        if not report["cache"]["hits"]: # compiled from nothing: the first round
            add("tcc-whole", f"compile_ms.{n}", report["compile_ms"])

    def peer_start(engine, n):
        try:
            process = Peer(engine, folder, n)
        except PeerFailed as why:
            failed[engine] = str(why)
            print(f"bench: {name}: {engine} failed: {why}", file=sys.stderr)
            return None
        versions[engine] = process.start["version"]
        add(engine, f"first_output_ms.{n}", process.start["first_output_ms"])
        add(engine, f"start_ms.{n}", process.start["process_ms"])
        add(engine, f"peak_rss_mb.{n}", process.start["peak_rss_mb"])
        return process

    def peer_round(engine, n, running):
        try:
            add(engine, f"run_ms.{n}", running[engine].run(seconds)["median"])
        except PeerFailed as why:
            failed[engine] = str(why)
            del running[engine]

    for n in threads:
        # Starts first; what starts quickly starts in every round, compilers that take long once.
        running = {}
        for turn in range(rounds):
            tcc_start(n)
            for engine in peers:
                if engine in failed or (turn and engine not in ("onnxruntime", "openvino")):
                    continue
                process = peer_start(engine, n)
                if engine in running:
                    running[engine].close()
                if process:
                    running[engine] = process
        with tempfile.TemporaryDirectory(dir=WORK) as cache, tempfile.TemporaryDirectory(dir=WORK) as whole:
            for turn in range(rounds):
                out, _ = run([os.path.join(WORK, "peak"), str(n), "0.1"])
                add("peak", f"gflops.{n}", float(out))
                steps = [lambda: tcc_round(n, cache), lambda: whole_round(n, whole),
                         *(lambda p=p: peer_round(p, n, running) for p in list(running))]
                for step in steps[turn % len(steps):] + steps[:turn % len(steps)]:
                    time.sleep(PAUSE_S)
                    step()
        for process in running.values():
            process.close()
        print(f"bench: {name}: {n} threads done", file=sys.stderr)
    return samples, failed, versions


def spread(values):
    return (max(values) - min(values)) / statistics.median(values)


def summary(samples):
    return {engine: {key: {"median": round(statistics.median(v), 3), "spread": round(spread(v), 3), "rounds": len(v)} for key, v in keys.items()}
            for engine, keys in samples.items()}


def number(value):
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def tables(results, peers, threads):
    """Markdown. A cell of a peer that failed is a dash."""
    lines = []

    def median(model, engine, key):
        return results[model]["measured"].get(engine, {}).get(key, {}).get("median")

    def cell(value):
        return "-" if value is None else number(value)

    lines += ["", "Time of one run, ms, median of rounds (± half of the spread). The ratio is that of the fastest peer: above 1 tcc is faster.", "",
              "| model | threads | tcc | " + " | ".join(peers) + " | best peer / tcc | share of FMA peak |", "|---|---|---|" + "---|" * (len(peers) + 2)]
    ratios = {n: [] for n in threads}
    for model in results:
        for n in threads:
            key = f"run_ms.{n}"
            own = median(model, "tcc", key)
            row = [model, str(n), f"{number(own)} (±{results[model]['measured']['tcc'][key]['spread'] * 50:.0f} %)"]
            row += [cell(median(model, p, key)) for p in peers]
            times = [t for t in (median(model, p, key) for p in peers) if t]
            if times:
                ratios[n].append(min(times) / own)
            row.append(f"**{min(times) / own:.2f}**" if times else "-")
            row.append(f"{results[model]['flops'] / own * 1e-6 / median(model, 'peak', f'gflops.{n}'):.2f}")
            lines.append("| " + " | ".join(row) + " |")
    for n in threads:
        if ratios[n]:
            mean = statistics.geometric_mean(ratios[n])
            lines.append(f"| geometric mean | {n} |" + " |" * (len(peers) + 1) + f" **{mean:.2f}** | |")
    n = max(threads)
    lines += ["", f"Start to first output, ms, {n} threads; memory; artifact. A peer's time counts from its library's being imported;"
              " in parentheses with Python's start.", "",
              "| model | tcc cold (compiles) | tcc warm (cached) | " + " | ".join(peers) + " | tcc peak MB cold, warm | "
              + " | ".join(f"{p} peak MB" for p in peers) + " | tcc code KB |", "|---|---|---|" + "---|" * (2 * len(peers) + 2)]
    for model in results:
        row = [model, cell(median(model, "tcc", f"cold_ms.{n}")), cell(median(model, "tcc", f"warm_ms.{n}"))]
        for p in peers:
            first = median(model, p, f"first_output_ms.{n}")
            row.append("-" if first is None else f"{number(first)} ({number(median(model, p, f'start_ms.{n}'))})")
        row += [f"{cell(median(model, 'tcc', f'cold_rss_mb.{n}'))}, {cell(median(model, 'tcc', f'peak_rss_mb.{n}'))}"]
        row += [cell(median(model, p, f"peak_rss_mb.{n}")) for p in peers]
        row.append(number(median(model, "tcc", "artifact_bytes") / 1024))
        lines.append("| " + " | ".join(row) + " |")
    lines += ["", f"Regions compiled once against every layer by itself (--no-dedup), {n} threads.", "",
              "| model | run, regions / whole | compile ms, regions | compile ms, whole |", "|---|---|---|---|"]
    for model in results:
        own, whole = median(model, "tcc", f"run_ms.{n}"), median(model, "tcc-whole", f"run_ms.{n}")
        lines.append(f"| {model} | {own / whole:.3f} | {cell(median(model, 'tcc', f'compile_ms.{n}'))} | {cell(median(model, 'tcc-whole', f'compile_ms.{n}'))} |")
    reasons = [f"- {model}, {engine}: {why}" for model, r in results.items() for engine, why in r["failed"].items()]
    if reasons:
        lines += ["", "Failed:", "", *reasons]
    return "\n".join(lines)


def put_into_readme(text, results, threads):
    """Between the markers of README.md; the figure beside the documents."""
    with open(os.path.join(ROOT, "docs", "bench.svg"), "w") as file:
        file.write(figure.svg(results, threads, f"Speed of one run, tcc = 1, longer is faster; f32, {threads} threads"))
    path, begin, end = os.path.join(ROOT, "README.md"), "<!-- bench -->\n", "<!-- end of bench -->"
    with open(path) as file:
        page = file.read()
    head, rest = page.split(begin)
    with open(path, "w") as file:
        file.write(head + begin + text + "\n\n![speed of tcc and its peers](docs/bench.svg)\n" + end + rest.split(end)[1])


def main():
    parser = argparse.ArgumentParser(prog="bench/run.sh", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="3 rounds of 0.3 s instead of 7 of 1 s")
    parser.add_argument("--models", default=",".join(ALL), help=f"some of {','.join(ALL + OTHERS)}")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--peers", default="onnxruntime", help=f"some of {','.join(PEERS)}, or all")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--json", help="where the figures go instead of bench/results/DATE.json")
    parser.add_argument("--resume", action="store_true", help="keep the models that the file of --json has already")
    parser.add_argument("--readme", action="store_true", help="put tables and figure into README.md")
    options = parser.parse_args()
    names, threads = options.models.split(","), [int(n) for n in options.threads.split(",")]
    peers = PEERS if options.peers == "all" else options.peers.split(",") if options.peers else []
    for name in names:
        if name not in ALL + OTHERS:
            parser.error(f"no model '{name}'; there are {', '.join(ALL + OTHERS)}")
    for name in peers:
        if name not in PEERS:
            parser.error(f"no peer '{name}'; there are {', '.join(PEERS)}")
    if options.resume and not options.json:
        parser.error("--resume needs --json")
    rounds, seconds = options.rounds or (3 if options.quick else 7), 0.3 if options.quick else 1
    os.makedirs(WORK, exist_ok=True)
    start = datetime.datetime.now()
    path = options.json or os.path.join(HERE, "results", start.strftime("%Y-%m-%d-%H%M") + ".json")
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    record = {"date": start.isoformat(timespec="seconds"), "cpu": cpu_name(), "cpus": os.cpu_count(), "kernel": platform.release(),
              "rounds": rounds, "load_before": os.getloadavg()[0], "versions": {}, "models": {}}
    if options.resume and os.path.exists(path):
        with open(path) as file:
            record = json.load(file)
    for at, name in enumerate(names):
        if name in record["models"]:
            continue
        begin = time.perf_counter()
        folder = minilm() if name == "minilm" else models.write(os.path.join(WORK, "models"), name)
        with open(os.path.join(folder, "model.json")) as file:
            meta = json.load(file)
        check(folder)
        samples, failed, versions = measure(name, folder, peers, threads, rounds, seconds)
        record["versions"].update(versions)
        record["models"][name] = {"flops": meta["flops"], "measured": summary(samples), "failed": failed}
        record["load_after"] = os.getloadavg()[0]
        with open(path, "w") as file:
            json.dump(record, file, indent=1)
        print(f"bench: {name}: model {at + 1} of {len(names)}, {time.perf_counter() - begin:.0f} s", file=sys.stderr)
    said = ", ".join(f"{p} {v}" for p, v in record["versions"].items())
    text = (f"{record['cpu']}, {record['cpus']} CPUs, {record['date'][:10]}, {record['rounds']} rounds; {said}; "
            f"load {record['load_before']:.1f} before\n" + tables(record["models"], peers, threads))
    print(text + f"\n\nfigures: {os.path.relpath(path)}")
    if options.readme:
        put_into_readme(text, record["models"], max(threads))


if __name__ == "__main__":
    main()
