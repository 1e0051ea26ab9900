"""make_large.py FOLDER: model.pt2, a layer with a weight of 3 MB, with a loss; data for a step, and weight.npy.
make_large.py FOLDER CHECKPOINT: whether parameter and average of a checkpoint are that weight, and the other state 0."""
import json
import pathlib
import struct
import sys

import numpy as np

out = pathlib.Path(sys.argv[1])


def make():
    import torch

    class Loss(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(1101, 701)

        def forward(self, x):
            return self.layer(x).mean() * 0

    torch.manual_seed(0)
    (out / "data").mkdir(parents=True, exist_ok=True)
    model, x = Loss(), torch.randn(4, 1101)
    torch.export.save(torch.export.export(model, (x,)), str(out / "model.pt2"))
    np.save(out / "data" / "input_0.npy", x.numpy())
    np.save(out / "weight.npy", model.layer.weight.detach().numpy())


def read(path):
    """Tensors of a safetensors file that are f32."""
    data = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__", None)
    return {name: np.frombuffer(data[8 + length:], np.float32, offset=d["data_offsets"][0], count=int(np.prod(d["shape"])))
            for name, d in header.items() if d["dtype"] == "F32"}


if len(sys.argv) == 2:
    make()
else:
    weight = np.load(out / "weight.npy").ravel()
    for name, values in sorted(read(sys.argv[2]).items()):
        if values.size == weight.size:
            print(name, "is the weight" if np.array_equal(values, weight) else "is 0" if not values.any() else "is wrong")
