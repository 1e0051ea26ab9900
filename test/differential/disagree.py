"""disagree.py FIRST LAST FOLDER [OPERATOR]: one operator each with the sizes of its inputs symbolic, seeds FIRST to LAST - 1, at random
sizes that need not agree with each other, in memory between forbidden pages. The model does what onnxruntime does, or (where that refuses,
or has its own way) what the interpreter does, or it refuses with a message about sizes: it never dies, and never reads or writes elsewhere.
A model that does is left in FOLDER/SEED.

Operators are the cases of the onnx package's backend tests, and those of onnxruntime's own domain below. Each dimension of an input gets
a symbol of its own, but for some that stay constants; inputs whose values tcc must know are compiled in. Indices are zeros: values that
are out of range are another matter."""
import ctypes
import glob
import mmap
import os
import random
import re
import shutil
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

import graphs
from sizes import Model, apart, difference

ELEMENTS = [onnx.TensorProto.UNDEFINED] + [helper.np_dtype_to_tensor_dtype(np.dtype(t)) for t in
                                           "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 ?".split()]
DIES = ["GRU", "LSTM", "RNN"]  # onnxruntime, of an empty batch
TIMES = 24  # sets of sizes for each model
PAGE = mmap.PAGESIZE
M = "com.microsoft"
NODES = os.path.join(os.path.dirname(onnx.__file__), "backend/test/data/node")
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


def guarded(bytes):
    """The address of memory that ends where a forbidden page begins, and follows one."""
    length = (bytes + PAGE - 1) // PAGE * PAGE or PAGE
    start = libc.mmap(None, length + 2 * PAGE, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
    libc.mprotect(start, PAGE, 0)
    libc.mprotect(start + PAGE + length, PAGE, 0)
    return start + PAGE + length - bytes, (start, length + 2 * PAGE)


Allocate = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p)
Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
regions = {}


@Allocate
def allocate(bytes, alignment, user):
    address, region = guarded((bytes + alignment - 1) // alignment * alignment)
    regions[address] = region
    return address


@Release
def release(memory, bytes, user):
    if memory:
        libc.munmap(*regions.pop(memory))


class LoadOptions(ctypes.Structure):  # TccLoadOptions
    _fields_ = [("weights_dir", ctypes.c_char_p), ("allocate", Allocate), ("release", Release), ("user", ctypes.c_void_p),
                ("threads", ctypes.c_uint), ("verify", ctypes.c_int), ("cache", ctypes.c_bool), ("keep", ctypes.c_bool),
                ("static_sets", ctypes.c_size_t), ("inspect", ctypes.c_void_p), ("inspect_user", ctypes.c_void_p)]


def in_guarded(array):
    array = np.ascontiguousarray(array).reshape(array.shape)
    address, _ = guarded(array.nbytes)
    ctypes.memmove(address, array.ctypes.data, array.nbytes)
    return np.ndarray(array.shape, array.dtype, (ctypes.c_char * array.nbytes).from_address(address))


# ---- operators of onnxruntime: a node and the shapes of its inputs at sizes that agree ----
def contrib(kind, inputs, outputs=1, known=(), **attributes):
    """inputs: name -> shape, or (shape, dtype), or None; known: values that are compiled in."""
    names = [n if inputs[n] is not None else "" for n in inputs]
    node = helper.make_node(kind, names, [f"y{i}" for i in range(outputs)], domain=M, **attributes)
    values = {}
    for name, what in inputs.items():
        if what is not None:
            shape, dtype = what if len(what) == 2 and isinstance(what[1], type) else (what, np.float32)
            values[name] = np.zeros(shape, dtype)
    values.update(known)
    ports = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape) for n, v in values.items() if n not in known]
    graph = helper.make_graph([node], kind, ports, [onnx.ValueInfoProto(name=o) for o in node.output],
                              [numpy_helper.from_array(v, n) for n, v in dict(known).items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid(M, 1)], ir_version=10)
    return model, {n: v for n, v in values.items() if n not in known}


