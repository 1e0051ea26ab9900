"""torch_processes.py: one of two processes (torchrun, accelerate launch) with gloo; what backend tcc computes is what eager does.

ddp, fsdp: ten steps of a small stack of layers, losses and weights as eager's. collective: all_reduce inside of a graph.
"""
import copy
import os

import torch
import torch.distributed as dist
from torch.distributed import _functional_collectives as collectives

import tcc.dynamo
import tcc.report
from tcc import _native, partition


class Layer(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.up, self.down = torch.nn.RMSNorm(width), torch.nn.Linear(width, 2 * width), torch.nn.Linear(2 * width, width)

    def forward(self, x):
        return x + self.down(torch.nn.functional.silu(self.up(self.norm(x))))


class Stack(torch.nn.Module):
    def __init__(self, layers=2, width=16):
        super().__init__()
        self.layers = torch.nn.ModuleList(Layer(width) for _ in range(layers))
        self.head = torch.nn.Linear(width, 4)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


def train(net, steps=10):
    torch.manual_seed(100 + dist.get_rank())
    optimizer, losses = torch.optim.Adam(net.parameters(), lr=1e-2), []
    for _ in range(steps):
        loss = net(torch.randn(8, 16)).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


def ddp(net, compiled):
    dist._DEFAULT_FIRST_BUCKET_BYTES = 1024  # several buckets, so that DDPOptimizer cuts the graph
    net = torch.nn.parallel.DistributedDataParallel(net, bucket_cap_mb=0.002)
    return torch.compile(net, backend="tcc") if compiled else net


def fsdp(net, compiled):
    from torch.distributed.fsdp import fully_shard
    mesh = dist.device_mesh.init_device_mesh("cpu", (dist.get_world_size(),))
    for layer in net.layers:
        if compiled:
            layer.compile(backend="tcc")
        fully_shard(layer, mesh=mesh)
    return fully_shard(net, mesh=mesh)


def compare(wrap):
    torch.manual_seed(0)
    net = Stack()
    want = train(wrap(copy.deepcopy(net), False))
    recorder = tcc.report.Recorder()
    got = train(wrap(net, True))
    found = recorder.stop()
    assert found.graphs and not found.eager, str(found)
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)
    return found


class Kept:
    """A compiled part that remembers what it was given and what it gave."""
    _boxed_call, parts, callable = True, [], _native.Callable

    def __init__(self, *how):
        self.call, self.given, self.gave = Kept.callable(*how), None, None
        Kept.parts.append(self)

    def __call__(self, arguments):
        self.given = list(arguments)
        self.gave = self.call(arguments)
        return self.gave


def keep_eager(module):
    """The same of what torch runs."""
    part = Kept.__new__(Kept)
    part.call, part.given, part.gave = lambda arguments: module.forward(*arguments), None, None
    Kept.parts.append(part)
    return part


def collective():
    def step(x, w):
        y = collectives.all_reduce(torch.relu(x @ w), "sum", dist.group.WORLD)
        return torch.tanh(y) + 1

    torch.manual_seed(dist.get_rank())
    x, w = torch.randn(4, 8), torch.randn(8, 8)
    with torch.no_grad():
        want = step(x, w)
        recorder = tcc.report.Recorder()
        _native.Callable, partition._eager = Kept, keep_eager
        got = torch.compile(step, backend="tcc", fullgraph=True)(x, w)
    torch.testing.assert_close(got, want)
    before, torchs, behind = Kept.parts
    assert before.gave[0] is torchs.given[0] and torchs.gave[-1] is behind.given[0]  # without a copy
    [graph] = recorder.stop().graphs
    operators = [one["operator"] for one in graph["outside"]]
    assert operators == ["_c10d_functional.all_reduce.default", "_c10d_functional.wait_tensor.default"], operators
    assert graph["parts"] == 2 and {one["reason"] for one in graph["outside"]} == {"collective"}, graph


def main():
    dist.init_process_group("gloo")
    torch.set_num_threads(1)
    for kind, work in (("ddp", lambda: compare(ddp)), ("fsdp", lambda: compare(fsdp)), ("collective", collective)):
        torch._dynamo.reset()
        work()
        dist.barrier()
        os.write(1, f"{kind} {os.environ['RANK']} as eager\n".encode())  # in one piece: the other process writes, too
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
