"""Complex numbers in compiled graphs, and as what they take and give: rotary embeddings, Fourier transforms, gradients."""
import tempfile
import unittest
import warnings

import torch
import torch.nn.functional as F

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


def functions(z):
    w = z * 0.5
    return (w.exp(), torch.log(z + 3), torch.sqrt(z), torch.rsqrt(z + 4), z.reciprocal(), z ** 2, z ** 0.5, z ** (0.3 + 0.2j), 2 ** w, w.sin(), w.cos(), torch.tan(w),
            w.sinh(), w.cosh(), torch.tanh(z), torch.sigmoid(z), torch.log1p(w), torch.expm1(w), w.log10(), w.exp2(), w ** -1)


def products(a, b, v):
    return a @ b, torch.einsum("bij,bkj->bik", a, b), (a @ v).sum(0), torch.vdot(v, v), torch.outer(v, v), torch.nn.functional.linear(a, b[0]), torch.addmm(a[0], a[1], b[1])


def written(z, w):
    """What is written in place, within and to an argument."""
    y = torch.zeros(4, 5, dtype=z.dtype)
    y[1:3, ::2] = w
    y.mul_(2j).add_(1)
    y[0].fill_(3 - 1j)
    z.mul_(0.5j)
    return y * 1, z + 1


def shapes(z):
    """What is the same for both parts."""
    y = torch.nn.functional.pad(z, (1, 2)).cumsum(-1).tril()
    return (y.flip(0), torch.cat([z, z.conj()]).roll(1, 0), z.masked_fill(z.real > 0, 2 + 1j), torch.linalg.vector_norm(z, dim=-1), z.norm(), (z != 0).sum(), z.isnan().any() * 1,
            torch.ones_like(z) + z, 3 - z, z.mT.mH, z.tile(2), torch.stack([z, z])[1:].mean(0))


class Modes(torch.nn.Module):
    """A layer of a Fourier neural operator: the lowest frequencies, each with a matrix of its own."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(4, 4, 3, 2))

    def forward(self, x):
        modes = torch.fft.rfft(x)
        out = torch.zeros(2, 4, 9, dtype=modes.dtype)
        out[:, :, :3] = torch.einsum("bix,iox->box", modes[:, :, :3], torch.view_as_complex(self.weight))
        return torch.fft.irfft(out, n=16)


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
        for size in (40, 33, 1, 67, 600, 1001):
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

    def test_functions(self):
        self.compare(functions, torch.randn(6, 7, dtype=torch.complex64))
        self.compare(functions, torch.randn(6, 7, dtype=torch.complex128))
        self.compare(lambda z: (z * torch.sigmoid(z), torch.linalg.vector_norm(z, 3)), torch.randn(5, dtype=torch.complex64))

    def test_ends(self):
        """Zeros, large and small sizes, numbers on the axes, and near |z| = 1."""
        far = [3e30 + 4e30j, 3e-30 - 4e-30j, -5 + 0j, 5 + 0j, 2j, -2j, 1 + 1e-4j, 0.6 + 0.8j, -90 + 1j, 60 - 2j]
        z = torch.tensor(far, dtype=torch.complex64)
        for f in (torch.log, torch.sqrt, torch.reciprocal, lambda z: (1 + 2j) / z, torch.abs):
            torch.testing.assert_close(compiled(f)(z), f(z))
        for f in (torch.tanh, torch.sigmoid, torch.exp, torch.sqrt):
            torch.testing.assert_close(compiled(f)(z[2:]), f(z[2:].to(torch.complex128)).to(torch.complex64))
        none = torch.zeros(2, dtype=torch.complex64)
        for f in (torch.exp, torch.sqrt, torch.sin, torch.tanh, lambda z: z ** 2, lambda z: z ** (2 + 1j)):
            torch.testing.assert_close(compiled(f)(none), f(none))

    def test_products(self):
        self.compare(products, *(torch.randn(s, dtype=torch.complex64) for s in ((3, 4, 4), (3, 4, 4), (4,))))

    def test_written(self):
        given = torch.randn(3, dtype=torch.complex64), torch.randn(2, 3, dtype=torch.complex64)
        with torch.no_grad():
            ours, eager = given[0].clone(), given[0].clone()
            self.near(compiled(written)(ours, given[1]), written(eager, given[1]))
            torch.testing.assert_close(ours, eager)

    def test_layer(self):
        net, x = Modes(), torch.randn(2, 4, 16)
        self.near([compiled(net)(x)], [net(x)])
        self.near(*([*torch.autograd.grad(f(x).square().sum(), net.parameters())] for f in (compiled(net), net)))

    def test_shapes(self):
        with torch.no_grad():
            z = torch.randn(4, 4, dtype=torch.complex64)
            self.near(compiled(shapes)(z), shapes(z))

    def test_archive(self):
        """Convolutions, which torch.compile takes apart and an archive names."""
        def run(z, w, b):
            one = F.conv_transpose1d(z[0, :, 0], w[:, :, 0].transpose(0, 1), b, stride=2, padding=1, output_padding=1)
            return F.conv2d(z, w, b, padding="same", dilation=2), F.conv2d(z[0], w[:, :1], stride=2, groups=2), F.conv_transpose2d(z, w[:2], padding=1), one

        class Net(torch.nn.Module):
            def forward(self, *pairs):
                return tuple(torch.view_as_real(y) for y in run(*(torch.view_as_complex(x) for x in pairs)))

        pairs = tuple(torch.randn(*s, 2) for s in ((2, 2, 7, 6), (4, 2, 3, 3), (4,)))
        with tempfile.NamedTemporaryFile(suffix=".pt2") as file:
            torch.export.save(torch.export.export(Net(), pairs), file.name)
            made = tcc.compile(file.name, threads=1, cache=False)(*pairs)
        self.near(made, Net()(*pairs))

    def test_refused(self):
        """What has no formula, and what writes to the numbers behind complex ones."""
        z = torch.randn(3, dtype=torch.complex64)
        for f, words in ((torch.acos, "aten.acos.default': of complex numbers"), (lambda z: z.prod(), "of complex numbers")):
            with self.assertRaisesRegex(torch._dynamo.exc.BackendCompilerFailed, words):
                compiled(f)(z)


if __name__ == "__main__":
    unittest.main()
