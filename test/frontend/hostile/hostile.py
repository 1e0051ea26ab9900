"""Files that mean harm: `hostile.py FOLDER [CASE...]` makes them below FOLDER and imports each with tcc-translate.

Every one must end with exit status 1, exactly one error that says what is expected here, within the time limit (a guard
against hanging) and within 64 MB + 4 times its size above what a small good model takes. The sources of the cases: the
advisories on ONNX and onnxruntime (external data, two sets of values in one tensor, chains of functions), and the format."""
import os
import re
import resource
import subprocess
import sys

import onnx
from onnx import AttributeProto, TensorProto, helper

LIMIT_S = 60
FLOAT = TensorProto.FLOAT
folder = os.path.abspath(sys.argv[1])
only = sys.argv[2:]
cases = []  # (name, what the error says, function that gives bytes or makes a file and gives its path)


def case(name, message):
    def add(function):
        cases.append((name, message, function))
        return function
    return add


# ---- wire format ----
def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def number(field_number, value):
    return varint(field_number << 3) + varint(value)


HEAD = number(1, 8) + field(8, number(2, 20))


def in_graph(body):
    return HEAD + field(7, body)


def in_initializer(body):
    return in_graph(field(5, field(8, b"w") + body))


# ---- models ----
def value(name="x", shape=(2,), elem=FLOAT):
    return helper.make_tensor_value_info(name, elem, shape)


def model(nodes, inputs=None, outputs=None, initializers=(), functions=(), opset=20, domains=()):
    inputs = [value()] if inputs is None else inputs
    outputs = [value("y")] if outputs is None else outputs
    graph = helper.make_graph(list(nodes), "g", inputs, outputs, list(initializers))
    imports = [helper.make_opsetid("", opset)] + [helper.make_opsetid(d, 1) for d in domains]
    return helper.make_model(graph, opset_imports=imports, ir_version=10, functions=list(functions))


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs, outputs, **attributes)


RELU = node("Relu", ["x"], ["y"])
GOOD = model([RELU])


def tensor(name, dims, data_type=FLOAT, **fields):
    return TensorProto(name=name, dims=dims, data_type=data_type, **fields)


def with_initializer(t):
    return model([node("Add", ["x", "w"], ["y"])], initializers=[t])


# ---- bytes ----
case("empty", "no ONNX model|no graph|empty")(lambda: b"")
case("text", "at byte")(lambda: b"ceci n'est pas un mod\xc3\xa8le\n")
case("zeros", "impossible number")(lambda: bytes(4096))
case("ones", "at byte")(lambda: b"\xff" * 4096)
case("no_graph", "no graph")(lambda: HEAD)
case("no_ir_version", "no ir_version")(lambda: field(7, b""))
case("length_past_end", "longer than what it is in")(lambda: HEAD + b"\x3a\x64" + b"abc")
case("length_past_parent", "longer than what it is in")(lambda: in_graph(field(1, b"\x22\x7fRelu")) + bytes(200))
case("length_2_63", "longer than what it is in")(lambda: HEAD + b"\x3a" + varint(1 << 63))
case("length_2_64_less_1", "longer than what it is in")(lambda: HEAD + b"\x3a" + varint((1 << 64) - 1) + b"abc")
case("varint_without_end", "too long|cut off")(lambda: b"\x08" + b"\xff" * 100)
case("group", "wire type")(lambda: HEAD + b"\x3b\x08\x01\x3c")
case("wire_type_7", "wire type")(lambda: HEAD + b"\x3f\x08\x01")
case("field_0", "impossible number")(lambda: HEAD + b"\x02\x01a")
case("wrong_wire_type", "wrong wire type")(lambda: number(1, 8) + number(7, 5))
case("nul_in_op_type", "contains a NUL")(lambda: in_graph(field(1, field(4, b"Re\0lu"))))
case("nul_in_value", "contains a NUL")(lambda: in_graph(field(1, field(4, b"Relu") + field(1, b"x\0"))))
case("million_empty_nodes", "no op_type")(lambda: in_graph(field(1, b"") * 1000000))
case("million_dims", "rank|dims|large|data")(lambda: in_initializer(number(2, 1) + field(1, b"\x02" * 1000000) + field(9, b"1234")))


def nested(levels):
    body = b""
    for level in range(levels, 1, -1):  # graph 7 of the model, node 1, attribute 5, graph 6, node 1 ...
        kind = level % 3
        extra = field(1, b"g") + number(20, 5) if kind == 0 else field(4, b"If") if kind == 2 else b""
        body = field({2: 1, 0: 5, 1: 6}[kind], extra + body)
    return in_graph(body)


