"""make_models.py FOLDER [NAME...]: exports modules that exercise the importer, NAME.pt2 and NAME.npz beside it: inputs and what eager torch gives.
Needs torch 2.9 or newer."""
import os
import pathlib
import sys
import zipfile

import numpy as np
import torch
from torch import nn
from torch._higher_order_ops.scan import scan
from torch.export import Dim, export, save
from torch.nn import functional as F


class Views(nn.Module):
    """Views of views, and what is written through them."""

    def forward(self, x, y):
        a = x.clone()
        rows = a[1:3]
        flat = a.view(-1)
        a.t()[0].add_(1)
        rows.mul_(2)
        rows[0, 1:].copy_(y[:3])
        flat[::5].fill_(7)
        part, rest = a.split([1, 3], dim=1)
        rest.transpose(0, 1)[1].sub_(y)
        b = y.reshape(2, 2).permute(1, 0)
        c = b.reshape(-1)  # a copy: b's elements do not lie so
        c.zero_()
        d = y.clone().unsqueeze(0).squeeze(0)
        d.relu_()
        e = a.unbind(1)
        e[2].neg_()
        f = a.flip(0, 1), torch.diff(x, dim=0, prepend=y[None]), x.repeat(2, 1, 3), x.movedim(0, 1).chunk(3)[1], x.narrow(1, -2, 2)
        return a, rows, flat, part, rest, b, c, d, torch.stack(e), x.expand(2, 4, 4) + a.select(0, -1), *f


class Numbers(nn.Module):
    """Promotion: tensors of several types, tensors without axes, numbers."""

    def forward(self, f, h, i, b, s):
        return (f + i, h * 0.3, h + f, i / 2, i * b, i + 1.5, b + 1, i + s, h + s, torch.where(b, i, 2.5), f == i, h < 0.1, b | (i > 0),
                i.pow(2), f.abs().pow(0.5), 2 - f, f.sub(i, alpha=2), i.to(torch.float16), h.float(), f.to(torch.int64), torch.rsub(i, 3),
                torch.logical_and(i, f), f.type_as(h))


class Layers(nn.Module):
    """Products, norms, softmax, attention of several ranks, activations."""

    def __init__(self):
        super().__init__()
        self.linear, self.plain = nn.Linear(8, 6), nn.Linear(8, 8, bias=False)
        self.norm, self.rms = nn.LayerNorm(6), nn.RMSNorm(8)
        self.embed = nn.Embedding(5, 8)

    def forward(self, ids, x):
        h = self.rms(self.embed(ids) + self.plain(x))
        y = F.softmax(self.norm(self.linear(h)), -1), F.log_softmax(h, 0, dtype=torch.float64)
        q = h.view(2, 3, 2, 4).transpose(1, 2)
        mask = torch.arange(3)[:, None] >= torch.arange(3)
        a = F.scaled_dot_product_attention(q, q, q, is_causal=True), F.scaled_dot_product_attention(q, q, q, attn_mask=mask, scale=0.5)
        b = F.scaled_dot_product_attention(h, h, h, attn_mask=h[:, :, :3] * 0.1), F.scaled_dot_product_attention(h[0], h[1], h[0])
        none = F.scaled_dot_product_attention(q, q, q, attn_mask=torch.zeros(3, 3, dtype=torch.bool))
        m = torch.addmm(x[0, 0], x[0], self.plain.weight, beta=0.5, alpha=2), torch.bmm(x, x.mT), torch.baddbmm(x[0, :, :3], x, x.mT)
        g = F.gelu(h), F.gelu(h, approximate="tanh"), F.silu(h), F.hardsigmoid(h), F.hardswish(h), h[0] @ h[0, 0], F.relu(h)
        return (*y, *a, *b, none, *m, *g, F.dropout(h, 0.5, training=False))


class Projected(nn.Module):
    """LSTMs whose hidden states are smaller than their cells."""

    def __init__(self):
        super().__init__()
        self.both = nn.LSTM(6, 8, 2, batch_first=True, bidirectional=True, proj_size=3)
        self.plain = nn.LSTM(6, 5, bias=False, proj_size=2)

    def forward(self, x, h, c):  # f32 [4, 5, 6], the states of `both`
        y, last = self.both(x, (h, c))
        z, end = self.plain(x)
        return y, *last, z, *end


