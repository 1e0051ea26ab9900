"""check.py FOLDER: models of one op, with data whose expected outputs are off by little and by much."""
import os
import sys

import numpy as np
import onnx.parser

os.chdir(sys.argv[1])


def model(name, text):
    onnx.save(onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 17]> ' + text), name + ".onnx")


def data(name, x, y):
    os.makedirs(name)
    np.save(name + "/input_0.npy", x)
    np.save(name + "/output_0.npy", y)


for name, elem, op in [("neg", "float", "Neg"), ("sqrt", "float", "Sqrt"), ("bf16", "bfloat16", "Neg"), ("int", "int64", "Neg")]:
    model(name, f"g ({elem}[N, 3] x) => ({elem}[N, 3] y) {{ y = {op}(x) }}")
x = np.ones((100, 3), np.float32)
x[7, 1] = 1e-6  # beside ones this is noise
y = -x
y[7, 1] = 5e-6
data("noise", x, y)
y = -np.ones((100, 3), np.float32)
y[4, 1] = -1.5
data("off", -y * 0 + 1, y)
data("limit", -y * 0 + 1, y)
with open("limit/tolerance.json", "w") as file:
    file.write('{"sets": [{"outputs": [{"limit": 1e-5}]}]}')
data("nan", np.array([[1, -1, 1]], np.float32), np.ones((1, 3), np.float32))
data("rounded", np.array([[0x3F80, 0x4000, 0x3F80]], np.uint16), np.array([[0xBF81, 0xC001, 0xBF80]], np.uint16))
data("ints", np.array([[40000, 1, 2]]), np.array([[-39999, -1, -2]]))
