"""run.py - tcc and its peers on the same models, interleaved, in one run. Started by run.sh; README.md says what is measured.

For each model: what compiles for long is started first (from what it kept, if it ran here before), cold and warm starts are
measured in rounds of fresh processes, then all engines run in turn, each in a process that stays, the order of a round turned by
one each time. The clock of a shared machine moves within seconds, so every turn has the machine's peak just before and just
after it beside its time (report.py says what follows from them). All that runs gets at least two rounds; further rounds are for
tcc and those peers that are near the fastest. With a budget each model has a share of the time that is left, in proportion
to its size. An engine that fails or takes too long is recorded with its reason. The JSON file is written after each step.
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

import engines
import models
import report
from engines import COMPILED, MODELS, PEERS, ROOT, SLOW, TORCH, WORK, Failed

F32 = ["toy64", "llama512x2", "llama512x4", "llama512x8", "llama512x16", "llama512x32", "llama1024x8", "gpt2", "bert", "bert_b8", "minilm", "vit",
       "resnet50", "resnet50_b8", "mobilenetv3", "decode", "whisper", "convnext", "unet"]
NARROW = ["decode_bf16", "decode_int8", "decode_f16"]
CHEAP = ["onnxruntime", "openvino"]     # start in a second or two
# In this order they are started while there is time; what is nearest to tcc as a rule comes first.
ORDER = ["onnxruntime", "openvino", "openvino-bf16", "torch-eager", "iree", "torch-freezing", "torch-compile", "torch-regions", "torch-max-autotune"]
LEAST_S = 30                            # that a slow compiler which is started may take
STARTS_UNTIL = 0.65                     # of a model's share of the budget: no slow compiler is started after
NEAR = 1.25                             # of the fastest peer's time: worth more rounds
STEADY = 0.15                           # change of the peak within a turn that makes it worth another
REST_S = 0.05                           # between engines: threads that wait by spinning have gone to sleep
PEAK_S = 0.02
TUNE_S = 25
TOLERANCE = 1e-3                        # of the largest value
BYTES_TOLERANCE = 5e-2                  # of peers, which may round activations to bytes too
FORMAT = 3                              # of the JSON file


def cpu_name():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def commit():
    done = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return done.stdout.strip()


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def machine(tool, *arguments):
    return float(engines.run([os.path.join(WORK, tool), *map(str, arguments)], 30)[0])


def needs(engine, name):
    """Seconds that a slow peer's start is likely to take. Frozen weights are in no cache of torch."""
    kept = os.path.exists(os.path.join(COMPILED, name, engine + ".json"))
    if engine == "iree":
        return 3 if kept else 50
    return {"torch-freezing": 25, "torch-max-autotune": 40 if kept else 90}.get(engine, 10 if kept else 25)


