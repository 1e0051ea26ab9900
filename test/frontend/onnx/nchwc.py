"""nchwc.py FOLDER: a network of convolutions as ONNX has it, plain.onnx, and as onnxruntime's optimiser writes it for blocks of 8 and of 16 channels, b8.onnx
and b16.onnx; told.onnx has channels of which no size tells the block. FOLDER/data: an input, and after running plain.onnx its output."""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

BLOCKS = "com.microsoft.nchwc"
r = np.random.default_rng(7)


def up(n, b):
    return -(-n // b) * b


def padded(w, o, i):
    return np.pad(w, [(0, o - w.shape[0]), (0, i - w.shape[1]), (0, 0), (0, 0)])


def blocked(w, b, group):
    """The bytes of a filter in blocks of b, with the dims that onnxruntime gives them."""
    o, i, h, v = w.shape
    w = padded(w, up(o, b), i if i < b else up(i, b))
    o, i = w.shape[:2]
    if i < b:  # as it comes, or depthwise
        return w.reshape(o // b, b, i, h, v).transpose(0, 2, 3, 4, 1).reshape(w.shape), group if group == 1 else o
    return w.reshape(o // b, b, i // b, b, h, v).transpose(0, 2, 4, 5, 3, 1).reshape(w.shape), group


class Network:
    def __init__(self, b):
        self.b, self.nodes, self.weights = b, [], []

    def node(self, op, inputs, out, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [out], domain=BLOCKS if self.b else "", **attributes))
        return out

    def weight(self, name, array):
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def conv(self, x, out, w, bias, activation=None, added=None, group=1, **attributes):
        if self.b:
            w, group = blocked(w, self.b, group)
            bias = np.pad(bias, (0, w.shape[0] - len(bias)))
            if activation:
                attributes["activation"] = activation
            inputs = [x, self.weight(out + "_w", w), self.weight(out + "_b", bias)] + ([added] if added else [])
            return self.node("Conv", inputs, out, group=group, **attributes)
        y = self.node("Conv", [x, self.weight(out + "_w", w), self.weight(out + "_b", bias)], out + "_c", group=group, **attributes)
        if added:
            y = self.node("Add", [y, added], out + "_s")
        return self.node(activation or "Identity", [y], out)

    def save(self, path, inputs, outputs):
        graph = helper.make_graph(self.nodes, "g", inputs, [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in outputs], self.weights)
        domains = [helper.make_opsetid("", 20)] + ([helper.make_opsetid(BLOCKS, 1)] if self.b else [])
        onnx.save(helper.make_model(graph, opset_imports=domains, ir_version=10), path)


def normal(*shape):
    return r.standard_normal(shape).astype(np.float32)


FIRST, DEPTH, GROUPS, LAST = (normal(20, 3, 3, 3), normal(20)), (normal(20, 1, 3, 3), normal(20)), (normal(32, 16, 1, 1), normal(32)), (normal(20, 20, 1, 1), normal(20))


def network(b):
    """Depthwise, grouped, with an addend; pools, a resize; images whose channels come first, last, and as they are."""
    n = Network(b)
    x = n.conv("x", "first", *FIRST, activation="Relu", pads=[1, 1, 1, 1], strides=[2, 2])
    d = n.conv(x, "depth", *DEPTH, activation="HardSwish", group=20, pads=[1, 1, 1, 1])
    y = n.conv(d, "last", *LAST, activation="Sigmoid", added=x)
    m = n.node("MaxPool", [y], "max", kernel_shape=[2, 2], strides=[2, 2])
    a = n.node("AveragePool", [y], "avg", kernel_shape=[2, 2], strides=[2, 2])
    g = n.node("GlobalAveragePool", [y], "mean")
    z = n.node("ReorderInput", ["z"], "zi", channels_last=1) if b else n.nodes.append(helper.make_node("Transpose", ["z"], ["zi"], perm=[0, 3, 1, 2])) or "zi"
    z = n.conv(z, "groups", *GROUPS, group=2)
    if b:
        z = n.node("Upsample", [z], "up", scales=[1, 1, 2, 2])
        for k, (v, count) in enumerate([(y, 20), (m, 20), (a, 20), (g, 20), (z, 32)]):
            n.node("ReorderOutput", [v], f"out{k}", channels=count, channels_last=k % 2)
    else:
        z = n.node("Resize", [z, "", n.weight("scales", np.array([1, 1, 2, 2], np.float32))], "up", mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
        for k, v in enumerate([y, m, a, g, z]):
            n.node("Transpose", [v], f"out{k}", perm=[0, 2, 3, 1] if k % 2 else [0, 1, 2, 3])
    return n


def main(folder):
    os.makedirs(os.path.join(folder, "data"), exist_ok=True)
    x, z = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3, 8, 8]), helper.make_tensor_value_info("z", TensorProto.FLOAT, ["N", 3, 3, 32])
    for name, b in (("plain", 0), ("b8", 8), ("b16", 16)):
        network(b).save(os.path.join(folder, name + ".onnx"), [x, z], [f"out{k}" for k in range(5)])
    n, w = Network(8), (normal(16, 16, 1, 1), normal(16))
    n.node("ReorderOutput", [n.conv(n.node("ReorderInput", ["x"], "xi"), "c", *w)], "y", channels=16)
    n.save(os.path.join(folder, "told.onnx"), [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 16, 3, 3])], ["y"])
    n = Network(0)
    n.conv("x", "y", *w)
    n.save(os.path.join(folder, "told_plain.onnx"), [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 16, 3, 3])], ["y"])
    os.makedirs(os.path.join(folder, "told"), exist_ok=True)
    np.save(os.path.join(folder, "told", "input_0.npy"), normal(2, 16, 3, 3))
    for k, array in enumerate([normal(2, 3, 8, 8), normal(2, 3, 3, 32)]):
        np.save(os.path.join(folder, "data", f"input_{k}.npy"), array)


main(sys.argv[1])
