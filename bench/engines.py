"""engines.py - the processes that run.py measures: tcc's server (serve.c), tcc-run, and peers (peer.py).

Each has a limit of memory and of time; whatever goes wrong in one becomes Failed with its reason, never the end of the run.
What compilers of peers make is kept in STATE, beside it what the first compilation took: COMPILED/MODEL/ENGINE and ENGINE.json.
A torch compilation starts from a copy of a cache that one op has primed, or it would measure that op.
"""
import contextlib
import datetime
import json
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
BUILD = os.path.join(ROOT, "build")
BIN = os.path.join(BUILD, "bin")
WORK = os.path.join(BUILD, "bench")
STATE = os.path.abspath(os.environ.get("TCC_BENCH_STATE") or WORK)
MODELS, COMPILED = os.path.join(STATE, "models"), os.path.join(STATE, "compiled")
TORCH = ["torch-eager", "torch-compile", "torch-freezing", "torch-max-autotune", "torch-regions"]
PEERS = ["onnxruntime", "openvino", "iree", *TORCH, "openvino-bf16"]
SLOW = ["iree", *TORCH[1:]]  # compile for seconds or minutes: once, then from what they keep
ANSWER_S = 120               # for anything but a compilation
memory_limit = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 6 // 10


class Failed(Exception):
    pass


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def limits():
    """Memory that a process writes to; weights that are mapped from a file do not count."""
    resource.setrlimit(resource.RLIMIT_DATA, (memory_limit, memory_limit))


def last_line(log):
    log.seek(0)
    lines = [line for line in log.read().decode(errors="replace").strip().splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""


def run(command, limit=ANSWER_S, **environment):
    """Standard output, and milliseconds to its first line. A shell is the parent: a process of this size would pass its own peak
    memory on."""
    with tempfile.TemporaryFile(dir=WORK) as log:
        begin = time.perf_counter()
        process = subprocess.Popen(["sh", "-c", '"$@"; exit $?', "sh", *command], env={**os.environ, **environment}, stdout=subprocess.PIPE,
                                   stderr=log, start_new_session=True, preexec_fn=limits)
        killer = threading.Timer(limit, os.killpg, (process.pid, signal.SIGKILL))
        killer.start()
        try:
            out = process.stdout.readline()
            first = (time.perf_counter() - begin) * 1e3
            out += process.stdout.read()
            process.wait()
        finally:
            killer.cancel()
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        if process.returncode:
            name = os.path.basename(command[0])
            raise Failed(f"{name} took more than {limit:.0f} s" if process.returncode == -signal.SIGKILL and time.perf_counter() - begin >= limit
                         else last_line(log) or f"{name}: exit {process.returncode}")
    return out.decode(), first


class Process:
    """Answers a line of JSON to each line. An answer with "error" leaves it alive."""

    def __init__(self, command):
        os.makedirs(WORK, exist_ok=True)
        self.log, self.buffer = tempfile.TemporaryFile(dir=WORK), b""
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, start_new_session=True, preexec_fn=limits)
        self.pid, self.commands, self.answers = self.process.pid, self.process.stdin, self.process.stdout.fileno()

    def send(self, line):
        try:
            self.commands.write(line.encode() + b"\n")
            self.commands.flush()
        except OSError:
            raise Failed(self.epitaph("before it was asked")) from None

    def epitaph(self, when):
        self.end()
        how = self.process.returncode if self.process else None
        said = last_line(self.log) if self.log else ""
        return said or f"the process ended {when}" + (f", status {how}" if how is not None else "")

    def answer(self, limit, what):
        until = time.monotonic() + limit
        while b"\n" not in self.buffer:
            if not select.select([self.answers], [], [], max(0, until - time.monotonic()))[0]:
                self.end()
                raise Failed(f"'{what}' took more than {limit:.0f} s")
            data = os.read(self.answers, 65536)
            if not data:
                raise Failed(self.epitaph(f"in '{what}'"))
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\n", 1)
        answer = json.loads(line)
        if "error" in answer and isinstance(answer["error"], str):
            raise Failed(answer["error"])
        return answer

    @contextlib.contextmanager
    def awake(self):
        """An engine that is not at turn is stopped, all its threads: those that wait by spinning would disturb the others."""
        self.signal(signal.SIGCONT)
        try:
            yield self
        finally:
            self.stop()

    def stop(self):
        self.signal(signal.SIGSTOP)

    def signal(self, number):
        try:
            os.killpg(self.pid, number)
        except OSError:
            pass # it has ended: the next question says so

    def end(self):
        """Its whole session, compilers included."""
        self.signal(signal.SIGKILL)
        if self.process:
            self.process.wait()


