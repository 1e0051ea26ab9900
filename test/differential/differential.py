"""differential.py FIRST LAST FOLDER: random models (graphs.py), seeds FIRST to LAST - 1, by tcc-run in several ways against what
onnxruntime makes of each node. A model that differs, or that tcc-run dies of, is cut down to the fewest nodes that still do, with
values of the whole model as inputs, and left in FOLDER/SEED-WAY. What tcc-run refuses with a diagnostic is counted."""
import os
import random
import shutil
import subprocess
import sys

import numpy as np
import onnx

import graphs

WAYS = {
    "": ["--threads=1"],
    "avx2": ["--target=x86,x86-64-v3", "--threads=2"],
    "nodedup": ["--no-dedup", "--threads=3"],
    "direct": ["--numerics=direct", "--threads=2"],
    "reference": ["--target=reference"],
    "overhead": ["--mode=reduce-overhead", "--threads=2"],
}
TOLERANCE = {np.dtype(np.float32): 2e-5, np.dtype(np.float64): 1e-7, np.dtype(np.float16): 4e-3}
SECONDS = 300


def ties(graph, name):
    """Where a quantised tensor lies so near to the middle of two integers that rounding before decides between them."""
    node = next((n for n in graph.nodes if name in n.output), None)
    if node is None or node.op_type != "QuantizeLinear" or graph.value[node.input[1]].size != 1:
        return False
    scaled = graph.value[node.input[0]].astype(np.float64) / graph.value[node.input[1]].reshape(())
    return np.abs(scaled - np.floor(scaled) - 0.5) < 1e-4


def difference(graph, name, path):
    expected, noisy = graph.value[name], graph.noisy[name]
    got = np.load(path)
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return f"{name}: {got.dtype}{got.shape} for {expected.dtype}{expected.shape}"
    if not got.size:
        return None
    want, part = expected.astype(np.float64), TOLERANCE.get(expected.dtype, 0)
    apart = np.abs(noisy.astype(np.float64) - want)
    free = np.isnan(apart) & ~np.isnan(want)  # rounding decides whether it is a number, as for the root of nearly nothing
    off = apart[~np.isnan(apart)].max(initial=0)
    wrong = ~free & ~(np.abs(got.astype(np.float64) - want) <= part * (0.5 * np.abs(want).max() + np.abs(want)) + 40 * off + 1e-7 * (part > 0))
    if wrong.any():
        wrong &= ~(ties(graph, name) & (np.abs(got.astype(np.float64) - want) <= 1))
    return f"{name}: {wrong.sum()} of {wrong.size} elements differ by more than what rounding explains" if wrong.any() else None


def symptom(graph, way, folder, nodes, inputs, outputs):
    """"ok", "refused", "died" or "differs", and more words."""
    model, inputs = graph.model(nodes, inputs, outputs)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, "out"))
    onnx.save_model(model, os.path.join(folder, "model.onnx"))
    for k, name in enumerate(inputs):
        with open(os.path.join(folder, f"input_{k}.pb"), "wb") as file:
            file.write(graphs.tensor(name, graph.value[name]).SerializeToString())
    command = ["tcc-run", os.path.join(folder, "model.onnx"), "--data=" + folder, "--save=" + os.path.join(folder, "out"), *WAYS[way]]
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return "died", f"of time: more than {SECONDS} s"
    text = done.stderr.decode(errors="replace")
    if done.returncode:
        return ("refused" if done.returncode == 1 and "error:" in text else "died"), f"status {done.returncode}: {text.strip()[-300:]}"
    found = [d for k, o in enumerate(outputs) if (d := difference(graph, o, os.path.join(folder, "out", f"output_{k}.npy")))]
    return ("differs", found[0]) if found else ("ok", "")


def needed(nodes, outputs):
    wanted, kept = set(outputs), []
    for node in reversed(nodes):
        if wanted & set(node.output):
            kept.append(node)
            wanted |= set(node.input)
    return kept[::-1]


def shrink(graph, way, folder, kind):
    """Outputs go, then ends of the graph, then nodes anywhere, as long as the symptom stays. Returns the nodes and the words."""
    best = (graph.nodes, graph.inputs, graph.outputs)
    fails = lambda case: case[0] and symptom(graph, way, folder, *case)[0] == kind
    progress = True
    while progress:
        nodes, inputs, outputs = best
        cases = [(needed(nodes, [o]), inputs, [o]) for o in outputs] if len(outputs) > 1 else []
        cases += [(needed(nodes, [o]), inputs, [o]) for n in reversed(nodes[:-1]) for o in n.output]
        for k, cut in enumerate(nodes):
            rest = nodes[:k] + nodes[k + 1:]
            left = [o for o in outputs if o not in cut.output]
            if left:
                cases.append((needed(rest, left), inputs + list(cut.output), left))
        progress = False
        for case in cases:
            if len(case[0]) + len(case[2]) < len(nodes) + len(outputs) and fails(case):
                best, progress = case, True
                break
    return best[0], symptom(graph, way, folder, *best)[1]


def main(first, last, folder):
    counts = {}
    for seed in range(first, last):
        try:
            graph = graphs.Graph(seed)
        except graphs.Unfit:
            continue
        for way in ["", random.Random(seed).choice(list(WAYS)[1:])]:
            place = os.path.join(folder, f"{seed}-{way}")
            kind, words = symptom(graph, way, place, graph.nodes, graph.inputs, graph.outputs)
            counts[kind] = counts.get(kind, 0) + 1
            if kind in ("died", "differs"):
                nodes, words = shrink(graph, way, place, kind)
                print(f"{place} {kind}: {' '.join(n.op_type for n in nodes)}: {words}", flush=True)
            else:
                shutil.rmtree(place)
            if kind != "ok":
                break
    print(f"seeds {first} to {last - 1}:", ", ".join(f"{n} {kind}" for kind, n in sorted(counts.items())))
    return 1 if counts.get("died") or counts.get("differs") or not counts.get("ok") else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
