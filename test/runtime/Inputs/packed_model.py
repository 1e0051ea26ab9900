"""packed_model.py DIR SEED [SIZE]: a model of two matrix products with its weights in a file, an input and the output that is due.

The model's bytes do not depend on the seed, only the weights do. Their file is dated back: one that was just written is not
trusted to keep its times.
"""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

folder, seed = sys.argv[1], int(sys.argv[2])
size = int(sys.argv[3]) if len(sys.argv) > 3 else 320
os.makedirs(os.path.join(folder, "data"), exist_ok=True)
random = np.random.default_rng(seed)
weights = [random.standard_normal((size, size), np.float32) / 16 for _ in range(2)]
with open(os.path.join(folder, "weights.bin"), "wb") as file:
    for weight in weights:
        file.write(weight.tobytes())
os.utime(os.path.join(folder, "weights.bin"), (1e9, 1e9))


def outside(name, at):
    tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=[size, size], data_location=TensorProto.EXTERNAL)
    for key, value in (("location", "weights.bin"), ("offset", at * 4 * size * size), ("length", 4 * size * size)):
        tensor.external_data.add(key=key, value=str(value))
    return tensor


nodes = [helper.make_node("MatMul", ["x", "w0"], ["a"]), helper.make_node("Relu", ["a"], ["b"]), helper.make_node("MatMul", ["b", "w1"], ["y"])]
graph = helper.make_graph(nodes, "two", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [8, size])],
                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, [8, size])], [outside(f"w{i}", i) for i in range(2)])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
with open(os.path.join(folder, "model.onnx"), "wb") as file:
    file.write(model.SerializeToString(deterministic=True))
x = np.random.default_rng(0).standard_normal((8, size), np.float32)
np.save(os.path.join(folder, "data", "input_0.npy"), x)
np.save(os.path.join(folder, "data", "output_0.npy"), np.maximum(x @ weights[0], 0) @ weights[1])
