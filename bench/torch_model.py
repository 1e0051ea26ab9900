"""torch_model.py - an ONNX graph as a torch.fx.GraphModule, for PyTorch as a peer: one definition of a model, not two.

Nodes become the calls that a PyTorch program would make: products with a weight are F.linear on a weight stored as
nn.Linear does, softmax(q k' * s + mask) v is F.scaled_dot_product_attention. The graph is run once while it is built,
on the inputs given: shapes that the ONNX graph computes become numbers, constants are folded. An op without a rule is an
error that names all such ops.

Programs keep equal layers in a ModuleList, which is where `accelerate.utils.compile_regions` looks for them; a flat graph has none.
So the longest run of equal layers (`longest_run`) becomes one, each layer a Layer with weights of its own and code that all share.
"""
import operator

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import helper, numpy_helper


class Value:
    """node: of the fx graph, None for a constant; example: its tensor; origin: the ONNX node that made it."""

    def __init__(self, example, node=None, origin=None):
        self.example, self.node, self.origin = example, node, origin

    @property
    def const(self):
        return self.node is None

    def ints(self):
        if not self.const:
            raise NotImplementedError("an integer operand that is not a constant")
        return [int(v) for v in self.example.reshape(-1).tolist()]


class Builder:
    def __init__(self, model, feeds):
        self.root, self.graph, self.values, self.made = torch.nn.Module(), torch.fx.Graph(), {}, {}
        onnx_graph = model.graph
        for initializer in onnx_graph.initializer:
            self.values[initializer.name] = Value(torch.from_numpy(numpy_helper.to_array(initializer).copy()))
        for given in onnx_graph.input:
            if given.name in feeds:
                self.values[given.name] = Value(torch.from_numpy(feeds[given.name]), self.graph.placeholder(given.name.replace(".", "_")))
        self.uses = {}
        for node in onnx_graph.node:
            for name in node.input:
                self.uses[name] = self.uses.get(name, 0) + 1
        missing = sorted({n.op_type for n in onnx_graph.node} - set(RULES))
        if missing:
            raise NotImplementedError("no rule for " + ", ".join(missing))
        for node in onnx_graph.node:
            attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
            inputs = [self.values[name] if name else None for name in node.input]
            results = RULES[node.op_type](self, node, attributes, *inputs)
            for name, value in zip(node.output, results if isinstance(results, (list, tuple)) else [results]):
                value.origin = (node, inputs)
                self.values[name] = value
        self.graph.output(tuple(self.tracked(self.values[o.name]) for o in onnx_graph.output))
        self.graph.eliminate_dead_code()

    def tracked(self, value):
        if value.node is not None:
            return value.node
        if id(value) not in self.made:
            name = f"weight_{len(self.made)}"
            self.root.register_buffer(name, value.example)
            self.made[id(value)] = self.graph.get_attr(name), value
        return self.made[id(value)][0]

    def call(self, function, *arguments, **options):
        """One call of the graph; folded if no tensor operand varies."""
        example = torch.fx.node.map_aggregate((arguments, options), lambda a: a.example if isinstance(a, Value) else a)
        found = []
        torch.fx.node.map_aggregate((arguments, options), lambda a: found.append(a) if isinstance(a, Value) else None)
        with torch.no_grad():
            result = function(*example[0], **example[1])
        if all(v.const for v in found):
            return [Value(r) for r in result] if isinstance(result, (list, tuple)) else Value(result)
        arguments, options = torch.fx.node.map_aggregate((arguments, options), lambda a: self.tracked(a) if isinstance(a, Value) else a)
        node = self.graph.call_function(function, tuple(arguments), dict(options))
        node.meta["like"] = str(result.shape) if isinstance(result, torch.Tensor) else ""
        if isinstance(result, (list, tuple)):
            parts = [self.graph.call_function(operator.getitem, (node, i)) for i in range(len(result))]
            for part, value in zip(parts, result):
                part.meta["like"] = str(value.shape)
            return [Value(r, part) for r, part in zip(result, parts)]
        return Value(result, node)

    def single(self, value, kind):
        """The ONNX node and inputs of a value of this kind that has one use."""
        if value is None or value.origin is None or value.origin[0].op_type != kind or self.uses.get(value.origin[0].output[0]) != 1:
            return None
        return value.origin

    def linear(self, x, weight, bias=None):
        """weight: [k, n] of ONNX; nn.Linear keeps [n, k]."""
        key = ("t", id(weight))
        if key not in self.made:
            self.made[key] = Value(weight.example.t().contiguous()), weight
        return self.call(F.linear, x, self.made[key][0], bias)


