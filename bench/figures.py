"""figures.py - what follows from the samples that run.py kept: medians, ratios with their intervals, shares, and how numbers are spelled.

A ratio is the median of paired ratios (race.py); its interval is that of a median with 95 % confidence, from order statistics: it needs
no assumption on how noise is distributed, and six samples.
"""
import math
import statistics

TITLES = {"tcc": "tcc", "tcc-whole": "tcc --no-dedup", "onnxruntime": "onnxruntime", "openvino": "OpenVINO", "openvino-bf16": "OpenVINO bf16",
          "iree": "IREE", "torch-eager": "torch eager", "torch-compile": "torch.compile", "torch-freezing": "freezing",
          "torch-max-autotune": "max-autotune", "torch-regions": "compile_regions"}
CHEAP = ("onnxruntime", "openvino")
APART = ("openvino-bf16",)      # not a peer of f32
STEADY = 0.15                   # change of tcc's time within a pair that makes the pair worth less
STEADY_PEAK = 0.1               # the same of the machine's peak beside a call
ENOUGH = 6                      # steady pairs that may stand for all


def failed(model, engine):
    return "failed" in model["engines"].get(engine, {})


def samples(model, engine, key):
    return model["engines"].get(engine, {}).get("samples", {}).get(key, [])


def figure(model, engine, key):
    values = samples(model, engine, key)
    return statistics.median(values) if values and not failed(model, engine) else None


def turns(model, engine, threads):
    """(turns of an engine, whether they are of rounds and not of the first pass)."""
    race = model["race"][str(threads)]
    if failed(model, engine):
        return [], False
    if engine == "tcc":
        return race["tcc"] or race["first"].get("tcc", []), bool(race["tcc"])
    return (race["turns"][engine], True) if race["turns"].get(engine) else (race["first"].get(engine, []), False)


def time(model, engine, threads):
    """Median milliseconds."""
    found, _ = turns(model, engine, threads)
    return statistics.median(t[0] for t in found) if found else None


def left(model, engine, threads):
    """Whether a peer left the race: its figure is of few turns."""
    return engine in model["race"][str(threads)]["left"]


def pairs(model, engine, threads):
    """Ratios of an engine's turns to tcc's beside them; if enough have the same clock before and after, those."""
    found, _ = turns(model, engine, threads)
    steady = [t for t in found if abs(t[1] - t[2]) <= STEADY * max(t[1], t[2])]
    return [2 * ms / (before + after) for ms, before, after in (steady if len(steady) >= ENOUGH else found)]


def interval(values):
    """(median, low, high) with 95 % confidence; low and high are the extremes if there are fewer than six."""
    values, n = sorted(values), len(values)
    if not n:
        return None
    tail, below = 0.0, 0 # how many of the smallest lie below the interval
    while below < n // 2:
        tail += math.comb(n, below) / 2 ** n
        if tail > 0.025:
            break
        below += 1
    below = max(0, below - 1)
    return statistics.median(values), values[below], values[n - 1 - below]


def ratio(model, engine, threads):
    """(median, low, high) of an engine's time over tcc's, or None."""
    return interval(pairs(model, engine, threads))


def narrow_ratio(model, threads):
    """(median, low, high) of OpenVINO's bf16 over tcc's, which ran in turn with tcc's f32 on the most threads, as that did with OpenVINO; or None."""
    found, beside = ratio(model, "openvino-bf16", threads), model["pairs"].get("tcc-bf16")
    return tuple(r * interval(beside)[0] for r in found) if found and beside else None


def quartile_ratio(model, engine, threads):
    """The lower quartile of an engine's times over that of tcc's in the same rounds: noise only adds time."""
    found, _ = turns(model, engine, threads)
    lower = lambda values: sorted(values)[(len(values) - 1) // 4]  # noqa: E731
    return lower([t[0] for t in found]) / lower([ms for t in found for ms in t[1:]]) if found else None


def best(record, model, threads):
    """(the fastest peer, its ratio with interval), or (None, None)."""
    found = {p: ratio(model, p, threads) for p in record["peers"] if p not in APART}
    found = {p: r for p, r in found.items() if r}
    return min(found.items(), key=lambda item: item[1][0]) if found else (None, None)


def parts(amount, found):
    """What part of the peak beside each call it had, sorted; of calls whose clock was the same before and after, if there are enough.
    amount: operations or bytes of a call; found: [[ms, peak before, after]], in giga a second."""
    steady = [t for t in found if abs(t[1] - t[2]) <= STEADY_PEAK * max(t[1], t[2])]
    return sorted(amount / ms * 1e-6 / ((before + after) / 2) for ms, before, after in (steady if len(steady) >= ENOUGH else found))


def share(model, threads):
    """(median, upper quartile) of the FMA peak of the moment, or None."""
    return quartiles(parts(model["flops"], model["race"][str(threads)]["tcc"]))


def memory_share(model, threads):
    """The same of the bandwidth of reading just then, for what does nothing but read its weights."""
    return quartiles(parts(model["bytes"], model["memory"][str(threads)])) if model["bytes"] else None


def quartiles(values):
    return (statistics.median(values), values[-1 - (len(values) - 1) // 4]) if values else None


def kernels_ratio(model, engine):
    """tcc's time over that of another of its artifacts, each kernel by its quickest call, or None."""
    found = model["kernels"].get(engine)
    return found[0] / found[1] if found and found[1] else None


def geometric_mean(values):
    values = [v for v in values if v]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def cold(model):
    """(tcc's cold start, the quickest of onnxruntime's and OpenVINO's from process start, the same after import, who), or None."""
    own = figure(model, "tcc", "cold_ms")
    found = [(figure(model, p, "process_ms"), p) for p in CHEAP if figure(model, p, "process_ms")]
    after = [figure(model, p, "first_ms") for p in CHEAP if figure(model, p, "first_ms")]
    return (own, min(found)[0], min(after), min(found)[1]) if own and found else None


# ---- spelling ----

def number(value, digits=3):
    if value is None:
        return "-"
    return f"{value:.0f}" if value >= 100 else f"{value:.{max(0, digits - 1 - math.floor(math.log10(max(value, 1e-9))))}f}"


def percents(found):
    """A share: median, and of the best quartile."""
    return "-" if not found else f"{percent(found[0])} ({percent(found[1])})"


def percent(value):
    return "-" if value is None else f"{value * 100:.0f} %"


def spelled(found, digits=2):
    """A ratio with its interval."""
    return "-" if found is None else f"{found[0]:.{digits}f} ({found[1]:.{digits}f}-{found[2]:.{digits}f})"


def spread(values):
    """Median and half of the range."""
    if not values:
        return "-"
    middle = statistics.median(values)
    return number(middle) + (f" ±{(max(values) - min(values)) / middle * 50:.0f} %" if len(values) > 1 else "")


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(r) + " |" for r in rows)])
