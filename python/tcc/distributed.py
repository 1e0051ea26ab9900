"""Graphs of several processes: a collective inside of a graph is torch's, called back between two compiled parts.

torch.distributed's functional collectives are operators of these name spaces; their tensors go to torch and come back as they are.
"""
import torch

SPACES = ("_c10d_functional", "_c10d_functional_autograd", "c10d", "c10d_functional", "_dtensor", "fsdp", "symm_mem")


def is_collective(node):
    """Whether a node of a graph communicates, or waits for what does."""
    return isinstance(node.target, torch._ops.OpOverload | torch._ops.OpOverloadPacket) and namespace(node.target) in SPACES


def namespace(target):
    """"aten" of aten.relu.default."""
    packet = getattr(target, "overloadpacket", target)
    return packet._qualified_op_name.split("::")[0]