class Sizes(nn.Module):
    """Symbolic sizes: in views, slices, ranges, arithmetic; what they must be."""

    def forward(self, x, y):
        n, k = x.shape
        h = x.view(n // 2, 2, k) + torch.arange(k).to(x.dtype)
        torch._check(n >= 4)
        t = x[1:, : k - 1]
        z = torch.cat([x, y], 0)
        return h, t.reshape(-1), z[n:], torch.full((n, 2), float(k)), torch.ones_like(y), x.new_zeros(k), torch.arange(1, n, 2), n * k


class Control(nn.Module):
    """cond of small and large branches, while_loop, no_grad."""

    def forward(self, x, n):
        def large(x):
            for _ in range(20):
                x = x * 1.1 + 0.1
            return x, x + 1

        def small(x):
            return x + 1

        a = torch.cond(x[0] > 0, small, lambda x: x.neg(), (x,))
        b, c = torch.cond(x[1] > 0, large, lambda x: (x - 1, x.clone()), (x,))
        from torch._higher_order_ops.while_loop import while_loop

        i, d = while_loop(lambda i, x: i > 0, lambda i, x: (i - 1, x * 2 + 1), (n, x))
        with torch.no_grad():
            e = x * 3
        return a, b, c, i, d, e


class Found(nn.Module):
    """cond whose branches have sizes that data decide, small and large ones; each is imported more than once."""

    def forward(self, x, y):
        def few(x):
            return x[x > 0].exp().sum()

        def many(x):
            part = x[x > 0.5]
            for _ in range(20):
                part = part * 1.1 + torch.ones_like(part)
            return part.sum()

        return [torch.cond(v.sum() > 0, branch, lambda v: v[v < 0].sum(), (v,)) for branch in (few, many) for v in (x, y)]


class Cache(nn.Module):
    """An argument and a buffer that are written: a cache in place."""

    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(2))

    def forward(self, cache, row):
        cache[:, 1:2].copy_(row)
        self.seen.add_(row.view(2))
        return cache * 2


class States(nn.Module):
    """Buffers that are written from run to run: a cache of rows, the count of them, two that are handed on, one that nobody reads otherwise."""

    def __init__(self):
        super().__init__()
        self.register_buffer("rows", torch.zeros(4, 3))
        self.register_buffer("count", torch.zeros(1, dtype=torch.int64))
        self.register_buffer("newer", torch.full((3,), 5.0))
        self.register_buffer("older", torch.arange(3.0))
        self.register_buffer("total", torch.ones(100))

    def forward(self, row):
        self.rows.index_copy_(0, self.count, row)
        self.count.add_(1)
        before = self.newer.clone()
        self.newer.copy_(self.older)
        self.older.copy_(before + row[0])
        self.total.add_(row.sum())
        valid = (torch.arange(4) < self.count).to(torch.float32)
        return (valid @ self.rows), self.newer * 2


class Scan(nn.Module):
    """A scan of as many steps as an input has columns, from the last to the first: it carries a row and a count."""

    def __init__(self):
        super().__init__()
        self.w = nn.Linear(3, 3)

    def forward(self, h, x, b):
        def step(carried, given):
            y = torch.tanh(self.w(carried[0]) + given[0] * b)
            return [y, carried[1] + 1], [y * 2, carried[1].clone()]

        carried, rows = scan(step, [h, torch.zeros((), dtype=torch.int64)], [x], dim=1, reverse=True)
        return carried[0], carried[1], rows[0], rows[1]


class Places(nn.Module):
    """In-place forms of views, tensors that are resized, an overload with `out`, one of torch's primitives."""

    def forward(self, x):
        y = x.clone()
        first = y[0]
        y.squeeze_(1)
        y.add_(1)
        made = torch.empty(0)
        made.resize_(2, 3)
        made.fill_(2)
        less, same, turned, out = x.flatten().clone(), x.flatten().clone(), torch.ones(2, 3), torch.empty(4)
        less.resize_(2, 2)
        less.mul_(3)
        same.resize_(3, 4)
        turned.t_()
        turned.unsqueeze_(0)
        turned.transpose_(0, 1)
        torch.atan2(x.flatten()[:4], x.flatten()[1:5], out=out)
        return y, made, less, out * 2, torch.ops.prims.convert_element_type(x, torch.float16), first + 0, same * 2, turned + 1


