"""TCC_DUMP_DATA=DIR: every run of a compiled graph is compared with torch's own, node by node of the same graph, in eager mode.

A result that differs is an error (code "mismatch") and leaves a folder DIR/PROCESS-NUMBER-KIND with graph.json, inputs and expected outputs, which
tcc-run graph.json --data=. --check repeats without Python. Likewise under torch's TORCHDYNAMO_REPRO_AFTER=aot with TORCHDYNAMO_REPRO_LEVEL=4, in
the folder tcc of torch's debug folder. What counts as different is what tcc-run says; a graph that draws random numbers is not compared.
"""
import contextlib
import itertools
import os

import torch
from torch.fx import Interpreter

from tcc import compat, seeds
from tcc._native import Error, tolerance
from tcc.canonical import names_of

BITS = {1: torch.uint8, 2: torch.uint16}  # what .npy has for types that NumPy lacks
_numbers = itertools.count()


def folder():
    """Where wrong results are kept; None: nothing is compared."""
    return os.environ.get("TCC_DUMP_DATA") or (os.path.join(compat.debug_folder(), "tcc") if compat.repeats_after_aot() else None)


def checked(function, module, model, names, constants, text, kind):
    """The function, compared with the module in each call if that is asked for. names: of the arguments, then of the constants; text: of the
    graph."""
    place = folder()
    return _Checked(function, module, model, names, constants, text, kind, place) if place and not seeds.names(model) else function


class _Checked:
    _boxed_call = True

    def __init__(self, function, module, model, names, constants, text, kind, place):
        self.function, self.module, self.model, self.names, self.constants = function, module, model, names, constants
        self.text, self.kind, self.place = text, kind, place

    def __call__(self, arguments):
        before = [a.detach().clone() if isinstance(a, torch.Tensor) else a for a in arguments]
        kept = list(arguments)  # the call empties the list, and what it writes in place is looked at
        made = self.function(arguments)
        values, results, after = self.expected([a.clone() if isinstance(a, torch.Tensor) else a for a in before])
        for number, (got, want) in enumerate(itertools.chain(zip(made, results), zip(kept, after))):
            if problem := difference(got, want):
                which = f"output {number}" if number < len(made) else f"argument {number - len(made)}, which is written"
                raise self.error(f"{which} of the {self.kind} graph {problem}", before, values)
        return made

    def expected(self, arguments):
        """torch's value of each node by its canonical name, the graph's results, and the arguments with what it writes."""
        interpreter = Interpreter(self.module, garbage_collect_values=False)
        with torch.no_grad():
            results = interpreter.run(*arguments)
        names = names_of(self.module.graph)
        return {names[node.name]: value for node, value in interpreter.env.items()}, results, arguments

    def error(self, problem, before, values):
        path = os.path.join(self.place, f"{os.getpid()}-{next(_numbers)}-{self.kind}")
        os.makedirs(path, exist_ok=True)
        with open(os.path.join(path, "graph.json"), "wb") as file:
            file.write(self.text)
        given = dict(zip(self.names, (*before, *self.constants)))
        for number, port in enumerate(self.model.inputs):
            save(os.path.join(path, f"input_{number}.npy"), given[port.name], port)
        for number, port in enumerate(self.model.outputs):
            save(os.path.join(path, f"output_{number}.npy"), values[port.name], port)
        error = Error(f"{problem}; tcc-run {path}/graph.json --data={path} --check repeats it")
        error.code = "mismatch"
        return error


def difference(got, want):
    """How a result differs from torch's, by the rule of tcc-run --check; None: it does not."""
    if not isinstance(want, torch.Tensor) or not isinstance(got, torch.Tensor):
        return None if got == want else f"is {got!r}, in eager mode {want!r}"
    if (got.shape, got.dtype) != (want.shape, want.dtype):
        return f"is {got.dtype} of {tuple(got.shape)}, in eager mode {want.dtype} of {tuple(want.shape)}"
    relative, least = tolerance(str(want.dtype).removeprefix("torch."))
    mine, theirs = got.detach().double(), want.detach().double()
    numbers = theirs[theirs.isfinite()]
    size = numbers.square().mean().sqrt() if numbers.numel() else torch.tensor(0.0)
    if relative == 0.0:
        wrong = got != want
    else:
        wrong = ~torch.isclose(mine, theirs, rtol=relative, atol=least + float(relative * size), equal_nan=True)
    if not wrong.any():
        return None
    where = tuple(wrong.nonzero()[0].tolist())
    return f"differs from eager mode in {int(wrong.sum())} of {wrong.numel()} elements, at {where} {mine[where].item():g} for {theirs[where].item():g}"


def save(path, value, port):
    """A tensor, or a number, as .npy; a size that is given by an input's shape as that many elements."""
    import numpy
    if isinstance(value, torch.Tensor):
        value = value.detach().cpu().contiguous()
        with contextlib.suppress(TypeError):
            return numpy.save(path, value.numpy())
        return numpy.save(path, value.view(BITS[value.element_size()]).numpy())
    dtype = numpy.dtype(port.dtype)
    numpy.save(path, numpy.zeros(int(value), dtype) if len(port.shape) == 1 and dtype == bool else numpy.asarray(value, dtype))
