"""rest.py FOLDER: operators of rest_peer.py with results that NumPy or a hand worked out, FOLDER/NAME.onnx and FOLDER/NAME, and models that are refused,
each with one error that names the node and says what is expected here."""
import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FOLDER = sys.argv[1]
STRING = TensorProto.STRING


def model(op, inputs, elem, domain="com.microsoft", opset=20, sparse=None, **attributes):
    """inputs: arrays that are given, or ("constant", array)."""
    names, infos, weights, given = [], [], [], []
    for i, x in enumerate(inputs):
        names.append("" if x is None and sparse is None else f"x{i}")
        if isinstance(x, tuple):
            weights.append(numpy_helper.from_array(x[1], names[-1]))
        elif x is not None:
            infos.append(helper.make_tensor_value_info(names[-1], STRING if x.dtype.kind == "S" else helper.np_dtype_to_tensor_dtype(x.dtype), x.shape))
            given.append(x)
    node = helper.make_node(op, names, ["y"], name="node", domain=domain, **attributes)
    graph = helper.make_graph([node], "g", infos, [helper.make_tensor_value_info("y", elem, None)], weights)
    if sparse is not None:
        graph.sparse_initializer.append(sparse)
    domains = [helper.make_opsetid("", opset)] + ([helper.make_opsetid(domain, 1)] if domain else [])
    return helper.make_model(graph, opset_imports=domains, ir_version=10), given


def save(name, made, result):
    os.makedirs(os.path.join(FOLDER, name), exist_ok=True)
    onnx.save(made[0], os.path.join(FOLDER, name + ".onnx"))
    for i, x in enumerate(made[1]):
        np.save(os.path.join(FOLDER, name, f"input_{i}.npy"), x)
    np.save(os.path.join(FOLDER, name, "output_0.npy"), result)


def refused(name, message, made):
    path = os.path.join(FOLDER, name + ".onnx")
    onnx.save(made[0], path)
    done = subprocess.run(["tcc-translate", "--import-onnx", path], capture_output=True, text=True, timeout=60)
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    assert done.returncode == 1 and len(errors) == 1 and message in errors[0] and '"node"' in errors[0], (name, done.returncode, done.stderr[-400:])


def constant(*values, dtype=np.int64):
    return "constant", np.array(values, dtype)


