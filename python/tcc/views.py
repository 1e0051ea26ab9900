"""Results of a graph that are views of its inputs or of another result.

Such results share memory, as in eager mode: the graph computes what says how one lies, not its elements. AOTAutograd alone does not see to that. Where
gradients are wanted, it gives views of the user's own tensors: where numbers alone say which view, it repeats what made it; where sizes do, it takes
sizes, strides and offset of the result that the graph gave. Where none are, it leaves views of results to the graph.
"""
import operator

import torch

aten = torch.ops.aten
OTHER_NUMBERS = (aten._conj.default, aten._neg_view.default)  # views in torch, by a bit of the tensor, of numbers that are others in memory


def find(module, results, placeholders):
    """Of results that are such views, by number: (kind, number) of what they are views of, sizes, strides, and both offsets; with a node for each
    that is no number. kind: "argument" or "result"."""
    written = {node.args[0]: node.args[1] for node in module.graph.nodes if node.target is aten.copy_.default}
    present = [(written.get(node, node), ("argument", i)) for i, node in enumerate(placeholders)]  # what an input holds at the end
    whole = [(value, ("result", i)) for i, value in enumerate(results) if _is_computed(value) and _base(value) is value and _has_order(value.meta["val"])]
    bases, found = dict(reversed(present + whole)), {}
    for i, value in enumerate(results):
        under = _base(value) if _is_computed(value) else value
        if under is not value and under in bases and under.meta["val"].dtype == value.meta["val"].dtype:
            found[i] = bases[under], *_layout(module.graph, value, under)
    return found


def _base(node):
    """What a node is a view of, by views of views; itself if by none. Storages do not tell: in torch's eyes an inner graph's results may share one."""
    while True:
        maker = node.args[0] if node.target is operator.getitem else node
        if not (isinstance(maker.target, torch._ops.OpOverload) and maker.target.is_view) or maker.target in OTHER_NUMBERS:
            return node
        node = maker.args[0]


def _is_computed(value):
    return isinstance(value, torch.fx.Node) and value.op == "call_function" and isinstance(value.meta.get("val"), torch.Tensor)


def _has_order(tensor):
    """Whether a result lies in memory as the graph promises: one with gaps or overlaps does not. Known for numbers alone."""
    if any(isinstance(n, torch.SymInt) for n in (*tensor.shape, *tensor.stride())):
        return True
    dense = 1
    for stride, size in sorted(zip(tensor.stride(), tensor.shape)):
        if size != 1 and stride != dense:
            return False
        dense *= size
    return True


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


def viewed(function, outputs):
    """The function, with its views if it has some."""
    return Viewed(function, outputs) if any(outputs) else function


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
