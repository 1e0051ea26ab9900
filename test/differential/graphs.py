"""Random ONNX graphs, built node by node, in the manner of NNSmith (Liu et al., ASPLOS 2023).

Each node is run alone by onnxruntime, without its optimisations, when it is added: so shapes and values of all tensors are known
while the graph grows, whatever does not fit or leaves a sane range is dropped, and the expected outputs are there in the end. Each
tensor has a second value, from operands that are off by their rounding: how far the two are apart says what an implementation may
differ by. Operators are the functions marked `op`: each takes what fits of the tensors there are and adds some nodes."""
import math
import random

import numpy as np
import onnx
import onnxruntime
from onnx import helper

onnxruntime.set_default_logger_severity(4)
OPTIONS = onnxruntime.SessionOptions()
OPTIONS.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
OPTIONS.intra_op_num_threads = OPTIONS.inter_op_num_threads = 1
OPTIONS.log_severity_level = 4
OPSETS = [helper.make_opsetid("", 23)]
ROUNDING = {np.dtype(np.float32): 2.0**-22, np.dtype(np.float64): 2.0**-46, np.dtype(np.float16): 2.0**-10}
EXACT = set("""Transpose Reshape Flatten Squeeze Unsqueeze Expand Tile Concat Split Slice Gather GatherElements ScatterElements
Pad DepthToSpace SpaceToDepth Trilu Relu Neg Abs Min Max Clip Where MaxPool ReduceMax ReduceMin""".split())
OPERATORS = []


class Unfit(Exception):
    """What was tried does not fit, or has no sane value."""


def op(weight):
    def register(function):
        OPERATORS.append((weight, function))
        return function
    return register


def is_float(array):
    return array.dtype in ROUNDING


def element(array):
    return helper.np_dtype_to_tensor_dtype(array.dtype)


def tensor(name, array):
    return onnx.numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name)


def model_of(nodes, inputs, outputs, initializers):
    return helper.make_model(helper.make_graph(nodes, "g", inputs, outputs, initializers), opset_imports=OPSETS, ir_version=10)


def run_node(node, values, constants):
    names = [n for n in dict.fromkeys(node.input) if n]
    inputs = [n for n in names if n not in constants]
    model = model_of([node], [helper.make_tensor_value_info(n, element(values[n]), values[n].shape) for n in inputs],
                     [onnx.ValueInfoProto(name=n) for n in node.output], [tensor(n, values[n]) for n in names if n in constants])
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), OPTIONS, providers=["CPUExecutionProvider"])
        return [np.asarray(r) for r in session.run(None, {n: values[n] for n in inputs})]
    except Exception as error:
        raise Unfit(str(error)) from error


