"""Elementwise ops as a module of tcc and as calls of torch: what record.py records and check.py compares.

A case is (name, how results agree, MLIR, torch). MLIR is an op in terms of inputs x, y, z and c, numbers in braces are splats; torch is
an expression over the same names; T is the inputs' element type, F the float of as many bits. Exact: to the bit. Near: IEEE 754 says nothing of the result; it is one unit in the last place apart
at most, two in f32. Cancels: likewise, or two units of z in f32, where 1 + f(z) loses digits."""
import numpy as np

NUMPY = {"f32": np.float32, "f16": np.float16, "bf16": np.uint16, "i32": np.int32, "i64": np.int64}
# largest finite, least normal, least subnormal, machine epsilon
LIMITS = {"f32": (3.4028235e38, 1.1754944e-38, 1.4e-45, 2.0**-23), "f16": (65504.0, 6.1035e-05, 6e-08, 2.0**-10),
          "bf16": (3.3895314e38, 1.1754944e-38, 9.2e-41, 2.0**-7)}
OTHERWISE = {"random"}  # ui32 by definition of its own (docs/random.md), which no op of torch gives: test/interp/random.mlir, test/differential/random.test
EXACT, NEAR, CANCELS = "exact", "near", "cancels"

FLOAT_CASES = [
    ("neg", EXACT, "tcc.neg(x)", "-x"),
    ("abs", EXACT, "tcc.abs(x)", "x.abs()"),
    ("sign", EXACT, "tcc.sign(x)", "torch.where(x == 0, x, torch.where(x.isnan(), x, x.sign()))"),  # torch gives 0 for NaN and -0
    ("floor", EXACT, "tcc.floor(x)", "x.floor()"),
    ("ceil", EXACT, "tcc.ceil(x)", "x.ceil()"),
    ("round", EXACT, "tcc.round(x)", "x.round()"),
    ("trunc", EXACT, "tcc.trunc(x)", "x.trunc()"),
    ("rsqrt", EXACT, "tcc.rsqrt(x)", "x.rsqrt()"),
    ("reciprocal", EXACT, "tcc.reciprocal(x)", "x.reciprocal()"),
    ("add", EXACT, "tcc.add(x, y)", "x + y"),
    ("sub", EXACT, "tcc.sub(x, y)", "x - y"),
    ("mul", EXACT, "tcc.mul(x, y)", "x * y"),
    ("div", EXACT, "tcc.div(x, y)", "x / y"),
    ("mod", EXACT, "tcc.mod(z, {0.375})", "torch.remainder(z, C(0.375))"),  # torch gives NaN for quotients of more digits than a float has
    ("mod_of_negative", EXACT, "tcc.mod({-5.0}, z)", "torch.remainder(C(-5.0).expand_as(z).contiguous(), z)"),
    ("fmod", EXACT, "tcc.fmod(z, {0.375})", "torch.fmod(z, C(0.375))"),
    ("fmod_of_number", EXACT, "tcc.fmod({-5.0}, z)", "torch.fmod(C(-5.0).expand_as(z).contiguous(), z)"),
    ("min", EXACT, "tcc.min(x, y)", "torch.minimum(x, y)"),
    ("max", EXACT, "tcc.max(x, y)", "torch.maximum(x, y)"),
    ("select", EXACT, "tcc.select(c, x, y)", "torch.where(c, x, y)"),
    ("square", EXACT, "tcc.pow(x, {2})", "x ** 2"),
    ("cube", EXACT, "tcc.pow(x, {3})", "x ** 3"),
    ("inverse_square", EXACT, "tcc.pow(x, {-2})", "x ** -2"),
    ("relu", EXACT, "tcc.relu(x)", "F.relu(x)"),
    ("leaky_relu", EXACT, "tcc.leaky_relu(x) {alpha = 0.01}", "F.leaky_relu(x, 0.01)"),
    ("prelu", EXACT, "tcc.prelu(x, {0.25})", "F.prelu(x, torch.tensor([0.25], dtype=x.dtype))"),
    ("hard_sigmoid", EXACT, "tcc.hard_sigmoid(x) {alpha = 0.16666666666666666, beta = 0.5}", "F.hardsigmoid(x)"),
    ("hard_swish", EXACT, "tcc.hard_swish(x)", "F.hardswish(x)"),
    ("softsign", EXACT, "tcc.softsign(x)", "F.softsign(x)"),
    ("clamp", EXACT, "tcc.clamp(x, {-1.5}, {2.25})", "x.clamp(-1.5, 2.25)"),
    ("to_f16", EXACT, "convert(x) f16", "x.to(torch.float16)"),
    ("to_bf16", EXACT, "convert(x) bf16", "x.to(torch.bfloat16)"),
    ("to_f32", EXACT, "convert(x) f32", "x.to(torch.float32)"),
    ("to_i32", EXACT, "convert(z) i32", "z.to(torch.int32)"),
    ("is_nan", EXACT, "tcc.is_nan(x) -> i1", "x.isnan()"),
    ("is_inf", EXACT, "tcc.is_inf(x) -> i1", "x.isinf()"),
    *[(p, EXACT, f'tcc.compare(x, y) {{predicate = "{p}"}} -> i1', f"torch.{p}(x, y)") for p in ("eq", "ne", "lt", "le", "gt", "ge")],
    # chains, which an emitter could contract, and a pass could spell otherwise; each has a product of its own
    ("mul_add", EXACT, "tcc.add(tcc.mul(y, z), x)", "y * z + x"),
    ("mul_sub", EXACT, "tcc.sub(y, tcc.mul(x, z))", "y - x * z"),
    ("scale_shift", EXACT, "tcc.add(tcc.mul(x, {0.9}), {0.7})", "x * C(0.9) + C(0.7)"),
    ("two_scales", EXACT, "tcc.mul(tcc.mul(x, {0.3}), {1.7})", "x * C(0.3) * C(1.7)"),
    ("add_zero", EXACT, "tcc.add(x, {0.0})", "x + C(0.0)"),
    ("divide_by_number", EXACT, "tcc.div(x, {3.0})", "x / C(3.0)"),
    ("mean_of_two", EXACT, "tcc.mul(tcc.add(x, y), {0.5})", "(x + y) * C(0.5)"),
    ("residual_and_scale", EXACT, "tcc.mul(tcc.div(tcc.sub(x, y), tcc.add(tcc.mul(z, z), {0.001})), y)", "(x - y) / (z * z + C(0.001)) * y"),
    ("wide_and_back", EXACT, "tcc.mul(convert(convert(x) bf16) T, y)", "x.to(torch.bfloat16).to(x.dtype) * y"),
    ("sqrt", NEAR, "tcc.sqrt(x)", "x.sqrt()"),  # tcc's is IEEE's, torch's that of MKL
    ("exp", NEAR, "tcc.exp(z)", "z.exp()"),
    ("expm1", NEAR, "tcc.expm1(z)", "z.expm1()"),
    ("log", NEAR, "tcc.log(x)", "x.log()"),
    ("log1p", NEAR, "tcc.log1p(x)", "x.log1p()"),
    ("sin", NEAR, "tcc.sin(z)", "z.sin()"),
    ("cos", NEAR, "tcc.cos(z)", "z.cos()"),
    ("tan", NEAR, "tcc.tan(z)", "z.tan()"),
    ("asin", NEAR, "tcc.asin(x)", "x.asin()"),
    ("acos", NEAR, "tcc.acos(x)", "x.acos()"),
    ("atan", NEAR, "tcc.atan(x)", "x.atan()"),
    ("sinh", NEAR, "tcc.sinh(z)", "z.sinh()"),
    ("cosh", NEAR, "tcc.cosh(z)", "z.cosh()"),
    ("tanh", NEAR, "tcc.tanh(z)", "z.tanh()"),
    ("asinh", NEAR, "tcc.asinh(x)", "x.asinh()"),
    ("acosh", NEAR, "tcc.acosh(x)", "x.acosh()"),
    ("atanh", NEAR, "tcc.atanh(x)", "x.atanh()"),
    ("erf", NEAR, "tcc.erf(z)", "z.erf()"),
    ("atan2", NEAR, "tcc.atan2(x, y)", "torch.atan2(x, y)"),
    ("pow", NEAR, "tcc.pow(x, z)", "torch.pow(x, z)"),
    ("power", NEAR, "tcc.pow(x, {1.7})", "torch.pow(x, C(1.7))"),
    ("fourth", NEAR, "tcc.pow(x, {4.0})", "torch.pow(x, 4)"),
    ("sigmoid", NEAR, "tcc.sigmoid(z)", "z.sigmoid()"),
    ("swish", NEAR, "tcc.swish(z)", "F.silu(z)"),
    ("elu", NEAR, "tcc.elu(z) {alpha = 1.25}", "F.elu(z, 1.25)"),
    ("selu", NEAR, "tcc.selu(z) {alpha = 1.6732632423543772, gamma = 1.0507009873554805}", "F.selu(z)"),
    ("celu", NEAR, "tcc.celu(z) {alpha = 1.5}", "F.celu(z, 1.5)"),
    ("softplus", NEAR, "tcc.softplus(z)", "F.softplus(z)"),
    ("mish", NEAR, "tcc.mish(z)", "F.mish(z)"),
    ("gelu", CANCELS, "tcc.gelu(z)", "F.gelu(z)"),
    ("gelu_tanh", CANCELS, 'tcc.gelu(z) {approximate = "tanh"}', 'F.gelu(z, approximate="tanh")'),
    ("gelu_spelled_out", CANCELS, "tcc.mul(tcc.mul(z, {0.5}), tcc.add(tcc.erf(tcc.div(z, {1.4142135})), {1.0}))",
     "z * C(0.5) * ((z / C(1.4142135)).erf() + C(1.0))"),
    ("silu_spelled_out", NEAR, "tcc.mul(z, tcc.sigmoid(z))", "z * z.sigmoid()"),
]
INTEGER_CASES = [
    ("neg", EXACT, "tcc.neg(x)", "-x"),
    ("abs", EXACT, "tcc.abs(x)", "x.abs()"),
    ("sign", EXACT, "tcc.sign(x)", "x.sign()"),
    ("not", EXACT, "tcc.not(x)", "~x"),
    ("add", EXACT, "tcc.add(x, y)", "x + y"),
    ("sub", EXACT, "tcc.sub(x, y)", "x - y"),
    ("mul", EXACT, "tcc.mul(x, y)", "x * y"),
    ("div", EXACT, "tcc.div(x, z)", "torch.div(x, z, rounding_mode='trunc')"),
    ("mod", EXACT, "tcc.mod(x, z)", "torch.remainder(x, z)"),
    ("fmod", EXACT, "tcc.fmod(x, z)", "torch.fmod(x, z)"),
    ("min", EXACT, "tcc.min(x, y)", "torch.minimum(x, y)"),
    ("max", EXACT, "tcc.max(x, y)", "torch.maximum(x, y)"),
    ("and", EXACT, "tcc.and(x, y)", "x & y"),
    ("or", EXACT, "tcc.or(x, y)", "x | y"),
    ("xor", EXACT, "tcc.xor(x, y)", "x ^ y"),
    ("shift_left", EXACT, "tcc.shift_left(x, {3})", "x << 3"),
    ("shift_right", EXACT, "tcc.shift_right(x, {3})", "x >> 3"),
    ("square", EXACT, "tcc.pow(x, {2})", "x ** 2"),
    ("select", EXACT, "tcc.select(c, x, y)", "torch.where(c, x, y)"),
    ("relu", EXACT, "tcc.relu(x)", "F.relu(x)"),
    ("clamp", EXACT, "tcc.clamp(x, {-7}, {90})", "x.clamp(-7, 90)"),
    ("to_f32", EXACT, "convert(x) f32", "x.to(torch.float32)"),
    ("to_f16", EXACT, "convert(x) f16", "x.to(torch.float16)"),
    ("to_bf16", EXACT, "convert(x) bf16", "x.to(torch.bfloat16)"),
    ("bitcast", EXACT, "tcc.bitcast(x) -> F", "x.view(torch.float32 if x.dtype == torch.int32 else torch.float64)"),
    ("mul_add", EXACT, "tcc.add(tcc.mul(x, y), z)", "x * y + z"),
    *[(p, EXACT, f'tcc.compare(x, y) {{predicate = "{p}"}} -> i1', f"torch.{p}(x, y)") for p in ("eq", "lt", "ge")],
]


