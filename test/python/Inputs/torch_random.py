"""Random numbers in compiled graphs: moments, what torch.manual_seed repeats, and dropout's masks in the backward pass."""
import torch
from torch import nn
from torch.nn import functional as F


def compiled(function):
    return torch.compile(function, backend="tcc", fullgraph=True)


def same(a, b):
    return all(torch.equal(x, y) for x, y in zip(a, b))


@compiled
def draws(x):
    p = torch.full((50000,), 0.3)
    return (torch.rand(100000), torch.randn(100000), torch.rand_like(x), torch.bernoulli(p), torch.randint(-3, 5, (40000,)), torch.randperm(1000),
            torch.empty(50000).exponential_(2.0), torch.empty(50000).uniform_(-2, 6), torch.normal(torch.full((50000,), 3.0), 2.0),
            torch.multinomial(torch.tensor([[1.0, 0.0, 3.0]]), 40000, True), torch.multinomial(torch.tensor([0.1, 0.2, 0.7]), 3),
            F.dropout(torch.ones(50000), 0.25), torch.randn(20000, dtype=torch.float64), torch.rand(5000, dtype=torch.bfloat16))


def near(got, want, sigma, count):
    error = sigma / count**0.5
    assert abs(got - want) < 6 * error, (got, want, error)


def moments():
    rand, randn, like, flags, integers, order, exponential, uniform, normal, classes, distinct, dropped, wide, narrow = draws(torch.zeros(7, 9, dtype=torch.float64))
    near(rand.mean().item(), 0.5, 12**-0.5, rand.numel())
    near(rand.var().item(), 1 / 12, 180**-0.5, rand.numel())
    assert rand.min() >= 0 and rand.max() < 1
    for x in (randn, wide):
        near(x.mean().item(), 0, 1, x.numel())
        near(x.var().item(), 1, 2**0.5, x.numel())
        near((x**3).mean().item(), 0, 15**0.5, x.numel())
        near((x**4).mean().item(), 3, 96**0.5, x.numel())
    assert like.dtype == torch.float64 and like.shape == (7, 9)
    near(flags.mean().item(), 0.3, 0.21**0.5, flags.numel())
    assert set(integers.tolist()) == set(range(-3, 5))
    near(integers.double().mean().item(), 0.5, 21**0.5 / 2, integers.numel())
    assert sorted(order.tolist()) == list(range(1000)) and order.tolist() != list(range(1000))
    near(exponential.mean().item(), 0.5, 0.5, exponential.numel())
    near(uniform.mean().item(), 2, 8 * 12**-0.5, uniform.numel())
    near(normal.mean().item(), 3, 2, normal.numel())
    assert not (classes == 1).any()
    near((classes == 2).double().mean().item(), 0.75, 0.1875**0.5, classes.numel())
    assert sorted(distinct.tolist()) == [0, 1, 2]
    near((dropped == 0).double().mean().item(), 0.25, 0.1875**0.5, dropped.numel())
    assert set(dropped.tolist()) == {0.0, torch.tensor(1 / 0.75).item()}
    near(narrow.double().mean().item(), 0.5, 12**-0.5, narrow.numel())
    assert narrow.max() < 1
    streams = torch.stack([rand[:5000] - 0.5, randn[:5000], uniform[:5000], normal[:5000], wide[:5000].float()])
    assert (torch.corrcoef(streams) - torch.eye(5)).abs().max() < 6 / 5000**0.5  # draws of one graph are independent


@compiled
def draws_of(x, generator=None):
    return (torch.rand(50000, generator=generator), torch.randn(50000, generator=generator), torch.randint(5, (50000,), generator=generator),
            torch.randint(-3, 5, (50000,), generator=generator), torch.randperm(1000, generator=generator), torch.rand_like(x, generator=generator),
            torch.randn_like(x, generator=generator), torch.randint_like(x, 5, generator=generator), torch.randint_like(x, -3, 5, generator=generator))


