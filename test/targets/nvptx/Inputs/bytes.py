# bytes.py DIR KIND ARGUMENT...: a model of products of bytes, its inputs and what NumPy makes of them, to the bit.
# dot M K N LEFT RIGHT [t] [tl] [xB]: [M, K] by [K, N] to i32; LEFT, RIGHT: i8 or ui8; t: the right operand is [N, K], tl: the left one [K, M]; xB: a batch of so many.
# beside, gate M K N LEFT RIGHT [t]: three products of one left operand, each a result; two whose larger sum is the result.
# integer M K N LEFT RIGHT [zeros]: MatMulInteger with a weight. quantised M K N LEFT RIGHT [turned]: QLinearMatMul, zero points, scales of columns; turned: the weight is
# [N, K], transposed in the graph.
# added M K N: a product in QDQ form, quantised, to which dequantised bytes are added, quantised again.
# conv BATCH CHANNELS SIZE FILTERS KERNEL STRIDE PAD GROUPS [zero=Z] [bias] [next] [signed]: QLinearConv of u8 by i8, scales of channels; signed: of i8; next: a second one, 1 x 1, reads its bytes.
# M may be S, a number that is not known; 7 then. Scales are such that f32 is exact. bare: of dot, no data.
import os, sys
import numpy as np

place, kind, *words = sys.argv[1:]
numbers, words = [w for w in words if w.isdigit() or w == "S"], [w for w in words if not w.isdigit() and w != "S"]
symbolic, sizes = "S" in numbers, [7 if v == "S" else int(v) for v in numbers]
random = np.random.default_rng(1)
TYPES = {"i8": np.int8, "ui8": np.uint8}


def draw(elem, *shape):
    info = np.iinfo(TYPES[elem])
    return random.integers(info.min, info.max + 1, shape).astype(TYPES[elem])


def wide(a):
    return a.astype(np.int64)


def save(inputs, outputs):
    os.makedirs(place + "/data", exist_ok=True)
    for name, values in ("input", inputs), ("output", outputs):
        for i, v in enumerate(values):
            np.save(f"{place}/data/{name}_{i}.npy", v)


def dot():
    (m, k, n), (left, right) = sizes, [w for w in words if w in TYPES]
    batch = [int(w[1:]) for w in words if w.startswith("x")]
    x, y = draw(left, *batch, m, k), draw(right, *batch, k, n)
    r = np.zeros((*batch, m, n), np.int32) if "bare" in words else (wide(x) @ wide(y)).astype(np.int32)
    stored = [np.ascontiguousarray(np.swapaxes(v, -1, -2)) if w in words else v for v, w in ((x, "tl"), (y, "t"))]
    b = len(batch)

    def tensor(a, elem, rows=None):
        dims = [str(d) for d in a.shape]
        if symbolic and rows is not None:
            dims[rows] = "?"
            return f"tensor<{'x'.join(dims)}x{elem}, [{', '.join(chr(34) + 'S' + chr(34) if d == '?' else d for d in dims)}]>"
        return f"tensor<{'x'.join(dims)}x{elem}>"
    types = tensor(stored[0], left, b + ("tl" in words)), tensor(stored[1], right), tensor(r, "i32", b)
    axes = f"lhs_batch = array<i64{': 0' * b}>, rhs_batch = array<i64{': 0' * b}>, lhs_contract = array<i64: {b + ('tl' not in words)}>, rhs_contract = array<i64: {b + ('t' in words)}>"
    if "bare" not in words:
        save(stored, [r])
    with open(place + "/model.mlir", "w") as f:
        f.write(f"func.func @main(%x: {types[0]}, %y: {types[1]}) -> {types[2]} {{\n"
                f'  %0 = "tcc.dot_general"(%x, %y) {{{axes}}} : ({types[0]}, {types[1]}) -> {types[2]}\n  return %0 : {types[2]}\n}}\n')


