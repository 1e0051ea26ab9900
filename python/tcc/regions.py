"""Repeated parts of Dynamo's graph become calls of one subgraph, before AOTAutograd: a layer is traced once.

    layer 0 ... layer 23 in line   =>   %1 = invoke_subgraph(region_0, %0, weights 0) ; %2 = invoke_subgraph(region_0, %1, weights 1) ; ...

Dynamo traces a stack of equal layers as a sequence that repeats: the nodes at i and at i + period have one label (operator, constants, types of
operands and result) for a while. Copies are cut at the place of the period across which fewest values live, as many copies as there are, and
checked: operands are inside of the copy in all copies or in none. The longest saving first, until none saves enough.

torch's invoke_subgraph takes no subgraph that writes to its operands or gives views of them; where that forbids the cut, the next best one is
tried, and if there is none the report says why. So it is with numbers that dynamic=True makes tensors of: in a subgraph torch knows nothing of
their values, and layer_norm and dropout ask. Random numbers are left in line, since each copy draws its own, and so are operators that ask whether a
matrix was regular (torch 2.15: a subgraph with one gives results without gradients).
"""
import collections
import operator

import torch
from torch.fx import Graph, GraphModule, Node

from tcc import compat, distributed, report

LEAST_SAVED = 24  # nodes
PERIODS = 12  # that are looked at
RANDOM = ("dropout", "rand", "randn", "rand_like", "randn_like", "randint", "randperm", "bernoulli", "bernoulli_", "multinomial", "normal",
          "normal_", "uniform_", "exponential_", "feature_dropout", "alpha_dropout", "rrelu")
CHECKED = ("cholesky", "inverse", "matrix_power", "_lu_with_info",
           *(f"linalg_{name}" for name in ("cholesky", "cond", "inv", "ldl_factor", "lu_factor", "matrix_power", "solve", "tensorinv", "tensorsolve")))
IN_PLACE = ("setitem", "__setitem__", *(f"i{name}" for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor",
                                                                "lshift", "rshift", "matmul", "concat")))
FLAGGED = ("relu", "relu6", "elu", "celu", "selu", "silu", "mish", "hardtanh", "hardswish", "hardsigmoid", "leaky_relu", "threshold")  # (x, ..., inplace)
ARITHMETIC = ("add", "sub", "rsub", "mul", "truediv", "div", "pow")  # of a tensor and a number, which may be anything
STATE = ("set_grad", "autocast", "saved_tensors", "_functorch", "inference_mode")  # of the thread


def fold(module):
    """Changes the graph in place; says in the report what was folded and what was not."""
    found, reasons = 0, {}
    while region := _best(_Sequence(module.graph), reasons):
        if not found:
            _constants_first(module.graph)
        _replace(module, region, f"region_{found}")
        found += 1
        report.note("folds", copies=len(region.copies), nodes=len(region.copies[0]), reason=None)
    for reason in reasons if not found else ():
        report.note("folds", copies=0, nodes=0, reason=reason)
    if found:
        module.graph.lint()
        module.recompile()


def _constants_first(graph):
    """Dynamo has parameters as constants where torch's freezing is on, each in front of the operator that reads it first: a call of a region, which
    stands where its copy began, reads all of them."""
    first = next(node for node in graph.nodes if node.op not in ("placeholder", "get_attr"))
    for node in list(graph.nodes):
        if node.op == "get_attr":
            first.prepend(node)


# ---- labels ----
class _Sequence:
    """The nodes that compute, in order, each with the number of its label; barriers, which no region has, are the only ones of theirs."""

    def __init__(self, graph):
        self.nodes = [n for n in graph.nodes if n.op not in ("placeholder", "output", "get_attr")]
        self.place = {node: i for i, node in enumerate(self.nodes)}
        numbers = {}
        self.labels = [-1 - i if _is_barrier(node) else numbers.setdefault(_label(node), len(numbers)) for i, node in enumerate(self.nodes)]
        self.live = _live(self)
        self.vain = set()  # nodes that nothing comes of
        for node, label in zip(reversed(self.nodes), reversed(self.labels)):
            if label >= 0 and self.vain.issuperset(node.users) and not _written(node):
                self.vain.add(node)