def generators():
    """Overloads that take a generator, which is none."""
    rand, randn, integers, between, order, like, normal, whole, part = draws_of(torch.zeros(50000))
    for x in (rand, like):
        near(x.mean().item(), 0.5, 12**-0.5, x.numel())
    for x in (randn, normal):
        near(x.mean().item(), 0, 1, x.numel())
    for x in (integers, whole):
        assert set(x.tolist()) == set(range(5))
    for x in (between, part):
        assert set(x.tolist()) == set(range(-3, 5))
    assert sorted(order.tolist()) == list(range(1000))


def slopes():
    """rrelu in training: a slope for each x <= 0, which its gradient has, too; the mean of them without training."""
    for dtype, bits in ((torch.float32, 23), (torch.float64, 52), (torch.bfloat16, 7), (torch.float16, 10)):
        x = torch.linspace(-8, 8, 40001).to(dtype).requires_grad_()
        drawing = compiled(lambda x: F.rrelu(x, 0.2, 0.6, training=True))
        y = drawing(x)
        y.sum().backward()
        low, found, rounding = x.detach() < 0, (y / x).detach(), 2.0**-bits
        assert torch.equal(y[x > 0], x[x > 0]) and (y[x == 0] == 0).all() and (x.grad[x > 0] == 1).all()
        assert (found[low].double() - x.grad[low].double()).abs().max() <= rounding
        assert x.grad[low].min() >= 0.2 - rounding and x.grad[low].max() <= 0.6 + rounding
        near(x.grad[low].double().mean().item(), 0.4, 0.4 * 12**-0.5, low.sum().item())
        assert ((x.grad[x.detach() == 0] >= 0.2 - rounding) & (x.grad[x.detach() == 0] <= 0.6 + rounding)).all()
        assert not torch.equal(drawing(x), y)
        x.grad = None
        torch.testing.assert_close(compiled(lambda x: F.rrelu(x, 0.2, 0.6))(x), F.rrelu(x, 0.2, 0.6))
    module, x = nn.RReLU(0.5, 0.5, inplace=True), torch.randn(100, requires_grad=True)
    compiled(lambda x: module(x * 2))(x).sum().backward()  # one slope: as without training
    torch.testing.assert_close(x.grad, torch.where(x > 0, 2.0, 1.0))
    x = torch.randn(1000)
    written = x.clone()
    assert compiled(nn.RReLU(0.2, 0.6, inplace=True))(written) is written
    assert torch.equal(written[x > 0], x[x > 0]) and (written / x)[x < 0].min() > 0.19 and (written / x)[x < 0].max() < 0.61


@compiled
def gammas_of(small, large, shares):
    d = torch.distributions
    return torch._standard_gamma(small), torch._standard_gamma(large), d.Dirichlet(shares).rsample(), d.Beta(large, small).rsample()


def gammas():
    """Shapes below and above 1, of which one boosts the other; shares of a whole. Gradients are those of the mean: 1 for each number."""
    small, large = (torch.full((60000,), a, requires_grad=True) for a in (0.4, 3.5))
    shares = torch.tensor([0.5, 2.0, 4.0]).expand(30000, 3)
    x, y, z, beta = gammas_of(small, large, shares)
    for got, a in ((x, 0.4), (y, 3.5)):
        near(got.mean().item(), a, a**0.5, got.numel())
        near(got.var().item(), a, (2 * a**2 + 6 * a) ** 0.5, got.numel())
        assert got.min() > 0
    near(x.log().mean().item(), torch.digamma(torch.tensor(0.4)).item(), torch.polygamma(1, torch.tensor(0.4)).sqrt().item(), x.numel())
    torch.testing.assert_close(z.sum(1), torch.ones(30000))
    for k, a in enumerate((0.5, 2.0, 4.0)):
        near(z[:, k].mean().item(), a / 6.5, (a * (6.5 - a) / 6.5**2 / 7.5) ** 0.5, len(z))
    near(beta.mean().item(), 3.5 / 3.9, (3.5 * 0.4 / 3.9**2 / 4.9) ** 0.5, beta.numel())
    slope, = torch.autograd.grad(y.sum(), large)
    near(slope.mean().item(), 1, slope.std().item(), slope.numel())


