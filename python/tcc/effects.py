"""Operators that a graph calls for their effects: torch orders them by tokens, with_effects(token, operator, ...) -> (token, results...).

Those that are checks of values, of factorisations that failed, need no order, as what they check orders them: they become plain nodes, and the tokens, for
which torch hands None, go from the graph's inputs to its outputs. Others stay as they are, and are refused by name.
"""
import operator
import re

import torch

from tcc._native import Error

CHECKS = (torch.ops.aten._linalg_check_errors.default,)
_NAMES = tuple(f"torch.ops.{check}".encode() for check in CHECKS)
_FAILED = re.compile(r"linalg\.\w+: .*")


def untie(module, known=None):
    """Afterwards checks are nodes without a token, here and in regions, which neither take nor give tokens. Of inputs that were tokens of checks alone:
    the numbers of the outputs that they go to, by the number of the input. known: the same of graphs that were untied before."""
    known = {} if known is None else known
    graph, tokens = module.graph, set()
    regions = {call: getattr(module, call.args[0].target) for call in graph.nodes if _calls_region(call)}
    for call, region in regions.items():
        if region not in known:
            known[region] = _without_tokens(region, untie(region, known))
        tokens.update(_hand_past(call, known[region]))
    with_effects = getattr(torch.ops.higher_order, "with_effects", None)
    for node in graph.find_nodes(op="call_function", target=with_effects) if with_effects else ():
        token, called, *arguments = node.args
        if called not in CHECKS:
            continue
        with graph.inserting_before(node):
            check = graph.call_function(called, tuple(arguments), dict(node.kwargs))
        check.meta.update({key: value for key, value in node.meta.items() if key == "stack_trace"}, val=None)
        for member in list(node.users):
            if member.target is not operator.getitem:
                member.replace_input_with(node, token)
                continue
            member.replace_all_uses_with(token)
            graph.erase_node(member)
        graph.erase_node(node)
        tokens.add(token)
    if not tokens:
        return {}
    passed, results = {}, graph.output_node().args[0]
    for number, token in enumerate(graph.find_nodes(op="placeholder")):
        if token in tokens and all(user.op == "output" for user in token.users):
            token.meta["val"] = None
            passed[number] = [i for i, result in enumerate(results) if result is token]
    module.recompile()
    return passed


def _calls_region(node):
    return node.op == "call_function" and isinstance(node.target, torch._ops.HigherOrderOperator) and node.target.name() == "invoke_subgraph"


def _without_tokens(region, passed):
    """Takes those inputs and their outputs out of a region."""
    given = region.graph.find_nodes(op="placeholder")
    out = region.graph.output_node()
    dropped = {i for outputs in passed.values() for i in outputs}
    out.args = (tuple(result for i, result in enumerate(out.args[0]) if i not in dropped),)
    for number in passed:
        region.graph.erase_node(given[number])
    region.recompile()
    return passed


def _hand_past(call, passed):
    """The same for a call of the region: what reads such an output reads the operand. The operands."""
    callee, name, *operands = call.args
    source = {i: operands[number] for number, outputs in passed.items() for i in outputs}
    for member in list(call.users):
        index = member.args[1]
        if index in source:
            member.replace_all_uses_with(source[index])
            call.graph.erase_node(member)
        else:
            member.args = (call, index - sum(i < index for i in source))
    if passed:
        call.args = (callee, name, *(value for number, value in enumerate(operands) if number not in passed))
        call.meta["val"] = tuple(value for i, value in enumerate(call.meta["val"]) if i not in source)
    return [operands[number] for number in passed]


class Raising:
    """A graph's function whose failed checks are errors of torch.linalg. count: of the graph's arguments. Of a graph that torch took from its cache, or saved, it
    neither gives nor takes the tokens, which come first."""

    def __init__(self, function, count):
        self._function, self._count = function, count
        self._boxed_call = True

    def __call__(self, arguments):
        tokens = self._count - len(arguments)
        if tokens > 0:
            given, arguments = arguments, [None] * tokens + list(arguments)
            if isinstance(given, list):
                given.clear()
        try:
            results = self._function(arguments)
            return results[tokens:] if tokens > 0 else results
        except Error as error:
            if found := _FAILED.search(str(error)):
                raise torch.linalg.LinAlgError(found[0]) from None
            raise


def raising(function, text, count):
    """The function of the graph that is this text, of so many arguments."""
    return Raising(function, count) if any(name in text for name in _NAMES) else function