class Peer(Process):
    """A process of peer.py, or of another script that speaks as it does: fresh, or forked from another one."""

    def __init__(self, kind, parent=None, script=os.path.join(HERE, "peer.py")):
        if not parent:
            super().__init__([sys.executable, script, kind])
            return
        folder = tempfile.mkdtemp(dir=WORK)
        paths = [os.path.join(folder, name) for name in ("in", "out")]
        for path in paths:
            os.mkfifo(path)
        self.pid, self.process, self.log, self.buffer = parent.ask(ANSWER_S, "fork", *paths)["pid"], None, None, b""
        self.commands, self.answers = open(paths[0], "wb"), os.open(paths[1], os.O_RDONLY)
        shutil.rmtree(folder)

    def ask(self, limit, *command):
        self.send(json.dumps(command))
        return self.answer(limit, command[0])

    def time(self, threads, warm, calls):
        """Milliseconds of a call, the median of so many."""
        with self.awake():
            return self.ask(ANSWER_S, "run", threads, warm, calls)["ms"]


class Server(Process):
    """tcc: artifacts in one process, for any number of threads."""

    def __init__(self, folder, artifacts):
        super().__init__([os.path.join(WORK, "serve"), os.path.join(folder, "data"), folder, *artifacts])
        self.loaded = self.answer(ANSWER_S, "load")

    def ask(self, *words):
        with self.awake():
            self.send(" ".join(map(str, words)))
            return self.answer(ANSWER_S, words[0])

    def time(self, threads, warm, calls):
        return self.ask("run", 0, threads, warm, calls)["ms"]

    def pair(self, other, threads, first, count):
        """Ratios of the first artifact to another one, call by call."""
        return self.ask("pair", 0, other, threads, first, count)["ratios"]

    def kernels(self, other, threads, count):
        """Milliseconds of both: each kernel's quickest of all calls so far, added up."""
        answer = self.ask("kernels", 0, other, threads, count)
        return [answer["ms"], answer["other_ms"]]

    def beside(self, what, threads, warm, calls, turns):
        """[[ms, peak before, after]]; what: "peak" of FMA, or "reads" of memory."""
        return self.ask(what, 0, threads, warm, calls, turns)["turns"]

    def kinds(self, threads, calls):
        """[[ms, peak before, after, {emitter: ms}]]"""
        return self.ask("kinds", 0, threads, calls)["calls"]


def tcc_start(folder, threads, cache, *more):
    """The report of a start of tcc-run, and milliseconds to its first output: what it writes to its cache after that is done
    before this returns."""
    report = os.path.join(WORK, "report.json")
    _, first = run([os.path.join(BIN, "tcc-run"), os.path.join(folder, "model.onnx"), "--data", os.path.join(folder, "data"), "--threads", str(threads),
                   "--report", report, *more], TCC_CACHE_DIR=cache, TCC_TUNE_DB=os.path.join(cache, "none.db"))
    with open(report) as file:
        return json.load(file), first


def tcc_compile(folder, artifact, cache, *more, limit=ANSWER_S, **environment):
    run([os.path.join(BIN, "tcc-compile"), os.path.join(folder, "model.onnx"), "-o", artifact, *more], limit, **{"TCC_CACHE_DIR": cache, "TCC_TUNE_DB": os.path.join(cache, "none.db"), **environment})


