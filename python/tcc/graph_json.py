"""An FX graph as the JSON that torch.export writes into a .pt2 archive (torch/_export/serde/schema.py, version 8).

torch's own serialiser takes ten times as long and writes ten times as much, most of it where each node comes from. What is written here is
the graph itself; nodes carry the user's source line if it is asked for. Names are the graph's; sizes that are expressions are sympy's
srepr, as torch writes them.
"""
import json
import math
import operator
import re

import sympy
import torch
from torch.fx import GraphModule, Node

from tcc._native import Error
from tcc.canonical import Symbols, names_of

SCHEMA_VERSION = {"major": 8, "minor": 20}
DTYPES = {getattr(torch, name): number for name, number in dict(
    uint8=1, int8=2, int16=3, int32=4, int64=5, float16=6, float32=7, float64=8, complex32=9, complex64=10, complex128=11, bool=12,
    bfloat16=13, uint16=28, float8_e4m3fn=29, float8_e5m2=30, float8_e4m3fnuz=31, float8_e5m2fnuz=32, float8_e8m0fnu=33, uint32=34,
    uint64=35).items()}
FORMATS = {torch.contiguous_format: 1, torch.channels_last: 2, torch.channels_last_3d: 3, torch.preserve_format: 4}
LAYOUTS = {torch.sparse_coo: 1, torch.sparse_csr: 2, torch.sparse_csc: 3, torch.sparse_bsr: 4, torch.sparse_bsc: 5, torch._mkldnn: 6,
           torch.strided: 7}
POSITIONAL, KEYWORD = 1, 2
SCALARS = {bool: "as_bool", int: "as_int", str: "as_string"}
LISTS = {bool: "as_bools", int: "as_ints", float: "as_floats", str: "as_strings"}
SYMBOLIC = {"as_sym_int": ("as_int", int), "as_sym_float": ("as_float", float), "as_sym_bool": ("as_bool", bool)}


class Unsupported(Error):
    """A value that the schema has no place for."""
    code = "unsupported"


