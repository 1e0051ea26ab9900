"""Common subexpressions of a joint graph, before it is cut into a forward and a backward graph.

torch's partitioner has this itself (functorch's config.cse), but takes from inductor what tells values in front of a mutation from those behind
it, and with that imports all of inductor: 1.3 s of CPU time in the first training graph of a process."""
import torch
from torch.fx import Node
from torch.fx.experimental.proxy_tensor import py_sym_types
from torch.utils._pytree import tree_leaves

EMPTY = {torch.ops.aten.empty.memory_format, torch.ops.aten.empty_like.default, torch.ops.aten.empty_strided.default, torch.ops.aten.new_empty.default}


def merge(graph, nforward):
    """Makes one of nodes that compute the same. A value that the backward pass needs stays apart from one that it does not, or the cut would save it; what
    lies in a result's memory stays apart from everything. nforward: how many of the graph's results are the forward pass's."""
    results = tree_leaves(next(node for node in reversed(graph.nodes) if node.op == "output").args[0])
    backward = _needed(results[nforward:])
    kept = {storage for node in results if (storage := _storage(node)) is not None}
    first, mutations = {}, 0
    for node in list(graph.nodes):
        if node.op != "call_function":
            continue
        if _mutates(node):
            mutations += 1
        if not _repeats(node) or _storage(node) in kept:
            continue
        try:
            key = (node.target, _form(node.args), _form(node.kwargs), node in backward, mutations, node.meta.get("recompute"), node.meta.get("ac_graph_id"))
            same = first.setdefault(key, node)
        except TypeError:  # an argument that has no hash
            continue
        if same is not node:
            node.replace_all_uses_with(same)
            graph.erase_node(node)


def _needed(nodes):
    """Nodes that these depend on, and they."""
    seen, waiting = set(), [node for node in nodes if isinstance(node, Node)]
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting.extend(node.all_input_nodes)
    return seen


def _storage(node):
    value = node.meta.get("val") if isinstance(node, Node) else None
    return value.untyped_storage()._cdata if isinstance(value, torch.Tensor) and value.layout == torch.strided else None


def _mutates(node):
    return isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable


def _repeats(node):
    """Whether the same operands give the same value, and nothing else happens."""
    target = node.target
    if isinstance(target, torch._ops.HigherOrderOperator) or node.is_impure():
        return False
    return not isinstance(target, torch._ops.OpOverload) or not (
        target._schema.is_mutable or target in EMPTY or torch.Tag.nondeterministic_seeded in target.tags)


def _form(value):
    """Arguments as a key: 1, 1.0 and True are not the same, nor are 0.0 and -0.0."""
    if isinstance(value, (tuple, list)):
        return tuple(_form(item) for item in value)
    if isinstance(value, dict):
        return tuple((name, _form(item)) for name, item in value.items())
    if isinstance(value, slice):
        return slice, _form(value.start), _form(value.stop), _form(value.step)
    if isinstance(value, py_sym_types):
        raise TypeError("a size that is no node")
    return value if isinstance(value, Node) else (type(value), repr(value) if isinstance(value, float) else value)
