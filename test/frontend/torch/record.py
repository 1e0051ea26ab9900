"""record.py FILE [OPTION...]: calls of ATen overloads with what torch gives for them, for tcc-torch-calls.

The calls are those that the samples of torch's own operator tests (op_db), forward and backward, end in. Of an overload that aten.def has
at most --most N are kept, of as many types, shapes and arguments as there are. --all: of every overload; --only REGEX: of these operators
of op_db; --overloads REGEX: of these; --samples N: of each operator and type. --whole N: all calls of all overloads and samples that differ
in types, sizes, strides or arguments, of tensors of at most N elements; what is not kept is counted by its reason in FILE.skipped. --from
WHOLE: at most --most calls of each overload of such a file.

A line is a call: a graph of one node as an archive holds it, inputs and results as hexadecimal bytes, and where torch is off by more than
assert_close allows what it gives in f64. Needs torch; the file is gzip's."""
import gzip
import json
import math
import pathlib
import random
import re
import sys
import types
import warnings

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

try:
    import expecttest  # noqa: F401  torch's test helpers import it and do not need it here
except ImportError:
    sys.modules["expecttest"] = types.ModuleType("expecttest")
    sys.modules["expecttest"].TestCase = object
    sys.modules["expecttest"].assert_expected_inline = None

warnings.simplefilter("ignore")
TYPES = {torch.uint8: 1, torch.int8: 2, torch.int16: 3, torch.int32: 4, torch.int64: 5, torch.float16: 6, torch.float32: 7, torch.float64: 8,
         torch.bool: 12, torch.bfloat16: 13}  # numbers of the schema
TOLERANCE = {torch.float16: (1e-3, 1e-5), torch.bfloat16: (1.6e-2, 1e-5), torch.float32: (1.3e-6, 1e-5), torch.float64: (1e-7, 1e-7)}
FORMATS = {torch.contiguous_format: 1, torch.channels_last: 2, torch.channels_last_3d: 3, torch.preserve_format: 4}
MOST_ELEMENTS = 400  # of a tensor; own cases have up to 1000
MOST_TEXT = 12000  # bytes of a call that --from picks
MOST_CALLS = 120  # of an overload, that the kept ones are picked from
TABLE = pathlib.Path(__file__).resolve().parents[3] / "lib/frontend/torch/aten.def"


def rows():
    names = set(re.findall(r'ATEN_OP\("aten\.([^"]+)"', TABLE.read_text()))
    return names | {re.sub(r"\.([^.]*)$", r"_.\1", n) for n in names}


# Which of equal elements an index names is nobody's promise: calls with equal ones are not kept.
AMBIGUOUS = re.compile(r"aten\.(topk|kthvalue|median|mode|argsort\.default|sort\.default)")


class Skip(Exception):
    """Why a call is not kept."""


def meta(t):
    return {"dtype": TYPES[t.dtype], "sizes": [{"as_int": n} for n in t.shape], "requires_grad": False,
            "device": {"type": "cpu", "index": None}, "strides": [{"as_int": n} for n in t.contiguous().stride()],
            "storage_offset": {"as_int": 0}, "layout": 7}


def number(x):
    if math.isnan(x):
        return "NaN"
    return x if math.isfinite(x) else "Infinity" if x > 0 else "-Infinity"


def data(t):
    t = t.detach().contiguous().clone()
    raw = t.reshape(-1).view(torch.uint8).numpy().tobytes() if t.numel() else b""
    return [TYPES[t.dtype], list(t.shape), raw.hex()]


def check(t, most):
    if not isinstance(t, torch.Tensor):
        raise Skip("no tensor")
    if t.layout != torch.strided:
        raise Skip("sparse")
    if t._is_zerotensor():
        raise Skip("zeros without memory")
    if t.dtype not in TYPES:
        raise Skip("complex" if t.dtype.is_complex else str(t.dtype))
    if t.numel() > most:
        raise Skip("large")