class Model:
    """One model's measurements; `record` is its entry of the JSON file."""

    def __init__(self, bench, name, old):
        self.bench, self.name, self.begin = bench, name, time.monotonic()
        self.folder = models.write(MODELS, name)
        meta = engines.read_json(os.path.join(self.folder, "model.json"))
        self.inputs = meta["inputs"]
        weights = sum(os.path.getsize(os.path.join(self.folder, f)) for f in os.listdir(self.folder) if f.endswith((".bin", ".safetensors")))
        self.record = {"flops": meta["flops"], "bytes": meta["bytes"], "weights_mb": weights / 1e6, "complete": False, "peak": {}, "memory": {}, "engines": {}}
        self.artifacts, self.server = {}, None                    # what the server has, in order
        self.workers, self.session = {}, None                     # (engine, threads) -> Peer; torch has one for all numbers of threads
        self.most = max(bench.threads)
        self.peers, self.old = sorted(bench.peers, key=ORDER.index), old or {"engines": {}}
        for engine, entry in self.old["engines"].items():
            if engine in self.peers and self.keep(engine, self.old):
                self.record["engines"][engine] = entry
                self.peers.remove(engine)

    def keep(self, engine, old):
        """Whether an earlier run's figures of a peer stand: it compiles for long, and failed or was far from the fastest at each number of threads."""
        if engine not in SLOW or not self.bench.again:
            return False
        if "failed" in old["engines"][engine]:
            return not old["engines"][engine]["failed"].startswith("not run")
        times = [(report.figure(old, engine, f"run_ms.{n}"), report.fastest(old, self.bench.peers, n)) for n in self.bench.threads]
        return all(own and best and own > self.bench.near * best for own, best in times)

    # ---- the record ----

    def entry(self, engine):
        return self.record["engines"].setdefault(engine, {"run": self.bench.run, "samples": {}})

    def add(self, engine, key, *values):
        """A sample: a number, or [number, peak before, peak after]."""
        values = [round(v, 5 if v < 1 else 3) for v in values]
        self.entry(engine)["samples"].setdefault(key, []).append(values if len(values) > 1 else values[0])

    def failed(self, engine):
        return "failed" in self.record["engines"].get(engine, {})

    def attempt(self, engine, function):
        """function(), unless the engine has failed before; a failure is kept with its reason."""
        if self.failed(engine):
            return None
        try:
            return function()
        except Failed as failure:
            say(f"{self.name}: {engine} failed: {failure}")
            self.entry(engine)["failed"] = str(failure)
            for key in [k for k in self.workers if k[0] == engine]:
                self.workers.pop(key).end()
            return None

    # ---- starts ----

    def reference(self):
        """onnxruntime's results, op by op, which all others are held against."""
        data = os.path.join(self.folder, "data")
        mark, model = os.path.join(data, "reference"), os.path.join(self.folder, "model.json")
        if os.path.exists(mark) and os.path.getmtime(mark) >= os.path.getmtime(model):
            return
        for old in (f for f in os.listdir(data) if f.startswith("output_")):
            os.remove(os.path.join(data, old))
        worker, _, _, _ = engines.start_peer("onnxruntime-plain", self.name, self.most, self.bench.limit)
        worker.ask(engines.ANSWER_S, "save", data)
        worker.end()
        with open(mark, "w") as file:
            file.write("output_K.npy are onnxruntime's\n")

    def compile_tcc(self, folder):
        """The artifacts that the server times: with regions, each layer by itself, and with measured schedules if asked."""
        for engine, function in (("tcc", self.compile_default), ("tcc-whole", self.compile_whole), ("tcc-tuned", self.compile_tuned)):
            path = os.path.join(folder, f"{engine}.so")
            if (engine != "tcc-tuned" or self.name in self.bench.tune) and self.attempt(engine, lambda: function(folder, path) or True):
                self.artifacts[engine] = len(self.artifacts)
        if "tcc" in self.artifacts:
            self.server = engines.Server(self.folder, [os.path.join(folder, f"{engine}.so") for engine in self.artifacts])

    def compile_default(self, folder, path):
        begin = time.perf_counter()
        engines.tcc_compile(self.folder, path, os.path.join(folder, "default"))
        self.add("tcc", "compile_ms", (time.perf_counter() - begin) * 1e3)
        engines.run([os.path.join(engines.BIN, "tcc-run"), path, "--weights", self.folder, "--data", os.path.join(self.folder, "data"), "--check",
                     "--rtol", str(TOLERANCE), "--atol", str(TOLERANCE)], TCC_CACHE_DIR=os.path.join(folder, "default"))

    def compile_whole(self, folder, path):
        begin = time.perf_counter()
        engines.tcc_compile(self.folder, path, os.path.join(folder, "whole"), "--no-dedup")
        self.add("tcc-whole", "compile_ms", (time.perf_counter() - begin) * 1e3)

    def compile_tuned(self, folder, path):
        records, cache = {"TCC_TUNE_DB": os.path.join(COMPILED, self.name, "tune.db")}, os.path.join(folder, "tuned")
        os.makedirs(os.path.join(COMPILED, self.name), exist_ok=True)
        begin = time.perf_counter()
        engines.run([os.path.join(engines.BIN, "tcc-tune"), os.path.join(self.folder, "model.onnx"), "--threads", str(self.most), "--time-limit",
                     str(TUNE_S), *(f"--input={name}={os.path.join(self.folder, 'data', f'input_{k}.npy')}" for k, name in enumerate(self.inputs))],
                    TUNE_S + engines.ANSWER_S, TCC_CACHE_DIR=cache, **records)
        self.add("tcc-tuned", "tune_s", time.perf_counter() - begin)
        engines.tcc_compile(self.folder, path, cache, "--threads", str(self.most), **records)

    def skipped(self, engine):
        """Whether there is no time left to start a slow compiler: its earlier figures stand if it has some."""
        if engine not in SLOW or self.bench.until is None:
            return False
        part = 1 if engine == "torch-freezing" else STARTS_UNTIL
        if time.monotonic() + needs(engine, self.name) < self.begin + part * (self.bench.until - self.begin):
            return False
        self.leave(engine)
        return True

    def leave(self, engine):
        """No time for it in this run: what an earlier one measured stands."""
        self.record["engines"][engine] = self.old["engines"].get(engine) or {"run": self.bench.run, "samples": {}, "failed": "not run: no time for it"}

    def start(self, engine):
        """Starts what will run in the rounds; false if there was no time. Results are compared; what compiles for long is measured in this."""
        for threads in [self.most] if engine in TORCH else self.bench.threads[::-1]:
            self.bench.progress(self.name, f"starting {engine}")
            limit = self.bench.limit
            if engine in SLOW and self.bench.until is not None:
                limit = min(limit, max(LEAST_S, self.bench.until - time.monotonic()))
            try:
                worker, answer, compiled, cold = engines.start_peer(engine, self.name, threads, limit, self.session)
            except Failed as failure:
                if limit < self.bench.limit and "took more than" in str(failure):
                    self.leave(engine)
                    return False
                raise
            self.workers[engine, threads] = worker
            self.bench.record["versions"][engine.split("-")[0]] = answer["version"]
            if threads == self.most:
                self.add_start(engine, answer, cold)
                if compiled:
                    self.entry(engine)["compiled"] = compiled
                error = worker.ask(engines.ANSWER_S, "compare", os.path.join(self.folder, "data"))["error"]
                self.entry(engine)["error"] = float(f"{error:.2g}")
                if error > (BYTES_TOLERANCE if self.name.endswith("int8") else TOLERANCE):
                    raise Failed(f"results differ by {error:.1g} of the largest value")
        return True

    def add_start(self, engine, answer, cold=False):
        if not cold:
            self.add(engine, "first_ms", answer["first_ms"])
            self.add(engine, "process_ms", answer["process_ms"])
        self.add(engine, "peak_mb", answer["peak_mb"])

    def start_again(self, engine):
        worker, answer, _, _ = engines.start_peer(engine, self.name, self.most, self.bench.limit)
        worker.end()
        self.add_start(engine, answer)

    def start_tcc(self):
        with tempfile.TemporaryDirectory(dir=WORK) as cache:
            found, wall = engines.tcc_start(self.folder, self.most, cache)
            self.add("tcc", "cold_ms", wall)
            self.add("tcc", "cold_peak_mb", found["peak_rss_mb"])
            self.add("tcc", "artifact_kb", found["artifact_bytes"] / 1024)
            for name, value in engines.phases(found).items():
                self.add("tcc", f"phase.{name}", value)
            found, wall = engines.tcc_start(self.folder, self.most, cache)
            self.add("tcc", "warm_ms", wall)
            self.add("tcc", "peak_mb", found["peak_rss_mb"])
        with tempfile.TemporaryDirectory(dir=WORK) as cache:
            self.add("tcc-whole", "cold_ms", engines.tcc_start(self.folder, self.most, cache, "--no-dedup")[1])

    def starts(self):
        with_starts = ["tcc", *(p for p in self.peers if p in CHEAP)]
        for turn in range(self.bench.starts):
            if turn and not self.bench.patient(self):
                return
            self.bench.progress(self.name, f"starts, round {turn + 1} of {self.bench.starts}")
            for engine in with_starts[turn % len(with_starts):] + with_starts[:turn % len(with_starts)]:
                if engine == "tcc":
                    self.attempt(engine, self.start_tcc)
                elif turn: # the first one stays for the rounds
                    self.attempt(engine, lambda: self.start_again(engine))
                time.sleep(REST_S)

    # ---- runs ----

    def least(self, engine, threads):
        """Runs in a turn: models of long runs get few once their time is known."""
        before = self.record["engines"].get(engine, {}).get("samples", {}).get(f"run_ms.{threads}")
        ms = before[-1][0] if before else self.record["flops"] / 5e7 / threads
        return 1 if ms > 800 else 2 if ms > 200 else 3

    def turn(self, engine, threads, before):
        """One engine's turn; the peak after it, which is the next one's before."""
        time.sleep(REST_S)
        least = self.least(engine, threads)
        answer = self.server.time(0, threads, self.bench.seconds, least) if engine == "tcc" else \
            self.workers[engine, self.most if engine in TORCH else threads].time(threads, self.bench.seconds, least)
        after = machine("peak", threads, PEAK_S)
        self.add(engine, f"run_ms.{threads}", answer["ms"], before, after)
        self.record["peak"].setdefault(str(threads), []).append(after)
        return after

    def pair(self, engine):
        """tcc and another artifact of it, run by run, in one process."""
        answer = self.server.pair(0, self.artifacts[engine], self.most, 2 * self.bench.seconds, 2 * self.least("tcc", self.most))
        self.add(engine, f"run_ms.{self.most}", answer["other_ms"])
        self.add(engine, "ratio", answer["ratio"])

    def near(self, engine):
        """Whether further rounds may change who is fastest."""
        times = [(report.figure(self.record, engine, f"run_ms.{n}"), report.fastest(self.record, self.bench.peers, n)) for n in self.bench.threads]
        return any(own and best and own <= NEAR * best for own, best in times)

    def round(self, turn, running):
        for threads in self.bench.threads:
            now = [e for e in running if not self.failed(e)]
            peak = machine("peak", threads, PEAK_S)
            for engine in now[turn % len(now):] + now[:turn % len(now)]:
                before, peak = peak, self.attempt(engine, lambda: self.turn(engine, threads, peak))
                if peak is None:
                    peak = machine("peak", threads, PEAK_S)
                elif abs(before - peak) > STEADY * max(before, peak) and self.bench.patient(self):
                    peak = self.attempt(engine, lambda: self.turn(engine, threads, peak)) or machine("peak", threads, PEAK_S)
            if self.record["bytes"]:
                for kind in ("read", "copy"):
                    self.record["memory"].setdefault(f"{kind}.{threads}", []).append(machine("bandwidth", threads, 3, 256, kind))
        for engine in [e for e in self.artifacts if e != "tcc" and not self.failed("tcc")]:
            self.attempt(engine, lambda: self.pair(engine))

    def rounds(self):
        turn = 0
        while turn < self.bench.rounds and (turn < 2 or not self.bench.late(self)):
            running = ["tcc"] if self.server and not self.failed("tcc") else []
            late = turn and self.bench.late(self)
            running += [p for p in self.peers if any(k[0] == p for k in self.workers) and (p in CHEAP if late else turn < 2 or self.near(p))]
            if not running:
                return
            self.bench.progress(self.name, f"runs, round {turn + 1}: {', '.join(running)}")
            self.round(turn, running)
            turn += 1

    def measure(self):
        with tempfile.TemporaryDirectory(dir=WORK) as folder:
            try:
                try:
                    self.reference()
                except Failed as failure:
                    say(f"{self.name}: nothing to compare with: {failure}")
                self.bench.progress(self.name, "compiling")
                self.attempt("tcc", lambda: self.compile_tcc(folder))
                if set(self.peers) & set(TORCH):
                    self.load_torch()
                self.peers = [engine for engine in self.peers if not self.skipped(engine) and self.attempt(engine, lambda: self.start(engine))]
                self.starts()
                self.rounds()
                self.record["complete"] = True
            finally:
                for worker in [*self.workers.values(), self.session, self.server]:
                    if worker:
                        worker.end()
        return self.record

    def load_torch(self):
        mine = [p for p in self.peers if p in TORCH]
        try:
            if self.name in NARROW:
                raise Failed("not run: its program would have the weights in f32, and is decode's")
            self.bench.progress(self.name, "loading it into torch")
            self.session = engines.torch_session(self.name)
        except Failed as failure:
            for engine in mine:
                self.entry(engine)["failed"] = str(failure)


