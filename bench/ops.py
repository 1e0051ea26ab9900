"""ops.py - single layers (layers.py) beside peers, in short turns; started by `run.sh --ops [GLOB ...]`. README.md says what is measured.

A layer has a server of tcc's artifact (engines.py), and all peers one process each, which loads layer after layer. The race is that of whole
models (race.py), in shorter turns. Figures go to a file of this machine, in which a run replaces the layers that it measures.
"""
import argparse
import datetime
import fnmatch
import os
import re
import sys
import tempfile

import numpy as np

import engines
import layers
from engines import ROOT, STATE, WORK, Failed, say
from figures import TITLES, best, geometric_mean, number, spelled, table, time
from model import BYTES_TOLERANCE, TOLERANCE
from race import Race
from run import commit, cpu_name

TURN_MS, ROUNDS = 8, 7
FOLDER = os.path.join(STATE, "layers")
FORMAT = 1


def largest(data):
    """Of the results that are saved there: what peers' errors are relative to."""
    found = [path for path in os.listdir(data) if path.startswith("output_")]
    return max(float(np.abs(np.load(os.path.join(data, path))).max()) for path in found)


class Bench:
    turn_ms = TURN_MS

    def __init__(self, options, record):
        self.options, self.record, self.workers = options, record, {}

    def folder(self, name, work):
        """Where the model is, with its inputs; it may be made below `work`, which goes when the model has been measured."""
        return layers.write(FOLDER, name)

    def held_against(self, folder):
        """Results that a peer's are compared with."""
        return os.path.join(folder, "data")

    def worker(self, peer):
        if peer not in self.workers or self.workers[peer].process.poll() is not None:
            self.workers[peer] = engines.Peer("onnxruntime" if peer == "reference" else peer)
        return self.workers[peer]

    def ask(self, peer, *command):
        worker = self.worker(peer)
        with worker.awake():
            return worker.ask(engines.ANSWER_S, *command)

    def compile(self, folder, work):
        """tcc's server, its results held against onnxruntime's of op by op."""
        data = os.path.join(folder, "data")
        self.ask("reference", "load", folder, work)
        self.ask("reference", "start", "onnxruntime-plain", 1)
        self.ask("reference", "save", data)
        artifact, tolerance = os.path.join(work, "layer.so"), str(TOLERANCE if "int8" not in folder else BYTES_TOLERANCE * largest(data))
        engines.tcc_compile(folder, artifact, os.path.join(work, "cache"), *self.options.compile)
        engines.run([os.path.join(engines.BIN, "tcc-run"), artifact, "--weights", folder, "--data", data, "--check", "--rtol", tolerance, "--atol", tolerance])
        return engines.Server(folder, [artifact])

    def measure(self, name):
        """The layer's entry of the file, in the form that figures.py reads."""
        races = {str(n): {"turns": {}, "first": {}, "left": {}, "tcc": []} for n in self.options.threads}
        entry, server = {"engines": {}, "race": races}, None

        def attempt(engine, function):
            try:
                return function()
            except Failed as failure:
                say(f"{name}: {engine}: {failure}")
                entry["engines"].setdefault(engine, {"samples": {}})["failed"] = str(failure)
                return None

        with tempfile.TemporaryDirectory(dir=WORK) as work:
            try:
                folder = attempt("model", lambda: self.folder(name, work))
                server = folder and attempt("tcc", lambda: self.compile(folder, work))
                if server:
                    for n in self.options.threads:
                        attempt("tcc", lambda: self.race(server, folder, work, n, races[str(n)], attempt))
            finally:
                if server:
                    server.end()
        return entry

    def race(self, server, folder, work, threads, record, attempt):
        race = Race(threads, record, attempt, self.turn_ms)
        race.start(server.time)
        for peer in self.options.peers:
            attempt(peer, lambda: self.join(race, peer, folder, work, threads))
        race.select()
        for _ in range(self.options.rounds):
            race.round(lambda: [[race.turn("tcc"), 0, 0]])

    def join(self, race, peer, folder, work, threads):
        self.ask(peer, "load", folder, work)
        self.started(peer, folder, self.ask(peer, "start", peer, threads))
        error = self.ask(peer, "compare", self.held_against(folder))["error"]
        if error > (BYTES_TOLERANCE if "int8" in folder else TOLERANCE):
            raise Failed(f"results differ by {error:.1g} of the largest value")
        worker = self.worker(peer)
        race.join(peer, worker.time, 0)

    def started(self, peer, folder, answer):
        self.record["versions"][peer] = answer["version"]

    def end(self):
        for worker in self.workers.values():
            worker.end()


