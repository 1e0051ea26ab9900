"""report.py - what run.py measured, as Markdown tables, and the table and figure of the README.

A sample of a run has the machine's peak just before and just after it. The clock of a shared machine moves, so a sample counts
as *steady* if both are within 15 % of the most that the machine reached beside this model; a figure is the median of an engine's
steady samples if it has two, else of all (marked ~). A ratio is that of two figures of one kind. Shares of the peak hold each
sample against the mean of its own two neighbours. ± is half of (largest - smallest) / median of the samples that a figure is from.
"""
import math
import os
import re
import statistics

TITLES = {"tcc": "tcc", "tcc-whole": "tcc --no-dedup", "onnxruntime": "onnxruntime", "openvino": "OpenVINO", "openvino-bf16": "OpenVINO bf16",
          "iree": "IREE", "torch-eager": "torch eager", "torch-compile": "torch.compile", "torch-freezing": "freezing",
          "torch-max-autotune": "max-autotune", "torch-regions": "compile_regions"}
COLOURS = {"onnxruntime": "#2f81f7", "openvino": "#a371f7", "iree": "#8b949e", "torch-eager": "#d29922", "torch-compile": "#f0883e",
           "torch-freezing": "#e5534b", "torch-max-autotune": "#bf3989", "torch-regions": "#57ab5a"}
CHEAP = ("onnxruntime", "openvino")
STEADY = 0.85
BEGIN, END = "<!-- bench -->\n", "<!-- end of bench -->"


# ---- figures ----

def samples(model, engine, key):
    return model["engines"].get(engine, {}).get("samples", {}).get(key, [])


def times(model, engine, key):
    """(samples that a figure is made of, whether they are the steady ones)."""
    found = samples(model, engine, key)
    if not found or not isinstance(found[0], list):
        return found, True
    top = sorted(p for e in model["engines"] for s in samples(model, e, key) if isinstance(s, list) for p in s[1:])
    enough = STEADY * top[min(len(top) - 1, len(top) * 9 // 10)]
    steady = [s[0] for s in found if min(s[1:]) >= enough]
    return (steady, True) if len(steady) >= 2 else ([s[0] for s in found], False)


def figure(model, engine, key):
    values, _ = times(model, engine, key)
    return statistics.median(values) if values and "failed" not in model["engines"][engine] else None


def compare(model, engine, key):
    """How many times an engine's time is tcc's; None where one is missing."""
    if figure(model, engine, key) is None or figure(model, "tcc", key) is None:
        return None
    (theirs, one), (own, other) = times(model, engine, key), times(model, "tcc", key)
    if one != other:
        theirs, own = ([s[0] if isinstance(s, list) else s for s in samples(model, e, key)] for e in (engine, "tcc"))
    return statistics.median(theirs) / statistics.median(own)


def compare_best(model, engine, key):
    """The same of the best turns; of as many first turns for both, since more turns find a better one."""
    theirs, own = ([s[0] for s in samples(model, e, key)] for e in (engine, "tcc"))
    turns = min(len(theirs), len(own))
    return min(theirs[:turns]) / min(own[:turns]) if turns and "failed" not in model["engines"][engine] else None


def fastest(model, peers, key_or_threads):
    """The time of the fastest peer."""
    key = f"run_ms.{key_or_threads}"
    found = [t for t in (figure(model, p, key) for p in peers) if t]
    return min(found) if found else None


def best(record, model, threads, how=compare):
    """(the fastest peer, its time over tcc's), or (None, None)."""
    ratios = {p: how(model, p, f"run_ms.{threads}") for p in record["peers"] if p != "openvino-bf16"}
    ratios = {p: r for p, r in ratios.items() if r}
    return min(ratios.items(), key=lambda item: item[1]) if ratios else (None, None)


def share(model, threads):
    """Of the FMA peak of the moment, median."""
    parts = [model["flops"] / s[0] * 1e-6 / ((s[1] + s[2]) / 2) for s in samples(model, "tcc", f"run_ms.{threads}")]
    return statistics.median(parts) if parts else None


def memory_share(model, threads):
    """Of the bandwidth of reading, for what does nothing but read its weights."""
    read, own = model["memory"].get(f"read.{threads}"), figure(model, "tcc", f"run_ms.{threads}")
    return model["bytes"] / own * 1e-6 / statistics.median(read) if read and own else None


def geometric_mean(values):
    values = [v for v in values if v]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


# ---- text ----

def number(value, digits=3):
    if value is None:
        return "-"
    return f"{value:.0f}" if value >= 100 else f"{value:.{max(0, digits - 1 - math.floor(math.log10(max(value, 1e-9))))}f}"


def percent(value):
    return "-" if value is None else f"{value * 100:.0f} %"


def cell(model, engine, key, last_run=None):
    values, steady = times(model, engine, key)
    entry = model["engines"].get(engine, {})
    if "failed" in entry:
        return "not run" if entry["failed"].startswith("not run") else "failed"
    if not values:
        return "-"
    text = ("" if steady else "~") + number(statistics.median(values))
    if len(values) > 1:
        text += f" ±{(max(values) - min(values)) / statistics.median(values) * 50:.0f} %"
    return text + (f" [{entry['run'] + 1}]" if last_run is not None and entry["run"] != last_run else "")


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(r) + " |" for r in rows)])


