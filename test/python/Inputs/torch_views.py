"""Results that are views, of an input or of another result, where a symbolic size or a number of the run says which part."""
import os
import unittest

import torch

import tcc
import tcc.dynamo

torch._dynamo.config.capture_scalar_outputs = torch._dynamo.config.capture_dynamic_output_shape_ops = True


def rows(x, y):
    return x[y.shape[0]:], x[-y.shape[0]:], x[:, :y.shape[0]], x[2:], x.view(-1, 2)[y.shape[0]]


def turned(x, y):
    return x.t()[y.shape[0]:, 1:], x.unfold(0, y.shape[0], 1)


def of_results(x, y):
    z = x + 1
    return z, z[y.shape[0]:], z[:, y.shape[0]:].t()


def of_hidden(x, y):
    z = x + 1
    return z[y.shape[0]:], z[:, :y.shape[0]]


def members(x, y):
    return *(x[y.shape[0]:] + 1).unbind(1), *torch.where(x > 3 * y.shape[0])  # of one hidden tensor each


def both(x, y):
    return x[y.shape[0]:] * 2, x[y.shape[0]:]


def by_data(x, y):
    n = y.sum().to(torch.int64).item()
    return x[n:], x[:, -n:], x[n], x.narrow(0, n, 2), x[1:n:2] * 2


