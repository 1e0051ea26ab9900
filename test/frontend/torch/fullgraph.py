"""fullgraph.py [--only REGEX] [--every N] [--from N] [--seconds N] [--list]: torch's operator tests through torch.compile(fullgraph=True, backend="tcc").

The first two samples of each operator of op_db in f32, bf16, f16, i64, i32, u8 and bool. A result is right if it is within assert_close's
tolerance of eager mode's, or nearer to f64's. One that differs is compared with the graph that torch makes of the call, node by node in eager
mode (aot_eager): torch may decompose it into what rounds at other places. Printed are the counts, and the operators of each reason: what tcc
lacks, what Dynamo cannot capture, what differs. --every N: of each N-th operator, --from N: beginning with this one. --seconds N: as far as
that suffices. --list: each call that is not right. Not a test: all of it takes an hour."""
import collections
import re
import sys
import time
import types
import warnings

import torch
from torch.utils._pytree import tree_flatten, tree_map

try:
    import expecttest  # noqa: F401  torch's test helpers import it and do not need it here
except ImportError:
    sys.modules["expecttest"] = types.ModuleType("expecttest")
    sys.modules["expecttest"].TestCase = object
    sys.modules["expecttest"].assert_expected_inline = None

import tcc
import tcc.dynamo

warnings.simplefilter("ignore")
TYPES = (torch.float32, torch.bfloat16, torch.float16, torch.int64, torch.int32, torch.uint8, torch.bool)
SAMPLES = 2
AMBIGUOUS = re.compile(r"topk|kthvalue|median|mode|sort")  # an index of equal elements may name any
ANY_VALUES = re.compile(r"empty")  # which now and then are the same twice


def tensors(result):
    return [t.resolve_conj() for t in tree_flatten(result)[0] if isinstance(t, torch.Tensor)]


def wide(tree):
    return tree_map(lambda t: t.double() if isinstance(t, torch.Tensor) and t.is_floating_point() else t, tree)


def near(got, eager, exact):
    """Whether each result is eager mode's, or at most as far from f64's; exact() computes that."""
    got, eager = tensors(got), tensors(eager)
    if len(got) != len(eager):
        return False
    for i, (a, b) in enumerate(zip(got, eager)):
        try:
            torch.testing.assert_close(a, b, equal_nan=True)
        except (AssertionError, NotImplementedError):
            try:
                want = tensors(exact())[i]
                if not a.is_floating_point() or (a.double() - want).abs().max() > (b.double() - want).abs().max():
                    return False
            except Exception:
                return False
    return True


def equal(a, b):
    """Bit by bit, but for types that torch cannot compare."""
    try:
        torch.testing.assert_close(a, b, rtol=0, atol=0, equal_nan=True)
    except AssertionError:
        return False
    except Exception:
        return True
    return True


def clone(tree):
    return tree_map(lambda t: t.detach().clone() if isinstance(t, torch.Tensor) else t, tree)


def names_equal_elements(sample, got, eager):
    """Whether indices that are not asked to be stable name elements of the same values as eager mode's, each once."""
    axis = sample.kwargs.get("dim", sample.args[0] if sample.args else -1)
    if sample.kwargs.get("stable") or not torch.equal(got.sort(axis)[0], eager.sort(axis)[0]):
        return False
    return torch.equal(sample.input.take_along_dim(got, axis), sample.input.take_along_dim(eager, axis))


def judge(op, sample):
    """One word, and the reason."""
    def call(args):
        return op(args[0], *args[1], **args[2])
    given = (sample.input, sample.args, sample.kwargs)
    try:
        torch.manual_seed(0)
        eager = call(clone(given))
        torch.manual_seed(1)
        again = call(clone(given))
    except Exception:
        return "eager fails", ""
    if ANY_VALUES.search(op.name) or not all(equal(a, b) for a, b in zip(tensors(eager), tensors(again)) if a.layout == torch.strided):
        return "random", ""
    torch._dynamo.reset()
    try:
        with torch.no_grad():
            got = torch.compile(call, fullgraph=True, backend=tcc.dynamo.backend)(clone(given))
    except torch._dynamo.exc.BackendCompilerFailed as error:
        inner = error.inner_exception
        return getattr(inner, "code", type(inner).__name__), " ".join(str(inner).split())[-300:]
    except Exception as error:
        return "Dynamo: " + type(error).__name__, " ".join(str(error).split())[:200]
    exact = lambda: call(wide(given))  # noqa: E731
    if near(got, eager, exact):
        return "right", ""
    if AMBIGUOUS.search(op.name) and near(tensors(got)[:1], tensors(eager)[:1], exact):
        return "another one of equal elements", ""
    if op.name == "argsort" and names_equal_elements(sample, got, eager):
        return "another one of equal elements", ""
    torch._dynamo.reset()
    with torch.no_grad():
        decomposed = torch.compile(call, fullgraph=True, backend="aot_eager")(clone(given))
    return ("as torch decomposes it, unlike eager mode" if near(got, decomposed, exact) else "differs"), ""


def option(name, otherwise):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else otherwise


def main():
    from torch.testing._internal.common_methods_invocations import op_db
    only, every = option("--only", None), int(option("--every", 1))
    counts, names = collections.Counter(), collections.defaultdict(set)
    chosen = [op for op in op_db if not only or re.search(only, op.name)][int(option("--from", 0))::every]
    end, reached = time.monotonic() + float(option("--seconds", 1e9)), 0
    for op in chosen:
        if time.monotonic() > end:
            break
        reached += 1
        for dtype in TYPES:
            if dtype not in op.supported_dtypes("cpu"):
                continue
            try:
                samples = [s for _, s in zip(range(SAMPLES), op.sample_inputs("cpu", dtype))]
            except Exception:
                samples = []
            for s in samples:
                word, why = judge(op, s)
                counts[word] += 1
                names[word].add(op.name)
                if "--list" in sys.argv and word != "right":
                    print(op.name, str(dtype).removeprefix("torch."), word, why, flush=True)
    print(f"{reached} of {len(chosen)} operators, {sum(counts.values())} samples")
    for word, count in counts.most_common():
        print(f"{word}: {count}" + ("" if word == "right" else ": " + ", ".join(sorted(names[word]))))


if __name__ == "__main__":
    main()
