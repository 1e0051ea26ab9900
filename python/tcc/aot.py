"""A compiled graph that torch can save: by torch.compile(...).aot_compile and save_compiled_function, or in AOTAutograd's own cache.

torch bundles what a backend returned if that is an OutputCode. For the former this is a CompiledGraph: it has the artifact, and the graph's
text for a machine that the artifact does not fit. For the latter it is a KeptGraph: it has the text, whose artifact the compile cache has
(aot_cache.py). torch finds it behind the graph's function, as what that wraps, and unpickles it as such a function.
"""
import time

from torch._inductor.output_code import OutputCode

from tcc import _native, aot_cache, cache, calls, compat, effects, report, seeds
from tcc._native import Error


class CompiledGraph(OutputCode):
    """A graph as text and settings, and how it is called."""

    def __init__(self, text, settings, names, outputs, constants, viewed):
        super().__init__()
        self._boxed_call = True
        self.text, self.settings, self.names, self.outputs, self.constants, self.viewed = text, settings, names, outputs, constants, viewed
        self.open(cache.compiled(text, settings))

    def open(self, entry):
        count = len(self.names) - len(self.constants) - len(seeds.names(entry.model))
        self.call = effects.raising(calls.function(entry, self.names, self.outputs, self.constants, self.viewed), self.text, count)

    def __call__(self, inputs):
        return self.call(inputs)

    def __getstate__(self):
        state = {key: value for key, value in self.__dict__.items() if key != "call"}
        return dict(state, artifact=_native.artifact_memory("graph.json", self.text, self.settings))

    def __setstate__(self, state):
        artifact = state.pop("artifact")
        self.__dict__.update(state)
        try:
            model = _native.load_memory("graph", artifact, dict(threads=self.settings.get("threads")))
        except _native.Error as error:
            if error.code != "incompatible":
                raise
            model = None  # made for another CPU or version
        self.open(cache.Compiled(model) if model else cache.compiled(self.text, self.settings))

    # ---- what torch asks of an OutputCode ----
    def prepare_for_serialization(self):
        pass

    def post_compile(self, example_inputs, constants, graph_kwargs):
        pass

    def set_triton_bundle(self, triton_bundle):
        pass


class KeptGraph(OutputCode):
    """A graph in AOTAutograd's cache. lowered: dynamo.Lowered; nodes: how many of AOTAutograd's graph it is made of. reason: why it cannot be
    kept, or None."""

    def __init__(self, lowered, kind, nodes, reason=None):
        super().__init__()
        self.lowered, self.kind, self.nodes, self.reason = lowered, kind, nodes, reason

    def __reduce__(self):
        if self.reason:
            raise aot_cache.bypass(self.reason)
        return opened, (tuple(self.lowered), self.kind, self.nodes)

    def __copy__(self):
        return self

    def prepare_for_serialization(self):
        pass


def opened(fields, kind, nodes):
    """The function of a KeptGraph that was read. That of a backward graph is made when it is first called."""
    graph, name = KeptGraph(fields, kind, nodes), compat.compile_id()

    def make():
        began, (text, settings, inputs, numbers, outputs, constants, viewed) = time.perf_counter(), fields
        known = cache.counts["found"]
        try:
            entry = cache.compiled(text, settings)
        except Error as error:
            if error.code == "unsupported" and kind == "backward":
                raise _without_lines(error) from None
            raise
        model = dict(entry.model.report, compiled=entry.model.report["compiled"] and cache.counts["found"] == known)
        use = None if kind == "backward" else aot_cache.current()
        note = dict(nodes=nodes, kind=kind, models=[model], outside={}, seconds=time.perf_counter() - began, id=name, traced=False)
        if use:
            use.notes.append(note)  # told once torch has taken the entry
        else:
            report.graph(**note)
        made = effects.raising(calls.function(entry, (*inputs, *seeds.names(entry.model), *numbers), outputs, constants, viewed), text, len(inputs))
        return report.profiled(made, f"tcc {kind} {name or ''}", True)
    return behind(Lazy(make) if kind == "backward" else make(), graph)


def behind(function, graph):
    """The function, with the graph as what it wraps."""
    function.__wrapped__ = graph
    return function


def _without_lines(error):
    told = Error(f"{error}\nnote: the graph comes from AOTAutograd's cache; with TORCHINDUCTOR_AUTOGRAD_CACHE=0 nodes are told with their lines in the source")
    told.code = error.code
    return told


class Lazy:
    """A function of a list that is made when it is first called."""

    def __init__(self, make):
        self._make, self._made = make, None
        self._boxed_call = True

    def __call__(self, arguments):
        if self._made is None:
            self._made = self._make()
        return self._made(arguments)

    def post_compile(self, *args, **named):
        """As of _native.Callable."""