class Views(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()

    def same(self, f, x, sizes=(2, 3, 1), **how):
        fast = torch.compile(f, fullgraph=True, backend=tcc.dynamo.backend, **how)
        for size in sizes:
            y = torch.ones(size)
            got, want = fast(x, y), f(x, y)
            for a, b in zip(got, want, strict=True):
                torch.testing.assert_close(a, b, rtol=0, atol=0)
                self.assertEqual((a.stride(), a.storage_offset()), (b.stride(), b.storage_offset()))
                self.assertEqual(*((t.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()) for t in (a, b)))

    def test_inputs(self):
        for f in (rows, turned, both):
            for x in (torch.arange(24.0).reshape(6, 4), torch.arange(48.0).reshape(12, 4)[3:9], torch.arange(24.0).reshape(4, 6).t()):
                if f is rows and not x.is_contiguous():
                    continue
                with self.subTest(f.__name__, strides=x.stride()):
                    torch._dynamo.reset()
                    self.same(f, x, dynamic=True)
        self.same(rows, torch.arange(24.0).reshape(6, 4))

    def test_results(self):
        self.same(of_results, torch.arange(24.0).reshape(6, 4), dynamic=True)
        for f in (of_hidden, members):
            fast = torch.compile(f, fullgraph=True, backend=tcc.dynamo.backend, dynamic=True)
            for size in (2, 3):
                x, y = torch.arange(24.0).reshape(6, 4), torch.ones(size)
                torch.testing.assert_close(fast(x, y), f(x, y), rtol=0, atol=0)

    def test_memory(self):
        """What is written to one result is seen in those that are views of it, and of the input; one of them alone is no graph to compile."""
        def computed(x):
            y = x.sin()
            return y.t(), y, y[1:, ::2], x[2:]

        def given(x):
            return x.t(), x.view(-1)
        for f in (computed, given):
            for grad in (False, True):
                with self.subTest(f.__name__, grad=grad):
                    torch._dynamo.reset()
                    x = torch.arange(24.0).reshape(6, 4)
                    got, want = (g(x.clone().requires_grad_(grad)) for g in (torch.compile(f, fullgraph=True, backend=tcc.dynamo.backend), f))
                    for results in (got, want):
                        with torch.no_grad():
                            results[1].mul_(3)
                    for a, b in zip(got, want, strict=True):
                        torch.testing.assert_close(a, b, rtol=0, atol=1e-6)
                        self.assertEqual((a.stride(), a.storage_offset()), (b.stride(), b.storage_offset()))

    def test_inner(self):
        """What layers that are one subgraph keep for the backward pass is, in torch's eyes, at an offset in a storage of their own."""
        torch.manual_seed(0)
        net, grads = torch.nn.Sequential(*(torch.nn.TransformerEncoderLayer(16, 2, 16, dropout=0.0, batch_first=True) for _ in range(3))), []
        for f in (net, torch.compile(net, backend=tcc.dynamo.backend)):
            x = torch.arange(96.0).reshape(2, 3, 16).sin().requires_grad_()
            f(x).square().sum().backward()
            grads.append(x.grad)
        torch.testing.assert_close(*grads, rtol=1e-4, atol=1e-4)

    def test_data(self):
        x = torch.arange(48.0).reshape(12, 4)
        self.same(by_data, x, (2, 3, 1))
        self.same(by_data, x[3:9], (2, 4, 3))
        fast = torch.compile(by_data, fullgraph=True, backend=tcc.dynamo.backend)
        with self.assertRaisesRegex(tcc.Error, "must be at most"):
            fast(x[:6], torch.ones(6))

    def test_written(self):
        def f(x, y):
            x[y.shape[0]:].add_(1)
            return x[y.shape[0]:]
        fast = torch.compile(f, fullgraph=True, backend=tcc.dynamo.backend, dynamic=True)
        for size in (2, 3):
            a, b, y = torch.arange(24.0).reshape(6, 4), torch.arange(24.0).reshape(6, 4), torch.ones(size)
            torch.testing.assert_close((fast(a, y), a), (f(b, y), b), rtol=0, atol=0)

    def test_places(self):
        """as_strided counts from where a storage begins, of which an input behind it has a part."""
        def near(x):
            return x.as_strided((2, 3), (3, 1)) + 1, x[1:].as_strided((2,), (4,)) * 2, (x + 1).as_strided((3,), (2,), 1), torch.as_strided_scatter(x, x[:2] * 5, (2,), (1,))

        def far(x):
            return x.as_strided((2,), (1,), 1) + 1
        x = torch.arange(16.0)
        for dynamic in (False, True):
            for given in (x, x[4:], x[3:-2]):
                torch._dynamo.reset()
                fast = torch.compile(near, fullgraph=True, backend=tcc.dynamo.backend, dynamic=dynamic)
                torch.testing.assert_close(fast(given), near(given), rtol=0, atol=0)
            torch._dynamo.reset()
            with self.assertRaisesRegex(Exception, "outside of the tensor|must be at most 1"):  # which could be read in eager mode
                torch.compile(far, fullgraph=True, backend=tcc.dynamo.backend, dynamic=dynamic)(x[3:-2])

    def test_gradients(self):
        def f(x, y):
            z = x * 2
            return z[y.shape[0]:], x[y.shape[0]:], (x[:, y.shape[0]:] ** 2).sum()
        fast = torch.compile(f, fullgraph=True, backend=tcc.dynamo.backend, dynamic=True)
        for size in (2, 3):
            grads = []
            for g in (fast, f):
                x = torch.arange(24.0).reshape(6, 4).requires_grad_()
                a, b, c = g(x, torch.ones(size))
                (a.sum() + (b * b).sum() + c).backward()
                grads.append(x.grad)
            torch.testing.assert_close(*grads, rtol=0, atol=0)

    def test_saved(self):
        x, y, path = torch.arange(24.0).reshape(6, 4), torch.ones(2), os.path.join(os.environ["FOLDER"], "rows.pt")
        made = torch.compile(rows, fullgraph=True, backend=tcc.dynamo.backend, dynamic=True).aot_compile(((x, y), {}))
        made.save_compiled_function(path)
        torch._dynamo.reset()
        with open(path, "rb") as file:
            loaded = torch.compiler.load_compiled_function(file)
        torch.testing.assert_close(loaded(x, torch.ones(3)), rows(x, torch.ones(3)), rtol=0, atol=0)


if __name__ == "__main__":
    unittest.main()
