"""report.py - what run.py measured, as Markdown tables, and the table and figure of the README. figures.py says how a figure is made."""
import math
import os
import re
import statistics

from figures import (APART, CHEAP, TITLES, best, cold, failed, figure, geometric_mean, interval, left, memory_share, number, percent, quartile_ratio, ratio, samples, share, spelled,
                     spread, table, time, turns)

COLOURS = {"onnxruntime": "#2f81f7", "openvino": "#a371f7", "iree": "#8b949e", "torch-eager": "#d29922", "torch-compile": "#f0883e",
           "torch-freezing": "#e5534b", "torch-max-autotune": "#bf3989", "torch-regions": "#57ab5a"}
PACKAGED = ("torch-freezing", "torch-max-autotune")
BEGIN, END = "<!-- bench -->\n", "<!-- end of bench -->"


# ---- runs ----

def peers(record):
    """Of f32."""
    return [p for p in record["peers"] if p not in APART]


def run_cell(model, engine, threads):
    if failed(model, engine):
        return "not run" if model["engines"][engine]["failed"].startswith("not run") else "failed"
    found, _ = turns(model, engine, threads)
    if not found:
        return "-"
    return ("†" if left(model, engine, threads) else "") + spread([t[0] for t in found])


def run_table(record):
    rows = []
    for name, model in record["models"].items():
        for n in record["threads"]:
            peer, found = best(record, model, n)
            rows.append([name, str(n), run_cell(model, "tcc", n), *(run_cell(model, p, n) for p in peers(record)),
                         f"**{found[0]:.2f}** ({found[1]:.2f}-{found[2]:.2f}; {TITLES[peer]})" if peer else "-",
                         f"{min(quartile_ratio(model, p, n) or math.inf for p in peers(record)):.2f}" if peer else "-", str(len(turns(model, peer, n)[0])) if peer else "-",
                         percent(share(model, n))])
    return table(["model", "threads", "tcc", *(TITLES[p] for p in peers(record)), "fastest peer / tcc", "of lower quartiles", "rounds", "tcc: share of FMA peak"], rows)


def ratio_table(record):
    """Paired ratios of all peers."""
    rows = [[name, str(n), *(("†" if left(model, p, n) else "") + spelled(ratio(model, p, n)) for p in peers(record))]
            for name, model in record["models"].items() for n in record["threads"]]
    return table(["model", "threads", *(TITLES[p] for p in peers(record))], rows)


def means(record):
    lines = []
    for n in record["threads"]:
        found = [best(record, m, n)[1] for m in record["models"].values()]
        mean = geometric_mean([r[0] for r in found if r])
        low = geometric_mean([min(quartile_ratio(m, p, n) or math.inf for p in peers(record)) for m in record["models"].values() if best(record, m, n)[0]])
        each = [(TITLES[p], geometric_mean([(ratio(m, p, n) or [None])[0] for m in record["models"].values()])) for p in peers(record)]
        if mean:
            lines.append(f"Geometric means, {n} thread{'s' * (n > 1)}: the fastest peer of each model takes **{mean:.2f}** times as long as tcc ({low:.2f} of lower quartiles); "
                         + ", ".join(f"{title} {value:.2f}" for title, value in each if value) + ".")
    return "\n\n".join(lines)


def narrow_table(record):
    """OpenVINO's bf16 beside tcc in the type of the model."""
    rows = []
    for name, m in record["models"].items():
        for n in record["threads"]:
            if "openvino-bf16" in m["engines"] and not failed(m, "openvino-bf16"):
                kinds = "; ".join(f"{count} {kind}" for kind, count in sorted(m["engines"]["openvino-bf16"].get("kinds", {}).items()))
                rows.append([name, str(n), run_cell(m, "tcc", n), run_cell(m, "openvino-bf16", n), spelled(ratio(m, "openvino-bf16", n)),
                             number(m["engines"]["openvino-bf16"].get("error")), kinds])
    return table(["model", "threads", "tcc, ms", "OpenVINO bf16, ms", "OpenVINO bf16 / tcc", "its largest difference", "what OpenVINO ran"], rows) if rows else ""


def memory_bound_table(record):
    rows = []
    for name, m in record["models"].items():
        for n in record["threads"]:
            found = m["memory"][str(n)]
            if m["bytes"] and found:
                rows.append([name, str(n), number(m["bytes"] / 1e6), *(spread([f[k] for f in found]) for k in (0, 1)), percent(memory_share(m, n))])
    return table(["model", "threads", "MB read by a run", "machine reads, GB/s", "copies, GB/s", "share of reading"], rows) if rows else ""