class Bench:
    def __init__(self, options, record):
        self.record, self.run = record, len(record["runs"]) - 1
        self.peers, self.threads = options.peers, sorted(options.threads)
        self.rounds, self.starts, self.seconds = options.rounds or (3 if options.quick else 7), options.starts, 0.15 if options.quick else 0.25
        self.limit, self.tune, self.near, self.again = options.limit, options.tune, options.near, options.again
        self.begin, self.deadline, self.flops, self.until = time.monotonic(), None, {}, None
        if options.budget:
            self.deadline = self.begin + options.budget
        self.done = self.total = 0

    def cost(self, name):
        """Seconds that a model is likely to take: its starts, and three rounds at each number of threads."""
        slow = [p for p in self.peers if p in SLOW and not (name in NARROW and p in TORCH)]
        rounds = 3 * (3 + len(self.peers) / 3) * sum(max(0.4, 2.5 * self.flops[name] / 8e10 / n) for n in self.threads)
        return 25 + sum(needs(p, name) for p in slow) + rounds

    def share(self, names):
        """When the first of these models should be done."""
        if not self.deadline:
            return None
        costs = [self.cost(n) for n in names]
        now = time.monotonic()
        return now + (self.deadline - now) * costs[0] / sum(costs)

    def late(self, model):
        return self.until is not None and time.monotonic() > self.until

    def patient(self, model):
        """Whether there is time for a turn once more."""
        now = time.monotonic()
        return self.until is None or now < model.begin + 0.8 * (self.until - model.begin)

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
    parser.add_argument("--quick", action="store_true", help="at most 3 short rounds instead of 7")
    parser.add_argument("--models", default=",".join(F32 + NARROW[:2]), help=f"some of {','.join(F32 + NARROW)}")
    parser.add_argument("--peers", default="onnxruntime,openvino", help=f"all, or some of {','.join(PEERS)},openvino-bf16")
    parser.add_argument("--threads", default="1," + str(min(2, os.cpu_count())))
    parser.add_argument("--rounds", type=int, help="at most")
    parser.add_argument("--starts", type=int, default=3, help="rounds of fresh processes")
    parser.add_argument("--budget", type=float, metavar="SECONDS", help="for the whole run: more rounds where they matter, two at least")
    parser.add_argument("--limit", type=float, default=300, metavar="SECONDS", help="that a peer's compilation may take")
    parser.add_argument("--memory", type=float, metavar="GB", help="that a process may write to; default: 60 %% of the machine's")
    parser.add_argument("--tune", default="", metavar="MODELS", help=f"tcc-tune measures schedules for these, {TUNE_S} s each; they run beside the default ones")
    parser.add_argument("--json", help="where the figures go instead of bench/results/DATE.json")
    parser.add_argument("--resume", action="store_true", help="go on with the run of --json: models that are complete stay")
    parser.add_argument("--again", action="store_true", help="with --json: measure again, but for slow compilers that were far from the fastest peer")
    parser.add_argument("--near", type=float, default=1.3, metavar="X", help="with --again: X times the fastest peer's time is far")
    parser.add_argument("--report", metavar="JSON", help="measure nothing: print the tables of a run (and write README with --readme)")
    parser.add_argument("--readme", action="store_true", help="put the tables and the figure into README.md and docs")
    options = parser.parse_args()
    if (options.resume or options.again) and not options.json:
        parser.error("--resume and --again need --json")
    options.models = choose(options.models, F32 + NARROW, "model")
    options.peers = PEERS if options.peers == "all" else choose(options.peers, PEERS + ["openvino-bf16"], "peer")
    options.tune = choose(options.tune, F32 + NARROW, "model")
    options.threads = [int(n) for n in options.threads.split(",")]
    if options.memory:
        engines.memory_limit = int(options.memory * 2**30)
    return options


