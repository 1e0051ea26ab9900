"""acceptance.py - the project's aims beside what a run measured: met or missed, on one page. Nothing here fails a run."""
import depth
from figures import (TITLES, best, cold, figure, geometric_mean, interval, kernels_ratio, memory_share, narrow_ratio, number, percent, percents, ratio, share, spelled, table,
                     time)

FASTER = 1.15                   # geometric mean of the fastest peer's time over tcc's
NARROW_FASTER = 1.1             # the same, OpenVINO's bf16
SHARES = {"bert": 0.80, "gpt2": 0.80, "vit": 0.80, "llama512x2": 0.75, "llama512x4": 0.75, "llama512x8": 0.75, "llama512x16": 0.75, "llama512x32": 0.75,
          "llama1024x8": 0.75, "resnet50": 0.75, "mobilenetv3": 0.45}
TOY_MS = 0.02
READING = 0.90                  # of read bandwidth
START_MS, MINILM_MS, COLD_MS, WARM_MS, LAYER_MS = 100, 270, 1000, 100, 1
ARTIFACT_KB = 2048
REGIONS = 0.02
TUNED, TUNE_S = 1.05, 30


NOT_SETTLED = "not settled"  # beyond the limit by medians, but the noise reaches back over it


def row(aim, figures, met):
    """met: None where there is no figure."""
    return [aim, figures or "-", "not measured" if met is None else met if met == NOT_SETTLED else "met" if met else "**missed**"]


def verdict(beyond, surely):
    """Of two lists: what is beyond a limit, and what of that is so surely."""
    return not surely and (NOT_SETTLED if beyond else True)


def listed(pairs, most=12):
    """name figure, name figure ..."""
    pairs = list(pairs)
    return ", ".join(f"{name} {text}" for name, text in pairs[:most]) + (f" and {len(pairs) - most} more" if len(pairs) > most else "")


def run_rows(record):
    rows, models = [], record["models"]
    for n in record["threads"]:
        found = {name: best(record, m, n) for name, m in models.items()}
        found = {name: (peer, r) for name, (peer, r) in found.items() if r}
        mean = geometric_mean([r[0] for _, r in found.values()])
        threads = f"{n} thread{'s' * (n > 1)}"
        rows.append(row(f"1. {threads}: geometric mean of the fastest peer / tcc at least {FASTER}", mean and f"{mean:.3f} over {len(found)} models", mean and mean >= FASTER))
        behind = {name: (peer, r) for name, (peer, r) in found.items() if r[0] < 1}
        surely = [name for name, (_, r) in behind.items() if r[2] < 1]
        rows.append(row(f"1. {threads}: no model slower than its fastest peer (95 % interval)",
                        f"{len(found) - len(behind)} ahead, {len(behind) - len(surely)} within the interval, {len(surely)} behind"
                        + (": " + listed((name, f"{spelled(r)} {TITLES[peer]}") for name, (peer, r) in behind.items()) if behind else ""), verdict(behind, surely) if found else None))
        shares = {name: share(models[name], n) for name in SHARES if name in models and share(models[name], n)}
        rows.append(row(f"1. {threads}: share of FMA peak (80 % BERT, GPT-2, ViT; 75 % Llamas, ResNet-50; 45 % MobileNetV3), medians, in parentheses of the best quartile",
                        listed((name, percents(found) + ("" if found[0] >= SHARES[name] else " missed")) for name, found in shares.items()),
                        all(found[0] >= SHARES[name] for name, found in shares.items()) if shares else None))
    toy = [time(models["toy64"], "tcc", n) for n in record["threads"]] if "toy64" in models else []
    toy = [ms for ms in toy if ms]
    return rows + [row(f"1. a call of toy64 under {TOY_MS} ms", ", ".join(number(ms) for ms in toy), max(toy) < TOY_MS if toy else None)]


def narrow_rows(record):
    rows, n = [], max(record["threads"])
    found = {f"{name}, {n}": narrow_ratio(m, n) for name, m in record["models"].items()}
    found = {name: r for name, r in found.items() if r}
    rows.append(row(f"2. at least {NARROW_FASTER} times OpenVINO's bf16, by --autocast=bf16 (model, threads)", listed((name, spelled(r)) for name, r in found.items()),
                    all(r[0] >= NARROW_FASTER for r in found.values()) if found else None))
    shares = {f"{name}, {k}": memory_share(m, k) for name, m in record["models"].items() for k in record["threads"]}
    shares = {name: value for name, value in shares.items() if value}
    return rows + [row(f"2. decode: {percent(READING)} of read bandwidth (model, threads)", listed((name, percents(found)) for name, found in shares.items()),
                       all(found[0] >= READING for found in shares.values()) if shares else None)]


