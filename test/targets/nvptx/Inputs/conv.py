# conv.py DIR ELEM BATCH CHANNELS SIZE FILTERS KERNEL STRIDE PAD DILATION [bias] [residual] [next] [weights] [symbolic] [axes=N]: a model of one convolution,
# its inputs and what NumPy makes of them in f64. SIZE: of the last axis of the image, others have one more each. residual: an operand of the
# result's shape is added, then max(0, x). next: a second convolution, 1 x 1, reads the sum too. weights: of the model, not inputs.
# symbolic: the batch has no number. PAD: of the begin; the end has one less, if that is not negative.
import os, sys
import numpy as np

place, elem, *sizes = sys.argv[1:10 + 1]
words = sys.argv[11:]
batch, channels, size, filters, kernel, stride, pad, dilation = map(int, sizes)
axes = int(next((w[5:] for w in words if w.startswith("axes=")), 2))
dtype = {"f32": np.float32, "f16": np.float16}[elem]
random = np.random.default_rng(1)
extent = [size + axes - 1 - i for i in range(axes)]
end = max(pad - 1, 0)


def conv(x, w, stride, pad, end, dilation):
    n = w.ndim - 2
    x = np.pad(x, [(0, 0), (0, 0)] + [(pad, end)] * n)
    span = [(k - 1) * dilation + 1 for k in w.shape[2:]]
    v = np.lib.stride_tricks.sliding_window_view(x, span, tuple(range(2, n + 2)))
    v = v[(slice(None),) * 2 + (slice(None, None, stride),) * n + (slice(None, None, dilation),) * n]
    return np.moveaxis(np.tensordot(v, w, ([1, *range(n + 2, 2 * n + 2)], [1, *range(2, n + 2)])), -1, 1)


def draw(*shape):
    return random.standard_normal(shape).astype(dtype)


def wide(a):
    return a.astype(np.float64)


x, w = draw(batch, channels, *extent), draw(filters, channels, *[kernel] * axes)
if "weights" in words:
    w[...] = np.float64(0.5)
b = draw(filters) if "bias" in words else None
r = conv(wide(x), wide(w), stride, pad, end, dilation)
if b is not None:
    r += wide(b).reshape(-1, *[1] * axes)
r = r.astype(dtype)
inputs = [("x", x), ("w", w)][:1 if "weights" in words else 2] + ([("b", b)] if b is not None else [])
if "residual" in words:
    y = draw(*r.shape)
    inputs.append(("y", y))
    r = np.maximum(r + y, 0)
outputs = [r]
if "next" in words:
    v = draw(24, filters, *[1] * axes)
    inputs.append(("v", v))
    outputs = [conv(wide(r), wide(v), 1, 0, 0, 1).astype(dtype)]


def type_of(a, rows=True):
    if "symbolic" in words and rows:
        return f"tensor<{'x'.join(['?', *map(str, a.shape[1:])])}x{elem}, [{', '.join([chr(34) + 'N' + chr(34), *map(str, a.shape[1:])])}]>"
    return f"tensor<{'x'.join(map(str, a.shape))}x{elem}>"


types = {name: type_of(a, name in "xy") for name, a in inputs}
types.setdefault("w", type_of(w, False))
kind = type_of(r)
window = "strides = array<i64: {}>, pads = array<i64: {}>, dilations = array<i64: {}>, groups = 1 : i64"


def ints(v):
    return ", ".join(map(str, v))


text = f"func.func @main({', '.join(f'%{n}: {types[n]}' for n, _ in inputs)}) -> {type_of(outputs[0])} {{\n"
text += '  %none = "tcc.none"() : () -> none\n'
if "weights" in words:
    text += f'  %w = "tcc.constant"() {{value = dense<5.000000e-01> : {types["w"]}}} : () -> {types["w"]}\n'
bias, bias_type = ("%b", types["b"]) if b is not None else ("%none", "none")
text += f'  %0 = "tcc.conv"(%x, %w, {bias}) {{{window.format(ints([stride] * axes), ints([pad] * axes + [end] * axes), ints([dilation] * axes))}}} : ({types["x"]}, {types["w"]}, {bias_type}) -> {kind}\n'
last = "%0"
if "residual" in words:
    text += f'  %1 = "tcc.add"(%0, %y) : ({kind}, {kind}) -> {kind}\n  %2 = "tcc.relu"(%1) : ({kind}) -> {kind}\n'
    last = "%2"
if "next" in words:
    text += f'  %3 = "tcc.conv"({last}, %v, %none) {{{window.format(ints([1] * axes), ints([0] * 2 * axes), ints([1] * axes))}}} : ({kind}, {types["v"]}, none) -> {type_of(outputs[0])}\n'
    last = "%3"
text += f"  return {last} : {type_of(outputs[0])}\n}}\n"
os.makedirs(place + "/data", exist_ok=True)
for i, (_, v) in enumerate(inputs):
    np.save(f"{place}/data/input_{i}.npy", v)
np.save(f"{place}/data/output_0.npy", outputs[0])
with open(place + "/model.mlir", "w") as f:
    f.write(text)