def binary(function):
    def rule(b, node, attributes, x, y):
        number = lambda v: v.example.item() if v.const and v.example.numel() == 1 and v.example.dim() < 2 else v  # noqa: E731
        return b.call(function, x if not y.const else number(x) if not x.const else x, number(y) if not x.const else y)
    return rule


def unary(function):
    return lambda b, node, attributes, x: b.call(function, x)


def add(b, node, attributes, x, y):
    for product, bias in ((x, y), (y, x)):
        made = b.single(product, "MatMul")
        if made and made[1][1].const and made[1][1].example.dim() == 2 and bias.const and bias.example.dim() == 1:
            return b.linear(made[1][0], made[1][1], bias)
    return binary(torch.add)(b, node, attributes, x, y)


def attention(b, left, v):
    """softmax(scores) as the left operand of a product: (q, k, mask, scale), or None."""
    where = b.single(left, "Where")
    if where and where[1][2].origin and where[1][2].origin[0].op_type == "Softmax":
        softmax = where[1][2].origin
    else:
        softmax = b.single(left, "Softmax")
    if not softmax or helper.get_attribute_value(softmax[0].attribute[0]) not in (-1, v.example.dim() - 1):
        return None
    scores, mask, scale = softmax[1][0], None, 1.0
    sum_ = b.single(scores, "Add")
    if sum_:
        scores, mask = sum_[1]
    product = b.single(scores, "Mul")
    if product and product[1][1].const and product[1][1].example.numel() == 1:
        scores, scale = product[1][0], product[1][1].example.item()
    dot = b.single(scores, "MatMul")
    if not dot:
        return None
    return dot[1][0], b.call(torch.transpose, dot[1][1], -2, -1), mask, scale


def matmul(b, node, attributes, x, y):
    if y.const and y.example.dim() == 2:
        return b.linear(x, y)
    found = attention(b, x, y) if y.example.dim() == 4 else None
    if found:
        q, k, mask, scale = found
        return b.call(F.scaled_dot_product_attention, q, k, y, attn_mask=mask, scale=scale)
    return b.call(torch.matmul, x, y)


def gemm(b, node, attributes, x, w, bias=None):
    if attributes.get("alpha", 1.0) != 1.0 or attributes.get("beta", 1.0) != 1.0 or attributes.get("transA"):
        raise NotImplementedError("Gemm with alpha, beta or transA")
    return b.call(F.linear, x, w, bias) if attributes.get("transB") else b.linear(x, w, bias)


def reshape(b, node, attributes, x, shape):
    sizes = [x.example.shape[i] if s == 0 and not attributes.get("allowzero") else s for i, s in enumerate(shape.ints())]
    return b.call(torch.reshape, x, sizes)


def gather(b, node, attributes, x, at):
    axis = attributes.get("axis", 0)
    if at.const and at.example.dim() == 0:
        return b.call(torch.select, x, axis, int(at.example))
    if axis == 0 and x.example.dim() == 2 and x.example.is_floating_point():
        return b.call(F.embedding, at, x)
    return b.call(operator.getitem, x, (slice(None),) * axis + (at,))


def gather_nd(b, node, attributes, x, at):
    if attributes.get("batch_dims", 0):
        raise NotImplementedError("GatherND with batch_dims")
    return b.call(operator.getitem, x, tuple(b.call(torch.select, at, -1, i) for i in range(at.example.shape[-1])))