def start_rows(record):
    models = record["models"]
    starts = {name: cold(m) for name, m in models.items() if cold(m)}
    late = {name: c for name, c in starts.items() if c[0] > c[1] + START_MS}
    later = {name: c for name, c in starts.items() if c[0] > c[2] + START_MS}
    said = lambda found, k: listed((name, f"{c[0]:.0f} against {c[k]:.0f}") for name, c in found.items())  # noqa: E731
    cold_ms = {name: figure(m, "tcc", "cold_ms") for name, m in models.items() if figure(m, "tcc", "cold_ms")}
    warm_ms = {name: figure(m, "tcc", "warm_ms") for name, m in models.items() if figure(m, "tcc", "warm_ms")}
    memory = {name: (figure(m, "tcc", "cold_peak_mb"), figure(m, "onnxruntime", "peak_mb")) for name, m in models.items()}
    memory = {name: pair for name, pair in memory.items() if all(pair)}
    artifacts = {name: figure(m, "tcc", "artifact_kb") for name, m in models.items() if figure(m, "tcc", "artifact_kb")}
    slow_cold, slow_warm, minilm, layer = ({n: ms for n, ms in cold_ms.items() if ms > COLD_MS}, {n: ms for n, ms in warm_ms.items() if ms > WARM_MS},
                                           cold_ms.get("minilm"), depth.slope(record["layers"]) if record.get("layers") else None)
    ms = lambda found: listed((name, f"{value:.0f}") for name, value in found.items())  # noqa: E731
    return [
        row(f"3. cold start at most the quicker of onnxruntime and OpenVINO + {START_MS} ms, whole processes", f"{len(starts) - len(late)} of {len(starts)}" + (": not " + said(late, 1) if late else ""),
            not late if starts else None),
        row("3. the same against peers from after their import", f"{len(starts) - len(later)} of {len(starts)}" + (": not " + said(later, 2) if later else ""), not later if starts else None),
        row(f"3. MiniLM cold under {MINILM_MS} ms", minilm and f"{minilm:.0f}", minilm and minilm < MINILM_MS),
        row(f"3. no cold start above {COLD_MS} ms", cold_ms and (ms(slow_cold) or f"at most {max(cold_ms.values()):.0f}"), not slow_cold if cold_ms else None),
        row(f"3. a further layer under {LAYER_MS} ms (Llama of 4, 16, 64)", layer is not None and f"{layer:.2f}; all phases {depth.slope(record['layers'], 'all'):.2f}", layer and layer < LAYER_MS),
        row(f"3. warm start under {WARM_MS} ms", warm_ms and f"{len(warm_ms) - len(slow_warm)} of {len(warm_ms)}" + (": not " + ms(slow_warm) if slow_warm else ""), not slow_warm if warm_ms else None),
        row("3. peak memory under onnxruntime's", memory and f"{sum(a < b for a, b in memory.values())} of {len(memory)}", all(a < b for a, b in memory.values()) if memory else None),
        row(f"3. artifacts, which refer to their weights, under {ARTIFACT_KB // 1024} MB", artifacts and f"at most {max(artifacts.values()):.0f} KB", max(artifacts.values()) < ARTIFACT_KB if artifacts else None)]


def regions(record):
    """(model -> (with regions over whole, by each kernel's quickest call; the same of pairs of calls with its interval), those of it
    that are beyond the limit, names of those that surely are)."""
    found = {name: (kernels_ratio(m, "tcc-whole"), interval(m["pairs"]["tcc-whole"])) for name, m in record["models"].items() if kernels_ratio(m, "tcc-whole")}
    beyond = {name: f for name, f in found.items() if f[0] > 1 + REGIONS and f[1][2] > 1 + REGIONS}
    return found, beyond, [name for name, f in beyond.items() if f[1][1] > 1]


def self_rows(record):
    """Regions and schedules: by each kernel's quickest call, beside whole calls in pairs."""
    rows, models = [], record["models"]
    found, beyond, surely = regions(record)
    both = lambda f: f"{f[0]:.3f}, pairs {spelled(f[1], 3)}"  # noqa: E731
    rows.append(row(f"4. regions at most {percent(REGIONS)} slower than the whole, by each kernel's quickest call added up or by pairs of calls",
                    f"{len(found) - len(beyond)} of {len(found)}, {len(surely)} surely not" + (": not " + listed((name, both(f)) for name, f in beyond.items()) if beyond else ""),
                    verdict(beyond, surely) if found else None))
    tuned = {name: (kernels_ratio(m, "tcc-tuned"), interval(m["pairs"]["tcc-tuned"])) for name, m in models.items() if kernels_ratio(m, "tcc-tuned")}
    rows.append(row(f"6. default schedules at most {TUNED} of measured ones (each kernel's quickest call added up)", listed((name, both(f)) for name, f in tuned.items()),
                    all(f[0] <= TUNED for f in tuned.values()) if tuned else None))
    seconds = {name: figure(m, "tcc-tuned", "tune_s") for name, m in models.items() if figure(m, "tcc-tuned", "tune_s")}
    rows.append(row(f"6. tuning under {TUNE_S} s", listed((name, f"{s:.1f} s") for name, s in seconds.items()), max(seconds.values()) < TUNE_S if seconds else None))
    return rows


def kernel_rows(record):
    """One row for each group with a limit: missed by what is surely below, not settled by what is below within its interval."""
    groups = [g for g in (record.get("kernels") or {}).get("groups", []) if g["limit"]]
    if not groups:
        return [row("5. kernels (bench/kernels/run.sh)", None, None)]
    return [row(f"5. {g['suite']}: {g['group']}, {g['threads']} thread{'s' * (g['threads'] > 1)}: none surely below {g['limit']:.2f} of its reference",
                f"geometric mean {g['geomean']:.2f}, least {g['least']:.2f} ({g['case']}); of {g['count']} {g['below']} below, {len(g['surely'])} of them surely"
                + (": " + ", ".join(g["surely"][:6]) if g["surely"] else ""), verdict(g["below"], g["surely"]))
            for g in groups]


def text(record):
    rows = run_rows(record) + narrow_rows(record) + start_rows(record) + self_rows(record) + kernel_rows(record)
    rows.sort(key=lambda r: r[0][0])
    counts = [sum(r[2] == what for r in rows) for what in ("met", "**missed**", NOT_SETTLED, "not measured")]
    return f"## Aims\n\n{counts[0]} met, {counts[1]} missed, {counts[2]} {NOT_SETTLED}, {counts[3]} not measured.\n\n" + table(["aim", "measured", ""], rows)
