"""own_calls.py FILE: calls of overloads that torch's operator tests do not make, for tcc-torch-calls, with what torch gives for them."""
import gzip
import json
import sys

import record
import torch

aten = torch.ops.aten


def views():
    """The bits of one type as another one, of its width and of others."""
    numbers = torch.tensor([[0.0, -0.0, 1.5], [torch.inf, -3e-4, 65504.0]])
    for dtype, others in ((torch.float32, (torch.int32,)), (torch.float16, (torch.int16, torch.bfloat16)), (torch.bfloat16, (torch.int16, torch.float16)),
                          (torch.float64, (torch.int64,)), (torch.int32, (torch.float32,)), (torch.uint8, (torch.int8,))):
        x = numbers.clamp(-9, 9).to(dtype) if not dtype.is_floating_point else numbers.to(dtype)
        for other in others:
            yield aten.view.dtype, (x, other)
    for dtype, others in ((torch.float32, (torch.int64, torch.uint8, torch.float16, torch.float64)), (torch.int64, (torch.int32, torch.int8, torch.float32)),
                          (torch.bfloat16, (torch.uint8, torch.int32)), (torch.uint8, (torch.float32, torch.int16, torch.float64))):
        x = torch.arange(48, dtype=torch.int64).mul(0x1234567).remainder(0x7fff).reshape(2, 3, 8).to(dtype)
        for other in others:
            yield aten.view.dtype, (x, other)


def grids():
    for dtype in (torch.float32, torch.float64):  # torch has no kernel for halves
        for align in (False, True):
            for axes, size in ((2, (2, 3, 4, 5)), (2, (3, 1, 1, 6)), (3, (2, 1, 3, 4, 5))):
                yield aten.affine_grid_generator.default, (torch.randn(size[0], axes, axes + 1).to(dtype), list(size), align)


def searches():
    """Sequences that are long enough to be halved, of one row and of several; values that are in them, and NaN."""
    for dtype in (torch.float32, torch.int64):
        for n in (33, 64, 100):
            row = torch.randn(n).mul(20).to(dtype).sort().values
            values = torch.cat([row[::7], row[:5] + 1, torch.tensor([-1e6, 1e6]).to(dtype)])
            if dtype.is_floating_point:
                values[3] = torch.nan
            rows = torch.stack([row, row * 2, row - 3])
            for right in (False, True):
                yield aten.bucketize.Tensor, (values, row), {"right": right}
                yield aten.searchsorted.Tensor, (rows, values.expand(3, -1).contiguous()), {"right": right}


def embeddings():
    """Gradients that are divided by how often an index stands there."""
    for dtype in (torch.float32, torch.bfloat16):
        for padding in (-1, 2):
            indices = torch.tensor([[1, 2, 1, 4], [1, 0, 4, 2]])
            yield aten.embedding_dense_backward.default, (torch.randn(2, 4, 3).to(dtype), indices, 6, padding, True)


def parameters():
    """What numbers that were drawn change by with their parameters, in each of the cases that torch tells apart."""
    x, alpha = (t.flatten() for t in torch.meshgrid(torch.tensor([1e-4, 0.3, 0.79, 0.81, 3.0, 9.0, 9.9, 30.0]), torch.tensor([1e-3, 0.5, 1.0, 4.0, 7.9, 9.0, 10.0, 60.0]), indexing="ij"))
    share, beta = torch.meshgrid(torch.tensor([1e-4, 0.1, 0.3, 0.5, 0.52, 0.9, 0.9999]), torch.tensor([0.2, 1.0, 5.0, 7.0, 40.0]), indexing="ij")
    for dtype in (torch.float32, torch.float64):
        yield aten._standard_gamma_grad.default, (alpha.to(dtype), x.to(dtype))
        for other in (0.3, 2.0, 6.5, 30.0):
            yield aten._dirichlet_grad.default, (share.to(dtype), beta.to(dtype), (beta + other).to(dtype))


def tangents():
    """What forward derivatives begin as."""
    for dtype in (torch.float32, torch.float64):
        yield aten._new_zeros_with_same_feature_meta.default, (torch.randn(2, 3).to(dtype), torch.randn(4, 5).to(dtype))


def windows():
    """Windows that overlap as what they are of; those of one row for all rows."""
    for rows in (3, 1):
        yield aten.unfold_backward.default, (torch.randn(rows, 2, 4, 5), [3, 2, 12], 2, 5, 2)
        yield aten.unfold_backward.default, (torch.randn(4, rows, 5), [12, 3], 0, 5, 2)


def resized():
    """Gradients of resizing with antialias by cubics, to fewer and to more pixels."""
    for dtype in (torch.float32, torch.float64):
        for align, scales in ((False, (None, None)), (False, (0.4, 1.7)), (True, (None, None))):
            yield aten._upsample_bicubic2d_aa_backward.default, (torch.randn(1, 2, 5, 8).to(dtype), [5, 8], [1, 2, 11, 5], align, *scales)


def compressed():
    """Rows of elements, and where each row begins: some are empty, the last ones too, and so may be all."""
    for dtype in (torch.int64, torch.int32):
        short = {"out_int32": dtype == torch.int32}
        for rows, size in (([0, 0, 2, 3, 3, 3, 6], 7), ([1, 1, 2], 5), ([], 3)):
            rows = torch.tensor(rows, dtype=dtype)
            begins = aten._convert_indices_from_coo_to_csr(rows, size, **short)
            yield aten._convert_indices_from_coo_to_csr.default, (rows, size), short
            for transpose in (False, True):
                yield aten._convert_indices_from_csr_to_coo.default, (begins, rows * 3 % 5), short | {"transpose": transpose}


def ragged():
    """Rows of parts of different lengths, padded and back: empty parts, no rows, parts that are longer than what is asked for."""
    for dtype in (torch.float32, torch.bfloat16, torch.int64):
        for lengths, longest, rest in (((3, 0, 5), 5, (2,)), ((1, 4), 6, ()), ((0, 0), 2, (3,)), ((4, 2, 3), 2, (2, 2))):
            offsets = torch.tensor([0, *lengths]).cumsum(0)
            rows, padded = sum(lengths), torch.randn(len(lengths), longest, *rest).mul(9).to(dtype)
            if dtype.is_floating_point:  # torch's kernel has no integers
                yield aten._jagged_to_padded_dense_forward.default, (torch.randn(rows, *rest).to(dtype), [offsets], [longest], -1.5)
                if longest >= max(lengths):
                    yield aten._padded_dense_to_jagged_forward.default, (padded, [offsets], rows)


torch.manual_seed(0)
calls = [(func, args, dict(*more)) for cases in (views, grids, embeddings, parameters, tangents, windows, resized, compressed, ragged, searches) for func, args, *more in cases()]
lines = [record.line(func, args, more, [func(*args, **more)])[2] for func, args, more in calls]
with gzip.GzipFile(sys.argv[1], "wb", mtime=0) as file:
    file.write("".join(json.dumps(line) + "\n" for line in sorted(lines, key=lambda line: line["call"])).encode())
