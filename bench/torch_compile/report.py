"""report.py - what run.py measured, as Markdown tables and a figure; ../figures.py says how a ratio and its interval are made."""
import math
import statistics

from figures import geometric_mean, interval, number, spelled, table

ALLOWED = {"layer": 150, "tutorial": 150}  # milliseconds beyond the no-op backend's first call; all others OTHER_MS and one run
OTHER_MS, KNOWN_MS = 500, 30
TITLES = {"eager": "eager", "noop": "no-op backend", "compile": "torch.compile", "freezing": "its freezing", "regions": "torch.compile by regions", "tcc": "tcc",
          "tcc-freeze": "tcc, freeze", "tcc-regions": "tcc by regions"}
COLOURS = {"compile": "#79b8ff", "freezing": "#1f6feb", "eager": "#8b949e", "regions": "#b392f0"}


# ---- figures ----
def failed(model, way):
    return model["engines"].get(way, {}).get("failed")


def start(model, way, kind, what="first_ms"):
    """Median milliseconds of a first call, or of another of its figures."""
    found = [s[what] for s in model["starts"].get(way, {}).get(kind, []) if s.get(what) is not None]
    return statistics.median(found) if found else None


def peak(model, way):
    found = [s["peak_mb"] for kind in model["starts"].get(way, {}).values() for s in kind]
    return statistics.median(found) if found else None


def turns(model, way, threads):
    race = model["race"].get(str(threads))
    if not race:
        return []
    if way == "tcc":
        return race["tcc"] or race["first"].get("tcc", [])
    return race["turns"].get(way) or race["first"].get(way, [])


def run_ms(model, way, threads):
    found = turns(model, way, threads)
    return statistics.median(t[0] for t in found) if found else None


def ratio(model, way, threads):
    """A way's time over tcc's beside it: (median, low, high), or None."""
    return interval([2 * ms / (before + after) for ms, before, after in turns(model, way, threads)]) if way != "tcc" else None


def frozen_ratio(model, threads):
    """Freezing's time over that of tcc's freeze, by way of tcc's own turns beside both."""
    theirs, ours = (ratio(model, way, threads) for way in ("freezing", "tcc-freeze"))
    return theirs[0] / ours[0] if theirs and ours else None


# ---- tables ----
def run_table(record):
    ways = [w for w in record["ways"] if w != "noop"]
    rows = []
    for name, model in record["models"].items():
        for n in record["threads"]:
            rows.append([name, str(n), *("failed" if failed(model, w) else number(run_ms(model, w, n)) for w in ways), spelled(ratio(model, "compile", n)),
                         "-" if frozen_ratio(model, n) is None else f"{frozen_ratio(model, n):.2f}"])
    return table(["model", "threads", *(TITLES[w] for w in ways), "torch.compile / tcc", "freezing / tcc freeze"], rows)


def start_table(record):
    rows = []
    for name, model in record["models"].items():
        noop, cold, disk = start(model, "noop", "cold"), start(model, "tcc", "cold"), start(model, "tcc", "warm")
        beyond = None if None in (noop, cold) else cold - noop - (start(model, "tcc", "cold", "run_ms") or 0)
        peers = [start(model, "compile", kind) for kind in ("cold", "warm")]
        rows.append([name, number(noop), number(cold), number(disk), signed(beyond, ALLOWED.get(name, OTHER_MS)),
                     *(number(start(model, w, "cold")) for w in ("compile", "freezing", "regions", "tcc-regions")), number(peers[1]),
                     *("-" if None in pair else f"{pair[0] / pair[1]:.1f}" for pair in ((peers[0], cold), (peers[1], disk))),
                     number(peak(model, "tcc")), number(peak(model, "compile"))])
    return table(["model", "no-op, ms", "tcc cold", "tcc, known on disk", "cold beyond no-op and a run", "torch.compile cold", "freezing cold", "by regions cold",
                  "tcc by regions cold", "torch.compile warm", "cold: torch.compile / tcc", "warm", "tcc: peak MB", "torch.compile: peak MB"], rows)


def own_table(record):
    """What tcc takes between AOTAutograd's graph and the first run, and what the first run takes beyond a later one."""
    rows = []
    for name, model in record["models"].items():
        kinds = ("cold", "warm", "known")
        own = [start(model, "tcc", kind, "backend_ms") for kind in kinds]
        rows.append([name, *(signed(ms, limit) for ms, limit in zip(own, (ALLOWED.get(name, OTHER_MS), KNOWN_MS, KNOWN_MS))),
                     *(number(start(model, way, "known")) for way in ("noop", "tcc")), number(start(model, "tcc", "cold", "run_ms"))])
    return table(["model", "cold, ms", "known on disk", "known in the process", "no-op: first call again", "tcc: first call again", "a run"], rows)


def signed(value, limit):
    """Bold where it is within its limit."""
    return "-" if value is None else f"**{value:.0f}**" if value <= limit else f"{value:.0f}"


