"""Operators whose sizes are all symbols (dynamic=True), results and gradients beside eager mode's; a graph is for several sizes."""
import unittest

import torch
import torch.nn.functional as F

import tcc
import tcc.dynamo


def last_of_three(x):
    y = torch.where(torch.arange(x.shape[-1]) % 2 == 0, 1, x)
    part = y.chunk(3, 0)[2]
    part.cumsum_(0)
    return part, y


def behind_the_first(x):
    y = x.view(-1)
    z = y * 1
    z[1:] += 1
    return torch.cat([z.flip(0), y])


class Dynamic(unittest.TestCase):
    def same(self, f, *shapes, grad=True, make=torch.randn):
        torch._dynamo.reset()
        graphs = []

        def backend(graph, inputs):
            graphs.append(graph)
            return tcc.dynamo.backend(graph, inputs)

        fast = torch.compile(f, backend=backend, dynamic=True, fullgraph=True)
        for shape in shapes:
            x = make(*shape)
            results = []
            for g in (fast, f):
                leaf = x.clone().requires_grad_(grad)
                out = g(leaf)
                out = out if isinstance(out, tuple) else (out,)
                if grad:
                    weights = [torch.linspace(-1, 2, o.numel()).reshape(o.shape).to(o.dtype) for o in out]
                    out += torch.autograd.grad(sum((o * w).sum() for o, w in zip(out, weights)), leaf)
                results.append([o.detach() for o in out])
            for a, b in zip(*results, strict=True):
                torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)
        self.assertLess(len(graphs), len(shapes))  # more than one only where torch's own guards ask for it

    def test_equal_by_guards(self):  # the size of a last part, which only a guard of Dynamo says is 1 or that of the others
        self.same(lambda x: x.chunk(3)[0] * x.chunk(3)[-1], (7, 4), (7, 5), (9, 4), (12, 3), (6, 5))
        self.same(lambda x: x.tensor_split(2)[0].unsqueeze(1) + x.tensor_split(2)[1], (3, 4), (3, 5), (8, 4), (9, 4), (10, 6))
        self.same(lambda x: (x.chunk(3)[-1] + x.tensor_split(2, 1)[0].sum()).cumsum(0), (7, 4), (7, 6), (9, 6), (12, 4), (9, 8))

    def test_loop(self):  # whose graphs are given the sizes
        def f(x):
            return torch._higher_order_ops.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t * 0.5 + i), (torch.tensor(0), x + 1))[1]
        self.same(f, (3, 4), (5, 2), (2, 7), grad=False)

    def test_literal(self):  # whose conjugate the gradient reads
        self.same(lambda x: (torch.complex(x, x.cos()) * (1 + 2j)).real, (3, 4), (5, 2), (2, 7))

    def test_attention(self):  # the scale is that of the depth
        for how in ({}, {"is_causal": True}, {"scale": 0.3}):
            self.same(lambda x: F.scaled_dot_product_attention(x, x * 0.5, x + 1, **how), (2, 3, 5, 8), (3, 2, 9, 4), (4, 2, 6, 7))
        self.same(lambda x: F.scaled_dot_product_attention(x, x, x, x[..., :1, :] @ x.mT), (2, 3, 5, 8), (3, 2, 9, 4), (4, 2, 6, 7))

    def test_log_sums(self):
        self.same(lambda x: torch.logcumsumexp(x, 1), (2, 9, 3), (3, 4, 5), (4, 17, 2))
        self.same(lambda x: torch.logcumsumexp(x, 0) * 0, (6,), (2,), make=lambda n: torch.full((n,), -1e4), grad=False)

    def test_groups(self):  # of channels whose number is a symbol
        self.same(lambda x: F.group_norm(x, 2), (2, 8, 5), (3, 4, 7), (2, 2, 3))

    def test_diagonals(self):
        self.same(lambda x: (x > 0).diagonal(0, 0, 1), (5, 3), (2, 4), grad=False)
        self.same(lambda x: x.diagonal(1), (5, 3), (4, 6))

    def test_transforms(self):  # of symbolic lengths, the last of them a prime
        lengths = (2, 40, 6), (3, 21, 5), (2, 67, 3)
        self.same(lambda x: torch.view_as_real(torch.fft.rfft(x, dim=1)), *lengths)
        self.same(lambda x: torch.fft.fft2(x, norm="ortho").abs(), *lengths)
        self.same(lambda x: torch.fft.irfft(torch.fft.rfft(x, dim=1) * 2, n=x.shape[1], dim=1), *lengths)
        self.same(lambda x: torch.fft.rfft(x, n=32, dim=1).abs(), *lengths)
        self.same(lambda x: torch.fft.hfft(torch.complex(x, x * 2), dim=1), *lengths)

    def test_frames(self):  # of signals of symbolic lengths
        def spectrum(x):
            return torch.stft(x, 16, hop_length=5, window=torch.hann_window(16), return_complex=True)
        signals = (2, 100), (3, 57), (2, 131)
        self.same(lambda x: spectrum(x).abs(), *signals)
        self.same(lambda x: torch.istft(spectrum(x), 16, 5, window=torch.hann_window(16), length=50), *signals, grad=False)
        self.same(lambda x: torch.istft(spectrum(x), 16, 5, window=torch.hann_window(16)), *signals, grad=False)

    def test_parts(self):  # the graph says how large a part is; whether an axis is broadcast shows in its size
        numbers = lambda *shape: torch.randint(9, shape)
        self.same(last_of_three, (7, 2, 4), (5, 3, 2), (9, 2, 2), grad=False, make=numbers)
        self.same(behind_the_first, (2, 2), (3, 3), (5, 5))
        self.same(lambda x: x * x[-1:], (8,), (3,))
        self.same(lambda x: torch.slice_scatter(x, x[1:] * 2, 0, 1), (8, 3), (3, 5))


if __name__ == "__main__":
    unittest.main()
