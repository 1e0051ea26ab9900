"""Matrix products by tcc beside oneDNN and OpenBLAS: models of one product and many weights, measured by gemm.c.

    bench/kernels/run.sh gemm [--only 128x768x768 50x2048x512] [--threads 1,2] [--rounds 15] [--compiler NAME=DIR]

A case is rows, columns, inner size."""
from onnx import TensorProto, helper

import driver

SHAPES = ("512x768x3072 512x3072x768 128x768x768 128x768x3072 128x3072x768 127x769x771 197x384x1152 50x2048x512 8x4096x4096 1x4096x4096 "
          "3x1000x2048 1024x1024x1024 64x3136x256").split()
KINDS = ("packed", "dynamic", "in-call")  # constant weights; the same, rows of unknown number; both operands computed
ODD = ("127x769x771", "50x2048x512", "8x4096x4096", "1x4096x4096", "3x1000x2048")  # or skinny


def write_model(work, kind, m, n, k, weights, count):
    rows = "M" if kind == "dynamic" else m
    info = helper.make_tensor_value_info
    inputs = [info(f"x{i}", TensorProto.FLOAT, [rows, k]) for i in range(count)]
    outputs = [info(f"y{i}", TensorProto.FLOAT, [rows, n]) for i in range(count)]
    nodes = [helper.make_node("MatMul", [f"x{i}", f"w{i}"], [f"y{i}"]) for i in range(count)]
    initializers = []
    for i in range(count):
        if kind == "in-call":
            inputs.append(info(f"w{i}", TensorProto.FLOAT, [k, n]))
            continue
        tensor = TensorProto(name=f"w{i}", data_type=TensorProto.FLOAT, dims=[k, n], data_location=TensorProto.EXTERNAL)
        for key, value in (("location", weights.name), ("offset", 4 * n * k * i), ("length", 4 * n * k)):
            tensor.external_data.add(key=key, value=str(value))
        initializers.append(tensor)
    graph = helper.make_graph(nodes, "gemm", inputs, outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    path = work / f"{kind}-{m}x{n}x{k}.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def make(work, name, arguments, threads):
    m, n, k = (int(x) for x in name.split("x"))
    count = max(2, min(64, -(-(arguments.cold << 20) // (4 * n * k))))
    weights = driver.write_weights(work, f"{n}x{k}", n * k, count)
    return driver.Case({kind: write_model(work, kind, m, n, k, weights, count) for kind in KINDS}, [str(m), str(n), str(k), weights, str(count)])


def group(result, kind):
    if kind == "packed" and result["case"] in ODD:
        return "packed, odd or skinny", 1.0
    return {"packed": "packed", "dynamic": "packed, rows of unknown number", "in-call": "packed in the call"}[kind], 0.95


SUITE = driver.Suite("gemm", SHAPES, {}, make, lambda kind: ["onednn", "openblas"] if kind == "in-call" else ["onednn-packed"], group,
                     ("onednn-packed", "onednn", "openblas"))
