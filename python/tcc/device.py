"""The device of a graph's tensors decides what it is compiled for.

All of them lie on one device, but for numbers (tensors of the CPU without axes), which go to either. Tensors on cuda:0 mean the target nvptx for its
chip; work then goes to torch's current stream, and results come from torch's allocator (python/native/device.c).
"""
import torch

from tcc._native import Error, gpu_chip


def settings_for(graph, settings):
    """The settings with the target of the graph's device; an error names tensors that lie elsewhere."""
    where = {}
    for node in graph.nodes:
        for value in _tensors(node.meta.get("val")):
            if value.dim() or value.device.type != "cpu":
                where.setdefault(str(value.device), node.name)
    there = [device for device in where if device.startswith("cuda")]
    if not there:
        return settings
    if len(where) > 1:
        raise _error("all tensors of a graph lie on one device, " + ", ".join(f"{node} is on {device}" for device, node in where.items()))
    if (torch.device(there[0]).index or 0) != 0:
        raise _error(f"{where[there[0]]} is on {there[0]}: tcc runs on cuda:0")
    target = settings.get("target")
    if target and target.split(",")[0] != "nvptx":
        raise _error(f"{where[there[0]]} is on {there[0]}, and the option target is {target!r}")
    return settings if target else dict(settings, target=f"nvptx,{chip()}")


def chip():
    """The chip to compile for: that of cuda:0, or the latest one before it."""
    major, minor = torch.cuda.get_device_capability(0)
    return gpu_chip(10 * major + minor)


def _tensors(value):
    return [each for each in (value if isinstance(value, (list, tuple)) else [value]) if isinstance(each, torch.Tensor)]


def _error(message):
    error = Error(message)
    error.code = "unsupported"
    return error
