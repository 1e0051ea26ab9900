"""layers.py - single layers as models of one op, in the shapes that models use; ops.py measures them.

A row is a name and a function that writes the op into a Graph (models.py), which it is handed with sizes that are known or not: every
layer is there twice, "dynamic" with symbols for the sizes of images (H, W), the number of tokens (S) or rows (N). What an op
reads is an input of the model, what a model has as a weight is a weight.
"""
import os

import numpy as np

from models import Graph

SYMBOLS = {2: {0: "N"}, 3: {1: "S"}, 4: {2: "H", 3: "W"}}


class Layer(Graph):
    """A graph of few ops; `dynamic`: sizes of its inputs are symbols, by their rank."""

    def __init__(self, folder, dynamic):
        super().__init__(folder, 1)
        self.dynamic = dynamic

    def x(self, *shape, name=None, symbols=None, like=None):
        """An input of normal numbers, or `like` as it is."""
        array = self.normal(shape, 1.0) if like is None else like
        symbols = SYMBOLS.get(array.ndim, {}) if symbols is None else symbols
        return self.input(name or f"x{len(self.inputs)}", array, symbols if self.dynamic else {})

    def ints(self, *values):
        return self.const(list(values), np.int64)


def conv(channels, size, out, kernel, stride=1, groups=1, dilation=1, pad=None):
    def write(g):
        at = kernel // 2 * dilation if pad is None else pad
        x = g.x(1, channels, size, size)
        return g.op("Conv", x, g.weight(out, channels // groups, kernel, kernel), g.weight(out), kernel_shape=[kernel] * 2, strides=[stride] * 2,
                    pads=[at] * 4, dilations=[dilation] * 2, group=groups)
    return write


def line(channels, size, out, kernel, stride=1, groups=1, pad=0):
    return lambda g: g.op("Conv", g.x(1, channels, size, symbols={2: "S"}), g.weight(out, channels // groups, kernel), g.weight(out), kernel_shape=[kernel],
                          strides=[stride], pads=[pad] * 2, group=groups)


def transposed(channels, size, out, kernel, stride, pad, groups=1):
    return lambda g: g.op("ConvTranspose", g.x(1, channels, size, size), g.weight(channels, out // groups, kernel, kernel), g.weight(out), kernel_shape=[kernel] * 2,
                          strides=[stride] * 2, pads=[pad] * 4, group=groups)


def transposed_line(channels, size, out, kernel, stride, pad, groups=1):
    return lambda g: g.op("ConvTranspose", g.x(1, channels, size, symbols={2: "S"}), g.weight(channels, out // groups, kernel), g.weight(out), kernel_shape=[kernel],
                          strides=[stride], pads=[pad] * 2, group=groups)


def regions(channels, height, width, count, cells):
    """RoiAlign, as detectors of two stages have it: boxes of any size on a level whose pixels are four of the image's."""
    def write(g):
        size = np.array([width, height]) * 4
        low = g.random.uniform(0, size / 2, (count, 2))
        boxes = np.concatenate([low, low + g.random.uniform(4, size / 2, (count, 2))], 1).astype(np.float32)
        image = g.x(like=np.zeros(count, np.int64), symbols={0: "N"})
        return g.op("RoiAlign", g.x(1, channels, height, width), g.x(like=boxes), image, output_height=cells, output_width=cells, sampling_ratio=2, spatial_scale=0.25)
    return write


def pool(kind, channels, size, kernel, stride, pad=0, **more):
    return lambda g: g.op(kind, g.x(1, channels, size, size), kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[pad] * 4, **more)


def one(kind, *shape, **attributes):
    """An op of one input and no other."""
    return lambda g: g.op(kind, g.x(*shape), **attributes)


def positive(kind, *shape):
    return lambda g: g.op(kind, g.x(like=np.abs(g.normal(shape, 1.0)) + np.float32(0.1)))


def two(kind, left, right, symbols=None):
    """Of two inputs; what of the right one is 1 broadcasts."""
    def write(g):
        own = SYMBOLS.get(len(left), {})
        lead = len(left) - len(right)
        other = {axis - lead: name for axis, name in own.items() if axis >= lead and right[axis - lead] != 1} if symbols is None else symbols
        return g.op(kind, g.x(*left), g.x(*right, symbols=other))
    return write


def product(rows, inner, columns, bias=False, transposed_weight=False):
    """Rows times a weight."""
    def write(g):
        g.flops += 2 * rows * inner * columns
        weight = g.weight(columns, inner) if transposed_weight else g.weight(inner, columns)
        x = g.x(rows, inner)
        return g.op("Gemm", x, weight, g.weight(columns), transB=int(transposed_weight)) if bias else g.op("MatMul", x, weight)
    return write


def batched(batch, rows, inner, columns, swap=(), result=False):
    """Of two inputs; swap: which of them is transposed first; result: whether the product is."""
    def write(g):
        sides = []
        for k, (a, b) in enumerate(((rows, inner), (inner, columns))):
            symbols = {1: "S"} if k == 0 else {2: "T"}
            if k in swap:
                a, b, symbols = b, a, {3 - axis: name for axis, name in symbols.items()}
            x = g.x(batch, a, b, symbols=symbols)
            sides.append(g.op("Transpose", x, perm=[0, 2, 1]) if k in swap else x)
        y = g.op("MatMul", *sides)
        return g.op("Transpose", y, perm=[0, 2, 1]) if result else y
    return write


def recurrent(kind, gates, steps, width, hidden, both=1):
    def write(g):
        x = g.x(steps, 1, width, symbols={0: "S"})
        g.op(kind, x, g.weight(both, gates * hidden, width, scale=0.1), g.weight(both, gates * hidden, hidden, scale=0.1), hidden_size=hidden,
             direction="bidirectional" if both > 1 else "forward")
        return g.nodes[-1].output[0]
    return write


def resize(channels, size, factor, **attributes):
    return lambda g: g.op("Resize", g.x(1, channels, size, size), "", g.const([1, 1, factor, factor]), **attributes)


def pad(mode, channels, size, by):
    return lambda g: g.op("Pad", g.x(1, channels, size, size), g.ints(0, 0, by, by, 0, 0, by, by), mode=mode)


def concat(axis, *shapes):
    return lambda g: g.op("Concat", *(g.x(*s, symbols={} if s[axis] in (0,) else {a: n for a, n in SYMBOLS.get(len(s), {}).items() if a != axis % len(s)}) for s in shapes), axis=axis)


def taken(shape, starts, ends, axes, steps=None):
    return lambda g: g.op("Slice", g.x(*shape), g.ints(*starts), g.ints(*ends), g.ints(*axes), g.ints(*(steps or [1] * len(axes))))


def split(parts, *shape):
    def write(g):
        name = g.op("Split", g.x(*shape), axis=-1)
        g.nodes[-1].output[:] = [f"{name}_{k}" for k in range(parts)]
        return tuple(g.nodes[-1].output)
    return write


def gather(words, width, tokens):
    return lambda g: g.op("Gather", g.weight(words, width), g.x(like=g.random.integers(0, words, (1, tokens), np.int64), symbols={1: "S"}))


def topk(k, *shape, axis=-1, like=None):
    def write(g):
        name = g.op("TopK", g.x(*shape) if like is None else g.x(like=g.random.integers(0, 10000, shape).astype(like)), g.ints(k), axis=axis)
        g.nodes[-1].output[:] = [name, name + "_indices"]
        return tuple(g.nodes[-1].output)
    return write


def norm(kind, *shape):
    def write(g):
        if kind == "LayerNormalization":
            return g.layer_norm(g.x(*shape), shape[-1])
        if kind == "BatchNormalization":
            return g.op(kind, g.x(*shape), *(g.weight(shape[1], scale=0.1, mean=m) for m in (1, 0, 0)), g.const(np.ones(shape[1])))
        return g.op(kind, g.x(*shape), g.weight(shape[1], mean=1.0), g.weight(shape[1]))
    return write


def reduce(kind, axes, *shape):
    """Axes were an attribute of these until opset 18, but for sums."""
    return lambda g: g.op(kind, g.x(*shape), g.ints(*axes)) if kind == "ReduceSum" else g.op(kind, g.x(*shape), axes=axes)


def where(*shape):
    return lambda g: g.op("Where", g.x(like=g.normal(shape, 1.0) > 0), g.x(*shape), g.x(*shape))


def gelu(*shape):
    def write(g):
        x = g.x(*shape)
        return g.op("Mul", g.op("Mul", x, g.op("Add", g.op("Erf", g.op("Mul", x, g.const(2 ** -0.5))), g.const(1.0))), g.const(0.5))
    return write


def silu(*shape):
    def write(g):
        x = g.x(*shape)
        return g.op("Mul", x, g.op("Sigmoid", x))
    return write


def scatter(rows, width, count):
    return lambda g: g.op("ScatterND", g.x(rows, width), g.x(like=g.random.permutation(rows)[:count].astype(np.int64).reshape(count, 1), symbols={}), g.x(count, width, symbols={}))


def integers(kind, *shape, like, least=0, most=100, number=None):
    """Of two inputs of integers, or flags; or of one and a number."""
    def write(g):
        x = g.x(like=g.random.integers(least, most, shape).astype(like))
        return g.op(kind, x, g.const(number, like) if number else g.x(like=g.random.integers(least, most, shape).astype(like)))
    return write


def volume(kind, channels, depth, size, kernel, stride, pad):
    return lambda g: g.op(kind, g.x(1, channels, depth, size, size), kernel_shape=[kernel] * 3, strides=[stride] * 3, pads=[pad] * 6)


def narrow_pool(like, channels, size):
    return lambda g: g.op("MaxPool", g.x(like=(g.random.integers(0, 255, (1, channels, size, size))).astype(like)), kernel_shape=[2, 2], strides=[2, 2])


def einsum(equation, left, right):
    return lambda g: g.op("Einsum", g.x(*left, symbols={}), g.x(*right, symbols={}), equation=equation)


def sampled(batch, channels, size, points):
    """Pixels of an image at places that another input gives, as flows and deformable attention have them."""
    return lambda g: g.op("GridSample", g.x(batch, channels, size, size), g.x(like=g.random.uniform(-1, 1, (batch, *points, 2)).astype(np.float32), symbols={}))


def byte_sum(*shape):
    """Bytes of two scales, added and quantised again: a residual."""
    def write(g):
        sides = [g.op("DequantizeLinear", g.x(like=g.random.integers(0, 256, shape, np.uint8)), g.const(scale), g.const(128, np.uint8)) for scale in (0.02, 0.03)]
        return g.op("QuantizeLinear", g.op("Add", *sides), g.const(0.04), g.const(128, np.uint8))
    return write


def spectrum(batch, length):
    return lambda g: g.op("DFT", g.x(batch, length, 1, symbols={}), axis=1)


def quantised(g, x, scale=0.05):
    return g.op("DequantizeLinear", g.op("QuantizeLinear", x, g.const(scale), g.const(128, np.uint8)), g.const(scale), g.const(128, np.uint8))


def byte_weight(g, *shape):
    values = g.random.integers(-127, 128, shape, np.int8)
    return g.op("DequantizeLinear", g.external(shape, 3, 1, lambda: values), g.const(0.01))


def byte_conv(channels, size, out, kernel, stride=1):
    return lambda g: quantised(g, g.op("Conv", quantised(g, g.x(1, channels, size, size)), byte_weight(g, out, channels, kernel, kernel), kernel_shape=[kernel] * 2,
                                       strides=[stride] * 2, pads=[kernel // 2] * 4), 0.5)


def byte_product(rows, inner, columns):
    return lambda g: quantised(g, g.op("MatMul", quantised(g, g.x(rows, inner)), byte_weight(g, inner, columns)), 0.5)


def byte_weight_product(rows, inner, columns):
    return lambda g: g.op("MatMul", g.x(rows, inner), byte_weight(g, inner, columns))


IMAGE, WIDE, TOKENS, HEADS = (1, 64, 56, 56), (1, 256, 28, 28), (1, 128, 768), (1, 12, 128, 128)
ROWS = [
    # Convolutions: image size, channels in and out, kernel.
    *((f"conv {c}x{s} to {o} k{k}" + "".join(f" {n}{v}" for n, v in more.items()), conv(c, s, o, k, **more)) for c, s, o, k, more in (
        (3, 224, 64, 7, {"stride": 2}), (3, 224, 32, 3, {"stride": 2}), (3, 224, 768, 16, {"stride": 16, "pad": 0}), (3, 224, 96, 4, {"stride": 4, "pad": 0}),
        (64, 56, 64, 1, {}), (64, 56, 64, 3, {}), (64, 56, 256, 1, {}), (256, 56, 64, 1, {}), (128, 28, 128, 3, {}), (256, 56, 128, 1, {"stride": 2}), (256, 14, 256, 3, {}),
        (1024, 14, 256, 1, {}), (512, 7, 512, 3, {}), (512, 7, 2048, 1, {}), (128, 56, 128, 3, {"stride": 2}), (256, 28, 256, 3, {"dilation": 2}), (24, 56, 24, 3, {}), (40, 28, 240, 1, {}),
        (32, 112, 32, 3, {"groups": 32}), (96, 112, 96, 3, {"groups": 96, "stride": 2}), (144, 56, 144, 3, {"groups": 144}), (240, 28, 240, 5, {"groups": 240}), (672, 14, 672, 5, {"groups": 672, "stride": 2}),
        (96, 56, 96, 7, {"groups": 96}), (384, 14, 384, 7, {"groups": 384}), (128, 56, 128, 3, {"groups": 32}), (256, 28, 256, 3, {"groups": 32}), (48, 56, 48, 3, {"groups": 2}),
        (120, 28, 120, 3, {"groups": 5}), (336, 14, 336, 3, {"groups": 14}), (64, 56, 64, 3, {"groups": 8}), (128, 28, 128, 3, {"groups": 8}), (24, 56, 24, 3, {"groups": 3}))),
    *((f"conv1d {c}x{s} to {o} k{k}" + "".join(f" {n}{v}" for n, v in more.items()), line(c, s, o, k, **more)) for c, s, o, k, more in (
        (1, 16000, 512, 10, {"stride": 5}), (512, 3199, 512, 3, {"stride": 2}), (80, 3000, 384, 3, {"pad": 1}), (256, 500, 256, 31, {"groups": 256, "pad": 15}), (768, 200, 768, 16, {"groups": 16, "pad": 8}))),
    *((f"transposed {c}x{s} to {o} k{k} stride{t}", transposed(c, s, o, k, t, p)) for c, s, o, k, t, p in (
        (256, 16, 128, 4, 2, 1), (128, 32, 64, 4, 2, 1), (64, 64, 3, 4, 2, 1), (256, 28, 128, 2, 2, 0), (64, 32, 32, 3, 2, 1))),
    *((f"transposed1d {c}x{s} to {o} k{k} stride{t}", transposed_line(c, s, o, k, t, p)) for c, s, o, k, t, p in ((256, 128, 128, 16, 8, 4), (64, 2048, 32, 4, 2, 1))),
    # Pools.
    *((f"{'max' if kind == 'MaxPool' else 'average'} pool {c}x{s} k{k} stride{t}{' pad' * bool(p)}", pool(kind, c, s, k, t, p)) for kind, c, s, k, t, p in (
        ("MaxPool", 64, 112, 3, 2, 1), ("MaxPool", 64, 112, 2, 2, 0), ("MaxPool", 192, 35, 3, 1, 1), ("MaxPool", 256, 20, 5, 1, 2), ("MaxPool", 192, 71, 3, 2, 0),
        ("AveragePool", 64, 112, 2, 2, 0), ("AveragePool", 192, 35, 3, 1, 1), ("AveragePool", 96, 56, 3, 2, 1), ("AveragePool", 512, 14, 2, 2, 0), ("AveragePool", 256, 32, 8, 8, 0))),
    ("global average pool 2048x7", one("GlobalAveragePool", 1, 2048, 7, 7)), ("global average pool 96x56", one("GlobalAveragePool", 1, 96, 56, 56)),
    ("global max pool 512x14", one("GlobalMaxPool", 1, 512, 14, 14)),
    # Resizing and padding.
    ("nearest by 2 256x20", resize(256, 20, 2, mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")),
    ("nearest by 2 64x64", resize(64, 64, 2, mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")),
    ("nearest by 4 32x32", resize(32, 32, 4, mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")),
    ("bilinear by 2 64x56", resize(64, 56, 2, mode="linear", coordinate_transformation_mode="half_pixel")),
    ("bilinear by 4 19x32", resize(19, 32, 4, mode="linear", coordinate_transformation_mode="align_corners")),
    ("pad constant 64x56", pad("constant", 64, 56, 1)), ("pad constant 3x224", pad("constant", 3, 224, 3)), ("pad reflect 64x128", pad("reflect", 64, 128, 3)),
    ("pad reflect 256x64", pad("reflect", 256, 64, 1)), ("pad edge 64x56", pad("edge", 64, 56, 1)),
    # Products.
    *((f"product {m}x{k}x{n}", product(m, k, n)) for m, k, n in ((1, 768, 768), (1, 4096, 1024), (1, 2048, 5632), (1, 1280, 1000), (4, 768, 3072), (8, 2048, 2048), (32, 512, 2048),
                                                                 (128, 768, 768), (128, 768, 3072), (128, 3072, 768), (197, 192, 576), (512, 384, 1536), (50, 64, 10))),
    ("gemm 1x2048x1000", product(1, 2048, 1000, True, True)), ("gemm 64x256x128", product(64, 256, 128, True, True)), ("gemm 128x768x2304", product(128, 768, 2304, True, True)),
    *((f"batched {b}x{m}x{k}x{n}{' ' * bool(swap)}{'AB'[swap[0]] + 'T' if swap else ''}{' resultT' * result}", batched(b, m, k, n, swap, result)) for b, m, k, n, swap, result in (
        (12, 128, 64, 128, (1,), False), (12, 128, 128, 64, (), False), (12, 1, 64, 512, (1,), False), (12, 1, 512, 64, (), False), (8, 256, 32, 256, (), True), (8, 256, 32, 256, (), False),
        (1, 512, 512, 512, (), True), (1, 512, 512, 512, (0,), False), (64, 49, 32, 49, (1,), False), (1, 1024, 64, 1024, (), False), (32, 8, 128, 8, (), False))),
    # Norms, softmax, reductions.
    *((f"layer norm {'x'.join(map(str, s))}", norm("LayerNormalization", *s)) for s in ((1, 128, 768), (1, 1, 4096), (1, 3136, 96), (1, 197, 192), (1, 512, 1024))),
    ("batch norm 64x56", norm("BatchNormalization", *IMAGE)), ("instance norm 64x56", norm("InstanceNormalization", *IMAGE)), ("instance norm 32x128", norm("InstanceNormalization", 1, 32, 128, 128)),
    *((f"{kind.lower()} {'x'.join(map(str, s))} axis {axis}", one(kind, *s, axis=axis)) for kind, s, axis in (
        ("Softmax", HEADS, -1), ("Softmax", (1, 1, 50257), -1), ("Softmax", (1, 8, 1024, 1024), -1), ("Softmax", (1, 1000), -1), ("Softmax", (1, 21, 64, 64), 1), ("LogSoftmax", (1, 128, 30522), -1),
        ("LogSoftmax", (64, 10), -1))),
    *((f"{kind.lower()} {'x'.join(map(str, s))} {axes}", reduce(kind, axes, *s)) for kind, axes, s in (
        ("ReduceMean", [-1], TOKENS), ("ReduceMean", [1], TOKENS), ("ReduceMean", [2, 3], WIDE), ("ReduceSum", [-1], HEADS), ("ReduceSum", [0], (1024, 768)), ("ReduceMax", [1], WIDE),
        ("ReduceMax", [-1], (128, 4096)), ("ReduceL2", [-1], (1, 128, 512)), ("ReduceMean", [1], WIDE))),
    ("argmax 1x128x4096", one("ArgMax", 1, 128, 4096, axis=-1)), ("argmax 21x64", one("ArgMax", 1, 21, 64, 64, axis=1)),
    ("cumsum 128x1024", lambda g: g.op("CumSum", g.x(128, 1024), g.const(1, np.int64))), ("cumsum 1024x128 axis 0", lambda g: g.op("CumSum", g.x(1024, 128, symbols={}), g.const(0, np.int64))),
    # Elementwise.
    *((f"{kind.lower()} 64x56", one(kind, *IMAGE)) for kind in ("Relu", "Sigmoid", "Tanh", "Erf", "Exp", "HardSwish", "HardSigmoid", "LeakyRelu", "Elu", "Softplus", "Abs", "Neg", "Floor", "Sin", "Cos")),
    *((f"{kind.lower()} 64x56", positive(kind, *IMAGE)) for kind in ("Sqrt", "Log", "Reciprocal")),
    ("gelu 128x3072", gelu(1, 128, 3072)), ("gelu 3136x384", gelu(1, 3136, 384)), ("silu 64x80", silu(1, 64, 80, 80)), ("silu 128x2048", silu(1, 128, 2048)),
    ("clip 32x112", lambda g: g.op("Clip", g.x(1, 32, 112, 112), g.const(0.0), g.const(6.0))), ("pow 128x768", lambda g: g.op("Pow", g.x(*TOKENS), g.const(2.0))),
    ("prelu 64x56", lambda g: g.op("PRelu", g.x(*IMAGE), g.const(np.full((64, 1, 1), 0.25)))), ("where 12x128x128", where(*HEADS)), ("where 1x128x768", where(*TOKENS)),
    ("cast 128x768 to int32", one("Cast", *TOKENS, to=6)), ("cast 128x768 to f16", one("Cast", *TOKENS, to=10)),
    *((f"{kind.lower()} {'x'.join(map(str, a))} {'x'.join(map(str, b))}", two(kind, a, b)) for kind, a, b in (
        ("Add", IMAGE, IMAGE), ("Add", TOKENS, TOKENS), ("Add", TOKENS, (768,)), ("Mul", WIDE, (1, 256, 1, 1)), ("Mul", TOKENS, TOKENS), ("Div", HEADS, (1, 12, 128, 1)), ("Sub", IMAGE, IMAGE), ("Max", IMAGE, IMAGE),
        ("Add", HEADS, (1, 1, 128, 128)), ("Greater", TOKENS, TOKENS), ("Add", (1, 1000), (1, 1000)))),
    # Moves.
    *((f"transpose {'x'.join(map(str, s))} {''.join(map(str, p))}", one("Transpose", *s, perm=p)) for s, p in (
        ((1, 128, 12, 64), [0, 2, 1, 3]), ((1, 12, 128, 64), [0, 2, 1, 3]), ((1, 12, 128, 64), [0, 1, 3, 2]), ((1, 96, 56, 56), [0, 2, 3, 1]), ((1, 56, 56, 96), [0, 3, 1, 2]), ((1, 196, 768), [0, 2, 1]),
        ((1024, 1024), [1, 0]), ((1, 768, 196), [0, 2, 1]))),
    ("concat channels 64x56 twice", concat(1, IMAGE, IMAGE)), ("concat channels 128x28 four", concat(1, *[(1, 128, 28, 28)] * 4)), ("concat tokens 1x768 196x768", concat(1, (1, 1, 768), (1, 196, 768))),
    ("concat last 128x384 twice", concat(2, (1, 128, 384), (1, 128, 384))), ("concat heads 512x64 1x64", concat(2, (1, 12, 511, 64), (1, 12, 1, 64))), ("concat coordinates 80x80", concat(1, (1, 4, 80, 80), (1, 80, 80, 80))),
    ("slice half 128x1536", taken((1, 128, 1536), [0], [768], [2])), ("slice every other 64x56", taken(IMAGE, [0, 0], [9999, 9999], [2, 3], [2, 2])), ("slice last token 128x768", taken(TOKENS, [-1], [9999], [1])),
    ("slice channels 256x28", taken(WIDE, [0], [128], [1])), ("split three 128x2304", split(3, 1, 128, 2304)), ("split two 196x3072", split(2, 1, 196, 3072)),
    ("gather 30522x768 128", gather(30522, 768, 128)), ("gather 50257x768 1", gather(50257, 768, 1)), ("gather 32000x2048 512", gather(32000, 2048, 512)),
    ("depth to space 256x28", one("DepthToSpace", *WIDE, blocksize=2)), ("space to depth 64x56", one("SpaceToDepth", *IMAGE, blocksize=2)),
    ("tile 1x128x768", lambda g: g.op("Tile", g.x(*TOKENS), g.ints(4, 1, 1))), ("expand 8x1x512x64", lambda g: g.op("Expand", g.x(1, 8, 1, 512, 64), g.ints(1, 8, 4, 512, 64))),
    ("scatter rows 1024x128", scatter(1024, 128, 64)), ("topk 10 of 10000", topk(10, 1, 10000)), ("topk 5 of 1000", topk(5, 64, 1000)), ("topk 300 of 8400", topk(300, 1, 8400)), ("topk 50 of 50257", topk(50, 1, 50257)),
    ("nonzero 128x128", lambda g: g.op("NonZero", g.x(like=(g.normal((128, 128), 1.0) > 1).astype(np.float32)))),
    ("regions 1000 of 7 in 256x60x80", regions(256, 60, 80, 1000, 7)), ("regions 100 of 14 in 256x60x80", regions(256, 60, 80, 100, 14)),
    # Shapes and types that few models have, each once slower here than elsewhere (docs/notes/2026-11-rows-and-maps.md).
    ("conv into few 64x64 to 3 k7", conv(64, 64, 3, 7)), ("conv into few 64x4000 to 1 k7", line(64, 4000, 1, 7, pad=3)),
    ("transposed1d 256x500 to 256 k12 stride2 groups256", transposed_line(256, 500, 256, 12, 2, 5, groups=256)),
    ("transposed1d 64x200 to 64 k4 stride2 groups4", transposed_line(64, 200, 64, 4, 2, 1, groups=4)),
    ("average volume 32x8x28 k3", volume("AveragePool", 32, 8, 28, 3, 1, 1)), ("max volume 32x16x56 k2 stride2", volume("MaxPool", 32, 16, 56, 2, 2, 0)),
    ("max of bytes 64x56", narrow_pool(np.uint8, 64, 56)), ("max of halves 64x56", narrow_pool(np.float16, 64, 56)),
    ("topk 10 of 1000 across 64", topk(10, 1000, 64, axis=0)), ("topk 5 of 100 across 8x64", topk(5, 8, 100, 64, axis=1)), ("topk 2 of 8 in 1024 rows", topk(2, 1024, 8)),
    ("topk 20 of 1024 in 1024 rows", topk(20, 1024, 1024)), ("topk 10 of 1000 integers", topk(10, 16, 1000, like=np.int64)),
    ("flags and 1000x1000", integers("And", 1000, 1000, like=bool, most=2)), ("words divide 1000x256", integers("Div", 1000, 256, like=np.int32, least=1)),
    ("words mod 1000x256", integers("Mod", 1000, 256, like=np.int64, least=1)), ("words divide 1000x256 by 56", integers("Div", 1000, 256, like=np.int64, number=56)),
    ("words add 1000x256", integers("Add", 1000, 256, like=np.int64)), ("root by pow 64x56", lambda g: g.op("Pow", g.x(like=np.abs(g.normal(IMAGE, 1.0))), g.const(0.5))),
    ("lrn 64x56", one("LRN", *IMAGE, size=5)), ("atan 64x56", one("Atan", *IMAGE)), ("dot of rows 1000x256", einsum("ij,ij->i", (1000, 256), (1000, 256))),
    ("batched by vectors 64x128x64x1", batched(64, 128, 64, 1)), ("outer 512x1x512", two("MatMul", (512, 1), (1, 512), {})), ("outer 1000x2x1000", two("MatMul", (1000, 2), (2, 1000), {})),
    ("sampled 3x128 at 128x128", sampled(4, 3, 128, (128, 128))), ("sampled 64x56 at 56x56", sampled(1, 64, 56, (56, 56))), ("spectrum 8x1024", spectrum(8, 1024)),
    ("int8 add 64x56", byte_sum(*IMAGE)),
    # Recurrence.
    ("lstm 64x256", recurrent("LSTM", 4, 64, 256, 256)), ("lstm 32x128 both", recurrent("LSTM", 4, 32, 128, 128, 2)), ("gru 64x256", recurrent("GRU", 3, 64, 256, 256)), ("rnn 64x256", recurrent("RNN", 1, 64, 256, 256)),
    # Bytes.
    ("int8 conv 64x56 to 64 k3", byte_conv(64, 56, 64, 3)), ("int8 conv 256x14 to 256 k3", byte_conv(256, 14, 256, 3)), ("int8 conv 256x56 to 64 k1", byte_conv(256, 56, 64, 1)),
    ("int8 product 128x768x768", byte_product(128, 768, 768)), ("int8 product 1x768x3072", byte_product(1, 768, 3072)), ("int8 weight 1x2048x2048", byte_weight_product(1, 2048, 2048)),
    ("quantize 64x56", lambda g: g.op("QuantizeLinear", g.x(*IMAGE), g.const(0.05), g.const(128, np.uint8))),
    ("dequantize 64x56", lambda g: g.op("DequantizeLinear", g.x(like=g.random.integers(0, 256, IMAGE, np.uint8)), g.const(0.05), g.const(128, np.uint8))),
]
# A model has no such layer with sizes unknown, or onnx cannot say it.
STATIC = ("topk 5 of 1000", "gather 50257x768 1", "scatter", "slice last token", "average volume", "max volume", "topk 10 of 1000", "topk 2", "topk 20", "flags", "words", "dot of rows",
          "batched by vectors", "outer", "sampled", "spectrum", "max of")
LAYERS = {**{name: (write, False) for name, write in ROWS}, **{name + " dynamic": (write, True) for name, write in ROWS if not name.startswith(STATIC)}}


def write(out, name):
    """The folder of a layer's model."""
    folder = os.path.join(out, name.replace(" ", "-").replace("[", "").replace("]", ""))
    function, dynamic = LAYERS[name]
    g = Layer(folder, dynamic)
    results = function(g)
    g.finish(*(results if isinstance(results, tuple) else (results,)))
    return folder
