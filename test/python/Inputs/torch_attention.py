"""Attention and batch norms as torch calls them for CUDA tensors, compiled for the CPU and held against formulas in f64.

Here no torch runs these kernels: fake tensors and the functions that say what they give are enough for a graph."""
import itertools
import unittest

import torch
from torch._dynamo.source import ConstantSource
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext

import tcc.dynamo
from tcc import cache, calls, dynamo, graph_json

aten = torch.ops.aten
CALLS = {
    "efficient": lambda q, k, v, bias, p, causal: aten._scaled_dot_product_efficient_attention(q, k, v, bias, True, p, causal),
    "cudnn": lambda q, k, v, bias, p, causal: aten._scaled_dot_product_cudnn_attention(q, k, v, bias, True, p, causal),
    "flash": lambda q, k, v, bias, p, causal: aten._scaled_dot_product_flash_attention(q, k, v, p, causal),
    "overrideable": lambda q, k, v, bias, p, causal: aten._scaled_dot_product_fused_attention_overrideable(q, k, v, bias, p, causal),
}
# torch 2.11 cannot say what its gradients are like
OVERRIDEABLE = torch._C._dispatch_has_kernel_for_dispatch_key("aten::_scaled_dot_product_fused_attention_overrideable_backward", "Meta")


def compiled(function, *inputs):
    """The function's graph, which fake tensors give, as tcc runs it."""
    with FakeTensorMode() as mode:
        fake = [mode.from_tensor(x) if isinstance(x, torch.Tensor) else x for x in inputs]
        graph = make_fx(function)(*fake)
    return whole(graph)


def whole(graph):
    graph.graph.eliminate_dead_code()
    return dynamo.compile_part(graph, frozenset(), settings=dict(threads=1), kind="inference", models=[], lowered=[])


def tensors(values):
    return [x for x in values if isinstance(x, torch.Tensor)]


def step(call, p=0.0, causal=False):
    """Results of a call, and gradients."""
    def run(g, *given):
        given = [x.detach().requires_grad_() for x in given]
        results = call(*given, *[None] * (4 - len(given)), p, causal)
        return *results, *torch.autograd.grad(results[0], given, g)
    return run


def formula(causal=False, keep=None):
    """The same in f64: result, logarithms of sums, gradients. keep: what probabilities are multiplied by."""
    def run(g, *given):
        given = [x.detach().double().requires_grad_() for x in given]
        q, k, v = given[:3]
        k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
        scores = q @ k.transpose(2, 3) / q.shape[3] ** 0.5
        if len(given) > 3:
            scores = scores + given[3]
        if causal:
            scores = scores.masked_fill(torch.ones(scores.shape[2:]).triu(1).bool(), float("-inf"))
        sums = scores.logsumexp(3)
        p = (scores - sums[..., None]).exp()
        out = (p if keep is None else p * keep) @ v
        return out.detach(), sums.detach(), *torch.autograd.grad(out, given, g.double())
    return run


def error(got, want):
    return ((got.double() - want).square().mean().sqrt() / want.square().mean().sqrt()).item()


