"""sweep.py - models that nobody tuned for (sweep_models.py), right and beside peers; started by `run.sh --sweep [GLOB ...]`. README.md says
what is measured.

Each model is made by a process of its own, which exports it to ONNX, and is gone when it has been measured: one at a time is on the disk.
Its results are held against torch in f64: the error of tcc may be twice that of eager torch in f32, and a millionth of the result (where the
exported file itself differs from torch's model, against onnxruntime's). Then its race is that of single layers (ops.py). Figures go to a
file of this machine, in which a run replaces the models that it measures.
"""
import math
import os
import shutil
import sys
import time

import numpy as np

import engines
import ops
import sweep_models
from engines import HERE, ROOT, Failed, say
from figures import TITLES, best, geometric_mean, number, spelled, table
from figures import time as median_time
from run import cpu_name

TURN_MS, MADE_S = 30, 600
FORMAT = 1
STEPS = (0.5, 0.71, 1, 1.41, 2, 2.83, 4, 5.66, 8)  # of the figure's axis


class Bench(ops.Bench):
    turn_ms = TURN_MS

    def folder(self, name, work):
        folder = os.path.join(work, "model")
        os.makedirs(folder)
        engines.run([sys.executable, os.path.join(HERE, "sweep_models.py"), name, folder], MADE_S)
        self.starts = {}
        return folder

    def held_against(self, folder):
        return os.path.join(folder, "expected")

    def compile(self, folder, work):
        """tcc's server, its results held against torch's in f64."""
        artifact, cache, saved = (os.path.join(work, name) for name in ("model.so", "cache", "saved"))
        for _ in range(2):  # the second counts: onnxruntime's process has its libraries and some memory by now, and finds the model's files in memory
            shutil.rmtree(cache, ignore_errors=True)
            begin = time.perf_counter()
            engines.run([os.path.join(engines.BIN, "tcc-run"), os.path.join(folder, "model.onnx"), "--data", os.path.join(folder, "data"), "--save", saved, "--no-packed-cache"],
                        TCC_CACHE_DIR=cache, TCC_TUNE_DB=os.path.join(cache, "none.db"))
            self.starts["tcc"] = (time.perf_counter() - begin) * 1e3
        outputs = engines.read_json(os.path.join(folder, "model.json"))["outputs"]
        try:
            judge(outputs, saved, os.path.join(folder, "expected"))
        except Failed as failure:
            self.of_the_file(failure, outputs, saved, folder, work)
        engines.tcc_compile(folder, artifact, cache, *self.options.compile)
        return engines.Server(folder, [artifact])

    def of_the_file(self, failure, outputs, saved, folder, work):
        """An exporter may change a model (a small epsilon that is dropped): an error of tcc that onnxruntime has, too, is the file's."""
        theirs = os.path.join(work, "theirs")
        os.makedirs(theirs)
        self.ask("reference", "load", folder, work)
        self.ask("reference", "start", "onnxruntime-plain", 1)
        self.ask("reference", "save", theirs)
        try:
            judge(outputs, saved, theirs)
        except Failed:
            raise failure from None
        say(f"{self.name}: the file is not torch's model: {failure}; onnxruntime's results are tcc's")

    def started(self, peer, folder, answer):
        super().started(peer, folder, answer)
        self.starts.setdefault(peer, answer["first_ms"])

    def measure(self, name):
        self.name, self.starts = name, {}
        entry = super().measure(name)
        return {**entry, "starts": self.starts}


def judge(outputs, ours, theirs):
    """By the f64 rule; folders with output_K.npy."""
    for k, allowed in enumerate(outputs):
        got, want = (np.load(os.path.join(f, f"output_{k}.npy")) for f in (ours, theirs))
        if got.shape != want.shape:
            raise Failed(f"output {k} has shape {got.shape}, not {want.shape}")
        rmse = float(np.sqrt(np.mean(np.square(got.astype(np.float64) - want))))
        if not rmse <= 2 * allowed["rmse"] + 1e-6 * allowed["rms"]:
            raise Failed(f"output {k} is wrong: an error of {rmse:.2g}, eager torch's is {allowed['rmse']:.2g}, the result's size {allowed['rms']:.2g}")


def ratios(record, name, threads):
    """(peer, its ratio with the interval), None where the model was not measured."""
    entry = record["models"][name]
    found = best(record, entry, threads) if str(threads) in entry["race"] else (None, None)
    return found if found[0] else None


def start_ratio(entry):
    """tcc's start over onnxruntime's."""
    starts = entry["starts"]
    return starts["tcc"] / starts["onnxruntime"] if "tcc" in starts and "onnxruntime" in starts else None


