"""Models of one operator with random data, run by the interpreter and by tcc-run, beside onnxruntime: for contrib_peer.py and ml_peer.py, which have
the cases. What differs is left in FOLDER/CASE. TCC_PEER_WAYS: other arguments of tcc-run, a way a word, joined by commas."""
import os
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

CASES = {}
FLOAT = {"f32": np.float32, "f16": np.float16}


def case(function):
    CASES[function.__name__] = function
    return function


class Model:
    """One node. Inputs are given when it runs, weights are in the file."""

    def __init__(self, op, outputs=1, domain="com.microsoft", opset=20, **attributes):
        self.op, self.outputs, self.attributes, self.names, self.given, self.weights = op, outputs, attributes, [], {}, []
        self.types, self.symbols, self.tolerance, self.compared = [TensorProto.FLOAT] * outputs, {}, 2e-5, outputs
        self.domain, self.opset, self.shared = domain, opset, {}  # shared: outputs that lie where an input does
        self.part = None  # of an output, by what was computed for it: the part that is compared

    def input(self, array, *symbols):
        name = f"x{len(self.names)}"
        self.names.append(name)
        self.given[name], self.symbols[name] = array, symbols
        return self

    def weight(self, array):
        name = f"w{len(self.names)}"
        self.names.append(name)
        self.weights.append(numpy_helper.from_array(array, name))
        return self

    def absent(self, count=1):
        self.names += [""] * count
        return self

    def proto(self):
        while self.names and not self.names[-1]:
            self.names.pop()
        outputs = [f"y{i}" if t else "" for i, t in enumerate(self.types)]
        node = helper.make_node(self.op, self.names, outputs, domain=self.domain, **self.attributes)
        infos = []
        for name, x in self.given.items():
            shape = [self.symbols[name][i] if i < len(self.symbols[name]) and self.symbols[name][i] else n for i, n in enumerate(x.shape)]
            infos.append(helper.make_tensor_value_info(name, TensorProto.STRING if x.dtype.kind == "S" else helper.np_dtype_to_tensor_dtype(x.dtype), shape))
        results = [helper.make_value_info(n, t) if isinstance(t, onnx.TypeProto) else helper.make_tensor_value_info(n, t, None)
                   for n, t in zip(outputs, self.types) if n]
        graph = helper.make_graph([node], "g", infos, results, self.weights)
        domains = [helper.make_opsetid("", self.opset)] + ([helper.make_opsetid(self.domain, 1)] if self.domain else [])
        return helper.make_model(graph, opset_imports=domains, ir_version=10)


def normal(r, *shape, dtype=np.float32, scale=1.0):
    return (r.standard_normal(shape) * scale).astype(dtype)


# ---- running ----
def by_peer(model, proto):
    """What onnxruntime makes of it; outputs that are to lie where an input does are given its place. None: it has no kernel for this CPU."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception as failure:  # its exceptions have no base class of their own
        if "not yet supported on this hardware platform" in str(failure):
            return None
        raise
    if not model.shared:
        return session.run(None, {n: np.char.decode(x).astype(object) if x.dtype.kind == "S" else x for n, x in model.given.items()})
    binding, values = session.io_binding(), {n: onnxruntime.OrtValue.ortvalue_from_numpy(x.copy()) for n, x in model.given.items()}
    for name, value in values.items():
        binding.bind_ortvalue_input(name, value)
    for output in session.get_outputs():
        if output.name in model.shared:
            binding.bind_ortvalue_output(output.name, values[model.shared[output.name]])
        else:
            binding.bind_output(output.name)
    session.run_with_iobinding(binding)
    return binding.copy_outputs_to_cpu()


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def difference(model, expected, folder):
    for i, want in enumerate(expected[: model.compared]):
        got = np.load(os.path.join(folder, f"output_{i}.npy"))
        if isinstance(want, list):  # maps, whose values are a row each
            want = np.array([list(each.values()) for each in want], np.float32)
        elif want.dtype == object:  # strings
            got, want = np.char.decode(got.view(f"S{got.shape[-1]}")[..., 0]), want.astype(str)
            if got.shape == want.shape and not (got == want).all():
                return f"output {i}: {got} for {want}"
            if got.shape == want.shape:
                continue
        if got.shape != want.shape or got.dtype != want.dtype:
            return f"output {i}: {got.dtype}{got.shape} for {want.dtype}{want.shape}"
        if model.part:
            got, want = got[model.part(got)], want[model.part(got)]
        got, want = got.astype(np.float64), want.astype(np.float64)
        differ = got != want  # infinities are alike
        scale = np.abs(want[~np.isinf(want)]).max(initial=1e-30)
        apart = np.abs(got[differ] - want[differ]).max(initial=0) / scale
        if not apart <= model.tolerance:
            return f"output {i}: {apart:.2e} of its largest number apart"
    return None


def check(name, place):
    model = CASES[name](np.random.default_rng(sum(map(ord, name))))
    os.makedirs(os.path.join(place, name, "out"), exist_ok=True)
    folder = os.path.join(place, name)
    path = os.path.join(folder, "model.onnx")
    proto = model.proto()
    onnx.save_model(proto, path)
    expected = by_peer(model, proto)
    peer = expected is not None
    for i, x in enumerate(model.given.values()):
        np.save(os.path.join(folder, f"input_{i}.npy"), x)
    bad = []
    for way in ["interp"] + os.environ.get("TCC_PEER_WAYS", "--target=x86,--target=x86;avx2,--target=reference").split(","):
        out = os.path.join(folder, "out")
        command = ["tcc-interp", "--data", folder, path, f"--save={out}"] if way == "interp" else ["tcc-run", path, "--no-cache", "--data=" + folder, "--save=" + out, *way.replace(";", ",").split()]
        code, text = run(command)
        if not peer and way == "interp" and not code:
            expected = [np.load(os.path.join(out, f"output_{i}.npy")) for i in range(len(proto.graph.output))]
        what = text.strip()[-300:] if code else difference(model, expected, out) if expected is not None else "nothing to compare with"
        if what:
            bad.append(f"{way}: {what}")
    print(f"{name}: " + ("; ".join(bad) if bad else "alike" if peer else "as the interpreter has it: onnxruntime has no kernel for this CPU"))
    return not bad


def main():
    """FOLDER [CASE...]"""
    names = sys.argv[2:] or list(CASES)
    sys.exit(0 if all([check(name, sys.argv[1]) for name in names]) else 1)