class Attention(unittest.TestCase):
    def agrees(self, name, heads, keys, rows, depth, causal, bias, dtype):
        if name == "overrideable" and not OVERRIDEABLE:
            return
        torch.manual_seed(0)
        q, k, v = torch.randn(2, 4, rows, depth), torch.randn(2, heads, keys, depth), torch.randn(2, heads, keys, depth)
        given = [x.to(dtype) for x in (torch.randn(2, 4, rows, depth), q, k, v, *([] if bias is None else [torch.randn(bias)]))]
        call = step(CALLS[name], causal=causal)
        got = compiled(call, *given)(list(given))
        want = formula(causal)(*given)
        count = len(given) - 1
        results = tensors(got[:-count])
        limit = 1e-5 if dtype == torch.float32 else 2e-2
        sums = results[1]
        self.assertEqual(sums.dtype, torch.float32)
        if name == "efficient":
            self.assertEqual(sums.shape[2], (rows + 31) // 32 * 32)
            self.assertTrue(torch.isposinf(sums[:, :, rows:]).all())
            sums = sums[:, :, :rows]
        self.assertLess(error(results[0], want[0]), limit)
        self.assertLess(error(sums.reshape(want[1].shape), want[1]), limit)
        for one, exact in zip(got[-count:], want[2:]):
            if one is not None:  # cuDNN gives no gradient of a bias
                self.assertEqual(one.dtype, dtype)
                self.assertLess(error(one, exact), limit)
        self.assertEqual(sum(one is None for one in got[-count:]), 0 if name != "cudnn" or bias is None else 1)

    def test_kernels(self):
        for name, causal, dtype in itertools.product(CALLS, (False, True), (torch.float32, torch.bfloat16)):
            with self.subTest(name, causal=causal, dtype=dtype):
                self.agrees(name, 4, 37, 37, 16, causal, None, dtype)

    def test_bias(self):
        for name, bias in itertools.product(("efficient", "overrideable"), ((2, 4, 21, 40), (1, 4, 21, 40), (2, 1, 1, 40))):
            with self.subTest(name, bias=bias):
                self.agrees(name, 4, 40, 21, 16, False, bias, torch.float32)

    def test_shared_heads(self):
        for name in ("cudnn", "flash"):
            with self.subTest(name):
                self.agrees(name, 2, 33, 33, 8, True, None, torch.float32)

    def test_blocks(self):
        """More rows than are done at a time."""
        for name, causal in itertools.product(("efficient", "flash"), (False, True)):
            with self.subTest(name, causal=causal):
                self.agrees(name, 4, 300, 300, 8, causal, None, torch.float32)

    def test_symbolic(self):
        """One graph for any number of rows; sums are padded to a size that torch computes."""
        axes = [DimDynamic.STATIC, DimDynamic.STATIC, DimDynamic.DYNAMIC, DimDynamic.STATIC]
        given = {name: torch.empty(2, 4, 37, 16) for name in ("g", "q")}
        with FakeTensorMode(shape_env=ShapeEnv()) as mode:
            fake = [mode.from_tensor(x, symbolic_context=StatelessSymbolicContext(axes, constraint_sizes=[None] * 4), source=ConstantSource(name))
                    for name, x in given.items()]
            graph = make_fx(lambda g, q: step(CALLS["efficient"])(g, q, q, q))(*fake)
        function = whole(graph)
        for rows, padded in ((37, 64), (64, 64), (100, 128)):
            g, q = torch.randn(2, 4, rows, 16), torch.randn(2, 4, rows, 16)
            got, want = function([g, q]), formula()(g, q, q, q)
            self.assertEqual(got[1].shape, (2, 4, padded))
            for one, exact in zip((got[0], got[1][:, :, :rows], *got[-3:]), want):
                self.assertLess(error(one, exact), 1e-5)

    def test_no_sums(self):
        """As inference asks."""
        q = torch.randn(1, 2, 5, 8)
        got = compiled(lambda q: aten._scaled_dot_product_efficient_attention(q, q, q, None, False), q)([q])
        self.assertEqual([tuple(x.shape) for x in got], [(1, 2, 5, 8), (1, 2, 0), (), ()])
        torch.testing.assert_close(got[0], torch.nn.functional.scaled_dot_product_attention(q, q, q))

    def test_results(self):
        """Sizes, and what says nothing without dropout."""
        q, k = torch.randn(1, 2, 5, 8), torch.randn(1, 2, 7, 8)
        for name, seed in (("flash", (2,)), ("cudnn", ()), ("overrideable", ())):
            got = compiled(lambda q, k: CALLS[name](q, k, k, None, 0.0, False), q, k)([q, k])
            self.assertEqual((got[2:6], tuple(got[6].shape), tuple(got[7].shape)), ((None, None, 5, 7), seed, ()))

    def test_dropout(self):
        """Values that are the identity show which probabilities stayed; gradients are those of the same ones. A seed repeats them."""
        q, k, v = torch.randn(2, 3, 24, 40), torch.randn(2, 3, 40, 40), torch.eye(40).expand(2, 3, 40, 40).contiguous()
        g, p = torch.randn(2, 3, 24, 40), 0.3
        for name in [name for name in CALLS if name != "overrideable" or OVERRIDEABLE]:
            with self.subTest(name):
                function = compiled(step(CALLS[name], p), g, q, k, v)
                torch.manual_seed(5)
                got = function([g, q, k, v])
                probabilities = formula()(g, q, k, v)[0]
                keep = (got[0] != 0) / (1 - p)
                self.assertLess(abs((got[0] == 0).double().mean().item() - p), 0.03)
                want = formula(keep=keep)(g, q, k, v)
                self.assertLess(error(got[0], probabilities * keep), 1e-5)
                for one, exact in zip(got[-3:], want[2:]):
                    self.assertLess(error(one, exact), 1e-5)
                torch.manual_seed(5)
                self.assertTrue(torch.equal(function([g, q, k, v])[0], got[0]))
                self.assertFalse(torch.equal(function([g, q, k, v])[0], got[0]))

    def refused(self, words, function, *inputs):
        with self.assertRaisesRegex(tcc.Error, words):
            compiled(function, *inputs)

    def test_refused(self):
        q, k = torch.randn(1, 2, 5, 8), torch.randn(1, 2, 7, 8)
        self.refused("rows and keys of causal attention", lambda q, k: CALLS["flash"](q, k, k, None, 0.0, True)[:1], q, k)
        self.refused("a debug mask", lambda q: aten._scaled_dot_product_flash_attention(q, q, q, 0.5, False, True)[:1], q)


class BatchNorm(unittest.TestCase):
    """aten.cudnn_batch_norm, and what others give for CUDA tensors."""

    def setUp(self):
        torch.manual_seed(0)
        self.x, self.weight, self.bias = torch.randn(4, 6, 5, 7), torch.rand(6) + 0.5, torch.randn(6)
        self.mean, self.var = torch.randn(6), torch.rand(6) + 0.5

    def test_eval(self):
        given = [self.x, self.weight, self.bias, self.mean, self.var]
        got = compiled(lambda *t: aten.cudnn_batch_norm(*t, False, 0.1, 1e-5), *given)(given)
        torch.testing.assert_close(got[0], torch.nn.functional.batch_norm(self.x, self.mean, self.var, self.weight, self.bias, False, 0.1, 1e-5))
        self.assertEqual([x.numel() for x in got[1:]], [0, 0, 0])

    def test_training(self):
        """Results, statistics that are written, gradients."""
        def run(g, x, weight, bias, mean, var):
            out, save_mean, save_var, reserve = aten.cudnn_batch_norm(x, weight, bias, mean, var, True, 0.1, 1e-5)
            return out, *aten.cudnn_batch_norm_backward(x, g, weight, mean, var, save_mean, save_var, 1e-5, reserve)
        g = torch.randn_like(self.x)
        mean, var = self.mean.clone(), self.var.clone()
        inputs = [x.double().requires_grad_() for x in (self.x, self.weight, self.bias)]
        out = torch.nn.functional.batch_norm(inputs[0], mean.double(), var.double(), *inputs[1:], True, 0.1, 1e-5)
        want = out, *torch.autograd.grad(out, inputs, g.double())
        got = compiled(run, g, self.x, self.weight, self.bias, mean, var)([g, self.x, self.weight, self.bias, mean, var])
        for one, exact in zip(got, want):
            self.assertLess(error(one, exact.detach()), 1e-5)
        torch.nn.functional.batch_norm(self.x, self.mean, self.var, self.weight, self.bias, True, 0.1, 1e-5)
        torch.testing.assert_close((mean, var), (self.mean, self.var))

    def test_saved_in_eval(self):
        """For CUDA tensors the running statistics, for those of the CPU nothing; torch's own function for the former says so."""
        def run(*given):
            return aten._native_batch_norm_legit_no_training(*given, 0.1, 1e-5)
        given = [self.x, self.weight, self.bias, self.mean, self.var]
        for device, count in (("cuda", 6), ("cpu", 0)):
            with FakeTensorMode() as mode:
                graph = make_fx(run)(*(mode.from_tensor(x).to(device) for x in given))
            text = graph_json.program(graph)[0].replace(b'"cuda"', b'"cpu"')
            names = tuple(node.name for node in graph.graph.nodes if node.op == "placeholder")
            got = calls.function(cache.compiled(text, dict(threads=1)), names, (("tensor", None),) * 3, (), ())(list(given))
            self.assertEqual([x.numel() for x in got[1:]], [count, count])
            if count:
                torch.testing.assert_close(tuple(got[1:]), (self.mean, (self.var + 1e-5).rsqrt()))


unittest.main()
