"""sizes.py FIRST LAST FOLDER: random models (graphs.py) with all sizes of their inputs symbolic, seeds FIRST to LAST - 1, each compiled
once to an artifact that one process then runs at several sizes, back and forth and with inputs that are not dense, against what
onnxruntime makes of them. A model that differs or that the process dies of is left in FOLDER/SEED. Sizes that onnxruntime does not take
are passed over, those that the model refuses are counted."""
import ctypes
import json
import os
import random
import shutil
import signal
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime

import graphs

TOLERANCE = {np.dtype(np.float32): 2e-3, np.dtype(np.float64): 1e-6, np.dtype(np.float16): 6e-2}
COUNTS = 6  # sets of sizes
CODES = {"i": 0, "u": 1, "f": 2, "b": 6}
WAYS = [[], [], ["--target=x86,x86-64-v3"], ["--no-dedup"], ["--mode=reduce-overhead"], ["--numerics=direct"]]


class Type(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Tensor(ctypes.Structure):  # TccTensor
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("rank", ctypes.c_int32), ("type", Type),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


class ContextOptions(ctypes.Structure):  # TccContextOptions
    _fields_ = [("threads", ctypes.c_uint), ("instances", ctypes.c_uint), ("profile", ctypes.c_void_p), ("user", ctypes.c_void_p),
                ("unusual", ctypes.c_int), ("inspect", ctypes.c_void_p), ("graphs", ctypes.c_bool),
                ("trace", ctypes.c_void_p), ("trace_user", ctypes.c_void_p)]


class Model:
    """An artifact, loaded. An error of the run-time is a RuntimeError."""

    def __init__(self, library, path, threads, options=None):
        self.library, self.model, self.context = ctypes.CDLL(library), ctypes.c_void_p(), ctypes.c_void_p()
        for name in ("tcc_model_load", "tcc_context_create", "tcc_context_run"):
            getattr(self.library, name).restype = ctypes.c_void_p
        self.library.tcc_status_message.restype = ctypes.c_char_p
        self.library.tcc_status_message.argtypes = [ctypes.c_void_p]
        self.library.tcc_model_output_count.restype = ctypes.c_size_t
        self.check(self.library.tcc_model_load(path.encode(), ctypes.byref(options) if options else None, ctypes.byref(self.model)))
        options = ContextOptions(threads=threads, instances=2)
        self.check(self.library.tcc_context_create(self.model, ctypes.byref(options), ctypes.byref(self.context)))
        self.outputs = self.library.tcc_model_output_count(self.model)

    def check(self, status):
        if status:
            raise RuntimeError(self.library.tcc_status_message(status).decode())

    def run(self, arrays):
        given, made, numbers = (Tensor * (len(arrays) + 1))(), (Tensor * (self.outputs + 1))(), []
        for tensor, array in zip(given, arrays):
            shape = (ctypes.c_int64 * (array.ndim + 1))(*array.shape)
            steps = (ctypes.c_int64 * (array.ndim + 1))(*[s // array.itemsize for s in array.strides])
            tensor.data, tensor.rank, tensor.shape, tensor.strides = array.ctypes.data, array.ndim, shape, steps
            tensor.device[0] = 1
            tensor.type = Type(CODES[array.dtype.kind], 8 * array.itemsize, 1)
            numbers += [shape, steps]
        self.check(self.library.tcc_context_run(self.context, given, ctypes.c_size_t(len(arrays)), made, ctypes.c_size_t(self.outputs)))
        results = []
        for tensor in made[:self.outputs]:
            kind = next(k for k, code in CODES.items() if code == tensor.type.code)
            dtype = np.dtype(bool if kind == "b" else f"{kind}{tensor.type.bits // 8}")
            shape = [tensor.shape[i] for i in range(tensor.rank)]
            bytes = ctypes.string_at(tensor.data + tensor.offset, int(np.prod(shape)) * dtype.itemsize) if np.prod(shape) else b""
            results.append(np.frombuffer(bytes, dtype).reshape(shape))
        return results


def difference(got, want):
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"{got.dtype}{got.shape} for {want.dtype}{want.shape}"
    if not got.size:
        return None
    part, wide = TOLERANCE.get(want.dtype, 0), want.astype(np.float64)
    off = np.abs(got.astype(np.float64) - wide)
    if not part:  # of what is rounded to integers some may be the next one
        return f"{(off > 0).sum()} of {off.size} differ" if (off > 0).mean() > 0.02 else None
    known = np.isfinite(wide)
    wrong = known & ~(off <= part * (1 + np.abs(wide[known]).max(initial=0)))
    return f"{wrong.sum()} of {wrong.size} differ" if wrong.any() else None


def sets_of(graph, inputs, session, choose):
    """Inputs and outputs at some sizes, those that the graph was made with first and last."""
    shapes = [graph.value[i].shape for i in inputs]
    for k in range(COUNTS):
        sizes = {d: d if k in (0, COUNTS - 1) or choose.random() < 0.3 else choose.choice([1, 1, 2, 3, d + 1, max(1, d - 1), 2 * d, 3 * d + 1, 16, 33])
                 for shape in shapes for d in shape if d > 1}
        arrays = []
        for i, shape in zip(inputs, shapes):
            value, dims = graph.value[i], [sizes.get(d, d) for d in shape]
            if np.prod(dims) > 100000:
                break
            if k in (0, COUNTS - 1):
                array = value
            elif graphs.is_float(value):
                array = graph.random(dims, value.dtype)
            else:
                low, high = (int(value.min()), int(value.max())) if value.size else (0, 0)
                array = graph.numbers.integers(low, high + 1, dims).astype(value.dtype)
            arrays.append(np.asfortranarray(array) if choose.random() < 0.3 else np.asarray(array))
        try:
            if len(arrays) == len(inputs):
                yield arrays, session.run(None, {i: np.ascontiguousarray(a).reshape(a.shape) for i, a in zip(inputs, arrays)})
        except Exception:  # it has kinds of its own for what it does not take
            pass


def run_sets(artifact, threads, sets):
    model, counts = Model(os.environ.get("TCC_LIBRARY", "libtccrt.so"), artifact, threads), {"ok": 0, "refused": 0}
    for k, (arrays, wanted) in enumerate(sets):
        try:
            made = model.run(arrays)
        except RuntimeError:
            counts["refused"] += 1
            continue
        for n, (got, want) in enumerate(zip(made, wanted)):
            if why := difference(got, np.asarray(want)):
                return {"differs": f"run {k} of {[a.shape for a in arrays]}, output {n}: {why}"}
        counts["ok"] += 1
    return counts


def apart(work):
    """What work gives, in a process of its own; {"died": ...} if that dies."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(120)
        try:
            text = json.dumps(work())
        except Exception as error:
            text = json.dumps({"died": repr(error)})
        os.write(writing, text.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as file:
        text = file.read()
    status = os.waitpid(child, 0)[1]
    return {"died": f"status {status}"} if status else json.loads(text)


def main(first, last, folder):
    counts = {}
    for seed in range(first, last):
        choose, place = random.Random(seed), os.path.join(folder, str(seed))
        try:
            graph = graphs.Graph(seed)
        except graphs.Unfit:
            continue
        graph.dynamic = True
        model, inputs = graph.model()
        try:
            session = onnxruntime.InferenceSession(model.SerializeToString(), graphs.OPTIONS, providers=["CPUExecutionProvider"])
        except Exception:
            continue
        sets = list(sets_of(graph, inputs, session, choose))
        os.makedirs(place, exist_ok=True)
        onnx.save_model(model, os.path.join(place, "model.onnx"))
        threads, artifact = choose.choice([1, 2, 3]), os.path.join(place, "model.so")
        command = ["tcc-compile", os.path.join(place, "model.onnx"), "-o", artifact, f"--threads={threads}", *choose.choice(WAYS)]
        try:
            done = subprocess.run(command, capture_output=True, timeout=120)
            found = {"not compiled" if done.returncode == 1 and b"error:" in done.stderr else "died": 1} if done.returncode else \
                apart(lambda: run_sets(artifact, threads, sets))
        except subprocess.TimeoutExpired:
            found = {"died": "of time"}
        if "died" in found or "differs" in found:
            print(f"{place} {' '.join(command[4:])}: {found}: {' '.join(n.op_type for n in graph.nodes)}", flush=True)
        else:
            shutil.rmtree(place)
        for kind, n in found.items():
            counts[kind] = counts.get(kind, 0) + (n if isinstance(n, int) else 1)
    print(f"seeds {first} to {last - 1}:", ", ".join(f"{n} {kind}" for kind, n in sorted(counts.items())))
    return 1 if counts.get("died") or counts.get("differs") or not counts.get("ok") else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