def q4_weight(r, kind, k, n):
    """Bytes of blocks, and the weight [k, n] that they stand for."""
    size, head = {0: (32, 4), 1: (32, 5), 2: (64, 4)}[kind]
    blob, weight = [], np.zeros((-(-k // size) * size, n), np.float32)
    for column in range(n):
        for start in range(0, k, size):
            q, scale, zero = r.integers(0, 16, size), np.float32(r.random() + 0.1), r.integers(0, 16) if kind == 1 else 8
            weight[start : start + size, column] = (q - zero) * scale
            halves = q.reshape(-1, 2, 16)
            blob.append(np.concatenate([np.frombuffer(scale.tobytes(), np.uint8), [zero] * (head - 4), (halves[:, 0] | halves[:, 1] << 4).ravel()]))
    return np.concatenate(blob).astype(np.uint8), weight[:k]


def strings(*x):
    return np.char.encode(np.array(x), "utf-8")


def tokens(x, **how):
    return model("Tokenizer", [x], STRING, **({"mark": 0, "mincharnum": 1, "pad_value": "#"} | how))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def attn_lstm(r, s=4, b=2, n=3, h=5, a=6, m=7, d=2, layer=4):
    """Inputs of AttnLSTM, sequences and memories of different lengths, and its Y."""
    def draw(*shape):
        return (r.standard_normal(shape) * 0.5).astype(np.float32)

    x, memory, lengths, held = draw(s, b, n), draw(b, m, d), np.array([4, 2], np.int32), np.array([7, 3], np.int32)
    w, u, bias, query, keys, score, out = draw(4 * h, n + layer), draw(4 * h, h), draw(8 * h), draw(h, a), draw(d, a), draw(a), draw(h + d, layer)
    y = np.zeros((s, 1, b, h), np.float32)
    for i in range(b):
        state, cell, given = np.zeros(h), np.zeros(h), np.zeros(layer)
        for t in range(lengths[i]):
            z = w @ np.concatenate([x[t, i], given]) + u @ state + bias[: 4 * h] + bias[4 * h :]
            gate = [z[k * h : k * h + h] for k in range(4)]  # i o f c
            cell = sigmoid(gate[2]) * cell + sigmoid(gate[0]) * np.tanh(gate[3])
            state = sigmoid(gate[1]) * np.tanh(cell)
            e = np.exp((score * np.tanh(memory[i, : held[i]] @ keys + state @ query)).sum(1))
            given = np.concatenate([state, e / e.sum() @ memory[i, : held[i]]]) @ out
            y[t, 0, i] = state
    weights = [("constant", v[None]) for v in (w, u, bias)], [("constant", v[None]) for v in (query, keys, score)]
    return [x, *weights[0], lengths, None, None, None, *weights[1], memory, held, ("constant", out[None])], y


def main():
    r = np.random.default_rng(5)
    os.makedirs(FOLDER, exist_ok=True)
    real = TensorProto.FLOAT
    x = r.standard_normal((5, 7)).astype(np.float32)
    save("slice", model("DynamicSlice", [x, constant(1, -4), constant(100, -1)], real, "", 9), x[1:, -4:-1])

    dense = np.array([[0, 2, 0], [-3, 0, 0], [0, 0, 0], [0.5, 0, 4]], np.float32)
    at = np.stack(dense.nonzero(), 1)
    sparse = helper.make_sparse_tensor(numpy_helper.from_array(dense[dense != 0], "x0"), numpy_helper.from_array(at), list(dense.shape))
    b = r.standard_normal((5, 3)).astype(np.float32)
    save("sparse", model("SparseToDenseMatMul", [None, b], real, sparse=sparse, transB=1, alpha=0.5), 0.5 * dense @ b.T)

    for kind in range(3):
        a = r.standard_normal((3, 70)).astype(np.float32)
        blob, weight = q4_weight(r, kind, 70, 5)
        save(f"q4_{kind}", model("MatMulFpQ4", [a, ("constant", blob), constant(70, 5)], real, blk_quant_type=kind), a @ weight)

    q, scale = r.integers(-128, 128, (4, 2, 32)), (r.random((4, 2, 1)) + 0.1).astype(np.float16)
    rows = np.concatenate([scale.view(np.uint8), q.astype(np.int8).view(np.uint8)], 2).reshape(4, -1)
    index = np.array([[3, -1], [9, 2]])
    y = (q * scale.astype(np.float32)).reshape(4, 64)[np.where((index < 0) | (index > 3), 0, index)]
    save("packed", model("GatherPacked", [("constant", rows), index], real, packed_type=8, K=64, output_dtype=real), y.astype(np.float32))

    words, w, bias, table = np.array([[3, 1, 2, 0], [1, 0, 0, 0], [0, 2, 2, 2]], np.int32), r.standard_normal((5, 1, 2, 3)), r.standard_normal(5), r.standard_normal((4, 3))
    w, bias, table = (t.astype(np.float32) for t in (w, bias, table))
    y = np.zeros((3, 5), np.float32)
    for i, n in enumerate((3, 1)):
        windows = [np.tanh((w[:, 0] * table[words[i, k : k + 2]]).sum((1, 2)) + bias) for k in range(max(n, 2) - 1)]
        y[i] = np.max(windows, 0)
    save("words", model("WordConvEmbedding", [words, ("constant", w), ("constant", bias), ("constant", table)], real), y)

    save("spaces", tokens(strings("Hello World", "I am  here", ""), separators=[" "]), strings(["Hello", "World", "#"], ["I", "am", "here"], ["#"] * 3))
    y = strings(["\x02", "a", "b", "c", "\x03"], ["\x02", "\x03", "none", "none", "none"])
    save("digits", tokens(strings("a1b22c333", ""), separators=["[0-9]+"], mark=1, pad_value="none"), y)
    save("threes", tokens(strings("ab12cd345", "\u00e9ab7"), tokenexp="[a-z0-9]{3}"), strings(["ab1", "2cd", "345"], ["ab7", "#", "#"]))
    save("characters", tokens(strings(["h\u00e9", "\u4e2d"]), separators=[""]), strings([["h", "\u00e9"], ["\u4e2d", "#"]]))

    inputs, y = attn_lstm(r)
    save("attn_lstm", model("AttnLSTM", inputs, real, hidden_size=5), y)

    def with_input(at, value):
        return inputs[:at] + [value] + inputs[at + 1 :]

    refused("bad_direction", "direction 'sideways'", model("AttnLSTM", inputs, real, hidden_size=5, direction="sideways"))
    refused("bad_hidden", "hidden_size is 0", model("AttnLSTM", inputs, real))
    refused("bad_both_ways", "'1' must equal '2'", model("AttnLSTM", inputs, real, hidden_size=5, direction="bidirectional"))
    refused("bad_memory", "M: '3' must equal '2'", model("AttnLSTM", with_input(11, np.zeros((3, 7, 2), np.float32)), real, hidden_size=5))
    refused("bad_score", "V must have rank 2", model("AttnLSTM", with_input(10, ("constant", np.zeros(6, np.float32))), real, hidden_size=5))
    refused("bad_weight", "W: '7' must equal '5'", model("AttnLSTM", with_input(13, None), real, hidden_size=5))
    refused("bad_query", "input 8 is missing", model("AttnLSTM", with_input(8, None), real, hidden_size=5))
    refused("bad_function", "activation 'Sine'", model("AttnLSTM", inputs, real, hidden_size=5, activations=["Sine", "Tanh", "Tanh"]))

    refused("bad_slice", "5 inputs", model("DynamicSlice", [x] + [constant(1)] * 4, real, "", 9))
    refused("bad_sparse", "tensors of rank 3 and 2", model("SparseToDenseMatMul", [x[None], x], real))
    refused("bad_kind", "blk_quant_type is 3", model("MatMulFpQ4", [x, ("constant", blob), constant(7, 5)], real, blk_quant_type=3))
    refused("bad_blob", "bytes of B", model("MatMulFpQ4", [a, ("constant", blob[1:]), constant(70, 5)], real, blk_quant_type=2))
    refused("bad_shape", "B_shape is no shape of a matrix", model("MatMulFpQ4", [a, ("constant", blob), constant(-70, 5)], real, blk_quant_type=2))
    refused("bad_depth", "the depth of A", model("MatMulFpQ4", [x, ("constant", blob), constant(70, 5)], real, blk_quant_type=2))
    refused("bad_type", "packed_type 16", model("GatherPacked", [("constant", rows), index], real, packed_type=16, K=64))
    refused("bad_k", "K is 33", model("GatherPacked", [("constant", rows), index], real, packed_type=8, K=33))
    refused("bad_row", "data: '68' must equal '102'", model("GatherPacked", [("constant", rows), index], real, packed_type=8, K=96))
    refused("bad_result", "output_dtype", model("GatherPacked", [("constant", rows), index], TensorProto.INT8, packed_type=8, K=64, output_dtype=3))
    wide = ("constant", np.zeros((5, 1, 9, 3), np.float32))
    refused("bad_window", "a window of W", model("WordConvEmbedding", [words, wide, ("constant", bias), ("constant", table)], real))
    refused("bad_size", "embedding_size", model("WordConvEmbedding", [words, ("constant", w), ("constant", bias), ("constant", table)], real, embedding_size=6))
    refused("bad_both", "one of separators and tokenexp", tokens(strings("a"), separators=[" "], tokenexp="a"))
    refused("bad_neither", "one of separators and tokenexp", tokens(strings("a")))
    refused("bad_empty", "an empty separator beside others", tokens(strings("a"), separators=[" ", ""]))
    refused("bad_expression", "expression '(a'", tokens(strings("a"), tokenexp="(a"))
    refused("bad_edge", "what stands around a match", tokens(strings("a"), tokenexp="\\bab"))
    refused("bad_least", "mincharnum is 2", tokens(strings("a"), tokenexp=".", mincharnum=2))
    refused("bad_rank", "the shape [C] or [N, C]", tokens(strings([["a"]])[None], separators=[" "]))
    refused("bad_numbers", "", model("Tokenizer", [x], STRING, mark=0, mincharnum=1, pad_value="#", separators=[" "]))
    print("all refused")


main()
