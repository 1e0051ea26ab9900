"""Compares the ONNX reader with protobuf: `reader.py FOLDER...` runs tcc-onnx-print on every .onnx and tensor .pb below.
A file must be refused by both or read alike by both."""
import glob
import hashlib
import os
import re
import struct
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def digest(data):
    return " " + hashlib.blake2b(data, digest_size=32).hexdigest()[:16]


PACKED = {TensorProto.UINT4: 4, TensorProto.INT4: 4, TensorProto.FLOAT4E2M1: 4, TensorProto.UINT2: 2, TensorProto.INT2: 2}  # bits
UNKNOWN = {TensorProto.COMPLEX64, TensorProto.COMPLEX128, TensorProto.STRING}


def name(key, value):
    return f" {key}={value}" if value else ""


def names(key, values):
    return f" {key}=" + ",".join(map(str, values))


def tensor_bytes(t):
    array = numpy_helper.to_array(t)
    if t.data_type not in PACKED:
        return array.tobytes()
    bits = PACKED[t.data_type]
    each, flat = 8 // bits, array.reshape(-1)
    parts = (flat if t.data_type == TensorProto.FLOAT4E2M1 else flat.astype(np.int8)).view(np.uint8) & (1 << bits) - 1
    parts = np.append(parts, np.zeros(-parts.size % each, np.uint8))
    return sum((parts[i::each] << i * bits for i in range(each)), np.uint8(0)).astype(np.uint8).tobytes()


def tensor(t, out):
    line = "tensor" + name("name", t.name) + f" type={t.data_type}" + names("dims", t.dims)
    if t.data_type == TensorProto.STRING:
        line += "".join(map(digest, t.string_data))
    elif t.data_type not in UNKNOWN:
        line += digest(tensor_bytes(t))
    out.append(line)


def sparse(s, out):
    out.append("sparse" + names("dims", s.dims))
    tensor(s.values, out)
    tensor(s.indices, out)


def type_text(owner, field):
    if not owner.HasField(field):
        return " untyped"
    t = getattr(owner, field)
    kind = t.WhichOneof("value")
    if kind in ("sequence_type", "optional_type"):
        return " " + kind.split("_")[0] + type_text(getattr(t, kind), "elem_type")
    if kind not in ("tensor_type", "sparse_tensor_type"):
        return " open"
    inner = getattr(t, kind)
    text = f" {'dense' if kind == 'tensor_type' else 'sparse'} {inner.elem_type}"
    if not inner.HasField("shape"):
        return text
    dims = []
    for dim in inner.shape.dim:
        which = dim.WhichOneof("value")
        dims.append(str(dim.dim_value) if which == "dim_value" else dim.dim_param or "?")
    return text + "[" + ",".join(dims) + "]"


def attribute(a, out):
    line = f"attribute {a.name} type={a.type}" + name("ref", a.ref_attr_name)
    bits = lambda f: f" {struct.unpack('<I', struct.pack('<f', f))[0]:08x}"
    if a.type == a.FLOAT and not a.ref_attr_name:
        line += bits(a.f)
    if a.type == a.FLOAT and a.ref_attr_name:
        line += bits(0)
    if a.type == a.INT:
        line += f" {a.i}"
    if a.type == a.STRING:
        line += digest(a.s)
    line += "".join(map(bits, a.floats))
    if a.ints:
        line += names("ints", a.ints)
    line += "".join(map(digest, a.strings))
    if a.HasField("tp"):
        line += type_text(a, "tp")
    out.append(line)
    if a.HasField("t"):
        tensor(a.t, out)
    if a.HasField("g"):
        graph(a.g, out)
    if a.HasField("sparse_tensor"):
        sparse(a.sparse_tensor, out)
    for t in a.tensors:
        tensor(t, out)
    for g in a.graphs:
        graph(g, out)


def nodes(all_nodes, out):
    for n in all_nodes:
        out.append(f"node {n.op_type}" + name("name", n.name) + name("domain", n.domain) + name("overload", n.overload)
                   + names("in", n.input) + names("out", n.output))
        for a in n.attribute:
            attribute(a, out)


def values(what, infos, out):
    out.extend(f"{what} {v.name}{type_text(v, 'type')}" for v in infos)


def graph(g, out):
    out.append(f"graph {g.name}")
    values("input", g.input, out)
    values("output", g.output, out)
    values("value", g.value_info, out)
    for t in g.initializer:
        tensor(t, out)
    for s in g.sparse_initializer:
        sparse(s, out)
    nodes(g.node, out)
    out.append("end")


def model(m, out):
    out.append(f"model {m.ir_version} {m.model_version}" + name("producer", m.producer_name)
               + name("version", m.producer_version) + name("domain", m.domain))
    out.extend(f"opset {o.domain} {o.version}" for o in m.opset_import)
    graph(m.graph, out)
    for f in m.functions:
        out.append(f"function {f.name}" + name("domain", f.domain) + name("overload", f.overload) + names("in", f.input)
                   + names("out", f.output) + names("attributes", f.attribute))
        out.extend(f"opset {o.domain} {o.version}" for o in f.opset_import)
        values("value", f.value_info, out)
        for a in f.attribute_proto:
            attribute(a, out)
        nodes(f.node, out)


def expected(path):
    out = []
    if path.endswith(".onnx"):
        model(onnx.load(path), out)
    else:
        with open(path, "rb") as file:
            tensor(TensorProto.FromString(file.read()), out)
    return out


def compare(paths, options):
    run = subprocess.run(["tcc-onnx-print", *options, *paths, "/dev/null"], capture_output=True)
    got = {}
    for line in run.stdout.decode(errors="replace").splitlines():
        if line.startswith("file "):
            current = got.setdefault(line[5:], [])
        else:
            current.append(line)
    refused = {line.split(": error: ")[0]: line for line in run.stderr.decode().splitlines()}
    bad = 0
    for path in paths:
        try:
            want, reason = expected(path), None
        except Exception as e:
            want, reason = None, e
        if (path in refused) != (want is None):
            bad += 1
            print(refused.get(path) or f"{path}: refused by Python alone: {reason}")
        elif want and got.get(path) != want:
            bad += 1
            pair = next(((g, w) for g, w in zip(got.get(path, []) + [None], want + [None]) if g != w), None)
            print(f"{path}: differs\n  got  {pair and pair[0]}\n  want {pair and pair[1]}")
    print(f"{len(paths)} files, {bad} differences")
    return bad


def is_tensor(path):
    """By the model's declaration: a sequence or optional can pass for a TensorProto on the wire."""
    match = re.fullmatch(r"(.*)/test_data_set_\d+/(input|output)_(\d+)\.pb", path)
    if not match or not os.path.exists(match[1] + "/model.onnx"):
        return False
    g = onnx.load(match[1] + "/model.onnx", load_external_data=False).graph
    declared = (g.input if match[2] == "input" else g.output)[int(match[3])].type
    return declared.HasField("tensor_type")


models, tensors = [], []
for folder in sys.argv[1:]:
    models += sorted(glob.glob(folder + "/**/*.onnx", recursive=True))
    tensors += [path for path in sorted(glob.glob(folder + "/**/*.pb", recursive=True)) if is_tensor(path)]
bad = compare(models, []) + (compare(tensors, ["--tensor"]) if tensors else 0)
sys.exit(bad != 0)