class Graph:
    def __init__(self, most):
        self.most, self.inputs, self.values, self.data = most, [], {}, []

    def tensor(self, t):
        check(t, self.most)
        name = f"x{len(self.inputs)}"
        self.inputs.append(name)
        self.values[name] = meta(t)
        self.data.append(data(t))
        return {"name": name}

    def argument(self, value, kind):
        if value is None:
            return {"as_none": True}
        if isinstance(value, torch.Tensor):
            return {"as_tensor": self.tensor(value)}
        if isinstance(value, (list, tuple)):
            if "Optional[Tensor]" in kind:
                return {"as_optional_tensors": [{"as_none": True} if v is None else {"as_tensor": self.tensor(v)} for v in value]}
            if value and isinstance(value[0], torch.Tensor) or "Tensor" in kind:
                return {"as_tensors": [self.tensor(v) for v in value]}
            if "bool" in kind:
                return {"as_bools": list(value)}
            if "float" in kind or any(isinstance(v, float) for v in value):
                return {"as_floats": [number(float(v)) for v in value]}
            return {"as_ints": [int(v) for v in value]}
        if isinstance(value, torch.dtype):
            if value not in TYPES:
                raise Skip("complex" if value.is_complex else str(value))
            return {"as_scalar_type": TYPES[value]}
        if isinstance(value, torch.memory_format):
            return {"as_memory_format": FORMATS[value]}
        if isinstance(value, torch.layout):
            return {"as_layout": 7}
        if isinstance(value, torch.device):
            return {"as_device": {"type": "cpu", "index": None}}
        if isinstance(value, bool):
            return {"as_bool": value}
        if isinstance(value, int):
            return {"as_float": float(value)} if kind == "float" or kind == "Optional[float]" else {"as_int": value}
        if isinstance(value, float):
            return {"as_float": number(value)}
        if isinstance(value, str):
            return {"as_string": value}
        raise Skip("complex" if isinstance(value, complex) else type(value).__name__)


def in_double(func, args, kwargs):
    """The results for the same numbers in f64; None where torch has none."""
    def wide(t):
        if t is torch.float32:  # a type to compute in
            return torch.float64
        return t.double() if isinstance(t, torch.Tensor) and t.dtype in (torch.float16, torch.bfloat16, torch.float32) else t
    try:
        result = func(*tree_map(wide, args), **tree_map(wide, kwargs))
    except Exception:
        return None
    return list(result) if isinstance(result, (list, tuple)) else [result]


def exact(result, doubled):
    if doubled is None or doubled._is_zerotensor() or result.dtype not in TOLERANCE or doubled.dtype != torch.float64 or doubled.shape != result.shape:
        return []
    if result.dtype in (torch.float16, torch.bfloat16) and not torch.equal(doubled.to(result.dtype).nan_to_num(), result.nan_to_num()):
        return [data(doubled)[2]]  # two roundings may lie farther apart than each from what is exact
    rtol, atol = TOLERANCE[result.dtype]
    near = torch.isclose(result.double(), doubled, rtol=rtol, atol=atol, equal_nan=True)
    return [] if bool(near.all()) else [data(doubled)[2]]


def line(func, args, kwargs, result, most=MOST_ELEMENTS):
    """The call as a line, and what makes it another one than others."""
    schema, graph, inputs = func._schema, Graph(most), []
    if AMBIGUOUS.match(str(func)) and isinstance(args[0], torch.Tensor) and args[0].unique().numel() < args[0].numel():
        raise Skip("equal elements, of which any may be named")
    key = []
    for i, a in enumerate(schema.arguments):
        if i < len(args):
            value = args[i]
        elif a.name in kwargs:
            value = kwargs[a.name]
        else:
            continue
        if a.has_default_value() and not isinstance(value, torch.Tensor) and value == a.default_value and type(value) is type(a.default_value):
            continue
        if a.name == "generator":
            raise Skip("random")
        made = graph.argument(value, str(a.type))
        inputs.append({"name": a.name, "arg": made, "kind": 2 if a.kwarg_only else 1})
        key.append((a.name, str(made)))
    results = list(result) if isinstance(result, (list, tuple)) else [result]
    outputs, specs, expected = [], [], []
    doubled = in_double(func, args, kwargs)
    for i, r in enumerate(results):
        if r is None:
            outputs.append({"as_none": True})
            continue
        check(r, most)
        graph.values[f"y{i}"] = meta(r)
        outputs.append({"as_tensor": {"name": f"y{i}"}})
        expected.append(data(r) + exact(r, doubled[i] if doubled else None))
    named = [o for o in outputs if "as_tensor" in o]
    if str(schema.returns[0].type) == "List[Tensor]":
        outputs = [{"as_tensors": [o["as_tensor"] for o in outputs]}]
    node = {"target": f"torch.ops.{func}", "inputs": inputs, "outputs": outputs, "metadata": {}, "is_hop_single_tensor_return": None}
    specs = [{"user_input": {"arg": {"as_tensor": {"name": n}}}} for n in graph.inputs]
    program = {"graph_module": {
        "graph": {"inputs": [{"as_tensor": {"name": n}} for n in graph.inputs], "outputs": named, "nodes": [node],
                  "tensor_values": graph.values, "sym_int_values": {}, "sym_bool_values": {}, "is_single_tensor_return": False,
                  "custom_obj_values": {}, "sym_float_values": {}},
        "signature": {"input_specs": specs, "output_specs": [{"user_output": {"arg": o}} for o in named]}, "module_call_graph": []},
        "opset_version": {"aten": 10}, "range_constraints": {}, "schema_version": {"major": 8, "minor": 20}}
    kinds = tuple(d[0] for d in graph.data)
    return kinds, str(key) + str([d[:2] for d in graph.data]), {"call": str(func), "graph": program, "inputs": graph.data, "outputs": expected}


