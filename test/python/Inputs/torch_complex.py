"""Complex numbers in compiled graphs, and as what they take and give: rotary embeddings, Fourier transforms, gradients."""
import unittest
import warnings

import torch

import tcc
import tcc.dynamo

warnings.filterwarnings("ignore", "Casting complex values")


def compiled(f):
    torch._dynamo.reset()
    return torch.compile(f, backend=tcc.dynamo.backend, fullgraph=True)


def rotary(x, angles):
    turns = torch.polar(torch.ones_like(angles), angles)
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * turns[None, :, None]).flatten(3)


def layers(x, angles):
    """A region that is handed complex numbers."""
    turns = torch.polar(torch.ones_like(angles), angles)[None, :, None]
    for _ in range(4):
        pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
        x = torch.view_as_real(pairs * turns).flatten(3)
        for _ in range(4):
            x = torch.tanh(x) + torch.sigmoid(x) * 0.5
    return x


def mixed(x):
    return torch.fft.fftn(x, dim=(1, 2)).real


def halves(x):
    y = torch.fft.rfft(x)
    return torch.fft.irfft(y * 2, n=x.shape[-1]), y.abs(), y.angle().cos(), torch.view_as_real(y)


def arithmetic(x):
    z = torch.complex(x, x.flip(0))
    w = torch.fft.ifft2(z, norm="ortho")
    u = z / (w * 0.1 + 2) + w.conj() * 3 - 1j * z.t().contiguous().t()
    return u.real, u.imag, torch.cat([u, z])[1:].sum(0).abs(), (1j * x).imag


def takes(z, x):
    return z * x + z.conj(), (z * z).abs(), torch.where(x > 0, z, z.conj() * 2)


class Complex(unittest.TestCase):
    def near(self, got, want):
        self.assertEqual([(t.shape, t.dtype) for t in got], [(t.shape, t.dtype) for t in want])
        for a, b in zip(got, want):
            torch.testing.assert_close(a, b, rtol=1e-5, atol=3e-6 * b.abs().max().item() + 1e-6)

    def compare(self, f, *args):
        def run(f):
            given = [a.detach().clone().requires_grad_() for a in args]
            made = f(*given)
            made = made if isinstance(made, tuple) else (made,)
            pairs = [torch.view_as_real(t.resolve_conj()) if t.is_complex() else t for t in made]
            return made, torch.autograd.grad(sum((t * torch.arange(t.numel()).cos().view(t.shape)).square().sum() for t in pairs), given, allow_unused=True)
        (got, gradients), (want, right) = run(compiled(f)), run(f)
        self.near(got, want)
        self.near([g for g in gradients if g is not None], [g for g in right if g is not None])
        with torch.no_grad():
            made = compiled(f)(*args)
            self.near(made if isinstance(made, tuple) else (made,), want)

    def setUp(self):
        torch.manual_seed(0)

    def test_rotary(self):
        self.compare(rotary, torch.randn(2, 5, 4, 8), torch.randn(5, 4))

    def test_regions(self):
        self.compare(layers, torch.randn(2, 5, 4, 8), torch.randn(5, 4))

    def test_transforms(self):
        for sizes in ((2, 16, 24), (2, 128, 96)):  # one matrix, and two with turns between them
            self.compare(mixed, torch.randn(sizes))
        for size in (40, 33, 1, 67):
            self.compare(halves, torch.randn(3, size))

    def test_arithmetic(self):
        self.compare(arithmetic, torch.randn(8, 64))
        self.compare(arithmetic, torch.randn(8, 64, dtype=torch.float64))

    def test_taken_and_given(self):
        z = torch.randn(4, 5, dtype=torch.complex64)
        for each in (z, z.conj(), z.t().contiguous().t()):
            self.compare(takes, each, torch.randn(5))

    def test_sizes(self):
        z = torch.tensor([3e30 + 4e30j, 0, complex(float("inf"), 1), 3e-30 - 4e-30j])
        torch.testing.assert_close(compiled(torch.abs)(z), z.abs())

    def test_refused(self):
        """What is not linear and has no formula, and what writes to the numbers behind complex ones."""
        z = torch.randn(3, dtype=torch.complex64)
        for f, words in ((lambda z: z.exp(), "aten.exp.default': of complex numbers"), (lambda z: torch.linalg.vector_norm(z), "of complex numbers")):
            with self.assertRaisesRegex(torch._dynamo.exc.BackendCompilerFailed, words):
                compiled(f)(z)


if __name__ == "__main__":
    unittest.main()