def phases(report):
    """Milliseconds by phase of a compilation; the passes as one."""
    sums = {}
    for phase in report["phases"]:
        name = "passes" if phase["name"].startswith("tcc-") else phase["name"].replace(" ", "_")
        sums[name] = sums.get(name, 0) + phase["ms"]
    return sums


# ---- what compilers of peers keep ----

def read_json(path):
    try:
        with open(path) as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def write_json(path, value):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path + ".part", "w") as file:
        json.dump(value, file, indent=1)
    os.rename(path + ".part", path)


def prime_torch(limit):
    """What torch.compile takes for one op with an empty cache, and with the one that this leaves; measured once."""
    folder, note = os.path.join(COMPILED, "primed"), os.path.join(COMPILED, "primed.json")
    known = read_json(note)
    if known:
        return known
    shutil.rmtree(folder, ignore_errors=True)
    answers = []
    for _ in range(2):
        os.environ.update(TORCHINDUCTOR_CACHE_DIR=folder, TRITON_CACHE_DIR=os.path.join(folder, "triton"))
        worker = Peer("torch")
        try:
            answers.append(worker.ask(limit, "floor"))
        finally:
            worker.end()
    found = {"first_op_ms": answers[0]["first_ms"], "second_op_ms": answers[1]["first_ms"], "import_ms": answers[0]["import_ms"],
             "date": datetime.datetime.now().isoformat(timespec="seconds"), "load": os.getloadavg()[0]}
    write_json(note, found)
    return found


def one_for_all(engine):
    """Whether one process runs with any number of threads."""
    return engine in TORCH and engine != "torch-max-autotune"


def note_of(engine, name, threads):
    """Where it stands what a slow compiler's first compilation took."""
    return os.path.join(COMPILED, name, f"{engine}-{threads}.json" if engine == "torch-max-autotune" else f"{engine}.json")


def kept(engine, name, threads):
    """Whether a slow compiler has kept what it needs to start quickly."""
    return (read_json(note_of(engine, name, threads)) or {}).get("first_ms") is not None


def start_peer(engine, name, threads, limit, session=None):
    """(worker, its answer, what its first compilation took or None, whether this was it); session: torch with the model loaded."""
    state, note, begin = os.path.join(COMPILED, name), note_of(engine, name, threads), time.perf_counter()
    folder = os.path.join(state, engine)
    compiled = read_json(note) if engine in SLOW else None
    cold = engine in SLOW and not compiled
    if cold and not os.path.exists(folder): # what one number of threads has left is a start for the next
        primed = os.path.join(COMPILED, "primed")
        if engine in TORCH and os.path.exists(primed):
            shutil.copytree(primed, folder, copy_function=lambda a, b: os.link(a, b))
    worker = Peer("torch", session) if engine in TORCH else Peer(engine)
    try:
        if engine not in TORCH:
            worker.ask(ANSWER_S, "load", os.path.join(MODELS, name), state)
        answer = worker.ask(limit, "start", engine, threads)
        answer["process_ms"] = (time.perf_counter() - begin) * 1e3
        answer["peak_mb"] = worker.ask(ANSWER_S, "memory")["peak_mb"]
    except Failed as failure:
        worker.end()
        if cold and "took more than" in str(failure):
            write_json(note, {"first_ms": None, "limit_s": limit, "date": datetime.datetime.now().isoformat(timespec="seconds")})
        raise
    if cold:
        compiled = {"first_ms": round(answer["first_ms"], 1), "date": datetime.datetime.now().isoformat(timespec="seconds"), "load": round(os.getloadavg()[0], 1)}
        write_json(note, compiled)
    return worker, answer, compiled, cold


def torch_session(name, root):
    """Torch with a model loaded, a fork of a process that has imported it."""
    worker = Peer("torch", root)
    try:
        worker.ask(ANSWER_S * 2, "load", os.path.join(MODELS, name), os.path.join(COMPILED, name))
    except Failed:
        worker.end()
        raise
    return worker