def several():
    (m, k, n), (left, right), turned = sizes, [w for w in words if w in TYPES], "t" in words
    x, ys = draw(left, m, k), [draw(right, k, n) for _ in range(3 if kind == "beside" else 2)]
    sums = [(wide(x) @ wide(y)).astype(np.int32) for y in ys]
    rows = '?x%dx%s, ["S", %d]' if symbolic else f"{m}x%dx%s"

    def row(width, elem):
        return f"tensor<{rows % ((width, elem, width) if symbolic else (width, elem))}>"
    weight, a, r = f"tensor<{n}x{k}x{right}>" if turned else f"tensor<{k}x{n}x{right}>", row(k, left), row(n, "i32")
    lines = [f'  %{i} = "tcc.dot_general"(%x, %y{i}) {{lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: {int(turned)}>}} : ({a}, {weight}) -> {r}' for i in range(len(ys))]
    names = [f"%{i}" for i in range(len(ys))]
    if kind == "gate":
        lines.append(f'  %r = "tcc.max"(%0, %1) : ({r}, {r}) -> {r}')
        names, sums = ["%r"], [np.maximum(*sums)]
    save([x] + [np.ascontiguousarray(y.T) if turned else y for y in ys], sums)
    with open(place + "/model.mlir", "w") as f:
        types = ", ".join([r] * len(names))
        f.write(f"func.func @main(%x: {a}{''.join(f', %y{i}: {weight}' for i in range(len(ys)))}) -> ({types}) {{\n" + "\n".join(lines) + f"\n  return {', '.join(names)} : {types}\n}}\n")


def onnx_model(nodes, inputs, outputs, weights):
    import onnx
    from onnx import helper, numpy_helper

    def value(name, a):
        return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(a.dtype), ["S", *a.shape[1:]] if symbolic else a.shape)
    graph = helper.make_graph(nodes, "g", [value(n, a) for n, a in inputs], [value(n, a) for n, a in outputs], [numpy_helper.from_array(a, n) for n, a in weights.items()])
    save([a for _, a in inputs], [a for _, a in outputs])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)]), place + "/model.onnx")


def round_to(elem, sums, scale, zero):
    info = np.iinfo(TYPES[elem])
    return np.clip(np.rint(sums * scale) + zero, info.min, info.max).astype(TYPES[elem])


def integer():
    from onnx import helper
    (m, k, n), (left, right) = sizes, [w for w in words if w in TYPES]
    x, y = draw(left, m, k), draw(right, k, n)
    p, q = (TYPES[left](3), TYPES[right](5)) if "zeros" in words else (TYPES[left](0), TYPES[right](0))
    r = ((wide(x) - int(p)) @ (wide(y) - int(q))).astype(np.int32)
    weights = {"y": y, **({"p": np.array(p), "q": np.array(q)} if "zeros" in words else {})}
    node = helper.make_node("MatMulInteger", ["x", "y"] + (["p", "q"] if "zeros" in words else []), ["r"])
    onnx_model([node], [("x", x)], [("r", r)], weights)


def quantised():
    from onnx import helper
    (m, k, n), (left, right) = sizes, [w for w in words if w in TYPES]
    x, y = draw(left, m, k), draw(right, k, n)
    p, z, scale = TYPES[left](7), TYPES[left](100), (2.0 ** -random.integers(10, 14, n)).astype(np.float32)
    r = round_to(left, (wide(x) - int(p)) @ wide(y), scale, int(z))
    f = {"a": np.float32(1), "p": p, "b": scale, "q": np.zeros(n, TYPES[right]), "c": np.float32(1), "z": z}
    nodes = [helper.make_node("QLinearMatMul", ["x", "a", "p", "w" if "turned" in words else "y", "b", "q", "c", "z"], ["r"])]
    if "turned" in words:
        nodes.insert(0, helper.make_node("Transpose", ["y"], ["w"], perm=[1, 0]))
    onnx_model(nodes, [("x", x)], [("r", r)], {"y": np.ascontiguousarray(y.T) if "turned" in words else y, **{k: np.asarray(v) for k, v in f.items()}})


