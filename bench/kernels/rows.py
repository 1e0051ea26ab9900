"""Row kernels, maps, transposes and gathers by tcc beside memcpy of as many bytes: modules of one kernel, measured by rows.c.

    bench/kernels/run.sh rows [--only softmax transpose] [--threads 1,2] [--rounds 15] [--compiler NAME=DIR]

A ratio is the part of memcpy's bandwidth that a kernel has, counting each operand and its result once."""
import statistics

import driver

BEYOND_CACHES = 4 << 20  # bytes: more than second caches hold; what is smaller is bound by its arithmetic
AS_MEMORY = 0.8          # what reaches so much of a large copy's time for a byte comes from memory, whatever the last cache could hold


def tensor(shape, elem="f32"):
    return f"tensor<{'x'.join([*map(str, shape), elem])}>"


def op(name, operands, result, attributes=""):
    """operands: [(value, type)]"""
    types = ", ".join(t for _, t in operands)
    return f'"tcc.{name}"({", ".join(v for v, _ in operands)}) {{{attributes}}} : ({types}) -> {result}'


def unary(name, shape, attributes="", elem="f32"):
    t = tensor(shape, elem)
    return [t], t, lambda x: [op(name, [(x[0], t)], t, attributes)]


def binary(name, a, b, elem="f32"):
    ta, tb = tensor(a, elem), tensor(b, elem)
    return [ta, tb], ta, lambda x: [op(name, [(x[0], ta), (x[1], tb)], ta)]


def norm(name, shape):
    t, s = tensor(shape), tensor(shape[-1:])
    operands = 3 if name == "layer_norm" else 2
    types = [t, s, s][:operands]
    return types, t, lambda x: [op(name, list(zip(x, types)), t, f"axis = {len(shape) - 1} : i64, eps = 1.0e-5 : f64")]


def channel_norm(shape, groups):
    t, s = tensor(shape), tensor(shape[1:2])
    return [t, s, s], t, lambda x: [op("group_norm", [(x[0], t), (x[1], s), (x[2], s)], t, f"groups = {groups} : i64, eps = 1.0e-5 : f64")]


def convert(shape, a, b):
    ta, tb = tensor(shape, a), tensor(shape, b)
    return [ta], tb, lambda x: [op("convert", [(x[0], ta)], tb)]


def turn(shape, perm, elem="f32"):
    ta, tb = tensor(shape, elem), tensor([shape[p] for p in perm], elem)
    return [ta], tb, lambda x: [op("transpose", [(x[0], ta)], tb, f"perm = array<i64: {', '.join(map(str, perm))}>")]


def concat(a, b, axis, elem="f32"):
    ta, tb = tensor(a, elem), tensor(b, elem)
    tr = tensor([*a[:axis], a[axis] + b[axis], *a[axis + 1:]], elem)
    return [ta, tb], tr, lambda x: [op("concat", [(x[0], ta), (x[1], tb)], tr, f"axis = {axis} : i64")]


def gather(rows, width, elem="f32"):
    """From a table of as many rows, so that it is read once."""
    table, index, r = tensor([1000, width], elem), tensor([rows], "i64"), tensor([rows, width], elem)
    return [table, index], r, lambda x: [op("gather", [(x[0], table), (x[1], index)], r, "axis = 0 : i64")]


def reduce(kind, shape, axes, elem="f32"):
    t, r = tensor(shape, elem), tensor([n for a, n in enumerate(shape) if a not in axes], elem)
    return [t], r, lambda x: [op("reduce", [(x[0], t)], r, f'kind = "{kind}", axes = array<i64: {", ".join(map(str, axes))}>, keepdims = false')]


def arg_reduce(shape, axis):
    t, r = tensor(shape), tensor([n for a, n in enumerate(shape) if a != axis], "i64")
    return [t], r, lambda x: [op("arg_reduce", [(x[0], t)], r, f'kind = "max", axis = {axis} : i64, keepdims = false, last = false')]


def quantise(shape, back):
    """Per channel (the last axis): round(x * scale) to i8, or i8 * scale."""
    t, b, s = tensor(shape), tensor(shape, "i8"), tensor(shape[-1:])
    if back:
        return [b, s], t, lambda x: [op("convert", [(x[0], b)], t), op("mul", [("%A", t), (x[1], s)], t)]
    return [t, s], b, lambda x: [op("mul", [(x[0], t), (x[1], s)], t), op("round", [("%A", t)], t), op("convert", [("%A", t)], b)]