def text(record, names):
    """Markdown: layers by their least ratio first, then what was not measured."""
    rows, ratios = [], {n: [] for n in record["threads"]}
    for name in names:
        for n in record["threads"]:
            peer, found = best(record, record["layers"][name], n) if str(n) in record["layers"][name]["race"] else (None, None)
            if peer:
                ratios[n].append(found[0])
                rows.append((found[0], [name, str(n), number(time(record["layers"][name], "tcc", n)), number(time(record["layers"][name], peer, n)), TITLES[peer], spelled(found)]))
    parts = [f"{record['cpu']}, {record['cpus']} cores, {record['date']}, {record['commit']}; " + ", ".join(f"{TITLES[p]} {v}" for p, v in record["versions"].items())]
    for n, found in ratios.items():
        if found:
            parts.append(f"{n} thread{'s' * (n > 1)}: {len(found)} layers, geometric mean of the fastest peer / tcc {geometric_mean(found):.2f}; below 1: {sum(r < 1 for r in found)}, "
                         f"below 0.95: {sum(r < 0.95 for r in found)}")
    parts.append(table(["layer", "threads", "tcc, ms", "fastest peer, ms", "", "fastest peer / tcc"], [row for _, row in sorted(rows, key=lambda r: r[0])]))
    failures = [f"- {name}, {TITLES.get(e, e)}: {about['failed']}" for name in names for e, about in record["layers"][name]["engines"].items() if "failed" in about]
    return "\n\n".join(parts + (["Not measured:\n\n" + "\n".join(failures)] if failures else []))


def measured(bench, options, record, entries):
    """Measures all names, one after another; what was measured is kept when one stops it."""
    os.makedirs(WORK, exist_ok=True)
    record.update(peers=options.peers, threads=options.threads, commit=commit(), date=datetime.datetime.now().isoformat(timespec="seconds"))
    try:
        for k, name in enumerate(options.names):
            say(f"[{k + 1}/{len(options.names)}] {name}")
            entries[name] = bench.measure(name)
            engines.write_json(options.json, record)
    except KeyboardInterrupt:
        say("stopped")
    finally:
        bench.end()
        engines.write_json(options.json, record)


def parser_of(name, summary, things, peers):
    """What all benchmarks of many small things ask: which of them, beside whom, how often."""
    parser = argparse.ArgumentParser(prog="bench/run.sh --" + name, description=summary + "; bench/README.md says what and how.")
    parser.add_argument("globs", nargs="*", metavar="GLOB", help=f"names of {things}; default: all")
    parser.add_argument("--peers", default=peers, help="some of onnxruntime,openvino")
    parser.add_argument("--threads", default="1," + str(min(2, os.cpu_count())))
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--compile", default=[], action="append", metavar="OPTION", help="an option of tcc-compile, such as --target=x86,x86-64-v3")
    parser.add_argument("--json", help=f"instead of bench/results/{name}-CPU.json")
    parser.add_argument("--list", action="store_true", help="all names")
    parser.add_argument("--report", action="store_true", help="measure nothing: the table of what was measured")
    return parser


def settled(parser, name, names):
    """The options, their lists read; names: all there are."""
    options = parser.parse_args()
    options.peers = options.peers.split(",")
    unknown = [p for p in options.peers if p not in ("onnxruntime", "openvino")]
    if unknown:
        parser.error(f"no peer {', '.join(unknown)} here")
    options.threads = sorted({int(n) for n in options.threads.split(",")})
    options.names = [n for n in names if not options.globs or any(fnmatch.fnmatch(n, glob) for glob in options.globs)]
    if not options.names:
        parser.error("none has such a name; --list has them all")
    cpu = re.sub(r"[^a-z0-9]+", "-", cpu_name().lower()).strip("-")
    options.json = options.json or os.path.join(engines.HERE, "results", f"{name}-{cpu}.json")
    return options


def parse():
    parser = parser_of("ops", "Measures single layers beside peers", "layers, such as 'conv*' or '*dynamic'", "onnxruntime")
    return settled(parser, "ops", layers.LAYERS)


def main():
    options = parse()
    if options.list:
        return print("\n".join(options.names))
    record = engines.read_json(options.json)
    if not record or record.get("format") != FORMAT:
        record = {"format": FORMAT, "cpu": cpu_name(), "cpus": os.cpu_count(), "versions": {}, "layers": {}}
    if not options.report:
        measured(Bench(options, record), options, record, record["layers"])
    if "threads" not in record:
        sys.exit("bench: nothing was measured on this machine")
    print(text(record, [name for name in options.names if name in record["layers"]]))
    print(f"\nfigures: {os.path.relpath(options.json, ROOT)}")


if __name__ == "__main__":
    main()
