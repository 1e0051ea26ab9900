"""A graph in parts, in its own order: runs of nodes that tcc compiles and, between them, runs of nodes that torch executes.

Nodes outside of tcc are collectives, which are always called back (distributed.py), and under options={"fallback": "eager"} what tcc does not
support: operators, and tensors that it cannot read. Tensors go from part to part as they are, without a copy; what no later part reads is freed.
"""
import itertools
import operator
import re

import torch
from torch.fx import Graph, GraphModule
from torch.utils._pytree import tree_leaves

from tcc import distributed
from tcc._native import Error

_MESSAGE = re.compile(r'node "([^"]+)"[^\n]*?: (?:error: )?unsupported: (\'[^\n]*)')
_NAMES = re.compile(r' \(\d+ nodes: ((?:"[^"]*"(?:, )?)+)(?:\.\.\.)?\)$')


def compile(module, static, make, fallback):
    """The graph as a function of a list, and the nodes that torch runs with reasons. make(module, static) compiles a graph; static: numbers of
    the inputs that stay the same tensors."""
    outside = {node: "collective" for node in module.graph.nodes if distributed.is_collective(node)}
    if fallback:
        outside.update((node, reason) for node in module.graph.nodes if node.op == "call_function" and (reason := _foreign(node)))
    while True:
        parts = _cut(module, outside, static) if outside else [_Part(module, False, static, None, None, {})]
        functions, problems, refused = [], [], {}
        for part in parts:
            try:
                functions.append(_eager(part.module) if part.eager else make(part.module, part.static))
            except Error as error:
                about = _refused(error, part)
                if not about:
                    raise
                problems.append(error)
                refused.update(about)
        if not problems:
            return (_Parts(module, parts, functions) if outside else functions[0]), outside
        if not fallback:
            raise _joined(problems)
        outside.update(refused)


def _joined(problems):
    """One error of all."""
    if len(problems) == 1:
        return problems[0]
    error = Error("\n".join(str(problem) for problem in problems))
    error.code = problems[0].code
    return error


# ---- tensors that tcc cannot read ----
def is_ragged_size(value):
    """Whether it is the size of a nested tensor along which its parts differ: a name of its offsets, not a number."""
    return isinstance(value, torch.SymInt) and value.node.is_nested_int()


def unreadable(value):
    """Why a tensor cannot be read where it lies; Dynamo guards on each of these."""
    if is_ragged_size(value):
        return "is the ragged size of a nested tensor"
    if not isinstance(value, torch.Tensor):
        return None
    if value.device.type not in ("cpu", "cuda"):
        return f"is on {value.device}: tcc compiles for the CPU and for CUDA devices"
    if value.layout != torch.strided:
        return f"is {value.layout}"
    if value.is_neg() or value.is_conj():
        return "has its negative or conjugate bit set: resolve it before"
    return f"is {value.dtype}: parts of a graph take and give no complex numbers" if value.dtype.is_complex else None


def _foreign(node):
    """Why a node's tensors keep it outside of tcc."""
    for each in (*node.all_input_nodes, node):
        for value in tree_leaves(each.meta.get("val")):
            if reason := unreadable(value):
                return f"'{node.target}': {'the result' if each is node else each.name} {reason}"
    return None


# ---- what an error is about ----
def _names(part):
    """The graph's nodes by the names that the part has for them; those of inner graphs stand for the node that calls them."""
    return part.origin or _with_inner(part.module, {node.name: node for node in part.module.graph.nodes})


def _with_inner(module, names):
    for node in module.graph.nodes:
        for inner in node.all_input_nodes:
            held = getattr(module, inner.target, None) if inner.op == "get_attr" else None
            if isinstance(held, GraphModule):
                for name in _with_inner(held, {n.name: n for n in held.graph.nodes}):
                    names.setdefault(name, names[node.name])
    return names


def _refused(error, part):
    """The nodes that an error names, with reasons."""
    names, found = _names(part), {}
    for name, reason in _MESSAGE.findall(str(error)) if error.code == "unsupported" else ():
        several = _NAMES.search(reason)
        for each in [name, *(re.findall(r'"([^"]*)"', several[1]) if several else ())]:
            if each in names:
                found[names[each]] = _NAMES.sub("", reason)
    return found


