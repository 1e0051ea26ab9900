"""softcap.py FILE CAP: an Attention whose softcap is CAP."""
import sys

import onnx
from onnx import TensorProto, helper

tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 2, 5, 8]) for name in "qkvy"]
node = helper.make_node("Attention", ["q", "k", "v"], ["y"], name="capped", softcap=float(sys.argv[2]))
graph = helper.make_graph([node], "graph", tensors[:3], tensors[3:])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10), sys.argv[1])
