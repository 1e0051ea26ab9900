"""ONNX's light models - real architectures whose weights are made on the spot - as cases of its other tests: `light.py DATA FOLDER`. DATA has
light/light_NAME.onnx and the expected outputs beside them; inputs are those of onnx's own runner."""
import glob
import os
import shutil
import sys

import numpy as np
import onnx

data, folder = sys.argv[1:]
for path in sorted(glob.glob(os.path.join(data, "light", "*.onnx"))):
    model = onnx.load(path)
    name = os.path.basename(path)[len("light_"):-len(".onnx")]
    case = os.path.join(folder, name)
    values = os.path.join(case, "test_data_set_0")
    os.makedirs(values, exist_ok=True)
    shutil.copy(path, os.path.join(case, "model.onnx"))
    initialised = {i.name for i in model.graph.initializer}
    inputs = [i for i in model.graph.input if i.name not in initialised]
    for k, value in enumerate(inputs):
        shape = [d.dim_value for d in value.type.tensor_type.shape.dim]
        array = (np.arange(np.prod(shape)).reshape(shape) / np.prod(shape)).astype(np.float32)
        np.save(os.path.join(values, f"input_{k}.npy"), array)
    for k in range(len(model.graph.output)):
        shutil.copy(f"{path[:-len('.onnx')]}_output_{k}.pb", os.path.join(values, f"output_{k}.pb"))
