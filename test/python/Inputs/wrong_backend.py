"""A backend that computes relu(x) + 1 for relu(x), by tcc: a wrong result to be minified."""
import torch
from torch.fx import Graph

from tcc import dynamo


def backend(module, inputs, **how):
    graph = module.graph
    for node in list(graph.nodes):
        if node.target is torch.relu:
            with graph.inserting_after(node):
                more = graph.call_function(torch.add, (node, 1))
            node.replace_all_uses_with(more, delete_user_cb=lambda user: user is not more)
    module.recompile()
    return dynamo.backend(module, inputs, **how)
