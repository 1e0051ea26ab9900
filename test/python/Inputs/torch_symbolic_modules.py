"""torch_symbolic_modules.py: functions of images and sequences whose sizes are symbols. Windows: pools by averages, adaptive ones, unfold and fold, pads to
whole windows. Factors of products that sizes decide. One compilation for all sizes, results and gradients beside eager mode."""
import torch
import torch.nn.functional as F

from tcc.dynamo import backend

IMAGES = (2, 3, 9, 12), (3, 3, 8, 7), (2, 3, 5, 10)
SEQUENCES = (2, 5, 3), (3, 9, 4), (4, 2, 7)
FUNCTIONS = {
    "overlapping averages": (IMAGES, lambda x: F.avg_pool2d(F.avg_pool2d(x, 3, 2, 1), 2, 1, count_include_pad=False)),
    "averages of whole windows": (IMAGES, lambda x: F.avg_pool2d(x, 2, ceil_mode=True)),
    "sums of windows": (IMAGES, lambda x: F.avg_pool2d(x, (2, 3), 1, divisor_override=5)),
    "adaptive averages": (IMAGES, lambda x: F.adaptive_avg_pool2d(x, (4, 3))),
    "one axis stays": (IMAGES, lambda x: F.adaptive_avg_pool2d(x, (None, 2))),
    "unfold and fold": (IMAGES, lambda x: F.fold(F.unfold(x, (3, 2), padding=1, stride=(2, 1)), x.shape[-2:], (3, 2), padding=1, stride=(2, 1))),
    "reflected to whole windows": (IMAGES, lambda x: F.pad(x, (0, -x.shape[3] % 4, x.shape[2] // 4, 0), mode="reflect") ** 2),
    "edges to whole windows": (IMAGES, lambda x: F.pad(x, (x.shape[3] // 4, -x.shape[3] % 4, 0, -x.shape[2] % 4), mode="replicate") ** 2),
    "a product by its depth": (SEQUENCES, lambda x: torch.baddbmm(x[:, :, :1], x, x.mT, beta=0.5, alpha=1 / x.shape[2])),
}
for name, (sizes, function) in FUNCTIONS.items():
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    torch.manual_seed(0)
    compiled = torch.compile(function, backend=backend, fullgraph=True)
    for size in sizes:
        x = torch.randn(size, requires_grad=True)
        for axis in range(len(size)):
            if sizes is SEQUENCES or axis != 1:
                torch._dynamo.mark_dynamic(x, axis)
        y, z = compiled(x), function(x)
        weight = torch.randn(z.shape)
        torch.testing.assert_close(y, z)
        torch.testing.assert_close(torch.autograd.grad(y, x, weight), torch.autograd.grad(z, x, weight))
    print(f"{name}: {len(sizes)} sizes agree, {torch._dynamo.utils.counters['stats']['unique_graphs']} graph")