# ---- cutting ----
class _Part:
    def __init__(self, module, eager, static, takes, gives, origin):
        self.module, self.eager, self.static = module, eager, static
        self.takes, self.gives = takes, gives  # nodes of the whole graph
        self.origin = origin  # nodes of the whole graph, by their names in the part


def _ordered(graph):
    """The nodes that compute, members of a tuple right behind it: no tuple lives in two parts."""
    def members(node):
        for user in node.users:
            if user.target is operator.getitem and user.args[0] is node:
                yield user
                yield from members(user)
    for node in graph.nodes:
        if node.op == "call_function" and node.target is not operator.getitem:
            yield node
            yield from members(node)


def _cut(module, outside, static):
    graph, result = module.graph, next(n for n in module.graph.nodes if n.op == "output")
    eager = dict.fromkeys(outside, True)
    for node in _ordered(graph):
        if node.target is operator.getitem and eager.get(node.args[0]):
            eager[node] = True
    kept = {node for i, node in enumerate(n for n in graph.nodes if n.op == "placeholder") if i in static}
    runs = [(side, list(nodes)) for side, nodes in itertools.groupby(_ordered(graph), lambda node: eager.get(node, False))]
    place = {node: i for i, (_, nodes) in enumerate(runs) for node in nodes}
    return [_part(module, side, nodes, [n for n in nodes if any(u is result or place[u] != i for u in n.users)], kept)
            for i, (side, nodes) in enumerate(runs)]


def _part(module, eager, nodes, gives, kept):
    inside = set(nodes)
    takes = list(dict.fromkeys(n for node in nodes for n in node.all_input_nodes if n not in inside and n.op != "get_attr"))
    graph, made = Graph(), {}
    for node in takes:
        made[node] = graph.placeholder(node.name)
        made[node].meta = dict(node.meta)
    for node in nodes:
        for constant in node.all_input_nodes:
            if constant.op == "get_attr" and constant not in made:
                made[constant] = graph.node_copy(constant)
        made[node] = graph.node_copy(node, lambda n: made[n])
    graph.output(tuple(made[node] for node in gives))
    part = GraphModule(module, graph)
    origin = _with_inner(part, {made[node].name: made[node] for node in nodes})
    whole = {made[node]: node for node in nodes}
    return _Part(part, eager, frozenset(i for i, node in enumerate(takes) if node in kept), takes, gives,
                 {name: whole[node] for name, node in origin.items()})


# ---- running ----
def _eager(module):
    return lambda arguments: module.forward(*arguments)


class _Parts:
    """The parts one behind the other, as one function of a list, which is emptied."""
    _boxed_call = True

    def __init__(self, module, parts, functions):
        nodes = module.graph.nodes
        inputs = [n for n in nodes if n.op == "placeholder"]
        slots = {node: i for i, node in enumerate([*inputs, *(n for part in parts for n in part.gives)])}
        results = next(n for n in nodes if n.op == "output").args[0]
        last = {node: i for i, part in enumerate(parts) for node in (*part.takes, *part.gives)}
        last.update(dict.fromkeys((n for n in results if isinstance(n, torch.fx.Node)), len(parts)))
        self.steps = [(function, [slots[n] for n in part.takes], [slots[n] for n in part.gives],
                       [slots[n] for n in last if last[n] == i and n in slots]) for i, (part, function) in enumerate(zip(parts, functions))]
        self.results = [("slot", slots[n]) if n in slots else ("object", getattr(module, n.target)) if isinstance(n, torch.fx.Node)
                        else ("object", n) for n in results]
        self.ninputs, self.nslots = len(inputs), len(slots)

    def __call__(self, arguments):
        values = [*arguments, *[None] * (self.nslots - self.ninputs)]
        if isinstance(arguments, list):
            arguments.clear()
        for function, takes, gives, done in self.steps:
            for slot, value in zip(gives, function([values[i] for i in takes])):
                values[slot] = value
            for slot in done:
                values[slot] = None
        return tuple(values[what] if how == "slot" else what for how, what in self.results)