def split(b, node, attributes, x, sizes=None):
    return b.call(torch.split, x, sizes.ints() if sizes else x.example.shape[attributes["axis"]] // len(node.output), attributes.get("axis", 0))


def slice_(b, node, attributes, x, starts, ends, axes=None, steps=None):
    index = [slice(None)] * x.example.dim()
    axes = axes.ints() if axes else range(len(starts.ints()))
    for start, end, axis, step in zip(starts.ints(), ends.ints(), axes, steps.ints() if steps else [1] * len(starts.ints())):
        if step < 1:
            raise NotImplementedError("Slice with a negative step")
        index[axis] = slice(start, min(end, x.example.shape[axis]), step)
    return b.call(operator.getitem, x, tuple(index))


def reduce(function):
    def rule(b, node, attributes, x, axes=None):
        over = axes.ints() if axes else list(attributes.get("axes", range(x.example.dim())))
        return b.call(function, x, over, keepdim=bool(attributes.get("keepdims", 1)))
    return rule


def conv(b, node, attributes, x, w, bias=None):
    n = w.example.dim() - 2
    pads = list(attributes.get("pads", [0] * 2 * n))
    if pads[:n] != pads[n:]:
        x, pads = b.call(F.pad, x, [p for i in reversed(range(n)) for p in (pads[i], pads[n + i])]), [0] * 2 * n
    strides, dilations, groups = (list(attributes.get(k, [1] * n)) for k in ("strides", "dilations")), None, attributes.get("group", 1)
    strides, dilations = strides
    return b.call({1: F.conv1d, 2: F.conv2d, 3: F.conv3d}[n], x, w, bias, strides, pads[:n], dilations, groups)


def conv_transpose(b, node, attributes, x, w, bias=None):
    pads = list(attributes.get("pads", [0] * 4))
    return b.call(F.conv_transpose2d, x, w, bias, list(attributes.get("strides", [1, 1])), pads[:2], list(attributes.get("output_padding", [0, 0])))


def max_pool(b, node, attributes, x):
    pads = list(attributes.get("pads", [0] * 4))
    return b.call(F.max_pool2d, x, list(attributes["kernel_shape"]), list(attributes.get("strides", [1, 1])), pads[:2])


def cast(b, node, attributes, x):
    return b.call(torch.Tensor.to, x, torch.from_numpy(np.zeros(1, helper.tensor_dtype_to_np_dtype(attributes["to"]))).dtype)


def unsqueeze(b, node, attributes, x, axes):
    rank = x.example.dim() + len(axes.ints())
    for axis in sorted(a % rank for a in axes.ints()):
        x = b.call(torch.unsqueeze, x, axis)
    return x


def expand(b, node, attributes, x, shape):
    return b.call(torch.broadcast_to, x, list(torch.broadcast_shapes(tuple(x.example.shape), tuple(shape.ints()))))


def clip(b, node, attributes, x, low=None, high=None):
    return b.call(torch.clamp, x, low.example.item() if low else None, high.example.item() if high else None)


def hard_sigmoid(b, node, attributes, x):
    if abs(attributes.get("alpha", 0.2) - 1 / 6) > 1e-6 or attributes.get("beta", 0.5) != 0.5:
        raise NotImplementedError("HardSigmoid other than relu6(x + 3) / 6")
    return b.call(F.hardsigmoid, x)


def constant(b, node, attributes):
    return Value(torch.from_numpy(numpy_helper.to_array(attributes["value"]).copy()))


RULES = {
    "Add": add, "Sub": binary(torch.sub), "Mul": binary(torch.mul), "Div": binary(torch.div), "Pow": binary(torch.pow),
    "Max": lambda b, n, a, x, y: b.call(torch.maximum, x, y), "And": binary(torch.logical_and), "GreaterOrEqual": binary(torch.ge),
    "Where": lambda b, n, a, c, x, y: b.call(torch.where, c, x, y), "IsNaN": unary(torch.isnan),
    "Tanh": unary(torch.tanh), "Erf": unary(torch.erf), "Sigmoid": unary(torch.sigmoid), "Relu": unary(torch.relu), "Sqrt": unary(torch.sqrt),
    "Neg": unary(torch.neg), "HardSwish": unary(F.hardswish), "HardSigmoid": hard_sigmoid, "Clip": clip,
    "Gelu": lambda b, n, a, x: b.call(F.gelu, x, approximate=a.get("approximate", b"none").decode()),
    "Softmax": lambda b, n, a, x: b.call(torch.softmax, x, a.get("axis", -1)),
    "LayerNormalization": lambda b, n, a, x, w, c=None: b.call(F.layer_norm, x, list(w.example.shape), w, c, a.get("epsilon", 1e-5)),
    "MatMul": matmul, "Gemm": gemm, "Conv": conv, "ConvTranspose": conv_transpose, "MaxPool": max_pool,
    "GlobalAveragePool": lambda b, n, a, x: b.call(torch.mean, x, list(range(2, x.example.dim())), keepdim=True),
    "ReduceMean": reduce(torch.mean), "ReduceSum": reduce(torch.sum),
    "ReduceL2": reduce(lambda x, over, keepdim: torch.linalg.vector_norm(x, 2, over, keepdim)),
    "Reshape": reshape, "Transpose": lambda b, n, a, x: b.call(torch.permute, x, list(a["perm"])),
    "Flatten": lambda b, n, a, x: b.call(torch.flatten, x, a.get("axis", 1)), "Gather": gather, "GatherND": gather_nd, "Split": split,
    "Slice": slice_, "Concat": lambda b, n, a, *x: b.call(torch.cat, list(x), a["axis"]), "Expand": expand, "Unsqueeze": unsqueeze,
    "Squeeze": lambda b, n, a, x, axes=None: b.call(torch.squeeze, x, tuple(axes.ints())) if axes else b.call(torch.squeeze, x),
    "Shape": lambda b, n, a, x: Value(torch.tensor(list(x.example.shape)[a.get("start", 0):a.get("end", None)])),
    "Range": lambda b, n, a, x, y, z: b.call(lambda *v: torch.arange(*(int(i) for i in v)), x, y, z),
    "Cast": cast, "Constant": constant,
}


# ---- equal layers ----

class Layer(torch.nn.Module):
    def __init__(self, body, weights):
        super().__init__()
        self.body, self.count = body, len(weights)
        for i, weight in enumerate(weights):
            self.register_buffer(f"weight_{i}", weight)

    def forward(self, *values):
        return self.body(*values, *[getattr(self, f"weight_{i}") for i in range(self.count)])


class Layered(torch.nn.Module):
    """Values are numbered as they arise: results of `head`, then of each layer; `wiring` has what each layer takes, `last` what `tail` takes."""

    def __init__(self, head, layers, tail, wiring, last):
        super().__init__()
        self.head, self.layers, self.tail, self.wiring, self.last = head, torch.nn.ModuleList(layers), tail, wiring, last

    def forward(self, *inputs):
        values = list(self.head(*inputs))
        for layer, wires in zip(self.layers, self.wiring):
            values += layer(*[values[i] for i in wires])
        return self.tail(*[values[i] for i in self.last])


def operands(node):
    found = []
    torch.fx.node.map_arg((node.args, node.kwargs), found.append)
    return found


def equal(module, place, a, b, period):
    """Whether b does what a does, on values that are the same or `period` operations further, with weights of the same shape."""
    if a.target is not b.target or a.meta["like"] != b.meta["like"]:
        return False
    mask = lambda n: torch.fx.node.map_arg((n.args, dict(n.kwargs)), lambda _: None)  # noqa: E731
    if str(mask(a)) != str(mask(b)):
        return False
    for x, y in zip(operands(a), operands(b)):
        if x is not y and x.op == "get_attr" == y.op:
            if getattr(module, x.target).shape != getattr(module, y.target).shape:
                return False
        elif x is not y and not x.op == "placeholder" == y.op and (x not in place or y not in place or place[y] - place[x] != period):
            return False
    return True


def longest_run(module, ops, place):
    """(start, period, copies) of the longest run of equal stretches of operations; copies 0 if there is none to speak of."""
    best = (0, 0, 0)
    for period in range(3, len(ops) // 2 + 1):
        length = 0
        for i in range(len(ops) - period):
            length = length + 1 if equal(module, place, ops[i], ops[i + period], period) else 0
            if (length + period) // period * period > best[1] * best[2] and length >= period:
                best = (i + 1 - length, period, (length + period) // period)
    return best if best[1] * best[2] * 4 > len(ops) else (0, 0, 0)


def part(module, nodes, inputs, outputs):
    """A module of these operations; values of `inputs` are its arguments."""
    graph, known, kept = torch.fx.Graph(), {}, torch.nn.Module()
    for i, node in enumerate(inputs):
        known[node] = graph.placeholder(f"value_{i}")

    def get(node):
        if node not in known:
            kept.register_buffer(node.target, getattr(module, node.target))
            known[node] = graph.get_attr(node.target)
        return known[node]
    for node in nodes:
        known[node] = graph.node_copy(node, get)
    graph.output(tuple(get(n) for n in outputs))
    return torch.fx.GraphModule(kept, graph)


def layered(module):
    """The module with its longest run of equal layers in a ModuleList; as it is if it has none."""
    ops = [n for n in module.graph.nodes if n.op == "call_function"]
    place = {n: i for i, n in enumerate(ops)}
    start, period, copies = longest_run(module, ops, place)
    if not copies:
        return module
    end = start + period * copies
    blocks = [ops[start + k * period:start + (k + 1) * period] for k in range(copies)]
    given = [n for n in module.graph.nodes if n.op == "placeholder"]
    results = list(next(n for n in module.graph.nodes if n.op == "output").args[0])
    inside = lambda k, n: n in place and start + k * period <= place[n] < start + (k + 1) * period  # noqa: E731

    def outer(k):
        return [x for n in blocks[k] for x in operands(n) if not inside(k, x)]
    # Weights are what differs from layer to layer; all else that comes from outside is an argument.
    pairs = [(x, y) for x, y in zip(outer(0), outer(1))]
    weight = {x for x, y in pairs if x is not y and x.op == "get_attr"}
    arguments = list(dict.fromkeys(i for i, (x, _) in enumerate(pairs) if x not in weight and x not in [p for p, _ in pairs[:i]]))
    own = list(dict.fromkeys(i for i, (x, _) in enumerate(pairs) if x in weight and x not in [p for p, _ in pairs[:i]]))
    used = {n: [place[u] if u in place else len(ops) for u in n.users] for n in ops}
    kept = [j for j in range(period) if any(any(u >= start + (k + 1) * period for u in used[blocks[k][j]]) for k in range(copies))]
    body = part(module, blocks[0], [outer(0)[i] for i in arguments + own], [blocks[0][j] for j in kept])
    layers = [Layer(body, [getattr(module, outer(k)[i].target) for i in own]) for k in range(copies)]
    wanted = [x for k in range(copies) for x in (outer(k)[i] for i in arguments)] + [x for n in ops[end:] for x in operands(n) if x.op != "get_attr"] + results
    before = list(dict.fromkeys(x for x in wanted if x not in place or place[x] < start))
    numbers = {n: i for i, n in enumerate(before)}
    for k in range(copies):
        numbers.update({blocks[k][j]: len(numbers) + i for i, j in enumerate(kept)})
    wiring = [[numbers[outer(k)[i]] for i in arguments] for k in range(copies)]
    after = list(dict.fromkeys(x for x in [x for n in ops[end:] for x in operands(n) if x.op != "get_attr"] + results if x in numbers))
    return Layered(part(module, ops[:start], given, before), layers, part(module, ops[end:], after, results), wiring, [numbers[n] for n in after])


def load(path, feeds):
    """The module of an ONNX file; feeds: arrays by input name."""
    builder = Builder(onnx.load(path), feeds)
    return layered(torch.fx.GraphModule(builder.root, builder.graph)).eval()