class Bags(nn.Module):
    """Bags of embeddings: sums, means, maxima; an empty bag, an end behind the last one, an index that does not count, weights."""

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(20, 3))

    def forward(self, indices, offsets, weights):
        bag, made = torch.ops.aten._embedding_bag, []
        for mode in range(3):
            made.append(bag(self.table, indices, offsets, False, mode)[0])
            made.append(bag(self.table, indices, offsets, False, mode, False, None, True)[0])
            made.append(bag(self.table, indices, offsets, False, mode, False, None, False, 4)[0])
        made.append(bag(self.table, indices, offsets, False, 0, False, weights)[0])
        return *made, nn.functional.embedding_bag(indices, self.table, offsets, mode="mean")


class Arranged(nn.Module):
    """NumPy's names for stacks, splits and orders of axes."""

    def forward(self, x, v, n):  # f32 [4, 3, 6], f32 [3], i64 [3]
        a, b = x[0], x[1]
        grid = torch.meshgrid(v, v * 2, indexing="xy")
        parts = torch.tensor_split(x, 4, dim=2), torch.tensor_split(x, (1, 2), dim=0), torch.hsplit(a, 2), torch.vsplit(x, (1, 3)), torch.dsplit(x, 3)
        return (torch.hstack((a, b)), torch.hstack((v, v)), torch.vstack((v, v)), torch.dstack((a, b)), torch.column_stack((v, v, v.diag())), torch.concat((a, b), 1),
                *(p[-1] * 1 for p in parts), torch.atleast_3d(v) + 1, torch.atleast_2d(v, a)[1] + 1, torch.swapaxes(x, 0, 2) * 1, torch.movedim(x, (0, 1), (2, 0)) * 1,
                torch.moveaxis(x, 0, -1) * 1, torch.ravel(x.mT) * 1, torch.broadcast_to(v, (2, 3)) * 1, torch.fliplr(a), torch.flipud(a), torch.fft.fftshift(x, (1, 2)),
                torch.fft.ifftshift(x), torch.tile(v, (2, 2)), torch.tile(x, (2,)), grid[0] + grid[1], torch.diag(a, 1), torch.diag(v, -1), torch.diagflat(a[:2, :2], 1), a.sum_to_size(1, 6),
                n.to(x), torch.where(v > 0)[0], torch.argwhere(a > 0), nn.functional.one_hot(n, 4), torch.isreal(v), torch.float_power(v, 2), torch.msort(a),
                torch.trapezoid(a, dx=0.5), torch.trapezoid(a, v.cumsum(0).repeat(2)), torch.positive(v) * 2, torch.linalg.cross(v, v.flip(0)), torch.cross(a[:, :3], b[:, 3:], dim=0),
                nn.functional.alpha_dropout(v, 0.3, False), x.split([1, 3])[1] * 1, nn.functional.dropout2d(x * 2, 0.3, False, inplace=True),
                nn.functional.dropout(x * 3, 0.3, False, inplace=True), nn.functional.alpha_dropout(x * 4, 0.3, False, inplace=True))


class Outs(nn.Module):
    """Overloads with out, of which some write what an overload of another name gives."""

    def forward(self, x):  # f32 [3, 4]
        def made(call, *args, to=(3,), dtype=torch.float32, **how):
            out = torch.empty(to, dtype=dtype)
            return call(*args, out=out, **how)
        return (made(torch.eye, 3, 4, to=(3, 4)), made(torch.mean, x, 1), made(torch.sum, x, (0,), to=(4,)), made(torch.std, x, 1), made(torch.prod, x, 1), made(torch.amax, x, 1),
                made(torch.all, x > 0, 1, dtype=torch.bool), made(torch.gt, x, 0.1, to=(3, 4), dtype=torch.bool), made(torch.pow, x, 2, to=(3, 4)), made(torch.arange, 1, 4, 1),
                made(torch.argmax, x, 1, dtype=torch.int64), made(torch.linalg.vector_norm, x, 2, 1), made(torch.clamp, x, -0.5, 0.5, to=(3, 4)))


