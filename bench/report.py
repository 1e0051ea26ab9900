"""report.py - what run.py measured, as Markdown tables, and the table and figure of the README. figures.py says how a figure is made."""
import math
import os
import re
import statistics
import sys

import depth
from figures import (APART, CHEAP, ENOUGH, TITLES, best, cold, failed, figure, geometric_mean, interval, kernels_ratio, left, memory_share, narrow_ratio, number, pairs, percent, percents, quartile_ratio, ratio, samples, share,
                     spelled, spread, table, time, turns)

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels"))
import driver  # noqa: E402

ABOUT = {"toy64": "64 tiny blocks", "llama512x2": "Llama-style, 512 wide, 2 layers", "llama512x4": "4 layers", "llama512x8": "8 layers", "llama512x16": "16 layers",
         "llama512x32": "32 layers", "llama1024x8": "1,024 wide, 8 layers", "gpt2": "GPT-2, 128 tokens", "bert": "BERT base, 128 tokens", "bert_b8": "the same, batch of 8",
         "minilm": "MiniLM, 8 x 64 tokens", "vit": "ViT-B/16", "resnet50": "ResNet-50", "resnet50_b8": "the same, batch of 8", "mobilenetv3": "MobileNetV3 small",
         "decode": "a token of a Llama-style decoder", "decode_bf16": "that decoder, weights in bf16", "decode_int8": "that decoder, weights in int8", "decode_f16": "that decoder, weights in f16",
         "whisper": "Whisper tiny's encoder", "convnext": "ConvNeXt tiny", "unet": "U-Net, 128 x 128"}
PACKAGED = ("torch-freezing", "torch-max-autotune")
FASTER, SLOWER = ("#79b8ff", "#1f6feb"), "#e5534b"
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
                         percents(share(model, n)), percent(share(model, n)[0] / found[0]) if peer and share(model, n) else "-"])
    return table(["model", "threads", "tcc", *(TITLES[p] for p in peers(record)), "fastest peer / tcc", "of lower quartiles", "rounds", "tcc: share of FMA peak (best quartile)", "fastest peer: share"], rows)


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
    """OpenVINO's bf16 beside tcc in the type of the model and, on the most threads, in bf16."""
    rows = []
    for name, m in record["models"].items():
        for n in record["threads"]:
            if "openvino-bf16" in m["engines"] and not failed(m, "openvino-bf16"):
                kinds = "; ".join(f"{count} {kind}" for kind, count in sorted(m["engines"]["openvino-bf16"].get("kinds", {}).items()))
                rows.append([name, str(n), run_cell(m, "tcc", n), run_cell(m, "openvino-bf16", n), spelled(ratio(m, "openvino-bf16", n)),
                             spelled(narrow_ratio(m, n)) if n == max(record["threads"]) else "-", number(m["engines"]["openvino-bf16"].get("error")), kinds])
    return table(["model", "threads", "tcc, ms", "OpenVINO bf16, ms", "OpenVINO bf16 / tcc", "/ tcc --autocast=bf16", "its largest difference", "what OpenVINO ran"], rows) if rows else ""


def memory_bound_table(record):
    rows = []
    for name, m in record["models"].items():
        for n in record["threads"]:
            found = m["memory"][str(n)]
            if m["bytes"] and found:
                rows.append([name, str(n), number(m["bytes"] / 1e6), spread([f[1] for f in found]), percents(memory_share(m, n)), str(len(found))])
    return table(["model", "threads", "MB read by a run", "machine reads, GB/s", "share of reading (best quartile)", "calls"], rows) if rows else ""


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

def self_ratios(m, engine):
    """Of whole calls with their interval, how many, and by each kernel's quickest call."""
    quickest = kernels_ratio(m, engine)
    return [spelled(interval(m["pairs"][engine]), 3), str(len(m["pairs"][engine])), f"{quickest:.3f}" if quickest else "-"]