def cases(elem):
    chosen = INTEGER_CASES if elem[0] == "i" else FLOAT_CASES
    assert len({case[0] for case in chosen}) == len(chosen), "two cases have one name"
    return chosen


def is_float(elem):
    return elem[0] != "i"


def inputs(elem, count):
    """x and y of all magnitudes with all special values, z of ordinary ones, as f64 (integers: as they are), and booleans c."""
    rng = np.random.default_rng(7)
    if not is_float(elem):
        bits = 31 if elem == "i32" else 63
        x, y = (rng.integers(-(2**bits), 2**bits - 1, count) >> rng.integers(0, bits, count) for _ in range(2))
        z = rng.integers(1, 100, count) * rng.choice([-1, 1], count)
        return [v.astype(NUMPY[elem]) for v in (x, y, z)] + [rng.integers(0, 2, count).astype(bool)]
    most, normal, least, epsilon = LIMITS[elem]
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, -3, 6, 1 + epsilon, 1 - epsilon, most, -most,
               normal, -normal, least, -least, 3 * least, normal * 0.75, 20, 21, 1e4, -1e4]

    def numbers(spread):
        v = np.where(rng.random(count) < 0.75, rng.standard_normal(count) * 3, rng.standard_normal(count) * np.exp(rng.uniform(-spread, spread, count)))
        return v

    x, y = numbers(10 if elem == "f16" else 60), numbers(10 if elem == "f16" else 60)
    x[: len(special)], y[: len(special)] = special, rng.permutation(special)
    x[len(special) : 2 * len(special)] = special
    z = rng.standard_normal(count) * rng.choice([0.05, 1, 4], count)
    return [x, y, z, rng.integers(0, 2, count).astype(bool)]


