"""cases.py DIR [--quick]: the models that bench/gpu generates, as DIR/NAME/model.onnx, and DIR/cases.json, which says what each is.

Those with the part "check" are small and have inputs and what NumPy makes of them in f64 beside them; those with "times" are of the sizes that
matter, and get random inputs where they run. "candidates" are products that are compiled in several ways.
"""
import json
import os
import sys

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ELEMENTS = {"f32": (TensorProto.FLOAT, np.float32, 2e-5), "f16": (TensorProto.FLOAT16, np.float16, 3e-3),
            "bf16": (TensorProto.BFLOAT16, ml_dtypes.bfloat16, 2e-2),
            "i8": (TensorProto.INT8, np.int8, 0), "u8": (TensorProto.UINT8, np.uint8, 0)}
INTEGERS = {"i64": (TensorProto.INT64, 64), "i8": (TensorProto.INT8, 8), "u8": (TensorProto.UINT8, 8), "i4": (TensorProto.INT4, 4)}
RESULTS = {"integer": (TensorProto.INT32, np.int32)}  # where results are of another type than inputs


# ---- what a case computes: nodes, shapes of its inputs, NumPy's version, flops ----
def product(m, n, k, transposed=False):
    nodes = [helper.make_node("MatMul", ["x", "w" if transposed else "y"], ["r"])]
    if transposed:
        nodes.insert(0, helper.make_node("Transpose", ["y"], ["w"], perm=[1, 0]))
    return nodes, [(m, k), (n, k) if transposed else (k, n)], lambda x, y: x @ (y.T if transposed else y), 2 * m * n * k


def softmax(rows, columns):
    def expected(x):
        e = np.exp(x - x.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)
    return [helper.make_node("Softmax", ["x"], ["r"], axis=-1)], [(rows, columns)], expected, 5 * rows * columns


def layer_norm(rows, columns):
    def expected(x, g, b):
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * g + b
    return [helper.make_node("LayerNormalization", ["x", "y", "z"], ["r"], axis=-1)], [(rows, columns), (columns,), (columns,)], expected, 8 * rows * columns


def elementwise(rows, columns):
    nodes = [helper.make_node("Mul", ["x", "y"], ["t"]), helper.make_node("Tanh", ["t"], ["r"])]
    return nodes, [(rows, columns), (rows, columns)], lambda x, y: np.tanh(x * y), 2 * rows * columns


def reduction(rows, columns):
    nodes = [helper.make_node("Constant", [], ["axes"], value_ints=[0]), helper.make_node("ReduceSum", ["x", "axes"], ["r"], keepdims=0)]
    return nodes, [(rows, columns)], lambda x: x.sum(0), rows * columns


def transposition(rows, columns):
    return [helper.make_node("Transpose", ["x"], ["r"], perm=[1, 0])], [(rows, columns)], lambda x: x.T, 0


