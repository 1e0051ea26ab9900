"""head_model.py DIR [WEIGHT BIAS [SHIFT]] [--outside] [--producer=NAME]: y = (x . w + b)[:, :4] + s, an input of ones and the output that is due.

w (32 x 48) and b (48) are large enough to stay weights, s (4) is compiled in. All are in the model, or --outside in a file beside it; the
model's bytes do not depend on the numbers then.
"""
import os
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper

options = [a for a in sys.argv[1:] if a.startswith("--")]
folder, *numbers = [a for a in sys.argv[1:] if not a.startswith("--")]
weight, bias, shift = ([float(n) for n in numbers] + [1.0, 100.0, 10.0][len(numbers):])[:3]
os.makedirs(os.path.join(folder, "data"), exist_ok=True)
values = {"w": np.full((32, 48), weight, np.float32), "b": np.full(48, bias, np.float32), "s": np.full(4, shift, np.float32)}
indices = {"from": [0], "to": [4], "axis": [1]}
tensors = [numpy_helper.from_array(v, n) for n, v in values.items()]
if "--outside" in options:
    at = 0
    with open(os.path.join(folder, "weights.bin"), "wb") as file:
        for tensor in tensors:
            raw = tensor.raw_data
            tensor.ClearField("raw_data")
            tensor.data_location = onnx.TensorProto.EXTERNAL
            for key, value in (("location", "weights.bin"), ("offset", at), ("length", len(raw))):
                tensor.external_data.add(key=key, value=str(value))
            at += file.write(raw)
tensors += [numpy_helper.from_array(np.array(v), n) for n, v in indices.items()]
nodes = [helper.make_node("MatMul", ["x", "w"], ["t"]), helper.make_node("Add", ["t", "b"], ["u"]),
         helper.make_node("Slice", ["u", *indices], ["v"]), helper.make_node("Add", ["v", "s"], ["y"])]
graph = helper.make_graph(nodes, "head", [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 32])],
                          [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [1, 4])], tensors)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
model.producer_name = "".join(o[len("--producer="):] for o in options if o.startswith("--producer="))
with open(os.path.join(folder, "new"), "wb") as file:
    file.write(model.SerializeToString(deterministic=True))
os.rename(os.path.join(folder, "new"), os.path.join(folder, "model.onnx"))
np.save(os.path.join(folder, "data", "input_0.npy"), np.ones((1, 32), np.float32))
np.save(os.path.join(folder, "data", "output_0.npy"), np.full((1, 4), 32 * weight + bias + shift, np.float32))