RANDOM = re.compile(r"rand|bernoulli|dropout|normal|uniform|exponential|multinomial|cauchy|geometric|poisson\b|empty|rrelu_with_noise")


def check_strides(func, args):
    """as_strided sees a storage, of which a call has the tensor's own elements alone, in row-major order."""
    if "as_strided" in str(func) and isinstance(args[0], torch.Tensor):
        if not args[0].is_contiguous() or args[0].untyped_storage().nbytes() != args[0].nbytes:
            raise Skip("strides into a storage that is recorded in part")


class Recorder(TorchDispatchMode):
    def __init__(self, wanted):
        super().__init__()
        self.wanted, self.calls = wanted, {}

    def __torch_dispatch__(self, func, types_, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = str(func)
        short = name.removeprefix("aten.")
        take = name.startswith("aten.") and (self.wanted is None or short in self.wanted) and not RANDOM.search(name)
        if take and (short.endswith("out") or len(self.calls.get(name, ())) >= MOST_CALLS):
            take = False
        copies = None
        if take:
            try:
                check_strides(func, args)
                copies = tree_map(lambda t: t.detach().clone() if isinstance(t, torch.Tensor) else t, (args, kwargs))
            except Exception:
                take = False
        result = func(*args, **kwargs)
        if take:
            try:
                kinds, key, made = line(func, copies[0], copies[1], result)
            except Skip:
                return result
            calls = self.calls.setdefault(name, {})
            if key not in calls:
                calls[key] = (kinds, made)
        return result


class WholeRecorder(Recorder):
    """Each call that differs from those before in types, sizes, strides or arguments, written at once."""

    def __init__(self, file, most):
        super().__init__(None)
        self.file, self.most, self.seen, self.skipped, self.kept = file, most, set(), {}, set()

    def __torch_dispatch__(self, func, types_, args=(), kwargs=None):
        kwargs = kwargs or {}
        key = str((str(func), tree_map(lambda t: ("T", t.dtype, t.shape, t.stride() if t.layout == torch.strided else t.layout)
                                       if isinstance(t, torch.Tensor) else t, (args, kwargs))))
        if key in self.seen:
            return func(*args, **kwargs)
        self.seen.add(key)
        reason = copies = None
        try:
            if RANDOM.search(str(func)):
                raise Skip("random")
            if "out" in (a.name for a in func._schema.arguments):
                raise Skip("writes to out")
            check_strides(func, args)
            for t in tree_flatten((args, kwargs))[0]:
                if isinstance(t, torch.Tensor):
                    check(t, self.most)
            copies = tree_map(lambda t: t.detach().clone() if isinstance(t, torch.Tensor) else t, (args, kwargs))
        except Skip as skip:
            reason = str(skip)
        try:
            result = func(*args, **kwargs)
        except Exception:
            self.seen.discard(key)
            raise
        if copies:
            try:
                made = line(func, *copies, result, self.most)[2]
                self.file.write((json.dumps(made, separators=(",", ":")) + "\n").encode())
                self.kept.add(str(func))
            except Skip as skip:
                reason = str(skip)
        if reason:
            counts = self.skipped.setdefault(str(func), {})
            counts[reason] = counts.get(reason, 0) + 1
        return result


def samples(recorder, only, most):
    from torch.testing._internal.common_methods_invocations import op_db
    for op in op_db:
        if only and not re.search(only, op.name):
            continue
        for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.int64, torch.int32, torch.uint8, torch.bool):
            if dtype not in op.supported_dtypes("cpu"):
                continue
            grad = dtype == torch.float32 and op.supports_autograd
            try:
                for i, s in enumerate(op.sample_inputs("cpu", dtype, requires_grad=grad)):
                    if i >= most:
                        break
                    try:
                        with recorder:
                            out = op(s.input, *s.args, **s.kwargs)
                            if grad:
                                flat = [t for t in tree_flatten(out)[0] if isinstance(t, torch.Tensor) and t.requires_grad and t.dtype.is_floating_point]
                                if flat:
                                    torch.autograd.backward([t.sum() * 0.5 + (t * t).sum() for t in flat])
                    except Exception:
                        pass
            except Exception:
                pass


