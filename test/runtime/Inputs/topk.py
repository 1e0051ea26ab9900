"""`topk.py FOLDER` runs TopK of lines that sorting algorithms find hard, as many elements as there are and half of them, and compares
with NumPy: equal elements in the order of their indices, NaN as the largest."""
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


folder = sys.argv[1]
os.makedirs(os.path.join(folder, "in"), exist_ok=True)
for n, k in ((1, 1), (17, 17), (5000, 5000), (5000, 2500)):
    x = lines(n)
    np.save(os.path.join(folder, "in", "input_0.npy"), x)
    for largest in (0, 1):
        outputs = [onnx.ValueInfoProto(name="v"), onnx.ValueInfoProto(name="i")]
        graph = helper.make_graph([helper.make_node("TopK", ["x", "k"], ["v", "i"], axis=1, largest=largest)], "g",
                                  [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)], outputs,
                                  [numpy_helper.from_array(np.array([k], "int64"), "k")])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), os.path.join(folder, "m.onnx"))
        subprocess.run(["tcc-run", os.path.join(folder, "m.onnx"), "--no-cache", f"--data={folder}/in", f"--save={folder}/out"], check=True,
                       stdout=subprocess.DEVNULL)
        key = np.where(np.isnan(x), np.inf, x.astype("float64")) * (-1 if largest else 1)
        want = np.argsort(key, axis=1, kind="stable")[:, :k]
        right = np.array_equal(np.load(f"{folder}/out/output_1.npy"), want)
        right &= np.array_equal(np.load(f"{folder}/out/output_0.npy"), np.take_along_axis(x, want, 1), equal_nan=True)
        print(f"{k} of {n}: {'right' if right else 'wrong'}")
