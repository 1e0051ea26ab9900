"""torch_freeze.py: weights that are packed once, until they change; equal graphs that are compiled once; graphs that torch saves."""
import copy
import gc
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import torch

from tcc import Error, _native, cache, compat, dynamo


def compiled(net, freeze=True, **how):
    torch._dynamo.reset()
    return torch.compile(net, backend=dynamo.backend, fullgraph=True, options={"freeze": freeze, "threads": 1}, **how)


def layers():
    """Products and convolutions that are packed, and a norm that is not."""
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Conv2d(3, 16, 3, padding=1), torch.nn.BatchNorm2d(16), torch.nn.ReLU(), torch.nn.Flatten(),
                               torch.nn.Linear(16 * 64, 48), torch.nn.LayerNorm(48), torch.nn.Linear(48, 32)).eval()


def wanted(net, x):
    """What the same network gives in f64."""
    return copy.deepcopy(net).double()(x.double())


class Freeze(unittest.TestCase):
    def setUp(self):
        cache.clear()

    def near(self, net, call, x):
        got = call(x)
        want = wanted(net, x)
        limit = 4 * (net(x).double() - want).abs().max() + 1e-6
        self.assertLessEqual((got.double() - want).abs().max(), limit)

    def entry(self):
        return next(reversed(cache._known.values()))

    def test_weights_that_change(self):
        net, x = layers(), torch.randn(32, 3, 8, 8)
        call = compiled(net)
        with torch.no_grad():
            self.near(net, call, x)
            entry = self.entry()
            self.assertGreater(entry.model.report["static_bytes"], 4 * 48 * 1024)
            sets = len(entry.hold.sets)
            for _ in range(3):
                self.near(net, call, torch.randn(32, 3, 8, 8))
            net[4].weight.mul_(2)  # in place
            self.near(net, call, x)
            net[4].weight.data = torch.randn(48, 1024)  # other memory
            self.near(net, call, x)
            net[6].weight = torch.nn.Parameter(torch.randn(32, 48))  # another parameter
            self.near(net, call, x)
            net.load_state_dict(layers().state_dict())
            self.near(net, call, x)
        self.assertEqual(sets, 1)

    def test_optimizer_steps(self):
        net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64))
        mine = copy.deepcopy(net)
        call = compiled(mine)
        steps = [torch.optim.Adam(n.parameters(), lr=1e-2) for n in (net, mine)]
        for _ in range(4):
            x = torch.randn(8, 64)
            losses = [n(x).square().mean() for n in (net, call)]
            torch.testing.assert_close(losses[0], losses[1])
            for loss, step in zip(losses, steps):
                step.zero_grad()
                loss.backward()
                step.step()

    def test_memory_that_comes_again(self):
        """What frees weights and takes as much again often gets the same address."""
        net, x = torch.nn.Linear(64, 64, bias=False), torch.randn(8, 64)
        call = compiled(net)
        with torch.no_grad():
            for i in range(20):
                net.weight = None
                net.weight = torch.nn.Parameter(torch.full((64, 64), float(i)))
                torch.testing.assert_close(call(x), x @ net.weight.t())
                self.assertLessEqual(len(self.entry().hold.sets), 2)

    def test_layers_share_an_artifact(self):
        """Equal layers, compiled apart: one artifact, a set of weights for each."""
        x, nets = torch.randn(8, 64), [torch.nn.Linear(64, 64) for _ in range(5)]
        torch._dynamo.reset()
        calls = [torch.compile(net, backend=dynamo.backend, options={"freeze": True}) for net in nets]
        with torch.no_grad():
            for _ in range(3):
                for net, call in zip(nets, calls):
                    torch.testing.assert_close(call(x), net(x))
        self.assertEqual(cache.counts["opened"], 1)
        self.assertEqual(len(self.entry().hold.sets), 5)
        hold = self.entry().hold
        del nets, calls, net, call
        torch._dynamo.reset()
        gc.collect()
        hold.purge()
        self.assertEqual(len(hold.sets), 0)

    def test_without_freeze(self):
        net, x = layers(), torch.randn(4, 3, 8, 8)
        call = compiled(net, freeze=False)
        with torch.no_grad():
            self.near(net, call, x)
            self.assertEqual(self.entry().model.report["static_bytes"], 0)
            net[4].weight.data.mul_(2)  # nobody is told
            self.near(net, call, x)

    def test_written_buffers_are_not_static(self):
        class Counter(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("sum", torch.zeros(4, 8))
                self.w = torch.nn.Parameter(torch.randn(8, 8))

            def forward(self, x):
                self.sum.add_(x @ self.w)
                return self.sum * 2

        net, x = Counter(), torch.randn(4, 8)
        call = compiled(net)
        with torch.no_grad():
            for turn in range(1, 4):
                torch.testing.assert_close(call(x), 2 * turn * (x @ net.w))

    def test_inference_tensors(self):
        with torch.inference_mode():
            net = torch.nn.Linear(64, 64)
            call = compiled(net)
            with self.assertRaisesRegex(Error, "without a version"):
                call(torch.randn(8, 64))


class Saved(unittest.TestCase):
    def test_equal_graphs(self):
        """Names of variables, of sizes and of what is gone do not count."""
        def first(x, weight):
            gone = x + 1
            return torch.relu(x @ weight)

        def second(other, y):
            return torch.relu(other @ y)

        cache.clear()
        x, w = torch.randn(6, 8), torch.randn(8, 8)
        for function in (first, second):
            torch._dynamo.reset()
            call = torch.compile(function, backend=dynamo.backend, dynamic=True)
            torch.testing.assert_close(call(x, w), function(x, w))
        self.assertEqual((cache.counts["opened"], cache.counts["found"]), (1, 1))

    def test_aot_compile_by_an_older_torch(self):
        with unittest.mock.patch.object(compat, "VERSION", (2, 12)), self.assertRaisesRegex(Exception, "aot_compile takes torch 2.13"):
            torch.compile(layer, backend=dynamo.backend, fullgraph=True).aot_compile(((torch.ones(2, 8), torch.ones(8, 8)), {}))

    @unittest.skipUnless(compat.can_save(), "torch saves nothing of other backends")
    def test_aot_compile(self):
        """Saved here, run by a process that does not trace; the first call's gradients too."""
        with tempfile.TemporaryDirectory() as folder:
            path, x, w = os.path.join(folder, "net.bin"), torch.randn(4, 8), torch.randn(8, 8, requires_grad=True)
            call = torch.compile(layer, backend=dynamo.backend, fullgraph=True, options={"threads": 1})
            saved = call.aot_compile(((x, w), {}))
            saved.save_compiled_function(path)
            torch.testing.assert_close(saved(x, w), layer(x, w))
            torch.save((x, w), os.path.join(folder, "case.pt"))
            subprocess.run([sys.executable, __file__, "--run", folder], check=True)


def layer(x, w):
    return torch.relu(x @ w) + 1


def run_saved(folder):
    x, w = torch.load(os.path.join(folder, "case.pt"), weights_only=False)
    with open(os.path.join(folder, "net.bin"), "rb") as file:
        call = torch.compiler.load_compiled_function(file)
    for y in (layer(x, w), call(x, w)):
        w.grad = None
        y.square().sum().backward()
        torch.testing.assert_close(y, layer(x, w))
        torch.testing.assert_close(w.grad, 2 * x.t() @ (y.detach() * (x @ w.detach() > 0)))
    assert not cache.counts, "nothing was compiled"
    assert "torch._dynamo.backends.common" not in sys.modules, "and what compiles was not imported"


if __name__ == "__main__":
    run_saved(sys.argv[2]) if sys.argv[1:2] == ["--run"] else unittest.main()