# ---- MLIR ----
def write(elem, which, count):
    """The module with the ops named in which, in that order, one result each."""
    lines, results, types, none = [], [], [], []
    type_of = lambda e: f"tensor<{count}x{e}>"
    number = lambda text: text if not is_float(elem) or any(c in text for c in ".e") else text + ".0"

    def value(text, t):
        lines.append(f"    %{len(lines)} = {text}")
        return f"%{len(lines) - 1}", t

    def parse(s):
        """One expression at the head of s: (value, type), and what follows."""
        if s[0] == "{":
            end = s.index("}")
            t = f"tensor<{elem}>"
            return value(f'"tcc.constant"() {{value = dense<{number(s[1:end])}> : {t}}} : () -> {t}', t), s[end + 1 :]
        name = s[: min(s.index(c) for c in "(,)" if c in s)] if any(c in s for c in "(,)") else s
        rest = s[len(name) :]
        if not rest.startswith("("):
            return ("%" + name, type_of("i1") if name == "c" else type_of(elem)), rest
        operands, rest = [], rest[1:]
        while True:
            operand, rest = parse(rest)
            operands.append(operand)
            if rest[0] == ")":
                break
            rest = rest[1:].lstrip()
        rest, attributes, result = rest[1:], "", elem
        if name == "convert":
            name, result = "tcc.convert", rest.strip().split(")")[0].split(",")[0].strip()
            rest = rest.strip()[len(result) :]
            result = elem if result == "T" else result
        if rest.startswith(" {"):
            attributes, rest = rest[: rest.index("}") + 1], rest[rest.index("}") + 1 :]
        if rest.startswith(" -> "):
            result, rest = rest[4:].replace("F", "f" + elem[1:]), ""
        if name == "tcc.convert" and result == elem and operands[0][1] == type_of(elem):
            return operands[0], rest
        text = f'"{name}"({", ".join(v for v, _ in operands)}){attributes} : ({", ".join(t for _, t in operands)}) -> {type_of(result)}'
        return value(text, type_of(result)), rest

    by_name = {c[0]: c for c in cases(elem)}
    for name in which:
        (v, t), _ = parse(by_name[name][2])
        results.append(v), types.append(t)
    arguments = ", ".join(f"%{n}: {type_of(elem)}" for n in "xyz") + f", %c: {type_of('i1')}"
    body = "\n".join(lines)
    return f"module {{\n  func.func @main({arguments}) -> ({', '.join(types)}) {{\n{body}\n    return {', '.join(results)} : {', '.join(types)}\n  }}\n}}\n"