I4, I8, B = np.int32, np.int64, np.uint8
CONTRIB = [
    lambda: contrib("BiasGelu", {"x": (3, 4), "b": (4,)}),
    lambda: contrib("FastGelu", {"x": (3, 4), "b": (4,)}),
    lambda: contrib("QuickGelu", {"x": (3, 4)}),
    lambda: contrib("FusedMatMul", {"a": (3, 4), "b": (5, 4)}, transB=1),
    lambda: contrib("FusedConv", {"x": (1, 4, 6, 6), "w": (8, 4, 3, 3), "b": (8,)}, activation="Relu"),
    lambda: contrib("SkipLayerNormalization", {"x": (2, 3, 8), "s": (2, 3, 8), "g": (8,), "b": (8,), "c": (8,)}),
    lambda: contrib("SkipSimplifiedLayerNormalization", {"x": (2, 3, 8), "s": (2, 3, 8), "g": (8,), "c": (8,)}),
    lambda: contrib("EmbedLayerNormalization", {"i": ((2, 4), I4), "s": ((2, 4), I4), "w": (50, 8), "p": (6, 8), "k": (2, 8), "g": (8,),
                                                "b": (8,), "m": ((2, 4), I4)}, 2),
    lambda: contrib("EmbedLayerNormalization", {"i": ((2, 4), I4), "s": None, "w": (50, 8), "p": (6, 8), "k": None, "g": (8,), "b": (8,),
                                                "m": None, "q": ((2, 4), I4)}),
    lambda: contrib("MultiHeadAttention", {"q": (2, 3, 16), "k": (2, 5, 16), "v": (2, 5, 16), "b": (48,)}, num_heads=2),
    lambda: contrib("MultiHeadAttention", {"q": (2, 3, 16), "k": (2, 5, 16), "v": (2, 5, 16), "b": None, "m": None, "a": None,
                                           "pk": (2, 2, 4, 8), "pv": (2, 2, 4, 8)}, 3, num_heads=2),
    lambda: contrib("Attention", {"x": (2, 3, 16), "w": (16, 48), "b": (48,)}, num_heads=2),
    lambda: contrib("GroupQueryAttention", {"q": (2, 3, 16), "k": (2, 3, 16), "v": (2, 3, 16), "pk": (2, 2, 6, 8), "pv": (2, 2, 6, 8),
                                            "l": ((2,), I4), "t": ((), I4)}, 3, {"t": np.array(6, I4)}, num_heads=2, kv_num_heads=2),
    lambda: contrib("GroupQueryAttention", {"q": (1, 3, 16), "k": (1, 3, 16), "v": (1, 3, 16), "pk": (1, 2, 6, 8), "pv": (1, 2, 6, 8),
                                            "l": ((1,), I4), "t": ((), I4), "c": (9, 4), "s": (9, 4)}, 3, {"t": np.array(6, I4)},
                    num_heads=2, kv_num_heads=2, do_rotary=1),
    lambda: contrib("RotaryEmbedding", {"x": (2, 4, 16), "p": ((2, 4), I8), "c": (9, 8), "s": (9, 8)}),
    lambda: contrib("RotaryEmbedding", {"x": (2, 2, 4, 16), "p": ((1,), I8), "c": (9, 8), "s": (9, 8)}),
    lambda: contrib("FusedMatMul", {"a": (4, 3), "b": (4, 5)}, transA=1, alpha=2.0),
    lambda: contrib("DynamicQuantizeMatMul", {"a": (3, 4), "b": ((4, 5), B), "s": (5,), "z": ((5,), B), "c": (5,)}),
    lambda: contrib("MatMulIntegerToFloat", {"a": ((3, 4), B), "b": ((4, 5), B), "sa": (1,), "sb": (5,)}),
    lambda: contrib("QLinearAdd", {"a": ((3, 4), B), "sa": (), "za": ((), B), "b": ((4,), B), "sb": (), "zb": ((), B), "s": (), "z": ((), B)}),
    lambda: contrib("QLinearConcat", {"s": (), "z": ((), B), "a": ((3, 4), B), "sa": (), "za": ((), B), "b": ((3, 4), B), "sb": (),
                                      "zb": ((), B)}, axis=0),
    lambda: contrib("QLinearGlobalAveragePool", {"x": ((1, 3, 4, 4), B), "sx": (), "zx": ((), B), "s": (), "z": ((), B)}),
]


