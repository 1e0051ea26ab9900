"""torch.compile(net, backend="tcc").

Dynamo's graph goes through AOTAutograd, without decompositions, to the compilers here: for each graph, forward, backward or inference, the
JSON of graph_json.py is compiled in memory, and torch calls the result with its tensors. Gradients, views and mutated inputs are
AOTAutograd's; mutations that are left in a graph (copy_ to an input) are results of the model that are written in place.
"""
import functools
import itertools
import os
import time
import typing

import sympy
import torch

from tcc import _native, aot_cache, cache, calls, check, compat, complexes, constants, device, distributed, effects, garbage, graph_json, higher_order, partition, regions, report, seeds, tracing, views
from tcc.canonical import names_of as canonical_names

MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")
OPTIONS = ("mode", "target", "numerics", "autocast", "indices", "threads", "dedup", "freeze", "cache", "compile_time", "compile_memory", "tune_time", "fallback", "regions")
_numbers = itertools.count()


report.listen_for_file()
tracing.install()


def backend(module, inputs, *, mode=None, options=None, name=None):
    """What torch calls with a graph of Dynamo's; mode and options are those of torch.compile."""
    tracing.forget()
    garbage.made()
    settings, fallback, fold = _settings(mode, options)
    if fold:
        regions.fold(module)
    if compat.is_saved():
        if not compat.can_save():
            raise _error("unsupported", f"torch {torch.__version__} does not save what backends other than its own compile: aot_compile takes torch 2.13 or newer")
        return _through_aot(module, inputs, settings, fallback, "saved")
    if reason := aot_cache.off(settings, fallback, inputs):
        report.note("aot_cache", state="off", reason=reason)
        return _through_aot(module, inputs, settings, fallback, None)
    use = aot_cache.Use(settings, fold)
    with aot_cache.using(use):
        function = _through_aot(module, inputs, settings, fallback, "kept")
    report.note("aot_cache", state=use.state, reason=use.reason)
    for note in use.notes if use.state == "hit" else ():
        report.graph(**note)
    return function


def _through_aot(module, inputs, settings, fallback, output):
    """What AOTAutograd makes of a graph. output: what compilers give: None, a function; "saved", aot.CompiledGraph; "kept", a function with an
    aot.KeptGraph behind."""
    compile = functools.partial(compile_graph, settings=settings, fallback=fallback, output=output)
    forward, backward, inference = (functools.partial(compile, kind=kind) for kind in ("forward", "backward", "inference"))
    backward = compat.not_traced(backward)
    if output:
        forward, backward, inference = map(compat.compiler, (forward, backward, inference))
    aot = compat.aot_autograd(fw_compiler=forward, bw_compiler=backward, inference_compiler=inference, keep_inference_input_mutations=True)
    with compat.schemas_once(), compat.states_as_tensors(), compat.whole_resizes():
        function = aot(module, inputs)
    vars(function).pop("_boxed_call", None)  # of the compiled graph, by functools.wraps: this function takes no list, and torch's minifier asks it
    return function


def _settings(mode, options):
    """Options of the compiler; whether what it does not support falls back; whether repeated parts are folded."""
    options = dict(options or {})
    if unknown := sorted(set(options) - set(OPTIONS)):
        raise _error("invalid", f"there is no option {unknown[0]!r} of the backend tcc; the options are {', '.join(OPTIONS)}")
    mode = options.pop("mode", mode)  # torch.compile refuses a mode beside options
    if mode is not None and mode not in MODES:
        raise _error("invalid", f"there is no mode {mode!r} of the backend tcc; the modes are {', '.join(MODES)}")
    if mode == "max-autotune-no-cudagraphs":
        mode = "max-autotune"  # the compiler's has no CUDA graphs
    fallback, fold = options.pop("fallback", None), options.pop("regions", True)
    if fallback not in (None, "eager"):
        raise _error("invalid", f"the option fallback is 'eager', not {fallback!r}")
    if not isinstance(fold, bool):
        raise _error("invalid", f"the option regions is True or False, not {fold!r}")
    options.setdefault("threads", torch.get_num_threads())
    options.setdefault("freeze", (os.environ.get("TCC_FREEZE") or "0") != "0")
    return dict(options, mode=mode), bool(fallback), fold and not fallback


def _error(code, message):
    error = _native.Error(message)
    error.code = code
    return error


