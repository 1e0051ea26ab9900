"""Complex tensors that a graph takes or gives: pairs of real ones to tcc, in the same memory where torch has them so.

Within a graph the importer has complex numbers as two tensors (lib/frontend/torch/import_complex.c).
"""
import torch

aten = torch.ops.aten


def split(module):
    """Inputs and results that are complex become pairs [..., 2], in place. Gives their numbers."""
    graph = module.graph
    placeholders = [node for node in graph.nodes if node.op == "placeholder"]
    output = next(node for node in graph.nodes if node.op == "output")
    given = tuple(i for i, node in enumerate(placeholders) if _is_complex(node))
    made = tuple(i for i, node in enumerate(output.args[0]) if _is_complex(node))
    if not given and not made:
        return given, made
    with graph.inserting_after(placeholders[-1]) if placeholders else graph.inserting_before(next(iter(graph.nodes))):
        for node in (placeholders[i] for i in given):
            value = graph.call_function(aten.view_as_complex.default, (node,))
            value.meta = dict(node.meta)
            node.replace_all_uses_with(value, delete_user_cb=lambda user, value=value: user is not value)
            node.meta = dict(node.meta, val=torch.view_as_real(node.meta["val"].resolve_conj()))
    results = list(output.args[0])
    with graph.inserting_before(output):
        for i in made:
            value = graph.call_function(aten.view_as_real.default, (results[i],))
            value.meta = dict(val=torch.view_as_real(results[i].meta["val"].clone()))  # a fake conjugate has its operand's storage, and is no view of it
            results[i] = value
    output.args = (type(output.args[0])(results),)
    module.recompile()
    return given, made


def _is_complex(node):
    value = node.meta.get("val") if isinstance(node, torch.fx.Node) else None
    return isinstance(value, torch.Tensor) and value.dtype in (torch.complex64, torch.complex128)


def joined(function, given, made):
    """The function of a graph that was split, of complex tensors again."""
    def call(arguments):
        for i in given:
            arguments[i] = torch.view_as_real(arguments[i].resolve_conj())
        results = list(function(arguments))
        for i in made:
            results[i] = torch.view_as_complex(results[i])
        return tuple(results)
    call._boxed_call = True
    return call
