"""Operators that take graphs and that no row of aten.def has: they become the nodes of what torch computes for them.

flex_attention(query, key, value, score_mod, block_mask, ...) is, as in eager mode, a matrix of all scores that score_mod and mask_mod are computed
on, its softmax, and a product. What nobody takes of its results (logsumexp, maxima) is not computed.
"""
import operator

import torch
from torch.fx import GraphModule
from torch.fx.node import map_arg


def expand(module):
    """Afterwards neither the graph nor one that it calls has such an operator."""
    for node in list(module.graph.nodes):
        if isinstance(node.target, torch._ops.HigherOrderOperator) and node.target.name() == "flex_attention":
            from torch._higher_order_ops.flex_attention import math_attention
            _inline(module, node, math_attention)
    seen = {node.target for node in module.graph.find_nodes(op="get_attr")}
    for inner in (getattr(module, name, None) for name in sorted(seen)):
        if isinstance(inner, GraphModule):
            expand(inner)


def _inline(module, node, function):
    """The node's members as what function makes of its arguments. Their strides are those that the node promised."""
    from torch._dispatch.python import enable_python_dispatcher
    from torch._guards import detect_fake_mode
    from torch.fx.experimental.proxy_tensor import make_fx
    members = [user for user in node.users if user.target is operator.getitem]
    given = {n: _value(module, n) for n in node.all_input_nodes}
    traced = [n for n, value in given.items() if not isinstance(value, GraphModule)]
    fake = detect_fake_mode([given[n] for n in traced])

    def members_of(*values):
        known = {**given, **dict(zip(traced, values))}
        made = function(*map_arg(node.args, known.get), **map_arg(node.kwargs, known.get))
        return [made[member.args[1]] for member in members]
    with fake, enable_python_dispatcher():
        values = [fake.from_tensor(v) if isinstance(v, torch.Tensor) and not hasattr(v, "fake_mode") else v for v in map(given.get, traced)]
        inner = make_fx(members_of)(*values)
    inner.graph.eliminate_dead_code()
    made = dict(zip(inner.graph.find_nodes(op="placeholder"), traced))
    with module.graph.inserting_before(node):
        for each in inner.graph.nodes:
            if each.op == "output":
                results = [made[result] for result in each.args[0]]
            elif each.op != "placeholder":
                made[each] = _copied(module, inner, each, made, node.meta.get("stack_trace"))
    for member, result in zip(members, results):
        result.meta["val"] = member.meta["val"]
        member.replace_all_uses_with(result)
        module.graph.erase_node(member)
    module.graph.erase_node(node)
    module.recompile()


def _value(module, node):
    """What an argument is: a graph, or the tensor or number that torch traced."""
    held = getattr(module, node.target) if node.op == "get_attr" else None
    return held if isinstance(held, GraphModule) else node.meta.get("val", held)


def _copied(module, inner, node, made, trace):
    """A node of the inner graph in the outer one, with what it has as an attribute."""
    copy = module.graph.node_copy(node, made.__getitem__)
    if node.op == "get_attr":
        copy.target = "_" + copy.name
        while hasattr(module, copy.target):
            copy.target += "_"
        setattr(module, copy.target, getattr(inner, node.target))
    if trace:
        copy.meta["stack_trace"] = trace
    return copy
