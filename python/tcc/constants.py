"""Tensors that inner graphs have as attributes, handed to them by who calls them.

A graph that torch.ops.higher_order.invoke_subgraph calls may make tensors of numbers (`torch.tensor(0.5)`), which AOTAutograd keeps as attributes of
the inner graph. In a program's schema constants are inputs of the outermost graph alone. So each becomes an attribute of the graph
outside, and an operand of every call; what is two graphs deep goes out twice.
"""
import torch
from torch.fx import GraphModule

from tcc import compat


def lift(module):
    """Afterwards no graph that invoke_subgraph calls has a tensor of its own."""
    calls = {}
    for node in module.graph.find_nodes(op="call_function", target=compat.invoke_subgraph):
        calls.setdefault(getattr(module, node.args[0].target), []).append(node)
    for inner, users in calls.items():
        lift(inner)
        for constant in _tensors(inner):
            _give(module, users, constant.target, getattr(inner, constant.target))
            _take(inner, constant)
        inner.recompile()
    if calls:
        module.recompile()


def _tensors(inner):
    """A node for each tensor that a graph has as an attribute."""
    if not isinstance(inner, GraphModule):
        return []
    found = {}
    for node in inner.graph.find_nodes(op="get_attr"):
        if isinstance(getattr(inner, node.target), torch.Tensor):
            found.setdefault(node.target, node)
    return list(found.values())


def _give(module, users, target, value):
    """One more operand of these calls, an attribute of the graph that they stand in."""
    name = f"{users[0].args[0].target}_{target}"
    while hasattr(module, name):
        name += "_"
    setattr(module, name, value)
    for node in users:
        with module.graph.inserting_before(node):
            operand = module.graph.create_node("get_attr", name)  # get_attr() of torch 2.11 wants parameters and buffers
        operand.meta["val"] = value
        node.args = (*node.args, operand)


def _take(inner, constant):
    """One more input of a graph in place of its attribute."""
    last = [node for node in inner.graph.nodes if node.op == "placeholder"][-1:]
    with inner.graph.inserting_after(last[0]) if last else inner.graph.inserting_before():
        taken = inner.graph.placeholder(constant.target.replace(".", "_"))
    taken.meta["val"] = getattr(inner, constant.target)
    for node in inner.graph.find_nodes(op="get_attr"):
        if node.target == constant.target:
            node.replace_all_uses_with(taken)
            inner.graph.erase_node(node)
