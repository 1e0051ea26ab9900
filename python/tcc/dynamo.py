"""torch.compile(net, backend="tcc").

Dynamo's graph goes through AOTAutograd, without decompositions, to the compilers here: for each graph, forward, backward or inference, the
JSON of graph_json.py is compiled in memory, and torch calls the result with its tensors. Gradients, views and mutated inputs are
AOTAutograd's; mutations that are left in a graph (copy_ to an input) are results of the model that are written in place.
"""
import functools
import itertools
import os

import torch

from tcc import _native, compat, graph_json, seeds

MODES = ("default", "reduce-overhead", "max-autotune")
OPTIONS = ("target", "numerics", "indices", "threads", "dedup", "cache", "compile_time", "compile_memory", "tune_time")
_numbers = itertools.count()


def backend(module, inputs, *, mode=None, options=None, name=None):
    """What torch calls with a graph of Dynamo's; mode and options are those of torch.compile."""
    settings = _settings(mode, options)
    compile = functools.partial(compile_graph, settings=settings)
    aot = compat.aot_autograd(fw_compiler=functools.partial(compile, kind="forward"), bw_compiler=functools.partial(compile, kind="backward"),
                              inference_compiler=functools.partial(compile, kind="inference"), partition_fn=compat.min_cut_partition,
                              keep_inference_input_mutations=True)
    return aot(module, inputs)


def _settings(mode, options):
    options = dict(options or {})
    if unknown := sorted(set(options) - set(OPTIONS)):
        raise _error("invalid", f"there is no option {unknown[0]!r} of the backend tcc; the options are {', '.join(OPTIONS)}")
    if mode is not None and mode not in MODES:
        raise _error("invalid", f"there is no mode {mode!r} of the backend tcc; the modes are {', '.join(MODES)}")
    options.setdefault("threads", torch.get_num_threads())
    return dict(options, mode=mode)


def _error(code, message):
    error = _native.Error(message)
    error.code = code
    return error


def compile_graph(module, inputs, *, settings, kind):
    """An FX graph of ATen operators as a function of a list. kind: of graph, for the name of the dump."""
    placeholders = [node for node in module.graph.nodes if node.op == "placeholder"]
    for node in placeholders:
        if reason := _refused(node.meta.get("val")):
            raise _error("unsupported", f"the input {node.name} {reason}")
    results = next(node for node in module.graph.nodes if node.op == "output").args[0]
    outputs = [_output(module, value, placeholders) for value in results]
    made = [value for value, (how, _) in zip(results, outputs) if how in ("tensor", "number")]
    static = compat.static_inputs() if kind != "backward" else frozenset()
    text, names = graph_json.program(module, made, static)
    _dump(kind, text)
    try:
        model = _native.compile_memory("graph.json", text, settings)
    except _native.Error as error:
        if error.code != "unsupported":
            raise
        text, _ = graph_json.program(module, made, static, source=True)  # once more, so that the message names the user's lines
        model = _native.compile_memory("graph.json", text, settings)
    constants = [node for node in module.graph.nodes if node.op == "get_attr" and node.target in names]
    first = {name: next(node for node in constants if node.target == name) for name in names}
    hidden = seeds.names(model)
    arguments = (*(node.name for node in placeholders), *hidden, *(node.name for node in first.values()))
    function = _native.Callable(model, arguments, tuple(outputs), torch.Tensor, tuple(getattr(module, name) for name in names))
    return seeds.Seeded(function) if hidden else function


def _refused(value):
    """Why an input cannot be read where it lies; Dynamo guards on each of these."""
    if not isinstance(value, torch.Tensor):
        return None
    if value.device.type != "cpu":
        return f"is on {value.device}: tcc compiles for the CPU"
    if value.layout != torch.strided:
        return f"is {value.layout}"
    return "has its negative or conjugate bit set: resolve it before" if value.is_neg() or value.is_conj() else None


def _output(module, value, placeholders):
    """How an output of the graph is given: see Callable."""
    if not isinstance(value, torch.fx.Node):
        return "object", value
    if value.op == "placeholder":
        return "argument", placeholders.index(value)
    if value.op == "get_attr":
        return "object", getattr(module, value.target)
    meta = value.meta["val"]
    return ("tensor", _order(meta)) if isinstance(meta, torch.Tensor) else ("number", None)


def _order(tensor):
    """The axes in the order in which they must lie in memory, the outermost first; None: as they are. A tensor with gaps or overlaps, which
    no order gives, is row-major."""
    sizes, strides = [_hint(n) for n in tensor.shape], [_hint(n) for n in tensor.stride()]
    order, dense = sorted(range(len(sizes)), key=lambda axis: (-strides[axis], axis)), 1
    for axis in reversed(order):
        if sizes[axis] != 1 and strides[axis] != dense:
            return None
        dense *= sizes[axis]
    long = [axis for axis in order if sizes[axis] != 1]
    return tuple(order) if long != sorted(long) else None


def _hint(size):
    """The value of a size, without a guard on it."""
    return size if isinstance(size, int) else size.node.hint


def _dump(kind, text):
    """TCC_DUMP=DIR keeps each graph as DIR/PROCESS-NUMBER-KIND.json."""
    if folder := os.environ.get("TCC_DUMP"):
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, f"{os.getpid()}-{next(_numbers)}-{kind}.json"), "wb") as file:
            file.write(text)