CASES = {}
for columns, rows in ((128, (32, 512, 8192, 131072)), (512, (8, 128, 2048, 32768)), (4096, (2, 16, 512, 4096)), (50257, (1, 16, 320))):
    for n in rows: CASES[f"softmax {n}x{columns}"] = unary("softmax", [n, columns], "axis = 1 : i64")
for columns, rows in ((768, (4, 128, 1024, 8192)), (771, (128,)), (4096, (1, 16, 512, 4096))):
    for n in rows:
        CASES[f"layer_norm {n}x{columns}"] = norm("layer_norm", [n, columns])
        CASES[f"rms_norm {n}x{columns}"] = norm("rms_norm", [n, columns])
CASES["group_norm 1x320x64x64/32"] = channel_norm([1, 320, 64, 64], 32)
CASES["group_norm 8x320x64x64/32"] = channel_norm([8, 320, 64, 64], 32)
CASES["group_norm 1x64x16x16/32"] = channel_norm([1, 64, 16, 16], 32)
CASES["instance_norm 1x32x63x63"] = channel_norm([1, 32, 63, 63], 32)
for n in (4096, 65536, 2097152, 16777216):
    for name in ("relu", "exp", "tanh", "sigmoid", "erf"): CASES[f"{name} {n}"] = unary(name, [n])
    CASES[f"gelu {n}"] = unary("gelu", [n])
    CASES[f"gelu-tanh {n}"] = unary("gelu", [n], 'approximate = "tanh"')
    CASES[f"silu {n}"] = unary("swish", [n])
    CASES[f"add {n}"] = binary("add", [n], [n])
CASES["add bf16 65536"] = binary("add", [65536], [65536], "bf16")
CASES["gelu bf16 65536"] = unary("gelu", [65536], elem="bf16")
for n in (128, 4096, 16384): CASES[f"bias {n}x768"] = binary("add", [n, 768], [768])
CASES["bias 64x56x56"] = binary("add", [64, 56, 56], [64, 1, 1])
CASES["bias 960x7x7"] = binary("mul", [960, 7, 7], [960, 1, 1])
for a, b in (("f32", "bf16"), ("bf16", "f32"), ("f32", "f16"), ("f16", "f32"), ("f32", "i8"), ("i8", "f32"), ("i8", "i32"), ("i64", "i32")):
    for n in (65536, 4194304): CASES[f"convert {a} {b} {n}"] = convert([n], a, b)
for elem in ("f32", "bf16", "i8"):
    for shape, perm in (([128, 12, 64], (1, 0, 2)), ([1, 12, 128, 64], (0, 2, 1, 3)), ([512, 512], (1, 0)), ([127, 131], (1, 0)), ([4096, 1024], (1, 0)),
                        ([1, 96, 56, 56], (0, 2, 3, 1)), ([1, 56, 56, 96], (0, 3, 1, 2)), ([1, 3, 224, 224], (0, 2, 3, 1)), ([6, 3136, 16], (1, 0, 2)), ([6, 16, 3136], (0, 2, 1)), ([6, 3136, 16], (0, 2, 1)), ([8, 4, 49, 16], (0, 1, 3, 2))):
        CASES[f"transpose {elem} {'x'.join(map(str, shape))} {''.join(map(str, perm))}"] = turn(shape, perm, elem)
CASES["concat 1x64x64x64 1x64x64x64 at 1"] = concat([1, 64, 64, 64], [1, 64, 64, 64], 1)
CASES["concat 4096x96 4096x32 at 1"] = concat([4096, 96], [4096, 32], 1)
CASES["concat 12x127x64 12x1x64 at 1"] = concat([12, 127, 64], [12, 1, 64], 1)
CASES["concat i8 4096x96 4096x32 at 1"] = concat([4096, 96], [4096, 32], 1, "i8")
for elem in ("f32", "bf16", "i8"):
    for width in (64, 768): CASES[f"gather {elem} 1000x{width}"] = gather(1000, width, elem)
