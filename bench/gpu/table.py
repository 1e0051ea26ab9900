"""table.py CASES OUT: what a run of bench/gpu/run.sh found, as Markdown."""
import json
import os
import sys


def read(out, part):
    path = os.path.join(out, part + ".jsonl")
    rows = []
    for line in open(path) if os.path.exists(path) else ():
        try:
            rows.append(json.loads(line))
        except ValueError:  # cut off when the time was over
            pass
    return rows


def number(value):
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def models(out):
    """Of whole models through torch.compile: times of each engine, and how many agree with f64."""
    found, agree = {}, {}
    for row in read(out, "models"):
        if "agrees" in row and row["engine"].startswith("tcc"):
            agree[row["case"], row["engine"]] = row["agrees"]
        if "median_us" in row:
            found.setdefault(row["case"], {})[row["engine"]] = row
    if not found:
        return
    print(f"\nModels through torch.compile: {sum(agree.values())} results agree with f64, {len(agree) - sum(agree.values())} do not. Microseconds a "
          "call; first call, with warm caches, in seconds.\n")
    print("| model | eager | compile | its reduce-overhead | tcc | tcc, reduce-overhead | fastest compile / tcc | first call of compile | of tcc |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, rows in found.items():
        if not {"tcc", "tcc-reduce-overhead"} <= rows.keys():
            continue
        theirs = [rows[e]["median_us"] for e in ("compile", "compile-reduce-overhead") if e in rows]
        own = min(rows["tcc"]["median_us"], rows["tcc-reduce-overhead"]["median_us"])
        cells = [name, *(number(rows[e]["median_us"]) if e in rows else "-" for e in ("eager", "compile", "compile-reduce-overhead", "tcc", "tcc-reduce-overhead")),
                 f"{min(theirs) / own:.2f}" if theirs else "-", *(f"{rows[e]['first_s']:.2f}" if e in rows else "-" for e in ("compile", "tcc"))]
        print("| " + " | ".join(cells) + " |")


def main():
    cases = {case["name"]: case for case in json.load(open(sys.argv[1]))}
    out = sys.argv[2]
    device = json.load(open(os.path.join(out, "device.json")))
    print(f"{device['device']} ({device['chip']}, driver {device['driver'] // 1000}.{device['driver'] % 1000 // 10})\n")
    facts = read(out, "facts")
    if facts:
        wrong = [row["fact"] for row in facts if not row["as_emulated"]]
        print(f"Facts that the emulator assumes: {len(facts) - len(wrong)} of {len(facts)} hold" + (f"; not: {', '.join(wrong)}" if wrong else "") + ".\n")
    for part, what in ("check", "Results against f64 and golden ones"), ("sanitizer", "Under compute-sanitizer"):
        rows = read(out, part)
        if rows:
            print(f"{what}: {sum('agrees' in row for row in rows)} agree, {sum('error' in row for row in rows)} do not.\n")
            for row in rows:
                if "error" in row:
                    print(f"- `{row['case']}`: {row['error']}")
            if any("error" in row for row in rows):
                print()
    best, peers = {}, {}
    for row in read(out, "times") + read(out, "candidates"):
        best.setdefault(row["case"], {})[row.get("mode", "error")] = row
    for row in read(out, "peers"):
        if "median_us" in row and (row["case"] not in peers or row["median_us"] < peers[row["case"]]["median_us"]):
            peers[row["case"]] = row
    if best:
        kernels(cases, best, peers)
    models(out)


def kernels(cases, best, peers):
    print("| case | us | as a graph | us of the host | TFLOP/s | GB/s | fastest peer, us | peer / tcc |\n|---|---|---|---|---|---|---|---|")
    for name, modes in best.items():
        plain, graph = modes.get("plain"), modes.get("graph")
        if not plain:
            print(f"| {name} | {modes['error'].get('error', '?')[:80]} | | | | | | |")
            continue
        quickest = min(row["median_us"] for row in (plain, graph) if row)
        case, peer = cases.get(name, cases.get(name.rsplit(".", 1)[0])), peers.get(name)
        cells = [name, number(plain["median_us"]), number(graph["median_us"]) if graph else "-", number((graph or plain)["host_us"]),
                 number(case["flops"] / quickest / 1e6) if case else "", number(case["bytes"] / quickest / 1e3) if case else "",
                 f"{number(peer['median_us'])} ({peer['engine']})" if peer else "-", f"{peer['median_us'] / quickest:.2f}" if peer else "-"]
        print("| " + " | ".join(cells) + " |")


main()