def own_cases():
    """What op_db does not reach: overloads that are decomposed before they are dispatched, and some of core ATen."""
    def r(*shape, dtype=torch.float32):
        return torch.randn(*shape).to(dtype)

    def i(high, *shape):
        return torch.randint(0, high, shape)

    for dtype in (torch.float32, torch.bfloat16):
        def f(*shape):
            return r(*shape, dtype=dtype)
        x, image = f(2, 4, 6), f(2, 4, 5, 6)
        yield "conv1d", (x, f(6, 2, 3), f(6), [2], [1], [1], 2), {}
        yield "conv2d", (image, f(3, 4, 3, 3)), {}
        yield "conv2d", (f(4, 5, 6), f(8, 1, 3, 3), None, [2, 1], [1, 2], [1, 1], 4), {}
        yield "conv2d.padding", (image, f(3, 4, 2, 3), f(3), [1, 1], "same"), {}
        yield "conv2d.padding", (image, f(3, 4, 2, 3), None, [2, 2], "valid"), {}
        yield "conv3d", (f(1, 2, 3, 4, 4), f(2, 2, 2, 2, 2)), {}
        yield "conv_transpose1d", (x, f(4, 3, 3), None, [2], [1], [1]), {}
        yield "conv_transpose2d.input", (image, f(4, 2, 3, 2), f(4), [2, 1], [1, 1], [1, 0], 2), {}
        yield "convolution", (image, f(3, 4, 3, 3), None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1), {}
        for mask in ([True, True, True], [False, True, False]):
            grad = torch.ops.aten.convolution(image, f(6, 2, 3, 3), None, [2, 1], [1, 1], [1, 2], False, [0, 0], 2)
            yield "convolution_backward", (f(*grad.shape), image, f(6, 2, 3, 3), [6], [2, 1], [1, 1], [1, 2], False, [0, 0], 2, mask), {}
        small = f(1, 4, 3, 2)
        grad = torch.ops.aten.convolution(small, f(4, 3, 3, 3), None, [2, 2], [1, 1], [1, 1], True, [1, 1], 1)
        yield "convolution_backward", (f(*grad.shape), small, f(4, 3, 3, 3), [3], [2, 2], [1, 1], [1, 1], True, [1, 1], 1, [True, True, True]), {}
        stats = (f(4), f(4), f(4), f(4).abs() + 1)
        yield "batch_norm", (image, *stats, False, 0.1, 1e-5, True), {}
        yield "batch_norm", (image, None, None, stats[2], stats[3], False, 0.1, 1e-3, True), {}
        yield "batch_norm", (x, stats[0], None, None, None, True, 0.1, 1e-5, True), {}
        yield "batch_norm", (x, *stats, True, 0.3, 1e-5, True), {}
        yield "_native_batch_norm_legit_no_training", (image, *stats, 0.1, 1e-5), {}
        yield "_native_batch_norm_legit_functional", (image, *stats, True, 0.1, 1e-5), {}
        yield "_native_batch_norm_legit_functional", (image, *stats, False, 0.1, 1e-5), {}
        yield "group_norm", (image, 2, f(4), f(4)), {}
        yield "group_norm", (x, 4), {}
        yield "instance_norm", (image, f(4), f(4), None, None, True, 0.1, 1e-5, True), {}
        yield "instance_norm", (image, None, None, stats[2], stats[3], False, 0.1, 1e-5, True), {}
        yield "native_layer_norm", (image, [5, 6], f(5, 6), None, 1e-5), {}
        yield "layer_norm", (x, [6], f(6), f(6)), {}
        for size in ([1], [3], [4]):
            yield "adaptive_avg_pool1d", (x, size), {}
        yield "adaptive_avg_pool2d", (image, [1, 1]), {}
        yield "adaptive_avg_pool2d", (image, [3, 4]), {}
        yield "_adaptive_avg_pool2d_backward", (f(2, 4, 3, 4), image), {}
        yield "adaptive_max_pool1d", (x, [4]), {}
        yield "avg_pool1d", (x, [3], [2], [1], True, False), {}
        yield "max_pool1d", (x, [3], [2], [1]), {}
        yield "max_pool2d", (image, [3, 2], [2, 1], [1, 0], [1, 2], True), {}
        yield "max_pool3d", (f(1, 2, 4, 4, 4), [2, 2, 2]), {}
        for mode in ("constant", "reflect", "replicate", "circular"):
            yield "pad", (image, [1, 2, 0, 1], mode), {}
        yield "pad", (x, [-1, 2], "constant", 3.5), {}
        yield "upsample_nearest2d.vec", (image, [7, 3], None), {}
        yield "upsample_nearest2d.vec", (image, None, [2.0, 1.5]), {}
        yield "upsample_bilinear2d.vec", (image, [7, 3], False, None), {}
        yield "upsample_bilinear2d.vec", (image, None, True, [2.0, 1.5]), {}
        yield "upsample_bicubic2d.vec", (image, None, False, [2.0, 2.0]), {}
        logits, classes = f(5, 3), i(3, 5)
        for reduction in (0, 1, 2):
            yield "cross_entropy_loss", (logits, classes, None, reduction), {}
            yield "nll_loss_nd", (logits.log_softmax(1), classes, f(3).abs(), reduction, 1), {}
        yield "cross_entropy_loss", (logits, classes, f(3).abs(), 1, 1, 0.2), {}
        yield "cross_entropy_loss", (f(2, 3, 4), f(2, 3, 4).softmax(1), None, 1, -100, 0.1), {}
        yield "cross_entropy_loss", (f(2, 3, 4), i(3, 2, 4)), {}
        yield "binary_cross_entropy_with_logits", (logits, logits.sigmoid(), f(5, 3).abs(), f(3).abs()), {}
        yield "l1_loss", (logits, f(5, 3)), {}
        for dim in ([1], [0, 2]):
            yield "var.dim", (x, dim, True, True), {}
            yield "std.dim", (x, dim, False), {}
        yield "div.Scalar_mode", (x, 0.7), {"rounding_mode": "floor"}
        yield "fmod.Scalar", (x, 0.7), {}
        yield "relu6", (x,), {}
        yield "prelu", (image, f(4)), {}
        yield "selu", (x,), {}
        yield "log_sigmoid", (x,), {}
        yield "index.Tensor", (image, [None, i(4, 3), None, i(6, 2, 3)]), {}
        yield "index.Tensor", (image, [None, i(4, 3), i(5, 2, 3)]), {}
        yield "index.Tensor", (x, [x[:, :, 0] > 0]), {}
        yield "index_put", (image, [None, torch.tensor([0, 2]), torch.tensor([1, 3])], f(2, 2, 6)), {}
        yield "index_put", (image, [None, torch.tensor([0, 2]), None, torch.tensor([1, 3])], f(1), True), {}
        yield "take_along_dim", (x, i(4, 2, 2, 6), 1), {}
        yield "slice_backward", (f(2, 2, 6), [2, 4, 6], 1, 1, 9, 2), {}
        yield "select_backward", (f(2, 6), [2, 4, 6], 1, -1), {}
        yield "embedding_dense_backward", (f(3, 2, 4), i(5, 3, 2), 6, 1, False), {}
        yield "rms_norm", (x, [6], f(6), 1e-6), {}
        q, k, v = f(2, 3, 5, 8), f(2, 3, 7, 8), f(2, 3, 7, 8)
        for extra in ({}, {"scale": 0.3}, {"attn_mask": f(2, 1, 5, 7)}):
            yield "_scaled_dot_product_flash_attention_for_cpu", (q, k, v), extra
            out, sums = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, **extra)
            yield "_scaled_dot_product_flash_attention_for_cpu_backward", (f(*q.shape), q, k, v, out, sums, 0.0, False), extra
        same = f(2, 3, 5, 8), f(2, 3, 5, 8), f(2, 3, 5, 8)
        yield "_scaled_dot_product_flash_attention_for_cpu", (*same, 0.0, True), {}
        out, sums = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(*same, 0.0, True)
        yield "_scaled_dot_product_flash_attention_for_cpu_backward", (f(2, 3, 5, 8), *same, out, sums, 0.0, True), {}
        yield "scaled_dot_product_attention", (q, k, v, f(5, 7) > 0), {}
        yield "_scaled_dot_product_attention_math", (q, k, v), {}
        yield "_scaled_dot_product_attention_math", (*same, None, 0.0, True), {}
        for dims in ((0, 0, 1), (2, 1, -1), (-3, -1, 0), (-4, 1, 2)):
            yield "diagonal", (image, *dims), {}
            yield "diagonal_copy", (image, *dims), {}
            yield "diagonal_scatter", (image, torch.diagonal(f(2, 4, 5, 6), *dims), *dims), {}
            yield "diagonal_backward", (torch.diagonal(f(2, 4, 5, 6), *dims), [2, 4, 5, 6], *dims), {}
        yield "diag_embed", (x, 0, -2, -1), {}
        yield "diag_embed", (x, -2, 0, 2), {}
        yield "as_strided", (x, [3, 2], [2, 5], 4), {}
        yield "as_strided_copy", (x, [3, 4], [0, 1]), {}
        for window in (([2, 3], [1, 1], [0, 0], [1, 1]), ([3, 2], [1, 2], [1, 2], [2, 1])):
            picture = f(1, 2, 5, 6)
            yield "im2col", (picture, *window), {}
            columns = torch.ops.aten.im2col(picture, *window)
            yield "col2im", (f(*columns.shape), [5, 6], *window), {}
            yield "col2im", (f(*columns.shape[1:]), [5, 6], *window), {}
    for dtype in (torch.float32, torch.bfloat16):
        def f(*shape):
            return (r(*shape) * 0.5).to(dtype)
        x, y, weights = f(2, 5, 8), f(2, 5, 8), (f(24, 8), f(24), f(8, 8), f(8))
        padded, between = torch.arange(5) >= torch.tensor([[5], [3]]), torch.ones(5, 5).triu(1).bool()
        for rest in ((None, False), (between, False, True, 0), (padded, True, False, 1), (None, True, True)):
            yield "_native_multi_head_attention", (x, x, x, 8, 2, *weights, *rest), {}
        yield "_native_multi_head_attention", (x, y, y, 8, 4, *weights, None, True, True), {}
        norms, products = (f(8) + 1, f(8), f(8) + 1, f(8)), (f(12, 8), f(12), f(8, 12), f(8))
        for gelu, first, rest in ((False, False, ()), (True, True, (padded, 1)), (False, True, (between, 0)), (True, False, ())):
            yield "_transformer_encoder_layer_fwd", (x, 8, 2, *weights, gelu, first, 1e-5, *norms, *products, *rest), {}
    points = torch.stack([r(2, 4, 3) * 0.8, r(2, 4, 3) * 0.8], -1)  # some lie outside
    for mode in (0, 1, 2):
        for padding in (0, 1, 2):
            yield "grid_sampler_2d", (r(2, 4, 5, 6), points, mode, padding, mode == padding), {}
            if mode < 2:
                yield "grid_sampler_3d", (r(2, 3, 4, 3, 5), r(2, 2, 3, 2, 3) * 0.8, mode, padding, mode != padding), {}
    for p in (0.0, 1.0, 2.0, 2.5, math.inf):
        yield "_cdist_forward", (r(2, 5, 4), r(2, 3, 4), p, None), {}
        yield "_cdist_forward", (r(3, 1, 5, 4), r(2, 6, 4), p, 2), {}
        yield "_pdist_forward", (r(6, 4), p), {}
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        yield f"{name}.Scalar", (i(50, 2, 3), 13), {}
    yield "div.Scalar_mode", (i(50, 2, 3) - 25, 7), {"rounding_mode": "trunc"}
    yield "fmod.Scalar", (i(50, 2, 3) - 25, 7), {}