class _Writer:
    """Writes one graph; those inside of it share what was written of expressions, tensors and operators."""

    def __init__(self, module, constants, source, outer=None, canonical=False):
        self.module, self.constants, self.source = module, constants, source
        self.symbols = outer.symbols if outer else Symbols() if canonical else None
        self.names = names_of(module.graph) if self.symbols else {}
        self.kinds, self.same, self.nodes = {}, {}, []
        self.values = {"tensor_values": {}, "sym_int_values": {}, "sym_bool_values": {}, "sym_float_values": {}, "custom_obj_values": {}}
        self.schemas, self.expressions, self.metas, self.ranges, self.problems = outer.shared if outer else ({}, {}, {}, {}, [])
        self.shared = self.schemas, self.expressions, self.metas, self.ranges, self.problems

    # ---- numbers and tensors that a graph computes ----
    def number(self, value, kind):  # SymInt, SymFloat or SymBool of the schema; kind: "as_int" ...
        if not isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
            return {kind: _finite(value)}
        expr = value.node.expr
        if isinstance(expr, (sympy.Integer, sympy.Float)):
            return {kind: int(expr) if kind == "as_int" else float(expr)}
        text = self.expressions.get(expr)
        if text is None:
            text, known = sympy.srepr(expr), value.node.shape_env.var_to_range
            text = self.expressions[expr] = self.symbols.text(text) if self.symbols else text
            name = self.symbols.name if self.symbols else str
            self.ranges.update({name(str(symbol)): _range(known[symbol]) for symbol in expr.free_symbols if symbol in known})
        hint = None if self.symbols else value.node.hint
        return {"as_expr": {"expr_str": text, "hint": None if hint is None else {kind: hint}}}

    def tensor(self, value):
        sizes, strides, offset = value.shape, value.stride(), value.storage_offset()
        plain = type(offset) is int and all(type(n) is int for n in sizes) and all(type(n) is int for n in strides)
        key = (value.dtype, sizes, strides, offset, value.requires_grad, value.device, value.layout) if plain else None
        meta = self.metas.get(key) if plain else None
        if meta is None:
            meta = {"dtype": _code(DTYPES, value.dtype), "sizes": [self.number(n, "as_int") for n in sizes], "requires_grad": value.requires_grad and not self.symbols,
                    "device": _device(value.device), "strides": [self.number(n, "as_int") for n in strides],
                    "storage_offset": self.number(offset, "as_int"), "layout": _code(LAYOUTS, value.layout)}
            if plain:
                self.metas[key] = meta
        return meta

    # ---- a graph ----
    def name(self, node):
        return self.names.get(node.name, node.name)

    def graph(self, outputs=None):
        inputs, results = [], None
        for node in self.module.graph.nodes:
            if node.op == "placeholder":
                value = node.meta.get("val")
                inputs.append(self.argument(value) if value is None or type(value) in (int, bool, str, float)
                              else self.result(self.name(node), value))
            elif node.op == "get_attr":
                self.constant(node, getattr(self.module, node.target))
            elif node.op == "output":
                results = node.args[0]
            elif node.target is not operator.getitem:
                try:
                    self.nodes.append(self.node(node))
                except Unsupported as error:  # told with the others
                    self.problems.append(f'node "{node.name}": unsupported: \'{node.target}\': {error}{_line(node)}')
        single = isinstance(results, Node)
        if outputs is None:
            outputs = [results] if single else results
        return {"inputs": inputs + list((self.constants or {}).values()), "outputs": [self.argument(a) for a in outputs],
                "nodes": self.nodes, "is_single_tensor_return": single, **self.values}

    def constant(self, node, value):
        """A tensor that is an attribute is one more input, behind the others; a graph inside of another has none."""
        if not isinstance(value, torch.Tensor):
            return
        if self.constants is None:
            raise Unsupported(f"{self.name(node)} is a tensor of an inner graph")
        if node.target in self.constants:
            self.same[self.name(node)] = self.constants[node.target]["as_tensor"]["name"]
        else:
            self.constants[node.target] = self.result(self.name(node), value)

    def result(self, name, value):
        """Enters a value of this name; the schema's Argument for it."""
        if value is None:
            return {"as_none": True}
        if isinstance(value, torch.Tensor):
            self.values["tensor_values"][name] = self.tensor(value)
            return {"as_tensor": {"name": name}}
        for types, argument, kind, table in (((bool, torch.SymBool), "as_sym_bool", "as_bool", "sym_bool_values"),
                                             ((int, torch.SymInt), "as_sym_int", "as_int", "sym_int_values"),
                                             ((float, torch.SymFloat), "as_sym_float", "as_float", "sym_float_values")):
            if isinstance(value, types):
                self.values[table][name], self.kinds[name] = self.number(value, kind), argument
                return {argument: {"as_name": name}}
        raise Unsupported(f"{name} is a {type(value).__name__}")

    # ---- a node ----
    def node(self, node):
        target, value, single = node.target, node.meta.get("val"), None
        if isinstance(target, torch._ops.OpOverload):
            name = f"torch.ops.{target.__module__.removeprefix('torch._ops.')}.{target.__name__}"
            inputs, outputs = self.operands(target, node.args, node.kwargs), self.results(node, target._schema.returns, value)
        elif isinstance(target, torch._ops.HigherOrderOperator):
            name, single = f"{target.__module__.replace('torch._ops', 'torch.ops')}.{target.__name__}", isinstance(value, torch.Tensor)
            inputs = [_named("", self.argument(a), POSITIONAL) for a in node.args]
            inputs += [_named(key, self.argument(a), KEYWORD) for key, a in node.kwargs.items()]
            outputs = [self.element(node, node, i, v) for i, v in enumerate(value)] if isinstance(value, (tuple, list)) \
                else [self.result(self.name(node), value)]
        elif isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool, int, float, bool)):  # arithmetic on sizes
            name = f"{target.__module__}.{target.__name__}"
            inputs = [_named(key, self.argument(a), POSITIONAL) for key, a in zip("abc", node.args)]
            outputs = [self.result(self.name(node), value)]
        else:
            raise Unsupported("no operator of torch")
        trace = node.meta.get("stack_trace") if self.source else None
        metadata = {"stack_trace": 'File "' + trace.rstrip().rsplit('File "', 1)[-1]} if trace else {}
        return {"target": name, "inputs": inputs, "outputs": outputs, "metadata": metadata, "is_hop_single_tensor_return": single,
                "name": self.name(node)}

    def operands(self, target, args, kwargs):
        schema = self.schemas.get(target)
        if schema is None:
            schema = self.schemas[target] = [(a.name, a.kwarg_only, _empty_list(a.type)) for a in target._schema.arguments]
        made = []
        for i, (name, keyword_only, empty) in enumerate(schema):
            if name in kwargs:
                made.append(_named(name, self.argument(kwargs[name], empty), KEYWORD))
            elif not keyword_only and i < len(args):
                made.append(_named(name, self.argument(args[i], empty), POSITIONAL))
        return made

    def results(self, node, returns, value):
        if len(returns) == 0:
            return []
        if len(returns) == 1 and isinstance(value, (list, tuple)):  # -> Tensor[]
            return [{"as_tensors": [self.element(node, node, i, v)["as_tensor"] for i, v in enumerate(value)]}]
        if len(returns) == 1:
            return [self.result(self.name(node), value)]
        return [self.element(node, node, i, v) for i, v in enumerate(value)]

    def element(self, node, user, index, value):
        """A member of a node's result: it has the name of the getitem that takes it."""
        takers = [u for u in user.users if u.target is operator.getitem and u.args[1] == index] if user else []
        name = self.name(takers[0]) if takers else f"{self.name(node)}_unused_{index}"
        self.same.update({self.name(u): name for u in takers[1:]})
        if not isinstance(value, (list, tuple)):
            return self.result(name, value)
        inner = takers[0] if takers else None
        return {"as_tensors": [self.element(node if inner is None else inner, inner, i, v)["as_tensor"] for i, v in enumerate(value)]}

    # ---- an argument ----
    def argument(self, value, empty="as_tensors"):
        if isinstance(value, Node):
            if value.op == "get_attr" and isinstance(getattr(self.module, value.target), GraphModule):
                inner = _Writer(getattr(self.module, value.target), None, self.source, self)
                return {"as_graph": {"name": value.target, "graph": inner.graph()}}
            kind = self.kinds.get(self.name(value))
            return {kind: {"as_name": self.name(value)}} if kind else {"as_tensor": {"name": self.same.get(self.name(value), self.name(value))}}
        kind = SCALARS.get(type(value))
        if kind:
            return {kind: value}
        if value is None:
            return {"as_none": True}
        if type(value) is float:
            return {"as_float": _finite(value)}
        if isinstance(value, (list, tuple)):
            return self.list(value, empty)
        if isinstance(value, torch.dtype):
            return {"as_scalar_type": _code(DTYPES, value)}
        if isinstance(value, torch.device):
            return {"as_device": _device(value)}
        if isinstance(value, torch.memory_format):
            return {"as_memory_format": _code(FORMATS, value)}
        if isinstance(value, torch.layout):
            return {"as_layout": _code(LAYOUTS, value)}
        if isinstance(value, complex):
            return {"as_complex": {"real": value.real, "imag": value.imag}}
        raise Unsupported(f"an argument of type {type(value).__name__}")

    def list(self, values, empty):
        if not values:
            return {empty: []}
        types = {type(v) for v in values}
        if len(types) == 1 and (kind := LISTS.get(types.pop())):
            return {kind: [_finite(v) for v in values]}
        items = [self.argument(v) for v in values]
        kinds = {next(iter(item)) for item in items}
        for symbolic, (plain, _) in SYMBOLIC.items():
            if symbolic in kinds and kinds <= {symbolic, plain}:
                return {symbolic + "s": [item.get(symbolic, item) for item in items]}
        if kinds == {"as_tensor"}:
            return {"as_tensors": [item["as_tensor"] for item in items]}
        if kinds == {"as_tensor", "as_none"}:
            return {"as_optional_tensors": items}
        if kinds <= {"as_ints", "as_floats"} and len(kinds) == 1:
            return {"as_int_lists" if "as_ints" in kinds else "as_float_lists": [list(v) for v in values]}
        raise Unsupported(f"a list of {', '.join(sorted(kinds))}")


