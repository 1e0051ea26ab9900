"""cut.py FOLDER: tcc-run reads rows of a table that lies beside the model, which is cut short when it is mapped; runs go on long enough to see it."""
import os
import subprocess
import sys
import time

import numpy as np
import onnx
import onnx.parser

os.chdir(sys.argv[1])
model = onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 17]> g (int64[8] i) => (float[8, 1024] y) { y = Gather(w, i) }')
model.graph.initializer.append(onnx.numpy_helper.from_array(np.ones((4096, 1024), "f"), "w"))
onnx.save(model, "m.onnx", save_as_external_data=True, location="w.data", size_threshold=0)
subprocess.run(["tcc-compile", "m.onnx", "-o", "m.so", "--no-cache"], check=True)
process = subprocess.Popen(["tcc-run", "m.so", "--random", "--bench=60"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
while process.poll() is None and "w.data" not in open(f"/proc/{process.pid}/maps").read():
    time.sleep(0.01)
os.truncate("w.data", 0)
error = process.communicate()[1]
if process.returncode != 1 or not error.startswith("tcc-run: error: "):
    sys.exit(f"exit status {process.returncode}: {error}")
