"""ATen's batch norms that PyTorch's newer graphs have, against eager mode; and a gradient of which most cancels, against f64."""
import torch

import tcc.dynamo

torch.manual_seed(0)
x, weight, bias = torch.randn(4, 6, 5, 7), torch.rand(6), torch.randn(6)
aten = torch.ops.aten
for overload in (aten._batch_norm_with_update.default, aten._batch_norm_no_update.default, aten._batch_norm_with_update_functional.default):
    def norm(mean, var):
        return overload(x, weight, bias, mean, var, 0.1, 1e-5)
    mean, var = torch.randn(6), torch.rand(6) + 0.5
    compiled = mean.clone(), var.clone()
    want = list(norm(mean, var)) + [mean, var]
    torch._dynamo.reset()
    got = list(torch.compile(norm, backend=tcc.dynamo.backend, fullgraph=True)(*compiled)) + list(compiled)
    for g, w in zip(got, want):
        torch.testing.assert_close(g, w)
    print(f"{overload}: {len(got)} tensors agree")


def backward(grad, x, weight):
    mean, var = x.mean((0, 2, 3)), x.var((0, 2, 3), unbiased=False)
    return aten.native_batch_norm_backward(grad, x, weight, None, None, mean, (var + 1e-5).rsqrt(), True, 1e-5, [True, True, True])


x = torch.randn(32, 6, 80, 80)
grad = 1000 + 1e-3 * torch.randn(x.shape)
exact = backward(grad.double(), x.double(), weight.double())
torch._dynamo.reset()
got, eager = torch.compile(backward, backend=tcc.dynamo.backend, fullgraph=True)(grad, x, weight), backward(grad, x, weight)
error, reference = ((r[0].double() - exact[0]).abs().max().item() for r in (got, eager))
print("the gradient is as near to f64 as eager mode's" if error <= 2 * reference else f"error {error}, eager mode's {reference}")
