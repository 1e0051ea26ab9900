"""disagree.py FILE FOLDER: tcc-run and tcc-interp on FOLDER/NAME.onnx of each part of FILE at the sizes of its lines `# TRY size=N ...`.
Prints a line each: "ok ok", or what tcc-run says; tcc-interp must refuse too."""
import os
import subprocess
import sys

import numpy as np
import onnx

file, folder = sys.argv[1:]
name = None
for line in open(file):
    if line.startswith("# ----- "):
        name = line.split()[2]
    if not line.startswith("# TRY "):
        continue
    sizes = dict(word.split("=") for word in line.split()[2:])
    data = os.path.join(folder, name + ".data")
    os.makedirs(data, exist_ok=True)
    graph = onnx.load(os.path.join(folder, name + ".onnx")).graph
    fixed = {i.name for i in graph.initializer}
    for k, port in enumerate(p for p in graph.input if p.name not in fixed):
        dims = [int(sizes[d.dim_param]) if d.dim_param else d.dim_value for d in port.type.tensor_type.shape.dim]
        np.save(os.path.join(data, f"input_{k}.npy"), np.zeros(dims, onnx.helper.tensor_dtype_to_np_dtype(port.type.tensor_type.elem_type)))
    words = []
    model = os.path.join(folder, name + ".onnx")
    artifact = os.path.join(folder, name + ".so")  # compiled without the data: nothing is known of its sizes
    subprocess.run(["tcc-compile", model, "-o", artifact, "--no-cache"], check=True)
    for command in (["tcc-run", artifact, f"--data={data}"], ["tcc-interp", model, f"--data={data}"]):
        done = subprocess.run(command, capture_output=True, text=True)
        words.append("ok" if done.returncode == 0 else done.stderr.split("error: ")[-1].strip() if done.returncode == 1 else f"died: {done.returncode}")
    same = "ok" in words and words[0] != words[1]
    print(f"{' '.join([name] + line.split()[2:])}: {words[0] if words[0] != 'ok' else ' '.join(words)}{'; but tcc-interp: ' + words[1] if same else ''}")