def _line(node):
    """Where the user wrote it: " (file.py:3)"."""
    place = re.findall(r'File "([^"]*)", line (\d+)', node.meta.get("stack_trace") or "")
    return f" ({place[-1][0]}:{place[-1][1]})" if place else ""


def _code(table, value):
    if value not in table:
        raise Unsupported(f"{value} has no number in the schema")
    return table[value]


def _finite(value):
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def _device(device):
    return {"type": device.type, "index": device.index}


def _named(name, argument, kind):
    return {"name": name, "arg": argument, "kind": kind}


def _range(bounds):
    return {"min_val": int(bounds.lower) if bounds.lower.is_Integer else None, "max_val": int(bounds.upper) if bounds.upper.is_Integer else None}


def _empty_list(type):
    """What an empty list is to an argument of this type."""
    if isinstance(type, torch.OptionalType):
        type = type.getElementType()
    element = type.getElementType() if isinstance(type, torch.ListType) else None
    if isinstance(element, torch.OptionalType):
        element = element.getElementType()
    for jit, kind in ((torch.BoolType, "as_bools"), (torch.IntType, "as_ints"), (torch.FloatType, "as_floats"), (torch.StringType, "as_strings")):
        if isinstance(element, jit):
            return kind
    return "as_tensors"


def graph(module):
    """The schema's Graph of a module, as a dict."""
    writer = _Writer(module, {}, False)
    made = writer.graph()
    if writer.problems:
        raise Unsupported("\n".join(writer.problems))
    return made


