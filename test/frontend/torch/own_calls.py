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


def bounds():
    """Bounds that no integer of the type passes."""
    for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32):
        x = torch.tensor([0, 1, 5, 100, 127]).to(dtype)
        for low, high in ((-2, 2), (-2, None), (None, 300), (-(1 << 40), 1 << 40), (0, 255), (3, 60)):
            if dtype != torch.int8 or high != 255:
                yield aten.clamp.default, (x, low, high)
        yield aten.clamp_min.default, (x, -200 if dtype == torch.int8 else -1)
        yield aten.clamp_max.default, (x, 256)
        yield aten.hardtanh.default, (x,)
        yield aten.hardtanh.default, (x, -3, 4)


def bags():
    """Indices of 32 bits, bags without an index, also behind the last."""
    table = torch.randn(10, 5)
    for dtype in (torch.int32, torch.int64):
        for begins in ([0, 2, 2, 5], [0, 0, 6], [0, 3, 6, 6], [0]):
            for mode in range(3):
                yield aten._embedding_bag.default, (table, torch.tensor([3, 9, 0, 3, 1, 7], dtype=dtype), torch.tensor(begins, dtype=dtype), False, mode)


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


def faked():
    """Numbers that are quantised and dequantised at once: zero points that are integers, floats or learned, ranges that clamp, none, and scales that
    are too small for the least one."""
    x, scales, zeros, one = torch.randn(2, 6, 5) * 3, torch.rand(6) * 0.05 + 0.01, torch.randint(-5, 6, (6,), dtype=torch.int32), torch.tensor([0.03])
    for dtype in (torch.float32, torch.float64, torch.float16):
        yield aten.fake_quantize_per_tensor_affine_cachemask.default, (x.to(dtype), 0.037, 3, -128, 127)
        for zero in (zeros, zeros + 0.3):
            yield aten.fake_quantize_per_channel_affine_cachemask.default, (x.to(dtype), scales, zero, 1, -128, 127)
    yield aten.fake_quantize_per_channel_affine.default, (x, scales, zeros, 1, -8, 7)
    yield aten.fake_quantize_per_tensor_affine.default, (x, 0.037, 3, 0, 255)
    yield aten.fake_quantize_per_tensor_affine.tensor_qparams, (x, one, torch.tensor([4], dtype=torch.int32), 0, 255)
    for on in (0, 1):
        yield aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default, (x, one, torch.tensor([4], dtype=torch.int32), torch.tensor([on]), 0, 255)
    for zero in (2.5, 3.5, -1.5, -1.7, 300.0):
        yield aten._fake_quantize_learnable_per_tensor_affine.default, (x, one, torch.tensor([zero]), -128, 127, 0.3)
        yield aten._fake_quantize_learnable_per_tensor_affine_backward.default, (torch.randn_like(x), x, one, torch.tensor([zero]), -128, 127, 0.3)
    yield aten._fake_quantize_learnable_per_channel_affine.default, (x, scales, zeros + 0.5, 1, -128, 127, 0.3)
    yield aten._fake_quantize_learnable_per_channel_affine_backward.default, (torch.randn_like(x), x, scales, zeros + 0.5, 1, -128, 127, 0.3)
    inf, observed = torch.tensor([torch.inf]), aten._fused_moving_avg_obs_fq_helper_functional.default
    def states(least, most):
        return least, most, torch.ones_like(least), torch.zeros_like(least, dtype=torch.int32), 0.01
    for symmetric in (False, True):
        for low, high in ((-128, 127), (0, 127), (-127, 127)):
            for y in (x, x.abs() + 1, -x.abs() - 1, x * 1e-4, x.abs() * 1e-4, -x.abs() * 1e-4, x * 0, x * 1e-38):
                yield observed, (y, torch.tensor([1]), torch.tensor([1]), *states(inf, -inf), low, high, -1, False, symmetric)
            for observes, on in ((0, 1), (1, 0), (0, 0), (1, 1)):
                yield observed, (x, torch.tensor([observes]), torch.tensor([on]), *states(torch.tensor([-0.7]), torch.tensor([1.3])), low, high, -1, False, symmetric)
            yield observed, (x, torch.tensor([1]), torch.tensor([1]), *states(inf.expand(2).clone(), -inf.expand(2).clone()), low, high, 0, True, symmetric)