# ---- starts, memory ----

def cell(model, engine, key):
    return "-" if failed(model, engine) else spread(samples(model, engine, key))


def compiled(model, engine):
    """Seconds of a first compilation and its day, from a cache that one op has primed; seconds of a start from what it kept."""
    found = model["engines"].get(engine, {}).get("compiled")
    if not found or found.get("first_ms") is None:
        return "-"
    warm = figure(model, engine, "first_ms")
    return f"{'~' if found.get('load', 0) > 2.5 else ''}{number(found['first_ms'] / 1e3)} ({found['date'][5:10]}), {number(warm and warm / 1e3)}"


def start_table(record):
    cheap, slow = [p for p in peers(record) if p in CHEAP], [p for p in peers(record) if p not in CHEAP and p != "torch-eager"]
    rows = []
    for name, m in record["models"].items():
        found = cold(m)
        rows.append([name, cell(m, "tcc", "cold_ms"), cell(m, "tcc", "warm_ms"), *(f"{cell(m, p, 'process_ms')} ({number(figure(m, p, 'first_ms'))})" for p in cheap),
                     f"{found[0] - found[1]:+.0f} ({found[0] - found[2]:+.0f})" if found else "-", *(compiled(m, p) for p in slow)])
    return table(["model", "tcc cold, ms", "tcc warm, ms", *(f"{TITLES[p]}, ms" for p in cheap), "tcc cold - the quickest, ms", *(f"{TITLES[p]} cold, warm, s" for p in slow)], rows)


def memory_table(record):
    rows = [[name, number(figure(m, "tcc", "cold_peak_mb")), number(figure(m, "tcc", "peak_mb")), *(number(figure(m, p, "peak_mb")) for p in peers(record)),
             number(m["weights_mb"]), number(figure(m, "tcc", "artifact_kb"))] for name, m in record["models"].items()]
    return table(["model", "tcc cold", "tcc warm", *(TITLES[p] for p in peers(record)), "weights", "tcc artifact, KB"], rows)


# ---- tcc against itself ----

def dedup_table(record):
    rows = []
    for name, m in record["models"].items():
        found = m["pairs"].get("tcc-whole")
        if found and not failed(m, "tcc-whole"):
            rows.append([name, spelled(interval(found), 3), str(len(found)), *(number(figure(m, e, "compile_ms")) for e in ("tcc", "tcc-whole")), cell(m, "tcc", "cold_ms"),
                         cell(m, "tcc-whole", "cold_ms")])
    return table(["model", "time of a run, regions / whole", "pairs", "tcc-compile, ms", "the same, whole", "cold start, ms", "the same, whole"], rows) if rows else ""


def tuned_table(record):
    rows = []
    for name, m in record["models"].items():
        found = m["pairs"].get("tcc-tuned")
        if found and not failed(m, "tcc-tuned"):
            rows.append([name, spelled(interval(found), 3), str(len(found)), number(figure(m, "tcc-tuned", "tune_s"))])
    return table(["model", "time of a run, default / tuned", "pairs", "tcc-tune, s"], rows) if rows else ""


# ---- the page ----

def heading(record):
    versions = ", ".join(f"{TITLES.get(e, e)} {v}" for e, v in sorted(record["versions"].items()))
    return f"{record['cpu']}, {record['cpus']} CPUs, {record['runs'][-1]['date'][:10]}; {versions}."


def runs_text(record):
    used = sorted({m["run"] for m in record["models"].values()})
    return "\n".join(f"- {run['date']}, commit {run['commit']}, load {run['load_before']:.1f} before" + (f", {run['load_after']:.1f} after" if "load_after" in run else "")
                     + (": " + ", ".join(name for name, m in record["models"].items() if m["run"] == k) if len(used) > 1 else "")
                     for k, run in enumerate(record["runs"]) if k in used)


def peaks(record):
    """How much the machine's own peak moved beside the models."""
    lines = []
    for n in record["threads"]:
        found = sorted(p for m in record["models"].values() for t in m["race"][str(n)]["tcc"] for p in t[1:])
        if found:
            lines.append(f"{n} thread{'s' * (n > 1)} {found[0]:.0f}-{found[-1]:.0f}, median {statistics.median(found):.0f}")
    return "FMA peak beside the turns, GF/s: " + "; ".join(lines) + "."


