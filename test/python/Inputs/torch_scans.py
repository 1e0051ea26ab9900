"""Sums along an axis and what is made of their differences, through torch.compile: as near to f64 as eager mode, which adds in f64, and so for the
gradients of decays in a chunked delta rule (Yang, Kautz and Hatamizadeh 2024), which all but cancel: errors of several inputs taken together."""
import unittest

import torch
import torch.nn.functional as F

import tcc.dynamo


def compiled(f):
    torch._dynamo.reset()
    return torch.compile(f, backend=tcc.dynamo.backend, fullgraph=True)


def chunked(query, key, value, raw, beta, a_log, bias):
    """[B, H, T, D] in chunks of 16; raw, beta [B, H, T]; a_log, bias [H, 1]."""
    size, (b, h, t, d) = 16, query.shape
    decay = (-a_log.exp() * F.softplus(raw + bias)).reshape(b, h, -1, size).cumsum(3)
    beta = beta.sigmoid()[..., None]
    query, key = F.normalize(query, dim=-1) * d**-0.5, F.normalize(key, dim=-1)
    query, key, k_beta, v_beta = (x.reshape(b, h, -1, size, d) for x in (query, key, key * beta, value * beta))
    later = torch.ones(size, size, dtype=torch.bool).triu(1)
    pairs = (decay[..., None] - decay[..., None, :]).masked_fill(later, -torch.inf).exp()
    system, scores = k_beta @ key.mT * pairs, query @ key.mT * pairs
    fresh = torch.linalg.solve_triangular(system, v_beta, upper=False, unitriangular=True)
    known = torch.linalg.solve_triangular(system, k_beta * decay.exp()[..., None], upper=False, unitriangular=True)
    query = query * decay.exp()[..., None]
    key = key * (decay[..., -1:] - decay).exp()[..., None]
    state, rows = torch.zeros(b, h, d, d, dtype=query.dtype), []
    for i in range(t // size):
        learned = fresh[:, :, i] - known[:, :, i] @ state
        rows.append(query[:, :, i] @ state + scores[:, :, i] @ learned)
        state = state * decay[:, :, i, -1].exp()[..., None, None] + key[:, :, i].mT @ learned
    return torch.cat(rows, 2)


class Scans(unittest.TestCase):
    def test_sums(self):
        torch.manual_seed(0)
        for axis in (0, 1):
            for product in (False, True):
                def run(x, axis=axis, product=product):
                    return x.cumprod(axis) if product else x.cumsum(axis)
                x = torch.randn(1000, 1000)
                if product:
                    x = 1 + x / 100
                exact, eager = run(x.double()), run(x)
                error, least = ((y.double() - exact).norm().item() for y in (compiled(run)(x), eager))
                self.assertLessEqual(error, 1.01 * least)

    def test_decays(self):
        torch.manual_seed(0)
        fast, errors, least = compiled(chunked), 0, 0
        for _ in range(16):
            given = [torch.randn(2, 4, 32, 16) for _ in range(3)] + [torch.randn(2, 4, 32) for _ in range(2)]
            given += [torch.empty(4, 1).uniform_(0.01, 16).log(), torch.ones(4, 1)]
            weights = torch.randn(2, 4, 32, 16)

            def gradients(f, kind, given=given, weights=weights):
                inputs = [x.to(kind).requires_grad_() for x in given]
                return torch.autograd.grad((f(*inputs) * weights.to(kind)).sum(), inputs)
            exact = gradients(chunked, torch.float64)
            ours, eager = gradients(fast, torch.float32), gradients(chunked, torch.float32)
            off = torch.tensor([[((x.double() - e) / e.norm()).square().sum() for x, e in zip(g, exact)] for g in (ours, eager)])
            errors, least = errors + off[0], least + off[1]
        ratios = (errors / least).sqrt()
        self.assertTrue((ratios <= 2).all(), f"of q, k, v, decays, rates, a_log, bias: {ratios}")


if __name__ == "__main__":
    unittest.main()
