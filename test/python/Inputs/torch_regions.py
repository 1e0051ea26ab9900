"""Repeated parts of a graph are traced once, and what they compute stays the same."""
import unittest
import unittest.mock
import warnings

import torch
from torch.nn import functional

import tcc
import tcc.dynamo
from tcc import compat, regions, report

torch.manual_seed(0)


class Layer(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm1, self.norm2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.up, self.down = torch.nn.Linear(width, 2 * width), torch.nn.Linear(2 * width, width)

    def forward(self, x, mask):
        b, s, w = x.shape
        q, k, v = (part.view(b, s, 2, w // 2).transpose(1, 2) for part in self.qkv(self.norm1(x)).chunk(3, -1))
        y = torch.softmax(q @ k.transpose(-1, -2) * (w // 2) ** -0.5 + mask, -1) @ v
        x = x + self.out(y.transpose(1, 2).reshape(b, s, w))
        return x + self.down(functional.gelu(self.up(self.norm2(x))))


class Stack(torch.nn.Module):
    def __init__(self, layers=6, width=16):
        super().__init__()
        self.embedding = torch.nn.Embedding(32, width)
        self.layers = torch.nn.ModuleList(Layer(width) for _ in range(layers))
        self.head = torch.nn.Linear(width, 32)

    def forward(self, ids):
        x = self.embedding(ids)
        at = torch.arange(ids.shape[1])
        mask = torch.where(at[:, None] >= at, 0.0, -100.0)
        for layer in self.layers:
            x = layer(x, mask)
        return self.head(x)


class Scaled(torch.nn.Module):
    """Makes a tensor of numbers in each layer."""

    def __init__(self, width=16):
        super().__init__()
        self.norm, self.up, self.down = torch.nn.LayerNorm(width), torch.nn.Linear(width, 2 * width), torch.nn.Linear(2 * width, width)

    def forward(self, x):
        y = functional.silu(self.up(self.norm(x))) * torch.tensor(0.5) + torch.relu(x).sum()
        y = torch.tanh(self.down(y) / 3 + y.abs().mean())
        return x + torch.where(y > 0, y, y * torch.tensor([0.25]))


class Regions(unittest.TestCase):
    def explained(self, net, *args, **how):
        torch._dynamo.reset()
        recorder = report.Recorder()
        result = torch.compile(net, backend=tcc.dynamo.backend, fullgraph=True, **how)(*args)
        return result, recorder

    def test_tensors_of_a_region(self):
        net, x = torch.nn.Sequential(*[Scaled() for _ in range(6)]), torch.randn(3, 16)
        with torch.no_grad():
            got, recorder = self.explained(net, x)
            torch.testing.assert_close(got, net(x), atol=1e-5, rtol=1e-5)
        self.assertEqual([fold["copies"] for fold in recorder.stop().folds], [6])
        got, recorder = self.explained(net, x.requires_grad_())
        recorder.stop()
        got.sum().backward()
        found, x.grad = x.grad, None
        net(x).sum().backward()
        torch.testing.assert_close(found, x.grad, atol=1e-5, rtol=1e-5)

    def test_tensors_are_handed_in_without_a_warning(self):
        """torch 2.11's Graph.get_attr warns of what is neither a parameter nor a buffer."""
        net, x = torch.nn.Sequential(*[Scaled() for _ in range(4)]), torch.randn(3, 16)
        with torch.no_grad(), warnings.catch_warnings():
            warnings.filterwarnings("error", "Attempted to insert a get_attr")
            got, _ = self.explained(net, x)
        torch.testing.assert_close(got, net(x), atol=1e-5, rtol=1e-5)

    def test_inference(self):
        net, ids = Stack(), torch.randint(0, 32, (2, 7))
        with torch.no_grad():
            got, recorder = self.explained(net, ids)
            torch.testing.assert_close(got, net(ids), atol=1e-5, rtol=1e-5)
        found = recorder.stop()
        [fold] = found.folds
        self.assertEqual((fold["copies"], fold["reason"]), (6, None))
        self.assertGreater(fold["nodes"], 15)
        self.assertGreaterEqual(found.graphs[0]["regions"], 1)

    def test_parameters_that_are_constants(self):
        """Where torch's freezing is on, Dynamo's graph has them in its midst."""
        net, ids = Stack().eval(), torch.randint(0, 32, (2, 8))
        with torch.no_grad(), unittest.mock.patch("torch._inductor.config.freezing", True):
            got, recorder = self.explained(net, ids)
            torch.testing.assert_close(got, net(ids))
        self.assertEqual([fold["copies"] for fold in recorder.stop().folds], [6])

    def test_training(self):
        net, ids = Stack(), torch.randint(0, 32, (2, 7))
        net(ids).square().mean().backward()
        want = {name: p.grad.clone() for name, p in net.named_parameters()}
        net.zero_grad()
        got, recorder = self.explained(net, ids)
        got.square().mean().backward()
        found = recorder.stop()
        self.assertTrue(found.folds and not found.folds[0]["reason"], found.folds)
        self.assertEqual([graph["kind"] for graph in found.graphs], ["forward", "backward"])
        for name, p in net.named_parameters():
            torch.testing.assert_close(p.grad, want[name], atol=1e-5, rtol=1e-4, msg=name)

    def test_writes_are_asked_for_once(self):
        """However many copies are differentiated: torch traces the subgraph for each answer."""
        counts = []
        for layers in (4, 8):
            kind, asked = type(compat.invoke_subgraph), []
            ask = kind.gen_schema
            with unittest.mock.patch.object(kind, "gen_schema", lambda *given: asked.append(given) or ask(*given)):
                got, recorder = self.explained(Stack(layers), torch.randint(0, 32, (2, 7)))
                got.sum().backward()
            self.assertEqual([fold["copies"] for fold in recorder.stop().folds], [layers])
            counts.append(len(asked))
        self.assertEqual(counts[0], counts[1])
        self.assertNotIn("gen_schema", vars(compat.invoke_subgraph))

    def test_sizes(self):
        net = Stack()
        call = torch.compile(net, backend=tcc.dynamo.backend, dynamic=True)
        torch._dynamo.reset()
        with torch.no_grad():
            for shape in ((2, 7), (3, 5), (4, 9)):
                ids = torch.randint(0, 32, shape)
                torch.testing.assert_close(call(ids), net(ids), atol=1e-5, rtol=1e-5)

    def test_autocast(self):
        net, ids = Stack(), torch.randint(0, 32, (2, 7))
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
            got, recorder = self.explained(net, ids)
            want = net(ids)
        recorder.stop()
        self.assertEqual(got.dtype, want.dtype)
        torch.testing.assert_close(got, want, atol=0.1, rtol=0.1)

    def test_off(self):
        with torch.no_grad():
            _, recorder = self.explained(Stack(), torch.randint(0, 32, (2, 7)), options={"regions": False})
        self.assertEqual(recorder.stop().folds, [])

    def test_writes(self):
        class Counting(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("seen", torch.zeros(8))

            def forward(self, x):
                for _ in range(3):
                    x = torch.sigmoid(torch.relu(x * 2 - 1) + torch.tanh(x) * torch.exp(-x)) + 1
                self.seen.add_(x.sum(0))
                return x / self.seen.abs().sum()
        net = torch.nn.Sequential(*(Counting() for _ in range(5)))
        same = torch.nn.Sequential(*(Counting() for _ in range(5)))
        x = torch.randn(4, 8)
        with torch.no_grad():
            got, recorder = self.explained(net, x)
            torch.testing.assert_close(got, same(x))
        for mine, its in zip(net, same):
            torch.testing.assert_close(mine.seen, its.seen)
        for fold in recorder.stop().folds:
            if fold["reason"]:
                self.assertIn("writes to what its region is given", fold["reason"])

    def test_dropout_stays_in_line(self):
        graph = torch.fx.Graph()
        x = graph.placeholder("x")
        drop = graph.call_function(functional.dropout, (x, 0.5, True))
        self.assertTrue(regions._is_barrier(drop))
        self.assertFalse(regions._is_barrier(graph.call_function(functional.dropout, (x, 0.5, False))))

    def test_matrices_that_must_be_regular(self):  # of a subgraph that asks, torch forgets the gradients
        for of in (torch.linalg.inv, torch.linalg.cholesky, torch.inverse, lambda a: torch.linalg.solve(a, a.mT + 1), lambda a: torch.linalg.lu_factor(a)[0],
                   lambda a: torch.linalg.matrix_power(a, -2), lambda a: torch.linalg.tensorinv(a[0], ind=1)):
            def net(x):
                for _ in range(3):
                    y = of(x @ x.mT + 3 * torch.eye(6))
                    x = torch.tanh(x + torch.tanh(y.abs()).mean() * torch.sigmoid(x) - y.sum() / 9)
                return x
            x = torch.randn(1, 6, 9)
            leaves = [x.clone().requires_grad_() for _ in range(2)]
            got, want = self.explained(net, leaves[0])[0], net(leaves[1])
            got.sum().backward(), want.sum().backward()
            torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)
            torch.testing.assert_close(leaves[0].grad, leaves[1].grad, rtol=1e-3, atol=1e-4)

    def test_other_constants_are_not_folded(self):
        def net(x):
            for i in range(8):
                for _ in range(5):
                    x = torch.relu(x / (2 + i) - 1) + torch.tanh(x)
            return x
        x = torch.randn(3)
        got, recorder = self.explained(net, x)
        torch.testing.assert_close(got, net(x), equal_nan=True)
        self.assertTrue(all(fold["copies"] <= 5 for fold in recorder.stop().folds))

    def test_two_inputs_that_are_one_in_the_first_copy(self):
        def net(x):
            a = b = x
            for _ in range(6):
                for _ in range(4):
                    a = torch.relu(a * 0.5 + b)
                a, b = torch.tanh(a) + b, torch.sigmoid(a)
            return a, b
        x = torch.randn(5)
        got, recorder = self.explained(net, x)
        torch.testing.assert_close(got, net(x))
        self.assertEqual([fold["copies"] for fold in recorder.stop().folds], [5])

    def test_a_result_that_the_last_copy_makes_in_vain(self):
        """What it is made of alone has no gradient, not one of zeros, with which an optimizer would go on."""
        class Streams(torch.nn.Module):
            def __init__(self, layers=5, width=8):
                super().__init__()
                self.main, self.beside = (torch.nn.ModuleList(torch.nn.Linear(width, width) for _ in range(layers)) for _ in range(2))

            def forward(self, x, y):
                for main, beside in zip(self.main, self.beside):
                    both = torch.tanh(x + y).sin().cos().exp() * 0.5 + x.sigmoid()
                    x, y = torch.relu(main(both)) + x, beside(both.tanh() + y * 0.25).sigmoid()
                return x

        net, args = Streams(), (torch.randn(3, 8), torch.randn(3, 8))
        got, recorder = self.explained(net, *args)
        got.square().sum().backward()
        self.assertEqual([fold["copies"] for fold in recorder.stop().folds], [3])
        found = {name: p.grad for name, p in net.named_parameters()}
        net.zero_grad(set_to_none=True)
        net(*args).square().sum().backward()
        for name, p in net.named_parameters():
            self.assertEqual(found[name] is None, p.grad is None, name)
            if p.grad is not None:
                torch.testing.assert_close(found[name], p.grad)
        self.assertEqual([name for name, grad in found.items() if grad is None], ["beside.4.weight", "beside.4.bias"])
        with torch.no_grad():  # without gradients all are alike
            got, recorder = self.explained(net, *args)
            torch.testing.assert_close(got, net(*args))
        self.assertEqual([fold["copies"] for fold in recorder.stop().folds], [5])


if __name__ == "__main__":
    unittest.main()