def dedup_table(record):
    rows = []
    for name, m in record["models"].items():
        if m["pairs"].get("tcc-whole") and not failed(m, "tcc-whole"):
            rows.append([name, *self_ratios(m, "tcc-whole"), *(number(figure(m, e, "compile_ms")) for e in ("tcc", "tcc-whole")), cell(m, "tcc", "cold_ms"),
                         cell(m, "tcc-whole", "cold_ms")])
    return table(["model", "time of a run, regions / whole", "pairs", "by each kernel's quickest call", "tcc-compile, ms", "the same, whole", "cold start, ms", "the same, whole"],
                 rows) if rows else ""


def tuned_table(record):
    rows = []
    for name, m in record["models"].items():
        if m["pairs"].get("tcc-tuned") and not failed(m, "tcc-tuned"):
            rows.append([name, *self_ratios(m, "tcc-tuned"), number(figure(m, "tcc-tuned", "tune_s"))])
    return table(["model", "time of a run, default / tuned", "pairs", "by each kernel's quickest call", "tcc-tune, s"], rows) if rows else ""


def layer_table(record):
    found = record.get("layers")
    if not found:
        return ""
    keys = list(next(iter(found.values())))
    rows = [[key, *(number(min(samples[key])) for samples in found.values()), f"{depth.slope(found, key):.2f}"] for key in keys]
    return table(["phase, ms", *(f"{n} layers" for n in found), "a further layer"], rows)


def kernels_table(record):
    groups = (record.get("kernels") or {}).get("groups")
    return driver.group_table(groups) if groups else ""


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
             "the figure is of the turns until then. The fastest peer's share is tcc's over the ratio.",
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
                        (f"Schedules by rule, against measured ones, {n} threads", tuned_table(record)),
                        ("What a further layer costs the compiler: Llama-style graphs, the quickest of some compilations, a line through the depths", layer_table(record)),
                        ("Kernels beside oneDNN, OpenBLAS and memcpy: their time over tcc's, medians of paired ratios, 1 thread", kernels_table(record))):
        if body:
            parts += [f"## {title}", body]
    # A reason may name files of this machine: their last part is enough.
    failures = [f"- {name}, {TITLES.get(e, e)}: {re.sub(r'(/[^/ ]+)+/', '', entry['failed'])}" for name, m in record["models"].items() for e, entry in m["engines"].items() if "failed" in entry]
    if failures:
        parts += ["## Not measured", "\n".join(failures)]
    return "\n\n".join(parts)


# ---- README ----

def svg(record):
    """For each model and number of threads a bar: the fastest peer's time over tcc's, on a logarithmic axis around 1."""
    threads = record["threads"]
    shown = [(name, {n: best(record, m, n) for n in threads}) for name, m in record["models"].items() if any(best(record, m, n)[0] for n in threads)]
    means = {n: geometric_mean([found[n][1][0] for _, found in shown if found[n][1]]) for n in threads}
    left, right, width, bar, top, low, high = 100, 130, 720, 9, 62, 0.6, 3.0
    step = bar * len(threads) + 8
    height = top + step * (len(shown) + 1) + 30

    def x(value):
        return left + (width - left - right) * math.log(min(max(value, low), high) / low) / math.log(high / low)

    def bars(y, name, values, said):
        out = [f'<text class="m" x="{left - 8}" y="{y + step / 2:.0f}" text-anchor="end">{name}</text>']
        for k, n in enumerate(threads):
            if values[n]:
                one, end, at = x(1), x(values[n]), y + bar * k
                out.append(f'<rect x="{min(one, end):.1f}" y="{at}" width="{abs(end - one):.1f}" height="{bar - 1}" fill="{SLOWER if values[n] < 1 else FASTER[k % len(FASTER)]}"/>'
                           f'<text x="{max(one, end) + 5:.1f}" y="{at + bar - 1}" font-size="9">{values[n]:.2f}{"" if values[n] <= high else " →"} {said[n]}</text>')
        return out

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="sans-serif" font-size="11">',
           "<style>text{fill:#57606a}.m{fill:#24292f}@media(prefers-color-scheme:dark){text{fill:#8b949e}.m{fill:#e6edf3}}</style>",
           f'<text class="m" x="{left}" y="15" font-size="14">How many times as long as tcc the fastest other engine takes</text>']
    for k, n in enumerate(threads):
        out.append(f'<rect x="{left + 90 * k}" y="26" width="12" height="9" fill="{FASTER[k % len(FASTER)]}"/><text x="{left + 90 * k + 17}" y="35">{n} thread{"s" * (n > 1)}</text>')
    out.append(f'<rect x="{left + 90 * len(threads)}" y="26" width="12" height="9" fill="{SLOWER}"/><text x="{left + 90 * len(threads) + 17}" y="35">the other is faster</text>')
    for tick in (0.6, 0.8, 1, 1.25, 1.5, 2, 2.5, 3):
        out.append(f'<line x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{top - 8}" y2="{height - 24}" stroke="#8b949e" stroke-width="{1.6 if tick == 1 else 0.4}"/>'
                   f'<text x="{x(tick):.1f}" y="{height - 10}" text-anchor="middle">{tick:g}</text>')
    for k, (name, found) in enumerate(shown):
        out += bars(top + step * k, name, {n: found[n][1] and found[n][1][0] for n in threads}, {n: TITLES.get(found[n][0], "") for n in threads})
    out += bars(top + step * len(shown) + 4, "geometric mean", means, {n: "" for n in threads})
    return "\n".join([*out, "</svg>", ""])


