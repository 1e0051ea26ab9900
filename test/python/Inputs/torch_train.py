"""A student that learns from a frozen teacher, with the loss in one graph: 20 steps of Adam under bf16 autocast stay on eager mode's curve.

With dropout the same seed gives the same curve."""
import copy
import unittest

import torch
import torch.nn.functional as F

import tcc.report
from tcc import dynamo

STEPS = 20


class Classifier(torch.nn.Module):
    def __init__(self, width, layers, dropout=0.0):
        super().__init__()
        self.embed = torch.nn.Embedding(50, width)
        layer = torch.nn.TransformerEncoderLayer(width, 4, 2 * width, dropout, batch_first=True, norm_first=True)
        self.layers = torch.nn.ModuleList(copy.deepcopy(layer) for _ in range(layers))
        self.head = torch.nn.Linear(width, 10)

    def forward(self, ids):
        x = self.embed(ids)
        for layer in self.layers:
            x = layer(x)
        return self.head(x.mean(1))


class Distillation(torch.nn.Module):
    """The student's loss: what it says of the classes, and how far it is from the teacher."""

    def __init__(self, dropout=0.0):
        super().__init__()
        torch.manual_seed(0)
        self.teacher, self.student = Classifier(64, 2).eval().requires_grad_(False), Classifier(32, 2, dropout)

    def forward(self, ids, classes):
        with torch.no_grad():
            wanted = F.log_softmax(self.teacher(ids).to(self.student.head.weight.dtype) / 2, -1)
        logits = self.student(ids).to(wanted.dtype)
        return F.cross_entropy(logits, classes) + 4 * F.kl_div(F.log_softmax(logits / 2, -1), wanted, log_target=True, reduction="batchmean")


def losses(net, forward, autocast):
    torch.manual_seed(1)
    optimizer, seen = torch.optim.Adam(net.student.parameters(), lr=3e-3), []
    data = [(torch.randint(0, 50, (8, 12)), torch.randint(0, 10, (8,))) for _ in range(2)]
    torch.manual_seed(2)
    for step in range(STEPS):
        with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
            loss = forward(*data[step % 2])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        seen.append(loss.item())
    return torch.tensor(seen, dtype=torch.float64)


def compiled(net):
    torch._dynamo.reset()
    return torch.compile(net, backend=dynamo.backend, fullgraph=True)


def rms(x):
    return x.square().mean().sqrt()


class Train(unittest.TestCase):
    def test_autocast(self):
        exact = losses(*[Distillation().double()] * 2, False)
        eager = losses(*[Distillation()] * 2, True)
        net, recorder = Distillation(), tcc.report.Recorder()
        ours = losses(net, compiled(net), True)
        found = recorder.stop()
        self.assertEqual([graph["kind"] for graph in found.graphs], ["forward", "backward"])
        self.assertLess(ours[-1], 0.9 * ours[1])
        self.assertLessEqual(rms(ours - exact), 2 * rms(eager - exact) + 1e-6 * rms(exact), (ours, eager, exact))

    def test_f32(self):
        exact = losses(*[Distillation().double()] * 2, False)
        eager = losses(*[Distillation()] * 2, False)
        net = Distillation()
        ours = losses(net, compiled(net), False)
        self.assertLessEqual(rms(ours - exact), 2 * rms(eager - exact) + 1e-6 * rms(exact), (ours, eager, exact))

    def test_dropout(self):
        curves = []
        for _ in range(2):
            net = Distillation(0.2)
            curves.append(losses(net, compiled(net), True))
        self.assertTrue(torch.equal(*curves))
        self.assertGreater(rms(curves[0] - losses(*[Distillation()] * 2, True)), 1e-3)  # something was dropped


if __name__ == "__main__":
    unittest.main()