def record_own(recorder):
    for name, args, kwargs in own_cases():
        packet, _, overload = name.partition(".")
        func = getattr(getattr(torch.ops.aten, packet, None), overload or "default", None)
        if func is None or recorder.wanted is not None and f"{packet}.{overload or 'default'}" not in recorder.wanted:
            continue
        given = tree_map(lambda t: t.clone() if isinstance(t, torch.Tensor) else t, (args, kwargs))
        try:
            kinds, key, made = line(func, *given, func(*args, **kwargs), most=1000)
        except Skip:
            sys.exit(f"{name} is too large to record")
        recorder.calls.setdefault(str(func), {})[key] = (kinds, made)


def pick(calls, most, rng):
    """As many types as there are, then by chance."""
    by_kind = {}
    for kinds, made in calls.values():
        by_kind.setdefault(kinds, []).append(made)
    for group in by_kind.values():
        rng.shuffle(group)
    out = []
    while len(out) < most and any(by_kind.values()):
        for group in by_kind.values():
            if group and len(out) < most:
                out.append(group.pop())
    return out


def record_whole(path, only, most):
    with gzip.open(path, "wb", compresslevel=1) as file:
        recorder = WholeRecorder(file, most)
        samples(recorder, only, sys.maxsize)
    pathlib.Path(path + ".skipped").write_text(json.dumps(recorder.skipped, indent=1))
    skipped = sum(sum(counts.values()) for counts in recorder.skipped.values())
    print(f"{len(recorder.kept | set(recorder.skipped))} overloads, {len(recorder.seen)} calls, of which {skipped} not kept")