def text(record, names):
    """Markdown: models by their least ratio first, then what was not measured."""
    parts = [f"{record['cpu']}, {record['cpus']} cores, {record['date']}, {record['commit']}; " + ", ".join(f"{TITLES[p]} {v}" for p, v in record["versions"].items())]
    rows = []
    for n in record["threads"]:
        found = [(ratios(record, name, n), name) for name in names]
        found = [(r, name) for r, name in found if r]
        if found:
            values = [r[1][0] for r, _ in found]
            parts.append(f"{n} thread{'s' * (n > 1)}: {len(values)} models, geometric mean of the fastest peer / tcc {geometric_mean(values):.2f}; below 1: {sum(v < 1 for v in values)}, "
                         f"below 0.95: {sum(v < 0.95 for v in values)}")
        rows += [(r[1][0], [name, str(n), number(median_time(record["models"][name], "tcc", n)), number(median_time(record["models"][name], r[0], n)), TITLES[r[0]], spelled(r[1]),
                            "-" if start_ratio(record["models"][name]) is None else f"{start_ratio(record['models'][name]):.2f}"]) for r, name in found]
    starts = [s for s in (start_ratio(record["models"][name]) for name in names) if s]
    if starts:
        parts.append(f"Starts, tcc's whole process of a cold compile and a run over onnxruntime's session and first run: geometric mean {geometric_mean(starts):.2f}, "
                     f"above 0.5: {sum(s > 0.5 for s in starts)} of {len(starts)}")
    parts.append(table(["model", "threads", "tcc, ms", "fastest peer, ms", "", "fastest peer / tcc", "start"], [row for _, row in sorted(rows, key=lambda r: r[0])]))
    failures = [f"- {name}, {TITLES.get(e, e)}: {about['failed']}" for name in names for e, about in record["models"][name]["engines"].items() if "failed" in about]
    return "\n\n".join(parts + (["Not measured:\n\n" + "\n".join(failures)] if failures else []))


def svg(record):
    """All ratios of each number of threads, sorted, as points on a logarithmic axis."""
    left, top, width, height, colours = 50, 40, 760, 320, ("#2da44e", "#0969da")

    def y(value):
        return top + (height - top - 30) * (math.log(STEPS[-1]) - math.log(min(max(value, STEPS[0]), STEPS[-1]))) / (math.log(STEPS[-1]) - math.log(STEPS[0]))

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="sans-serif" font-size="11">',
           "<style>text{fill:#57606a}@media(prefers-color-scheme:dark){text{fill:#8b949e}}</style>",
           f'<text x="{left}" y="16" font-size="14">How many times as long as tcc the fastest peer takes: untuned models, sorted</text>']
    for value in STEPS:
        out.append(f'<line x1="{left}" x2="{width - 10}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#8b949e" stroke-width="{1.6 if value == 1 else 0.4}"/>'
                   f'<text x="{left - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>')
    for k, n in enumerate(record["threads"]):
        found = sorted(r[1][0] for r in (ratios(record, name, n) for name in record["models"]) if r)
        colour = colours[k % len(colours)]
        out += [f'<circle cx="{left + 5 + (width - left - 20) * i / max(1, len(found) - 1):.1f}" cy="{y(value):.1f}" r="2.5" fill="{colour}"/>' for i, value in enumerate(found)]
        out.append(f'<text x="{left + 150 * k}" y="32" style="fill:{colour}">{n} thread{"s" * (n > 1)}: {len(found)} models</text>')
    return "\n".join([*out, "</svg>", ""])


def parse():
    parser = ops.parser_of("sweep", "Measures models that nobody tuned for beside peers", "models, such as 'timm/*' or '*bert*'", "onnxruntime,openvino")
    parser.add_argument("--svg", metavar="FILE", help="write the figure")
    parser.add_argument("--resume", action="store_true", help="only models that the file has no figures of")
    return ops.settled(parser, "sweep", sweep_models.NAMES)


def main():
    options = parse()
    if options.list:
        return print("\n".join(options.names))
    record = engines.read_json(options.json)
    if not record or record.get("format") != FORMAT:
        record = {"format": FORMAT, "cpu": cpu_name(), "cpus": os.cpu_count(), "versions": {}, "models": {}}
    wanted = list(options.names)
    if options.resume:
        options.names = [name for name in wanted if name not in record["models"]]
    if not options.report:
        ops.measured(Bench(options, record), options, record, record["models"])
    if "threads" not in record:
        sys.exit("bench: nothing was measured on this machine")
    print(text(record, [name for name in wanted if name in record["models"]]))
    if options.svg:
        with open(options.svg, "w") as file:
            file.write(svg(record))
    print(f"\nfigures: {os.path.relpath(options.json, ROOT)}")


if __name__ == "__main__":
    main()