def newest(model):
    return model["engines"].get("tcc", {}).get("run")


def run_table(record):
    rows = []
    for name, model in record["models"].items():
        for n in record["threads"]:
            (peer, ratio), (near, at_best) = best(record, model, n), best(record, model, n, compare_best)
            rows.append([name, str(n), cell(model, "tcc", f"run_ms.{n}"), *(cell(model, p, f"run_ms.{n}", newest(model)) for p in record["peers"]),
                         f"**{ratio:.2f}** ({TITLES[peer]})" if peer else "-",
                         f"{at_best:.2f} ({TITLES[near]})" if near else "-", percent(share(model, n))])
    return table(["model", "threads", "tcc", *(TITLES[p] for p in record["peers"]), "fastest peer / tcc", "of best turns", "tcc: share of FMA peak"], rows)


def means(record):
    lines = []
    for n in record["threads"]:
        mean, at_best = (geometric_mean([best(record, m, n, how)[1] for m in record["models"].values()]) for how in (compare, compare_best))
        each = [(TITLES[p], geometric_mean([compare(m, p, f"run_ms.{n}") for m in record["models"].values()])) for p in record["peers"]]
        if mean:
            lines.append(f"Geometric means, {n} thread{'s' * (n > 1)}: the fastest peer of each model takes **{mean:.2f}** times as long as tcc ({at_best:.2f} of best turns); "
                         + ", ".join(f"{title} {value:.2f}" for title, value in each if value) + ".")
    return "\n\n".join(lines)


def compiled(model, engine):
    """Seconds of a first compilation, from a cache that one op has primed."""
    found = model["engines"].get(engine, {}).get("compiled")
    if not found:
        return "-"
    if found["first_ms"] is None:
        return f"> {found['limit_s']:.0f}"
    return ("~" if found.get("load", 0) > 2.5 else "") + number(found["first_ms"] / 1e3)


def start_table(record):
    cheap, slow = [[p for p in record["peers"] if (p in CHEAP) == kind and p not in ("torch-eager", "openvino-bf16")] for kind in (True, False)]
    rows = []
    for name, m in record["models"].items():
        row = [name, cell(m, "tcc", "cold_ms"), cell(m, "tcc", "warm_ms"), *(f"{cell(m, p, 'first_ms')} ({number(figure(m, p, 'process_ms'))})"
                                                                          for p in cheap if p in m["engines"])]
        row += ["-"] * (3 + len(cheap) - len(row))
        rows.append(row + [f"{compiled(m, p)}, {number((figure(m, p, 'first_ms') or 0) / 1e3 or None)}" for p in slow])
    return table(["model", "tcc cold, ms", "tcc warm, ms", *(f"{TITLES[p]}, ms" for p in cheap), *(f"{TITLES[p]} cold, warm, s" for p in slow)], rows)


def memory_table(record):
    shown = [p for p in record["peers"] if p != "openvino-bf16"]
    rows = [[name, number(figure(m, "tcc", "cold_peak_mb")), number(figure(m, "tcc", "peak_mb")),
             *(number(figure(m, p, "peak_mb")) if p in m["engines"] else "-" for p in shown), number(m["weights_mb"]), number(figure(m, "tcc", "artifact_kb"))]
            for name, m in record["models"].items() if "tcc" in m["engines"]]
    return table(["model", "tcc cold", "tcc warm", *(TITLES[p] for p in shown), "weights", "tcc artifact, KB"], rows)


def spread_text(values):
    return f"{statistics.median(values):.3f} ({min(values):.3f}-{max(values):.3f})"


