"""both.py MODEL DATA FOLDER: six steps of each optimiser on the host and on the device that TCC_CUDA_LIBRARY has: parameters and states, by names, that
differ by more than 1e-5 of their size. Exit 1 and a line for each that does."""
import json
import pathlib
import struct
import subprocess
import sys

import numpy as np

OPTIMISERS = ("kind=sgd lr=0.1 momentum=0.9 nesterov=1 decay=0.01", "kind=adam lr=0.01 schedule=cosine warmup=2 steps=8 floor=0.1",
              "kind=adamw lr=0.01 decay=0.1 no-decay=*bias", "kind=adagrad lr=0.05 lr-decay=0.1", "kind=adamw lr=0.01 clip-norm=0.1",
              "kind=sgd lr=0.1 clip-value=0.001 schedule=linear warmup=2 steps=8", "kind=adam lr=0.01 accumulate=2", "kind=adamw lr=0.01 ema=0.9")
TYPES = {"F32": np.float32, "F64": np.float64, "I64": np.int64}
model, data, folder = sys.argv[1:]


def train(target, options):
    path = pathlib.Path(folder) / "both.safetensors"
    subprocess.run(["tcc-train", model, "--data", data, "--steps", "6", "--threads=1", f"--target={target}", "--optimizer", options, "--checkpoint", path],
                   check=True, stdout=subprocess.DEVNULL)
    raw = path.read_bytes()
    begin = 8 + struct.unpack("<Q", raw[:8])[0]
    tensors = {}
    for name, entry in json.loads(raw[8:begin]).items():
        first, end = entry["data_offsets"]
        tensors[name] = np.frombuffer(raw[begin + first:begin + end], TYPES[entry["dtype"]]).astype(np.float64)
    return tensors


wrong = 0
for options in OPTIMISERS:
    host, device = train("x86,avx2", options), train("nvptx,sm_90a", options)
    worst = max((np.sqrt(np.mean((host[name] - device[name]) ** 2)) / max(np.sqrt(np.mean(host[name] ** 2)), 1e-12), name) for name in host)
    if host.keys() != device.keys() or not worst[0] <= 1e-5:
        wrong += 1
        print(f"{options}: {worst[1]} differs by {worst[0]:.3g}")
print(f"{len(OPTIMISERS)} optimisers, {wrong} wrong")
sys.exit(wrong > 0)