for name, shape, axes in (("first", [4096, 768], [0]), ("first", [64, 64], [0]), ("middle", [16, 512, 256], [1]), ("middle", [64, 32, 7], [1]), ("last", [4096, 768], [1]),
                          ("last", [4096, 33], [1]), ("all but channels", [8, 64, 28, 28], [0, 2, 3]), ("all", [1048576], [0])):
    CASES[f"sum {name} {'x'.join(map(str, shape))}"] = reduce("sum", shape, axes)
    CASES[f"max {name} {'x'.join(map(str, shape))}"] = reduce("max", shape, axes)
CASES["sum bf16 last 4096x768"] = reduce("sum", [4096, 768], [1], "bf16")
CASES["sum i8 last 4096x768"] = reduce("sum", [4096, 768], [1], "i8")
CASES["pool 1x960x7x7"] = reduce("sum", [1, 960, 7, 7], [2, 3])
CASES["pool 1x60x7x7x16"] = reduce("sum", [1, 60, 7, 7, 16], [2, 3])
CASES["pool 1x2048x7x7"] = reduce("sum", [1, 2048, 7, 7], [2, 3])
CASES["pool 1x64x56x56"] = reduce("sum", [1, 64, 56, 56], [2, 3])
CASES["argmax 128x1000"] = arg_reduce([128, 1000], 1)
CASES["argmax 1x50257"] = arg_reduce([1, 50257], 1)
CASES["argmax 128x1000 at 0"] = arg_reduce([128, 1000], 0)
for n in (64, 4096):
    CASES[f"quantise {n}x768"] = quantise([n, 768], False)
    CASES[f"dequantise {n}x768"] = quantise([n, 768], True)


def size_of(case):
    types, result, _ = case
    bits = {"f32": 32, "i32": 32, "bf16": 16, "f16": 16, "i8": 8, "i64": 64}
    total = 0
    for t in [*types, result]:
        *dims, elem = t[7:-1].split("x")
        n = 1
        for d in dims: n *= int(d)
        total += n * bits[elem] // 8
    return total


def make(work, name, arguments, threads):
    types, result, build = case = CASES[name]
    count = max(1, min(32, (1 << 21) // size_of(case)))
    arguments, lines, results = [], [], []
    for i in range(count):
        operands = [f"%x{i}_{j}" for j in range(len(types))]
        arguments += [f"{v}: {t}" for v, t in zip(operands, types)]
        steps = build(operands)
        for j, step in enumerate(steps): lines.append(f"  %r{i}_{j} = {step.replace('%A', f'%r{i}_{j - 1}')}")
        results.append(f"%r{i}_{len(steps) - 1}")
    all_types = ", ".join([result] * count)
    path = work / (name.replace(" ", "-").replace("/", "-") + ".mlir")
    path.write_text(f"func.func @main({', '.join(arguments)}) -> ({all_types}) {{\n" + "\n".join(lines) + f"\n  return {', '.join(results)} : {all_types}\n}}\n")
    return driver.Case({"": path}, [])


def place(result):
    """Where operands and results lie from call to call, by size and by the copy's time: a last cache that others use, too, is memory."""
    if result["bytes"] <= BEYOND_CACHES:
        return "in caches"
    copied = statistics.median(result["ns"]["memcpy"]) / result["bytes"]
    return "from memory" if result["bytes"] > result["last_cache"] or copied > AS_MEMORY * result["memory"] else "from the last cache"


def group(result, kind):
    """Softmax, norms and maps that are bound by memory have a limit. From the last cache a copy takes as long as some arithmetic does, and
    what a softmax of long rows writes and reads again."""
    name = result["case"].split(" ")[0]
    found = "softmax" if name == "softmax" else "norms" if name.endswith("_norm") else "moves" if name in ("transpose", "concat", "gather") else \
        "reductions" if name in ("sum", "max", "pool", "argmax") else "conversions" if name in ("convert", "quantise", "dequantise") else "maps"
    where = place(result)
    return f"{found}, {where}", 0.9 if where == "from memory" and found in ("softmax", "norms", "maps") else None


SUITE = driver.Suite("rows", list(CASES), {}, make, lambda kind: ["memcpy"], group, ("memcpy",))