class Ordered(nn.Module):
    """Quantiles, images that are resized by what interpolate calls, products of sets."""

    def forward(self, x, image):  # [3, 8], [1, 2, 6, 6]
        q, F = torch.tensor([0.1, 0.5, 1.0]), nn.functional
        with torch.autocast("cpu", enabled=False):
            x = torch.tanh(x.float()) + x
        classes = torch.tensor([[1, 3, -1, 0], [0, -1, 1, 2], [2, 1, 0, 3]])
        return (torch.quantile(x, q, dim=1), torch.quantile(x, 0.3), torch.quantile(x, q, dim=0, keepdim=True, interpolation="lower"), torch.quantile(x, 0.7, dim=1, interpolation="midpoint"),
                torch.quantile(torch.where(x > 1, torch.nan, x), 0.25, dim=1, interpolation="nearest"), torch.quantile(x, 0.5, dim=1, keepdim=True, interpolation="higher"),
                F.interpolate(image, scale_factor=1.7, mode="bilinear", antialias=True), F.interpolate(image, size=(3, 4), mode="bicubic", antialias=True),
                F.interpolate(image, scale_factor=2, mode="nearest-exact"), F.interpolate(image[0], size=9, mode="nearest-exact"), torch.cartesian_prod(x[0, :3], x[1, :2], x[2, :2]),
                F.multilabel_margin_loss(x[:, :4], classes))


