"""make_lstm.py FOLDER: model.pt2, two layers of an LSTM, one of them in both directions, with a loss; and data for a step."""
import pathlib
import sys

import numpy as np
import torch

out = pathlib.Path(sys.argv[1])
(out / "test_data_set_0").mkdir(parents=True, exist_ok=True)


class Loss(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.LSTM(24, 40, batch_first=True, bidirectional=True)
        self.second = torch.nn.GRU(80, 48, batch_first=True)
        self.out = torch.nn.Linear(48, 12)

    def forward(self, x, y):
        h, _ = self.first(x)
        h, _ = self.second(h)
        return torch.nn.functional.cross_entropy(self.out(h).flatten(0, 1), y.flatten())


torch.manual_seed(0)
inputs = torch.randn(5, 17, 24), torch.randint(12, (5, 17))
torch.export.save(torch.export.export(Loss(), inputs), str(out / "model.pt2"))
for i, tensor in enumerate(inputs):
    np.save(out / "test_data_set_0" / f"input_{i}.npy", tensor.numpy())
