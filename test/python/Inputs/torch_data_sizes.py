"""Sizes that data decide, in one graph: Dynamo's assertions about them, and results whose sizes have no hint."""
import unittest

import torch

import tcc
import tcc.dynamo

torch._dynamo.config.capture_scalar_outputs = torch._dynamo.config.capture_dynamic_output_shape_ops = True


def places(x):
    return torch.nonzero(x) * 2


def asserted(x):
    i = torch.nonzero(x)
    torch._check(i.shape[0] <= 4)
    return x.flatten()[:1] + i.sum(), i * 2


def selected(x, mask):
    return torch.masked_select(x, mask) * 2


def chosen(x):
    y = x[x > 0]
    return y.exp(), y.sum()


def distinct(x):
    return torch.unique(x)


def counted(x):
    n = x.sum().to(torch.int64).item()
    torch._check(n <= 40)
    return torch.ones(n) * 2


def cut(x):
    n = x.max().to(torch.int64).item()
    torch._check(n >= 0)
    torch._check(n <= x.shape[1])
    return x[:, :n].sum(1), torch.arange(n)


def spread(x):
    i = torch.nonzero(x)[:, 1]
    return torch.zeros(i.shape[0] + 2, 3).t() + 1


def compared(x):  # a number that has no bound, and is no size
    n = x.sum().to(torch.int64).item()
    torch._check(n >= 2)
    return x + n


def number(x):
    return torch.nonzero(x.sum())


def unbounded(x):  # large: what it is made of is counted digit by digit
    n = x.sum().to(torch.int64).item()
    return torch.ones(n), torch.zeros(3, 2 * n + 1), torch.arange(n) // 2


def parts(x):
    n = x.sum().to(torch.int64).item()
    m = (n + 5) // 3
    return x + n % 4, x * (n / 2), torch.full((m,), 2.0).sum() - n


def bins(x, weights):
    i = x.to(torch.int64).flatten()
    return torch.bincount(i), torch.bincount(i, weights.flatten(), 7), torch.bincount(i[:0], minlength=2)


def repeated(x, repeats):
    return (x.repeat_interleave(repeats, 0), repeats.repeat_interleave(repeats), x.repeat_interleave(3, 1), x.repeat_interleave(2), x.t().repeat_interleave(repeats[:1], 1))


def repeated_to(x, repeats):
    return x.repeat_interleave(repeats, 0, output_size=5)


def scattered(x, mask):  # of rows that may be none, as a model without images has
    rows = x[mask]
    return x.masked_scatter(mask.unsqueeze(1), rows * 2), rows


def same(y):
    return y.contiguous(), y.conj()


class Sizes(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        self.x = torch.tensor([[0.0, 1, 2, 0], [3, 0, 0, 1]])

    def compiled(self, f):
        return torch.compile(f, fullgraph=True, backend=tcc.dynamo.backend)

    def same(self, f, *calls):
        fast = self.compiled(f)
        for given in calls:
            torch.testing.assert_close(fast(*given), f(*given))

    def test_sizes(self):
        x, none = self.x, torch.zeros(2, 4)
        for f in (places, chosen, distinct, spread, number):
            with self.subTest(f.__name__):
                self.same(f, (x,), (none,), (x + 1,))
        self.same(selected, (x, x > 1), (x, x > 9), (x, x == x))
        self.same(asserted, (x,), (none,))
        self.same(scattered, (x, x[:, 3] > 0), (x, x[:, 3] > 9), (x, x[:, 3] >= 0))
        y, mask = x.clone().requires_grad_(), x[:, 3] > 9
        self.compiled(scattered)(y, mask)[0].sum().backward()
        torch.testing.assert_close(y.grad, torch.ones(2, 4))

    def test_numbers(self):
        self.same(counted, (self.x,), (torch.zeros(2, 4),), (torch.full((2, 4), 5.0),))
        self.same(cut, (self.x,), (self.x + 1,), (self.x * 0,))
        self.same(compared, (self.x,))
        self.same(unbounded, (self.x,), (self.x * 0,), (self.x * 700,), (self.x * 3e6,))
        self.same(parts, (self.x,), (self.x * 1000,))

    def test_counted(self):
        large = self.x * 5000
        self.same(bins, (self.x, self.x), (large, self.x), (self.x * 0, self.x))
        with self.assertRaisesRegex(tcc.Error, r"\(node 'bincount_0', [\w.:]*bincount[\w.]*, whose size is negative"):
            self.compiled(bins)(self.x - 1, self.x)

    def test_split(self):
        calls = [(torch.arange(10.0), torch.tensor(at)) for at in ([2, 5], [5, 2], [-3, 9], [2, 40], [-30, 3])]
        self.same(torch.tensor_split, *calls)

    def test_repeated(self):
        for repeats in ([2, 3], [0, 1], [0, 0], [9000, 4]):
            self.same(repeated, (self.x, torch.tensor(repeats)))
        self.same(repeated_to, (self.x, torch.tensor([1, 4])), (self.x, torch.tensor([5, 0])))
        x = self.x.clone().requires_grad_()
        self.compiled(lambda x: x.repeat_interleave(torch.tensor([1, 4]), 0))(x).sum().backward()
        torch.testing.assert_close(x.grad, torch.tensor([[1.0], [4]]).expand(2, 4))
        with self.assertRaisesRegex(tcc.Error, r"\(node 'repeat_interleave_0', [\w.:]*repeat_interleave[\w.]*, whose size is negative"):
            self.compiled(repeated)(self.x, torch.tensor([3, -1]))

    def test_bounds_are_checked(self):
        fast = self.compiled(asserted)
        fast(self.x)
        with self.assertRaisesRegex(tcc.Error, r"must be at most 4 \(node 'Runtime assertion failed for expression u0 <= 4"):
            fast(self.x + 1)
        fast = self.compiled(counted)
        with self.assertRaisesRegex(tcc.Error, r"must be at most 40 \(node '[^']*', [^,]*\)"):
            fast(torch.full((2, 4), 6.0))
        with self.assertRaisesRegex(tcc.Error, "whose size is negative"):
            fast(torch.full((2, 4), -1.0))

    def test_assertions_on_data(self):
        def asserted_whole(x):
            torch._assert_async((x > 0).all(), "positive")
            return x * 2

        self.same(asserted_whole, (torch.ones(2, 4),))
        with self.assertRaisesRegex(tcc.Error, '_assert_async_0": positive'):
            self.compiled(asserted_whole)(torch.tensor([[1.0, -0.5]]))
        self.same(lambda i: torch.nn.functional.one_hot(i, 4), (torch.tensor([0, 3, 1]),))
        with self.assertRaisesRegex(tcc.Error, "Class values must be smaller than num_classes"):
            self.compiled(lambda i: torch.nn.functional.one_hot(i, 4))(torch.tensor([0, 7]))

    def test_assertions_on_numbers(self):
        def asserted_number(x):
            torch._check(x.sum().item() > 0)
            return x * 2

        with torch._dynamo.config.patch(capture_scalar_outputs=True):
            self.same(asserted_number, (torch.ones(2, 4),))
            with self.assertRaisesRegex(tcc.Error, "Runtime assertion failed for expression"):
                self.compiled(asserted_number)(-torch.ones(2, 4))

    def test_nothing_computed(self):
        self.same(same, (self.x,), (self.x.t(),))
        y = self.x.clone().requires_grad_()
        self.compiled(same)(y)[0].sum().backward()
        torch.testing.assert_close(y.grad, torch.ones(2, 4))


if __name__ == "__main__":
    unittest.main()
