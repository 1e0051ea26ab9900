"""Operators that take graphs, through torch.compile(fullgraph=True), beside eager mode."""
import unittest

import torch
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.map import map as each_row
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

import tcc.dynamo


def compiled(f, **how):
    torch._dynamo.reset()
    return torch.compile(f, backend=tcc.dynamo.backend, fullgraph=True, **how)


class HigherOrder(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)

    def attend(self, f, *shape, heads=None, dtype=torch.float32):
        batch, queries, rows, depth = shape
        q = torch.randn(shape, dtype=dtype)
        k, v = (torch.randn(batch, heads or queries, rows, depth, dtype=dtype) for _ in range(2))
        want, got = f(q, k, v), compiled(f)(q, k, v)
        self.assertEqual(got.stride(), want.stride())
        torch.testing.assert_close(got, want)

    def test_flex_scores(self):
        bias = torch.randn(9)
        self.attend(lambda q, k, v: flex_attention(q, k, v), 2, 4, 9, 8)
        self.attend(lambda q, k, v: flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: torch.tanh(s) + bias[j] * (i - j) + h), 2, 4, 9, 8)
        self.attend(lambda q, k, v: flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s + (j - i) * torch.exp2(-(h + 1.0)).to(s.dtype)), 2, 4, 9, 8)  # a number for a tensor
        self.attend(lambda q, k, v: flex_attention(q, k, v, scale=0.3, enable_gqa=True), 2, 4, 9, 8, heads=2)
        self.attend(lambda q, k, v: flex_attention(q, k, v), 1, 2, 9, 8, dtype=torch.bfloat16)

    def test_flex_mask_within(self):
        def near(q, k, v):  # the mask's function is traced in the graph, and repeats itself there
            return flex_attention(q, k, v, block_mask=create_block_mask(lambda b, h, i, j: (i >= j) & (i - j < 9), None, None, 32, 32, device="cpu"))
        self.attend(near, 2, 2, 32, 16)

    def test_flex_masks(self):
        length = torch.tensor([3, 7])
        for mask in (lambda b, h, i, j: i >= j, lambda b, h, i, j: (j < length[b]) & (h + i > j - 4), lambda b, h, i, j: i > j):
            blocks = create_block_mask(mask, 2, 4, 9, 9, device="cpu")
            self.attend(lambda q, k, v: flex_attention(q, k, v, block_mask=blocks), 2, 4, 9, 8)  # the last mask leaves row 0 nothing

    def test_flex_layers(self):  # in a graph that is called for each layer
        class Layer(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.into, self.out = torch.nn.Linear(16, 48), torch.nn.Linear(16, 16)

            def forward(self, x, blocks):
                q, k, v = self.into(x).view(2, 9, 3, 2, 8).permute(2, 0, 3, 1, 4).unbind()
                y = flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s - (i - j).abs(), block_mask=blocks)
                return torch.nn.functional.gelu(x + self.out(y.transpose(1, 2).flatten(2)))

        layers, blocks = torch.nn.ModuleList(Layer() for _ in range(4)), create_block_mask(lambda b, h, i, j: i >= j, None, None, 9, 9, device="cpu")

        def net(x):
            for layer in layers:
                x = layer(x, blocks)
            return x
        with torch.no_grad():
            x = torch.randn(2, 9, 16)
            torch.testing.assert_close(compiled(net)(x), net(x))

    def test_associative_scan(self):
        def linear(a, b):  # y[i] = a[i] * y[i - 1] + b[i]
            return associative_scan(lambda p, q: (p[0] * q[0], p[1] * q[0] + q[1]), (a, b), dim=0, combine_mode="generic")[1]
        f = compiled(linear)
        for rows in (7, 1, 2):
            a, b = (torch.rand(rows, 3, requires_grad=True) for _ in range(2))
            y = torch.zeros(3)
            want = torch.stack([y := a[i] * y + b[i] for i in range(rows)])
            got = f(a, b)
            torch.testing.assert_close(got, want)
            if rows > 1:  # of one row the result is b
                torch.testing.assert_close(torch.autograd.grad(got.square().sum(), (a, b)), torch.autograd.grad(want.square().sum(), (a, b)))
        x = torch.randn(3, 6)
        backwards = compiled(lambda x: associative_scan(torch.add, x, dim=1, reverse=True, combine_mode="pointwise"))
        torch.testing.assert_close(backwards(x), x.flip(1).cumsum(1).flip(1))

    def test_map(self):
        w, x = torch.randn(4, requires_grad=True), torch.randn(5, 3, 4, requires_grad=True)
        want = torch.tanh(x * w).sum(1)
        got = compiled(lambda x, w: each_row(lambda row, w: torch.tanh(row * w).sum(0), x, w))(x, w)
        torch.testing.assert_close(got, want)
        torch.testing.assert_close(torch.autograd.grad(got.square().sum(), (x, w)), torch.autograd.grad(want.square().sum(), (x, w)))

    def test_sizes(self):
        """Sizes that are symbols are operands beside tensors."""
        w = torch.randn(6)

        def branch(x):
            return torch.cond(x.sum() > 0, lambda x: (x * w)[:x.shape[0] // 2] * x.shape[0], lambda x: x[:x.shape[0] // 2].cos(), (x,))

        def loop(x):
            return while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x.shape[0] + x[:1]), (torch.tensor(0), x.sin()))[1]

        def rows(x):
            return scan(lambda c, v: (c * 0.5 + v * x.shape[0], (c + v).sin()), torch.zeros(6), x)[1]
        for f in (branch, loop, rows):
            call = compiled(f, dynamic=True)
            for size in (4, 7):
                for x in (torch.rand(size, 6), -torch.rand(size, 6)):
                    torch.testing.assert_close(call(x), f(x))
        call = compiled(branch, dynamic=True)
        for size in (4, 7):
            grads = []
            for f in (call, branch):
                x = torch.ones(size, 6, requires_grad=True)
                f(x).square().sum().backward()
                grads.append(x.grad)
            torch.testing.assert_close(*grads)


if __name__ == "__main__":
    unittest.main()
