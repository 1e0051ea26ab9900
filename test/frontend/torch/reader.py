"""reader.py PRINTER FILE...: compares what tcc-torch-print says of .pt2 archives and graphs with what Python's zipfile and json read there."""
import hashlib
import json
import math
import struct
import subprocess
import sys
import zipfile

TYPES = {1: "uint8", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "float16", 7: "float32", 8: "float64", 9: "complex32",
         10: "complex64", 11: "complex128", 12: "bool", 13: "bfloat16", 28: "uint16", 29: "float8_e4m3fn", 30: "float8_e5m2",
         31: "float8_e4m3fnuz", 32: "float8_e5m2fnuz", 33: "float8_e8m0fnu", 34: "uint32", 35: "uint64"}
BYTES = {"float16": 2, "bfloat16": 2, "int16": 2, "uint16": 2, "float32": 4, "int32": 4, "uint32": 4, "float64": 8, "int64": 8,
         "uint64": 8}
INPUTS = ["", "user_input", "parameter", "buffer", "tensor_constant", "custom_obj", "token", "constant_input"]
OUTPUTS = ["", "user_output", "loss_output", "buffer_mutation", "parameter_mutation", "user_input_mutation", "gradient_to_parameter",
           "gradient_to_user_input", "token"]


def only(union):
    (item,) = union.items()
    return item


def number(value):
    value = float(value)
    return " nan" if math.isnan(value) else " " + struct.pack(">d", value).hex()


def size(union):
    kind, value = only(union)
    if kind == "as_int":
        return f" {value}"
    if kind != "as_expr":
        return ""
    hint = (value.get("hint") or {}).get("as_int")
    return f" {{{value['expr_str']}}}" + (f" {hint}" if hint is not None else "")


def device(value):
    return f"{value['type']}:{-1 if value['index'] is None else value['index']}"


def meta(tensor):
    return (f" {TYPES[tensor['dtype']]} layout={tensor['layout']} grad={tensor['requires_grad']:d} device={device(tensor['device'])} sizes"
            + "".join(map(size, tensor["sizes"])) + " strides" + "".join(map(size, tensor["strides"])) + " offset"
            + size(tensor["storage_offset"]))


def sym(union, literal):
    kind, value = only(union)
    return f" {value}" if kind == "as_name" else literal(value)


LITERALS = {"as_sym_int": ("int", lambda v: f" {v}"), "as_sym_float": ("float", number), "as_sym_bool": ("bool", lambda v: f" {v:d}")}
MANY = {"as_tensors": lambda v: f" {v['name']}", "as_ints": lambda v: f" {v}", "as_floats": number, "as_bools": lambda v: f" {v:d}",
        "as_strings": lambda v: f" {v}", "as_optional_tensors": lambda v: f" {v['as_tensor']['name']}" if "as_tensor" in v else " -"}
ONE = {"as_none": lambda v: "", "as_tensor": lambda v: f" {v['name']}", "as_int": lambda v: f" {v}", "as_float": number,
       "as_bool": lambda v: f" {v:d}", "as_string": lambda v: f" {v}", "as_scalar_type": lambda v: f" {v}",
       "as_memory_format": lambda v: f" {v}", "as_layout": lambda v: f" {v}", "as_device": lambda v: " " + device(v),
       "as_operator": lambda v: f" {v}", "as_complex": lambda v: number(v["real"]) + number(v["imag"]),
       "as_custom_obj": lambda v: f" {v['name']}"}


def argument(union):
    kind, value = only(union)
    if kind == "as_optional_tensor":
        kind, value = only(value)
    if kind == "as_graph":
        return f" graph {value['name']} {{\n" + "\n".join(graph(value["graph"])) + "\n}"
    if kind in LITERALS:
        name, literal = LITERALS[kind]
        return f" {name if 'as_name' not in value else kind[3:]}" + sym(value, literal)
    if kind[:-1] in LITERALS:
        return f" {kind[3:]}" + "".join(sym(v, LITERALS[kind[:-1]][1]) for v in value)
    if kind in MANY:
        return f" {kind[3:]}" + "".join(map(MANY[kind], value))
    if kind in ONE:
        return f" {kind[3:]}" + ONE[kind](value)
    return f" unknown {kind}"


def place(trace):
    """The last frame that is not of a folder called torch."""
    frames = []
    for line in trace.split("\n"):
        line = line.lstrip(" ")
        if line.startswith('File "') and '", line ' in line:
            file, rest = line[6:].split('", line ', 1)
            frames.append((file, int(rest.split(",")[0])))
    own = [f for f in frames if not ("/" + f[0]).count("/torch/")]
    return f" at {(own or frames)[-1][0]}:{(own or frames)[-1][1]}" if frames else ""


