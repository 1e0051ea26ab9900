"""graph_json_test.py [ARCHIVE...]: graphs of torch.export, written by graph_json.py and by torch: of small networks, or of .pt2 archives."""
import json
import sys
import unittest

import torch
from torch._export.serde import serialize
from torch.export import Dim, export

from tcc import graph_json


def plain(value):
    """Without what is None, which the schema takes for absent, and without where nodes come from."""
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items() if v is not None and key != "metadata"}
    return [plain(v) for v in value] if isinstance(value, (list, tuple)) else value


class Many(torch.nn.Module):
    """Many kinds of arguments."""
    def __init__(self):
        super().__init__()
        self.conv, self.norm = torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8)
        self.register_buffer("seen", torch.zeros(1, dtype=torch.int64))

    def forward(self, x, index):
        self.seen.add_(1)
        y = self.norm(self.conv(x))
        first, second = y.chunk(2, dim=1)
        _, places = y.max(dim=1)
        top, _ = torch.topk(first.flatten(1), 3)
        picked = y[:, index]
        z = torch.full((2,), float("inf"), dtype=torch.float64) + torch.arange(2, device="cpu")
        other = torch.ops.aten.index_put(y, [None, index], torch.zeros(()))
        return {"a": [first + second, places, top], "b": (picked, z, other.to(torch.bfloat16), y.contiguous(memory_format=torch.channels_last),
                                                          torch.split(y, [3, 5], 1)[1], second.sum(()))}


class Sizes(torch.nn.Module):
    def forward(self, x, y):
        n = x.shape[0]
        return x.view(n * x.shape[1]) + 1, torch.cat([x, y]).reshape(-1, 2), torch.zeros(n + 2, n // 2, dtype=torch.bool), n


class Branch(torch.nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: x.sin() + 1, lambda x: x.cos(), (x,))


class Loop(torch.nn.Module):
    def forward(self, n, x):
        from torch._higher_order_ops.while_loop import while_loop
        return while_loop(lambda n, x: n > 0, lambda n, x: (n - 1, x * 2), (n, x))


class Quiet(torch.nn.Module):
    def forward(self, x):
        with torch.no_grad():
            y = x * 2
        return y + torch.tensor([1.0, 2.0, 3.0])


class Item(torch.nn.Module):
    def forward(self, x):
        n = x.max().item()
        torch._check(n >= 0)
        torch._check(n < 100)
        return torch.nonzero(x), torch.arange(n)


class GraphJson(unittest.TestCase):
    maxDiff = 2000

    def same(self, net, args, **how):
        self.same_program(export(net, args, **how))

    def same_program(self, program):
        writer = serialize.GraphModuleSerializer(program.graph_signature, program.module_call_graph)
        theirs = json.loads(json.dumps(serialize._dataclass_to_dict(writer.serialize_graph(program.graph_module)), cls=serialize.EnumEncoder))
        mine = json.loads(graph_json.graph(program.graph_module))
        self.assertEqual(plain(mine), plain(theirs))

    def test_arguments(self):
        self.same(Many(), (torch.randn(2, 3, 8, 8), torch.tensor([1, 3])))
        self.same(Many().eval(), (torch.randn(2, 3, 8, 8), torch.tensor([1, 3])))

    def test_sizes(self):
        self.same(Sizes(), (torch.randn(6, 4), torch.randn(6, 4)), dynamic_shapes={"x": {0: Dim("n", min=4, max=64)}, "y": {0: Dim("n", min=4, max=64)}})

    def test_control_flow(self):
        self.same(Branch(), (torch.randn(3),))
        self.same(Loop(), (torch.tensor(4), torch.randn(3)))
        self.same(Quiet(), (torch.randn(3),))

    def test_data(self):
        self.same(Item(), (torch.tensor([3, 0, 5]),))

    def test_attention(self):
        net = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).eval()
        self.same(net, (torch.randn(2, 5, 16),))
        self.same(torch.nn.LSTM(4, 8), (torch.randn(5, 2, 4),))

    def test_archives(self):
        for path in archives:
            self.same_program(torch.export.load(path))

    def test_program(self):
        net = torch.fx.symbolic_trace(torch.nn.Linear(4, 4))
        program = export(Sizes(), (torch.randn(6, 4), torch.randn(6, 4)), dynamic_shapes={"x": {0: Dim("n", min=4, max=64)}, "y": {0: Dim("n", min=4, max=64)}})
        module = program.graph_module
        text, names = graph_json.program(module, static={1}, source=True)
        document = json.loads(text)
        self.assertEqual((document["schema_version"]["major"], names), (8, []))
        self.assertEqual([next(iter(s)) for s in document["graph_module"]["signature"]["input_specs"]], ["user_input", "parameter"])
        self.assertEqual(document["range_constraints"], {str(k): {"min_val": int(v.lower), "max_val": int(v.upper)}
                                                         for k, v in program.range_constraints.items()})
        traces = {n["name"]: n["metadata"].get("stack_trace", "") for n in document["graph_module"]["graph"]["nodes"]}
        self.assertRegex(traces["view"], r'^File ".*graph_json_test.py", line \d+, in forward\n.*x.view')
        with self.assertRaises(graph_json.Unsupported):
            graph_json.graph(net)


if __name__ == "__main__":
    archives = sys.argv[1:]
    unittest.main(argv=[sys.argv[0], *(["GraphJson.test_archives"] if archives else [])])