def dedup_table(record):
    rows = []
    for name, m in record["models"].items():
        ratios = samples(m, "tcc-whole", "ratio")
        if ratios and "failed" not in m["engines"]["tcc-whole"]:
            rows.append([name, spread_text(ratios), *(number(figure(m, e, "compile_ms")) for e in ("tcc", "tcc-whole")), cell(m, "tcc", "cold_ms"),
                         cell(m, "tcc-whole", "cold_ms")])
    return table(["model", "time of a run, regions / whole", "tcc-compile, ms", "the same, whole", "cold start, ms", "the same, whole"], rows) if rows else ""


def tuned_table(record):
    rows = []
    for name, m in record["models"].items():
        ratios = samples(m, "tcc-tuned", "ratio")
        if ratios and "failed" not in m["engines"]["tcc-tuned"]:
            rows.append([name, spread_text(ratios), number(figure(m, "tcc-tuned", "tune_s"))])
    return table(["model", "time of a run, default / tuned", "tcc-tune, s"], rows) if rows else ""


def narrow_table(record):
    rows = []
    for name, m in record["models"].items():
        for n in record["threads"]:
            if m["bytes"] and figure(m, "tcc", f"run_ms.{n}"):
                read, copy = (statistics.median(m["memory"][f"{kind}.{n}"]) if m["memory"].get(f"{kind}.{n}") else None for kind in ("read", "copy"))
                rows.append([name, str(n), number(m["bytes"] / 1e6), number(read), number(copy), percent(memory_share(m, n))])
    return table(["model", "threads", "MB read by a run", "machine reads, GB/s", "copies, GB/s", "share of reading"], rows) if rows else ""


def heading(record):
    versions = ", ".join(f"{TITLES.get(e, e)} {v}" for e, v in sorted(record["versions"].items()))
    last = max((newest(m) for m in record["models"].values() if newest(m) is not None), default=len(record["runs"]) - 1)
    run = record["runs"][last]
    return f"{record['cpu']}, {record['cpus']} CPUs, {run['date'][:10]}; {versions}."


def runs_text(record):
    used = sorted({e["run"] for m in record["models"].values() for e in m["engines"].values()})
    lines = [f"[{k + 1}] {run['date']}, commit {run['commit']}, load {run['load_before']:.1f} before" + (f", {run['load_after']:.1f} after" if "load_after" in run else "")
             for k, run in enumerate(record["runs"]) if k in used]
    if len(used) > 1:
        lines.insert(0, "Figures are from more than one run; a number in brackets says which, where it is not the one of tcc's figure beside it.")
    return "\n".join(f"- {line}" for line in lines)


def text(record):
    n = max(record["threads"])
    parts = [heading(record), "## Time of a run, ms", run_table(record), means(record),
             "Medians; ± is half of the range. ~: the clock moved in most turns, all count. Ratios above 1: tcc is faster.", runs_text(record),
             f"## Start to first output, {n} threads",
             "tcc: the whole process. onnxruntime, OpenVINO: after their import; in parentheses with it. The others: seconds of a first compilation, then of "
             "one from what it kept; ~: measured on a busy machine.", start_table(record)]
    primed = record.get("primed")
    if primed:
        parts.append(f"torch.compile of one op takes {primed['first_op_ms'] / 1e3:.1f} s with an empty cache, {primed['second_op_ms'] / 1e3:.1f} s with the one that this "
                     f"leaves, which is what each model's first compilation starts from; importing torch {primed['import_ms'] / 1e3:.1f} s"
                     + (" (on a busy machine)." if primed["load"] > 2.5 else "."))
    for title, body in ((f"Peak memory, MB, {n} threads", memory_table(record)), ("Bound by memory", narrow_table(record)),
                        (f"Repeated regions compiled once, against each layer by itself, {n} threads", dedup_table(record)),
                        (f"Schedules by rule, against measured ones, {n} threads", tuned_table(record))):
        if body:
            parts += [f"## {title}", body]
    # A reason may name files of this machine: their last part is enough.
    failures = [f"- {name}, {TITLES.get(e, e)}: {re.sub(r'(/[^/ ]+)+/', '', entry['failed'])}" for name, m in record["models"].items() for e, entry in m["engines"].items() if "failed" in entry]
    if failures:
        parts += ["## Not measured", "\n".join(failures)]
    return "\n\n".join(parts)


# ---- README ----

