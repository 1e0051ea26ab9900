"""models.py - writes the models of the benchmarks: true shapes, made-up weights from fixed seeds, nothing but the onnx package.

    python bench/models.py OUT [NAME ...]

OUT/NAME/model.onnx, weights.bin beside it (ONNX external data), data/input_K.npy and model.json with the floating-point
operations of one run; for a decode step the bytes of weights and cache that it reads, too. Graphs are spelled as exporters spell them: gelu as its primitives, batch norms folded into the
convolutions. The llama graphs (llama4, llama16, llama64) are there for compile times alone: their weights are holes in a sparse file,
which read as zeros, so that 64 layers take no room on disk.
"""
import hashlib
import json
import math
import os
import shutil
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

OPSET = 17


class Graph:
    """A graph being written: methods add a node and return the name of its result; `flops` counts products and sums of
    contractions alone, as peak figures do."""

    def __init__(self, folder, seed, sparse=False, batch=1):
        os.makedirs(os.path.join(folder, "data"), exist_ok=True)
        self.folder, self.sparse, self.batch, self.random = folder, sparse, batch, np.random.default_rng(seed)
        self.nodes, self.initializers, self.inputs, self.arrays = [], [], [], []
        self.file, self.offset, self.flops, self.bytes, self.count = open(os.path.join(folder, "weights.bin"), "wb"), 0, 0, 0, 0

    def op(self, kind, *operands, **attributes):
        self.count += 1
        name = f"{kind.lower()}_{self.count}"
        self.nodes.append(helper.make_node(kind, list(operands), [name], name=name, **attributes))
        return name

    def input(self, name, array, symbols={}):
        """symbols: axis -> name of a size that is not known."""
        shape = [symbols.get(axis, size) for axis, size in enumerate(array.shape)]
        self.inputs.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), shape))
        self.arrays.append(array)
        return name

    def const(self, values, dtype=np.float32):
        self.count += 1
        name, array = f"const_{self.count}", np.asarray(values, dtype)
        self.initializers.append(onnx.numpy_helper.from_array(array, name))
        return name

    def external(self, shape, kind, width, values):
        """A tensor in weights.bin of elements of `width` bytes; values() gives their array."""
        self.count += 1
        tensor = TensorProto(name=f"weight_{self.count}", data_type=kind, dims=shape, data_location=TensorProto.EXTERNAL)
        size = math.prod(shape) * width
        for key, value in (("location", "weights.bin"), ("offset", self.offset), ("length", size)):
            tensor.external_data.add(key=key, value=str(value))
        if not self.sparse:
            self.file.seek(self.offset)
            self.file.write(values().tobytes())
        self.offset += (size + 4095) // 4096 * 4096
        self.initializers.append(tensor)
        return tensor.name

    def normal(self, shape, scale, mean=0.0):
        return self.random.standard_normal(shape, np.float32) * np.float32(scale) + np.float32(mean)

    def weight(self, *shape, scale=0.02, mean=0.0):
        return self.external(shape, TensorProto.FLOAT, 4, lambda: self.normal(shape, scale, mean))

    def narrow(self, kind, k, columns):
        """A weight [k, columns] kept in fewer bits, and what brings it to f32: a cast, or int8 with a scale a column."""
        if kind == "int8":
            values = self.external((k, columns), TensorProto.INT8, 1, lambda: self.random.integers(-127, 128, (k, columns), np.int8))
            return self.op("DequantizeLinear", values, self.const(self.random.uniform(2e-4, 4e-4, columns)), axis=1)
        if kind == "f16":
            return self.op("Cast", self.external((k, columns), TensorProto.FLOAT16, 2, lambda: self.normal((k, columns), 0.02).astype(np.float16)), to=1)
        if kind == "bf16": # the upper half of an f32
            halves = lambda: (self.normal((k, columns), 0.02).view(np.uint32) >> 16).astype(np.uint16)
            return self.op("Cast", self.external((k, columns), TensorProto.BFLOAT16, 2, halves), to=1)
        return self.weight(k, columns)

    def linear(self, x, rows, columns, k, bias=True):
        self.flops += 2 * self.batch * rows * columns * k
        y = self.op("MatMul", x, self.weight(k, columns))
        return self.op("Add", y, self.weight(columns)) if bias else y

    def layer_norm(self, x, width):
        return self.op("LayerNormalization", x, self.weight(width, mean=1.0), self.weight(width), axis=-1, epsilon=1e-5)

    def heads(self, x, tokens, heads, width, axes):
        return self.op("Transpose", self.op("Reshape", x, self.const([self.batch, tokens, heads, width], np.int64)), perm=axes)

    def attention(self, q, k, v, tokens, heads, width, mask=None):
        """q, v: [1, heads, tokens, width], k transposed already; the result is [batch, tokens, heads*width]."""
        self.flops += 4 * self.batch * tokens * tokens * heads * width
        scores = self.op("Mul", self.op("MatMul", q, k), self.const(1 / math.sqrt(width)))
        if mask:
            scores = self.op("Add", scores, mask)
        mixed = self.op("Transpose", self.op("MatMul", self.op("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        return self.op("Reshape", mixed, self.const([self.batch, tokens, heads * width], np.int64))

    def causal(self, tokens):
        return self.const(np.triu(np.full((1, 1, tokens, tokens), -3e38), 1))

    def conv(self, x, size, cin, cout, kernel, stride=1, groups=1):
        """size: edge of the input image. Weights keep the scale of activations, as a trained net does."""
        out = (size - 1) // stride + 1
        fan = cin // groups * kernel * kernel
        self.flops += 2 * self.batch * out * out * cout * fan
        pad = kernel // 2
        return self.op("Conv", x, self.weight(cout, cin // groups, kernel, kernel, scale=math.sqrt(2 / fan)), self.weight(cout),
                       kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[pad] * 4, group=groups)

    def finish(self, *outputs):
        self.file.truncate(self.offset)
        self.file.close()
        results = [onnx.ValueInfoProto(name=output) for output in outputs] # of a type that inference finds
        graph = helper.make_graph(self.nodes, "model", self.inputs, results, self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
        onnx.save(onnx.shape_inference.infer_shapes(model), os.path.join(self.folder, "model.onnx"))
        for k, array in enumerate(self.arrays):
            np.save(os.path.join(self.folder, "data", f"input_{k}.npy"), array)
        with open(os.path.join(self.folder, "model.json"), "w") as file:
            json.dump({"flops": self.flops, "bytes": self.bytes, "inputs": [i.name for i in self.inputs], "writer": writer()}, file)


def gelu_tanh(g, x):
    cube = g.op("Mul", g.op("Pow", x, g.const(3.0)), g.const(0.044715))
    inner = g.op("Tanh", g.op("Mul", g.op("Add", x, cube), g.const(math.sqrt(2 / math.pi))))
    return g.op("Mul", g.op("Mul", x, g.const(0.5)), g.op("Add", inner, g.const(1.0)))


def gelu_erf(g, x):
    inner = g.op("Add", g.op("Erf", g.op("Div", x, g.const(math.sqrt(2)))), g.const(1.0))
    return g.op("Mul", g.op("Mul", x, inner), g.const(0.5))


def gpt2(folder, tokens=128, width=768, heads=12, layers=12, words=50257):
    """GPT-2 of 124 million weights: pre-norm, joined q, k, v, tied head, logits of every token."""
    g = Graph(folder, 1)
    ids = g.input("input_ids", np.random.default_rng(7).integers(0, words, (1, tokens), np.int64))
    table, head = g.weight(words, width), width // heads
    x = g.op("Add", g.op("Gather", table, ids), g.op("Reshape", g.weight(tokens, width), g.const([1, tokens, width], np.int64)))
    mask = g.causal(tokens)
    for _ in range(layers):
        joined = g.linear(g.layer_norm(x, width), tokens, 3 * width, width)
        g.nodes.append(helper.make_node("Split", [joined, g.const([width] * 3, np.int64)], [joined + s for s in "qkv"], axis=2, name=joined + "_split"))
        q, k, v = (g.heads(joined + s, tokens, heads, head, [0, 2, 3, 1] if s == "k" else [0, 2, 1, 3]) for s in "qkv")
        x = g.op("Add", x, g.linear(g.attention(q, k, v, tokens, heads, head, mask), tokens, width, width))
        hidden = gelu_tanh(g, g.linear(g.layer_norm(x, width), tokens, 4 * width, width))
        x = g.op("Add", x, g.linear(hidden, tokens, width, 4 * width))
    g.flops += 2 * tokens * width * words
    g.finish(g.op("MatMul", g.layer_norm(x, width), g.op("Transpose", table, perm=[1, 0])))


def bert(folder, batch=1, tokens=128, width=768, heads=12, layers=12, words=30522):
    """BERT base: post-norm, padding mask as an input."""
    g = Graph(folder, 2, batch=batch)
    ids = g.input("input_ids", np.random.default_rng(8).integers(0, words, (batch, tokens), np.int64))
    mask = g.input("attention_mask", np.ones((batch, tokens), np.int64))
    given = g.op("Reshape", g.op("Cast", mask, to=TensorProto.FLOAT), g.const([batch, 1, 1, tokens], np.int64))
    bias = g.op("Mul", g.op("Sub", g.const(1.0), given), g.const(-3e38))
    x = g.op("Add", g.op("Gather", g.weight(words, width), ids), g.op("Reshape", g.weight(tokens, width), g.const([1, tokens, width], np.int64)))
    x, head = g.layer_norm(x, width), width // heads
    for _ in range(layers):
        q, k, v = (g.heads(g.linear(x, tokens, width, width), tokens, heads, head, axes) for axes in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
        x = g.layer_norm(g.op("Add", x, g.linear(g.attention(q, k, v, tokens, heads, head, bias), tokens, width, width)), width)
        hidden = gelu_erf(g, g.linear(x, tokens, 4 * width, width))
        x = g.layer_norm(g.op("Add", x, g.linear(hidden, tokens, width, 4 * width)), width)
    g.finish(x)


def llama_parts(g, width, head, cos, sin):
    """RMS norm, and rotary positions of heads, as exporters spell them."""
    one, two, epsilon, last = g.const(1.0), g.const(2.0), g.const(1e-6), g.const([-1], np.int64)
    start, middle, end = g.const([0], np.int64), g.const([head // 2], np.int64), g.const([head], np.int64)

    def norm(x):
        mean = g.op("ReduceMean", g.op("Pow", x, two), axes=[-1], keepdims=1)
        return g.op("Mul", g.op("Mul", x, g.op("Div", one, g.op("Sqrt", g.op("Add", mean, epsilon)))), g.weight(width, mean=1.0))

    def rotate(x):
        low, high = g.op("Slice", x, start, middle, last), g.op("Slice", x, middle, end, last)
        return g.op("Add", g.op("Mul", x, cos), g.op("Mul", g.op("Concat", g.op("Neg", high), low, axis=-1), sin))

    return norm, rotate


def llama(folder, layers, tokens=128, width=512, words=8000, sparse=False):
    """Llama-style: RMS norm, rotary positions, heads of 64 in groups of 4 (or one), MLP of 11/4. Sparse: zeros for
    weights, every head by itself, hidden states in and out."""
    g = Graph(folder, 3, sparse=sparse)
    heads, head, inner = width // 64, 64, width * 11 // 4
    groups = heads if sparse else max(1, width // 256)
    if sparse:
        x = g.input("hidden", np.zeros((1, tokens, width), np.float32))
    else:
        x = g.op("Gather", g.weight(words, width), g.input("input_ids", np.random.default_rng(12).integers(0, words, (1, tokens), np.int64)))
    angles = np.outer(np.arange(tokens), 10000.0 ** (-np.arange(0, head, 2) / head))
    angles = np.concatenate([angles, angles], -1)[None, None]
    cos, sin, mask = g.const(np.cos(angles)), g.const(np.sin(angles)), g.causal(tokens)
    norm, rotate = llama_parts(g, width, head, cos, sin)
    third, many, joined = (g.const(v, np.int64) for v in ([2], [1, groups, heads // groups, tokens, head], [1, heads, tokens, head]))

    def repeat(x):
        return x if groups == heads else g.op("Reshape", g.op("Expand", g.op("Unsqueeze", x, third), many), joined)

    for _ in range(layers):
        n = norm(x)
        q, k, v = (g.heads(g.linear(n, tokens, count * head, width, bias=False), tokens, count, head, [0, 2, 1, 3]) for count in (heads, groups, groups))
        k = g.op("Transpose", repeat(rotate(k)), perm=[0, 1, 3, 2])
        mixed = g.attention(rotate(q), k, repeat(v), tokens, heads, head, mask)
        x = g.op("Add", x, g.linear(mixed, tokens, width, width, bias=False))
        n = norm(x)
        gate = g.linear(n, tokens, inner, width, bias=False)
        gate = g.op("Mul", gate, g.op("Sigmoid", gate))
        x = g.op("Add", x, g.linear(g.op("Mul", gate, g.linear(n, tokens, inner, width, bias=False)), tokens, width, inner, bias=False))
    g.finish(norm(x) if sparse else g.linear(norm(x), tokens, words, width, bias=False))


def toy64(folder, width=10, blocks=64):
    """65 blocks of 10 x 10: nothing but the overhead of 129 products."""
    g = Graph(folder, 7)
    x = g.input("x", np.random.default_rng(13).standard_normal((width, width), np.float32))

    def layer(x):
        g.flops += 2 * width ** 3
        return g.op("Relu", g.op("Gemm", x, g.weight(width, width, scale=0.4), g.weight(width), transB=1))

    x = layer(x)
    for _ in range(blocks):
        x = layer(g.op("Sigmoid", layer(x)))
    g.finish(x)


def encoder(g, x, tokens, width, heads, layers):
    """Layers of pre-norm attention and an MLP of four widths."""
    head = width // heads
    for _ in range(layers):
        n = g.layer_norm(x, width)
        q, k, v = (g.heads(g.linear(n, tokens, width, width), tokens, heads, head, axes) for axes in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
        x = g.op("Add", x, g.linear(g.attention(q, k, v, tokens, heads, head), tokens, width, width))
        hidden = gelu_erf(g, g.linear(g.layer_norm(x, width), tokens, 4 * width, width))
        x = g.op("Add", x, g.linear(hidden, tokens, width, 4 * width))
    return x


def vit(folder, width=768, heads=12, layers=12, patch=16):
    """ViT-B/16, one image of 224x224."""
    g = Graph(folder, 8)
    x = g.input("image", np.random.default_rng(14).standard_normal((1, 3, 224, 224), np.float32))
    side = 224 // patch
    tokens = side * side + 1
    g.flops += 2 * side * side * width * 3 * patch * patch
    x = g.op("Conv", x, g.weight(width, 3, patch, patch), g.weight(width), kernel_shape=[patch] * 2, strides=[patch] * 2, pads=[0] * 4)
    x = g.op("Transpose", g.op("Reshape", x, g.const([1, width, side * side], np.int64)), perm=[0, 2, 1])
    x = g.op("Add", g.op("Concat", g.weight(1, 1, width), x, axis=1), g.weight(1, tokens, width))
    x = encoder(g, x, tokens, width, heads, layers)
    first = g.op("Gather", g.layer_norm(x, width), g.const(0, np.int64), axis=1)
    g.finish(g.linear(first, 1, 1000, width))


def whisper(folder, frames=3000, width=384, heads=6, layers=4):
    """The encoder of Whisper tiny: two convolutions over 80 x 3000, then 1500 tokens."""
    g = Graph(folder, 9)
    x = g.input("mel", np.random.default_rng(15).standard_normal((1, 80, frames), np.float32))
    tokens = frames // 2
    for cin, stride in ((80, 1), (width, 2)):
        g.flops += 2 * (frames // stride) * width * cin * 3
        x = gelu_erf(g, g.op("Conv", x, g.weight(width, cin, 3), g.weight(width), kernel_shape=[3], strides=[stride], pads=[1, 1]))
    x = g.op("Add", g.op("Transpose", x, perm=[0, 2, 1]), g.weight(1, tokens, width))
    x = encoder(g, x, tokens, width, heads, layers)
    g.finish(g.layer_norm(x, width))


def convnext(folder, widths=(96, 192, 384, 768), blocks=(3, 3, 9, 3)):
    """ConvNeXt tiny, one image of 224x224: depthwise 7x7, then layer norm and an MLP with channels last."""
    g = Graph(folder, 10)
    x = g.input("image", np.random.default_rng(16).standard_normal((1, 3, 224, 224), np.float32))

    def patches(x, size, cin, cout, k):
        g.flops += 2 * (size // k) ** 2 * cout * cin * k * k
        return g.op("Conv", x, g.weight(cout, cin, k, k), g.weight(cout), kernel_shape=[k] * 2, strides=[k] * 2, pads=[0] * 4), size // k

    def norm(x, width):
        return g.op("Transpose", g.layer_norm(g.op("Transpose", x, perm=[0, 2, 3, 1]), width), perm=[0, 3, 1, 2])

    size, cin = 224, 3
    for width, count in zip(widths, blocks):
        if cin > 3:
            x = norm(x, cin)
        x, size = patches(x, size, cin, width, 4 if cin == 3 else 2)
        if cin == 3:
            x = norm(x, width)
        for _ in range(count):
            y = g.layer_norm(g.op("Transpose", g.conv(x, size, width, width, 7, 1, width), perm=[0, 2, 3, 1]), width)
            y = g.linear(gelu_erf(g, g.linear(y, size * size, 4 * width, width)), size * size, width, 4 * width)
            x = g.op("Add", x, g.op("Transpose", g.op("Mul", y, g.weight(width, mean=1.0)), perm=[0, 3, 1, 2]))
        cin = width
    pooled = g.layer_norm(g.op("Flatten", g.op("GlobalAveragePool", x), axis=1), cin)
    g.finish(g.linear(pooled, 1, 1000, cin))


def unet(folder, size=128, base=32, depth=4):
    """A U-Net over one image of 128x128: pairs of 3x3 convolutions, pooling down, transposed convolutions up, joins."""
    g = Graph(folder, 12)
    x = g.input("image", np.random.default_rng(17).standard_normal((1, 3, size, size), np.float32))

    def pair(x, size, cin, cout):
        return g.op("Relu", g.conv(g.op("Relu", g.conv(x, size, cin, cout, 3)), size, cout, cout, 3))

    kept, cin = [], 3
    for level in range(depth):
        x = pair(x, size, cin, base << level)
        kept.append(x)
        cin, x, size = base << level, g.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]), size // 2
    x, cin = pair(x, size, cin, 2 * cin), 2 * cin
    for level in reversed(range(depth)):
        g.flops += 2 * (2 * size) ** 2 * cin * cin // 2
        x = g.op("ConvTranspose", x, g.weight(cin, cin // 2, 2, 2), g.weight(cin // 2), kernel_shape=[2, 2], strides=[2, 2])
        size *= 2
        x, cin = pair(g.op("Concat", kept[level], x, axis=1), size, cin, cin // 2), cin // 2
    g.finish(g.conv(x, size, cin, 2, 1))


def decode(folder, kind="f32", width=2048, layers=4, heads=32, groups=4, inner=5632, past=512, words=8000):
    """One step of a Llama-style decoder: one token meets `past` cached ones; heads of a group share keys and values. `kind`
    is the type that weights have in memory: reading them is what the step costs."""
    g = Graph(folder, 6)
    data, head, each = np.random.default_rng(11), width // heads, heads // groups
    ids = g.input("input_ids", data.integers(0, words, (1, 1), np.int64))
    angles = past * 10000.0 ** (-np.arange(0, head, 2) / head)
    cos, sin = (g.const(f(np.concatenate([angles, angles]))) for f in (np.cos, np.sin))
    norm, rotate = llama_parts(g, width, head, cos, sin)
    many, joined = g.const([1, groups, each, past + 1, head], np.int64), g.const([1, heads, past + 1, head], np.int64)

    def linear(x, columns, k):
        g.flops += 2 * columns * k
        g.bytes += columns * k * {"f32": 4, "bf16": 2, "f16": 2, "int8": 1}[kind]
        return g.op("MatMul", x, g.narrow(kind, k, columns))

    def repeat(x):
        return g.op("Reshape", g.op("Expand", g.op("Unsqueeze", x, two_axis), many), joined)

    two_axis, caches = g.const([2], np.int64), []
    x = g.op("Gather", g.weight(words, width), ids)
    for layer in range(layers):
        old = [g.input(f"past_{name}_{layer}", data.standard_normal((1, groups, past, head), np.float32)) for name in ("key", "value")]
        n = norm(x)
        q = rotate(g.heads(linear(n, width, width), 1, heads, head, [0, 2, 1, 3]))
        k, v = (g.heads(linear(n, groups * head, width), 1, groups, head, [0, 2, 1, 3]) for _ in range(2))
        k, v = g.op("Concat", old[0], rotate(k), axis=2), g.op("Concat", old[1], v, axis=2)
        caches += [k, v]
        scores = g.op("Mul", g.op("MatMul", q, g.op("Transpose", repeat(k), perm=[0, 1, 3, 2])), g.const(1 / math.sqrt(head)))
        g.flops += 4 * heads * (past + 1) * head
        g.bytes += 2 * groups * past * head * 4
        mixed = g.op("Transpose", g.op("MatMul", g.op("Softmax", scores, axis=-1), repeat(v)), perm=[0, 2, 1, 3])
        x = g.op("Add", x, linear(g.op("Reshape", mixed, g.const([1, 1, width], np.int64)), width, width))
        n = norm(x)
        gate = linear(n, inner, width)
        x = g.op("Add", x, linear(g.op("Mul", g.op("Mul", gate, g.op("Sigmoid", gate)), linear(n, inner, width)), width, inner))
    g.finish(linear(norm(x), words, width), *caches)


def classify(g, x, width, classes=1000):
    g.flops += 2 * g.batch * width * classes
    flat = g.op("Flatten", g.op("GlobalAveragePool", x), axis=1)
    g.finish(g.op("Gemm", flat, g.weight(classes, width), g.weight(classes), transB=1))


def resnet50(folder, batch=1):
    """ResNet-50, images of 224x224, batch norms folded."""
    g = Graph(folder, 4, batch=batch)
    x = g.input("image", np.random.default_rng(9).standard_normal((batch, 3, 224, 224), np.float32))
    x = g.op("MaxPool", g.op("Relu", g.conv(x, 224, 3, 64, 7, 2)), kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    size, cin = 56, 64
    for stage, blocks in enumerate((3, 4, 6, 3)):
        width = 64 << stage
        for block in range(blocks):
            stride = 2 if stage and not block else 1
            y = g.op("Relu", g.conv(x, size, cin, width, 1))
            y = g.op("Relu", g.conv(y, size, width, width, 3, stride))
            y = g.conv(y, size // stride, width, 4 * width, 1)
            if not block:
                x = g.conv(x, size, cin, 4 * width, 1, stride)
            x, size, cin = g.op("Relu", g.op("Add", x, y)), size // stride, 4 * width
    classify(g, x, cin)


def mobilenetv3(folder):
    """MobileNetV3 small, one image of 224x224: depthwise convolutions, squeeze and excitation, hard swish."""
    g = Graph(folder, 5)
    x = g.input("image", np.random.default_rng(10).standard_normal((1, 3, 224, 224), np.float32))
    x, size, cin = g.op("HardSwish", g.conv(x, 224, 3, 16, 3, 2)), 112, 16
    table = ((3, 16, 16, 1, "Relu", 2), (3, 72, 24, 0, "Relu", 2), (3, 88, 24, 0, "Relu", 1), (5, 96, 40, 1, "HardSwish", 2),
             (5, 240, 40, 1, "HardSwish", 1), (5, 240, 40, 1, "HardSwish", 1), (5, 120, 48, 1, "HardSwish", 1), (5, 144, 48, 1, "HardSwish", 1),
             (5, 288, 96, 1, "HardSwish", 2), (5, 576, 96, 1, "HardSwish", 1), (5, 576, 96, 1, "HardSwish", 1))
    for kernel, wide, cout, squeeze, activation, stride in table:
        y = g.op(activation, g.conv(x, size, cin, wide, 1)) if wide != cin else x
        y, out = g.op(activation, g.conv(y, size, wide, wide, kernel, stride, wide)), size // stride
        if squeeze:
            narrow = (wide // 4 + 7) // 8 * 8
            s = g.op("Relu", g.conv(g.op("GlobalAveragePool", y), 1, wide, narrow, 1))
            y = g.op("Mul", y, g.op("HardSigmoid", g.conv(s, 1, narrow, wide, 1), alpha=1 / 6, beta=0.5))
        y = g.conv(y, out, wide, cout, 1)
        x, size, cin = g.op("Add", x, y) if stride == 1 and cin == cout else y, out, cout
    x = g.op("HardSwish", g.conv(x, size, cin, 576, 1))
    classify(g, x, 576)


def minilm(folder, batch=8, tokens=64):
    """The model of examples/minilm with its real weights, which scripts/setup.sh fetches; a made-up batch without padding."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    weights = os.path.join(root, ".venv", "share", "minilm", "model.safetensors")
    if not os.path.exists(weights):
        sys.exit("bench: minilm needs its weights, which scripts/setup.sh fetches; leave it out with --models")
    os.makedirs(os.path.join(folder, "data"), exist_ok=True)
    for path in (os.path.join(root, "examples", "minilm", "model.onnx"), weights):
        shutil.copy(path, folder)
    names = [i.name for i in onnx.load(os.path.join(folder, "model.onnx"), load_external_data=False).graph.input]
    ids = np.random.default_rng(6).integers(1000, 29000, (batch, tokens), np.int64)
    for k, name in enumerate(names):
        array = ids if "ids" in name and "type" not in name else np.ones_like(ids) if "mask" in name else np.zeros_like(ids)
        np.save(os.path.join(folder, "data", f"input_{k}.npy"), array)
    rows = batch * tokens
    flops = 6 * (2 * rows * (4 * 384 * 384 + 2 * 384 * 1536) + 4 * rows * tokens * 384)
    with open(os.path.join(folder, "model.json"), "w") as file:
        json.dump({"flops": flops, "bytes": 0, "inputs": names, "writer": writer()}, file)


WRITERS = {"minilm": minilm, "toy64": toy64, "gpt2": gpt2, "bert": bert, "bert_b8": lambda folder: bert(folder, 8), "vit": vit, "resnet50": resnet50,
           "resnet50_b8": lambda folder: resnet50(folder, 8), "mobilenetv3": mobilenetv3, "decode": decode, "whisper": whisper,
           "convnext": convnext, "unet": unet, "llama1024x8": lambda folder: llama(folder, 8, width=1024),
           **{f"decode_{kind}": lambda folder, kind=kind: decode(folder, kind) for kind in ("bf16", "f16", "int8")},
           **{f"llama512x{n}": lambda folder, n=n: llama(folder, n) for n in (2, 4, 8, 16, 32)},
           **{f"llama{n}": lambda folder, n=n: llama(folder, n, tokens=32, words=0, sparse=True) for n in (4, 16, 64)}}


def writer():
    """A model is written again when this file has changed."""
    with open(os.path.abspath(__file__), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:16]


def write(out, name):
    """The folder of a model."""
    folder = os.path.join(out, name)
    try:
        with open(os.path.join(folder, "model.json")) as file:
            if json.load(file).get("writer") == writer():
                return folder
    except (OSError, ValueError):
        pass
    WRITERS[name](folder)
    return folder


if __name__ == "__main__":
    for name in sys.argv[2:] or WRITERS:
        print(write(sys.argv[1], name))