@compiled
def complex_draws():
    return torch.rand(40000, dtype=torch.complex64).abs(), torch.view_as_real(torch.randn(40000, dtype=torch.complex64))


def complexes():
    """Both parts are drawn: squares of uniform ones are 1/3 each, of normal ones 1/2."""
    sizes, normal = complex_draws()
    near((sizes**2).mean().item(), 2 / 3, (8 / 45) ** 0.5, len(sizes))
    for part in normal.unbind(1):
        near(part.mean().item(), 0, 0.5**0.5, len(part))
        near(part.var().item(), 0.5, 0.5**0.5, len(part))
    near((normal[:, 0] * normal[:, 1]).mean().item(), 0, 0.5, len(normal))


@compiled
def counts_of(rate, count, p):
    return torch.poisson(rate), torch.binomial(count, p)


def counts():
    """Whole numbers, by their rates: few and many, certain ones, more and less likely than not."""
    rates = torch.tensor([0.0, 0.3, 4.0, 25.0, 3000.0, 1e6, 9.9, 10.0])
    trials, p = torch.tensor([7.0, 7.0, 1.0, 40.0, 5000.0, 0.0, 1e6, 21.0, 4e6]), torch.tensor([0.0, 1.0, 0.3, 0.8, 0.02, 0.5, 0.7, 0.5, 0.01])
    x, y = counts_of(rates.expand(40000, 8), trials.expand(40000, 9), p.expand(40000, 9))
    for k, rate in enumerate(rates.tolist()):
        near(x[:, k].double().mean().item(), rate, rate**0.5, len(x)) if rate else None
        near(x[:, k].double().var().item(), rate, (rate + 2 * rate**2) ** 0.5, len(x)) if rate else None
    for k, (n, share) in enumerate(zip(trials.tolist(), p.tolist())):
        spread = (n * share * (1 - share)) ** 0.5
        near(y[:, k].double().mean().item(), n * share, spread, len(y)) if spread else None
        near(y[:, k].double().var().item(), spread**2, 2 * spread**2, len(y)) if spread else None
        assert y[:, k].min() >= 0 and y[:, k].max() <= n
    assert (x[:, 0] == 0).all() and (y[:, 0] == 0).all() and (y[:, 1] == 7).all() and (y[:, 5] == 0).all() and (x == x.floor()).all() and (y == y.floor()).all()
    near((x[:, 1] == 0).double().mean().item(), 0.7408182, 0.44, len(x))


def repeats():
    x = torch.zeros(7, 9, dtype=torch.float64)
    torch.manual_seed(1)
    first, second = draws(x), draws(x)
    torch.manual_seed(1)
    assert same(first, draws(x)) and not same(first, second)


def masks():
    """The mask of the backward pass is that of the forward pass."""
    net = nn.Sequential(nn.Linear(64, 64), nn.Dropout(0.4), nn.Linear(64, 64), nn.Dropout(0.4))
    function, x = compiled(net), torch.randn(32, 64, requires_grad=True)
    y = function(x)
    scale = torch.ones_like(y)
    y.backward(scale)
    kept = y != 0
    near(kept.double().mean().item(), 0.6, 0.24**0.5, kept.numel())
    bias = net[2].bias.grad  # of each column: the kept ones, scaled
    torch.testing.assert_close(bias, kept.sum(0) / 0.6)
    net.eval()
    torch.testing.assert_close(compiled(net)(x), net(x))


moments()
generators()
gammas()
complexes()
counts()
slopes()
repeats()
masks()
