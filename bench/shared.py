"""shared.py - tcc and its peers on a machine that they share with a busy process; started by `run.sh --shared`. README.md says what is measured.

Every engine takes turns of some calls, in a new random order each round, first on the idle machine, then while a process of the same priority does
nothing but count. An engine that is not at turn is stopped. Of each turn the median and the ninth decile are kept, of these the
medians over all rounds are stated. tcc stands there twice, with as many threads as its peers and with one.
"""
import argparse
import contextlib
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile

import engines
import models
from engines import MODELS, WORK, Failed, say
from figures import TITLES, number, table
from run import F32, choose, commit, cpu_name

CHOSEN = ["toy64", "mobilenetv3", "unet", "minilm", "llama512x2", "llama512x8", "resnet50", "convnext"]
TURN_MS, MOST_CALLS, ROUNDS, LIMIT_S = 250, 2000, 7, 300
ALONE = "tcc, 1 thread"
BOUND = 1.15  # times the better of the peers and tcc's own single thread


@contextlib.contextmanager
def busy():
    """A process that asks for a CPU all the time."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


class Model:
    def __init__(self, name, options):
        self.name, self.options, self.workers, self.clocks = name, options, [], {}
        self.failed = {}

    def start(self, work):
        folder, artifact = models.write(MODELS, self.name), os.path.join(work, "model.so")
        engines.tcc_compile(folder, artifact, os.path.join(work, "cache"))
        server = engines.Server(folder, [artifact])
        self.workers.append(server)
        threads = self.options.threads
        self.clocks = {"tcc": lambda calls: server.ask("run", 0, threads, 1, calls), ALONE: lambda calls: server.ask("run", 0, 1, 1, calls)}
        for peer in self.options.peers:
            try:
                worker = engines.start_peer(peer, self.name, threads, LIMIT_S)[0]
            except Failed as failure:
                self.failed[peer] = str(failure)
                continue
            worker.stop()
            self.workers.append(worker)
            self.clocks[peer] = lambda calls, worker=worker: self.ask(worker, threads, calls)

    @staticmethod
    def ask(worker, threads, calls):
        with worker.awake():
            return worker.ask(engines.ANSWER_S, "run", threads, 1, calls)

    def rounds(self, count):
        """engine -> [[median, ninth decile] of each turn]"""
        first = {engine: clock(3)["ms"] for engine, clock in self.clocks.items()}
        turns = {engine: [] for engine in self.clocks}
        for _ in range(count):
            for engine in random.sample(list(self.clocks), len(self.clocks)):
                answer = self.clocks[engine](min(MOST_CALLS, max(5, round(TURN_MS / first[engine]))))
                turns[engine].append([answer["ms"], answer["p90_ms"]])
        return turns

    def measure(self):
        with tempfile.TemporaryDirectory(dir=WORK) as work:
            try:
                self.start(work)
                idle = self.rounds(self.options.rounds)
                with busy():
                    return {"idle": idle, "busy": self.rounds(self.options.rounds), "failed": self.failed}
            finally:
                for worker in self.workers:
                    worker.end()


def typical(turns):
    return [statistics.median(turn[k] for turn in turns) for k in (0, 1)]


def text(record):
    """Markdown: a row for each model."""
    rows, head = [], ["model", "", "tcc", ALONE, *[TITLES[p] for p in record["peers"]], "tcc / best, median", "ninth decile"]
    for name, entry in record["models"].items():
        for state in ("idle", "busy"):
            found = {engine: typical(turns) for engine, turns in entry[state].items()}
            best = [min(value[k] for engine, value in found.items() if engine != "tcc") for k in (0, 1)]
            ratios = [found["tcc"][k] / best[k] for k in (0, 1)]
            cells = [f"{number(found[e][0])}, {number(found[e][1])}" if e in found else "-" for e in ("tcc", ALONE, *record["peers"])]
            rows.append([name, state, *cells, *[f"**{r:.2f}**" if state == "busy" and r > BOUND else f"{r:.2f}" for r in ratios]])
    notes = [f"- {name}, {TITLES[peer]}: {why}" for name, entry in record["models"].items() for peer, why in entry["failed"].items()]
    intro = (f"{record['cpu']}, {record['cpus']} CPUs, {record['commit']}, {record['threads']} threads. Milliseconds, the median and the ninth decile "
             f"of calls; busy: beside one process that counts; best: the better of the peers and of tcc with one thread; bold: above {BOUND}.")
    return "\n\n".join([intro, table(head, rows)] + (["Not measured:\n\n" + "\n".join(notes)] if notes else []))


def parse():
    parser = argparse.ArgumentParser(prog="bench/run.sh --shared", description="Measures tcc and peers beside a busy process; bench/README.md says what and how.")
    parser.add_argument("--models", default=",".join(CHOSEN), help=f"some of {','.join(F32)}")
    parser.add_argument("--peers", default="onnxruntime,openvino", help="some of onnxruntime,openvino")
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count()))
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", help="where the figures go, too")
    options = parser.parse_args()
    options.models = choose(options.models, F32, "model")
    options.peers = choose(options.peers, ["onnxruntime", "openvino"], "peer")
    return options


def main():
    options = parse()
    os.makedirs(WORK, exist_ok=True)
    record = {"cpu": cpu_name(), "cpus": os.cpu_count(), "commit": commit(), "threads": options.threads, "peers": options.peers, "models": {}}
    for k, name in enumerate(options.models):
        say(f"[{k + 1}/{len(options.models)}] {name}")
        try:
            record["models"][name] = Model(name, options).measure()
        except Failed as failure:
            say(f"{name}: {failure}")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(record, file, indent=1)
    print(text(record))


if __name__ == "__main__":
    main()