def compile_graph(module, inputs, *, settings, fallback=False, kind, output=None):
    """An FX graph of ATen operators as a function of a list. kind: of graph, for the name of the dump; output: as of _through_aot."""
    effects.untie(module)
    higher_order.expand(module)
    constants.lift(module)
    given, made = ((), ()) if fallback else complexes.split(module)
    if given or made:
        if output == "saved":
            raise _error("unsupported", "a graph that takes or gives complex numbers cannot be saved")
        function = _compile_real(module, inputs, settings, fallback, kind, None if output == "kept" else output)
        function = complexes.joined(function, given, made)
        return _not_kept(function, kind, "it takes or gives complex numbers") if output == "kept" else function
    return _compile_real(module, inputs, settings, fallback, kind, output)


def _compile_real(module, inputs, settings, fallback, kind, output):
    if output == "kept" and kind == "backward":
        return _later(module, settings, compat.compile_id())
    began, models, lowered = time.perf_counter(), [], []
    static = compat.static_inputs() if kind != "backward" else frozenset()
    compile = functools.partial(compile_part, settings=settings, kind=kind, models=models, lowered=lowered, output=output)
    function, outside = partition.compile(module, static, compile, fallback)
    report.graph(report.count(module), kind, models, outside, time.perf_counter() - began)
    if output == "saved":
        if outside:
            raise _error("unsupported", "a graph of which torch runs a part cannot be saved")
        return function
    function = report.profiled(function, f"tcc {kind} {compat.compile_id() or ''}", kind == "backward" or output == "kept")
    return _kept(function, lowered, kind, module, outside) if output == "kept" else function


def _not_kept(function, kind, reason):
    from tcc import aot
    compat.donate_nothing()
    return aot.behind(function, aot.KeptGraph(None, kind, 0, reason))


def _kept(function, lowered, kind, module, outside):
    """The function with what AOTAutograd's cache keeps of it."""
    from tcc import aot
    reason = "torch runs a part of the graph" if outside else None if lowered else "the graph computes nothing"
    return aot.behind(function, aot.KeptGraph(None if reason else lowered[0], kind, report.count(module), reason))


def _later(module, settings, name):
    """A backward graph that may be kept: lowered now, compiled when it is first called."""
    from tcc import aot
    compat.donate_nothing()
    if any(distributed.is_collective(node) for node in module.graph.nodes):
        graph = aot.KeptGraph(None, "backward", 0, "torch runs a part of the graph")
        return aot.behind(aot.Lazy(lambda: compile_graph(module, (), settings=settings, kind="backward")), graph)
    lowered = problem = None
    try:
        lowered, source = lower(module, frozenset(), settings, "backward", "kept")
    except _native.Error as error:
        problem = error  # the forward graph may be all that is called
    if lowered and not isinstance(lowered, Lowered):
        return aot.behind(report.profiled(lowered, f"tcc backward {name or ''}", True), aot.KeptGraph(None, "backward", 0, "the graph computes nothing"))

    def make():
        if problem:
            raise problem
        began, models = time.perf_counter(), []
        function = open_part(lowered, source, module, "backward", models)
        report.graph(report.count(module), "backward", models, {}, time.perf_counter() - began, id=name)
        return report.profiled(function, f"tcc backward {name or ''}", True)
    return aot.behind(aot.Lazy(make), aot.KeptGraph(lowered, "backward", report.count(module), str(problem) if problem else None))


class Lowered(typing.NamedTuple):
    """A graph as text and settings, and how it is called: names of its arguments and, behind those of random numbers, of its constants; how
    outputs are given (_native.Callable); the constants; outputs that are views (views.Viewed)."""
    text: bytes
    settings: dict
    arguments: tuple
    names: tuple
    outputs: tuple
    constants: tuple
    viewed: tuple


def compile_part(module, static, *, settings, kind, models, lowered, output=None):
    """The same of a graph, or of a part of one, that is compiled whole. static: numbers of inputs that stay the same tensors; models: gets
    the compiled model's report; lowered: gets it lowered."""
    made, source = lower(module, static, settings, kind, output)
    if not isinstance(made, Lowered):
        return made
    lowered.append(made)
    if output != "saved":
        return open_part(made, source, module, kind, models)
    from tcc.aot import CompiledGraph  # what torch saves is of inductor's module, which takes time to import
    entry = _compiled(made, source, models)
    return CompiledGraph(made.text, made.settings, _arguments(made, entry.model), made.outputs, made.constants, made.viewed)


