"""run.py - torch.compile(backend="tcc") beside torch's own ways, in one run. Started by bench/run.sh --torch; bench/README.md says what is measured.

For each model one process has it loaded; each way to run it is a fork of that, so that torch is imported and weights lie in memory once.
First starts: of the no-op backend and of tcc, in turn, tcc with an empty cache and then with what that left; torch's compiler keeps
what it made in STATE, and its first compilation is measured when it has kept nothing. Then results are held against f64, and all ways
are timed in short turns (race.py). The JSON file is written after each model.
"""
import argparse
import datetime
import os
import platform
import shutil
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.dirname(HERE))

import engines  # noqa: E402
import race  # noqa: E402
from engines import STATE, WORK, Failed, Peer, read_json, say, write_json  # noqa: E402

import report  # noqa: E402

MODELS = ["layer", "tutorial", "llama512x2", "llama512x8", "llama512x24", "llama512x64", "llama1024x8", "gpt2", "bert", "bert_b8", "vit", "whisper", "t5",
          "decode", "resnet50", "resnet50_b8", "mobilenetv3", "convnext", "efficientnet", "swin", "qwen3", "mobilevit", "densenet", "mamba", "yolos", "hrnet", "bert_bf16", "vit_bf16", "decode_bf16"]
NO_TRAINING = ["decode", "decode_bf16"]
WAYS = ["eager", "noop", "compile", "freezing", "regions", "tcc", "tcc-freeze", "tcc-regions"]
INDUCTOR = ["compile", "freezing", "regions"]
LAYERED = ["tutorial", "llama512x2", "llama512x8", "llama512x24", "llama512x64", "llama1024x8", "gpt2", "bert", "bert_b8", "vit", "whisper", "t5", "decode", "qwen3", "mamba", "yolos", "decode_bf16"]
ALWAYS = ["compile", "freezing", "tcc-freeze"]  # stay in the race however slow they are: aims name them
KEPT = os.path.join(STATE, "torch")
FORMAT = 1
RUNS = 3  # calls behind a first one, whose median is "a run"
WORKER = os.path.join(HERE, "worker.py")


class Race(race.Race):
    """Ways that no aim names leave when they are far behind tcc."""

    def leave_behind(self, found, near):
        for engine in [e for e in found if e not in ALWAYS and found[e] > race.FAR]:
            self.leave(engine, len(self.turns.get(engine, [])))


class Model:
    def __init__(self, options, name, root):
        self.options, self.name, self.record = options, name, {"engines": {}, "starts": {}, "check": {}, "race": {}, "complete": False}
        self.session, self.workers = Peer("", root, script=WORKER), {}

    def attempt(self, way, work):
        """What work gives, or None, and the reason is kept."""
        try:
            return work()
        except Failed as failure:
            say(f"{self.name}: {way}: {failure}")
            self.record["engines"].setdefault(way, {})["failed"] = str(failure)
            return None

    def ways(self):
        return [w for w in self.options.ways if not (w.endswith("regions") and self.name not in LAYERED)
                and not (self.options.train and w in ("freezing", "tcc-freeze"))]

    # ---- starts ----
    def start(self, way, threads, state, keep=False, again=False):
        worker = Peer("", self.session)
        try:
            answer = worker.ask(self.options.limit, "start", way, threads, state)
            answer["peak_mb"] = worker.ask(engines.ANSWER_S, "memory")["peak_mb"]
            answer["run_ms"] = worker.ask(engines.ANSWER_S, "run", threads, 1, RUNS)["ms"]
            if again:
                self.note(way, "known", {**answer, **worker.ask(self.options.limit, "again")})
        except Failed:
            worker.end()
            raise
        if keep:
            worker.stop()
            self.workers[way] = worker
        else:
            worker.end()
        return answer

    def note(self, way, kind, answer):
        self.record["starts"].setdefault(way, {}).setdefault(kind, []).append({key: answer[key] for key in ("first_ms", "cpu_ms", "backend_ms", "run_ms", "peak_mb", "phases")})

    def start_peer(self, way, threads):
        """One of torch's own ways: cold if it has kept nothing."""
        state = os.path.join(KEPT, "train" if self.options.train else "eval", self.name, way)
        note = state + ".json"
        cold = read_json(note) if way in INDUCTOR else None
        answer = self.start(way, threads, state, keep=True)
        if way not in INDUCTOR:
            return self.note(way, "cold", answer)
        if cold is None:
            cold = {**answer, "date": datetime.datetime.now().isoformat(timespec="seconds"), "load": round(os.getloadavg()[0], 1)}
            write_json(note, cold)
        else:
            self.note(way, "warm", answer)
        self.note(way, "cold", cold)
        self.record["engines"].setdefault(way, {})["cold_date"] = cold["date"]

    def start_tcc(self, threads):
        """Rounds of starts: no-op, tcc cold and warm, each in a fresh process."""
        for turn in range(self.options.starts):
            last = turn + 1 == self.options.starts
            for way in [w for w in self.ways() if w not in INDUCTOR and w != "eager"]:
                if "failed" in self.record["engines"].get(way, {}):
                    continue
                state = tempfile.mkdtemp(dir=WORK)
                try:
                    noop = way.startswith("noop")
                    answer = self.attempt(way, lambda: self.start(way, threads, state, keep=last and noop, again=noop))
                    if answer:
                        self.note(way, "cold", answer)
                    if answer and not noop:
                        again = self.attempt(way, lambda: self.start(way, threads, state, keep=last, again=True))
                        if again:
                            self.note(way, "warm", again)
                finally:
                    shutil.rmtree(state, ignore_errors=True)

    # ---- runs ----
    def clock(self, way):
        worker = self.workers[way]
        return lambda threads, warm, calls: worker.time(threads, warm, calls)

    def run(self, threads):
        record = self.record["race"][str(threads)] = {"turns": {}, "first": {}, "left": {}, "tcc": []}
        ring = Race(threads, record, self.attempt)
        ring.start(self.clock("tcc"))
        for way in [w for w in self.workers if w != "tcc"]:
            self.attempt(way, lambda: ring.join(way, self.clock(way), 0))
        ring.select()
        until = time.monotonic() + self.options.seconds
        for turn in range(self.options.rounds):
            if turn >= race.DECIDES and time.monotonic() + ring.seconds() > until:
                break
            ring.round(lambda: [[ring.turn("tcc"), 0, 0]])

    def measure(self):
        threads = max(self.options.threads)
        say(f"{self.name}: {self.session.ask(engines.ANSWER_S, 'load', self.name, self.options.train)['parameters'] / 1e6:.1f} million parameters")
        self.start_tcc(threads)
        for way in [w for w in self.ways() if w in INDUCTOR or w == "eager" and not self.options.starts_only]:
            self.attempt(way, lambda: self.start_peer(way, threads))
        if self.options.starts_only:
            self.record["complete"] = "tcc" in self.workers
            return
        for way in [w for w in self.workers if w.startswith("tcc")]:
            with self.workers[way].awake():
                found = self.attempt(way, lambda: self.workers[way].ask(engines.ANSWER_S, "check"))
            if found:
                self.record["check"][way] = found
                if not found["ok"]:
                    say(f"{self.name}: {way}: WRONG by {found['worst']:.3g}")
        if "tcc" in self.workers:
            for n in self.options.threads:
                self.run(n)
            self.record["complete"] = True

    def end(self):
        for worker in [*self.workers.values(), self.session]:
            worker.end()


