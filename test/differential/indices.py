"""indices.py FIRST LAST FOLDER: one operator that reads indices, a model for each seed from FIRST to LAST - 1, with arithmetic in front of the
indices and behind the result, sizes static or not, indices inside or with some outside. tcc-run in several ways and the interpreter
must refuse what onnxruntime refuses, and say which index it was, and must give what it gives otherwise; with --indices=clamp all
run. What differs is left in FOLDER/SEED."""
import os
import re
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import helper

WAYS = [["--threads=1"], ["--threads=3"], ["--target=x86,x86-64-v3"], ["--target=reference"], ["--no-dedup", "--threads=2"]]
EMPTY = r"an index into axis \d+, which has no elements|sizes do not agree: 'min\(.*, 1\)' \(1\) must be at most '.*' \(0\)"
onnxruntime.set_default_logger_severity(4)


def make(seed, folder):
    """The inputs by name, whether some index is outside, and whether what is outside may be negative."""
    random = np.random.default_rng(seed)
    kind = ["Gather", "GatherElements", "GatherND", "ScatterElements", "ScatterND"][random.integers(5)]
    rank = int(random.integers(1, 4))
    shape = [int(n) for n in random.integers(1, 40 if rank < 3 else 12, rank)]
    axis, depth, batch = int(random.integers(rank)), int(random.integers(1, rank + 1)), 0
    if random.random() < 0.05 and axis == 0:  # elsewhere the result has no elements, and no index is looked at
        shape[0] = 0
    if kind == "Gather":
        sizes = [int(n) for n in random.integers(0 if random.random() < 0.1 else 1, 60, random.integers(0, 3))]
        axes = [axis]
    elif kind in ("GatherElements", "ScatterElements"):
        sizes = [int(random.integers(0, n + 1)) if i != axis else int(random.integers(0, 50)) for i, n in enumerate(shape)]
        axes = [axis]
    else:
        if kind == "GatherND" and rank > 1 and random.random() < 0.3:
            batch, depth = 1, min(depth, rank - 1)
        sizes = shape[:batch] + [int(n) for n in random.integers(1, 40, random.integers(1, 3))] + [depth]
        axes = list(range(batch, batch + depth))
    bounds = np.array([shape[a] for a in axes])
    indices = random.integers(-(1 << 20), 1 << 20, sizes) % np.maximum(2 * bounds, 1) - bounds if np.prod(sizes, dtype=int) else np.zeros(sizes, int)
    indices = np.asarray(indices)
    if indices.size and random.random() < 0.5:  # some outside
        for _ in range(int(random.integers(1, 4))):
            at = tuple(int(random.integers(n)) for n in indices.shape)
            size = bounds[at[-1] if kind.endswith("ND") else 0]
            indices[at] = [size, -size - 1, size + 7, 1 << 30][random.integers(4)]
    outside = bool(indices.size and ((indices < -bounds) | (indices >= bounds)).any())
    dtype = [np.int32, np.int64][random.integers(2)] if kind not in ("GatherND", "ScatterND") else np.int64
    element = [np.float32, np.uint8, np.float16, np.int64][random.integers(4)] if kind != "ScatterND" else np.float32
    values = {"x": random.integers(-100, 100, shape).astype(element)}
    nodes, name = [], "i"
    step = int(random.integers(0, 4))  # arithmetic that the kernel of the gather takes in
    fed = indices
    if step:
        fed = indices - 3 if step == 1 else -indices if step == 2 else indices
        constant = np.array(3 if step == 1 else -1 if step == 2 else 0, dtype)
        nodes = [helper.make_node("Constant", [], ["c"], value=onnx.numpy_helper.from_array(constant)),
                 helper.make_node("Mul" if step == 2 else "Add", ["i", "c"], ["j"])]
        name = "j"
    values["i"] = fed.astype(dtype)
    attributes = {"axis": axis} if not kind.endswith("ND") else {"batch_dims": batch} if kind == "GatherND" else {}
    inputs = ["x", name]
    if kind.startswith("Scatter"):
        values["u"] = random.integers(-100, 100, sizes if kind == "ScatterElements" else sizes[:-1] + shape[depth:]).astype(element)
        inputs.append("u")
    nodes.append(helper.make_node(kind, inputs, ["g"], "indexed", **attributes))
    if element in (np.float32, np.float16) and random.random() < 0.5:
        nodes.append(helper.make_node("Abs", ["g"], ["y"]))
    else:
        nodes[-1].output[0] = "y"
    dynamic = random.random() < 0.5 and not kind.endswith("ND")

    def port(name, array):
        dims = [f"{name}{k}" if dynamic else n for k, n in enumerate(array.shape)] if array is not None else None
        return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), dims)

    if kind == "ScatterElements" and dynamic:  # updates have the shape of the indices
        ports = [port("x", values["x"]), port("i", values["i"])]
        ports.append(helper.make_tensor_value_info("u", ports[0].type.tensor_type.elem_type, [f"i{k}" for k in range(rank)]))
    else:
        ports = [port(n, values[n]) for n in values]
    result = helper.make_tensor_value_info("y", helper.np_dtype_to_tensor_dtype(np.dtype(element)), None)
    model = helper.make_model(helper.make_graph(nodes, "g", ports, [result]), opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    os.makedirs(folder, exist_ok=True)
    onnx.save(model, f"{folder}/model.onnx")
    for k, array in enumerate(values.values()):
        np.save(f"{folder}/input_{k}.npy", array)
    return kind, values, indices, outside


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stderr


def faults(seed, folder):
    kind, values, indices, outside = make(seed, folder)
    try:
        want = onnxruntime.InferenceSession(f"{folder}/model.onnx").run(None, values)[0]
    except Exception as refusal:
        if "NOT_IMPLEMENTED" in str(refusal):
            return [], kind, outside
        want = None
    if (want is None) != outside:
        return [f"onnxruntime {'refuses' if want is None else 'takes'} what the generator thinks {'right' if want is None else 'wrong'}"], kind, outside
    found, base = [], ["tcc-run", f"{folder}/model.onnx", "--no-cache", f"--data={folder}", f"--save={folder}"]
    ways = WAYS if seed % 4 == 0 else [WAYS[0], WAYS[1 + seed % (len(WAYS) - 1)]]
    for way in ways:
        code, words = run(*base, *way)
        if want is None:
            match = re.search(r'(?:node "indexed": )?\'?\w*.*index (-?\d+) is outside \[', words) or re.search(EMPTY, words)
            if code != 1 or not match:
                found.append(f"{way}: status {code}: {words}")
            elif match.groups() and int(match[1]) not in indices:
                found.append(f"{way}: names {match[1]}")
        elif code:
            found.append(f"{way}: status {code}: {words}")
        else:
            got = np.load(f"{folder}/output_0.npy")
            if got.shape != want.shape or got.dtype != want.dtype or not (got == want).all():
                found.append(f"{way}: another result")
        code, words = run(*base, *way, "--indices=clamp")
        if code and not re.search(EMPTY, words):
            found.append(f"{way} --indices=clamp: status {code}: {words}")
    code, words = run("tcc-interp", f"--data={folder}", f"{folder}/model.onnx")
    if (code != 0) != outside:
        found.append(f"interpreter: status {code}: {words}")
    return found, kind, outside


def main(first, last, folder):
    counts, failed = {}, 0
    for seed in range(first, last):
        place = os.path.join(folder, str(seed))
        found, kind, outside = faults(seed, place)
        counts[outside] = counts.get(outside, 0) + 1
        for words in found:
            print(f"{place} {kind}: {words}", flush=True)
        failed += bool(found)
        if not found:
            subprocess.run(["rm", "-rf", place])
    print(f"seeds {first} to {last - 1}: {counts.get(False, 0)} inside, {counts.get(True, 0)} with some outside, {failed} differ")
    return 1 if failed or len(counts) < 2 else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