def bomb(levels):
    """The same without a quadratic construction: lengths from the inside out."""
    heads, size = [], 0
    for level in range(levels, 1, -1):
        head = varint({2: 1, 0: 5, 1: 6}[level % 3] << 3 | 2) + varint(size)
        heads.append(head)
        size += len(head)
    return HEAD + varint(7 << 3 | 2) + varint(size) + b"".join(reversed(heads))


case("depth_101", "more than 100 deep")(lambda: nested(101))
case("depth_100000", "more than 100 deep")(lambda: bomb(100000))
case("depth_1000000", "more than 100 deep")(lambda: bomb(1000000))

# ---- tensors ----
case("raw_and_float", "2 ways")(lambda: with_initializer(tensor("w", [2], raw_data=bytes(8), float_data=[1, 2])))
case("float_and_int64", "2 ways")(lambda: with_initializer(tensor("w", [2], float_data=[1, 2], int64_data=[1, 2])))
case("raw_and_external", "2 ways")(lambda: external("w.bin", raw_data=bytes(8)))
case("dims_negative", r"dims\[0\] is -1")(lambda: with_initializer(tensor("w", [-1], raw_data=bytes(8))))
case("dims_product_2_63", "too large")(lambda: with_initializer(tensor("w", [1 << 31, 1 << 32], raw_data=bytes(8))))
case("dims_product_2_64", "too large")(lambda: with_initializer(tensor("w", [1 << 32, 1 << 32], raw_data=bytes(8))))
case("dims_more_than_data", "raw_data has 8 bytes")(lambda: with_initializer(tensor("w", [1 << 40], raw_data=bytes(8))))
case("dims_more_than_floats", "dims ask for")(lambda: with_initializer(tensor("w", [1 << 40], float_data=[1, 2])))
case("dims_less_than_data", "raw_data has 8 bytes")(lambda: with_initializer(tensor("w", [1], raw_data=bytes(8))))
case("no_data", "no data")(lambda: with_initializer(tensor("w", [2])))
case("data_type_99", "data_type 99|type 99")(lambda: with_initializer(tensor("w", [2], 99, raw_data=bytes(8))))
case("data_type_0", "no data_type")(lambda: with_initializer(tensor("w", [2], 0, raw_data=bytes(8))))
case("raw_strings", "strings")(lambda: with_initializer(tensor("w", [2], TensorProto.STRING, raw_data=bytes(8))))
case("u8_out_of_range", "not a value of ui8")(lambda: with_initializer(tensor("w", [2], TensorProto.UINT8, int32_data=[1, 256])))
case("unnamed_initializer", "no name")(lambda: with_initializer(tensor("", [2], raw_data=bytes(8))))


@case("segments", "segments")
def _():
    t = tensor("w", [2], raw_data=bytes(8))
    t.segment.begin = 0
    t.segment.end = 8
    return with_initializer(t)


def sparse(indices, dims=(4,), shape=None):
    s = onnx.SparseTensorProto(dims=dims)
    s.values.CopyFrom(tensor("w", [len(indices)], float_data=[1.0] * len(indices)))
    s.indices.CopyFrom(tensor("", [len(indices)] if shape is None else shape, TensorProto.INT64, int64_data=indices))
    m = model([node("Add", ["x", "w"], ["y"])], [value(shape=(4,))], [value("y", (4,))])
    m.graph.sparse_initializer.append(s)
    return m


case("sparse_index_past_end", "ind")(lambda: sparse([4]))
case("sparse_index_negative", "ind")(lambda: sparse([-1]))
case("sparse_dims", "ind")(lambda: sparse([1], shape=[1, 3]))
case("sparse_huge", "large|memory|many|sparse")(lambda: sparse([1], dims=(1 << 50,)))

# ---- external data ----


def external(location, raw_data=b"", offset=None, length="8", **more):
    t = tensor("w", [2])
    if raw_data:
        t.raw_data = raw_data
    t.data_location = TensorProto.EXTERNAL
    entries = {"location": location, "offset": offset, "length": length, **more}
    for key, text in entries.items():
        if text is not None:
            t.external_data.add(key=key, value=text)
    return with_initializer(t)


