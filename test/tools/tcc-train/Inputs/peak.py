"""peak.py FOLDER: trains two layers of 2000 x 2000 with --memory and holds what it says of the process's memory against the peak that it had."""
import json
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SIZE, BATCH = 2000, 64
out, random = pathlib.Path(sys.argv[1]), np.random.default_rng(0)
out.mkdir(parents=True, exist_ok=True)
weights = [numpy_helper.from_array(random.standard_normal((SIZE, SIZE)).astype(np.float32) / SIZE, f"w{i}") for i in range(2)]
nodes = [helper.make_node("MatMul", ["x", "w0"], ["a"]), helper.make_node("Tanh", ["a"], ["t"]), helper.make_node("MatMul", ["t", "w1"], ["p"])]
ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [BATCH, SIZE]) for name in "xp"]
onnx.save(helper.make_model(helper.make_graph(nodes, "large", ports[:1], ports[1:], weights), opset_imports=[helper.make_opsetid("", 17)]),
          out / "model.onnx")
for name in ("x", "target"): np.save(out / f"{name}.npy", random.standard_normal((BATCH, SIZE)).astype(np.float32))
subprocess.run(["tcc-train", str(out / "model.onnx"), "--data", str(out), "--loss", "mse", "--steps", "3", "--memory", "1000000000",
                "--report", str(out / "report.json")], check=True, stdout=subprocess.DEVNULL)
report = json.loads((out / "report.json").read_text())
planned, had = report["planned_peak_bytes"] / 2 ** 20, report["peak_rss_mb"]
if report["planned_bytes"] < 4 * 3 * 2 * SIZE * SIZE or abs(planned - had) > 0.02 * had:
    sys.exit(f"{report['planned_bytes']} bytes are planned, {planned:.1f} MB with the process, which had {had:.1f}")
print("the process needed what was planned")