def svg(record):
    """For each model the time of each peer over tcc's, on a logarithmic axis, most threads."""
    n = max(record["threads"])
    shown = [(name, m) for name, m in record["models"].items() if best(record, m, n)[0]]
    left, width, step, top, low, high = 110, 660, 22, 64, 0.5, 32.0
    height = top + step * len(shown) + 34

    def x(value):
        return left + (width - left - 20) * math.log(min(max(value, low), high) / low) / math.log(high / low)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="sans-serif" font-size="11">',
           "<style>text{fill:#57606a}.m{fill:#24292f}@media(prefers-color-scheme:dark){text{fill:#8b949e}.m{fill:#e6edf3}}</style>",
           f'<text class="m" x="{left}" y="14" font-size="13">Time of a peer / time of tcc, {n} threads: right of the line tcc is faster</text>']
    for k, peer in enumerate(p for p in record["peers"] if p in COLOURS):
        place, y = left + 130 * (k % 4), 30 + 15 * (k // 4)
        out.append(f'<circle cx="{place + 4}" cy="{y}" r="4" fill="{COLOURS[peer]}"/><text x="{place + 12}" y="{y + 4}">{TITLES[peer]}</text>')
    for tick in (0.5, 1, 2, 4, 8, 16, 32):
        out.append(f'<line x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{top - 6}" y2="{height - 26}" stroke="#8b949e" stroke-width="{1.6 if tick == 1 else 0.4}"/>'
                   f'<text x="{x(tick):.1f}" y="{height - 12}" text-anchor="middle">{"≤ 0.5" if tick == low else "≥ 32" if tick == high else tick}</text>')
    for k, (name, m) in enumerate(shown):
        y = top + step * k + 8
        out.append(f'<text class="m" x="{left - 8}" y="{y + 4}" text-anchor="end">{name}</text>')
        for peer in record["peers"]:
            ratio = compare(m, peer, f"run_ms.{n}")
            if peer in COLOURS and ratio:
                out.append(f'<circle cx="{x(ratio):.1f}" cy="{y}" r="4" fill="{COLOURS[peer]}" fill-opacity="0.85"><title>{TITLES[peer]}: '
                           f'{number(figure(m, peer, f"run_ms.{n}"))} ms, tcc {number(figure(m, "tcc", f"run_ms.{n}"))} ms</title></circle>')
    return "\n".join([*out, "</svg>", ""])


def readme_text(record):
    """The short table: tcc, the fastest peer, and starts."""
    rows, n = [], max(record["threads"])
    for name, m in record["models"].items():
        row = [name]
        for threads in record["threads"]:
            peer, ratio = best(record, m, threads)
            row.append(cell(m, "tcc", f"run_ms.{threads}"))
            row += [f"{number(figure(m, peer, f'run_ms.{threads}'))} ({TITLES[peer]})", f"**{ratio:.2f}**"] if peer else ["-", "-"]
        starts = [(figure(m, p, "first_ms"), TITLES[p]) for p in CHEAP if p in m["engines"] and figure(m, p, "first_ms")]
        rows.append([*row, percent(share(m, n)), number(figure(m, "tcc", "cold_ms") if "tcc" in m["engines"] else None),
                     number(figure(m, "tcc", "warm_ms") if "tcc" in m["engines"] else None), f"{number(min(starts)[0])} ({min(starts)[1]})" if starts else "-"])
    head = ["model"]
    for threads in record["threads"]:
        head += [f"tcc, ms, {threads} thread{'s' * (threads > 1)}", "fastest peer, ms", "peer / tcc"]
    head += ["share of FMA peak", "tcc from start to first output, ms: compiles", "from its cache", "fastest peer"]
    return "\n\n".join([heading(record), "![Time of each peer over the time of tcc](docs/bench.svg)", table(head, rows), means(record),
                        f"Medians of runs in turn, ± half of their range. Ratios above 1: tcc is faster. Starts, {n} threads: tcc's whole process, a peer's from "
                        "after its import. All engines' figures, memory, and what compilations take: [docs/bench.md](docs/bench.md)."])


def write_readme(record, root):
    path = os.path.join(root, "README.md")
    with open(path) as file:
        page = file.read()
    if page.count(BEGIN) != 1 or page.count(END) != 1:
        raise SystemExit("bench: README.md needs the lines around the bench's part, once each")
    head, rest = page.split(BEGIN)
    with open(path, "w") as file:
        file.write(f"{head}{BEGIN}\n{readme_text(record)}\n\n{END}{rest.split(END)[1]}")
    with open(os.path.join(root, "docs", "bench.md"), "w") as file:
        file.write("# Figures\n\nMade by `bench/run.sh --readme`; what they mean stands in [bench/README.md](../bench/README.md).\n\n" + text(record) + "\n")
    with open(os.path.join(root, "docs", "bench.svg"), "w") as file:
        file.write(svg(record))
