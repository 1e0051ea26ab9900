"""The device of a graph's tensors decides what it is compiled for.

All of them lie on one device, but for numbers (tensors of the CPU without axes), which go to either. Tensors on cuda:0 mean the target nvptx for its
chip; work then goes to torch's current stream, and results come from torch's allocator (python/native/device.c).
"""
import torch

from tcc._native import Error

CHIPS = (70, 75, 80, 86, 89, 90, 100)  # of the target nvptx; code for one runs on later ones
ALONE = (90,)  # of which there is a form, sm_90a, with instructions that no other chip has


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
    known = [number for number in CHIPS if number <= 10 * major + minor]
    if not known:
        raise _error(f"cuda:0 is an sm_{major}{minor}, sm_{CHIPS[0]} is the oldest chip that tcc compiles for")
    return f"sm_{known[-1]}{'a' if known[-1] in ALONE and known[-1] == 10 * major + minor else ''}"


def _tensors(value):
    return [each for each in (value if isinstance(value, (list, tuple)) else [value]) if isinstance(each, torch.Tensor)]


def _error(message):
    error = Error(message)
    error.code = "unsupported"
    return error
