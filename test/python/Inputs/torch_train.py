"""A student that learns from a frozen teacher, with the loss in one graph: 20 steps of Adam under bf16 autocast stay on eager mode's curve.

With dropout the same seed gives the same curve. A checkpoint draws again what it drew. Losses may be scaled."""
import copy
import functools
import unittest

import torch
import torch.nn.functional as F
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

import tcc.report
from tcc import dynamo, joint

STEPS = 20


class Classifier(torch.nn.Module):
    def __init__(self, width, layers, dropout=0.0):
        super().__init__()
        self.embed = torch.nn.Embedding(50, width)
        layer = torch.nn.TransformerEncoderLayer(width, 4, 2 * width, dropout, batch_first=True, norm_first=True)
        self.layers = torch.nn.ModuleList(copy.deepcopy(layer) for _ in range(layers))
        self.head = torch.nn.Linear(width, 10)

    def forward(self, ids):
        x = self.embed(ids)
        for layer in self.layers:
            x = layer(x)
        return self.head(x.mean(1))


class Distillation(torch.nn.Module):
    """The student's loss: what it says of the classes, and how far it is from the teacher."""

    def __init__(self, dropout=0.0):
        super().__init__()
        torch.manual_seed(0)
        self.teacher, self.student = Classifier(64, 2).eval().requires_grad_(False), Classifier(32, 2, dropout)

    def forward(self, ids, classes):
        with torch.no_grad():
            wanted = F.log_softmax(self.teacher(ids).to(self.student.head.weight.dtype) / 2, -1)
        logits = self.student(ids).to(wanted.dtype)
        return F.cross_entropy(logits, classes) + 4 * F.kl_div(F.log_softmax(logits / 2, -1), wanted, log_target=True, reduction="batchmean")


def losses(net, forward, autocast):
    torch.manual_seed(1)
    optimizer, seen = torch.optim.Adam(net.student.parameters(), lr=3e-3), []
    data = [(torch.randint(0, 50, (8, 12)), torch.randint(0, 10, (8,))) for _ in range(2)]
    torch.manual_seed(2)
    for step in range(STEPS):
        with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
            loss = forward(*data[step % 2])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        seen.append(loss.item())
    return torch.tensor(seen, dtype=torch.float64)


@functools.cache
def exact():
    return losses(*[Distillation().double()] * 2, False)


def compiled(net):
    torch._dynamo.reset()
    return torch.compile(net, backend=dynamo.backend, fullgraph=True)


def rms(x):
    return x.square().mean().sqrt()


class Train(unittest.TestCase):
    def near(self, ours, eager):
        self.assertLessEqual(rms(ours - exact()), 2 * rms(eager - exact()) + 1e-6 * rms(exact()), (ours, eager, exact()))

    def test_autocast(self):
        eager = losses(*[Distillation()] * 2, True)
        net, recorder = Distillation(), tcc.report.Recorder()
        ours = losses(net, compiled(net), True)
        found = recorder.stop()
        self.assertEqual([graph["kind"] for graph in found.graphs], ["forward", "backward"])
        self.assertLess(ours[-1], 0.9 * ours[1])
        self.near(ours, eager)

    def test_f32(self):
        eager = losses(*[Distillation()] * 2, False)
        net = Distillation()
        ours = losses(net, compiled(net), False)
        self.near(ours, eager)

    def test_dropout(self):
        net = Distillation(0.2)
        call, begin, curves = compiled(net), copy.deepcopy(net.state_dict()), []
        for _ in range(2):
            net.load_state_dict(begin)
            curves.append(losses(net, call, True))
        self.assertTrue(torch.equal(*curves))
        self.assertGreater(rms(curves[0] - losses(*[Distillation()] * 2, True)), 1e-3)  # something was dropped


class Common(unittest.TestCase):
    """tcc.joint beside functorch's own pass, which it takes the place of."""

    def graph(self, function, *inputs):
        made = make_fx(function, tracing_mode="fake")(*inputs)
        return made, len(made.graph.nodes)

    def merged(self, function, *inputs, forward=99):
        made, before = self.graph(function, *inputs)
        joint.merge(made.graph, forward)
        made.recompile()
        torch.testing.assert_close(made(*inputs), function(*inputs))
        return before - len(made.graph.nodes)

    def test_equal_ones(self):
        x = torch.randn(3, 4)
        self.assertEqual(self.merged(lambda x: (x.sin() * x.cos() + x.sin()) @ x.t() + x.t().sum(), x), 2)
        self.assertEqual(self.merged(lambda x: x.sum(0) * x.sum(1, keepdim=True) + 1.0 + x.sum(0) * x.sum(1, keepdim=True), x), 3)

    def test_others(self):
        x = torch.randn(3, 4)
        self.assertEqual(self.merged(lambda x: (x.sin(), x.sin()), x), 0)  # results are apart in memory
        self.assertEqual(self.merged(lambda x: torch.atan2(x * 0.0, x * -0.0) + (x + 1) / (x + 1.0), x), 0)
        self.assertEqual(self.merged(lambda x: (torch.empty(2).fill_(1), torch.empty(2).fill_(2)), x), 0)
        made, _ = self.graph(lambda x: torch.rand_like(x) - torch.rand_like(x), x)
        joint.merge(made.graph, 1)
        self.assertNotEqual(made(x).abs().max(), 0)

    def test_mutation_in_between(self):
        def function(x):
            y = x * 2
            before = y.sin() + 1
            y.add_(1)
            return before, y.sin() + 2
        self.assertEqual(self.merged(function, torch.randn(3)), 0)

    def test_parts(self):
        """What the backward pass needs does not become one with what it does not."""
        self.assertEqual(self.merged(lambda x: (x.sin() + 1, x.sin() + 2), torch.randn(3), forward=1), 0)
        self.assertEqual(self.merged(lambda x: (x.sin() + 1, x.sin() + 2), torch.randn(3), forward=2), 1)


