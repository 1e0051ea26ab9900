"""torch's tensors on a device, as far as a torch without CUDA has them: graphs of fake tensors decide what is compiled."""
import unittest
from unittest import mock

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

from tcc import _native, device, dynamo


def graph_of(function, *devices):
    with FakeTensorMode():
        inputs = [torch.empty(() if where == "number" else (4, 8), device="cpu" if where == "number" else where) for where in devices]
        return make_fx(function)(*inputs)


def capability(major, minor):
    return mock.patch.object(torch.cuda, "get_device_capability", lambda index: (major, minor))


class Devices(unittest.TestCase):
    def refused(self, words, graph, **settings):
        with self.assertRaises(_native.Error) as caught:
            device.settings_for(graph.graph, settings)
        self.assertEqual((caught.exception.code, str(caught.exception)), ("unsupported", words))

    def test_target(self):
        graph = graph_of(lambda x, y, n: torch.relu(x + y) * n, "cuda:0", "cuda", "number")
        for known, chip in (((9, 0), "sm_90a"), ((8, 0), "sm_80"), ((8, 7), "sm_86"), ((12, 0), "sm_100"), ((10, 3), "sm_100")):
            with capability(*known):
                self.assertEqual(device.settings_for(graph.graph, {}), {"target": f"nvptx,{chip}"})
        self.assertEqual(device.settings_for(graph.graph, {"target": "nvptx,sm_80"}), {"target": "nvptx,sm_80"})
        with capability(6, 1):
            self.refused("cuda:0 is an sm_61, sm_70 is the oldest chip that tcc compiles for", graph)

    def test_host(self):
        graph = graph_of(lambda x, y: x + y, "cpu", "cpu")
        self.assertEqual(device.settings_for(graph.graph, {"target": None}), {"target": None})

    def test_refused(self):
        self.refused("all tensors of a graph lie on one device, x_1 is on cuda:0, y_1 is on cpu",
                     graph_of(lambda x, y: (x + 1, y + 1), "cuda:0", "cpu"))
        self.refused("all tensors of a graph lie on one device, x_1 is on cuda:0, _to_copy is on cpu",
                     graph_of(lambda x: torch.ops.aten._to_copy.default(x, device=torch.device("cpu")), "cuda:0"))
        self.refused("x_1 is on cuda:1: tcc runs on cuda:0", graph_of(lambda x: x + 1, "cuda:1"))
        self.refused("x_1 is on cuda:0, and the option target is 'x86'", graph_of(lambda x: x + 1, "cuda:0"), target="x86")

    def test_compiled(self):
        """The graph compiles for the chip and is loaded, here by the emulated driver; a torch without CUDA has no tensors to call it with."""
        graph, models = graph_of(lambda x, y: (torch.relu(x @ y.t()),), "cuda:0", "cuda:0"), []
        with capability(9, 0):
            dynamo.compile_part(graph, frozenset(), settings=dict(mode="reduce-overhead", threads=1), kind="inference", models=models, lowered=[])
        self.assertEqual((models[0]["target"], models[0]["machine"]), ("nvptx", "sm_90a"))

    def test_attention(self):
        """What torch makes of attention and a batch norm on a GPU compiles for it."""
        def net(x, stat):
            x = torch.ops.aten._native_batch_norm_legit_no_training(x, stat, stat, stat, stat, 0.1, 1e-5)[0].bfloat16()
            return torch.ops.aten._scaled_dot_product_cudnn_attention(x, x, x, None, False)[:1]
        with FakeTensorMode():
            graph, models = make_fx(net)(torch.empty(2, 4, 32, 64, device="cuda"), torch.empty(4, device="cuda")), []
        with capability(9, 0):
            dynamo.compile_part(graph, frozenset(), settings=dict(mode=None, threads=1), kind="inference", models=models, lowered=[])
        self.assertEqual((models[0]["target"], models[0]["machine"]), ("nvptx", "sm_90a"))


unittest.main()
