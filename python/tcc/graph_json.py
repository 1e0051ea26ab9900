"""An FX graph as the JSON that torch.export writes into a .pt2 archive (torch/_export/serde/schema.py, version 8).

torch's own serialiser takes ten times as long and writes ten times as much, most of it where each node comes from. What is written here is
the graph itself; nodes carry the user's source line if it is asked for. Names are the graph's; sizes that are expressions are sympy's
srepr, as torch writes them.
"""
import json
import math
import operator
import re
from json.encoder import encode_basestring_ascii as quoted

import sympy
import torch
from torch.fx import GraphModule, Node
from torch.utils._sympy.functions import FloorDiv, Mod, PythonMod

from tcc import compat, partition
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
WHOLE = sympy.Integer, sympy.Symbol, sympy.Add, sympy.Mul, FloorDiv, Mod, PythonMod
POSITIONAL, KEYWORD = 1, 2
NAME = '{"name":'
SCALARS = {bool: "as_bool", int: "as_int", float: "as_float", str: "as_string"}
LISTS = {bool: "as_bools", int: "as_ints", float: "as_floats", str: "as_strings"}
SYMBOLIC = {"as_sym_int": "as_int", "as_sym_float": "as_float", "as_sym_bool": "as_bool"}
NUMBERS = (((bool, torch.SymBool), "as_sym_bool", "as_bool", "sym_bool_values"), ((int, torch.SymInt), "as_sym_int", "as_int", "sym_int_values"),
           ((float, torch.SymFloat), "as_sym_float", "as_float", "sym_float_values"))


class Unsupported(Error):
    """A value that the schema has no place for."""
    code = "unsupported"


def is_left_out(node):
    """Whether an input is one that AOTAutograd hands through beside the parts of a nested tensor: its ragged size, which no operator reads."""
    return partition.is_ragged_size(node.meta.get("val")) and all(user.op == "output" for user in node.users)


