"""Nested tensors of layout jagged: their rows are one tensor in a graph, and their ragged size a name that no operator reads."""
import unittest

import torch
from torch import nn

import tcc
import tcc.dynamo


def nested(*lengths, width=8, grad=False):
    return torch.nested.nested_tensor([torch.randn(n, width) for n in lengths], layout=torch.jagged, requires_grad=grad)


def rows(x):
    return x.values() if x.is_nested else x


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))


class Nested(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        torch.manual_seed(0)

    def same(self, function, *gradients_of, gradients=True):
        compiled = torch.compile(function, backend=tcc.dynamo.backend, fullgraph=True)
        for lengths in ((3, 5), (4, 1, 6), (2, 2), (7,)):
            x = nested(*lengths, grad=gradients)
            want, got = function(x), compiled(x)
            self.assertEqual(want.is_nested, got.is_nested)
            torch.testing.assert_close(rows(got), rows(want))
            if gradients:
                leaves = (x, *gradients_of)
                for mine, theirs in zip(*(torch.autograd.grad(rows(y).square().sum(), leaves) for y in (got, want))):
                    torch.testing.assert_close(rows(mine), rows(theirs))

    def test_rows(self):
        linear = nn.Linear(8, 4)
        self.same(lambda x: torch.softmax(linear(x), -1) * 2, linear.weight, linear.bias)

    def test_layers(self):
        layers = nn.Sequential(*(Layer(8) for _ in range(4)))
        self.same(layers, *layers.parameters())

    def test_padded(self):
        self.same(lambda x: torch.nested.to_padded_tensor(x, 0.5))
        self.same(lambda x: x.amax(1))

    def test_reduced(self):
        """torch has no derivatives of these."""
        self.same(lambda x: x.sum(1), gradients=False)
        self.same(lambda x: x.mean(1), gradients=False)


if __name__ == "__main__":
    unittest.main()
