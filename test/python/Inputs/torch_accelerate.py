"""accelerate as it is: compile_regions, TorchDynamoPlugin after import tcc (in either order), the environment's variables, prepare, autocast."""
import os
import subprocess
import sys
import unittest

import torch

import tcc
import tcc.dynamo
import tcc.report
from accelerate import Accelerator
from accelerate.state import AcceleratorState, GradientState, PartialState
from accelerate.utils import DynamoBackend, TorchDynamoPlugin, compile_regions


class Net(torch.nn.Module):
    def __init__(self, layers=4):
        super().__init__()
        self.first = torch.nn.Linear(4, 8)
        self.layers = torch.nn.ModuleList(torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()) for _ in range(layers))

    def forward(self, x):
        x = self.first(x)
        for layer in self.layers:
            x = x + layer(x)
        return x


class Accelerate(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        for state in (AcceleratorState, GradientState, PartialState):
            state._reset_state()

    def test_member(self):
        self.assertEqual(DynamoBackend("TCC"), DynamoBackend.TCC)
        self.assertIn("TCC", DynamoBackend.list())
        self.assertIn(DynamoBackend.TCC, list(DynamoBackend))
        with self.assertRaises(ValueError):
            DynamoBackend("TCD")

    def test_regions(self):
        net, x = Net(), torch.randn(2, 4)
        recorder = tcc.report.Recorder()
        with torch.no_grad():
            torch.testing.assert_close(compile_regions(net, backend="tcc")(x), net(x))
        graphs = recorder.stop().graphs
        self.assertEqual(len(graphs), 2)  # the first layer, and one for all the others

    def test_equal_layers_that_recompile(self):
        """Layers that differ in what Dynamo guards on alone: one is compiled, the others are found, and behind the limit the report names guard and limit."""
        class Layer(torch.nn.Module):
            def __init__(self, index):
                super().__init__()
                self.index, self.linear = index, torch.nn.Linear(8, 8)

            def forward(self, x, cache):
                cache[self.index] = torch.relu(self.linear(x))
                return cache[self.index] + 1

        class Stack(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = torch.nn.ModuleList(Layer(i) for i in range(24))

            def forward(self, x):
                cache = [None] * len(self.layers)
                for layer in self.layers:
                    x = layer(x, cache)
                return x
        net, x, limit = Stack(), torch.randn(2, 8), torch._dynamo.config.recompile_limit
        recorder = tcc.report.Recorder()
        with torch.no_grad():
            torch.testing.assert_close(compile_regions(net, backend="tcc")(x), net(x))
        found = recorder.stop()
        self.assertEqual(len(found.graphs), limit)
        self.assertLessEqual(sum(not graph["cached"] for graph in found.graphs), 1)  # none where the disk has it
        self.assertTrue(all(one["guard"].startswith("self.index == ") for one in found.recompiles), found.recompiles)
        self.assertTrue(any("recompile limit" in one["reason"].lower() and str(limit) in one["reason"] for one in found.eager), found.eager)

    def test_prepare(self):
        for how in (dict(dynamo_plugin=TorchDynamoPlugin(backend="tcc")), dict(dynamo_backend="tcc")):
            self.setUp()
            net = Net()
            accelerator = Accelerator(cpu=True, **how)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            x, same = torch.randn(2, 4), Net()
            same.load_state_dict(net.state_dict())
            recorder = tcc.report.Recorder()
            net, optimizer = accelerator.prepare(net, optimizer)
            loss = net(x).square().mean()
            accelerator.backward(loss)
            self.assertEqual([graph["kind"] for graph in recorder.stop().graphs], ["forward", "backward"])
            same(x).square().mean().backward()
            for a, b in zip(net.parameters(), same.parameters()):
                torch.testing.assert_close(a.grad, b.grad)
            optimizer.step()

    def test_autocast(self):
        accelerator = Accelerator(cpu=True, mixed_precision="bf16", dynamo_plugin=TorchDynamoPlugin(backend="tcc", use_regional_compilation=True))
        net, x = Net(), torch.randn(2, 4)
        with torch.autocast("cpu", torch.bfloat16):
            want = net(x)
        got = accelerator.prepare(net)(x)
        torch.testing.assert_close(got, want.float(), atol=0.05, rtol=0.05)

    def test_environment_and_order(self):
        program = """if 1:
            import sys
            {0}
            import {1}
            import {2}
            from accelerate import Accelerator
            import torch
            net = Accelerator(cpu=True).prepare(torch.nn.Linear(4, 4))
            print(torch._dynamo.is_compiling() or type(net).__name__, net(torch.ones(1, 4)).shape)
            assert "tcc.dynamo" in sys.modules
            """
        environment = dict(os.environ, ACCELERATE_DYNAMO_BACKEND="tcc")
        for first, second in (("tcc", "accelerate"), ("accelerate", "tcc")):
            text = program.format("assert 'accelerate' not in sys.modules", first, second)
            made = subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True)
            self.assertEqual((made.returncode, made.stdout), (0, "OptimizedModule torch.Size([1, 4])\n"), made.stderr)


if __name__ == "__main__":
    unittest.main()
