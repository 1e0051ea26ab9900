"""torch_symbolic_windows.py: windows over images whose sizes are symbols: pools by averages, adaptive ones, unfold and fold, pads to whole windows.
One compilation for all sizes, results and gradients beside eager mode."""
import torch
import torch.nn.functional as F

from tcc.dynamo import backend

MODULES = {
    "overlapping averages": lambda x: F.avg_pool2d(F.avg_pool2d(x, 3, 2, 1), 2, 1, count_include_pad=False),
    "averages of whole windows": lambda x: F.avg_pool2d(x, 2, ceil_mode=True),
    "sums of windows": lambda x: F.avg_pool2d(x, (2, 3), 1, divisor_override=5),
    "adaptive averages": lambda x: F.adaptive_avg_pool2d(x, (4, 3)),
    "one axis stays": lambda x: F.adaptive_avg_pool2d(x, (None, 2)),
    "unfold and fold": lambda x: F.fold(F.unfold(x, (3, 2), padding=1, stride=(2, 1)), x.shape[-2:], (3, 2), padding=1, stride=(2, 1)),
    "reflected to whole windows": lambda x: F.pad(x, (0, -x.shape[3] % 4, x.shape[2] // 4, 0), mode="reflect") ** 2,
    "edges to whole windows": lambda x: F.pad(x, (x.shape[3] // 4, -x.shape[3] % 4, 0, -x.shape[2] % 4), mode="replicate") ** 2,
}
for name, function in MODULES.items():
    torch._dynamo.reset()
    torch.manual_seed(0)
    compiled, graphs = torch.compile(function, backend=backend, fullgraph=True), 0
    for size in ((2, 3, 9, 12), (3, 3, 8, 7), (2, 3, 5, 10)):
        x = torch.randn(size, requires_grad=True)
        for axis in (0, 2, 3):
            torch._dynamo.mark_dynamic(x, axis)
        y, z = compiled(x), function(x)
        weight = torch.randn(z.shape)
        torch.testing.assert_close(y, z)
        torch.testing.assert_close(torch.autograd.grad(y, x, weight), torch.autograd.grad(z, x, weight))
        graphs += 1
    print(f"{name}: {graphs} sizes agree, {torch._dynamo.utils.counters['stats']['unique_graphs']} graph")
    torch._dynamo.utils.counters.clear()
