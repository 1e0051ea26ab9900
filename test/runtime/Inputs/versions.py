"""versions.py DIR: DIR/v1/m.onnx and DIR/v2/m.onnx, products with one matrix as it is and transposed: other plans, the same sizes."""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

size = 256
w = numpy_helper.from_array(np.arange(size * size, dtype=np.float32).reshape(size, size) / 1024, "w")
for name, transposed in (("v1", 0), ("v2", 1)):
    ports = [helper.make_tensor_value_info(port, TensorProto.FLOAT, [1, size]) for port in ("x", "y")]
    graph = helper.make_graph([helper.make_node("Gemm", ["x", "w"], ["y"], transB=transposed)], "g", ports[:1], ports[1:], [w])
    os.makedirs(os.path.join(sys.argv[1], name), exist_ok=True)
    path = os.path.join(sys.argv[1], name, "m.onnx")
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    os.utime(path, (1e9, 1e9))
