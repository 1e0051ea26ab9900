"""Names that depend on what a graph computes alone, so that equal graphs have equal texts.

torch names nodes, inputs and sizes after the user's variables and after nodes that are gone. Here a node is called after its operator, an
input and a size after its number, in the order in which the graph has them.
"""
import re

import torch

_SYMBOL = re.compile(r"Symbol\('([a-z]*)(\w*)'")


def names_of(graph):
    """For each name of a node the canonical one."""
    names, counts, bases = {}, {}, {}
    for node in graph.nodes:
        key = node.op, node.target if node.op == "call_function" else None
        base = bases.get(key) or bases.setdefault(key, _base(node))
        number = counts[base] = counts.get(base, -1) + 1
        names[node.name] = f"{base}_{number}"
    return names


def _base(node):
    if node.op in ("placeholder", "get_attr"):
        return "input" if node.op == "placeholder" else "constant"
    target = node.target
    text = target._schema.name.split("::")[-1] if isinstance(target, torch._ops.OpOverload) else getattr(target, "__name__", node.op)
    return re.sub(r"\W", "_", text)


class Symbols:
    """Names of sizes, in the order in which they come up; the letter says what torch knows of one (u: nothing)."""

    def __init__(self):
        self.names = {}

    def text(self, srepr):
        return _SYMBOL.sub(lambda match: f"Symbol('{self.name(match[1] + match[2])}'", srepr)

    def name(self, symbol):
        if symbol not in self.names:
            self.names[symbol] = f"{symbol[0]}{len(self.names)}"
        return self.names[symbol]