class Graph:
    def __init__(self, seed):
        self.choose = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.nodes, self.inputs, self.constants, self.value, self.noisy, self.count = [], [], set(), {}, {}, 0
        self.dtype = np.dtype(self.choose.choices([np.float32, np.float64, np.float16], [8, 1, 2])[0])
        for _ in range(self.choose.randrange(1, 4)):
            self.input(self.shape())
        size, tries = self.choose.choice([3, 6, 12, 24]), 0
        weights, functions = zip(*OPERATORS)
        while len(self.nodes) < size and (tries := tries + 1) < 6 * size:
            try:
                x = self.choose.choices(functions, weights)[0](self)
                if self.choose.random() < 0.05:
                    self.repeat(x)
            except Unfit:
                pass
        if not self.nodes:
            raise Unfit("no node")
        used = {i for n in self.nodes for i in n.input}
        self.outputs = [o for n in self.nodes for o in n.output if o not in used]
        self.dynamic = self.choose.random() < 0.3

    def name(self):
        self.count += 1
        return f"t{self.count}"

    def shape(self, rank=None):
        rank = rank if rank is not None else self.choose.choices(range(7), [1, 3, 6, 8, 6, 2, 1])[0]
        sizes = [1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 33, 65] + ([0] if self.choose.random() < 0.03 else [])
        while True:
            shape = [self.choose.choice(sizes) for _ in range(rank)]
            if np.prod(shape) <= 6000:
                return shape

    def random(self, shape, dtype=None, scale=1.0):
        dtype = np.dtype(dtype or self.dtype)
        if dtype in ROUNDING:
            return np.asarray(self.numbers.standard_normal(shape) * scale).astype(dtype)
        return np.asarray(self.numbers.integers(0, 2 if dtype == bool else 9, shape)).astype(dtype)

    def input(self, shape, dtype=None):
        n = self.name()
        self.value[n] = self.noisy[n] = self.random(shape, dtype)
        self.inputs.append(n)
        return n

    def known(self, array):
        """An input of this value."""
        n = self.name()
        self.value[n] = self.noisy[n] = np.asarray(array)
        self.inputs.append(n)
        return n

    def constant(self, array, dtype=None):
        n = self.name()
        self.value[n] = self.noisy[n] = np.asarray(array, dtype or getattr(array, "dtype", np.int64))
        self.constants.add(n)
        return n

    def weight(self, shape, scale=None, dtype=None):
        scale = scale or 1 / math.sqrt(max(1, np.prod(shape[1:])))
        return self.constant(self.random(shape, dtype, scale))

    def emit(self, kind, inputs, outputs=1, **attributes):
        names = [self.name() for _ in range(outputs)]
        node = helper.make_node(kind, inputs, names, name=self.name(), **attributes)
        results = run_node(node, self.value, self.constants)
        for r in results:
            if r.size > 40000 or is_float(r) and not (np.abs(r.astype(np.float64)) < 3000).all():
                raise Unfit("range")
        noisy = run_node(node, self.noisy, self.constants)
        if any(r.shape != q.shape for r, q in zip(results, noisy)):
            raise Unfit("rounding decides a size")
        for n, r, q in zip(names, results, noisy):
            if is_float(r) and kind not in EXACT and r.size:
                wide = r.astype(np.float64)
                step = ROUNDING[r.dtype] * (np.abs(wide) + 0.2 * np.sqrt(np.mean(wide**2)))
                q = np.asarray(q.astype(np.float64) + step * self.numbers.uniform(-1, 1, r.shape)).astype(r.dtype)
            self.value[n], self.noisy[n] = r, q
        self.nodes.append(node)
        return names[0]

    def pick(self, fits, make):
        found = [n for n in self.inputs + [o for x in self.nodes for o in x.output] if fits(self.value[n])]
        return self.choose.choice(found[-6:] if self.choose.random() < 0.6 else found) if found and self.choose.random() < 0.9 else make()

    def floats(self, rank=None, least=0):
        fits = lambda a: a.dtype == self.dtype and a.ndim >= least and rank in (None, a.ndim)
        return self.pick(fits, lambda: self.input(self.shape(rank if rank is not None else max(least, 2))))

    def integers(self, *types):
        type = self.choose.choice(types)
        return self.pick(lambda a: a.dtype == type and a.size, lambda: self.input(self.shape(), type))

    def filled(self, rank=None, least=0):
        x = self.floats(rank, least)
        if not self.value[x].size:
            raise Unfit("empty")
        return x

    def axis(self, x):
        rank = self.value[x].ndim
        return self.choose.randrange(rank) - (rank if self.choose.random() < 0.4 else 0)

    def repeat(self, last):
        """The node that made `last` some times more, each on the last result, with weights of its own: regions that are copies."""
        node = self.nodes[-1]
        first = node.input[0]
        if self.value[first].shape != self.value[last].shape:
            return
        for _ in range(self.choose.randrange(1, 5)):
            inputs = [last] + [self.constant(self.numbers.permutation(self.value[i].ravel()).reshape(self.value[i].shape))
                               if i in self.constants and is_float(self.value[i]) else i for i in node.input[1:]]
            last = self.emit(node.op_type, inputs, len(node.output), **{a.name: helper.get_attribute_value(a) for a in node.attribute})

    def model(self, nodes=None, inputs=None, outputs=None):
        """The model, or one of some of its nodes, and the names of the inputs that it reads."""
        nodes, outputs = nodes or self.nodes, outputs or self.outputs
        read = {i for n in nodes for i in n.input}
        inputs = [i for i in inputs or self.inputs if i in read]
        size = lambda d: f"d{d}" if self.dynamic and d > 1 else d
        info = lambda n, dims: helper.make_tensor_value_info(n, element(self.value[n]), dims)
        return model_of(nodes, [info(i, [size(d) for d in self.value[i].shape]) for i in inputs],
                        [info(o, [f"{o}_{k}" for k in range(self.value[o].ndim)]) for o in outputs],
                        [tensor(c, self.value[c]) for c in sorted(self.constants & read)]), inputs


