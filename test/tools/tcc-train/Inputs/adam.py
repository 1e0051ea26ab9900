"""adam.py MODEL FOLDER: three steps of tcc-train with Adam on a train_* model of the zoo, its parameters against those of the f64 run: an
error of at most 2 * that of eager f32 + 1e-6 of their size, each. Exit 1 and a line for each that is further off."""
import json
import pathlib
import struct
import subprocess
import sys

import numpy as np

model, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
out.mkdir(parents=True, exist_ok=True)
zoo = model.parent
checkpoint = out / "parameters.safetensors"
subprocess.run(["tcc-train", str(model), "--data", str(zoo / "test_data_set_0"), "--steps", "3", "--optimizer", "kind=adam lr=0.001",
                "--no-cache", "--checkpoint", str(checkpoint), *sys.argv[3:]], check=True)
raw = checkpoint.read_bytes()
length = struct.unpack("<Q", raw[:8])[0]
header = json.loads(raw[8:8 + length])
limits = json.loads((zoo / "tolerance.json").read_text())["params_after_3_adam_steps"]
wrong = compared = 0
for name, limit in limits.items():
    if name not in header:
        continue  # a name of a tied parameter
    begin, end = header[name]["data_offsets"]
    got = np.frombuffer(raw[8 + length + begin:8 + length + end], np.float32).astype(np.float64)
    want = np.load(zoo / "params_after_3_adam_steps" / f"{name}.npy").astype(np.float64).ravel()
    error, allowed = float(np.sqrt(np.mean((got - want) ** 2))), 2 * limit["rmse_eager"] + 1e-6 * limit["rms_golden"]
    compared += 1
    if not error <= allowed:
        wrong += 1
        print(f"{name}: {error:.3g}, at most {allowed:.3g}")
print(f"{compared} parameters compared, {wrong} wrong")
sys.exit(wrong > 0 or not compared)