def cases():
    """name -> how to get (model, values of its inputs)."""
    found = {}
    for folder in sorted(glob.glob(os.path.join(NODES, "test_*"))):
        found[os.path.basename(folder)] = lambda folder=folder: backend_case(folder)
    for k, make in enumerate(CONTRIB):
        found[f"contrib_{k}"] = make
    return found


def backend_case(folder):
    model = onnx.load(os.path.join(folder, "model.onnx"))
    values = {}
    for i, port in enumerate(model.graph.input):
        with open(os.path.join(folder, f"test_data_set_0/input_{i}.pb"), "rb") as file:
            values[port.name] = numpy_helper.to_array(onnx.TensorProto.FromString(file.read()))
    return model, values


def symbolic(model, values, symbols, known):
    """A copy of model: dimensions in symbols, (input, axis) -> name, are symbols, inputs in known are constants."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    for port in model.graph.input:
        if port.name in known:
            made.graph.initializer.append(numpy_helper.from_array(values[port.name], port.name))
    del made.graph.input[:]
    for port in model.graph.input:
        if port.name not in known:
            dims = [symbols.get((port.name, i), d) for i, d in enumerate(values[port.name].shape)]
            made.graph.input.append(helper.make_tensor_value_info(port.name, port.type.tensor_type.elem_type, dims))
    for port in made.graph.output:
        if port.type.HasField("tensor_type"):
            port.type.tensor_type.ClearField("shape")
    del made.graph.value_info[:]
    return made


def compiled(model, values, choose, place):
    """The model and its symbols as far as tcc takes them, compiled into place; None if it does not."""
    symbols = {(n, i): f"{n}_{i}" if re.fullmatch("[A-Za-z_]+", n) else f"s{len(n)}_{k}_{i}" for k, (n, v) in enumerate(values.items())
               for i in range(v.ndim) if choose.random() < 0.8}
    known = set()
    for _ in range(12):
        made = symbolic(model, values, symbols, known)
        onnx.save_model(made, os.path.join(place, "model.onnx"))
        done = subprocess.run(["tcc-compile", os.path.join(place, "model.onnx"), "-o", os.path.join(place, "model.so"), "--no-cache",
                               "--threads=1"], capture_output=True, timeout=120)
        error = done.stderr.decode(errors="replace")
        if not done.returncode:
            return made, symbols, known
        if done.returncode < 0 or "error:" not in error:
            raise RuntimeError(f"tcc-compile died: {error[-300:]}")
        if (needs := re.findall(r"value of input '([^']*)'", error)) and set(needs) - known:
            known |= set(needs)
            symbols = {s: n for s, n in symbols.items() if s[0] not in known}
        elif (names := {s for s, n in symbols.items() if re.search(rf"\b{n}\b", error)}):
            symbols = {s: n for s, n in symbols.items() if s not in names}
        elif symbols:
            symbols = {s: n for s, n in symbols.items() if choose.random() < 0.6}
        else:
            return None
    return None


def draw(values, symbols, known, choose, numbers):
    """Inputs at some sizes: those of the case but for a few."""
    names = list(symbols)
    changed = {s: choose.choice([0, 1, 1, 2, 3, 4, 5, 7, 8, 16, 33]) for s in choose.sample(names, min(len(names), choose.choice([0, 1, 1, 2, 3])))}
    if choose.random() < 0.4 and names:  # all that are of one size become another one
        size = values[(s := choose.choice(names))[0]].shape[s[1]]
        other = choose.choice([0, 1, 2, 3, 5, 8, 17])
        changed.update({s: other for s in names if values[s[0]].shape[s[1]] == size and s not in changed})
    arrays = {}
    for name, value in values.items():
        if name in known:
            continue
        dims = [changed.get((name, i), d) if (name, i) in symbols else d for i, d in enumerate(value.shape)]
        if np.prod(dims) > 200000:
            return None
        if dims == list(value.shape) and choose.random() < 0.5 and value.dtype.kind == "f":
            arrays[name] = value
        elif value.dtype.kind == "f":
            arrays[name] = (numbers.random(dims) + 0.25).astype(value.dtype)
        elif value.dtype == bool:
            arrays[name] = numbers.random(dims) < 0.5
        else:
            arrays[name] = np.zeros(dims, value.dtype)
    return arrays


def by_interpreter(place, arrays, results):
    """None if the interpreter gives the results too, else what it says."""
    data = os.path.join(place, "data")
    shutil.rmtree(data, ignore_errors=True)
    os.makedirs(data)
    for kind, tensors in (("input", arrays.values()), ("output", results)):
        for i, array in enumerate(tensors):
            np.save(os.path.join(data, f"{kind}_{i}.npy"), array)
    done = subprocess.run(["tcc-interp", os.path.join(place, "model.onnx"), f"--data={data}", "--check"], capture_output=True, timeout=120)
    return done.returncode and (done.stdout + done.stderr).decode(errors="replace").strip()[-300:] + f" (status {done.returncode})"


def run_sets(place, made, sets):
    session = None
    try:
        session = onnxruntime.InferenceSession(made.SerializeToString(), graphs.OPTIONS, providers=["CPUExecutionProvider"])
    except Exception:
        pass
    options = LoadOptions(None, allocate, release, None, 1, False)
    model = Model(os.environ.get("TCC_LIBRARY", "libtccrt.so"), os.path.join(place, "model.so"), 1, options)
    counts = {}

    def count(kind):
        counts[kind] = counts.get(kind, 0) + 1

    for arrays in sets:
        shapes = {n: a.shape for n, a in arrays.items()}
        with open(os.path.join(place, "at"), "w") as file:
            file.write(str(shapes))
        try:
            results = model.run([in_guarded(a) for a in arrays.values()])
        except RuntimeError as error:
            if not re.search("size|rank|expected|dimension|must|larger|index [0-9]+ is outside", str(error)):
                return {"differs": f"at {shapes}: an error that is not about sizes: {error}"}
            count("refused")
            continue
        wanted, asked = None, session and (all(a.size for a in arrays.values()) or made.graph.node[0].op_type not in DIES)
        try:
            wanted = session.run(None, {n: np.ascontiguousarray(a).reshape(a.shape) for n, a in arrays.items()}) if asked else None
        except Exception:
            pass
        if wanted and not any(difference(got, np.asarray(want)) for got, want in zip(results, wanted)):
            count("ok")
        elif words := by_interpreter(place, arrays, results):
            if "index" not in words or "is outside" not in words:  # of a table that is compiled in: a value, no size
                return {"differs": f"at {shapes}: {'from onnxruntime; ' if wanted else ''}the interpreter: {words}"}
            count("an index is outside")
        else:
            count("ok by the interpreter")
    return counts


def main(first, last, folder, only=None):
    np.seterr(all="ignore")
    counts, all_cases = {}, cases()
    names = [n for n in all_cases if not only or only in n]
    for seed in range(first, last):
        choose, numbers, place = random.Random(seed), np.random.default_rng(seed), os.path.join(folder, str(seed))
        name = choose.choice(names)
        os.makedirs(place, exist_ok=True)
        try:
            model, values = all_cases[name]()
            numbers_only = all(p.type.tensor_type.elem_type in ELEMENTS for p in [*model.graph.input, *model.graph.output])
            if not values or not numbers_only:
                raise ValueError("an element type that there is not")
        except Exception:
            shutil.rmtree(place)
            continue
        try:
            what = compiled(model, values, choose, place)
            if what is None or not what[1]:
                found = {"not compiled": 1}
            else:
                made, symbols, known = what
                sets = [s for s in (draw(values, symbols, known, choose, numbers) for _ in range(TIMES)) if s is not None]
                found = apart(lambda: run_sets(place, made, sets))
        except (subprocess.TimeoutExpired, RuntimeError) as error:
            found = {"died": repr(error)}
        if "died" in found or "differs" in found:
            at = open(os.path.join(place, "at")).read() if os.path.exists(os.path.join(place, "at")) else ""
            print(f"{place} {name}: {found} {at}", flush=True)
        else:
            shutil.rmtree(place)
        for kind, n in found.items():
            counts[kind] = counts.get(kind, 0) + (n if isinstance(n, int) else 1)
    print(f"seeds {first} to {last - 1}:", ", ".join(f"{n} {kind}" for kind, n in sorted(counts.items())))
    return 1 if counts.get("died") or counts.get("differs") or not counts.get("ok") else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]))
