"""`topk.py FOLDER` runs TopK of lines that sorting algorithms find hard, as many elements as there are half of them and a few, and
compares with NumPy: equal elements in the order of their indices, NaN as the largest. Lines of other types, and lines across, too."""
import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def median_killer(n):
    """Bad divisions where the pivot is the median of the first, the middle and the last (Musser 1997)."""
    line, half = np.zeros(n), n // 2
    line[:half:2], line[1:half:2] = np.arange(1, half + 1, 2), half + np.arange(1, half, 2)
    line[half : 2 * half] = 2 * np.arange(1, half + 1)
    return line


def lines(n):
    random = np.random.default_rng(0)
    at = np.arange(n)
    return np.stack([random.standard_normal(n), np.ones(n), at, -at, abs(2 * at - n), random.integers(0, 4, n), median_killer(n),
                     np.where(random.random(n) < 0.1, np.nan, random.standard_normal(n))]).astype("float32")


def check(x, k, axis, largest):
    np.save(os.path.join(folder, "in", "input_0.npy"), x)
    outputs = [onnx.ValueInfoProto(name="v"), onnx.ValueInfoProto(name="i")]
    graph = helper.make_graph([helper.make_node("TopK", ["x", "k"], ["v", "i"], axis=axis, largest=largest)], "g",
                              [helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)], outputs,
                              [numpy_helper.from_array(np.array([k], "int64"), "k")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), os.path.join(folder, "m.onnx"))
    subprocess.run(["tcc-run", os.path.join(folder, "m.onnx"), "--no-cache", f"--data={folder}/in", f"--save={folder}/out"], check=True,
                   stdout=subprocess.DEVNULL)
    if x.dtype.kind == "f":
        key = np.nan_to_num(x.astype("float64"), nan=np.inf, posinf=1e300, neginf=-1e300) * (-1 if largest else 1)
    else:
        key = ~x if largest else x
    want = np.take(np.argsort(key, axis=axis, kind="stable"), range(k), axis)
    right = np.array_equal(np.load(f"{folder}/out/output_1.npy"), want)
    right &= np.array_equal(np.load(f"{folder}/out/output_0.npy"), np.take_along_axis(x, want, axis), equal_nan=x.dtype.kind == "f")
    right &= np.array_equal(last(x, k, axis, largest), np.take(want, [k - 1], axis))
    print(f"{k} of {x.shape[axis]}: {'right' if right else 'wrong'}")


def last(x, k, axis, largest):
    """The index of the last of them alone."""
    kind = {"f": "f", "i": "i", "u": "ui"}[x.dtype.kind] + str(8 * x.itemsize)
    made = "x".join(str(1 if i == axis else n) for i, n in enumerate(x.shape))
    of, to, at = f"tensor<{'x'.join(map(str, x.shape))}x{kind}>", f"tensor<{made}x{kind}>", f"tensor<{made}xi64>"
    with open(f"{folder}/m.mlir", "w") as model:
        model.write(f"""func.func @main(%x: {of}) -> {at} {{
  %v, %i = "tcc.topk"(%x) {{k = [{k}], axis = {axis} : i64, largest = {"true" if largest else "false"}, last = true}} : ({of}) -> ({to}, {at})
  return %i : {at}
}}
""")
    subprocess.run(["tcc-run", f"{folder}/m.mlir", "--no-cache", f"--input=input_0={folder}/in/input_0.npy", f"--save={folder}/out"], check=True, stdout=subprocess.DEVNULL)
    return np.load(f"{folder}/out/output_0.npy")


folder = sys.argv[1]
os.makedirs(os.path.join(folder, "in"), exist_ok=True)
for n, k in ((1, 1), (17, 17), (5000, 5000), (5000, 2500), (5000, 1), (5000, 10), (130, 3)):
    for largest in (0, 1):
        check(lines(n), k, 1, largest)
signs = np.where(np.arange(300) % 2, np.float32(0), np.float32(-0.0)).reshape(1, 300) # equal
edges = np.resize(np.array([-np.inf, -3.4028235e38, -1e-45, -0.0, 0, 1e-45, 3.4028235e38, np.inf], "float32"), (3, 300))
edges[1, 7:], edges[2, 20:] = -np.inf, np.nan # few numbers
whole = np.random.default_rng(1).integers(-2**62, 2**62, (4, 300))
for largest in (0, 1):
    check(signs, 7, 1, largest)
    check(edges, 16, 1, largest)
    check(edges, 17, 1, largest)
    check(lines(300).T.copy(), 9, 0, largest)
    check(lines(300).T.copy(), 40, 0, largest)
    check(np.tile(lines(37), (3, 1, 1)), 5, 1, largest) # four lines at a time: side by side, and some more
    check(np.tile(lines(37), (3, 1, 1)), 8, 1, largest)
    check(lines(8)[:, :7].copy(), 2, 1, largest)
    check(edges[:, :40].copy(), 3, 1, largest)
    check(edges[:, :40].copy(), 16, 1, largest)
    check(signs[:, :9].copy(), 9, 1, largest)
    check(lines(300).astype("float16"), 9, 1, largest)
    check(np.tile(lines(4000), (4, 1)), 60, 1, largest) # a bound of 128 parts
    check(whole, 9, 1, largest)
    check(whole.astype("uint64") * 4, 9, 1, largest)
    check((whole // 2**60).astype("int8"), 20, 1, largest)
    check(lines(300).astype("float64"), 9, 1, largest)