def _label(node):
    return node.op, node.target, _form(node.args), _form(node.kwargs), _type(node.meta.get("example_value"))


def _form(value):
    """An argument as something hashable, with the type of a node in its place."""
    if isinstance(value, Node):
        return "node", _type(value.meta.get("example_value"))
    if isinstance(value, tuple | list):
        return type(value).__name__, *(_form(v) for v in value)
    if isinstance(value, dict):
        return "dict", *((key, _form(v)) for key, v in value.items())
    if isinstance(value, slice):
        return "slice", _form(value.start), _form(value.stop), _form(value.step)
    return type(value).__name__, repr(value)


def _type(value):
    if isinstance(value, torch.Tensor):
        strides = [str(n) for n in value.stride()] if value.layout == torch.strided else None
        return (value.dtype, value.device, value.layout, value.requires_grad, *(str(n) for n in value.shape), "by", *(strides or ()))
    if isinstance(value, tuple | list):
        return tuple(_type(v) for v in value)
    return type(value).__name__, str(value)


def _name(node):
    return node.target if isinstance(node.target, str) else getattr(node.target, "__name__", str(node.target))


def _is_barrier(node):
    name = _name(node)
    if node.op == "call_module" or name.split(".")[0] in CHECKED or isinstance(node.target, torch._ops.HigherOrderOperator) or distributed.is_collective(node):
        return True
    return name.split(".")[0] in RANDOM and _draws(node) or any(word in name for word in STATE) or _attention_drops(node)


def _draws(node):
    """dropout(x, p, training) draws only when training."""
    if "dropout" not in _name(node):
        return True
    return node.kwargs.get("training", node.args[2] if len(node.args) > 2 else True) and node.kwargs.get("p", node.args[1] if len(node.args) > 1 else 0.5) != 0


def _attention_drops(node):
    return _name(node) == "scaled_dot_product_attention" and bool(node.kwargs.get("dropout_p", node.args[4] if len(node.args) > 4 else 0))


def _live(sequence):
    """How many values live across the place before node i."""
    changes = [0] * (len(sequence.nodes) + 2)
    for i, node in enumerate(sequence.nodes):
        last = max((sequence.place.get(user, len(sequence.nodes)) for user in node.users), default=i)
        changes[i + 1] += 1
        changes[last + 1] -= 1
    live = []
    for change in changes:
        live.append((live[-1] if live else 0) + change)
    return live


# ---- finding the best ----
class _Region:
    def __init__(self, copies, inputs, outputs):
        self.copies = copies  # lists of nodes
        self.inputs = inputs  # for each input, its value in each copy
        self.outputs = outputs  # places in a copy


def _best(sequence, reasons):
    runs = sorted((run for period in _periods(sequence.labels) for run in _runs(sequence.labels, period)), reverse=True)
    for saved, start, period, length in runs[:PERIODS]:
        for first, count in _cuts(sequence, start, period, length):
            region = _check(sequence, first, period, count, reasons)
            if region:
                return region
    return None


def _periods(labels):
    """Distances between a label and its next occurrence, the commonest first."""
    last, distances = {}, collections.Counter()
    for i, label in enumerate(labels):
        if label >= 0:
            if label in last:
                distances[i - last[label]] += 1
            last[label] = i
    return [period for period, _ in distances.most_common(PERIODS)]