class _Writer:
    """Writes one graph; those inside of it share what was written of expressions, tensors, operators and graphs.

    Everything is text as soon as it is known: dicts for json to walk would take twice as long. An Argument of the schema, {KIND: VALUE}, is the
    pair (KIND, text of VALUE) until it is written."""

    def __init__(self, module, constants, source, outer=None, canonical=False):
        self.module, self.constants, self.source = module, constants, source
        self.symbols = outer.symbols if outer else Symbols() if canonical else None
        names = names_of(module.graph) if self.symbols is not None else {}
        self.names = {node: quoted(names.get(node.name, node.name)) for node in module.graph.nodes}
        self.arguments, self.nodes = {}, []
        self.values = {"tensor_values": {}, "sym_int_values": {}, "sym_bool_values": {}, "sym_float_values": {}, "custom_obj_values": {}}
        self.shared = outer.shared if outer else ({}, {}, {}, {}, {}, {}, [])
        self.schemas, self.expressions, self.metas, self.graphs, self.ranges, self.environments, self.problems = self.shared

    # ---- numbers and tensors that a graph computes ----
    def number(self, value, kind):  # SymInt, SymFloat or SymBool of the schema; kind: "as_int" ...
        if not isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
            return f'{{"{kind}":{_scalar(value)}}}'
        expr = value.node.expr
        if isinstance(expr, (sympy.Integer, sympy.Float)):
            return f'{{"{kind}":{_scalar(int(expr) if kind == "as_int" else float(expr))}}}'
        text = self.expressions.get(expr)
        if text is None:
            text, known = sympy.srepr(expr), value.node.shape_env.var_to_range
            self.environments[value.node.shape_env] = None
            text = self.expressions[expr] = quoted(self.symbols.text(text) if self.symbols is not None else text)
            name = self.symbols.name if self.symbols is not None else str
            self.ranges.update({name(str(symbol)): _range(known[symbol]) for symbol in expr.free_symbols if symbol in known})
        hint = None if self.symbols is not None else value.node.hint
        hint = "null" if hint is None else f'{{"{kind}":{_scalar(hint)}}}'
        return f'{{"as_expr":{{"expr_str":{text},"hint":{hint}}}}}'

    def tensor(self, value):
        sizes, strides, offset = value.shape, value.stride(), value.storage_offset()
        grad = self.symbols is None and value.requires_grad
        key = value.dtype, sizes, strides, offset, grad, value.device, value.layout
        if not {*map(type, sizes), *map(type, strides), type(offset)} <= {int}:
            return self.meta(*key)
        meta = self.metas.get(key)
        if meta is None:
            meta = self.metas[key] = self.meta(*key)
        return meta

    def meta(self, dtype, sizes, strides, offset, grad, device, layout):
        sizes, strides = (",".join([self.number(n, "as_int") for n in numbers]) for numbers in (sizes, strides))
        return (f'{{"dtype":{_code(DTYPES, dtype)},"sizes":[{sizes}],"requires_grad":{_scalar(grad)},"device":{_device(device)},"strides":[{strides}],'
                f'"storage_offset":{self.number(offset, "as_int")},"layout":{_code(LAYOUTS, layout)}}}')

    def equations(self):
        """What Dynamo's guards say is equal, of sizes that the graphs have: an axis of size 1, which is broadcast, may show there alone."""
        known = {symbol for expr in self.expressions for symbol in expr.free_symbols}
        guards = [guard.expr for environment in self.environments for guard in environment.guards]
        texts = [sympy.srepr(expr) for expr in guards if isinstance(expr, sympy.Eq) and expr.free_symbols <= known and _is_whole(expr.lhs - expr.rhs)]
        return [self.symbols.text(text) for text in texts] if self.symbols is not None else texts

    # ---- a graph ----
    def graph(self, outputs=None):
        """Its inputs and outputs, lists of arguments, and its text."""
        inputs, results = [], None
        for node in self.module.graph.nodes:
            if node.op == "placeholder":
                value = None if is_left_out(node) else node.meta.get("val")
                inputs.append(self.argument(value) if value is None or type(value) in (int, bool, str, float)
                              else self.result(self.names[node], value, node))
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
        inputs, outputs = inputs + list((self.constants or {}).values()), [self.argument(a) for a in outputs]
        values = ",".join(f'"{table}":{{{",".join([f"{name}:{value}" for name, value in entries.items()])}}}' for table, entries in self.values.items())
        return inputs, outputs, (f'{{"inputs":[{_joined(inputs)}],"outputs":[{_joined(outputs)}],"nodes":[{",".join(self.nodes)}],'
                                 f'"is_single_tensor_return":{_scalar(single)},{values}}}')

    def constant(self, node, value):
        """A tensor that is an attribute is one more input, behind the others; a graph inside of another has none."""
        if not isinstance(value, torch.Tensor):
            return
        if self.constants is None:
            raise Unsupported(f"{node.name} is a tensor of an inner graph")
        if node.target in self.constants:
            self.arguments[node] = self.constants[node.target]
        else:
            self.constants[node.target] = self.result(self.names[node], value, node)

    def result(self, name, value, *takers):
        """Enters a value of this name, which these nodes are; the schema's Argument for it."""
        if value is None:
            return "as_none", "true"
        argument = None
        if isinstance(value, torch.Tensor):
            self.values["tensor_values"][name] = self.tensor(value)
            argument = "as_tensor", f"{NAME}{name}}}"
        else:
            for types, kind, of, table in NUMBERS:
                if isinstance(value, types):
                    self.values[table][name], argument = self.number(value, of), (kind, f'{{"as_name":{name}}}')
                    break
        if argument is None:
            raise Unsupported(f"{name[1:-1]} is a {type(value).__name__}")
        for taker in takers:
            self.arguments[taker] = argument
        return argument

    # ---- a node ----
    def node(self, node):
        target, value, single = node.target, node.meta.get("val"), "null"
        if value is None and target in compat.RNG_STATES:
            value = compat.drawn(node)
        if isinstance(target, torch._ops.OpOverload):
            name, schema, returns = self.schemas.get(target) or self.schema(target)
            inputs, outputs = self.operands(schema, node.args, node.kwargs), self.results(node, returns, value)
        elif isinstance(target, torch._ops.HigherOrderOperator):
            name, single = quoted(f"{target.__module__.replace('torch._ops', 'torch.ops')}.{target.__name__}"), _scalar(isinstance(value, torch.Tensor))
            called = next((i for i, a in enumerate(node.args) if isinstance(a, torch._ops.OpOverload)), len(node.args))
            inputs = [_named("", POSITIONAL) % argument for a in node.args[:called + 1] for argument in self.spread(a)]
            if called < len(node.args):  # of an operator: its own arguments
                overload = node.args[called]
                inputs += self.operands((self.schemas.get(overload) or self.schema(overload))[1], node.args[called + 1:], node.kwargs)
            else:
                inputs += [_named(key, KEYWORD) % self.argument(a) for key, a in node.kwargs.items()]
            outputs = [self.element(node, node, i, v) for i, v in enumerate(value)] if isinstance(value, (tuple, list)) \
                else [self.result(self.names[node], value, node)]
        elif isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool, int, float, bool)):  # arithmetic on sizes
            name = quoted(f"{target.__module__}.{target.__name__}")
            inputs = [_named(key, POSITIONAL) % self.argument(a) for key, a in zip("abc", node.args)]
            outputs = [self.result(self.names[node], value, node)]
        else:
            raise Unsupported("no operator of torch")
        trace = node.meta.get("stack_trace") if self.source else None
        metadata = f'{{"stack_trace":{quoted(_last_frame(trace))}}}' if trace else "{}"
        return (f'{{"target":{name},"inputs":[{",".join(inputs)}],"outputs":[{_joined(outputs)}],"metadata":{metadata},'
                f'"is_hop_single_tensor_return":{single},"name":{self.names[node]}}}')

    def schema(self, target):
        """Of an operator the text of its name, its arguments (name, whether keyword only, what an empty list is, how to write it by position
        and by name), the number of its results."""
        name = quoted(_operator(target))
        arguments = [(a.name, a.kwarg_only, _empty_list(a.type), _named(a.name, POSITIONAL), _named(a.name, KEYWORD)) for a in target._schema.arguments]
        made = self.schemas[target] = name, arguments, len(target._schema.returns)
        return made

    def operands(self, schema, args, kwargs):
        made = []
        for i, (name, keyword_only, empty, positional, keyword) in enumerate(schema):
            if name in kwargs:
                made.append(keyword % self.argument(kwargs[name], empty))
            elif not keyword_only and i < len(args):
                made.append(positional % self.argument(args[i], empty))
        return made

    def results(self, node, returns, value):
        if returns == 0:
            return []
        if returns == 1 and isinstance(value, (list, tuple)):  # -> Tensor[]
            return [self.elements(node, node, value)]
        if returns == 1:
            return [self.result(self.names[node], value, node)]
        return [self.element(node, node, i, v) for i, v in enumerate(value)]

    def elements(self, node, user, values):
        return "as_tensors", f'[{",".join([self.element(node, user, i, v)[1] for i, v in enumerate(values)])}]'

    def element(self, node, user, index, value):
        """A member of a node's result: it has the name of the getitem that takes it."""
        takers = [u for u in user.users if u.target is operator.getitem and u.args[1] == index] if user else []
        if isinstance(value, (list, tuple)):
            inner = takers[0] if takers else None
            return self.elements(node if inner is None else inner, inner, value)
        return self.result(self.names[takers[0]] if takers else f'{self.names[node][:-1]}_unused_{index}"', value, *takers)

    # ---- an argument ----
    def argument(self, value, empty="as_tensors"):
        if isinstance(value, Node):
            return self.arguments.get(value) or self.reference(value)
        kind = SCALARS.get(type(value))
        if kind:
            return kind, _scalar(value)
        if value is None:
            return "as_none", "true"
        if isinstance(value, (list, tuple)):
            return self.list(value, empty)
        if isinstance(value, torch.dtype):
            return "as_scalar_type", str(_code(DTYPES, value))
        if isinstance(value, torch.device):
            return "as_device", _device(value)
        if isinstance(value, torch.memory_format):
            return "as_memory_format", str(_code(FORMATS, value))
        if isinstance(value, torch.layout):
            return "as_layout", str(_code(LAYOUTS, value))
        if isinstance(value, complex):
            return "as_complex", f'{{"real":{_scalar(value.real)},"imag":{_scalar(value.imag)}}}'
        if isinstance(value, torch._ops.OpOverload):  # of with_effects
            return "as_operator", quoted(_operator(value))
        raise Unsupported(f"an argument of type {type(value).__name__}")

    def spread(self, value):
        """An operand of a graph's; the members of a list of tensors and numbers, which the schema has no list for, as one operand each."""
        items = [self.argument(v) for v in value] if isinstance(value, (list, tuple)) else []
        return items if "as_tensor" in (kinds := {kind for kind, _ in items}) and not kinds <= {"as_tensor", "as_none"} else [self.argument(value)]

    def reference(self, node):
        """A node that is no value which was entered: a graph, or what is nobody's result."""
        inner = getattr(self.module, node.target) if node.op == "get_attr" else None
        if not isinstance(inner, GraphModule):
            return "as_tensor", f"{NAME}{self.names[node]}}}"
        if inner not in self.graphs:
            self.graphs[inner] = _Writer(inner, None, self.source, self).graph()[2]
        return "as_graph", f'{{"name":{quoted(node.target)},"graph":{self.graphs[inner]}}}'

    def list(self, values, empty):
        if not values:
            return empty, "[]"
        types = {type(v) for v in values}
        if len(types) == 1 and (kind := LISTS.get(types.pop())):
            return kind, f'[{",".join(map(_scalar, values))}]'
        items = [self.argument(v) for v in values]
        kinds = {kind for kind, _ in items}
        for symbolic, plain in SYMBOLIC.items():
            if symbolic in kinds and kinds <= {symbolic, plain}:
                return symbolic + "s", f'[{",".join([text if kind == symbolic else _wrapped((kind, text)) for kind, text in items])}]'
        if kinds == {"as_tensor"}:
            return "as_tensors", f'[{",".join([text for _, text in items])}]'
        if kinds == {"as_tensor", "as_none"}:
            return "as_optional_tensors", f"[{_joined(items)}]"
        if kinds <= {"as_ints", "as_floats"} and len(kinds) == 1:
            return "as_int_lists" if "as_ints" in kinds else "as_float_lists", f'[{",".join([text for _, text in items])}]'
        raise Unsupported(f"a list of {', '.join(sorted(kinds))}")