def sums_of_bytes():
    yield aten._int_mm.default, (torch.randint(-128, 128, (6, 8), dtype=torch.int8), torch.randint(-128, 128, (8, 4), dtype=torch.int8))


def written():
    """What archives hold as it was written, of which torch.compile's graphs have the parts."""
    for r, again in ((1, False), (2, False), (2, True), (3, False), (3, True), (5, False), (6, False)):
        yield aten.combinations.default, (torch.randn(5), r, again)
    for n in (None, 1, 2, 7):
        if n != 1:
            yield aten.linalg_vander.default, (torch.randn(3, 4),), {"N": n}
        for increasing in (False, True):
            yield aten.vander.default, (torch.arange(-2, 3), n, increasing)
    parts = [torch.randn(n, 2) for n in (3, 5, 0, 1)]
    for side in ("right", "left"):
        for first in (False, True):
            yield aten.pad_sequence.default, (parts, first, -1.5, side)
    yield aten.pad_sequence.default, ([torch.arange(4), torch.arange(2)],)
    y, holes = torch.randn(3, 5), torch.tensor([[1.0, torch.nan, 3.0, -2.0, 0.5], [torch.nan] * 5, [torch.inf, 2.0, torch.nan, torch.nan, 1.0]])
    for dim in (0, -1):
        yield aten.cumulative_trapezoid.dx, (y,), {"dx": 0.5, "dim": dim}
        yield aten.cumulative_trapezoid.x, (y, torch.arange(5 if dim else 3) ** 2), {"dim": dim}
        for keep in (False, True):
            yield aten.nanquantile.default, (holes, torch.tensor([0.0, 0.3, 1.0]), dim, keep)
            yield aten.nanquantile.scalar, (holes, 0.4, dim, keep)
    yield aten.nanquantile.scalar, (holes, 0.4)
    for how in ("linear", "nearest", "lower", "higher", "midpoint"):
        yield aten.quantile.default, (holes[2].nan_to_num(-1.0, posinf=torch.inf), torch.tensor([0.3, 1.0])), {"interpolation": how}
        yield aten.nanquantile.default, (holes, torch.tensor([0.3, 0.8]), 1), {"interpolation": how}
    yield aten.special_i0.default, (y,)
    yield aten.special_zeta.other_scalar, (y.abs() + 1.5, 2.5)
    yield aten.special_zeta.self_scalar, (3.0, y.abs() + 0.5)
    yield aten.range.step, (1, 3, 0.5), {"dtype": torch.float32}
    yield aten.range.default, (-2, 3), {"dtype": torch.int64}


def waves():
    """Resizing with antialias by windowed sines, to fewer and to more pixels, and gradients of it."""
    for align, scales in ((False, (None, None)), (False, (0.6, 1.5)), (True, (None, None))):
        yield aten._upsample_lanczos2d_aa.default, (torch.randn(1, 1, 8, 6), [5, 9], align, *scales)
        yield aten._upsample_lanczos2d_aa_backward.default, (torch.randn(1, 1, 5, 9), [5, 9], [1, 1, 8, 6], align, *scales)
    yield aten._upsample_lanczos2d_aa.default, (torch.randint(0, 256, (1, 1, 8, 6), dtype=torch.uint8), [5, 9], False)


torch.manual_seed(0)
calls = [(func, args, dict(*more)) for cases in (views, grids, embeddings, parameters, tangents, windows, resized, compressed, ragged, searches, faked, sums_of_bytes, written, waves, bounds, bags) for func, args, *more in cases()]
results = [func(*args, **more) for func, args, more in calls]
lines = [record.line(func, args, more, list(result) if isinstance(result, tuple) else [result])[2] for (func, args, more), result in zip(calls, results)]
with gzip.GzipFile(sys.argv[1], "wb", mtime=0) as file:
    file.write("".join(json.dumps(line) + "\n" for line in sorted(lines, key=lambda line: line["call"])).encode())
