"""make_depth.py FOLDER LAYERS ...: LAYERS/model.pt2, so many layers of a small transformer with a loss, and data for a step.
make_depth.py REPORT REPORT ...: kernels of steps, from reports of tcc-train --profile: how many there are, and whether they are the same."""
import json
import pathlib
import sys


def make(out, layers):
    import numpy as np
    import torch
    from torch import nn

    class Layer(nn.Module):
        def __init__(self, width=24, heads=3):
            super().__init__()
            self.heads, self.before, self.behind = heads, nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.joined, self.up, self.down = nn.Linear(width, 3 * width), nn.Linear(width, width), nn.Linear(width, 64), nn.Linear(64, width)

        def forward(self, x):
            batch, length, width = x.shape
            q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in self.qkv(self.before(x)).split(width, 2))
            scores = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.joined(scores.transpose(1, 2).reshape(batch, length, width))
            return x + self.down(nn.functional.gelu(self.up(self.behind(x))))

    class Loss(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers, self.head = nn.Sequential(*[Layer() for _ in range(layers)]), nn.Linear(24, 10)

        def forward(self, x, y):
            return nn.functional.cross_entropy(self.head(self.layers(x)).flatten(0, 1), y.flatten())

    torch.manual_seed(0)
    (out / "data").mkdir(parents=True, exist_ok=True)
    batch = torch.randn(2, 16, 24), torch.randint(10, (2, 16))
    torch.export.save(torch.export.export(Loss(), batch), str(out / "model.pt2"))
    for i, tensor in enumerate(batch):
        np.save(out / "data" / f"input_{i}.npy", tensor.numpy())


if sys.argv[2].isdigit():
    for layers in sys.argv[2:]:
        make(pathlib.Path(sys.argv[1]) / layers, int(layers))
else:
    kernels = [{row["kernel"] for row in json.loads(pathlib.Path(path).read_text())["profile"]} for path in sys.argv[1:]]
    print(len(kernels[0]), "kernels,", "the same at each depth" if all(each == kernels[0] for each in kernels) else f"others: {kernels}")