def _line(node):
    """Where the user wrote it: " (file.py:3)"."""
    place = re.findall(r'File "([^"]*)", line (\d+)', node.meta.get("stack_trace") or "")
    return f" ({place[-1][0]}:{place[-1][1]})" if place else ""


def _operator(overload):
    return f"torch.ops.{overload.__module__.removeprefix('torch._ops.')}.{overload.__name__}"


def _code(table, value):
    if value not in table:
        raise Unsupported(f"{value} has no number in the schema")
    return table[value]


def _scalar(value):
    """A bool, a number or a string as JSON."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, str):
        return quoted(value)
    return float.__repr__(value) if math.isfinite(value) else '"NaN"' if math.isnan(value) else '"Infinity"' if value > 0 else '"-Infinity"'


def _device(device):
    return f'{{"type":{quoted(device.type)},"index":{"null" if device.index is None else device.index}}}'


def _wrapped(argument):
    return '{"%s":%s}' % argument


def _joined(arguments):
    return ",".join([_wrapped(argument) for argument in arguments])


def _named(name, kind):
    """What writes an argument of this name."""
    return f'{{"name":{quoted(name)},"arg":{{"%s":%s}},"kind":{kind}}}'


def _is_whole(expr):
    """Whether an expression is of integers, their quotients rounded down and remainders, which the importer reads."""
    return all(isinstance(part, WHOLE) for part in sympy.preorder_traversal(expr))


def _last_frame(trace):
    return 'File "' + trace.rstrip().rsplit('File "', 1)[-1]


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
    """The schema's Graph of a module as text."""
    return _written(_Writer(module, {}, False), None)[2]


