"""exported.py [--only REGEX] [--every N] [--from N] [--seconds N] [--list] [--complex]: torch's operator tests as .pt2 archives, as torch.export leaves them.

The first two samples of each operator of op_db in f32, or complex64. What torch.compile takes apart before a backend sees it (einsum, stft, tensordot) an
archive holds as it is. A result is right if it is within assert_close's tolerance of eager mode's, or nearer to f64's; complex ones are pairs of
real ones. Printed are the counts, and the operators of each reason. Other options are those of fullgraph.py."""
import collections
import io
import os
import re
import sys
import tempfile
import time

import torch
from torch.utils._pytree import tree_flatten, tree_unflatten

import fullgraph
import tcc

SAMPLES = 2


class Call(torch.nn.Module):
    """An operator whose tensors are inputs; all else that it is called with is constant."""

    def __init__(self, op, sample):
        super().__init__()
        self.op, (self.leaves, self.spec) = op, tree_flatten((sample.input, sample.args, sample.kwargs))
        self.given = tuple(v.detach() for v in self.leaves if isinstance(v, torch.Tensor))
        self.leaves = [Ellipsis if isinstance(v, torch.Tensor) else v for v in self.leaves]

    def forward(self, *tensors):
        rest = iter(tensors)
        first, args, kwargs = tree_unflatten([next(rest) if v is Ellipsis else v for v in self.leaves], self.spec)
        return self.op(first, *args, **kwargs)


def pairs(results):
    return [torch.view_as_real(t.resolve_conj()) if t.is_complex() else t for t in fullgraph.tensors(results)]


def judge(op, sample):
    """One word, and the reason."""
    call = Call(op, sample)
    try:
        torch.manual_seed(0)
        eager = pairs(call(*fullgraph.clone(call.given)))
        torch.manual_seed(1)
        again = pairs(call(*fullgraph.clone(call.given)))
    except Exception:
        return "eager fails", ""
    if fullgraph.ANY_VALUES.search(op.name) or not all(fullgraph.equal(a, b) for a, b in zip(eager, again)):
        return "random", ""
    try:
        file = io.BytesIO()
        torch.export.save(torch.export.export(call, fullgraph.clone(call.given), strict=False), file)
    except Exception as error:
        return "torch.export: " + type(error).__name__, " ".join(str(error).split())[:200]
    with tempfile.NamedTemporaryFile(suffix=".pt2", delete=False) as archive:
        archive.write(file.getvalue())
    try:
        model = tcc.compile(archive.name, threads=1, cache=False)
        got = model(*[t.contiguous() for t in pairs(list(call.given))])
    except tcc.Error as error:
        if "'tcc.seed' is missing" in str(error):
            return "random", ""
        return error.code, " ".join(str(error).split())[-300:]
    finally:
        os.unlink(archive.name)
    got = [torch.from_dlpack(t) if not isinstance(t, torch.Tensor) else t for t in (got if isinstance(got, tuple) else (got,))]

    got = got[:len(eager)]  # behind them is what was written

    def exact():
        return pairs(call(*[t.to(torch.complex128) if t.is_complex() else t for t in fullgraph.wide(list(call.given))]))
    if fullgraph.near(got, eager, exact):
        return "right", ""
    if fullgraph.AMBIGUOUS.search(op.name):
        return "another one of equal elements", ""
    return "differs", f"{[tuple(t.shape) for t in got]} {[tuple(t.shape) for t in eager]}"


def main():
    from torch.testing._internal.common_methods_invocations import op_db
    option = fullgraph.option
    only, dtype = option("--only", None), torch.complex64 if "--complex" in sys.argv else torch.float32
    counts, names = collections.Counter(), collections.defaultdict(set)
    chosen = [op for op in op_db if dtype in op.supported_dtypes("cpu") and (not only or re.search(only, op.name))][int(option("--from", 0))::int(option("--every", 1))]
    end, reached = time.monotonic() + float(option("--seconds", 1e9)), 0
    for op in chosen:
        if time.monotonic() > end:
            break
        reached += 1
        try:
            samples = [s for _, s in zip(range(SAMPLES), op.sample_inputs("cpu", dtype))]
        except Exception:
            samples = []
        for sample in samples:
            word, why = judge(op, sample)
            counts[word] += 1
            names[word].add(op.name)
            if "--list" in sys.argv and word != "right":
                print(op.name, word, why, flush=True)
    print(f"{reached} of {len(chosen)} operators, {sum(counts.values())} samples")
    for word, count in counts.most_common():
        print(f"{word}: {count}" + ("" if word == "right" else ": " + ", ".join(sorted(names[word]))))


if __name__ == "__main__":
    main()
