"""autocast.py MODEL_FOLDER FOLDER TYPE: model.onnx, or else model.pt2: losses of 20 steps of tcc-train --autocast against those of torch.autocast, with GradScaler where
TYPE is f16; each within 1 % of torch's. Exit 1 where one is not."""
import json
import pathlib
import subprocess
import sys

import numpy as np
import torch

model, out, kind = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
out.mkdir(parents=True, exist_ok=True)
data = model / "test_data_set_0"
log = out / f"{kind}.jsonl"
file = model / "model.onnx"
subprocess.run(["tcc-train", str(file if file.exists() else model / "model.pt2"), "--data", str(data), "--steps", "20", "--optimizer", "kind=adam lr=0.001",
                "--autocast", kind, "--log", str(log)], check=True)
got = [json.loads(line)["loss"] for line in log.read_text().splitlines()]

torch.manual_seed(0)
if "AVX512" not in torch.backends.cpu.get_cpu_capability(): torch.backends.mkldnn.enabled = False  # it has no LSTM of bf16 then
module = torch.export.load(str(model / "model.pt2")).module()
inputs = [torch.from_numpy(np.load(data / f"input_{i}.npy")) for i in range(2)]
optimizer = torch.optim.Adam(module.parameters(), lr=0.001)
scaler = torch.amp.GradScaler("cpu", enabled=kind == "f16")
wrong = 0
for step, loss in enumerate(got):
    with torch.autocast("cpu", torch.float16 if kind == "f16" else torch.bfloat16):
        want = module(*inputs)
    want = want[0] if isinstance(want, (tuple, list)) else want
    optimizer.zero_grad()
    scaler.scale(want).backward()
    scaler.step(optimizer)
    scaler.update()
    if not abs(loss - want.item()) <= 0.01 * abs(want.item()):
        wrong += 1
        print(f"step {step + 1}: {loss}, torch has {want.item()}")
print(f"{len(got)} losses compared, {wrong} wrong")
sys.exit(wrong > 0 or len(got) != 20)
