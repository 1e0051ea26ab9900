"""Results of a graph that are views of its inputs or of another result, where sizes that are not numbers decide how.

AOTAutograd gives such a result as a view of the user's own tensor. Where numbers alone say which view, it repeats what made it; where sizes
do, it takes sizes, strides and offset of the result that the graph gave. So that one is a view here, too: the graph computes what says how
it lies, not its elements.
"""
import operator

import torch

aten = torch.ops.aten


def find(module, results, placeholders):
    """Of results that are such views, by number: (kind, number) of what they are views of, sizes, strides, and both offsets; with a node for each
    that is no number. kind: "argument" or "result"."""
    written = {node.args[0]: node.args[1] for node in module.graph.nodes if node.target is aten.copy_.default}
    present = [(written.get(node, node), ("argument", i)) for i, node in enumerate(placeholders)]  # what an input holds at the end
    whole = [(value, ("result", i)) for i, value in enumerate(results) if _is_whole(value)]
    bases = {_storage(node): (node, base) for node, base in reversed(present + whole)}
    found = {}
    for i, value in enumerate(results):
        under, base = bases.get(_storage(value), (value, None)) if _is_computed(value) and _is_symbolic(value.meta["val"]) else (value, None)
        if under is not value and under.meta["val"].dtype == value.meta["val"].dtype:
            found[i] = base, *_layout(module.graph, value, under)
    return found


def _is_computed(value):
    return isinstance(value, torch.fx.Node) and value.op == "call_function" and isinstance(value.meta.get("val"), torch.Tensor)


def _storage(value):
    tensor = value.meta.get("val") if isinstance(value, torch.fx.Node) else None
    return tensor.untyped_storage()._cdata if isinstance(tensor, torch.Tensor) and tensor.layout == torch.strided else None


def _is_symbolic(tensor):
    return any(isinstance(n, torch.SymInt) for n in (*tensor.shape, *tensor.stride(), tensor.storage_offset()))


def _is_whole(value):
    """Whether a result is all of its storage, as it lies there: not made by a view, nor one of those that a view gives."""
    maker = value.args[0] if _is_computed(value) and value.target is operator.getitem else value
    return _is_computed(value) and not (isinstance(maker.target, torch._ops.OpOverload) and maker.target.is_view)


def _layout(graph, value, under):
    """Sizes, strides and offset of a node behind another's, as numbers or nodes."""
    output = next(node for node in reversed(graph.nodes) if node.op == "output")

    def number(known, target, *args):
        if not isinstance(known, torch.SymInt):
            return known
        with graph.inserting_before(output):
            node = graph.call_function(target, args)
        node.meta["val"] = known
        return node
    tensor, first = value.meta["val"], under.meta["val"].storage_offset()
    sizes = tuple(number(n, aten.sym_size.int, value, axis) for axis, n in enumerate(tensor.shape))
    strides = tuple(number(n, aten.sym_stride.int, value, axis) for axis, n in enumerate(tensor.stride()))
    return sizes, strides, (number(tensor.storage_offset(), aten.sym_storage_offset.default, value),
                            number(first, aten.sym_storage_offset.default, under))


def numbered(found, count):
    """The nodes of all of them, each once, and what Viewed wants of the graph's results, of which there are `count`."""
    nodes = list(dict.fromkeys(n for _, *layout in found.values() for part in layout for n in part if isinstance(n, torch.fx.Node)))
    places = {node: ("number", k) for k, node in enumerate(nodes)}
    outputs = {i: (base, *(tuple(places.get(n, n) for n in part) for part in layout)) for i, (base, *layout) in found.items()}
    return nodes, tuple(outputs.get(i) for i in range(count))


class Viewed:
    """A function whose last results are numbers, as one that gives views. outputs: of each result None, or (base, sizes, strides, offsets) with
    ("number", K) for the K-th of these numbers."""
    _boxed_call = True

    def __init__(self, function, outputs):
        self._function, self._outputs = function, outputs
        self._plain = sum(output is None for output in outputs)
        self._arguments = {output[0][1] for output in outputs if output and output[0][0] == "argument"}

    def __call__(self, arguments):
        bases = {("argument", i): arguments[i] for i in self._arguments}
        made = self._function(arguments)
        numbers, rest = made[self._plain:], iter(made)
        results = [next(rest) if output is None else output for output in self._outputs]
        known = lambda n: numbers[n[1]] if isinstance(n, tuple) else n  # noqa: E731
        for i, (base, sizes, strides, (offset, first)) in ((i, output) for i, output in enumerate(self._outputs) if output):
            base = bases[base] if base in bases else results[base[1]]
            results[i] = base.as_strided([known(n) for n in sizes], [known(n) for n in strides], base.storage_offset() + known(offset) - known(first))
        return tuple(results)