def _runs(labels, period):
    """(nodes saved, start, period, length) of stretches that repeat with this period."""
    start = None
    for i in range(len(labels) - period + 1):
        same = i + period < len(labels) and labels[i] == labels[i + period]
        if same and start is None:
            start = i
        if not same and start is not None:
            length = i - start + period
            if (saved := (length // period - 1) * period) >= LEAST_SAVED:
                yield saved, start, period, length
            start = None


def _cuts(sequence, start, period, length):
    """(first node, copies): cuts that save nearly as much as the best, those across which fewest values live first."""
    cuts = [(first, (start + length - first) // period) for first in range(start, min(start + period, start + length - 2 * period + 1))]
    most = max(count for _, count in cuts)
    near = [(first, count) for first, count in cuts if 8 * (count - 1) >= 7 * (most - 1) and (count - 1) * period >= LEAST_SAVED]
    return sorted(near, key=lambda cut: (sequence.live[cut[0] + (cut[1] // 2) * period], -cut[1], cut[0]))


def _check(sequence, first, period, count, reasons):
    """The region of this cut; None if the copies are not wired alike, or, with a reason, if torch forbids it."""
    copies = [sequence.nodes[first + c * period:first + (c + 1) * period] for c in range(count)]
    inputs = {}
    for offset in range(period):
        for operands in zip(*(_operands(copy[offset]) for copy in copies)):
            places = [sequence.place.get(node, -1) - first - c * period for c, node in enumerate(operands)]
            if 0 <= places[0] < period and all(place == places[0] for place in places):
                continue
            if any(0 <= place < period for place in places):
                return None
            inputs.setdefault(operands)
    ends = [offset for offset in range(period) if any(_leaves(sequence, copy[offset], first + c * period, period) for c, copy in enumerate(copies))]
    alike = [len({operands[c] for operands in inputs}) == len(inputs) and not _adds_gradients(sequence, copy, ends) for c, copy in enumerate(copies)]
    if not all(alike):
        skip, left = _longest(alike)
        return _check(sequence, first + skip * period, period, left, reasons) if (left - 1) * period >= LEAST_SAVED else None
    region = _Region(copies, list(inputs), ends)
    reason = _forbidden(region)
    if reason:
        reasons.setdefault(reason)
    return None if reason else region


def _longest(flags):
    """(first, length) of the longest stretch that is true. A copy that reads one value where others read two is no pattern: torch would trace
    the two as one. Nor is one that would give gradients to what has none."""
    best = start = 0, 0
    for i, flag in enumerate(flags):
        start = (start[0], start[1] + 1) if flag else (i + 1, 0)
        best = max(best, start, key=lambda stretch: stretch[1])
    return best


def _adds_gradients(sequence, copy, ends):
    """Whether something that requires a gradient is read for results alone that nothing comes of behind this copy, though behind others: it has
    no gradient, and would have zeros as an operand of a subgraph that gives these results."""
    inside = set(copy)
    used = {offset for offset in ends if not sequence.vain.issuperset(user for user in copy[offset].users if user not in inside)}
    for_used, for_others = (_read_for([copy[offset] for offset in ends if (offset in used) == is_used], inside) for is_used in (True, False))
    return any(isinstance(value := node.meta.get("example_value"), torch.Tensor) and value.requires_grad for node in for_others - for_used)


def _read_for(nodes, inside):
    """What those of these nodes of a copy that require gradients are made of, from outside of the copy."""
    seen, left = set(), [node for node in nodes if getattr(node.meta.get("example_value"), "requires_grad", True)]
    while left:
        for operand in _operands(left.pop()):
            if operand not in seen:
                seen.add(operand)
                if operand in inside:
                    left.append(operand)
    return seen - inside


def _operands(node):
    """Nodes among the arguments, in order, as often as they stand there."""
    found = []
    torch.fx.map_arg((node.args, node.kwargs), found.append)
    return found


def _leaves(sequence, node, start, period):
    return any(not start <= sequence.place.get(user, -1) < start + period for user in node.users)


# ---- what torch's invoke_subgraph does not take ----
def _forbidden(region):
    copy = region.copies[0]
    values = [operands[0].meta.get("example_value") for operands in region.inputs]
    results = [copy[offset].meta.get("example_value") for offset in region.outputs]
    if not all(isinstance(value, torch.Tensor | int | torch.SymInt) for value in values):
        return f"a region of {len(copy)} nodes reads something else than tensors and sizes"
    if not results or not all(isinstance(value, torch.Tensor) for value in results):
        return f"a region of {len(copy)} nodes gives something else than tensors"
    if any(compat.is_wrapped(node.meta.get("example_value")) for node in copy) or any(map(compat.is_wrapped, values)):
        return f"a region of {len(copy)} nodes lies within torch.vmap or another transformation of torch.func"
    outer, given = {compat.storage(value) for value in values} - {None}, set()
    for node in copy:
        if _name(node) == "item":
            for user in node.users:
                if _name(user) not in ARITHMETIC:
                    return f"{_user(user)} asks for a number, which is not known within a region ({_name(user)})"
        for written in _written(node):
            if compat.storage(written.meta.get("example_value")) in outer:
                return f"{_user(node)} writes to what its region is given ({_name(node)})"
    for offset, value in zip(region.outputs, results):
        own = compat.storage(value)
        if own in outer:
            return f"{_user(copy[offset])} gives a view of what its region is given ({_name(copy[offset])})"
        if own in given:
            return f"{_user(copy[offset])} gives a view of another result of its region ({_name(copy[offset])})"
        given.add(own)
    return None


def _written(node):
    """The operands that a node of Dynamo's graph writes to."""
    name, operands = _name(node), _operands(node)
    if isinstance(node.target, torch._ops.OpOverload):
        return [a for a, argument in zip(node.args, node.target._schema.arguments) if argument.is_write and isinstance(a, Node)]
    out = [node.kwargs["out"]] if isinstance(node.kwargs.get("out"), Node) else []
    if name == "batch_norm" and (node.kwargs.get("training") or any(a is True for a in node.args[5:6])):
        return operands[1:3] + out
    in_place = name in IN_PLACE or node.kwargs.get("inplace") or (name.endswith("_") and not name.endswith("__") and name not in ("and_", "or_", "not_", "is_"))
    in_place = in_place or (name in FLAGGED and any(a is True for a in node.args[1:]))
    return operands[:1] + out if in_place else out


def _user(node):
    """The user's line, as far as the node knows it."""
    lines = (node.meta.get("stack_trace") or "").strip().splitlines()
    places = [line.strip() for line in lines if line.strip().startswith("File ")]
    return places[-1] if places else node.name


# ---- replacing ----
def _replace(module, region, name):
    """Each copy becomes a call of the subgraph `name`."""
    graph, moved = module.graph, {}
    module.add_submodule(name, GraphModule(module, _subgraph(region)))
    for c, copy in enumerate(region.copies):
        inside = set(copy)
        with graph.inserting_before(copy[0]):
            operands = (moved.get(each[c], each[c]) for each in region.inputs)
            call = graph.call_function(compat.invoke_subgraph, (graph.get_attr(name), name, *operands))
            call.meta = {"example_value": tuple(copy[offset].meta["example_value"] for offset in region.outputs)}
            for i, offset in enumerate(region.outputs):
                moved[copy[offset]] = value = graph.call_function(operator.getitem, (call, i))
                value.meta = dict(copy[offset].meta)
                copy[offset].replace_all_uses_with(value, delete_user_cb=lambda user: user not in inside)
        for node in reversed(copy):
            graph.erase_node(node)


def _subgraph(region):
    """The first copy as a graph."""
    graph, made = Graph(), {}
    for i, (operand, *_) in enumerate(region.inputs):
        made[operand] = graph.placeholder(f"input_{i}")
        made[operand].meta = {"example_value": operand.meta.get("example_value")}
    for node in region.copies[0]:
        made[node] = graph.node_copy(node, made.__getitem__)
    graph.output(tuple(made[region.copies[0][offset]] for offset in region.outputs))
    return graph