def prepare_files():
    """What external data could reach; below FOLDER, so that nothing else is touched."""
    for name in ("inside", "outside"):
        os.makedirs(os.path.join(folder, name), exist_ok=True)
    at = lambda *parts: os.path.join(folder, *parts)
    for path in (at("outside", "secret"), at("inside", "w.bin"), at("inside", "shared")):
        with open(path, "wb") as file:
            file.write(bytes(16))
    os.makedirs(at("inside", "sub"), exist_ok=True)
    for target, link in (("../outside/secret", at("inside", "link")), ("w.bin", at("inside", "near")), ("../outside", at("inside", "up"))):
        if not os.path.lexists(link):
            os.symlink(target, link)
    if not os.path.exists(at("inside", "hard")):
        os.link(at("inside", "shared"), at("inside", "hard"))
    if not os.path.exists(at("inside", "fifo")):
        os.mkfifo(at("inside", "fifo"))


for name, location, message in (
        ("parent", "../outside/secret", "leaves its directory"), ("parent_deep", "sub/../../outside/secret", "leaves its directory"),
        ("parent_dots", "sub/..", "leaves its directory"), ("absolute", "/etc/passwd", "is absolute"),
        ("symlink", "link", "symbolic link"), ("symlink_inside", "near", "symbolic link"), ("symlink_parent", "up/secret", "symbolic link"),
        ("hard_link", "hard", "hard link"), ("fifo", "fifo", "regular file"), ("directory", "sub", "regular file"),
        ("missing", "nothing", "No such file"), ("empty_name", "", "empty"), ("double_slash", "sub//w.bin", "empty component"),
        ("device", "/dev/zero", "is absolute"), ("long_name", "x" * 5000, "too long")):
    case("external_" + name, message)(lambda location=location: external(location))
case("external_offset_past_end", "not in 'w.bin'")(lambda: external("w.bin", offset="16"))
case("external_length_past_end", "not in 'w.bin'")(lambda: external("w.bin", offset="12"))
case("external_offset_2_64_less_4", "not in 'w.bin'")(lambda: external("w.bin", offset=str((1 << 64) - 4)))
case("external_offset_2_64", "not a number")(lambda: external("w.bin", offset=str(1 << 64)))
case("external_offset_negative", "not a number")(lambda: external("w.bin", offset="-4"))
case("external_length_wrong", "dims ask for")(lambda: external("w.bin", length="12"))
case("external_length_negative", "not a number")(lambda: external("w.bin", length="-8"))
case("external_unknown_key", "unknown key")(lambda: external("w.bin", __class__="x"))


@case("external_key_twice", "twice")
def _():
    m = external("w.bin")
    m.graph.initializer[0].external_data.add(key="location", value="near")
    return m


@case("external_without_location", "location")
def _():
    t = tensor("w", [2], data_location=TensorProto.EXTERNAL)
    return with_initializer(t)