def lower(module, static, settings, kind, output):
    """A part as Lowered, and a function of its text with the user's lines. If it computes nothing, unless it is saved, its own function and None."""
    placeholders = [node for node in module.graph.nodes if node.op == "placeholder"]
    for node in placeholders:
        if (reason := partition.unreadable(node.meta.get("val"))) and not graph_json.is_left_out(node):
            raise _error("unsupported", f"the input {node.name} {reason}")
    settings = device.settings_for(module.graph, settings)
    results = next(node for node in module.graph.nodes if node.op == "output").args[0]
    found = views.find(module, results, placeholders)
    computes = output == "saved" or any(n.op == "call_function" and n.is_impure() for n in module.graph.nodes)
    if computes and not _computed(module, results, found, placeholders)[0]:
        found = {}  # an artifact gives at least one result
    made, outputs, viewed = _computed(module, results, found, placeholders)
    if not made and not computes:
        return views.viewed(_given(outputs), viewed), None
    text, names = graph_json.program(module, made, static, canonical=True)
    _dump(kind, text)
    canonical = canonical_names(module.graph)
    attributes = [node for node in module.graph.nodes if node.op == "get_attr" and node.target in names]
    first = {name: next(node for node in attributes if node.target == name) for name in names}
    lowered = Lowered(text, settings, tuple(canonical[node.name] for node in placeholders), tuple(canonical[node.name] for node in first.values()),
                      tuple(outputs), tuple(getattr(module, name) for name in names), viewed)
    return lowered, functools.partial(graph_json.program, module, made, static, source=True)


def _computed(module, results, found, placeholders):
    """What a graph computes of its results, how each that is no view is given, and the views (views.Viewed)."""
    numbers, viewed = views.numbered(found, len(results))
    results = [value for i, value in enumerate(results) if i not in found] + numbers
    outputs = [_output(module, value, placeholders) for value in results]
    return [value for value, (how, _) in zip(results, outputs) if how in ("tensor", "number")], outputs, viewed


def open_part(lowered, source, module, kind, models):
    """The function of a part."""
    entry = _compiled(lowered, source, models)
    arguments = _arguments(lowered, entry.model)
    made = effects.raising(calls.function(entry, arguments, lowered.outputs, lowered.constants, lowered.viewed), lowered.text, len(lowered.arguments))
    return check.checked(made, module, entry.model, arguments, lowered.constants, lowered.text, kind)


def _arguments(lowered, model):
    return (*lowered.arguments, *seeds.names(model), *lowered.names)


def _compiled(lowered, source, models):
    known = cache.counts["found"]
    try:
        entry = cache.compiled(lowered.text, lowered.settings)
    except _native.Error as error:
        if error.code != "unsupported":
            raise
        entry = cache.compiled(source()[0], lowered.settings)  # once more, so that the message names the user's lines
    models.append(dict(entry.model.report, compiled=entry.model.report["compiled"] and cache.counts["found"] == known))
    return entry


def _given(outputs):
    """The function of a graph that computes nothing: its results are arguments and constants."""
    def call(arguments):
        results = tuple(arguments[what] if how == "argument" else what for how, what in outputs)
        arguments.clear()
        return results
    call._boxed_call = True
    return call


def _output(module, value, placeholders):
    """How an output of the graph is given: see Callable."""
    if not isinstance(value, torch.fx.Node):
        return "object", value
    if value.target is torch.ops.aten.copy_.default and value.args[0].op == "placeholder":
        value = value.args[0]  # what was written in place is the argument
    if value.op == "placeholder":
        return "argument", placeholders.index(value)
    if value.op == "get_attr":
        return "object", getattr(module, value.target)
    meta = value.meta["val"]
    return ("tensor", _order(meta)) if isinstance(meta, torch.Tensor) else ("number", None)


def _order(tensor):
    """The axes in the order in which they must lie in memory, the outermost first; None: as they are. A tensor with gaps or overlaps, which
    no order gives, is row-major."""
    sizes, strides = _hints(tensor.shape, tensor.stride())
    order, dense = sorted(range(len(sizes)), key=lambda axis: (-strides[axis], axis)), 1
    for axis in reversed(order):
        if sizes[axis] != 1 and strides[axis] != dense:
            return None
        dense *= sizes[axis]
    long = [axis for axis in order if sizes[axis] != 1]
    return tuple(order) if long != sorted(long) else None


def _hints(*sizes):
    """Lists of sizes as integers, without a guard on them: as they were when torch saw them. Where data decide one all symbols are the same large
    number, which gives dense tensors the order of axes that they have for any sizes."""
    exprs = [[n if isinstance(n, int) else n.node.hint for n in each] for each in sizes]
    if all(n is not None for each in exprs for n in each):
        return exprs
    exprs = [[sympy.sympify(n if isinstance(n, int) else n.node.expr) for n in each] for each in sizes]
    return [[int(e.xreplace({symbol: sympy.Integer(4096) for symbol in e.free_symbols})) for e in each] for each in exprs]


def _dump(kind, text):
    """TCC_DUMP=DIR keeps each graph as DIR/PROCESS-NUMBER-KIND.json."""
    if folder := os.environ.get("TCC_DUMP"):
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, f"{os.getpid()}-{next(_numbers)}-{kind}.json"), "wb") as file:
            file.write(text)