class Checkpointed(torch.nn.Module):
    """Layers with dropout, whose insides the backward pass computes again where `reentrant` says how."""

    def __init__(self, reentrant=None):
        super().__init__()
        torch.manual_seed(0)
        layer = torch.nn.Sequential(torch.nn.LayerNorm(32), torch.nn.Linear(32, 64), torch.nn.GELU(), torch.nn.Dropout(0.3), torch.nn.Linear(64, 32))
        self.layers, self.reentrant = torch.nn.ModuleList(copy.deepcopy(layer) for _ in range(3)), reentrant

    def forward(self, x):
        for layer in self.layers:
            x = x + (layer(x) if self.reentrant is None else checkpoint(layer, x, use_reentrant=self.reentrant))
        return x


def gradients(net, **options):
    torch._dynamo.reset()
    fast, x = torch.compile(net, backend=dynamo.backend, **options), torch.arange(96.0).reshape(3, 32).cos().requires_grad_()
    for _ in range(2):  # the second one of the graphs as they are known
        net.zero_grad()
        x.grad = None
        torch.manual_seed(7)
        loss = (fast(x) ** 2).sum()
        torch.manual_seed(8)  # what is drawn in between changes nothing
        loss.backward()
    return [loss.detach(), x.grad, *(p.grad for p in net.parameters())]


class Checkpoints(unittest.TestCase):
    def test_same_masks(self):
        """A checkpoint's second computation drops what the first one dropped."""
        want = gradients(Checkpointed())
        for reentrant in (False, True):
            for got, expected in zip(gradients(Checkpointed(reentrant)), want, strict=True):
                torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-4)

    def test_selective(self):
        """Kept: the results of products. Of dropout none, though it is in front of one."""
        def policy(context, operator, *args, **named):
            return CheckpointPolicy.MUST_SAVE if operator == torch.ops.aten.addmm.default else CheckpointPolicy.PREFER_RECOMPUTE

        net = Checkpointed()
        contexts = functools.partial(create_selective_checkpoint_contexts, policy)
        torch._dynamo.reset()
        fast = torch.compile(lambda x: checkpoint(net, x, use_reentrant=False, context_fn=contexts), backend=dynamo.backend)
        x = torch.randn(3, 32)
        torch.manual_seed(7)
        (fast(x) ** 2).sum().backward()
        got = [p.grad for p in net.parameters()]
        net.zero_grad()
        torch._dynamo.reset()
        torch.manual_seed(7)
        (torch.compile(net, backend=dynamo.backend)(x) ** 2).sum().backward()
        for one, other in zip(got, net.parameters(), strict=True):
            torch.testing.assert_close(one, other.grad, rtol=1e-4, atol=1e-4)

    def test_scaled(self):
        """f16 with a GradScaler and clipping stays on eager mode's curve."""
        def curve(forward, net):
            torch.manual_seed(3)
            x, y = torch.randn(64, 32), torch.randn(64, 32)
            optimizer, scaler, seen = torch.optim.SGD(net.parameters(), 0.05), torch.amp.GradScaler("cpu"), []
            for _ in range(6):
                optimizer.zero_grad()
                with torch.autocast("cpu", torch.float16):
                    loss = F.mse_loss(forward(x).float(), y)
                scaler.scale(loss).backward()
                scaler.unscale_(optimizer)
                torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
                scaler.step(optimizer)
                scaler.update()
                seen.append(loss.item())
            return torch.tensor(seen)

        eager, compiled = (Checkpointed(False).eval() for _ in range(2))
        torch._dynamo.reset()
        torch.testing.assert_close(curve(torch.compile(compiled, backend=dynamo.backend), compiled), curve(eager, eager), rtol=1e-2, atol=1e-2)


if __name__ == "__main__":
    unittest.main()
