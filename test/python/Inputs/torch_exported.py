"""Exported programs whose sizes are symbols, compiled once and called with several sizes, beside eager mode."""
import os
import tempfile
import unittest

import torch
import torch.nn.functional as F

import tcc

AUTO = torch.export.Dim.AUTO


class Exported(unittest.TestCase):
    def same(self, f, *calls, dynamic=True):
        """calls: arguments, or their shapes. The first are those of the export; sizes of 0 and 1 become constants there."""
        class Program(torch.nn.Module):
            def forward(self, args):
                return f(*args)

        calls = [[x if isinstance(x, torch.Tensor) else torch.randn(x) for x in call] for call in calls]
        sizes = [{i: AUTO for i in range(x.dim())} for x in calls[0]] if dynamic else None
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.pt2")
            torch.export.save(torch.export.export(Program(), (calls[0],), dynamic_shapes=(sizes,) if sizes else None), path)
            model = tcc.compile(path)
        for call in calls:
            got, want = model(*call), f(*(x.clone() for x in call))
            torch.testing.assert_close(got[0] if isinstance(got, tuple) else got, want, rtol=1e-4, atol=1e-5, equal_nan=True)

    def test_products_of_ones(self):  # an axis of size 1 broadcasts against the other of its name
        for equation, shapes in (("...ij,...kj->...ik", [(1, 5, 2), (6, 4, 2)]), ("ij,jk->ik", [(5, 1), (6, 4)]), ("ij,jk->ijk", [(5, 6), (1, 4)]),
                                 ("bij,bij", [(1, 5, 6), (3, 1, 1)]), ("ii,ik->ik", [(1, 1), (3, 4)]), ("ij,ij->ij", [(1, 1), (1, 1)])):
            self.same(lambda a, b: torch.einsum(equation, a, b), shapes, dynamic=False)
        self.same(lambda a, b: torch.einsum("bij,bjk->bik", a, b), [(1, 5, 6), (3, 6, 2)], [(1, 4, 2), (5, 2, 3)])
        self.same(lambda a, b: torch.tensordot(a, b, 1), [(1, 3, 4), (1,)], [(1, 2, 5), (1,)])
        self.same(lambda a, b: torch.tensordot(a, b, ([0, 1], [1, 0])), [(1, 5), (5, 3, 2)], [(1, 2), (2, 4, 3)])

    def test_norms(self):
        self.same(F.instance_norm, [(2, 3, 5, 4)], [(3, 4, 2, 7)])
        self.same(lambda x, w: F.instance_norm(x, weight=w, bias=w - 1), [(2, 3, 5), (3,)], [(1, 7, 4), (7,)])

    def test_numbers(self):  # which have one axis in PyTorch, if one is named
        for dim in (0, -1):
            self.same(lambda x, y: F.cosine_similarity(x.sum(), y.sum(), dim=dim), [(4,), (3,)])

    def test_smoothing(self):  # by the number of classes
        def loss(x):
            return F.cross_entropy(x, torch.arange(x.shape[0]) % 3, reduction="none", label_smoothing=0.2)
        self.same(loss, [(4, 6)], [(3, 9)])
        self.same(lambda x, w: F.cross_entropy(x, w[:4].exp(), w, label_smoothing=0.2), [(4,), (4,)], [(4,), (4,)])

    def test_circular(self):  # of what pads below 0 leave
        for pads in ((-1, 2), (2, -1), (-1, -1), (1, 1), (-1, 1, 2, -1)):
            self.same(lambda x: F.pad(x, pads, mode="circular"), [(2, 3, 5, 6) if len(pads) > 2 else (2, 5, 6)])

    def test_empty_out(self):  # which is as large as the result from then on
        def f(a, b):
            total, part = torch.empty(0), torch.empty(0, 3)
            torch.add(a, b, out=total)
            torch.mul(total[:2], 2, out=part)
            return (total * 2 + 1).sum() + part
        self.same(f, [(3, 4), (3, 4)], [(5, 2), (5, 2)])

    def test_windows(self):  # that are written to: which eager mode does where no element is in two
        def written(x):
            y = x * 1
            w = y.unfold(1, 2, 3)
            w.mul_(2)
            w[:, 0] += 1
            return y + w.sum()
        self.same(written, [(3, 8)], [(2, 9)], [(4, 13)])
        self.same(lambda x: x.mul(2).unfold(0, 2, 2).add_(1), [(6, 3)], [(9, 2)])

        def one_of_several(x):  # an element that windows share is what the last write to any of them says
            y = x * 1
            w = y.unfold(1, 4, 2)
            w[:, 1].mul_(3)
            w[:, 0, 2] = float("nan")
            w[:, 0] += 1
            w[:, 1, 0] = 7
            return torch.cat([y, w[:, 0], w[:, 1]], 1)
        self.same(one_of_several, [(3, 9)], [(2, 12)])

        def emptied(x):
            y = x * 1
            y.unfold(0, 3, 1).zero_()
            return y + 1
        self.same(emptied, [(6, 2)], [(9, 4)])

    def test_diagonals(self):  # which are written to
        def multiplied(x):
            y = x * 1
            y.diagonal(1, -2, -1).mul_(2)
            return y

        def clamped(x):
            y = x + 0
            y.diagonal(-1)[1:].clamp_(-0.1, 0.1)
            return y + y.diagonal().sum()

        self.same(multiplied, [(2, 4, 5)], [(3, 6, 4)], [(2, 5, 5)])
        self.same(clamped, [(4, 4)], [(7, 7)])
        self.same(lambda x: (x > 0).diagonal_scatter(x.diagonal() < 0), [(4, 4)], [(6, 6)])

    def test_views_of_what_changes(self):  # a view shows what is written to its tensor afterwards, and the other way round
        def changed(view, back=lambda y: y):
            def f(x):
                y = x * 1
                seen = view(y)
                y.add_(1)
                return back(seen) * 1
            return f

        def written(make, view, back):
            def f(x):
                y = make(x)
                view(y).mul_(2)
                return back(y) * 1
            return f

        def number(x):
            return torch.complex(x, x.cos())

        def turned(view, back=lambda y: y):
            def f(x):
                y = number(x)
                seen = view(y)
                y.mul_(2)
                return back(seen) * 1
            return f

        def pairs(z):
            return torch.view_as_real(z.resolve_conj())

        for f in (changed(lambda y: y.unfold(0, 3, 2)), changed(lambda y: y.as_strided((2, 2), (3, 1), 1)), changed(torch.Tensor.diagonal),
                  changed(lambda y: torch.complex(y, y).conj().imag), changed(lambda y: torch.view_as_complex(y.unflatten(1, (-1, 2))), torch.view_as_real),
                  turned(torch.view_as_real), turned(lambda z: z.conj().imag), turned(lambda z: z.conj().real), turned(torch.conj, pairs),
                  turned(lambda z: z.mH, pairs), written(number, torch.view_as_real, torch.view_as_real)):
            self.same(f, [torch.arange(24.).reshape(6, 4)], [torch.arange(40.).reshape(5, 8) / 9])
        for f in (written(lambda x: x * 1, lambda y: y.as_strided((2, 2), (5, 1), 2), torch.neg), written(number, lambda z: z.conj().imag, torch.view_as_real)):
            self.same(f, [torch.arange(24.).reshape(6, 4)])  # whose sizes torch makes constants

    def test_every_view(self):  # of those that are one in PyTorch, and of copies that look like one
        views = [lambda y: y.adjoint(), lambda y: y.mT, lambda y: y.chunk(2)[1], lambda y: y.contiguous(), lambda y: y.detach(), lambda y: y.diagonal(),
                 lambda y: y.expand_as(y), lambda y: y.flatten(), lambda y: y.hsplit(2)[1], lambda y: torch.linalg.diagonal(y), lambda y: y.movedim(0, 1),
                 lambda y: y.narrow(0, 1, 2), lambda y: torch.positive(y), lambda y: y.ravel(), lambda y: y.real, lambda y: y.reshape(-1, 2),
                 lambda y: y.reshape_as(y), lambda y: y[1], lambda y: y[:, ::2], lambda y: y.split([1, 3, 2])[1], lambda y: y.unsqueeze(1).squeeze(1),
                 lambda y: y.t(), lambda y: y.tensor_split((1, 3))[1], lambda y: y.float(), lambda y: y.type_as(y), lambda y: y.unbind()[2],
                 lambda y: y.unflatten(0, (2, -1)), lambda y: y.view(-1), lambda y: y.vsplit(2)[1], torch.atleast_3d, lambda y: F.dropout(y, 0.5, False),
                 lambda y: y[None], lambda y: y[..., 0], lambda y: y.as_strided((3, 2), (4, 1)), lambda y: torch.broadcast_tensors(y, y[:1])[0],
                 lambda y: torch.cartesian_prod(y[0])]
        copies = [lambda y: y.T.reshape(-1), lambda y: y.T.contiguous(), lambda y: y.T.flatten(), lambda y: y[:, :2].reshape(-1), lambda y: y.repeat(1, 1),
                  lambda y: torch.cat([y]), lambda y: F.pad(y, (0, 0)), lambda y: y.clone(), lambda y: y[torch.tensor([1, 0])], lambda y: y.index_select(0, torch.tensor([0])),
                  lambda y: y.nan_to_num(), lambda y: y.double()]
        read = [lambda y: y.unfold(0, 2, 2), lambda y: y.unsqueeze(0).expand(3, -1, -1), lambda y: torch.broadcast_tensors(y, y[:1])[1],
                lambda y: torch.meshgrid(y[0], y[1], indexing="ij")[0]]

        def f(x):
            made = []
            for view in views + copies + read:
                y = x * 1
                seen = view(y)
                y.add_(1)
                made.append((seen * 1).flatten())
            for view in views + copies:
                y = x * 1
                view(y).mul_(2)
                made.append(y.flatten() * 1)
            return torch.cat(made)
        self.same(f, [torch.arange(24.).reshape(6, 4)])

    def test_some_copies(self):  # of elements that are repeated, of which a part is written: all of them are one element
        def column(x):
            y = x * 1
            y.unsqueeze(1).expand(-1, 3, -1)[:, 1].mul_(2)
            return y * 1

        def number(x):
            y = x[0, 0] * 1
            v = y.expand(3)
            v[:1] = 7
            return y + v.sum()

        def row(x):
            y = x[:1] * 1
            v = y.expand(4, -1)
            v[2].copy_(x[1])
            return torch.cat([y * 1, v * 1])

        def flags(x):
            v = (x[:, :1] > 0).expand(-1, 3)
            v[:, 2].logical_not_()
            return v * 1
        for f in (column, number, row, flags):
            self.same(f, [(6, 4)], [(5, 7)])

    def test_turned_in_place(self):  # to what it was: nothing is written
        def f(x):
            y = x.sum().expand(3)
            return y.swapaxes_(0, -1) + x[0]
        self.same(f, [(4, 3)], [(2, 3)])

    def test_memory(self):  # guards of strides and of what an argument is a view of: a compiled program reads arguments as they lie
        f = lambda x: x.reshape(x.shape[0], -1) * 2
        self.same(f, [torch.randn(4, 3, 10)[..., ::2]], [torch.randn(5, 2, 3)], [torch.randn(3, 2, 7).mT])
        self.same(lambda x: x.flatten(), [torch.randn(3, 4, 5)[1:]], [torch.randn(2, 3)[:, None].expand(2, 4, 3)])


if __name__ == "__main__":
    torch.manual_seed(0)
    unittest.main()