def side(model, peer, threads, found):
    """1 if the peer is surely slower than tcc, -1 if surely faster, 0 if its interval holds 1 or there is none yet."""
    enough = found and len(pairs(model, peer, threads)) >= ENOUGH
    return (found[1] > 1) - (found[2] < 1) if enough else 0


def faster(model, peer, threads, found):
    """Bold where the peer is surely slower, in italics where it is surely faster."""
    mark = {1: "**", -1: "*", 0: ""}[side(model, peer, threads, found)]
    return f"{mark}{found[0]:.2f}{mark}"


def readme_text(record):
    """The short table: tcc and the fastest peer, starts, memory; what it says, in front of it."""
    rows = []
    for name, m in record["models"].items():
        row = [name, ABOUT.get(name, "")]
        for threads in record["threads"]:
            peer, found = best(record, m, threads)
            row += [number(time(m, "tcc", threads)), f"{faster(m, peer, threads, found)} {TITLES[peer]}" if peer else "-"]
        found = cold(m)
        rows.append([*row, number(figure(m, "tcc", "cold_ms")), f"{number(found[1])} {TITLES[found[3]]}" if found else "-", number(figure(m, "tcc", "cold_peak_mb")),
                     number(figure(m, "onnxruntime", "peak_mb"))])
    head, said = ["model", ""], []
    for n in record["threads"]:
        head += [f"{n} thread{'s' * (n > 1)}: tcc, ms", "fastest other / tcc"]
        found = [(m, *best(record, m, n)) for m in record["models"].values()]
        found = [f for f in found if f[2]]
        sides = [side(m, peer, n, r) for m, peer, r in found]
        if found:
            said.append(f"with {n} thread{'s' * (n > 1)} **{geometric_mean([r[0] for _, _, r in found]):.2f}** times as long as tcc (surely slower than tcc on {sides.count(1)} of "
                        f"{len(found)} models, surely faster on {sides.count(-1)})")
    head += ["start to first output: tcc, ms", "quickest other", "peak memory: tcc, MB", "onnxruntime"]
    return "\n\n".join(["The fastest of the other engines, chosen for each model, takes " + ", ".join(said) + "; geometric means.",
                        "![How many times as long as tcc the fastest other engine takes](docs/bench.svg)", table(head, rows),
                        heading(record) + " Times are medians; other / tcc is the median of turns in pairs, bold where its 95 % interval is above 1 (tcc is faster), in italics where "
                        f"it is below. Starts, {max(record['threads'])} threads: whole processes with nothing compiled yet. Every engine with its intervals, what compilations take, and each aim beside "
                        "its figure: [docs/bench.md](docs/bench.md)."])


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
