"""make.py FOLDER: exports small modules with the torch that runs it, for the tests of the reader. Needs torch 2.9 or newer."""
import pathlib
import sys
import zipfile

import torch
from torch import nn
from torch.export import Dim, export, save

folder = pathlib.Path(sys.argv[1])


class Ties(nn.Module):
    """Tied weights, a transposed one, a slice of a storage, several types, buffers that are saved and not, a constant."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(8, 4)
        self.head = nn.Linear(4, 8, bias=False)
        self.head.weight = self.embed.weight
        base = torch.arange(24, dtype=torch.float32)
        self.turned = nn.Parameter(base.view(4, 6).t())
        self.part = nn.Parameter(torch.arange(10, dtype=torch.bfloat16)[3:7])
        self.register_buffer("saved", torch.arange(4, dtype=torch.int64))
        self.register_buffer("unsaved", torch.ones(4, dtype=torch.bool), persistent=False)
        self.register_buffer("empty", torch.zeros(0, 3))

    def forward(self, ids):
        x = self.embed(ids) * torch.tensor([1.0, 2.0, 3.0, 4.0])
        x = torch.where(self.unsaved, x, self.part.float()) + self.saved
        return self.head(x), x @ self.turned.t(), self.empty.sum() + float("-inf")


class Sizes(nn.Module):
    """Dynamic sizes in nested arguments, a keyword argument, an integer argument, guards."""

    def forward(self, x, past, *, scale: int = 3):
        y = torch.cat([past["k"][0], past["k"][1]], 1)
        y = nn.functional.avg_pool1d(y[:, None], 3, stride=2, padding=1)[:, 0]
        h = x.reshape(x.shape[0] // 2, 2, -1)
        return h * scale, y.reshape(-1), x.shape[0] * x.shape[1], None


class Branches(nn.Module):
    """Graphs in a graph: cond and while_loop."""

    def forward(self, x, n):
        y = torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,))
        from torch._higher_order_ops.while_loop import while_loop

        return while_loop(lambda i, x: i > 0, lambda i, x: (i - 1, x * 2), (n, y))


class State(nn.Module):
    """A buffer that is written, an input that is written; what run_decompositions makes functional."""

    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(4, 2))

    def forward(self, x, at):
        self.cache.index_copy_(0, at, x)
        x.add_(1)
        return torch.linalg.ldl_solve(*torch.linalg.ldl_factor(x), self.cache.t())


def put(name, program, deflated=False):
    path = folder / f"{name}.pt2"
    save(program, path)
    with zipfile.ZipFile(path) as old:
        members = [(i.filename, old.read(i)) for i in old.infolist()]
    if deflated:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
            for member, data in members:
                new.writestr(zipfile.ZipInfo(member), data, zipfile.ZIP_DEFLATED)
    print(name, path.stat().st_size)


torch.manual_seed(1)
put("ties", export(Ties().eval(), (torch.tensor([1, 2, 3]),)))
x, k = torch.randn(4, 6), (torch.randn(2, 5), torch.randn(2, 7))
dynamic = {"x": {0: 2 * Dim("half", min=2, max=32), 1: Dim.AUTO}, "past": {"k": ({1: Dim.AUTO}, {1: Dim.AUTO})}, "scale": None}
put("sizes", export(Sizes(), (x, {"k": k}), {"scale": 3}, dynamic_shapes=dynamic), deflated=True)
put("branches", export(Branches(), (torch.randn(3), torch.tensor(4))), deflated=True)
put("state", export(State(), (torch.randn(2, 2), torch.tensor([0, 3]))).run_decompositions(), deflated=True)