# ---- graphs ----
case("undefined_input", "nowhere")(lambda: model([node("Relu", ["nowhere"], ["y"])]))
case("undefined_output", "'y'")(lambda: model([node("Relu", ["x"], ["z"])]))
case("self_loop", "'y'|\"y\"")(lambda: model([node("Add", ["x", "y"], ["y"])]))
case("cycle", "'b'|\"b\"")(lambda: model([node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"]), node("Relu", ["b"], ["y"])]))
case("defined_twice", "twice")(lambda: model([RELU, node("Neg", ["x"], ["y"])]))
case("output_shadows_input", "again")(lambda: model([node("Relu", ["x"], ["x"]), RELU]))
case("input_twice", "twice")(lambda: model([RELU], [value(), value()]))
case("initializer_twice", "twice")(lambda: model([node("Add", ["x", "w"], ["y"])], initializers=[tensor("w", [2], raw_data=bytes(8))] * 2))
case("unknown_op", "NoSuchOp")(lambda: model([node("NoSuchOp", ["x"], ["y"])]))
case("unknown_domain", "no.such")(lambda: model([node("Relu", ["x"], ["y"], domain="no.such")]))
case("no_opset", "opset|import")(lambda: number(1, 8) + field(7, GOOD.graph.SerializeToString()))
case("opset_negative", "version")(lambda: model([RELU], opset=-5))
case("opset_huge", "version|opset")(lambda: model([RELU], opset=1 << 62))
case("too_few_inputs", "input")(lambda: model([node("Add", ["x"], ["y"])]))
case("too_many_outputs", "output")(lambda: model([node("Relu", ["x"], ["y", "z"])]))
case("input_dim_negative", "dim_value is -7")(lambda: model([RELU], [value(shape=(-7,))]))
case("input_rank_100", "rank|dimensions")(lambda: model([RELU], [value(shape=(1,) * 100)]))
case("input_type_99", "type")(lambda: model([RELU], [value(elem=99)]))
case("input_untyped", "type")(lambda: model([RELU], [onnx.ValueInfoProto(name="x")]))
case("input_huge", "large|many|overflow|elements")(lambda: model([RELU], [value(shape=(1 << 40, 1 << 40))], [value("y", (1 << 40, 1 << 40))]))
case("attribute_two_values", "two values")(lambda: model([attribute_node(i=1, f=1.0, type=AttributeProto.INT)]))
case("attribute_wrong_type", "is of type")(lambda: model([attribute_node(i=1, type=AttributeProto.FLOAT)]))
case("attribute_type_99", "type 99")(lambda: attribute_type_99())
case("attribute_twice", "given twice")(lambda: attribute_twice())
case("reference_outside_function", "outside of a function")(lambda: model([attribute_node(ref_attr_name="other", type=AttributeProto.INT)]))


def attribute_node(**fields):
    n = node("Softmax", ["x"], ["y"])
    n.attribute.append(AttributeProto(name="axis", **fields))
    return n


def attribute_twice():
    n = attribute_node(i=0, type=AttributeProto.INT)
    n.attribute.append(AttributeProto(name="axis", i=-1, type=AttributeProto.INT))
    return model([n])


def attribute_type_99():
    body = field(1, field(1, b"x") + field(2, b"y") + field(4, b"Softmax") + field(5, field(1, b"axis") + number(20, 99)))
    return in_graph(body)


def constant(name, values):
    return node("Constant", [], [name], value=helper.make_tensor(name, TensorProto.INT64, [len(values)], values))


HUGE = [1 << 40, 1 << 40]
case("reshape_overflow", "")(lambda: model([constant("s", HUGE), node("Reshape", ["x", "s"], ["y"])]))
case("expand_overflow", "")(lambda: model([constant("s", HUGE), node("Expand", ["x", "s"], ["y"])]))
case("constant_of_shape_overflow", "")(lambda: model([constant("s", HUGE), node("ConstantOfShape", ["s"], ["y"])]))
case("constant_of_shape_negative", "")(lambda: model([constant("s", [-5]), node("ConstantOfShape", ["s"], ["y"])]))
case("tile_overflow", "")(lambda: model([constant("s", [1 << 62]), node("Tile", ["x", "s"], ["y"])]))
case("pad_overflow", "")(lambda: model([constant("s", [1 << 62, 1 << 62]), node("Pad", ["x", "s"], ["y"])]))
case("concat_axis", "axis")(lambda: model([node("Concat", ["x", "x"], ["y"], axis=7)]))
case("transpose_perm", "perm")(lambda: model([node("Transpose", ["x"], ["y"], perm=[5])]))
case("reduce_axis", "axis|axes")(lambda: model([constant("a", [9]), node("ReduceSum", ["x", "a"], ["y"])]))
case("conv_zero_stride", "stride")(lambda: model([node("MaxPool", ["x"], ["y"], kernel_shape=[1], strides=[0])], [value(shape=(1, 1, 4))], [value("y", None)]))
case("conv_zero_group", "group")(lambda: model([node("Conv", ["x", "x"], ["y"], group=0)], [value(shape=(1, 1, 4))], [value("y", None)]))
case("split_many", "num_outputs")(lambda: model([node("Split", ["x"], ["y"], num_outputs=1 << 40)]))
case("depth_to_space_zero", "block")(lambda: model([node("DepthToSpace", ["x"], ["y"], blocksize=0)], [value(shape=(1, 4, 2, 2))], [value("y", None)]))


@case("range_huge", "")
def _():
    scalars = [node("Constant", [], [n], value_int=v) for n, v in (("a", 0), ("b", 1 << 62), ("c", 1))]
    return model(scalars + [node("Range", ["a", "b", "c"], ["r"]), node("Cast", ["r"], ["z"], to=FLOAT), node("Add", ["z", "x"], ["y"])])


# ---- functions ----
def function(name, nodes, inputs=("x",), outputs=("y",), domains=("d",), **more):
    imports = [helper.make_opsetid("", 20)] + [helper.make_opsetid(d, 1) for d in domains]
    return helper.make_function("d", name, list(inputs), list(outputs), nodes, imports, **more)


def call(name):
    return node(name, ["x"], ["y"], domain="d")


case("function_calls_itself", "itself|recurs|cycle|deep")(lambda: model([call("F")], functions=[function("F", [call("F")])], domains=["d"]))
case("function_cycle", "itself|recurs|cycle|deep")(lambda: model([call("F")], functions=[function("F", [call("G")]), function("G", [call("F")])], domains=["d"]))
case("function_chain_3000", "deep")(lambda: model([call("F0")], domains=["d"], functions=[
    function(f"F{i}", [call(f"F{i + 1}") if i < 2999 else RELU]) for i in range(3000)]))
case("function_undefined", "'?F")(lambda: model([call("F")], domains=["d"]))
case("function_twice", "twice")(lambda: model([call("F")], functions=[function("F", [RELU])] * 2, domains=["d"]))
case("function_two_values", "2 ways")(lambda: model([call("F")], domains=["d"], functions=[function("F", [RELU], attribute_protos=[
    AttributeProto(name="w", type=AttributeProto.TENSOR, t=tensor("w", [2], raw_data=bytes(8), float_data=[1, 2]))])]))


@case("function_doubling", "expand to far more")
def _():
    """40 functions that each call the next twice: 2^40 nodes when all are expanded."""
    twice = lambda i: [node(f"F{i + 1}", ["x"], ["t"], domain="d"), node(f"F{i + 1}", ["t"], ["y"], domain="d")]
    return model([call("F0")], domains=["d"], functions=[function(f"F{i}", twice(i) if i < 39 else [RELU]) for i in range(40)])


# ---- files ----
def special(make):
    path = os.path.join(folder, "inside", "special")
    if os.path.lexists(path):
        os.rmdir(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
    make(path)
    return path


case("model_is_fifo", "regular file")(lambda: special(os.mkfifo))
case("model_is_directory", "regular file")(lambda: special(os.mkdir))
case("model_is_device", "regular file")(lambda: "/dev/zero")
case("model_is_missing", "No such file")(lambda: os.path.join(folder, "inside", "no.onnx"))


def make(name, content):
    if isinstance(content, str):
        return content
    path = os.path.join(folder, "inside", name + ".onnx")
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.SerializeToString())
    return path


def run(path):
    """Exit status, stderr, and the peak of memory in bytes."""
    read, write = os.pipe()
    script = ("import os,resource,subprocess,sys\n"
              "code = subprocess.run(['tcc-translate', '--import-onnx', sys.argv[1], '-o', '/dev/null']).returncode\n"
              "os.write(int(sys.argv[2]), f'{code} {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024}'.encode())\n")
    try:
        done = subprocess.run([sys.executable, "-c", script, path, str(write)], capture_output=True, timeout=LIMIT_S, pass_fds=[write])
        os.close(write)
        code, peak = map(int, os.read(read, 100).split())
        return code, done.stderr.decode(errors="replace"), peak
    except subprocess.TimeoutExpired:
        os.close(write)
        return "time limit", "", 0
    finally:
        os.close(read)


prepare_files()
failed = 0
code, text, base = run(make("good", GOOD))
if code:
    sys.exit(f"the good model is refused: {text}")
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
sanitized = "san" in os.environ.get("PATH", "").split(os.pathsep)[0]
for name, message, function_ in cases:
    if only and name not in only:
        continue
    try:
        path = make(name, function_())
    except Exception as e:
        sys.exit(f"{name}: cannot be made: {e!r}")
    code, text, peak = run(path)
    size = os.path.getsize(path) if os.path.isfile(path) else 0
    why = None
    if code != 1:
        why = f"exit status {code}"
    elif text.count("error:") != 1:
        why = f"{text.count('error:')} errors"
    elif not re.search(message, text):
        why = f"the error does not say '{message}'"
    elif not sanitized and peak > base + (64 << 20) + 4 * size:
        why = f"{peak >> 20} MB for {size} bytes"
    if only:
        print(f"{name}: {code}, {(peak - base) >> 20} MB\n{text}")
    if why:
        failed += 1
        print(f"{name}: {why}\n  {text[:400]}")

# Every proper prefix of a model whose graph comes last is damaged.
if not only:
    whole = number(1, 10) + field(8, number(2, 20)) + field(7, GOOD.graph.SerializeToString())
    paths = [make(f"cut_{n}", whole[:n]) for n in range(len(whole))]
    done = subprocess.run(["tcc-onnx-print", *paths], capture_output=True, timeout=LIMIT_S)
    errors = done.stderr.decode().splitlines()
    if done.returncode != 1 or len(errors) != len(whole):
        failed += 1
        print(f"of {len(whole)} prefixes {len(errors)} are refused, exit status {done.returncode}")
print(f"{len(cases)} cases, {failed} failed")
sys.exit(failed != 0)
