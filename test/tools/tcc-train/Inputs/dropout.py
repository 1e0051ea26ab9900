"""dropout.py make FOLDER: a network of two layers with a dropout of ratio 0.5 between them, in training mode, and data.
dropout.py check FOLDER LOG SEED [TOLERANCE]: losses of a run of SGD are those of the masks that docs/random.md says, of streams step << 32 on.
dropout.py validation FOLDER CHECKPOINT: the loss of all samples with these parameters, without dropout."""
import json
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

BATCH, SAMPLES, IN, HIDDEN, OUT, RATE = 8, 64, 16, 64, 4, 0.1
mode, folder = sys.argv[1], pathlib.Path(sys.argv[2])


def make():
    random = np.random.default_rng(0)
    folder.mkdir(parents=True, exist_ok=True)
    weights = [random.standard_normal(shape).astype(np.float32) / shape[0] ** 0.5 for shape in ((IN, HIDDEN), (HIDDEN, OUT))]
    nodes = [helper.make_node("MatMul", ["x", "w1"], ["a"]), helper.make_node("Tanh", ["a"], ["t"]),
             helper.make_node("Dropout", ["t", "ratio", "yes"], ["d"]), helper.make_node("MatMul", ["d", "w2"], ["p"])]
    tensors = [numpy_helper.from_array(value, name) for value, name in
               [(weights[0], "w1"), (weights[1], "w2"), (np.float32(0.5), "ratio"), (np.bool_(True), "yes")]]
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [BATCH, size]) for name, size in (("x", IN), ("p", OUT))]
    graph = helper.make_graph(nodes, "dropout", ports[:1], ports[1:], tensors)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), folder / "model.onnx")
    np.save(folder / "x.npy", random.standard_normal((SAMPLES, IN)).astype(np.float32))
    np.save(folder / "target.npy", random.standard_normal((SAMPLES, OUT)).astype(np.float32))


def philox(key, counter):
    """Philox4x32-10 of Salmon et al. 2011: a key of 64 bits, a counter of 128 as four words."""
    key = [key & 0xFFFFFFFF, key >> 32]
    for _ in range(10):
        a, b = counter[0] * 0xD2511F53, counter[2] * 0xCD9E8D57
        counter = [b >> 32 ^ counter[1] ^ key[0], b & 0xFFFFFFFF, a >> 32 ^ counter[3] ^ key[1], a & 0xFFFFFFFF]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return counter


def kept(seed, offset, count):
    words = [w for block in range(count // 4) for w in philox(seed, [block & 0xFFFFFFFF, block >> 32, offset & 0xFFFFFFFF, offset >> 32])]
    return (np.array(words) >> 8) * 2.0 ** -24 >= 0.5


def mixed(x):
    x = (x ^ x >> 33) * 0xFF51AFD7ED558CCD % 2 ** 64
    x = (x ^ x >> 33) * 0xC4CEB9FE1A85EC53 % 2 ** 64
    return x ^ x >> 33


def sample(at, seed):
    """tools/train_data.c: the order of samples, of which there are as many as its network permutes."""
    at, key = at % SAMPLES, mixed((seed * 0x9E3779B97F4A7C15 + at // SAMPLES) % 2 ** 64)
    left, right = at >> 3, at & 7
    for round in range(4):
        left, right = right, left ^ mixed(right + (key ^ mixed(round + 1))) & 7
    return left << 3 | right


def load():
    weights = {t.name: numpy_helper.to_array(t).astype(np.float64) for t in onnx.load(folder / "model.onnx").graph.initializer}
    return weights["w1"], weights["w2"], np.load(folder / "x.npy").astype(np.float64), np.load(folder / "target.npy").astype(np.float64)


def check(log, seed, tolerance):
    w1, w2, x, target = load()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    for step, line in enumerate(line for line in lines if "loss" in line):
        rows = [sample(step * BATCH + i, seed) for i in range(BATCH)]
        mask = 2.0 * kept(seed, step << 32, BATCH * HIDDEN).reshape(BATCH, HIDDEN)
        hidden = np.tanh(x[rows] @ w1)
        error = hidden * mask @ w2 - target[rows]
        loss, got = np.mean(error ** 2), line["loss"]
        if abs(got - loss) > tolerance * loss: sys.exit(f"step {step + 1}: {got}, not {loss}")
        back = 2 / error.size * error
        d1, d2 = x[rows].T @ (back @ w2.T * mask * (1 - hidden ** 2)), (hidden * mask).T @ back
        w1, w2 = w1 - RATE * d1, w2 - RATE * d2
    print(f"{step + 1} losses agree")


def validation(checkpoint):
    data = checkpoint.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header, data = json.loads(data[8:8 + length]), data[8 + length:]
    w1, w2 = (np.frombuffer(data[slice(*header[n]["data_offsets"])], np.float32).reshape(header[n]["shape"]) for n in ("w1", "w2"))
    _, _, x, target = load()
    print(f"loss {np.mean((np.tanh(x @ w1) @ w2 - target) ** 2):.4f}")


if mode == "make": make()
elif mode == "check": check(pathlib.Path(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]) if len(sys.argv) > 5 else 1e-5)
else: validation(pathlib.Path(sys.argv[3]))