# ---- blocks of ops: near torch, not equal to it ----
def numbers(shape, seed, scale):
    """The same on every machine and with every NumPy: no generator of random numbers."""
    k = np.arange(1, int(np.prod(shape)) + 1, dtype=np.int64)
    return ((((k * 7919 + seed * 104729) * (k + 31 * seed) % 20011) / 20011 - 0.5) * 2 * scale).reshape(shape)


T, D, H, M = 12, 32, 4, 64  # tokens, width, heads, width of the hidden layer
SHAPES = {"x": (T, D), "r": (T, D), "g": (D,), "b": (D,), "wq": (D, D), "wk": (D, D), "wv": (D, D), "wo": (D, D), "w1": (M, D), "b1": (M,), "w2": (D, M), "b2": (D,)}
BLOCKS = {
    # name: inputs, units in the last place of the largest result, MLIR (E: the element type), torch
    "softmax": ("x", 1, ["r = softmax(x) {axis = 1}"], "F.softmax(x, -1)"),
    "log_softmax": ("x", 1, ["r = log_softmax(x) {axis = 1}"], "F.log_softmax(x, -1)"),
    "layer_norm": ("x g b", 1, ["r = layer_norm(x, g, b) {axis = 1, eps = 1.0e-5}"], "F.layer_norm(x, [D], g, b, 1e-5)"),
    "residual_norm": ("x r g b", 1, ["s = add(x, r)", "r = layer_norm(s, g, b) {axis = 1, eps = 1.0e-5}"],
                      "F.layer_norm(x + r, [D], g, b, 1e-5)"),
    "linear_gelu": ("x w1 b1", 1, ["h:T,M = linear(x, w1, b1)", "r:T,M = gelu(h)"], "F.gelu(F.linear(x, w1, b1))"),
    "transformer": ("x g b wq wk wv wo w1 b1 w2 b2", 2, [
        "n = layer_norm(x, g, b) {axis = 1, eps = 1.0e-5}",
        *[line for c in "qkv" for line in (f"{c}0 = linear(n, w{c}, none)", f"{c}1:1,T,H,D/H = reshape({c}0)", f"{c}2:1,H,T,D/H = transpose({c}1) {{perm = array<i64: 0, 2, 1, 3>}}")],
        "k3:1,H,D/H,T = transpose(k2) {perm = array<i64: 0, 1, 3, 2>}", "s:1,H,T,T = matmul(q2, k3)", "c: = constant() {value = dense<3.535156e-01> : tensor<E>}",
        "s1:1,H,T,T = mul(s, c)", "p:1,H,T,T = softmax(s1) {axis = 3}", "a:1,H,T,D/H = matmul(p, v2)",
        "a1:1,T,H,D/H = transpose(a) {perm = array<i64: 0, 2, 1, 3>}", "a2 = reshape(a1)", "o = linear(a2, wo, none)", "y = add(x, o)",
        "m = layer_norm(y, g, b) {axis = 1, eps = 1.0e-5}", "h:T,M = linear(m, w1, b1)", "h1:T,M = gelu(h)", "l = linear(h1, w2, b2)", "r = add(y, l)"],
        "transformer(x, g, b, wq, wk, wv, wo, w1, b1, w2, b2)"),
}