def attention(batch, heads, length, width, keys=None, form="", groups=None):
    keys, groups = keys or length, groups or heads

    def expected(q, k, v, mask=0):
        k, v = (np.repeat(a, heads // groups, 1) for a in (k, v))
        scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(width) + mask
        if form == "causal":
            scores = np.where(np.arange(keys) <= np.arange(length)[:, None], scores, -np.inf)
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        return scores / scores.sum(-1, keepdims=True) @ v
    shapes = [(batch, heads, length, width), (batch, groups, keys, width), (batch, groups, keys, width)]
    names, flops = ["x", "y", "z"], 4 * batch * heads * length * keys * width
    if form == "mask":
        names.append("m")
        shapes.append((batch, 1, length, keys))
    return [helper.make_node("Attention", names, ["r"], is_causal=int(form == "causal"))], shapes, expected, flops // (2 if form == "causal" else 1)


def convolution(batch, channels, size, filters, kernel, stride=1):
    def expected(x, w):
        pad = kernel // 2
        padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (kernel, kernel), (2, 3))[:, :, ::stride, ::stride]
        return np.einsum("bchwij,fcij->bfhw", windows, w, optimize=True)
    node = helper.make_node("Conv", ["x", "y"], ["r"], pads=[kernel // 2] * 4, strides=[stride] * 2)
    out = -(-size // stride)
    return [node], [(batch, channels, size, size), (filters, channels, kernel, kernel)], expected, 2 * batch * filters * out * out * channels * kernel * kernel


def gated(m, n, k):
    """silu(x y^T) * (x z^T): two products of one left operand that meet in one epilogue."""
    nodes = [helper.make_node("Transpose", [name], [name + "t"], perm=[1, 0]) for name in "yz"]
    nodes += [helper.make_node("MatMul", ["x", "yt"], ["g"]), helper.make_node("Sigmoid", ["g"], ["s"]), helper.make_node("Mul", ["g", "s"], ["a"]),
              helper.make_node("MatMul", ["x", "zt"], ["u"]), helper.make_node("Mul", ["a", "u"], ["r"])]

    def expected(x, y, z):
        g = x @ y.T
        return g / (1 + np.exp(-g)) * (x @ z.T)
    return nodes, [(m, k), (n, k), (n, k)], expected, 4 * m * n * k


def widths(m, k, *columns):
    """Products of one left operand, each with a result: queries of more heads than keys and values have."""
    names = "yzm"[:len(columns)]
    nodes = [helper.make_node("Transpose", [name], [name + "t"], perm=[1, 0]) for name in names]
    nodes += [helper.make_node("MatMul", ["x", name + "t"], [f"r{i or ''}"]) for i, name in enumerate(names)]
    return nodes, [(m, k)] + [(n, k) for n in columns], lambda x, *weights: tuple(x @ w.T for w in weights), 2 * m * k * sum(columns)


def projections(m, n, k, members):
    """The same of one width."""
    return widths(m, k, *[n] * members)


def rotation(heads, groups, rows, width):
    """Queries and keys turned by the same angles: small maps that share operands."""
    nodes = [helper.make_node("Constant", [], [name], value_ints=[value]) for name, value in (("zero", 0), ("half", width // 2), ("all", width), ("last", -1))]
    for name, out in ("x", "r"), ("y", "r1"):
        nodes += [helper.make_node("Slice", [name, "zero", "half", "last"], [name + "l"]), helper.make_node("Slice", [name, "half", "all", "last"], [name + "h"]),
                  helper.make_node("Neg", [name + "h"], [name + "n"]), helper.make_node("Concat", [name + "n", name + "l"], [name + "c"], axis=-1),
                  helper.make_node("Mul", [name, "z"], [name + "0"]), helper.make_node("Mul", [name + "c", "m"], [name + "1"]),
                  helper.make_node("Add", [name + "0", name + "1"], [out])]

    def turned(v, cos, sin):
        return v * cos + np.concatenate([-v[..., width // 2:], v[..., :width // 2]], -1) * sin
    return nodes, [(heads, rows, width), (groups, rows, width), (rows, width), (rows, width)], lambda x, y, z, m: (turned(x, z, m), turned(y, z, m)), 4 * (heads + groups) * rows * width


def experts(count, chosen, rows, n, k):
    """Products with matrices that an index picks."""
    nodes = [helper.make_node("Gather", ["y", "z"], ["w"], axis=0), helper.make_node("MatMul", ["x", "w"], ["r"])]
    return nodes, [(chosen, rows, k), (count, k, n), ("i64", count, chosen)], lambda x, y, z: x @ y[z.astype(np.int64)], 2 * chosen * rows * n * k


def quantised(m, n, k, bits, block):
    """A product with a weight of 8 or 4 bits that has a scale for each block of a row."""
    nodes = [helper.make_node("DequantizeLinear", ["y", "z"], ["w"], axis=1, block_size=block), helper.make_node("Transpose", ["w"], ["t"], perm=[1, 0]),
             helper.make_node("MatMul", ["x", "t"], ["r"])]
    return nodes, [(m, k), (f"i{bits}", n, k), (n, k // block)], lambda x, y, z: x @ (y * np.repeat(z, block, 1)).T, 2 * m * n * k


def integer(m, n, k, transposed=False):
    """A product of bytes, sums of 32 bits."""
    nodes = [helper.make_node("MatMulInteger", ["x", "w" if transposed else "y"], ["r"])]
    if transposed:
        nodes.insert(0, helper.make_node("Transpose", ["y"], ["w"], perm=[1, 0]))
    return nodes, [(m, k), (n, k) if transposed else (k, n)], lambda x, y: x @ (y.T if transposed else y), 2 * m * n * k


def byte_convolution(batch, channels, size, filters, kernel, stride=1):
    """A convolution of unsigned bytes by signed ones of the model, bytes out: scales are such that f32 is exact."""
    weights = np.random.default_rng(channels).integers(-128, 128, (filters, channels, kernel, kernel), np.int8)
    scale = np.exp2(-8 - np.arange(filters) % 3 - np.log2(channels * kernel).astype(int)).astype(np.float32)
    values = {"w": weights, "a": np.float32(0.5), "p": np.uint8(0), "b": scale, "q": np.zeros(filters, np.int8)}
    nodes = [helper.make_node("Constant", [], [name], value=numpy_helper.from_array(np.asarray(value))) for name, value in values.items()]
    nodes.append(helper.make_node("QLinearConv", ["x", "a", "p", "w", "b", "q", "a", "p"], ["r"], pads=[kernel // 2] * 4, strides=[stride] * 2))
    _, shapes, sums, flops = convolution(batch, channels, size, filters, kernel, stride)
    return nodes, shapes[:1], lambda x: np.clip(np.rint(sums(x, weights.astype(np.float64)) * scale.reshape(-1, 1, 1)), 0, 255), flops


def updates(*widths):
    """A step with momentum for matrices of several sizes: elementwise kernels alike."""
    names, nodes, shapes = "xyzmabcde", [helper.make_node("Constant", [], ["kept"], value_float=0.875)], []
    for i, width in enumerate(widths):
        p, g, v = names[3 * i:3 * i + 3]
        shapes += [(width, 64)] * 3
        nodes += [helper.make_node("CastLike", ["kept", v], [f"kept{i}"]), helper.make_node("Mul", [v, f"kept{i}"], [f"old{i}"]),
                  helper.make_node("Add", [f"old{i}", g], [f"new{i}"]), helper.make_node("Sub", [p, f"new{i}"], [f"r{i or ''}"])]

    def expected(*tensors):
        return tuple(p - (0.875 * v + g) for p, g, v in zip(tensors[::3], tensors[1::3], tensors[2::3]))
    return nodes, shapes, expected, 3 * 64 * sum(widths)


def scores(m, n, k):
    """softmax(x y): rows that are written where they are read."""
    nodes = [helper.make_node("MatMul", ["x", "y"], ["s"]), helper.make_node("Softmax", ["s"], ["r"], axis=-1)]

    def expected(x, y):
        e = np.exp(x @ y - (x @ y).max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)
    return nodes, [(m, k), (k, n)], expected, 2 * m * n * k + 5 * m * n


KINDS = dict(integer=integer, byte_convolution=byte_convolution, gated=gated, projections=projections, widths=widths, rotation=rotation, experts=experts, quantised=quantised, updates=updates, scores=scores, product=product, softmax=softmax, layer_norm=layer_norm, elementwise=elementwise, reduction=reduction, transposition=transposition,
             attention=attention, convolution=convolution)
ALL = ("f32", "f16", "bf16")
# kind, elements, sizes, parts
CHECKED = [("product", ALL, (130, 77, 96)), ("product", ("f32",), (1152, 1024, 96)), ("product", ALL, (256, 192, 320)), ("product", ALL, (1, 512, 384)),
           ("product", ALL, (5, 96, 64, True)),
           ("softmax", ALL, (37, 1000)), ("softmax", ("f32",), (3, 20000)), ("layer_norm", ALL, (19, 768)), ("elementwise", ALL, (33, 257)),
           ("reduction", ("f32",), (513, 70)), ("transposition", ("f32", "f16"), (65, 130)), ("attention", ALL, (2, 3, 70, 64)),
           ("attention", ("f32", "bf16"), (1, 2, 128, 128)),
           ("attention", ("bf16",), (1, 68, 130, 16, 130, "causal")), ("attention", ("f16",), (2, 2, 200, 64, 136, "mask")),
           ("attention", ("f16",), (1, 1, 1, 64, 1500)), ("attention", ("bf16",), (1, 6, 1, 64, 600, "", 2)), ("attention", ("f16",), (2, 4, 70, 64, 90, "causal", 2)),
           ("gated", ALL, (1, 192, 128)), ("gated", ("f16", "bf16"), (200, 192, 128)), ("gated", ("f32",), (70, 64, 96)),
           ("projections", ALL, (1, 96, 128, 3)), ("projections", ("f32", "bf16"), (130, 96, 64, 2)),
           ("widths", ALL, (1, 128, 192, 64, 64)), ("widths", ALL, (130, 96, 192, 64, 64)), ("widths", ("f16",), (300, 128, 256, 128)),
           ("rotation", ("f32", "bf16"), (6, 2, 3, 64)), ("experts", ("f16", "f32"), (3, 2, 1, 64, 96)), ("experts", ("bf16",), (3, 2, 40, 64, 64)), ("quantised", ("f16", "f32"), (1, 96, 256, 8, 32)), ("quantised", ("f16",), (40, 96, 256, 8, 64)),
           ("integer", ("i8",), (130, 77, 96)), ("integer", ("i8",), (256, 192, 320, True)), ("integer", ("i8",), (1, 96, 512, True)), ("integer", ("i8",), (5, 64, 96)),
           ("byte_convolution", ("u8",), (2, 64, 14, 40, 3)), ("byte_convolution", ("u8",), (1, 16, 15, 32, 3, 2)), ("byte_convolution", ("u8",), (1, 3, 32, 64, 7, 2)),
           ("updates", ("f32", "bf16"), (96, 1, 33)),
           ("scores", ("f32",), (70, 264, 64)), ("convolution", ("f32", "f16"), (2, 16, 14, 24, 3)),
           ("convolution", ("f16", "bf16"), (3, 64, 14, 136, 3, 2)), ("convolution", ("f16",), (2, 72, 9, 64, 1)), ("convolution", ("f16",), (2, 128, 7, 64, 1, 2)),
           ("convolution", ("f16",), (1, 3, 32, 64, 7, 2))]
# Layers of ResNet-50: channels, size, filters, window, stride.
RESNET = [(3, 224, 64, 7, 2), (64, 56, 64, 1), (64, 56, 64, 3), (64, 56, 256, 1), (256, 56, 512, 1, 2), (128, 56, 128, 3, 2), (512, 28, 128, 1), (256, 14, 256, 3),
          (1024, 14, 256, 1), (512, 14, 512, 3, 2), (512, 7, 512, 3), (2048, 7, 512, 1)]
TIMED = [("product", ALL, (4096, 4096, 4096)), ("product", ("bf16",), (8192, 8192, 8192)), ("product", ("bf16",), (128, 768, 3072)), ("product", ("bf16",), (1, 8192, 3072, True)),
         ("product", ("bf16",), (1, 3072, 8192, True)), ("product", ("bf16",), (16, 8192, 3072, True)), ("product", ("bf16",), (64, 8192, 3072, True)),
         ("gated", ("bf16",), (1, 8192, 3072)), ("gated", ("bf16",), (128, 8192, 3072)), ("gated", ("bf16",), (4096, 8192, 3072)),
         ("projections", ("bf16",), (1, 1024, 3072, 2)), ("projections", ("bf16",), (128, 768, 768, 3)),
         ("widths", ("bf16",), (1, 3072, 3072, 1024, 1024)), ("widths", ("bf16",), (128, 3072, 3072, 1024, 1024)), ("rotation", ("bf16",), (24, 8, 1, 128)),
         ("experts", ("bf16",), (8, 2, 1, 8192, 3072)), *(("quantised", ("f16",), (rows, 8192, 3072, bits, 32)) for rows in (1, 4, 8, 64) for bits in (8, 4)),
         ("integer", ("i8",), (4096, 4096, 4096)), *(("integer", ("i8",), (rows, 4096, 4096, True)) for rows in (1, 16, 64, 4096)),
         *(("byte_convolution", ("u8",), (32, *layer)) for layer in ((128, 28, 128, 3), (256, 14, 256, 3), (64, 56, 256, 1))),
         ("updates", ("f32",), (36864, 12, 12288)), ("scores", ("bf16",), (8192, 4096, 64)), ("attention", ("bf16",), (1, 24, 1, 128, 4096, "", 8)),
         ("attention", ("bf16",), (2, 16, 4096, 128)), ("attention", ("bf16",), (2, 16, 4096, 128, 4096, "causal")),
         ("attention", ("bf16",), (2, 16, 2048, 128, 2048, "mask")), ("attention", ("bf16",), (1, 24, 1, 128, 4096)), ("softmax", ("f32", "bf16"), (8192, 4096)),
         ("layer_norm", ("f32", "bf16"), (8192, 4096)), ("elementwise", ("f32", "bf16"), (8192, 4096)), ("reduction", ("f32",), (8192, 4096)),
         ("transposition", ("f32",), (8192, 4096)), ("convolution", ("f32", "f16"), (32, 128, 28, 128, 3)),
         *(("convolution", ("f16",), (batch, *layer)) for batch in (1, 32) for layer in RESNET)]
CANDIDATES = [("product", ("f16", "f32"), (4096, 4096, 4096)), ("product", ("bf16",), (128, 768, 3072))]
QUICK = [("product", ("f32", "bf16"), (70, 64, 96)), ("gated", ("bf16",), (3, 64, 64)), ("projections", ("f16",), (20, 64, 32, 2)), ("widths", ("f16",), (20, 64, 128, 64)), ("rotation", ("f32",), (4, 2, 1, 16)), ("experts", ("f32",), (3, 2, 2, 32, 16)), ("quantised", ("f16",), (2, 64, 128, 8, 32)),
         ("integer", ("i8",), (20, 64, 96, True)), ("byte_convolution", ("u8",), (1, 16, 8, 16, 3)), ("updates", ("f32",), (5, 1, 3)), ("scores", ("f32",), (9, 40, 16)), ("attention", ("f16",), (1, 4, 1, 16, 24, "", 2)), ("softmax", ("f32",), (5, 100)), ("attention", ("f16",), (1, 2, 16, 16)),
         ("attention", ("f16",), (1, 1, 20, 16, 24, "causal")), ("attention", ("f16",), (1, 1, 20, 16, 24, "mask"))]


def write(place, kind, elem, sizes, parts):
    nodes, shapes, expected, flops = KINDS[kind](*sizes)
    number, dtype, limit = ELEMENTS[elem]
    result_number, result_dtype = RESULTS.get(kind, (number, dtype))
    name = f"{kind}-{elem}-{'x'.join('t' if size is True else str(size) for size in sizes if size != '')}"
    folder = os.path.join(place, name)
    os.makedirs(folder, exist_ok=True)
    highs = [shape[1] if shape[0] == "i64" else 0 for shape in shapes]
    types = [shape[0] if isinstance(shape[0], str) else elem for shape in shapes]
    shapes = [shape[2 if high else 1 if isinstance(shape[0], str) else 0:] for shape, high in zip(shapes, highs)]
    inputs = [helper.make_tensor_value_info(n, INTEGERS[of][0] if of in INTEGERS else number, shape) for n, shape, of in zip("xyzmabcde", shapes, types)]
    outputs = [helper.make_tensor_value_info(name, result_number, None) for name in sorted({name for node in nodes for name in node.output if name == "r" or name[1:].isdigit() and name[0] == "r"})]
    graph = helper.make_graph(nodes, kind, inputs, outputs)
    onnx.save(onnx.shape_inference.infer_shapes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=11)), os.path.join(folder, "model.onnx"))
    sizes_of = [int(np.prod(shape) * (INTEGERS[of][1] / 8 / np.dtype(dtype).itemsize if of in ("i8", "u8", "i4") else 1)) for shape, of in zip(shapes, types)]
    if kind == "byte_convolution":  # its weights are the model's
        sizes_of.append(sizes[3] * sizes[1] * sizes[4]**2)
    read = sum(sizes_of) if kind != "experts" else sizes_of[0] + sizes_of[1] // sizes[0] * sizes[1]
    result = {"product": lambda: sizes[0] * sizes[1], "gated": lambda: sizes[0] * sizes[1], "projections": lambda: sizes[0] * sizes[1] * sizes[3], "widths": lambda: sizes[0] * sum(sizes[2:]), "rotation": lambda: (sizes[0] + sizes[1]) * sizes[2] * sizes[3],
              "experts": lambda: sizes[1] * sizes[2] * sizes[3], "quantised": lambda: sizes[0] * sizes[1], "integer": lambda: 4 * sizes[0] * sizes[1], "updates": lambda: 64 * sum(sizes), "scores": lambda: sizes[0] * sizes[1], "reduction": lambda: sizes[1], **dict.fromkeys(("convolution", "byte_convolution"), lambda: sizes[0] * sizes[3] * (-(-sizes[2] // (sizes[5] if len(sizes) > 5 else 1)))**2)}.get(kind, lambda: sizes_of[0])()
    if "check" in parts:
        random = np.random.default_rng(len(name))
        arrays = [random.integers(0, high, shape) if high else random.integers(-128, 128, shape, np.int8) if of == "i8" else random.integers(0, 256, shape, np.uint8) if of == "u8" else random.standard_normal(shape).astype(dtype)
                  for shape, high, of in zip(shapes, highs, types)]
        wanted = expected(*(a.astype(np.float64) for a in arrays))
        wanted = [np.asarray(a).astype(result_dtype) for a in (wanted if isinstance(wanted, tuple) else (wanted,))]
        os.makedirs(os.path.join(folder, "data"), exist_ok=True)
        for file, array in [*((f"input_{i}", a) for i, a in enumerate(arrays)), *((f"output_{i}", a) for i, a in enumerate(wanted))]:
            np.save(os.path.join(folder, "data", file + ".npy"), np.ascontiguousarray(array.view(np.uint16) if array.dtype == ml_dtypes.bfloat16 else array))
        with open(os.path.join(folder, "data", "limits"), "w") as file:
            file.write(f"rtol {limit}\n" * len(wanted))
    return dict(name=name, kind=kind, elem=elem, sizes=list(sizes), shapes=[list(shape) for shape in shapes], parts=parts, highs=highs, flops=flops,
                bytes=(read + result) * np.dtype(dtype).itemsize)


def main():
    place, quick = sys.argv[1], "--quick" in sys.argv
    lists = [(QUICK, ["check", "times"]), (QUICK[:1], ["candidates"])] if quick else [(CHECKED, ["check"]), (TIMED, ["times"]), (CANDIDATES, ["candidates"])]
    cases = {}
    for rows, parts in lists:
        for kind, elements, sizes in rows:
            for elem in elements:
                case = write(place, kind, elem, sizes, parts)
                if case["name"] in cases:
                    case["parts"] = cases[case["name"]]["parts"] + parts
                cases[case["name"]] = case
    with open(os.path.join(place, "cases.json"), "w") as file:
        json.dump(list(cases.values()), file, indent=1)


main()