def added():
    from onnx import helper
    m, k, n = sizes
    x, y, v = draw("ui8", m, k), draw("i8", k, n), draw("ui8", m, n)
    scale = (2.0 ** -random.integers(8, 12, n)).astype(np.float32)
    product = round_to("ui8", (wide(x) - 3) @ wide(y), scale, 100)
    f = {"y": y, "a": np.float32(0.5), "p": np.uint8(3), "b": scale, "c": np.float32(0.5), "z": np.uint8(100), "d": np.float32(0.25), "q": np.uint8(50), "e": np.float32(0.5), "o": np.uint8(7)}
    nodes = [helper.make_node("DequantizeLinear", ["x", "a", "p"], ["xf"]), helper.make_node("DequantizeLinear", ["y", "b"], ["yf"], axis=1),
             helper.make_node("DequantizeLinear", ["v", "d", "q"], ["vf"]), helper.make_node("MatMul", ["xf", "yf"], ["s"]),
             helper.make_node("QuantizeLinear", ["s", "c", "z"], ["t"]), helper.make_node("DequantizeLinear", ["t", "c", "z"], ["tf"]),
             helper.make_node("Add", ["tf", "vf"], ["u"]), helper.make_node("QuantizeLinear", ["u", "e", "o"], ["r"])]
    r = round_to("ui8", (wide(product) - 100) * 0.5 + (wide(v) - 50) * 0.25, 2.0, 7)
    onnx_model(nodes, [("x", x), ("v", v)], [("r", r)], {k: np.asarray(a) for k, a in f.items()})


def convolved(x, w, stride, pad, groups):
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    parts = []
    for g in range(groups):
        filters, channels = w.shape[0] // groups, w.shape[1]
        v = np.lib.stride_tricks.sliding_window_view(x[:, g * channels:(g + 1) * channels], w.shape[2:], (2, 3))[:, :, ::stride, ::stride]
        parts.append(np.einsum("bchwij,fcij->bfhw", v, w[g * filters:(g + 1) * filters], optimize=True))
    return np.concatenate(parts, 1)


def conv():
    from onnx import helper
    batch, channels, size, filters, kernel, stride, pad, groups = sizes
    zero = int(next((w[5:] for w in words if w.startswith("zero=")), 0))
    elem = "i8" if "signed" in words else "ui8"
    x, w, v = draw(elem, batch, channels, size, size + 1), draw("i8", filters, channels // groups, kernel, kernel), draw("i8", 40, filters, 1, 1)
    scale = (2.0 ** -random.integers(8, 12, filters)).astype(np.float32)
    bias = random.integers(-1000, 1000, filters).astype(np.int32) if "bias" in words else None
    sums = convolved(wide(x) - zero, wide(w), stride, pad, groups)
    if bias is not None:
        sums = sums + wide(bias).reshape(-1, 1, 1)
    r = round_to(elem, sums, scale.reshape(-1, 1, 1), 0)
    weights = {"w": w, "a": np.float32(0.5), "p": TYPES[elem](zero), "b": scale, "q": np.zeros(filters, np.int8), "c": np.float32(0.5), "z": TYPES[elem](0)}
    names = ["x", "a", "p", "w", "b", "q", "c", "z"]
    if bias is not None:
        names.append("bias")
        weights["bias"] = bias
    nodes = [helper.make_node("QLinearConv", names, ["r"], pads=[pad] * 4, strides=[stride] * 2, group=groups)]
    if "next" in words:
        weights.update({"v": v, "d": np.float32(2.0**-9), "e": np.int8(0)})
        nodes.append(helper.make_node("QLinearConv", ["r", "c", "z", "v", "d", "e", "c", "z"], ["s"]))
        r = round_to(elem, convolved(wide(r), wide(v), 1, 0, 1), 2.0**-9, 0)
    onnx_model(nodes, [("x", x)], [("s" if "next" in words else "r", r)], {k: np.asarray(a) for k, a in weights.items()})


os.makedirs(place, exist_ok=True)
{"dot": dot, "beside": several, "gate": several, "integer": integer, "quantised": quantised, "added": added, "conv": conv}[kind]()