def broadcast_of(g, shape):
    kept = [d if g.choose.random() < 0.7 else 1 for d in shape]
    return kept[g.choose.randrange(len(kept)):] if kept and g.choose.random() < 0.3 else kept


@op(5)
def unary(g):
    kind = g.choose.choice("Abs Atan Cos Erf Exp Log Neg Reciprocal Relu Sigmoid Sin Softplus Sqrt Tanh Elu LeakyRelu HardSigmoid Gelu".split())
    if kind == "Erf" and g.dtype == np.float64:
        raise Unfit("the peer has none")
    return g.emit(kind, [g.floats()])


@op(8)
def binary(g):
    x = g.floats()
    kind = g.choose.choice(["Add", "Sub", "Mul", "Div", "Min", "Max", "PRelu"])
    shape = broadcast_of(g, g.value[x].shape)
    y = g.constant(np.abs(g.random(shape)) + g.dtype.type(0.5)) if kind == "Div" else g.weight(shape, 1.0)
    return g.emit(kind, [y, x] if kind in ("Add", "Sub", "Mul") and g.choose.random() < 0.3 else [x, y])


@op(3)
def residual(g):
    x = g.floats()
    return g.emit("Add", [x, g.pick(lambda a: a.dtype == g.dtype and a.shape == g.value[x].shape, lambda: x)])


@op(1)
def where(g):
    x = g.floats()
    return g.emit("Where", [g.input(broadcast_of(g, g.value[x].shape), bool), x, g.weight(broadcast_of(g, g.value[x].shape), 1.0)])


@op(4)
def reduction(g):
    x = g.filled(least=1)
    axes = g.choose.sample(range(g.value[x].ndim), g.choose.randrange(1, min(3, g.value[x].ndim) + 1))
    kind = g.choose.choice(["ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp"])
    return g.emit(kind, [x, g.constant(axes)], keepdims=g.choose.choice([0, 1]))


@op(3)
def rows(g):
    kind = g.choose.choice(["Softmax", "Softmax", "LogSoftmax", "LayerNormalization", "CumSum"])
    x = g.filled(least=1)
    if kind == "CumSum":
        return g.emit(kind, [x, g.constant(g.axis(x))], exclusive=g.choose.choice([0, 1]), reverse=g.choose.choice([0, 1]))
    if kind == "LayerNormalization":
        return g.emit(kind, [x, g.weight(g.value[x].shape[-1:], 1.0), g.weight(g.value[x].shape[-1:], 1.0)], epsilon=1e-2)
    return g.emit(kind, [x], axis=g.axis(x))


@op(4)
def transpose(g):
    x = g.floats(least=2)
    return g.emit("Transpose", [x], perm=g.choose.sample(range(g.value[x].ndim), g.value[x].ndim))