class Casts(nn.Module):
    """A part under autocast, which is refused."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            x = self.linear(x)
        return x.float()


class Solved(nn.Module):
    """Factorisations by name (`solved`) and taken apart, with tokens around checks of singular matrices (`checked`)."""

    def forward(self, x, y):
        L, s = torch.linalg, x @ x.mT + torch.eye(5)
        factor = L.cholesky(s)
        return (L.inv(x), torch.inverse(x), L.solve(x, y), L.solve(x, y[..., 0]), L.det(x), torch.det(x), torch.logdet(s), *L.slogdet(x), *torch.slogdet(x), factor, L.cholesky(s, upper=True),
                torch.cholesky_solve(y, factor), torch.cholesky_inverse(factor), *L.lu(x), L.lu_solve(*L.lu_factor(x), y), *L.qr(y), *L.qr(y, mode="complete"), L.eigvalsh(s), L.svdvals(y),
                L.matrix_norm(x, 2), L.matrix_norm(x, -2, dim=(0, 2), keepdim=True), L.matrix_norm(x, "nuc"), L.norm(x, 2, dim=(0, 1)), torch.norm(x[0], "nuc"), L.cond(x), L.cond(x, -2),
                L.matrix_rank(x), L.matrix_rank(y, 2.0), L.matrix_rank(s, hermitian=True), L.pinv(y), L.pinv(s, hermitian=True), torch.pinverse(y), L.matrix_exp(x), L.lu_factor(y)[0],
                L.vector_norm(L.eigh(s)[1], dim=-2), L.svd(y)[1], torch.svd(y)[1])


class Products(nn.Module):
    """Sums of products, distances, norms, losses and cells by name."""

    def __init__(self):
        super().__init__()
        self.bilinear, self.cells = nn.Bilinear(3, 3, 2), nn.ModuleList([nn.LSTMCell(3, 4), nn.GRUCell(3, 4), nn.RNNCell(3, 4), nn.RNNCell(3, 4, nonlinearity="relu")])

    def forward(self, x, y, v, h):  # [2, 3, 4], [2, 4, 3], [3], [2, 4]
        F, a, b = nn.functional, x[:, :, 0], y[:, 0]
        sign = torch.where(v > 0, 1.0, -1.0)[:2]
        return (torch.einsum("bij,bjk->bki", x, y), torch.einsum("bij,bjk,k", x, y, v), torch.einsum("...i,...i->...", a, b), torch.einsum("bii->bi", x @ y), torch.outer(v, v),
                torch.inner(a, v), torch.tensordot(x, x.permute(1, 2, 0), 2), torch.tensordot(x, y, dims=([1], [2])), torch.kron(a, y[0]), torch.linalg.multi_dot((v, x[0], y[0], v)),
                torch.linalg.vecdot(x, x, dim=1), self.bilinear(a, b), torch.linalg.matrix_power(x @ y, 3), F.cosine_similarity(x, y.mT, dim=2), F.pairwise_distance(a, b, p=3),
                F.cosine_embedding_loss(a, b, sign, margin=0.1), F.triplet_margin_loss(a, b, a + b, swap=True), F.margin_ranking_loss(a[0], b[0], v.sign(), 0.2, reduction="none"),
                F.poisson_nll_loss(a, b.abs() * 3, full=True), torch.linalg.norm(x), torch.linalg.norm(x, 1, (1, 2)), torch.linalg.norm(x, float("-inf"), (2, 1), keepdim=True),
                torch.linalg.matrix_norm(x), torch.norm(x, "fro", (0, 1)), *self.cells[0](a, (h, h * 2)), *(cell(a, h) for cell in self.cells[1:]), torch.special.softmax(a, 1))


class Asked(nn.Module):
    """What the exporter answers itself is left in the graph as calls without results."""

    def forward(self, x, y):
        wide = torch.promote_types(x.dtype, y.dtype)
        sums = x.to(wide) + y.to(torch.result_type(x, y)), x * 2 if x.is_same_size(y) else y
        return *sums, torch.zeros(2, dtype=torch.result_type(x, 2)) if torch.can_cast(y.dtype, x.dtype) and not x.is_set_to(y) else x


class Complex(nn.Module):
    """Complex weights, buffers, arguments and results; transforms by name."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, 2, 3, 3, dtype=torch.complex64))
        self.register_buffer("bias", torch.randn(3, 1, 4, 3, dtype=torch.complex64).mT)

    def forward(self, x, z, signal):  # f32 [2, 2, 6, 6], complex64 [3, 4], f32 [2, 40]
        modes = torch.zeros(2, 3, 6, 4, dtype=torch.complex64)
        modes[:, :, :3, :3] = torch.einsum("bixy,oixy->boxy", torch.fft.rfft2(x)[:, :, :3, :3], self.weight)
        modes[:, 1:].mul_(0.5j)
        window = torch.hann_window(12)
        short = torch.stft(signal, 16, 5, 12, window, return_complex=True)
        ways = torch.fft
        z.add_(1j)
        return (ways.irfft2(modes, s=(6, 6)), torch.istft(short, 16, 5, 12, window, length=40), torch.istft(torch.cat((short, 2j * short), 1)[:, :16], 16, 5, 12, window), torch.stft(signal, 8, center=False, normalized=True, return_complex=False, window=window[:8]),
                self.bias * z[:, 0, None, None, None].to("cpu", torch.complex64).type_as(modes), z.exp() @ z.mH, torch.linalg.vector_norm(z), ways.fft(z, 6, norm="ortho"), ways.ifft(z, 3, 0), ways.fftn(x, (4, 5)), ways.ifft2(z),
                ways.rfft(signal), ways.irfft(signal), ways.hfft(z), ways.ihfft(signal, 9), ways.rfftn(x, dim=(0, 1)), ways.irfftn(z, norm="forward"), ways.hfft2(z), ways.ihfftn(x[0, 0]), torch.hamming_window(5, False), torch.blackman_window(6), torch.bartlett_window(5),
                torch.kaiser_window(7, True, 3.0))


class ComplexSolved(nn.Module):
    """Systems and inverses of complex matrices: of vectors, from the right, of a batch."""

    def forward(self, a, b, v):  # complex64 [2, 4, 4], [4, 3] and [4]
        solve = torch.linalg.solve
        return (solve(a, b), solve(a[0], v), solve(a, b.mT, left=False), solve(a, a * 2), torch.linalg.inv(a), torch.linalg.inv_ex(a[1])[0],
                torch.linalg.solve_ex(a, a)[0], torch.linalg.solve_ex(a, b)[1], torch.inverse(a[0].mH))


class Mapped(nn.Module):
    """A loop over rows, which torch.export keeps as it is."""

    def forward(self, x):
        return torch.vmap(lambda row: row.sort()[0] + 1)(x)


