"""A compiled graph that torch can save: torch.compile(...).aot_compile, save_compiled_function, AOTAutograd's own cache.

torch bundles what a backend returned if that is an OutputCode. This one has the artifact, and the graph's text for a machine that the
artifact does not fit.
"""
from torch._inductor.output_code import OutputCode

from tcc import _native, cache, calls


class CompiledGraph(OutputCode):
    """A graph as text and settings, and how it is called."""

    def __init__(self, text, settings, names, outputs, constants, viewed):
        super().__init__()
        self._boxed_call = True
        self.text, self.settings, self.names, self.outputs, self.constants, self.viewed = text, settings, names, outputs, constants, viewed
        self.open(cache.compiled(text, settings))

    def open(self, entry):
        self.call = calls.function(entry, self.names, self.outputs, self.constants, self.viewed)

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
