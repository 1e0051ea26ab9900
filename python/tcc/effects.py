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


def untie(module):
    """Afterwards checks are nodes without a token."""
    with_effects = getattr(torch.ops.higher_order, "with_effects", None)
    graph, tokens = module.graph, set()
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
    for token in tokens:
        if token.op == "placeholder" and all(user.op == "output" for user in token.users):
            token.meta["val"] = None
    if tokens:
        module.recompile()


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