def read(path):
    record = engines.read_json(path)
    if not record or record.get("format") != FORMAT:
        sys.exit(f"bench: {path} is not a file of this bench")
    return record


def finish(record, path, readme):
    print(report.text(record))
    print(f"\nfigures: {os.path.relpath(path)}")
    if readme:
        report.write_readme(record, ROOT)


def main():
    options = parse()
    if options.report:
        return finish(read(options.report), options.report, options.readme)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143)) # as an interrupt: processes end, figures are kept
    os.makedirs(WORK, exist_ok=True)
    start = datetime.datetime.now()
    path = options.json or os.path.join(engines.HERE, "results", start.strftime("%Y-%m-%d-%H%M") + ".json")
    record = {"format": FORMAT, "cpu": cpu_name(), "cpus": os.cpu_count(), "kernel": platform.release(), "threads": sorted(options.threads),
              "peers": [], "runs": [], "versions": {}, "models": {}}
    if (options.resume or options.again) and os.path.exists(path):
        record = read(path)
    record["peers"] = [p for p in PEERS + ["openvino-bf16"] if p in options.peers or p in record["peers"]]
    record["runs"].append({"date": start.isoformat(timespec="seconds"), "commit": commit(), "load_before": round(os.getloadavg()[0], 2)})
    bench = Bench(options, record)
    chosen = [n for n in options.models if options.again or not record["models"].get(n, {}).get("complete")]
    bench.total = len(chosen)
    try:
        for name in chosen:
            bench.flops[name] = engines.read_json(os.path.join(models.write(MODELS, name), "model.json"))["flops"]
        if set(bench.peers) & set(TORCH[1:]):
            bench.progress("torch", "one op")
            record["primed"] = engines.prime_torch(options.limit)
        for k, name in enumerate(chosen):
            bench.until = bench.share(chosen[k:])
            old = record["models"].get(name)
            model = Model(bench, name, old)
            try:
                model.measure()
            except Exception: # of this program: one model less
                say(f"{name}: {traceback.format_exc()}")
            finally:
                if model.record["complete"] or not old: # half of a model is better than none, and worse than a whole one
                    record["models"][name] = model.record
                record["runs"][-1]["load_after"] = round(os.getloadavg()[0], 2)
                engines.write_json(path, record)
            bench.done += 1
    except (KeyboardInterrupt, SystemExit):
        say(f"stopped; --json {path} --resume goes on")
    except Failed as failure:
        say(f"stopped: {failure}")
    finish(record, path, options.readme)


if __name__ == "__main__":
    main()