class Vision(nn.Module):
    """torchvision's own operators, and their gradients as AOTAutograd has them."""

    def forward(self, x, rois, offset, mask, weight, bias, boxes, scores, cells):
        ops = torch.ops.torchvision
        outputs = []
        for samples, aligned in ((2, False), (-1, True)):
            y = ops.roi_align(x, rois, 0.7, 3, 2, samples, aligned)
            outputs += [y, ops._roi_align_backward(y * y, rois, 0.7, 3, 2, *x.shape, samples, aligned)]
        for samples in (2, -1):  # sizes that are not known
            y = ops.roi_align(x, rois, 0.7, *cells.shape, samples, True)
            outputs += [y, ops._roi_align_backward(y, rois, 0.7, *cells.shape, *x.shape, samples, True)]
        outputs += [ops.roi_pool(x, rois, 0.7, 2, 3)[0], ops.roi_pool(x, rois, 0.7, *cells.shape)[0]]
        for masked in (True, False):
            given = x, weight, offset, mask if masked else mask[:, :1, 0, 0] * 0, bias, 2, 1, 1, 0, 1, 1, 2, 2, masked
            y = ops.deform_conv2d(*given)
            outputs += [y, *ops._deform_conv2d_backward(y.sin(), *given)]
        return *outputs, ops.nms(boxes, scores, 0.3), ops.nms(boxes, scores, 0.6)


class Regions(nn.Module):
    """Position-sensitive regions, the largest pixel's place, and gradients of both."""

    def forward(self, x, rois, cells):
        ops, outputs = torch.ops.torchvision, []
        for rows, columns in ((3, 2), cells.shape):  # sizes that are known, and that are not
            for samples in (2, -1):
                y, channels = ops.ps_roi_align(x, rois, 0.7, rows, columns, samples)
                outputs += [y, channels, ops._ps_roi_align_backward(y.sin(), rois, channels, 0.7, rows, columns, samples, *x.shape)]
            y, channels = ops.ps_roi_pool(x, rois, 0.7, rows, columns)
            outputs += [y, channels, ops._ps_roi_pool_backward(y.sin(), rois, channels, 0.7, rows, columns, *x.shape)]
            y, places = ops.roi_pool(x, rois, 0.7, rows, columns)
            outputs += [y, places, ops._roi_pool_backward(y.sin(), rois, places, 0.7, rows, columns, *x.shape)]
        return tuple(outputs)


def case(name):
    torch.manual_seed(1)
    f = torch.randn
    if name == "views":
        return Views(), (f(4, 4), f(4)), None
    if name == "numbers":
        i = torch.tensor([[-2, 0, 3], [1, 5, -1]], dtype=torch.int32)
        return Numbers(), (f(2, 3), f(2, 3).half(), i, i > 0, torch.tensor(2.5, dtype=torch.float64)), None
    if name == "layers":
        return Layers().eval(), (torch.tensor([[0, 4, 1], [2, 3, 0]]), f(2, 3, 8)), None
    if name == "projected":
        return Projected().eval(), (f(4, 5, 6), f(4, 4, 3), f(4, 4, 8)), None
    if name == "asked":
        return Asked(), (f(3), torch.arange(3)), None
    if name == "symbols":
        return Sizes(), (f(6, 5), f(3, 5)), ({0: 2 * Dim("half", min=2, max=32), 1: Dim.AUTO}, {0: Dim.AUTO, 1: Dim.AUTO})
    if name == "control":
        return Control(), (f(3).abs() * torch.tensor([1.0, -1.0, 1.0]), torch.tensor(4)), None
    if name == "found":
        return Found(), (f(9).abs() - 0.3, f(7).abs().neg()), None
    if name == "cache":
        return Cache(), (f(2, 3), f(2, 1)), None
    if name == "states":
        return States(), (f(1, 3),), None
    if name == "scan":
        return Scan(), (f(2, 3), f(2, 5, 3), f(3)), (None, {1: Dim("steps", min=2, max=64)}, None)
    if name == "places":
        return Places(), (f(4, 1, 3),), None
    if name == "bags":
        return Bags(), (torch.tensor([1, 4, 3, 4, 5, 4, 9]), torch.tensor([0, 2, 2, 5, 7]), f(7)), None

    if name == "mapped":
        return Mapped(), (f(2, 4),), None
    if name == "vision":
        import torchvision  # noqa: F401  registers its operators
        rois = torch.tensor([[0, 1, 2, 9, 12], [1, 3.5, 0.2, 11, 6.4], [0, -2, 3, 4, 30], [1, 5, 5, 5, 5.]])
        corners = torch.rand(12, 2) * 10
        boxes = torch.cat([corners, corners + 2 + torch.rand(12, 2) * 8], 1)
        return Vision(), (f(2, 4, 12, 14), rois, f(2, 2 * 2 * 6, 6, 13), f(2, 2 * 6, 6, 13), f(6, 2, 3, 2), f(6), boxes, torch.rand(12), f(3, 2)), (*[None] * 8, {0: Dim.AUTO, 1: Dim.AUTO})
    if name == "regions":
        import torchvision  # noqa: F401  registers its operators
        rois = torch.tensor([[0, 0, 1, 9, 8], [1, 2, 3, 5.5, 7.2], [0, -3, -2, 30, 4], [1, 8, 8, 3, 2], [0, 20, 20, 25, 26]])
        return Regions(), (f(2, 12, 9, 11), rois, f(3, 2)), (None, None, {0: Dim.AUTO, 1: Dim.AUTO})
    if name == "arranged":
        return Arranged(), (f(4, 3, 6), f(3), torch.tensor([2, 0, 3])), None
    if name == "outs":
        return Outs(), (f(3, 4),), None
    if name == "ordered":
        return Ordered(), (f(3, 8), f(1, 2, 6, 6)), None
    if name == "casts":
        return Casts(), (f(2, 4),), None
    if name == "products":
        return Products(), (f(2, 3, 4), f(2, 4, 3), f(3), f(2, 4)), None
    if name in ("solved", "checked"):
        return Solved(), (f(2, 5, 5) + 3 * torch.eye(5), f(2, 5, 3)), None
    if name == "complexsolved":
        return ComplexSolved(), (torch.randn(2, 4, 4, dtype=torch.complex64) + 2 * torch.eye(4), torch.randn(4, 3, dtype=torch.complex64), torch.randn(4, dtype=torch.complex64)), None
    if name == "complex":
        return Complex(), (f(2, 2, 6, 6), torch.randn(3, 4, dtype=torch.complex64), f(2, 40)), None