def text(record):
    n = max(record["threads"])
    parts = [heading(record), "## Time of a run, ms", run_table(record), means(record),
             "Medians; ± is half of the range of all rounds, the clock's changes included. The ratio is the median of paired ratios, each of a peer's turn to tcc's turns just "
             "before and just after it, with the interval of 95 % confidence: above 1 tcc is faster. Of lower quartiles: the quickest peer's over tcc's, since noise only adds time. †: left the race as too far from the fastest peer; "
             "the figure is of the turns until then.",
             peaks(record), runs_text(record), "## Time of each peer over the time of tcc, paired", ratio_table(record)]
    parts += [f"## Start to first output, {n} threads", "Medians of fresh processes in turn, from the start of the process; peers in parentheses from after their import. The others: "
              "seconds of the first compilation (its day, from a cache that one op has primed; ~: on a busy machine), then of a start in this run from what it kept.", start_table(record)]
    primed = record.get("primed")
    if primed:
        parts.append(f"torch.compile of one op took {primed['first_op_ms'] / 1e3:.1f} s with an empty cache, {primed['second_op_ms'] / 1e3:.1f} s with the one that this left; importing torch "
                     f"{primed['import_ms'] / 1e3:.1f} s ({primed['date'][:10]}{', on a busy machine' if primed['load'] > 2.5 else ''}).")
    if set(PACKAGED) & set(record["peers"]):
        parts.append("freezing and max-autotune are packages of AOTInductor, the compiler of torch.compile with the same settings, which itself keeps nothing of a frozen graph: their starts "
                     "are quicker than torch.compile's would be.")
    for title, body in ((f"Peak memory, MB, {n} threads", memory_table(record)), ("OpenVINO in bf16", narrow_table(record)), ("Bound by memory", memory_bound_table(record)),
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
            found = ratio(m, peer, n)
            if peer in COLOURS and found:
                out.append(f'<circle cx="{x(found[0]):.1f}" cy="{y}" r="4" fill="{COLOURS[peer]}" fill-opacity="0.85"><title>{TITLES[peer]}: '
                           f'{number(time(m, peer, n))} ms, tcc {number(time(m, "tcc", n))} ms</title></circle>')
    return "\n".join([*out, "</svg>", ""])


def readme_text(record):
    """The short table: tcc, the fastest peer, and starts."""
    rows, n = [], max(record["threads"])
    for name, m in record["models"].items():
        row = [name]
        for threads in record["threads"]:
            peer, found = best(record, m, threads)
            row.append(run_cell(m, "tcc", threads))
            row += [f"{number(time(m, peer, threads))} ({TITLES[peer]})", f"**{found[0]:.2f}** ({found[1]:.2f}-{found[2]:.2f})"] if peer else ["-", "-"]
        found = cold(m)
        rows.append([*row, percent(share(m, n)), number(figure(m, "tcc", "cold_ms")), number(figure(m, "tcc", "warm_ms")), f"{number(found[1])} ({TITLES[found[3]]})" if found else "-"])
    head = ["model"]
    for threads in record["threads"]:
        head += [f"tcc, ms, {threads} thread{'s' * (threads > 1)}", "fastest peer, ms", "peer / tcc"]
    head += ["share of FMA peak", "tcc from start to first output, ms: compiles", "from its cache", "quickest peer"]
    return "\n\n".join([heading(record), "![Time of each peer over the time of tcc](docs/bench.svg)", table(head, rows), means(record),
                        "Medians, ± half of their range; ratios are medians of paired turns with their interval of 95 % confidence: above 1 tcc is faster. Starts, "
                        f"{n} threads: whole processes. All engines' figures, memory, what compilations take, and each aim beside its figure: [docs/bench.md](docs/bench.md)."])


def write_readme(record, page, root):
    """page: what docs/bench.md says."""
    path = os.path.join(root, "README.md")
    with open(path) as file:
        readme = file.read()
    if readme.count(BEGIN) != 1 or readme.count(END) != 1:
        raise SystemExit("bench: README.md needs the lines around the bench's part, once each")
    head, rest = readme.split(BEGIN)
    with open(path, "w") as file:
        file.write(f"{head}{BEGIN}\n{readme_text(record)}\n\n{END}{rest.split(END)[1]}")
    with open(os.path.join(root, "docs", "bench.md"), "w") as file:
        file.write("# Figures\n\nMade by `bench/run.sh --readme`; what they mean stands in [bench/README.md](../bench/README.md).\n\n" + page + "\n")
    with open(os.path.join(root, "docs", "bench.svg"), "w") as file:
        file.write(svg(record))
