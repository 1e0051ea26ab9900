"""nested_loops.py FILE DEPTH: loops of two iterations in each other, the innermost of which has an operator that does not exist."""
import sys

import onnx
from onnx import TensorProto, helper


def value(name, kind=TensorProto.FLOAT, shape=(2,)):
    return helper.make_tensor_value_info(name, kind, shape)


def loop(depth, x, y):
    return helper.make_node("Loop", ["n", "go", x], [y], body=body(depth), name=f"loop{depth}")


def body(depth):
    inputs = [value(f"i{depth}", TensorProto.INT64, ()), value(f"c{depth}", TensorProto.BOOL, ()), value(f"v{depth}")]
    outputs = [value(f"d{depth}", TensorProto.BOOL, ()), value(f"w{depth}")]
    inner = loop(depth - 1, f"v{depth}", f"w{depth}") if depth else helper.make_node("Missing", ["v0"], ["w0"], name="inner")
    return helper.make_graph([helper.make_node("Identity", [f"c{depth}"], [f"d{depth}"]), inner], f"body{depth}", inputs, outputs)


numbers = [helper.make_tensor("n", TensorProto.INT64, [], [2]), helper.make_tensor("go", TensorProto.BOOL, [], [True])]
graph = helper.make_graph([loop(int(sys.argv[2]), "x", "y")], "g", [value("x")], [value("y")], numbers)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)]), sys.argv[1])