def parse():
    parser = argparse.ArgumentParser(prog="bench/run.sh --torch", description="Measures torch.compile(backend='tcc') beside torch's own ways; bench/README.md says how.")
    parser.add_argument("--models", default=",".join(MODELS), help=f"some of {','.join(MODELS)}")
    parser.add_argument("--ways", default=",".join(WAYS), help=f"some of {','.join(WAYS)}")
    parser.add_argument("--train", action="store_true", help="a call is forward and backward in train() with dropout 0")
    parser.add_argument("--threads", default="1," + str(min(2, os.cpu_count())))
    parser.add_argument("--rounds", type=int, default=20, help="at most")
    parser.add_argument("--seconds", type=float, default=20, help="of rounds, for each model and number of threads; three are made at least")
    parser.add_argument("--starts", type=int, default=3, help="rounds of fresh processes")
    parser.add_argument("--starts-only", action="store_true", help="first calls alone: no results are held against f64, no runs are timed in turns")
    parser.add_argument("--limit", type=float, default=600, metavar="SECONDS", help="that a first call may take")
    parser.add_argument("--json", help="where the figures go instead of bench/results/torch-DATE.json")
    parser.add_argument("--resume", action="store_true", help="go on with the run of --json: models that are complete stay")
    parser.add_argument("--report", metavar="JSON", help="measure nothing: print the tables of a run")
    parser.add_argument("--svg", metavar="FILE", help="write the figure")
    options = parser.parse_args()
    for given, known in ((options.models, MODELS), (options.ways, WAYS)):
        for name in given.split(","):
            if name not in known:
                parser.error(f"no '{name}'; there are {', '.join(known)}")
    options.models, options.ways = options.models.split(","), options.ways.split(",")
    if "tcc" not in options.ways:
        parser.error("all is measured beside tcc: --ways must name it")
    if options.train:
        options.models = [m for m in options.models if m not in NO_TRAINING]
    options.threads = sorted(int(n) for n in options.threads.split(","))
    return options


def finish(record, path, svg):
    print(report.text(record))
    print(f"\nfigures: {os.path.relpath(path)}")
    if svg:
        with open(svg, "w") as file:
            file.write(report.svg(record))


def main():
    options = parse()
    if options.report:
        return finish(read_json(options.report), options.report, options.svg)
    os.makedirs(WORK, exist_ok=True)
    start = datetime.datetime.now()
    path = options.json or os.path.join(os.path.dirname(HERE), "results", start.strftime("torch-%Y-%m-%d-%H%M") + ".json")
    record = (read_json(path) if options.resume else None) or {"format": FORMAT, "cpus": os.cpu_count(), "machine": platform.processor(), "train": options.train, "starts_only": options.starts_only,
                                                               "threads": options.threads, "ways": options.ways, "date": start.isoformat(timespec="seconds"),
                                                               "load_before": round(os.getloadavg()[0], 2), "models": {}}
    root = Peer("", script=WORKER)
    try:
        for name in options.models:
            if record["models"].get(name, {}).get("complete"):
                continue
            model = Model(options, name, root)
            try:
                model.measure()
            except Failed as failure:
                say(f"{name}: {failure}")
                model.record["engines"].setdefault("tcc", {})["failed"] = str(failure)
            finally:
                model.end()
                record["models"][name] = model.record
                write_json(path, record)
    except KeyboardInterrupt:
        say(f"stopped; --json {path} --resume goes on")
    finally:
        root.end()
    finish(record, path, options.svg)


if __name__ == "__main__":
    main()