def block_inputs(name):
    return [numbers(SHAPES[i], seed, 3 if i in "xr" else 1 if i in "gb" else 0.3) for seed, i in enumerate(BLOCKS[name][0].split())]


def write_block(name, elem):
    shapes = {i: SHAPES[i] for i in BLOCKS[name][0].split()}
    arguments = list(shapes)
    type_of = lambda v: "none" if v == "none" else "tensor<" + "".join(f"{d}x" for d in shapes[v]) + elem + ">"
    head = f"module {{\n  func.func @main({', '.join(f'%{a}: {type_of(a)}' for a in arguments)}) -> RESULT {{\n    %none = \"tcc.none\"() : () -> none\n"
    body = ""
    for line in BLOCKS[name][2]:
        left, right = line.split(" = ", 1)
        result, _, shape = left.partition(":")
        shape = (T, D) if ":" not in left else tuple(int(eval(d)) for d in shape.split(",") if d)
        op, rest = right.split("(", 1)
        operands, attributes = rest.split(")", 1)
        operands = [o for o in operands.split(", ") if o]
        types = ", ".join(type_of(o) for o in operands)
        fresh = result if result not in arguments else result + "_"
        shapes[fresh] = shape
        body += f"    %{fresh} = \"tcc.{op}\"({', '.join('%' + o for o in operands)}){attributes.replace('E>', elem + '>')} : ({types}) -> {type_of(fresh)}\n"
    return head.replace("RESULT", type_of(fresh)) + body + f"    return %{fresh} : {type_of(fresh)}\n  }}\n}}\n"
