"""window_grads.py FOLDER: a graph of gradients of pools and resizes, as AOTAutograd asks for them, and of maxima of whole planes, as FOLDER/model.json, with
inputs and outputs."""
import sys

import numpy as np

from own_graph import node, write_folder


def linear(size, out):
    """out * size: how much of output o came from input i, by half pixels."""
    matrix = np.zeros((out, size))
    for o in range(out):
        at = max(size / out * (o + 0.5) - 0.5, 0)
        low = int(at)
        matrix[o, low] += 1 - (at - low)
        matrix[o, min(low + 1, size - 1)] += at - low
    return matrix


def average(size, out, kernel, stride, pad):
    matrix = np.zeros((out, size))
    for o in range(out):
        for i in range(o * stride - pad, o * stride - pad + kernel):
            if 0 <= i < size:
                matrix[o, i] = 1 / kernel
    return matrix


SHAPES = {"g0": [2, 3, 4, 5], "x0": [2, 3, 9, 15], "g1": [2, 3, 3, 4], "x1": [2, 3, 6, 8], "g2": [2, 3, 8, 6], "g3": [2, 3, 300], "g4": [2, 3, 5, 4],
          "x4": [2, 3, 9, 8], "x5": [2, 3, 4, 5]}
RESULTS = {"r0": SHAPES["x0"], "r1": SHAPES["x1"], "r2": [2, 3, 4, 3], "r3": [2, 3, 150], "r4": SHAPES["x4"], "r5": [2, 3, 1, 1], "r6": [2, 3, 1, 1]}
nodes = [
    node("avg_pool2d_backward", "r0", grad_output="g0", self="x0", kernel_size=[2, 3], stride=[2, 3], padding=[0, 0], ceil_mode=False,
         count_include_pad=True, divisor_override=None),
    node("_adaptive_avg_pool2d_backward", "r1", grad_output="g1", self="x1"),
    node("upsample_nearest2d_backward", "r2", grad_output="g2", output_size=[8, 6], input_size=[2, 3, 4, 3], scales_h=None, scales_w=None),
    node("upsample_linear1d_backward", "r3", grad_output="g3", output_size=[300], input_size=[2, 3, 150], align_corners=False, scales=None),
    node("avg_pool2d_backward", "r4", grad_output="g4", self="x4", kernel_size=[3, 3], stride=[2, 2], padding=[1, 1], ceil_mode=False,
         count_include_pad=True, divisor_override=None),
    node("adaptive_max_pool2d", "r5", "r6", self="x5", output_size=[1, 1])]
random = np.random.default_rng(1)
g = {name: random.standard_normal(shape) for name, shape in SHAPES.items()}
outputs = [np.pad(np.repeat(np.repeat(g["g0"], 2, 2), 3, 3) / 6, ((0, 0), (0, 0), (0, 1), (0, 0))), np.repeat(np.repeat(g["g1"], 2, 2), 2, 3) / 4,
           g["g2"].reshape(2, 3, 4, 2, 3, 2).sum((3, 5)), g["g3"] @ linear(150, 300),
           np.einsum("ncij,ih,jw->nchw", g["g4"], average(9, 5, 3, 2, 1), average(8, 4, 3, 2, 1)), g["x5"].max((2, 3), keepdims=True),
           g["x5"].reshape(2, 3, 20).argmax(2).reshape(2, 3, 1, 1)]
write_folder(sys.argv[1], SHAPES, RESULTS, nodes, g.values(), outputs, integers=["r6"])