@op(4)
def reshape(g):
    x = g.filled(least=1)
    shape = list(g.value[x].shape)
    k = g.choose.randrange(len(shape))
    if len(shape) > 1 and g.choose.random() < 0.5:
        k = min(k, len(shape) - 2)
        shape[k:k + 2] = [shape[k] * shape[k + 1]]
    else:
        divisor = g.choose.choice([d for d in range(1, shape[k] + 1) if shape[k] % d == 0])
        shape[k:k + 1] = [divisor, shape[k] // divisor]
    shape[g.choose.randrange(len(shape))] = -1
    return g.emit("Reshape", [x, g.constant(shape)])


@op(4)
def concat(g):
    x = g.floats(least=1)
    axis, shape = g.axis(x), list(g.value[x].shape)
    alike = lambda a: a.dtype == g.dtype and a.ndim == len(shape) and all(p == q for k, (p, q) in enumerate(zip(shape, a.shape)) if k != axis % len(shape))
    return g.emit("Concat", [x] + [g.pick(alike, lambda: g.input(shape)) for _ in range(g.choose.randrange(1, 4))], axis=axis)


@op(3)
def split(g):
    x = g.floats(least=1)
    axis = g.axis(x)
    size = g.value[x].shape[axis]
    if size < 2:
        raise Unfit("too small")
    first = g.choose.randrange(1, size)
    return g.emit("Split", [x, g.constant([first, size - first])], 2, axis=axis)


@op(4)
def slice_steps(g):
    x = g.filled(least=1)
    axis = g.axis(x)
    size, step = g.value[x].shape[axis], g.choose.choice([1, 1, 2, 3, -1, -2])
    start = g.choose.randrange(size)
    start, end = (start, g.choose.choice([size, 2**63 - 1])) if step > 0 else (size - 1 - start // 2, -(2**31))
    return g.emit("Slice", [x, g.constant([start]), g.constant([end]), g.constant([axis]), g.constant([step])])


@op(3)
def gather(g):
    x = g.filled(least=1)
    axis = g.axis(x)
    size = g.value[x].shape[axis]
    shape = g.choose.choice([[], [1], [3], [2, 3]])
    return g.emit("Gather", [x, g.constant(g.numbers.integers(-size, size, shape))], axis=axis)


@op(2)
def pad(g):
    x = g.filled(least=1)
    rank = g.value[x].ndim
    mode = g.choose.choice(["constant", "edge", "reflect"])
    most = [min(3, d - 1) if mode == "reflect" else 3 for d in g.value[x].shape]
    return g.emit("Pad", [x, g.constant([g.choose.randrange(m + 1) for m in most + most])], mode=mode)


@op(2)
def expand(g):
    x = g.floats(least=1)
    return g.emit("Expand", [x, g.constant([g.choose.choice([1, 3]) if d == 1 else d for d in g.value[x].shape])])


@op(7)
def product(g):
    x = g.floats(least=1)
    depth, width = g.value[x].shape[-1], g.choose.choice([1, 3, 8, 16, 17, 33, 65])
    batch = broadcast_of(g, g.value[x].shape[:-2]) if g.choose.random() < 0.2 else []
    y = g.emit("MatMul", [x, g.weight(batch + [depth, width], 1 / math.sqrt(depth + 1))])
    if g.choose.random() < 0.5:
        y = g.emit("Add", [y, g.weight([width], 1.0)])
    return g.emit(g.choose.choice(["Relu", "Gelu", "Sigmoid"]), [y]) if g.choose.random() < 0.4 else y


@op(7)
def convolution(g):
    spatial = g.choose.choice([1, 2, 2, 2, 3])
    make = lambda: g.input([g.choose.choice([1, 2]), g.choose.choice([1, 3, 8, 16, 17, 32])] + [g.choose.choice([3, 5, 8, 11]) for _ in range(spatial)])
    x = g.pick(lambda a: a.dtype == g.dtype and a.ndim == spatial + 2 and 0 < a.size < 20000, make)
    channels = g.value[x].shape[1]
    groups = g.choose.choice([1, 1, 1, channels] + [d for d in range(1, channels + 1) if channels % d == 0])
    kernel = [g.choose.choice([1, 1, 2, 3, 3, 5]) for _ in range(spatial)]
    attributes = {"group": groups, "pads": g.choose.choice([[k // 2 for k in kernel] * 2, [g.choose.randrange(k + 1) for k in kernel * 2]])}
    attributes["strides"] = [g.choose.choice([1, 1, 2, 3]) for _ in kernel]
    if g.choose.random() < 0.2:
        attributes["dilations"] = [g.choose.choice([1, 2]) for _ in kernel]
    out = groups * g.choose.choice([1, 2] if groups > 4 else [1, 3, 8, 16, 17, 32])
    y = g.emit("Conv", [x, g.weight([out, channels // groups] + kernel), g.weight([out], 1.0)], **attributes)
    if g.choose.random() < 0.3:
        y = g.emit("BatchNormalization", [y] + [g.weight([out], 1.0) for _ in range(3)] + [g.constant(np.abs(g.random([out])) + g.dtype.type(0.5))])
    return g.emit(g.choose.choice(["Relu", "Sigmoid", "LeakyRelu"]), [y]) if g.choose.random() < 0.5 else y


@op(3)
def pool(g):
    spatial = g.choose.choice([1, 2, 2, 3])
    make = lambda: g.input([1, g.choose.choice([1, 3, 17])] + [g.choose.choice([5, 7, 8]) for _ in range(spatial)])
    x = g.pick(lambda a: a.dtype == g.dtype and a.ndim == spatial + 2 and min(a.shape) > 0 and min(a.shape[2:]) > 2, make)
    kernel = [g.choose.choice([1, 2, 3]) for _ in range(spatial)]
    return g.emit(g.choose.choice(["MaxPool", "AveragePool"]), [x], kernel_shape=kernel, pads=[g.choose.randrange((k + 1) // 2) for k in kernel * 2],
                  strides=[g.choose.choice([1, 2, 3]) for _ in kernel], ceil_mode=g.choose.choice([0, 0, 1]))


@op(3)
def attention(g):
    make = lambda: g.input([g.choose.choice([1, 2]), g.choose.choice([1, 3, 7, 16, 33]), g.choose.choice([8, 16, 32])])
    x = g.pick(lambda a: a.dtype == g.dtype and a.ndim == 3 and 0 < a.shape[1] < 70 and a.shape[2] % 4 == 0 and a.size, make)
    batch, queries, width = g.value[x].shape
    heads = g.choose.choice([1, 2, 4])

    def project():
        y = g.emit("Add", [g.emit("MatMul", [x, g.weight([width, width])]), g.weight([width], 0.3)])
        return g.emit("Transpose", [g.emit("Reshape", [y, g.constant([0, 0, heads, width // heads])])], perm=[0, 2, 1, 3])

    q, k, v = project(), project(), project()
    if g.choose.random() < 0.3:
        k, v = (g.emit("Concat", [g.input([batch, heads, 3, width // heads]), t], axis=2) for t in (k, v))
    scores = g.emit("MatMul", [q, g.emit("Transpose", [k], perm=[0, 1, 3, 2])])
    scores = g.emit("Mul", [scores, g.constant(g.dtype.type(math.sqrt(heads / width)))])
    keys = g.value[scores].shape[-1]
    if g.choose.random() < 0.6:
        mask = np.tril(np.ones((queries, keys)), keys - queries)
        scores = g.emit("Add", [scores, g.constant(np.where(mask > 0, 0, -1000).astype(g.dtype))])
    y = g.emit("MatMul", [g.emit("Softmax", [scores], axis=-1), v])
    y = g.emit("Reshape", [g.emit("Transpose", [y], perm=[0, 2, 1, 3]), g.constant([0, 0, width])])
    return g.emit("Add", [g.emit("MatMul", [y, g.weight([width, width])]), x])


@op(4)
def arithmetic(g):
    x = g.integers(np.int8, np.uint8, np.int32, np.int64, np.uint32)
    value = g.value[x]
    kind = g.choose.choice(["Add", "Sub", "Mul", "Div", "Mod", "Min", "Max", "BitwiseAnd", "BitwiseXor", "Equal", "Less", "ReduceSum", "ReduceMax", "CumSum"])
    if kind == "CumSum":
        if not value.ndim or value.dtype not in (np.int32, np.int64):
            raise Unfit("not for this type")
        return g.emit(kind, [x, g.constant(g.axis(x))], exclusive=g.choose.choice([0, 1]))
    if kind.startswith("Reduce"):
        return g.emit(kind, [x], keepdims=g.choose.choice([0, 1]))
    return g.emit(kind, [x, g.constant(g.random(broadcast_of(g, value.shape), value.dtype) + value.dtype.type(kind in ("Div", "Mod")))])


@op(3)
def cast(g):
    types = [g.dtype, np.dtype(np.float32), np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.int8), np.dtype(np.uint8), np.dtype(bool)]
    x = g.pick(lambda a: not is_float(a), lambda: g.input(g.shape(), g.choose.choice(types[2:])))
    return g.emit("Cast", [x], to=helper.np_dtype_to_tensor_dtype(g.choose.choice(types)))


@op(5)
def indexed(g):
    x = g.filled(least=1)
    shape, axis = g.value[x].shape, g.axis(x)
    kind = g.choose.choice(["GatherElements", "GatherND", "ScatterElements", "ScatterND", "TopK", "ArgMax", "OneHot"])
    place = lambda size, dims: g.numbers.integers(-size, size, dims)
    given = lambda array: g.constant(array) if g.choose.random() < 0.5 else g.known(array)
    if kind == "GatherElements":
        return g.emit(kind, [x, given(place(shape[axis], [g.choose.randrange(1, d + 1) for d in shape]))], axis=axis)
    if kind == "ScatterElements":
        part = [g.choose.randrange(1, d + 1) for d in shape]
        return g.emit(kind, [x, given(place(shape[axis], part)), g.weight(part, 1.0)], axis=axis, reduction=g.choose.choice(["add", "max", "min"]))
    if kind in ("GatherND", "ScatterND"):
        depth = g.choose.randrange(1, len(shape) + 1)
        index = np.stack([place(d, [3]) for d in shape[:depth]], -1)
        if kind == "GatherND":
            return g.emit(kind, [x, given(index)])
        return g.emit(kind, [x, given(index), g.weight([3] + list(shape[depth:]), 1.0)], reduction=g.choose.choice(["add", "max", "min"]))
    if kind == "TopK":
        return g.emit(kind, [x, g.constant([g.choose.randrange(1, shape[axis] + 1)])], 2, axis=axis, largest=g.choose.choice([0, 1]))
    if kind == "ArgMax":
        return g.emit(kind, [x], axis=axis, keepdims=g.choose.choice([0, 1]), select_last_index=g.choose.choice([0, 1]))
    return g.emit(kind, [given(place(5, [4])), g.constant(np.int64(5)), g.constant(np.array([0, 1], np.float32))], axis=g.choose.choice([0, -1]))


@op(5)
def quantised(g):
    if g.dtype != np.float32:
        raise Unfit("not for this type")
    x, type = g.filled(least=2), g.choose.choice([np.int8, np.uint8])
    scale, zero = g.constant(np.float32(0.05)), g.constant(type(g.choose.choice([0, 3])))
    kind = g.choose.choice(["pairs", "pairs", "dynamic", "product"])
    if kind == "dynamic":
        q = g.emit("DynamicQuantizeLinear", [x], 3)
        y, point = g.nodes[-1].output[1:]
        depth = g.value[x].shape[-1]
        sums = g.emit("MatMulInteger", [q, g.constant(g.random([depth, 17], np.int8)), point])
        return g.emit("Mul", [g.emit("Cast", [sums], to=onnx.TensorProto.FLOAT), y])
    q = g.emit("QuantizeLinear", [x, scale, zero])
    if kind == "product":
        depth = g.value[x].shape[-1]
        return g.emit("QLinearMatMul", [q, scale, zero, g.constant(g.random([depth, 9], np.int8)), g.constant(np.float32(0.1)), g.constant(np.int8(0)),
                                        g.constant(np.float32(0.3)), zero])
    return g.emit("DequantizeLinear", [q, scale, zero])


@op(5)
def upsampling(g):
    x = g.pick(lambda a: a.dtype == g.dtype and a.ndim == 4 and 0 < a.size < 6000, lambda: g.input([1, g.choose.choice([1, 3, 16]), 5, 6]))
    if g.choose.random() < 0.5:
        channels, kernel = g.value[x].shape[1], g.choose.choice([1, 2, 3, 4])
        groups = g.choose.choice([1, channels])
        w = g.weight([channels, g.choose.choice([1, 3, 16]) if groups == 1 else 1, kernel, kernel], 0.2)
        return g.emit("ConvTranspose", [x, w], group=groups, strides=[g.choose.choice([1, 2, 3]), 2], pads=[g.choose.randrange(kernel) for _ in range(4)],
                      dilations=[1, g.choose.choice([1, 1, 2])])
    mode = g.choose.choice(["nearest", "linear", "cubic"])
    places = g.choose.choice(["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"])
    # Corners of a part of a pixel are the peer's own, and where a pixel begins is a matter of rounding if that decides between two.
    factors = [1, 2] if places == "align_corners" else [0.5, 1, 2] if mode == "nearest" else [0.4, 0.5, 1, 1.7, 2, 3]
    factors = g.constant(np.array([1, 1, g.choose.choice(factors), g.choose.choice(factors)], np.float32))
    return g.emit("Resize", [x, "", factors], mode=mode, coordinate_transformation_mode=places, nearest_mode="floor" if places == "asymmetric" else "round_prefer_floor")


@op(2)
def einsum(g):
    x = g.filled(3)
    b, i, j = g.value[x].shape
    text, shape = g.choose.choice([("bij,jk->bik", [j, 5]), ("bij,bjk->bik", [b, j, 5]), ("bij,kj->ikb", [3, j]), ("bij,ij->b", [i, j]), ("bij,bij->ji", [b, i, j])])
    return g.emit("Einsum", [x, g.weight(shape)], equation=text)


@op(2)
def recurrent(g):
    x = g.pick(lambda a: a.dtype == np.float32 and a.ndim == 3 and 0 < a.shape[0] < 12 and a.size, lambda: g.input([g.choose.choice([1, 4, 9]), 2, 5], np.float32))
    kind, gates = g.choose.choice([("LSTM", 4), ("GRU", 3), ("RNN", 1)])
    hidden, way = g.choose.choice([3, 8, 16]), g.choose.choice(["forward", "reverse", "bidirectional"])
    count = 2 if way == "bidirectional" else 1
    w, r = (g.weight([count, gates * hidden, d], 0.3, np.float32) for d in (g.value[x].shape[2], hidden))
    return g.emit(kind, [x, w, r, g.weight([count, 2 * gates * hidden], 0.3, np.float32)], 2, hidden_size=hidden, direction=way)


@op(2)
def control(g):
    x = g.filled(least=1)
    shape, info = g.value[x].shape, lambda n, s, t=element(g.value[x]): helper.make_tensor_value_info(n, t, s)
    if g.choose.random() < 0.5:
        nodes = [helper.make_node("Identity", ["go"], ["on"]), helper.make_node("Tanh", ["s"], ["t"]), helper.make_node("Mul", ["t", "t"], ["row"])]
        body = helper.make_graph(nodes, "body", [info("i", [], 7), info("go", [], 9), info("s", shape)], [info("on", [], 9), info("t", shape), info("row", shape)])
        trips = np.int64(g.choose.choice([1, 3, 9]))
        return g.emit("Loop", [g.choose.choice([g.constant, g.known])(trips), g.constant(np.bool_(True)), x], 2, body=body)
    nodes = [helper.make_node("Add", ["s", "x"], ["a"]), helper.make_node("Tanh", ["a"], ["t"]), helper.make_node("Mul", ["t", "x"], ["row"])]
    body = helper.make_graph(nodes, "body", [info("s", shape[1:]), info("x", shape[1:])], [info("t", shape[1:]), info("row", shape[1:])])
    return g.emit("Scan", [g.input(shape[1:]), x], 2, body=body, num_scan_inputs=1, scan_input_directions=[g.choose.choice([0, 1])])


@op(2)
def counted(g):
    kind = g.choose.choice(["NonZero", "Compress", "NonMaxSuppression"])
    if kind == "NonMaxSuppression":
        n = g.choose.choice([1, 5, 40])
        limits = [g.constant(np.int64([g.choose.choice([2, 100])])), g.constant(np.float32([0.3])), g.constant(np.float32([g.choose.choice([-1.0, 0.4])]))]
        return g.emit(kind, [g.known(g.numbers.random([2, n, 4], np.float32)), g.known(g.numbers.random([2, 3, n], np.float32))] + limits)
    x = g.filled(least=1)
    if kind == "NonZero":
        return g.emit(kind, [g.input(g.value[x].shape, bool)])
    axis = g.axis(x)
    return g.emit(kind, [x, g.input([g.value[x].shape[axis]], bool)], axis=axis)
