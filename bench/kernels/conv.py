"""Convolutions by tcc beside oneDNN: models of one convolution and many weights, measured by conv.c.

    bench/kernels/run.sh conv [--only resnet 1,64,56,56,64,3,1,1,1] [--threads 1,2] [--rounds 15] [--compiler NAME=DIR]

A case is images, channels, height, width, output channels, window, stride, padding, groups."""
from onnx import TensorProto, helper

import driver

RESNET = ("1,3,224,224,64,7,2,3,1 1,64,56,56,64,1,1,0,1 1,64,56,56,64,3,1,1,1 1,64,56,56,256,1,1,0,1 1,256,56,56,64,1,1,0,1 1,256,56,56,128,1,1,0,1 "
          "1,128,56,56,128,3,2,1,1 1,128,28,28,512,1,1,0,1 1,256,56,56,512,1,2,0,1 1,512,28,28,128,1,1,0,1 1,128,28,28,128,3,1,1,1 "
          "1,512,28,28,256,1,1,0,1 1,256,28,28,256,3,2,1,1 1,256,14,14,1024,1,1,0,1 1,512,28,28,1024,1,2,0,1 1,1024,14,14,256,1,1,0,1 "
          "1,256,14,14,256,3,1,1,1 1,1024,14,14,512,1,1,0,1 1,512,14,14,512,3,2,1,1 1,512,7,7,2048,1,1,0,1 1,1024,14,14,2048,1,2,0,1 "
          "1,2048,7,7,512,1,1,0,1 1,512,7,7,512,3,1,1,1").split()
MOBILE = ("1,3,224,224,16,3,2,1,1 1,16,112,112,16,3,1,1,16 1,64,112,112,64,3,2,1,64 1,240,14,14,240,3,1,1,240 1,480,14,14,480,3,1,1,480 "
          "1,672,14,14,672,5,2,2,672 1,960,7,7,960,5,1,2,960 1,16,112,112,64,1,1,0,1 1,480,14,14,112,1,1,0,1 1,112,14,14,672,1,1,0,1 "
          "1,960,7,7,160,1,1,0,1 1,160,7,7,960,1,1,0,1 1,96,56,56,96,7,1,3,96").split()
ODD = ("1,64,17,17,80,3,1,1,1 1,256,13,13,384,3,1,1,1 1,80,15,15,48,5,2,2,1 1,64,35,35,192,1,1,0,1 1,32,19,19,112,1,2,0,1 1,3,64,64,32,3,2,1,1 "
       "1,96,17,17,96,3,1,1,96 1,96,27,27,96,3,2,1,96 1,672,7,7,672,5,1,2,672").split()
LISTS = {"resnet": RESNET, "resnet8": ["8" + s[1:] for s in RESNET], "mobile": MOBILE, "odd": ODD}


def write_model(work, shape, weights, count, lanes):
    n, c, h, w, m, k, stride, pad, groups = shape
    oh, ow = (h + 2 * pad - k) // stride + 1, (w + 2 * pad - k) // stride + 1
    info = helper.make_tensor_value_info
    dims = [n, c // lanes, h, w, lanes] if c % lanes == 0 else [n, c, h, w]
    result = [n, m // lanes, oh, ow, lanes] if m % lanes == 0 else [n, m, oh, ow]
    nodes, constants = [], []
    constants.append(helper.make_tensor("plain", TensorProto.INT64, [4], [n, c, h, w]))
    constants.append(helper.make_tensor("blocks", TensorProto.INT64, [5], [n, m // lanes, lanes, oh, ow]))
    for i in range(count):
        x, y = f"x{i}", f"y{i}"
        if c % lanes == 0:
            nodes.append(helper.make_node("Transpose", [x], [f"t{i}"], perm=[0, 1, 4, 2, 3]))
            nodes.append(helper.make_node("Reshape", [f"t{i}", "plain"], [f"p{i}"]))
            x = f"p{i}"
        nodes.append(helper.make_node("Conv", [x, f"w{i}"], [f"c{i}"], kernel_shape=[k, k], strides=[stride] * 2, pads=[pad] * 4, group=groups))
        nodes.append(helper.make_node("Relu", [f"c{i}"], [f"r{i}" if m % lanes == 0 else y]))
        if m % lanes == 0:
            nodes.append(helper.make_node("Reshape", [f"r{i}", "blocks"], [f"b{i}"]))
            nodes.append(helper.make_node("Transpose", [f"b{i}"], [y], perm=[0, 1, 3, 4, 2]))
        size = 4 * m * (c // groups) * k * k
        tensor = TensorProto(name=f"w{i}", data_type=TensorProto.FLOAT, dims=[m, c // groups, k, k], data_location=TensorProto.EXTERNAL)
        for key, value in (("location", weights.name), ("offset", size * i), ("length", size)):
            tensor.external_data.add(key=key, value=str(value))
        constants.append(tensor)
    inputs = [info(f"x{i}", TensorProto.FLOAT, dims) for i in range(count)]
    outputs = [info(f"y{i}", TensorProto.FLOAT, result) for i in range(count)]
    model = helper.make_model(helper.make_graph(nodes, "conv", inputs, outputs, constants), opset_imports=[helper.make_opsetid("", 17)])
    path = work / f"{'-'.join(str(v) for v in shape)}.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def make(work, name, arguments, threads):
    shape = [int(v) for v in name.split(",")]
    n, c, h, w, m, k, stride, pad, groups = shape
    size = m * (c // groups) * k * k
    count = max(2, min(128, -(-(arguments.cold << 20) // (4 * size))))
    weights = driver.write_weights(work, f"{m}x{c // groups}x{k}", size, count)
    return driver.Case({"": write_model(work, shape, weights, count, 8 if arguments.avx2 else 16)}, [name, weights, str(count)])


def group(result, kind):
    if not result["case"].endswith(",1"):
        return "depthwise", 1.0
    return ("odd", 1.0) if result["case"] in ODD else ("dense", 0.9)


SUITE = driver.Suite("conv", RESNET + MOBILE + ODD, LISTS, make, lambda kind: ["onednn"], group, ("onednn",))
