"""model.py - one model's measurements: compile, start what runs, fresh processes, then rounds of short turns (race.py).

Every engine is started once at each number of threads, held against the reference, has its first pass, and sleeps (stopped) unless it is
at turn; one that has left the race everywhere ends. Fresh processes are measured while all others are stopped. An engine that fails
or takes too long is recorded with its reason. A share of a budget is spent on what decides first: peers of CORE, LEAST_STARTS rounds of
fresh processes, LEAST_ROUNDS rounds, since six samples have an interval; then on other peers, and on more of each. `record` is the model's
entry of the JSON file:

    flops, bytes, weights_mb, complete
    engines: name -> {samples: key -> [number], compiled, error, kinds, failed}
    race:    threads -> {turns, first, left, tcc}       as race.py has them
    memory:  threads -> [[tcc's ms, GB/s that the machine reads before, after]]
    pairs:   tcc-whole, tcc-tuned, tcc-bf16 -> [ratio of calls side by side: tcc's time over theirs]
    kernels: tcc-whole, tcc-tuned, tcc-bf16 -> [tcc's ms, theirs]: each kernel's quickest call, added up
"""
import math
import os
import tempfile
import time

import engines
import models
from engines import MODELS, SLOW, TORCH, WORK, Failed, say
from race import CORE, Race

NARROW = ["decode_bf16", "decode_int8", "decode_f16"]
BF16 = ["bert", "vit", "decode", "decode_bf16"]  # where OpenVINO's bf16 is measured
CHEAP = ["onnxruntime", "openvino"]     # start in a second or two: fresh processes in several rounds
# In this order they are started; what is nearest to tcc as a rule, or starts quickly, comes first.
ORDER = ["onnxruntime", "openvino", "openvino-bf16", "torch-freezing", "torch-compile", "torch-max-autotune", "torch-eager", "torch-regions", "iree"]
START_S = {"torch-compile": 12, "torch-regions": 15} # that a start may take; others:
QUICK_START_S = 4
LEAST_STARTS, STARTS_S = 3, 3           # rounds of fresh processes, and what one takes
LEAST_ROUNDS = 6
GRACE_S = 25                            # beyond a model's share for LEAST_ROUNDS
PAIR_MS = 400                           # of calls side by side in a round
SETTLE_S, SETTLE_ROUNDS = 20, 40        # for regions that are beyond their limit by medians only
TUNE_S = 25
TOLERANCE = 1e-3                        # of the largest value
LOOSE = {"openvino-bf16": 1e-1}         # bf16 has 8 bits
BYTES_TOLERANCE = 5e-2                  # of peers, which may round activations to bytes too


def has_bf16():
    with open("/proc/cpuinfo") as file:
        return bool({"avx512_bf16", "amx_bf16"} & set(file.read().split()))


