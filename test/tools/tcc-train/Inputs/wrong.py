"""wrong.py FOLDER: models and data that tcc-train says something about: table.onnx has a table of indices among its weights, loops.onnx two loops
that only data end, open.onnx sizes that nobody gives, two.onnx two inputs, for which the folders types, shapes, counts and few are wrong."""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

out = pathlib.Path(sys.argv[1])
random = np.random.default_rng(0)
FLOAT, BOOL, I64 = TensorProto.FLOAT, TensorProto.BOOL, TensorProto.INT64
port, node = helper.make_tensor_value_info, helper.make_node


def numbers(*shape): return random.standard_normal(shape).astype(np.float32)


def save(name, nodes, inputs, weights):
    tensors = [numpy_helper.from_array(value, key) for key, value in weights.items()]
    graph = helper.make_graph(nodes, name, inputs, [port("loss", FLOAT, [])], tensors)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), out / f"{name}.onnx")


def loop(name, kind, before, after):
    ports = [port(f"{name}.i", I64, []), port(f"{name}.c", BOOL, []), port(f"{name}.s", FLOAT, [4, 2])]
    nodes = [node(kind, [f"{name}.s"], [f"{name}.r"]), node("ReduceSum", [f"{name}.r"], [f"{name}.n"], keepdims=0),
             node("Greater", [f"{name}.n", "zero"], [f"{name}.on"])]
    body = helper.make_graph(nodes, name, ports, [port(f"{name}.on", BOOL, []), port(f"{name}.r", FLOAT, [4, 2])])
    return node("Loop", ["", "yes", before], [after], name=name, body=body)


out.mkdir(parents=True, exist_ok=True)
mean = node("ReduceMean", ["r"], ["loss"], keepdims=0)
save("table", [node("Gather", ["w", "index"], ["t"], axis=0), node("MatMul", ["x", "t"], ["r"]), mean], [port("x", FLOAT, [4, 3])],
     {"w": numbers(5, 2), "index": np.array([0, 3, 2])})
save("loops", [node("MatMul", ["x", "w"], ["a"]), loop("first", "Tanh", "a", "b"), loop("second", "Sin", "b", "r"), mean],
     [port("x", FLOAT, [4, 3])], {"w": numbers(3, 2), "zero": np.float32(0), "yes": np.bool_(True)})
squares = [node("MatMul", ["x", "w"], ["a"]), node("Sub", ["a", "y"], ["d"]), node("Mul", ["d", "d"], ["r"]), mean]
save("open", squares, [port("x", FLOAT, ["N", "S", 3]), port("y", FLOAT, ["N", "S", 2])], {"w": numbers(3, 2)})
save("two", squares, [port("x", FLOAT, [4, 3]), port("y", FLOAT, [4, 2])], {"w": numbers(3, 2)})
for name, x, y in (("types", np.zeros((16, 3)), np.zeros((16, 2), np.int32)), ("shapes", numbers(16, 4), numbers(16, 2, 2)),
                   ("counts", numbers(16, 3), numbers(8, 2)), ("few", numbers(2, 3), numbers(2, 2))):
    (out / name).mkdir()
    np.save(out / name / "x.npy", x)
    np.save(out / name / "y.npy", y)
