"""Modules of torch.nn through torch.compile(fullgraph=True), beside eager mode."""
import math
import unittest
import warnings

import torch

import tcc.dynamo


def compiled(f, dynamic=None, **options):
    torch._dynamo.reset()
    return torch.compile(f, backend=tcc.dynamo.backend, fullgraph=True, dynamic=dynamic, options=options)


class Modules(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        warnings.simplefilter("ignore")  # eager mode's, that it converts the masks

    def test_encoder_masks(self):
        """Without gradients an encoder's layer is one operator, whose masks are numbers: 0 and -inf, or anything."""
        layer = torch.nn.TransformerEncoderLayer(16, 4, 32, batch_first=True).eval()
        x, padding = torch.randn(2, 5, 16), torch.tensor([[0, 0, 0, 0, 0], [0, 0, 0, 1, 1]]).bool()
        numbers = torch.zeros(2, 5).masked_fill(padding, -torch.inf)
        causal = torch.nn.Transformer.generate_square_subsequent_mask(5)
        with torch.no_grad():
            for how in ({"padding": padding}, {"padding": numbers}, {"padding": numbers, "mask": causal}):
                def run(x, mask=None, padding=None):
                    return layer(x, mask, src_key_padding_mask=padding)
                torch.testing.assert_close(compiled(run)(x, **how), run(x, **how))

    def test_checks_of_all_elements(self):
        """As transformers writes checks of its inputs when it is traced."""
        def run(x):
            torch._check_tensor_all(x > 0)
            torch._check_tensor_all((x < 9).any())
            return x.log()
        fast, x = compiled(run), torch.tensor([1.0, 20.0])
        torch.testing.assert_close(fast(x), run(x))
        for wrong in ([1.0, -2.0], [10.0, 11.0]):
            with self.assertRaisesRegex(RuntimeError, "Runtime assertion failed"):
                fast(torch.tensor(wrong))

    def test_convolutions_of_any_size(self):
        """How far the last window is from an image's end depends on its size: gradients have it all the same."""
        for stride, padding, dilation, kernel in ((2, 1, 1, 3), (3, 0, 1, 2), (2, 3, 1, 7), (1, 1, 2, 3), (4, 0, 1, 4), (2, 0, 1, 1)):
            def run(x, w, how=(stride, padding, dilation)):
                return torch.nn.functional.conv2d(x, w, None, *how)
            fast = compiled(run)
            for sizes in ((16, 15), (17, 16), (18, 19), (15, 14)):
                x, w = (torch.randn(n, 3, *s, dtype=torch.float64, requires_grad=True) for n, s in ((2, sizes), (4, (kernel, kernel))))
                torch._dynamo.mark_dynamic(x, 2)
                torch._dynamo.mark_dynamic(x, 3)
                torch.testing.assert_close(*(torch.autograd.grad(f(x, w).sin().sum(), (x, w)) for f in (fast, run)))

    def test_gradients_of_parts(self):
        """A part of an axis may reach beyond it, as a window of a cache does that is longer than what is in it."""
        parts = (lambda x: x[:, -9:], lambda x: x[:, :9], lambda x: x[:, -9:-3], lambda x: x[:, -9:12:2], lambda x: torch.slice_scatter(x, x[:, -9:].cos(), 1, -9))
        for part in parts:
            def run(x, part=part):
                return part(x).sin()
            fast = compiled(run, dynamic=True)
            for size in (7, 6, 12, 15, 5, 9):
                x = torch.randn(2, size, dtype=torch.float64, requires_grad=True)
                torch.testing.assert_close(*(torch.autograd.grad(f(x).square().sum(), x) for f in (fast, run)))

    def test_numbers_of_sizes(self):
        """What Python computes of sizes that are symbols: roots, powers, halves, rounded any way, and what torch does, as in the gradient of a variance."""
        programs = (lambda x: x.std() + x.var(0).sum(), lambda x: torch.var_mean(x, 1)[0], lambda x: x * x.size(1) ** -0.5, lambda x: x * x.size(1) ** 2,
                    lambda x: x[:, :int(x.size(1) * 0.375)] * 2, lambda x: x[:, :math.ceil(x.size(1) / 4)] * 2, lambda x: x[:, :math.floor(x.size(1) / 3)] * 2,
                    lambda x: x[:, :round(x.size(1) / 4)] * 2, lambda x: x[:, :round(x.size(1) / 3)] * 2, lambda x: x[:, :x.size(1) >> 2] * (x.size(0) << 2),
                    lambda x: torch.nn.functional.interpolate(x[None], scale_factor=1.5))
        for program in programs:
            fast = compiled(program, dynamic=True)
            for size in (10, 14, 18, 12, 13):
                x = torch.randn(3, size, dtype=torch.float64, requires_grad=True)
                torch.testing.assert_close(*([y, *torch.autograd.grad(y.square().sum(), x)] for y in (fast(x), program(x))))

    def test_factors_that_the_run_knows(self):
        """What is added 0 times is not read."""
        def run(x, a, b, **factors):
            return torch.addbmm(x, a, b, **factors)
        fast, a, b = compiled(run, dynamic=True), *(torch.randn(size, requires_grad=True) for size in ((3, 5, 4), (3, 4, 6)))
        for beta in (0, 3):
            x = torch.full((5, 6), torch.randn(()).item() if beta else torch.nan, requires_grad=True)
            torch.testing.assert_close(fast(x, a, b, beta=beta, alpha=1), run(x, a, b, beta=beta, alpha=1))

    def test_gradients_of_pads(self):
        """A signal may be long: no matrix of its places is made."""
        for mode in ("reflect", "replicate"):
            for pads, sizes in (((3, 2), (2, 3, 9)), ((2, -1), (2, 3, 9)), ((1, 2, 3, 0), (2, 3, 6, 7)), ((1, 1, 2, 2, 1, 0), (1, 2, 4, 5, 6)), ((500, 500), (1, 1, 100000))):
                def run(x, pads=pads, mode=mode):
                    return torch.nn.functional.pad(x, pads, mode=mode)
                x = torch.randn(sizes, dtype=torch.float64, requires_grad=True)
                weight = torch.randn(run(x).shape, dtype=torch.float64)
                torch.testing.assert_close(*(torch.autograd.grad((f(x) * weight).sum(), x) for f in (compiled(run), run)))

    def test_triangular_systems(self):
        """As in the chunks of a gated delta rule: right and gradients, of other batches too."""
        def run(a, b, upper=False, left=True, unit=True):
            return torch.linalg.solve_triangular(a, b, upper=upper, left=left, unitriangular=unit).tanh()

        def gradients(f, a, b, **how):
            a, b = a.clone().requires_grad_(), b.clone().requires_grad_()
            y = f(a, b, **how)
            return [y, *torch.autograd.grad(y.square().sum(), (a, b))]

        for how in ({}, {"upper": True}, {"left": False, "unit": False}):
            fast = compiled(run, dynamic=True)
            for batch in (4, 3, 0):
                a = torch.randn(batch, 2, 9, 9) / 5 + torch.eye(9)
                b = torch.randn((batch, 2, 9, 5) if how.get("left", True) else (batch, 2, 5, 9))
                torch.testing.assert_close(gradients(fast, a, b, **how), gradients(run, a, b, **how))
        one, many = torch.randn(9, 9) / 5 + torch.eye(9), torch.randn(3, 9, 2)  # one matrix for many right sides
        torch.testing.assert_close(gradients(compiled(run), one, many), gradients(run, one, many))


if __name__ == "__main__":
    unittest.main()
