"""Weights as direction and length, as torch's parametrization has them: results and gradients against f64."""
import copy

import torch
from torch.nn.utils.parametrizations import weight_norm

import tcc.dynamo

torch.manual_seed(0)
nets = [("Linear", weight_norm(torch.nn.Linear(6, 5)), torch.randn(4, 6)), ("Conv1d", weight_norm(torch.nn.Conv1d(3, 4, 3)), torch.randn(2, 3, 9)),
        ("by columns", weight_norm(torch.nn.Linear(6, 5), dim=1), torch.randn(4, 6))]
for name, net, x in nets:
    torch._dynamo.reset()
    exact = copy.deepcopy(net).double()
    got, want = torch.compile(net, backend=tcc.dynamo.backend, fullgraph=True)(x), exact(x.double())
    torch.testing.assert_close(got.double(), want, rtol=1e-5, atol=1e-5)
    for result in (got, want):
        result.square().sum().backward()
    for mine, its in zip(net.parameters(), exact.parameters()):
        torch.testing.assert_close(mine.grad.double(), its.grad, rtol=1e-5, atol=1e-5)
    print(f"{name}: {sum(1 for _ in net.parameters())} gradients agree")
