"""Small models that ask for a result of ordinary size in a way at which work, code or memory could grow with powers or with sizes
that nothing needs: `bombs.py FOLDER` writes FOLDER/NAME.onnx and data for those that have inputs."""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = helper.make_opsetid("", 21)
node = helper.make_node


def integers(name, values):
    return numpy_helper.from_array(np.array(values, "int64"), name)


def floats(name, values):
    return numpy_helper.from_array(np.array(values, "float32"), name)


def save(name, nodes, shape, result, constants=(), functions=(), opsets=()):
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)] if shape else []
    graph = helper.make_graph(nodes, "g", inputs, [onnx.ValueInfoProto(name=result)], list(constants))
    model = helper.make_model(graph, opset_imports=[OPSET, *opsets], ir_version=10, functions=list(functions))
    onnx.save(model, os.path.join(FOLDER, name + ".onnx"))
    os.makedirs(os.path.join(FOLDER, name), exist_ok=True)
    if shape:
        np.save(os.path.join(FOLDER, name, "input_0.npy"), np.random.default_rng(0).standard_normal(shape).astype("float32"))


def chain(name, count, step, shape, constants=()):
    """step(k, y, z): nodes that make z of y."""
    nodes = []
    for k in range(count):
        nodes += step(k, f"y{k}" if k else "x", f"y{k + 1}")
    save(name, nodes, shape, f"y{count}", constants)


def function_calls(depth):
    """Functions of which each calls the one below it twice."""
    functions = [helper.make_function("d", "f0", ["a"], ["r"], [node("Relu", ["a"], ["r"])], [OPSET])]
    for k in range(1, depth + 1):
        calls = [node(f"f{k - 1}", ["a"], ["t"], domain="d"), node(f"f{k - 1}", ["t"], ["r"], domain="d")]
        functions.append(helper.make_function("d", f"f{k}", ["a"], ["r"], calls, [OPSET, helper.make_opsetid("d", 1)]))
    return functions


def loops(depth, grows, p=""):
    """A loop in a loop in ...; each needs the number of its iteration to know a shape. grows: of what it carries, so that it is unrolled."""
    if depth:
        inner = [loops(depth - 1, grows, p + "n"), node("Identity", [p + "nout"], [p + "so"])]
        inner[0].input[2] = p + "s"
    else:
        inner = [node("Add", [p + "s", p + "s"], [p + "so"])]
    nodes = [node("Identity", [p + "c"], [p + "co"]), node("Reshape", [p + "i", "one"], [p + "r"]),
             node("Slice", ["big", "zero", p + "r"], [p + "slice"]), node("ReduceSum", [p + "slice"], [p + "sum"], keepdims=0), *inner]
    given = [helper.make_tensor_value_info(p + "i", 7, []), helper.make_tensor_value_info(p + "c", 9, []), helper.make_tensor_value_info(p + "s", 1, [4])]
    made = [helper.make_tensor_value_info(p + "co", 9, []), helper.make_tensor_value_info(p + "so", 1, [4])]
    carried, results = ["x"], [p + "out"]
    if grows:
        given.append(onnx.ValueInfoProto(name=p + "old"))
        made.append(onnx.ValueInfoProto(name=p + "slice"))
        carried, results = ["x", "big"], [p + "out", p + "last"]
    body = helper.make_graph(nodes, "b" + p, given, [*made, onnx.ValueInfoProto(name=p + "sum")])
    return node("Loop", ["trips", "", *carried], [*results, p + "sums"], body=body)