def pick_from(whole, path, names, most):
    """Small calls of a file that --whole wrote, of as many types as there are."""
    calls, rng, total = {}, random.Random(0), 0
    with gzip.open(whole, "rt") as file:
        for text in file:
            name = text[len('{"call":"'):text.index('"', len('{"call":"'))]
            if re.search(names, name.removeprefix("aten.")) and len(text) < MOST_TEXT:
                made = json.loads(text)
                kinds = tuple(one[0] for one in made["inputs"] + made["outputs"])
                calls.setdefault(name, {})[len(calls.get(name, ()))] = (kinds, text)
    with open(path, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, compresslevel=9) as file:
        for name in sorted(calls):
            for text in pick(calls[name], most, rng):
                file.write(text.encode())
                total += 1
    print(f"{len(calls)} overloads, {total} calls")


def main():
    arguments = sys.argv[1:]
    most = int(arguments[arguments.index("--most") + 1]) if "--most" in arguments else 8
    only = arguments[arguments.index("--only") + 1] if "--only" in arguments else None
    torch.manual_seed(0)
    torch.set_num_threads(2)
    if "--whole" in arguments:
        return record_whole(arguments[0], only, int(arguments[arguments.index("--whole") + 1]))
    names = arguments[arguments.index("--overloads") + 1] if "--overloads" in arguments else ""
    if "--from" in arguments:
        return pick_from(arguments[arguments.index("--from") + 1], arguments[0], names, most)
    recorder = Recorder(None if "--all" in arguments else {row for row in rows() if re.search(names, row)})
    samples(recorder, only, int(arguments[arguments.index("--samples") + 1]) if "--samples" in arguments else 30)
    record_own(recorder)
    rng, total = random.Random(0), 0
    with open(arguments[0], "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, compresslevel=9) as file:
        for name in sorted(recorder.calls):
            for made in pick(recorder.calls[name], most, rng):
                file.write((json.dumps(made, separators=(",", ":")) + "\n").encode())
                total += 1
    print(f"{len(recorder.calls)} overloads, {total} calls")


if __name__ == "__main__":
    main()