def graph(g):
    out = ["input" + argument(a) for a in g["inputs"]]
    for n in g["nodes"]:
        out.append(f"node {n['target']} name={n.get('name') or ''} single={bool(n.get('is_hop_single_tensor_return')):d}"
                   + place(n.get("metadata", {}).get("stack_trace", "")))
        out += [f"  {i['name']}{'=' if i.get('kind') == 2 else ''}" + argument(i["arg"]) for i in n["inputs"]]
        out += ["  ->" + argument(a) for a in n["outputs"]]
    out += ["output" + argument(a) for a in g["outputs"]]
    out.append(f"single={g.get('is_single_tensor_return', False):d}")
    for key, values in g.items():
        if key == "tensor_values":
            out += [f"value {name}" + meta(t) for name, t in values.items()]
        elif key in ("sym_int_values", "sym_float_values", "sym_bool_values"):
            kind = ["sym_int_values", "sym_float_values", "sym_bool_values"].index(key) + 1
            out += [f"value {name} {kind}" + size(s) for name, s in values.items()]
        elif key == "custom_obj_values":
            out += [f"value {name} 4 0" for name in values]
    return out


def spec(what, kinds, union):
    kind, value = only(union)
    text = f"spec {what} {kinds.index(kind)} target=" + next(
        (value[k] for k in value if k.endswith("_name") or (kind == "constant_input" and k == "name")), "")
    if what == "in":
        text += f" persistent={value.get('persistent', False):d}"
    arg = value.get("arg", value.get("value"))
    if kind in ("token", "custom_obj"):
        return text + f" custom_obj {arg['name']}"
    return text + argument({"as_tensor": arg} if "name" in arg else arg)


def program(p):
    version = p["schema_version"]
    yield f"schema {version['major']}.{version['minor']} aten {p['opset_version']['aten']} torch {p['torch_version']}"
    signature = p["graph_module"]["signature"]
    yield from (spec("in", INPUTS, s) for s in signature["input_specs"])
    yield from (spec("out", OUTPUTS, s) for s in signature["output_specs"])
    for symbol, r in p["range_constraints"].items():
        low, high = r["min_val"], r["max_val"]
        yield f"range {symbol} {-2**63 if low is None else low} {2**63 - 1 if high is None else high}"
    yield from (f"guard {g}" for g in p.get("guards_code") or [])
    yield from graph(p["graph_module"]["graph"])


def row_major(tensor):
    dense = 1
    for n, stride in reversed(list(zip(tensor["sizes"], tensor["strides"]))):
        n, stride = n["as_int"], stride["as_int"]
        if n > 1 and stride != dense:
            return False
        dense *= n
    return True


def weights(archive, root, model, folder, constant):
    base = f"{root}/data/{folder}/"
    for name, w in json.loads(archive.read(f"{base}{model}_{folder}_config.json"))["config"].items():
        data, t = archive.read(base + w["path_name"]), w["tensor_meta"]
        count = math.prod(s["as_int"] for s in t["sizes"])
        first = t["storage_offset"]["as_int"] * BYTES.get(TYPES[t["dtype"]], 1) if count else 0
        digest = hashlib.blake2b(data[first:], digest_size=32).hexdigest()[:16]
        yield (f"weight {name} in {base}{w['path_name']} parameter={w['is_param']:d} constant={constant:d} dense={row_major(t):d} "
               f"count={count} data={digest}" + meta(t))


def expected(path):
    if not zipfile.is_zipfile(path):
        return list(program(json.load(open(path))))
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        root = next(n for n in names if n.endswith("/archive_format")).split("/")[0]
        (model,) = [n[len(root) + 8:-5] for n in names if n.startswith(f"{root}/models/") and n.endswith(".json")]
        return [*program(json.loads(archive.read(f"{root}/models/{model}.json"))), *weights(archive, root, model, "weights", False),
                *weights(archive, root, model, "constants", True)]


failed = False
for path in sys.argv[2:]:
    got = subprocess.run([sys.argv[1], "--crc", path], capture_output=True, text=True)
    want = "\n".join(expected(path)).split("\n")
    lines = got.stdout.rstrip("\n").split("\n")
    first = next((i for i, (a, b) in enumerate(zip(lines, want)) if a != b), min(len(lines), len(want)))
    if got.returncode or lines != want:
        failed = True
        print(f"{path}, line {first + 1}: {got.stderr}\n got  {lines[first:first + 1]}\n want {want[first:first + 1]}")
    else:
        print(f"{path}: {len(want)} lines are equal")
sys.exit(failed)
