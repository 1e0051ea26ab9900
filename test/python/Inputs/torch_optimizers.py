"""Optimizers' steps as graphs, as loops and over lists of tensors; the overloads over lists, each beside the plain one of every item."""
import unittest

import torch

import tcc
import tcc.dynamo

O = torch.optim
SHAPES = ((5, 7), (3,), (2, 3, 4))
OPTIMIZERS = {
    "SGD": lambda p, **kw: O.SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01, **kw),
    "SGD, upwards": lambda p, **kw: O.SGD(p, lr=0.1, momentum=0.9, dampening=0.1, maximize=True, **kw),
    "Adam": lambda p, **kw: O.Adam(p, lr=0.01, weight_decay=0.1, **kw),
    "Adam, amsgrad": lambda p, **kw: O.Adam(p, lr=0.01, amsgrad=True, maximize=True, **kw),
    "AdamW": lambda p, **kw: O.AdamW(p, lr=0.01, **kw),
    "RMSprop": lambda p, **kw: O.RMSprop(p, lr=0.01, momentum=0.9, centered=True, **kw),
}


def train(make, compiled, **kw):
    """Parameters and states after four steps."""
    torch.manual_seed(0)
    params = [torch.nn.Parameter(torch.randn(shape)) for shape in SHAPES]
    optimizer = make(params, **kw)

    def step():
        optimizer.step()
    torch._dynamo.reset()
    step = torch.compile(step, backend=tcc.dynamo.backend) if compiled else step
    for _ in range(4):
        for p in params:
            p.grad = torch.randn_like(p)
        step()
    return params + [v for p in params for _, v in sorted(optimizer.state[p].items()) if isinstance(v, torch.Tensor)]


def lists(f, *args):
    """f and what torch.compile makes of it, of clones each."""
    torch._dynamo.reset()
    copy = lambda: [[t.clone() if isinstance(t, torch.Tensor) else t for t in a] if isinstance(a, list) else a for a in args]  # noqa: E731
    return f(*copy()), torch.compile(f, fullgraph=True, backend=tcc.dynamo.backend)(*copy())


class Optimizers(unittest.TestCase):
    def test_steps(self):
        for name, make in OPTIMIZERS.items():
            for foreach in (True, False) if name in ("AdamW", "RMSprop") else (True,):
                with self.subTest(optimizer=name, foreach=foreach):
                    for got, want in zip(train(make, True, foreach=foreach), train(make, False, foreach=foreach), strict=True):
                        torch.testing.assert_close(got, want)

    def test_fused_steps_are_torchs(self):
        """A step breaks the graph there."""
        for name in ("SGD", "AdamW"):
            with self.subTest(optimizer=name):
                for got, want in zip(train(OPTIMIZERS[name], True, fused=True), train(OPTIMIZERS[name], False, fused=True), strict=True):
                    torch.testing.assert_close(got, want)

    def test_fused_calls(self):
        """Of those that torch traces: lists are not empty, rates are numbers."""
        def step(op, **kw):
            def f(params, grads, means, squares, most, steps):
                op(params, grads, means, squares, most, steps, beta1=0.9, beta2=0.99, eps=1e-8, **dict(dict(lr=0.01, weight_decay=0.1, amsgrad=True, maximize=False), **kw))
                return params, grads, means, squares, most
            return f
        adam, adamw, scale, (right, wrong) = torch._fused_adam_, torch._fused_adamw_, torch.tensor(4.0), torch.tensor([0.0, 1])
        cases = {"adam": step(adam), "adamw": step(adamw), "upwards": step(adam, maximize=True), "no decay": step(adamw, weight_decay=0.0),
                 "scaled": step(adam, grad_scale=scale, found_inf=right), "skipped": step(adamw, grad_scale=scale, found_inf=wrong)}
        for name, f in cases.items():
            for dtype in (torch.float32, torch.bfloat16) if name == "adam" else (torch.float32,):
                torch.manual_seed(0)
                params, grads, means, squares, most = ([torch.rand(shape).to(dtype) for shape in SHAPES] for _ in range(5))
                with self.subTest(name=name, dtype=dtype):
                    want, got = lists(f, params, grads, means, squares, most, [torch.tensor(float(i + 3)) for i in range(len(SHAPES))])
                    torch.testing.assert_close(got, want)

    def test_one_tensor(self):
        unary = ("abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal round rsqrt sigmoid "
                 "sign sin sinh sqrt tan tanh trunc").split()

        def f(x):
            return [getattr(torch, "_foreach_" + name)(x) for name in unary] + [torch._foreach_norm(x), torch._foreach_norm(x, 1)]
        torch.manual_seed(0)
        want, got = lists(f, [torch.rand(shape) * 0.9 + 0.05 for shape in SHAPES])
        torch.testing.assert_close(got, want)

    def test_several_tensors(self):
        def f(x, y, z, numbers):
            made = []
            for name in ("add", "sub", "mul", "div", "clamp_min", "clamp_max", "maximum", "minimum", "pow"):
                op = getattr(torch, "_foreach_" + name)
                made += [op(x, y), op(x, 2), op(x, 0.3), op(x, numbers)]
            made += [torch._foreach_add(x, y, alpha=3), torch._foreach_sub(x, y, alpha=0.5), torch._foreach_pow(2.0, x)]
            made += [torch._foreach_mul(x, y[1][0]), torch._foreach_add(x, y[1][0], alpha=2), torch._foreach_div(x, y[1][0])]
            for op in (torch._foreach_addcmul, torch._foreach_addcdiv):
                made += [op(x, y, z), op(x, y, z, value=0.7), op(x, y, z, numbers)]
            return made + [torch._foreach_lerp(x, y, 0.3), torch._foreach_lerp(x, y, z)]
        for dtype in (torch.float32, torch.bfloat16):
            torch.manual_seed(0)
            x, y, z = ([(torch.rand(shape) + 0.5).to(dtype) for shape in SHAPES] for _ in range(3))
            with self.subTest(dtype=dtype):
                want, got = lists(f, x, y, z, [0.5, 2.0, 3.0])
                torch.testing.assert_close(got, want)

    def test_in_place(self):
        def f(x, y):
            torch._foreach_mul_(x, 0.9)
            torch._foreach_add_(x, y, alpha=0.1)
            torch._foreach_addcdiv_(x, y, y, [1.0, 2.0, 3.0])
            torch._foreach_sqrt_(y)
            torch._foreach_copy_(y, [x[0], x[1], y[2]])
            torch._foreach_zero_(y[:1])
            return x, y
        torch.manual_seed(0)
        want, got = lists(f, *([torch.rand(shape) + 0.5 for shape in SHAPES] for _ in range(2)))
        torch.testing.assert_close(got, want)

    def test_scalars_of_a_tensor_are_refused(self):
        x = [torch.ones(2), torch.ones(3)]
        with self.assertRaisesRegex(Exception, "_foreach_addcmul.Tensor"):
            torch.compile(lambda x, s: torch._foreach_addcmul(x, x, x, s), fullgraph=True, backend=tcc.dynamo.backend)(x, torch.ones(2))


if __name__ == "__main__":
    unittest.main()
