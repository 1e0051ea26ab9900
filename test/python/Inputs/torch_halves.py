"""Sums of a product in f16 and bf16 are rounded once: no result is farther from f64 than half a unit in the last place."""
import unittest

import torch

import tcc
import tcc.dynamo


class Halves(unittest.TestCase):
    def test_products(self):
        torch.manual_seed(0)
        for dtype in (torch.float16, torch.bfloat16):
            x, a, b = (torch.randn(*shape).mul(5).to(dtype) for shape in ((5, 4, 6), (5, 4, 24), (5, 24, 6)))
            for f in (torch.baddbmm, lambda x, a, b: torch.baddbmm(x, a, b, alpha=0.75, beta=3), lambda x, a, b: torch.addmm(x[0], a[0], b[0], beta=0.3)):
                with self.subTest(dtype=dtype):
                    got = torch.compile(f, fullgraph=True, backend=tcc.dynamo.backend)(x, a, b)
                    exact = f(x.double(), a.double(), b.double())
                    half = torch.finfo(dtype).eps / 2 * 1.01
                    self.assertEqual(got.dtype, dtype)
                    self.assertTrue(((got.double() - exact).abs() <= half * exact.abs() + 1e-4).all())
                    torch._dynamo.reset()

    def test_biases(self):
        """Large ones, which nearly cancel some sums."""
        torch.manual_seed(0)
        linear = torch.nn.functional.linear
        for dtype in (torch.float16, torch.bfloat16):
            x, w, bias = torch.randn(8, 16).to(dtype), torch.randn(12, 16).to(dtype), torch.randn(12).mul(100).to(dtype)
            bias[:4] = -(x[0] @ w.t())[:4]
            for numerics in ("fast", "eager"):
                for f, args in ((linear, (x, w, bias)), (linear, (x[:1], w, bias)), (torch.addmm, (bias, x, w.t().contiguous()))):
                    with self.subTest(dtype=dtype, numerics=numerics, f=f.__name__, rows=len(args[0])):
                        got = torch.compile(f, fullgraph=True, backend=tcc.dynamo.backend, options={"numerics": numerics})(*args)
                        exact = f(*(t.double() for t in args))
                        half = torch.finfo(dtype).eps / 2 * 1.01
                        self.assertTrue(((got.double() - exact).abs() <= half * exact.abs() + 1e-4).all())
                        torch._dynamo.reset()


if __name__ == "__main__":
    unittest.main()