def program(module, outputs=None, static=(), source=False, canonical=False):
    """The schema's ExportedProgram of a module as bytes, and the names of its attributes that are inputs behind those of the graph.

    outputs: nodes and values that take the place of the graph's own. static: numbers of inputs that stay the same tensors from call to
    call, written as parameters. source: nodes carry the user's source line. canonical: names and sizes are those of canonical.py."""
    constants = {}
    writer = _Writer(module, constants, source, canonical=canonical)
    made = writer.graph(outputs)
    if writer.problems:
        raise Unsupported("\n".join(writer.problems))
    names, first = list(constants), len(made["inputs"]) - len(constants)
    inputs = []
    for i, argument in enumerate(made["inputs"]):
        if i >= first:
            inputs.append({"tensor_constant": {"arg": argument["as_tensor"], "tensor_constant_name": names[i - first]}})
        elif i in static and "as_tensor" in argument:
            inputs.append({"parameter": {"arg": argument["as_tensor"], "parameter_name": argument["as_tensor"]["name"]}})
        else:
            inputs.append({"user_input": {"arg": argument}})
    signature = {"input_specs": inputs, "output_specs": [{"user_output": {"arg": a}} for a in made["outputs"]]}
    document = {"graph_module": {"graph": made, "signature": signature, "module_call_graph": [], "metadata": {},
                                 "treespec_namedtuple_fields": {}},
                "opset_version": {"aten": torch._C._get_max_operator_version()}, "range_constraints": dict(sorted(writer.ranges.items())),
                "schema_version": SCHEMA_VERSION, "verifiers": [], "torch_version": torch.__version__, "guards_code": []}
    return json.dumps(document, separators=(",", ":"), allow_nan=False).encode(), names