def main():
    # Values that are read at several indices, again and again.
    chain("doubling", 16, lambda k, y, z: [node("Concat", [y, y], [z], axis=0)], [4])
    half = [integers("zero", [0]), integers("most", [1 << 60])]
    ends = [integers(f"end{k}", [4096 - (1 << k)]) for k in range(10)]
    chain("rolls", 10, lambda k, y, z: [node("Slice", [y, "zero", f"end{k}"], [f"u{k}"]), node("Slice", [y, f"end{k}", "most"], [f"v{k}"]),
                                        node("Concat", [f"v{k}", f"u{k}"], [f"r{k}"], axis=0), node("Add", [y, f"r{k}"], [z])], [4096], half + ends)
    chain("channels", 10, lambda k, y, z: [node("Relu", [y], [f"r{k}"]), node("Concat", [y, f"r{k}"], [z], axis=1)], [1, 3, 7, 7])
    chain("shifts", 30, lambda k, y, z: [node("Softplus", [y], [f"e{k}"]), node("Slice", [f"e{k}", "one", "most"], [f"a{k}"]),
                                         node("Slice", [f"e{k}", "zero", "last"], [f"b{k}"]), node("Sub", [f"a{k}", f"b{k}"], [z])],
          [600], half + [integers("one", [1]), integers("last", [-1])])
    chain("paddings", 20, lambda k, y, z: [node("Pad", [y, f"p{k}"], [f"t{k}"]), node("Max", [y, f"t{k}"], [z])], [2048],
          [integers(f"p{k}", [k + 1, -k - 1]) for k in range(20)])
    chain("turned", 20, lambda k, y, z: [node("Transpose", [y], [f"t{k}"], perm=[1, 0]), node("Tanh", [f"t{k}"], [f"u{k}"]), node("Add", [y, f"u{k}"], [z])], [32, 32])
    chain("gathers", 16, lambda k, y, z: [node("Gather", [y, f"g{k}"], [f"t{k}"]), node("Add", [y, f"t{k}"], [z])], [256],
          [integers(f"g{k}", (np.arange(256) * 7 + k) % 256) for k in range(16)])
    chain("tiles", 10, lambda k, y, z: [node("Tile", [y, "twice"], [f"t{k}"]), node("Neg", [f"t{k}"], [z])], [3], [integers("twice", [2])])
    chain("choices", 20, lambda k, y, z: [node("Greater", [y, "null"], [f"c{k}"]), node("Neg", [y], [f"n{k}"]), node("Where", [f"c{k}", y, f"n{k}"], [f"w{k}"]),
                                          node("Slice", [f"w{k}", "zero", "cut"], [f"a{k}"]), node("Slice", [f"w{k}", "cut", "most"], [f"b{k}"]),
                                          node("Concat", [f"b{k}", f"a{k}"], [z], axis=0)], [500], half + [integers("cut", [333]), floats("null", 0)])
    chain("means", 40, lambda k, y, z: [node("ReduceMean", [y, "last"], [f"m{k}"], keepdims=1), node("Sub", [y, f"m{k}"], [z])], [16, 32], [integers("last", [-1])])
    # Sizes that nothing needs.
    many = integers("many", [1 << 34])
    save("splat", [node("ConstantOfShape", ["many"], ["a"]), node("Gather", ["a", "at"], ["b"]), node("Add", ["x", "b"], ["y"])], [3], "y",
         [many, integers("at", [1, 1 << 33, -1])])
    save("splat_product", [node("ConstantOfShape", ["square"], ["a"], value=helper.make_tensor("v", 1, [1], [0.5])), node("MatMul", ["x", "a"], ["y"])],
         [3, 300], "y", [integers("square", [300, 60000])])
    # More nodes than there is time for: an error.
    save("functions", [node("f40", ["x"], ["y"], domain="d")], [4], "y", (), function_calls(40), [helper.make_opsetid("d", 1)])
    nest = [integers("trips", 64), integers("one", [1]), integers("zero", [0]), floats("big", np.zeros(100))]
    save("loops", [loops(3, True)], [4], "out", nest)
    save("nested", [loops(1, False)], [4], "out", [integers("trips", 8), *nest[1:]])
    # A size that is the 16th power of a sum of four: an error.
    sizes = [helper.make_tensor_value_info(c, TensorProto.FLOAT, ["n" + c]) for c in "abcd"]
    nodes = [node("Concat", list("abcd"), ["y0"], axis=0)]
    for k in range(6):
        nodes += [node("Unsqueeze", [f"y{k}", "zero"], [f"u{k}"]), node("Transpose", [f"u{k}"], [f"t{k}"], perm=[1, 0]),
                  node("Mul", [f"u{k}", f"t{k}"], [f"o{k}"]), node("Reshape", [f"o{k}", "all"], [f"y{k + 1}"])]
    graph = helper.make_graph(nodes, "g", sizes, [onnx.ValueInfoProto(name="y6")], [integers("zero", [0]), integers("all", [-1])])
    onnx.save(helper.make_model(graph, opset_imports=[OPSET], ir_version=10), os.path.join(FOLDER, "squares.onnx"))
    # More memory than there is: an error.
    save("kept", [node("ConstantOfShape", ["many"], ["a"]), node("Add", ["x", "a"], ["y"])], [1], "y", [integers("many", [1 << 44])])
    save("counted", [node("Range", ["zero", "many", "one"], ["y"])], None, "y", [integers("zero", 0), integers("many", 1 << 45), integers("one", 1)])
    # Tables of the compiler that a few bytes ask for: an error.
    for name, size, attributes in (("stretched", 1 << 34, {}), ("blended", 1 << 34, {"mode": "linear"}), ("shrunk", 1 << 17, {"mode": "linear", "antialias": 1})):
        save(name, [node("Resize", ["x", "", "", "sizes"], ["y"], **attributes)], [1, 1, 1 << 20] if name == "shrunk" else [1, 4, 4], "y",
             [integers("sizes", [1, 1 if name == "shrunk" else 4, size])])
    sparse = helper.make_sparse_tensor(helper.make_tensor("v", 1, [1], [0.5]), helper.make_tensor("i", TensorProto.INT64, [1], [7]), [1 << 28])
    save("sparse", [node("Constant", [], ["w"], sparse_value=sparse), node("ReduceSum", ["w"], ["y"])], None, "y")


FOLDER = sys.argv[1]
os.makedirs(FOLDER, exist_ok=True)
main()