def _written(writer, outputs):
    made = writer.graph(outputs)
    if writer.problems:
        raise Unsupported("\n".join(writer.problems))
    return made


def program(module, outputs=None, static=(), source=False, canonical=False):
    """The schema's ExportedProgram of a module as bytes, and the names of its attributes that are inputs behind those of the graph.

    outputs: nodes and values that take the place of the graph's own. static: numbers of inputs that stay the same tensors from call to
    call, written as parameters. source: nodes carry the user's source line. canonical: names and sizes are those of canonical.py."""
    constants = {}
    writer = _Writer(module, constants, source, canonical=canonical)
    arguments, results, made = _written(writer, outputs)
    names, first = list(constants), len(arguments) - len(constants)
    inputs = []
    for i, (kind, text) in enumerate(arguments):
        if i >= first:
            inputs.append(f'{{"tensor_constant":{{"arg":{text},"tensor_constant_name":{quoted(names[i - first])}}}}}')
        elif i in static and kind == "as_tensor":
            inputs.append(f'{{"parameter":{{"arg":{text},"parameter_name":{text[len(NAME):-1]}}}}}')
        else:
            inputs.append(f'{{"user_input":{{"arg":{{"{kind}":{text}}}}}}}')
    given = ",".join([f'{{"user_output":{{"arg":{_wrapped(result)}}}}}' for result in results])
    module = (f'{{"graph":{made},"signature":{{"input_specs":[{",".join(inputs)}],"output_specs":[{given}]}},"module_call_graph":[],"metadata":{{}},'
              '"treespec_namedtuple_fields":{}}')
    about = {"opset_version": {"aten": torch._C._get_max_operator_version()}, "range_constraints": dict(sorted(writer.ranges.items())),
             "schema_version": SCHEMA_VERSION, "verifiers": [], "torch_version": torch.__version__, "guards_code": writer.equations()}
    return f'{{"graph_module":{module},{json.dumps(about, separators=(",", ":"))[1:]}'.encode(), names