def number(value):
    if isinstance(value, torch.Tensor) and value.is_complex():  # a pair of real ones
        value = torch.view_as_real(value.resolve_conj())
    return np.asarray(value) if not isinstance(value, torch.Tensor) else value.numpy()


folder = pathlib.Path(sys.argv[1])
for name in sys.argv[2:] or ["views", "numbers", "layers", "projected", "asked", "symbols", "control", "found", "cache", "states", "scan", "places", "bags", "mapped", "vision", "regions", "arranged", "outs", "ordered", "casts", "products", "complex", "complexsolved", "solved", "checked"]:
    module, inputs, dynamic = case(name)
    with torch.no_grad():
        program = export(module, inputs, dynamic_shapes=dynamic)
        save(program.run_decompositions() if name == "checked" else program, folder / f"{name}.pt2")
        arrays = {f"input_{k}": number(x).copy() for k, x in enumerate(inputs)}
        given = [x.clone() for x in inputs]
        outputs = module(*given)
    outputs = tuple(outputs) if isinstance(outputs, (tuple, list)) else (outputs,)
    if name in ("cache", "complex"):  # what is written follows
        outputs += (given[name == "complex"],)
    arrays |= {f"output_{k}": number(x) for k, x in enumerate(outputs)}
    np.savez_compressed(folder / f"{name}.npz", **arrays)
    for k in range(1, 4 if name == "states" else 1):  # further runs
        x = torch.randn(1, 3)
        outputs = module(x)
        np.savez_compressed(folder / f"{name}_{k}.npz", input_0=x.numpy(), output_0=outputs[0].numpy(), output_1=outputs[1].numpy())
    path = folder / f"{name}.pt2"
    with zipfile.ZipFile(path) as old:
        members = [(i.filename, old.read(i)) for i in old.infolist()]
    with zipfile.ZipFile(path, "w") as new:  # what a test reads, small
        for member, data in members:
            for prefix in (f"{pathlib.Path(__file__).parent}/", f"{sys.prefix}/", f"{os.path.realpath(sys.prefix)}/"):
                data = data.replace(prefix.encode(), b"") if member.endswith(".json") else data
            stored = "/data/" in member and not member.endswith(".json")
            if "sample_inputs" not in member and not member.endswith(".py"):
                new.writestr(zipfile.ZipInfo(member), data, zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED)
    print(name, path.stat().st_size)