class Model:
    def __init__(self, bench, name):
        self.bench, self.name, self.begin = bench, name, time.monotonic()
        self.folder = models.write(MODELS, name)
        self.data = os.path.join(self.folder, "data")
        meta = engines.read_json(os.path.join(self.folder, "model.json"))
        self.inputs = meta["inputs"]
        weights = sum(os.path.getsize(os.path.join(self.folder, f)) for f in os.listdir(self.folder) if f.endswith((".bin", ".safetensors")))
        races = {str(n): {"turns": {}, "first": {}, "left": {}, "tcc": []} for n in bench.threads}
        self.record = {"flops": meta["flops"], "bytes": meta["bytes"], "weights_mb": weights / 1e6, "complete": False, "engines": {}, "race": races,
                       "memory": {str(n): [] for n in bench.threads}, "pairs": {}, "kernels": {}}
        self.most = max(bench.threads)
        self.peers = sorted((p for p in bench.peers if p != "openvino-bf16" or name in BF16), key=ORDER.index)
        self.artifacts, self.server = {}, None                    # what the server has, in order
        self.workers, self.session = {}, None                     # (engine, threads) -> Peer; one_for_all: for the most threads
        self.races = {n: Race(n, races[str(n)], self.attempt) for n in bench.threads}

    # ---- the record ----

    def entry(self, engine):
        return self.record["engines"].setdefault(engine, {"samples": {}})

    def add(self, engine, key, value):
        self.entry(engine)["samples"].setdefault(key, []).append(round(value, 5 if value < 1 else 3))

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

    def left(self):
        """Seconds of this model's share of the budget."""
        return math.inf if self.bench.until is None else self.bench.until - time.monotonic()

    def needed(self):
        """Seconds that LEAST_ROUNDS are likely to take."""
        return LEAST_ROUNDS * sum(race.seconds() for race in self.races.values()) + LEAST_ROUNDS * PAIR_MS / 1e3

    # ---- compilations ----

    def reference(self):
        """onnxruntime's results, op by op, which all others are held against."""
        mark, model = os.path.join(self.data, "reference"), os.path.join(self.folder, "model.json")
        if os.path.exists(mark) and os.path.getmtime(mark) >= os.path.getmtime(model):
            return
        for old in (f for f in os.listdir(self.data) if f.startswith("output_")):
            os.remove(os.path.join(self.data, old))
        worker, _, _, _ = engines.start_peer("onnxruntime-plain", self.name, self.most, self.bench.limit)
        worker.ask(engines.ANSWER_S, "save", self.data)
        worker.end()
        with open(mark, "w") as file:
            file.write("output_K.npy are onnxruntime's\n")

    def compile_tcc(self, folder):
        """The artifacts that the server has: with regions, each layer by itself, with measured schedules if asked, in bf16 beside OpenVINO's."""
        engines_of_tcc = {"tcc": self.compile_default, "tcc-whole": self.compile_whole}
        if self.name in self.bench.tune:
            engines_of_tcc["tcc-tuned"] = self.compile_tuned
        if "openvino-bf16" in self.peers and has_bf16():
            engines_of_tcc["tcc-bf16"] = self.compile_narrow
        for engine, function in engines_of_tcc.items():
            path = os.path.join(folder, f"{engine}.so")
            if self.attempt(engine, lambda: function(folder, path) or True):
                self.artifacts[engine] = len(self.artifacts)
        if "tcc" in self.artifacts:
            self.server = engines.Server(self.folder, [os.path.join(folder, f"{engine}.so") for engine in self.artifacts])

    def timed_compile(self, engine, path, cache, *more):
        begin = time.perf_counter()
        engines.tcc_compile(self.folder, path, cache, *more)
        self.add(engine, "compile_ms", (time.perf_counter() - begin) * 1e3)

    def compile_default(self, folder, path):
        cache = os.path.join(folder, "default")
        self.timed_compile("tcc", path, cache)
        engines.run([os.path.join(engines.BIN, "tcc-run"), path, "--weights", self.folder, "--data", self.data, "--check", "--rtol", str(TOLERANCE),
                     "--atol", str(TOLERANCE)], TCC_CACHE_DIR=cache)

    def compile_whole(self, folder, path):
        self.timed_compile("tcc-whole", path, os.path.join(folder, "whole"), "--no-dedup")

    def compile_narrow(self, folder, path):
        self.timed_compile("tcc-bf16", path, os.path.join(folder, "bf16"), "--autocast=bf16")

    def compile_tuned(self, folder, path):
        cache = os.path.join(folder, "tuned")
        records = {"TCC_TUNE_DB": os.path.join(folder, "tune.db")} # none yet: what is timed is a first tuning
        self.bench.progress(self.name, "tuning")
        begin = time.perf_counter()
        engines.run([os.path.join(engines.BIN, "tcc-tune"), os.path.join(self.folder, "model.onnx"), "--threads", str(self.most), "--time-limit",
                     str(TUNE_S), *(f"--input={name}={os.path.join(self.data, f'input_{k}.npy')}" for k, name in enumerate(self.inputs))],
                    TUNE_S + engines.ANSWER_S, TCC_CACHE_DIR=cache, **records)
        self.add("tcc-tuned", "tune_s", time.perf_counter() - begin)
        engines.tcc_compile(self.folder, path, cache, "--threads", str(self.most), **records)

    # ---- starts ----

    def load_torch(self):
        """Its session, unless no program of this model could be a fair one."""
        if not set(self.peers) & set(TORCH):
            return
        try:
            if self.name in NARROW:
                raise Failed("not run: its program would have the weights in f32, and is decode's")
            self.bench.progress(self.name, "loading it into torch")
            self.session = engines.torch_session(self.name, self.bench.root())
        except Failed as failure:
            for engine in set(self.peers) & set(TORCH):
                self.entry(engine)["failed"] = str(failure)

    def start(self, engine):
        """Starts a peer at each number of threads, most first; results are compared, the first pass is run."""
        worker = None
        for threads in sorted(self.bench.threads, reverse=True):
            if worker is None or not engines.one_for_all(engine):
                if engine in SLOW and self.bench.until is not None and not engines.kept(engine, self.name, threads):
                    if worker: # primed for more threads: that is something
                        break
                    raise Failed("not run: not primed")
                if engine == "openvino-bf16" and not has_bf16():
                    raise Failed("not run: this machine has no bf16; OpenVINO emulates it (jit_gemm_bf16), more than 100 times slower than its f32")
                if engine not in CORE and self.left() < self.needed() + LEAST_STARTS * STARTS_S + START_S.get(engine, QUICK_START_S):
                    raise Failed("not run: no time for it")
                self.bench.progress(self.name, f"starting {engine}")
                worker, answer, compiled, cold = engines.start_peer(engine, self.name, threads, self.bench.limit, self.session)
                self.workers[engine, threads] = worker
                if threads == self.most:
                    self.started(engine, answer, compiled, cold)
                said = worker.ask(engines.ANSWER_S, "compare", self.data)
                if threads == self.most:
                    self.entry(engine)["error"] = float(f"{said['error']:.2g}")
                if said["error"] > LOOSE.get(engine, BYTES_TOLERANCE if self.name.endswith("int8") else TOLERANCE):
                    raise Failed(f"results differ by {said['error']:.1g} of the largest value")
                worker.stop()
                known = said["ms"]
            else:
                known = 0 # the call was with other threads
            race = self.races[threads]
            if race.tcc:
                race.join(engine, worker.time, known)
                if engine in race.left: # too slow to be called twice: not started again for fewer threads
                    break
        return True

    def started(self, engine, answer, compiled, cold):
        self.bench.record["versions"][engine.split("-")[0]] = answer["version"]
        if answer["kinds"]:
            self.entry(engine)["kinds"] = answer["kinds"]
        if compiled:
            self.entry(engine)["compiled"] = compiled
        self.add_start(engine, answer, cold)

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

    def start_whole(self):
        with tempfile.TemporaryDirectory(dir=WORK) as cache:
            self.add("tcc-whole", "cold_ms", engines.tcc_start(self.folder, self.most, cache, "--no-dedup")[1])

    def starts(self):
        """Fresh processes, in turn: two rounds of all, then tcc and the peer that starts most quickly. tcc starts before and after the
        peers, so that a slow half of a round is not one side's alone."""
        peers = [p for p in CHEAP if p in self.peers and not self.failed(p)]
        for turn in range(self.bench.starts):
            if turn >= LEAST_STARTS and self.left() < self.needed():
                return
            self.bench.progress(self.name, f"starts, round {turn + 1} of {self.bench.starts}")
            if turn > 1 and peers:
                peers = [min(peers, key=lambda p: min(self.entry(p)["samples"]["process_ms"]))]
            actions = [("tcc", self.start_tcc), *((p, lambda p=p: self.start_again(p)) for p in peers), ("tcc", self.start_tcc), ("tcc-whole", self.start_whole)]
            for engine, action in actions if turn % 2 else actions[::-1]:
                self.attempt(engine, action)

    # ---- runs ----

    def pair(self, engine, turn):
        other, ms = self.artifacts[engine], self.races[self.most].tcc_ms
        ratios = self.server.pair(other, self.most, turn % 2, max(1, round(PAIR_MS / 2 / ms)))
        self.record["pairs"].setdefault(engine, []).extend(ratios[:50])
        self.record["kernels"][engine] = self.server.kernels(other, self.most, max(1, min(50, round(PAIR_MS / 4 / ms))))

    def rounds(self):
        if self.server is None or self.failed("tcc"):
            return
        for race in self.races.values():
            race.select()
        for key in [k for k in self.workers if not any(k[0] in race.racing for n, race in self.races.items() if n == k[1] or engines.one_for_all(k[0]))]:
            self.workers.pop(key).end()
        others = [e for e in self.artifacts if e != "tcc"]
        turn, said = 0, None
        while turn < self.bench.rounds:
            least = min(race.least() for race in self.races.values())
            if turn >= 1 and self.left() < (0 if least >= LEAST_ROUNDS else -GRACE_S):
                return
            racing = "; ".join(f"{n}: {', '.join(race.racing)}" for n, race in self.races.items())
            if racing != said:
                self.bench.progress(self.name, f"from round {turn + 1} on, threads: peers {racing}")
                said = racing
            for n, race in self.races.items():
                race.round(lambda: self.server.beside("peak", n, *race.slices()))
                if self.record["bytes"]:
                    self.record["memory"][str(n)].extend(self.server.beside("reads", n, *race.slices()))
            for engine in others:
                self.attempt(engine, lambda: self.pair(engine, turn))
            turn += 1

    def settle(self, record, decided):
        """More pairs of calls with and without regions, added to `record`, this model's entry, until decided() or SETTLE_S are over."""
        with tempfile.TemporaryDirectory(dir=WORK) as folder:
            try:
                for engine, more in (("tcc", ()), ("tcc-whole", ("--no-dedup",))):
                    engines.tcc_compile(self.folder, os.path.join(folder, f"{engine}.so"), os.path.join(folder, engine), *more)
                    self.artifacts[engine] = len(self.artifacts)
                self.server = engines.Server(self.folder, [os.path.join(folder, f"{engine}.so") for engine in self.artifacts])
                self.races[self.most].start(self.server.time)
                self.record["pairs"], self.record["kernels"] = record["pairs"], record["kernels"]
                until = time.monotonic() + SETTLE_S
                for turn in range(SETTLE_ROUNDS):
                    self.pair("tcc-whole", turn)
                    if decided() or time.monotonic() > until:
                        break
            finally:
                if self.server:
                    self.server.end()

    def measure(self):
        with tempfile.TemporaryDirectory(dir=WORK) as folder:
            try:
                try:
                    self.reference()
                except Failed as failure:
                    say(f"{self.name}: nothing to compare with: {failure}")
                self.bench.progress(self.name, "compiling")
                self.attempt("tcc", lambda: self.compile_tcc(folder))
                if self.server:
                    for race in self.races.values():
                        self.attempt("tcc", lambda: race.start(self.server.time))
                self.load_torch()
                for engine in self.peers:
                    self.attempt(engine, lambda: self.start(engine))
                self.starts()
                self.attempt("tcc", self.rounds)
                self.record["complete"] = True
            finally:
                for worker in [*self.workers.values(), self.session, self.server]:
                    if worker:
                        worker.end()
        return self.record
