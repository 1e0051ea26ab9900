"""A resize is one node of a graph and its gradient another, though torch has decompositions of its own, whatever the mode; of symbolic sizes they are
taken, and torch has them again afterwards."""
import torch
import torch.nn.functional as F

import tcc

aten = torch.ops.aten
keys = torch._C.DispatchKey.Autograd, torch._C.DispatchKey.CompositeImplicitAutograd
overloads = aten.upsample_bilinear2d.vec, aten.upsample_nearest2d.vec, aten.upsample_nearest2d.default
before = [[overload.py_kernels.get(key) for key in keys] for overload in overloads]


def resize(x, **how):
    return F.interpolate(x, **how)


def check(compiled, x, **how):
    y, z = x.detach().requires_grad_(), x.detach().requires_grad_()
    r, s = compiled(y, **how), resize(z, **how)
    weight = torch.randn(s.shape)
    r.backward(weight), s.backward(weight)
    torch.testing.assert_close(r, s)
    torch.testing.assert_close(y.grad, z.grad)


for shape, how in (((2, 3, 6, 5), dict(scale_factor=2, mode="nearest")), ((2, 3, 6, 5), dict(size=(9, 7), mode="nearest-exact")),
                   ((2, 3, 6, 5), dict(scale_factor=0.4, mode="bilinear")), ((2, 3, 6, 5), dict(size=(9, 7), mode="bilinear", align_corners=True)),
                   ((2, 3, 6, 5), dict(scale_factor=1.5, mode="bicubic")), ((2, 3, 90), dict(scale_factor=2, mode="linear")),
                   ((1, 2, 3, 4, 5), dict(scale_factor=2, mode="trilinear"))):
    torch._dynamo.reset()
    x = torch.randn(shape)
    check(torch.compile(resize, backend="tcc", fullgraph=True), x, **how)
    found = tcc.explain(lambda x: resize(x, **how))(x.requires_grad_())
    assert found.graphs[0]["nodes"] == 1, (how, found.graphs[0])

torch._dynamo.reset()
compiled = torch.compile(resize, backend="tcc", dynamic=True)
for size in (4, 6, 9):
    check(compiled, torch.randn(1, 2, size, size + 1), scale_factor=2, mode="bilinear")

assert before == [[overload.py_kernels.get(key) for key in keys] for overload in overloads]
print("ok")
