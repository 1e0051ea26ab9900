"""Factorisations of torch.linalg and what follows from them: values and gradients beside eager mode's, errors of matrices that are singular."""
import unittest

import torch

from tcc import dynamo

L = torch.linalg


def compiled(f, **how):
    torch._dynamo.reset()
    return torch.compile(f, backend=dynamo.backend, fullgraph=True, **how)


def results(f, *given):
    """Results and, of a weighted sum of those that have one, the gradients."""
    given = [x.clone(memory_format=torch.preserve_format).requires_grad_() for x in given]
    made = f(*given)
    made = [made] if isinstance(made, torch.Tensor) else list(made)
    sums = [(x * torch.linspace(0.3, 1, x.numel(), dtype=x.dtype).reshape(x.shape)).sum() for x in made if x.requires_grad]
    return [*made, *torch.autograd.grad(sum(sums), given)] if sums else made


class Linalg(unittest.TestCase):
    def same(self, f, *given, fast=None, **how):
        """Within assert_close's tolerance of eager mode, or nearer to f64 than eager mode is."""
        fast = fast or compiled(f, **how)
        for x, y, exact in zip(results(fast, *given), results(f, *given), results(f, *(g.double() for g in given))):
            self.assertEqual((x.dtype, x.shape), (y.dtype, y.shape))
            if not torch.allclose(x, y, rtol=1.3e-6, atol=1e-5, equal_nan=True):
                self.assertLessEqual((x.double() - exact).abs().max(), (y.double() - exact).abs().max())
        return fast

    def setUp(self):
        torch.manual_seed(0)
        self.a, self.b = torch.randn(3, 5, 5) + 4 * torch.eye(5), torch.randn(3, 5, 2)

    def test_lu(self):
        a, b = self.a, self.b
        for f in (L.inv, L.det, L.slogdet, L.lu, lambda x: torch.logdet(x @ x.mT), lambda x: L.det(x.mT) + L.det(x.mT.contiguous())):
            self.same(f, a)
            self.same(f, a.mT)
        self.same(L.lu, b)
        self.same(L.lu, b.mT.contiguous())
        self.same(L.solve, a, b)
        self.same(L.solve, a.mT, b)
        self.same(lambda x, y: L.solve(x, y.mT, left=False), a, b)
        self.same(L.solve, a[0], b[0, :, 0])
        self.same(lambda x, y: L.lu_solve(*L.lu_factor(x), y), a, b)
        self.same(L.inv, a.double())

    def test_cholesky(self):
        for upper in (False, True):
            self.same(lambda x: L.cholesky(x @ x.mT, upper=upper), self.a)
            self.same(lambda x, y: torch.cholesky_solve(y, L.cholesky(x @ x.mT, upper=upper), upper=upper), self.a, self.b)
            self.same(lambda x: torch.cholesky_inverse(L.cholesky(x @ x.mT, upper=upper), upper=upper), self.a)

    def test_vectors(self):
        a, b = self.a, self.b
        for f in (L.qr, lambda x: L.qr(x, mode="complete"), L.eigvalsh, L.svdvals, L.matrix_exp, L.cond, lambda x: L.matrix_norm(x, "nuc"),
                  lambda x: L.matrix_norm(x, -2, dim=(0, 2)), lambda x: (lambda l, v: (l, v.square()))(*L.eigh(x + x.mT))):
            self.same(f, a)
        for x in (b, b.mT.contiguous()):
            self.same(L.pinv, x)
            self.same(lambda x: (lambda u, s, v: (u @ torch.diag_embed(s * s) @ v, s))(*L.svd(x, full_matrices=False)), x)
        self.same(L.qr, b)
        self.assertEqual(compiled(L.matrix_rank)(torch.ones(4, 3)), 1)
        u, s, vh = compiled(L.svd)(b)
        torch.testing.assert_close(u @ u.mT, torch.eye(5).expand(3, 5, 5))
        torch.testing.assert_close(u[..., :2] @ torch.diag_embed(s) @ vh, b)

    def test_sizes(self):
        for f, given in ((L.inv, (self.a,)), (L.det, (self.a,)), (L.solve, (self.a, self.b)), (lambda x: L.cholesky(x @ x.mT), (self.a,))):
            fast = self.same(f, *given, dynamic=True)
            for batch, n in ((2, 7), (4, 3)):
                sizes = torch.randn(batch, n, n) + 4 * torch.eye(n), torch.randn(batch, n, 3)
                self.same(f, *sizes[:len(given)], fast=fast)
        for sizes in ((2, 0, 0), (0, 3, 3)):
            self.same(L.inv, torch.zeros(sizes))
            self.same(L.det, torch.zeros(sizes))

    def test_singular(self):
        """An error of torch.linalg, as in eager mode; with gradients, too, and where one matrix of a batch is singular."""
        bad = torch.eye(3).repeat(2, 1, 1)
        bad[1, 2, 2] = 0
        for f, x in ((L.inv, torch.ones(3, 3)), (L.inv, bad), (lambda x: L.solve(x, torch.ones(3)), torch.ones(3, 3)), (L.cholesky, -torch.eye(3))):
            fast = compiled(f)
            for wanted in (False, True):
                for each in (f, fast):
                    with self.assertRaisesRegex(L.LinAlgError, r"^(torch\.)?linalg\.\w+: "):
                        each(x.clone().requires_grad_(wanted))
            good = 2 * torch.eye(3)
            torch.testing.assert_close(fast(good), f(good))
        self.assertEqual(compiled(lambda x: L.inv_ex(x)[1])(bad).tolist(), [0, 3])
        self.assertEqual(compiled(L.det)(bad).tolist(), [1, 0])

    def test_gaussian_process(self):
        """The log-likelihood of a Gaussian process and its gradients by lengths, scale and noise."""
        x, y = torch.randn(40, 2), torch.randn(40)

        def likelihood(lengths, scale, noise):
            z = x / lengths.exp()
            k = scale.exp() * torch.exp(-0.5 * (z[:, None] - z[None]).square().sum(-1)) + noise.exp() * torch.eye(40)
            factor = L.cholesky(k)
            alpha = torch.cholesky_solve(y[:, None], factor)[:, 0]
            return -0.5 * y @ alpha - factor.diagonal().log().sum() - 20 * torch.log(torch.tensor(2 * torch.pi))
        given = torch.tensor([0.1, -0.2], dtype=torch.float64), torch.tensor(0.3, dtype=torch.float64), torch.tensor(-1.0, dtype=torch.float64)
        x, y = x.double(), y.double()
        torch.testing.assert_close(results(compiled(likelihood), *given), results(likelihood, *given))

    def test_regions(self):
        """Layers that repeat, each with a solution (Cayley's transform, as in fine-tuning): their checks' tokens stay outside of regions."""
        class Turned(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.turn, self.line, self.back = torch.nn.Parameter(torch.randn(8, 8) / 8), torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)

            def forward(self, x):
                one = torch.eye(8)
                return x + self.back(torch.relu(self.line(x @ L.solve(one + self.turn, one - self.turn))))
        layers = torch.nn.Sequential(*(Turned() for _ in range(4)))
        fast, x = compiled(layers), torch.randn(3, 8)
        with torch.no_grad():
            torch.testing.assert_close(fast(x), layers(x))
        fast = compiled(layers)
        for mine, theirs in zip(*(torch.autograd.grad(f(x).square().sum(), layers.parameters()) for f in (fast, layers))):
            torch.testing.assert_close(mine, theirs)
        layers[2].turn.data = -torch.eye(8)
        for f in (layers, fast):
            with self.assertRaises(L.LinAlgError):
                f(x)


if __name__ == "__main__":
    unittest.main()