def call_table(record):
    """What a call costs beyond the no-op backend's, for models whose work is small."""
    rows = []
    for name in [m for m in ("layer", "tutorial") if m in record["models"]]:
        model = record["models"][name]
        for n in record["threads"]:
            us = {w: (run_ms(model, w, n) or math.nan) * 1e3 for w in ("eager", "noop", "compile", "freezing", "tcc", "tcc-freeze")}
            rows.append([name, str(n), *(f"{v:.1f}" for v in us.values()), f"{us['tcc'] - us['noop']:.1f}"])
    return table(["model", "threads", "eager, us", "no-op", "torch.compile", "freezing", "tcc", "tcc, freeze", "tcc beyond no-op: code and overhead"], rows)


def means(record):
    lines = []
    for n in record["threads"]:
        models = [m for m in record["models"].values() if m["complete"]]
        plain = [r[0] for r in (ratio(m, "compile", n) for m in models) if r]
        frozen = [r for r in (frozen_ratio(m, n) for m in models) if r]
        eager = [r[0] for r in (ratio(m, "eager", n) for m in models) if r]
        said = [f"{title} {geometric_mean(found):.2f} (least {min(found):.2f}, {len(found)} models)"
                for title, found in (("torch.compile / tcc", plain), ("freezing / tcc freeze", frozen), ("eager / tcc", eager)) if found]
        lines.append(f"Geometric means, {n} thread{'s' * (n > 1)}: " + "; ".join(said) + ".")
    return "\n\n".join(lines)


def checks(record):
    lines = []
    for name, model in record["models"].items():
        lines += [f"- {name}, {TITLES[way]}: {model['engines'][way]['failed']}" for way in model["engines"] if "failed" in model["engines"][way]]
        lines += [f"- {name}, {TITLES[way]}: **wrong**, {found['worst']:.3g} times what the f64 rule allows, {found['where']}" for way, found in model["check"].items() if not found["ok"]]
    right = sum(bool(m["check"].get("tcc", {}).get("ok")) for m in record["models"].values())
    what = "results, gradients and buffers" if record["train"] else "results"
    return f"{right} of {len(record['models'])} models have {what} within the f64 rule.\n\n" + "\n".join(lines)


def text(record):
    said = "a step: forward and backward in train()" if record["train"] else "inference"
    parts = [f"# torch.compile(backend=\"tcc\"), {said}", f"{record['date']}, {record['cpus']} CPUs, load before {record['load_before']}."]
    starts = ["## First call, ms", start_table(record), "## tcc's own part of a first call", own_table(record)]
    if record.get("starts_only"):
        return "\n\n".join(parts + starts)
    return "\n\n".join([*parts, means(record), "## Run time, ms", run_table(record), *starts, "## What a call costs", call_table(record), "## Results", checks(record)])


# ---- figure ----
def svg(record):
    """For each model a group of bars: each peer's time over tcc's with the most threads, on a logarithmic axis around 1."""
    n, shown = max(record["threads"]), [(name, m) for name, m in record["models"].items() if m["complete"]]
    peers = [w for w in COLOURS if w in record["ways"]]
    left, right, width, bar, top, low, high = 110, 60, 720, 7, 52, 0.5, 8.0
    step = bar * len(peers) + 8
    height = top + step * len(shown) + 30

    def x(value):
        return left + (width - left - right) * math.log(min(max(value, low), high) / low) / math.log(high / low)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="sans-serif" font-size="11">',
           "<style>text{fill:#57606a}.m{fill:#24292f}@media(prefers-color-scheme:dark){text{fill:#8b949e}.m{fill:#e6edf3}}</style>",
           f'<text class="m" x="{left}" y="15" font-size="14">torch\'s own ways: time over that of torch.compile(backend="tcc"), {n} threads</text>']
    for k, way in enumerate(peers):
        out.append(f'<rect x="{left + 145 * k}" y="24" width="12" height="9" fill="{COLOURS[way]}"/><text x="{left + 145 * k + 17}" y="33">{TITLES[way]}</text>')
    for tick in (0.5, 1, 2, 4, 8):
        out.append(f'<line x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{top - 8}" y2="{height - 24}" stroke="#8b949e" stroke-width="{1.6 if tick == 1 else 0.4}"/>'
                   f'<text x="{x(tick):.1f}" y="{height - 10}" text-anchor="middle">{tick:g}</text>')
    for k, (name, model) in enumerate(shown):
        y = top + step * k
        out.append(f'<text class="m" x="{left - 8}" y="{y + step / 2:.0f}" text-anchor="end">{name}</text>')
        for i, way in enumerate(peers):
            found = ratio(model, way, n)
            if found:
                one, end, at = x(1), x(found[0]), y + bar * i
                out.append(f'<rect x="{min(one, end):.1f}" y="{at}" width="{abs(end - one):.1f}" height="{bar - 1}" fill="{COLOURS[way]}"/>'
                           f'<text x="{max(one, end) + 4:.1f}" y="{at + bar - 1}" font-size="8">{found[0]:.2f}{"" if found[0] <= high else " →"}</text>')
    return "\n".join([*out, "</svg>", ""])
