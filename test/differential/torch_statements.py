"""torch_statements.py: random PyTorch programs, made a statement after the other; see torch_programs.py."""
import copy

import torch
import torch.nn.functional as F
import torch.utils.checkpoint

MOST = 6000  # elements of a value
TYPES = {"F32": torch.float32, "F64": torch.float64, "BF16": torch.bfloat16, "F16": torch.float16, "I64": torch.int64, "I32": torch.int32, "U8": torch.uint8,
    "BOOL": torch.bool}


def make(i, sizes):
    """The tensor that a description of an input says."""
    g = torch.Generator().manual_seed(i["seed"])
    shape = [sizes[d] if d in sizes else int(d) for d in i["dims"]]
    lay, dtype = i["lay"] if shape else "dense", TYPES[i["kind"]]
    if lay == "turned":
        shape = shape[::-1]
    elif lay == "part":
        shape[0] += 2
    elif lay == "stepped":
        shape[-1] *= 2
    if dtype == torch.bool:
        t = torch.rand(shape, generator=g) < .5
    elif not dtype.is_floating_point:
        t = torch.randint(0 if dtype == torch.uint8 else -4, 9, shape, generator=g).to(dtype)
    elif i["exact"]:
        t = torch.randint(-5, 6, shape, generator=g).to(dtype)
    else:
        t = torch.randn(shape, generator=g).to(dtype)
    if lay == "turned":
        return t.permute(*range(t.dim() - 1, -1, -1))
    return t[1:-1] if lay == "part" else t[..., ::2] if lay == "stepped" else t


class Value:
    """A name of a program. exact: rounding decides nothing of it; it is a small integer, or a quarter of one."""
    def __init__(self, name, exact):
        self.name, self.exact = name, exact


def within(t):
    """Whether numbers are finite and small."""
    if t.is_floating_point():
        return bool(t.isfinite().all()) and (not t.numel() or t.abs().max() < 1e3)
    return t.dtype in (torch.bool, torch.uint8) or not t.numel() or bool(t.abs().max() <= 100000)


def quarters(t):
    return not t.is_floating_point() or not t.numel() or bool(t.abs().max() < 120) and bool((t * 4 == (t * 4).round()).all())


class Maker:
    """Makes the statements of a program. first: what is said of the first input. env: what eager mode has made of the names so far."""
    def __init__(self, r, ops, symbolic, first):
        self.r, self.symbolic = r, symbolic
        self.lines, self.values, self.n = [], [], 0
        self.sizes = {s: r.choice([2, 3, 4, 5, 6, 8]) for s in "abc"}
        self.other = {s: r.choice([2, 3, 4, 5, 7, 9]) for s in "abc"}
        self.inputs = [self.an_input(i) for i in range(r.randint(2, 4))]
        self.inputs[0].update(first)
        self.env = {"torch": torch, "F": F, **TYPES}
        for i in self.inputs:
            self.env[i["name"]] = make(i, self.sizes)
            self.values.append(Value(i["name"], i["exact"]))
        tries = 0
        while len(self.lines) < ops and tries < 20 * ops:
            tries += 1
            try:
                self.statement()
            except (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError, AssertionError):  # eager mode's, or there is no such value
                pass
        self.outputs()

    def an_input(self, i):
        r = self.r
        rank = r.choice([0, 1, 1, 2, 2, 2, 3, 3, 4])
        dims = [r.choice(["a", "b", "c", "1", "2", "3", "4", "7"]) if self.symbolic or r.random() < .7 else str(r.randint(1, 9)) for _ in range(rank)]
        kind = r.choice(["F32"] * 6 + ["I64", "I64", "BOOL", "F64", "BF16", "I32", "U8", "F16"])
        exact = kind in ("I64", "BOOL", "I32", "U8") or r.random() < .35
        return {"name": f"x{i}", "dims": dims, "kind": kind, "exact": exact, "lay": r.choice(["dense"] * 5 + ["turned", "part", "stepped"]),
            "seed": r.randrange(1 << 30)}

    def t(self, v):
        return self.env[v.name]

    def any(self, ok=lambda t: True, exact=False):
        """A value for which `ok` holds, of the last ones rather."""
        some = [v for v in self.values if (v.exact or not exact) and ok(self.t(v))]
        if not some:
            raise ValueError
        recent = some[-4:] if self.r.random() < .6 else some
        return self.r.choice(recent)

    def flt(self, rank=None, exact=False):
        """A value of real numbers."""
        return self.any(lambda t: t.is_floating_point() and (rank is None or t.dim() == rank or (isinstance(rank, tuple) and t.dim() in rank)), exact)

    def dim(self, v):
        """An axis."""
        n = self.t(v).dim()
        if not n:
            raise ValueError
        d = self.r.randrange(n)
        return d - n if self.r.random() < .3 else d

    def size(self, v, d):
        """A size as text."""
        return f"{v.name}.shape[{d}]" if self.symbolic and self.r.random() < .8 else str(self.t(v).shape[d])

    def put(self, text, exact, many=False):
        """A statement that makes a value."""
        name = f"v{self.n}"
        out = eval(text, self.env)
        outs = list(out) if many else [out]
        if any(not isinstance(o, torch.Tensor) or not 0 < o.numel() <= MOST or o.dim() > 6 or o.dtype.is_complex or not within(o) for o in outs):
            raise ValueError
        exact = exact and all(map(quarters, outs))
        self.n += 1
        self.env[name] = out
        self.lines.append(f"{name} = {text}")
        if many:
            for i in range(len(outs)):
                if self.r.random() < .6 or i == 0:
                    self.env[f"{name}_{i}"] = outs[i]
                    self.lines.append(f"{name}_{i} = {name}[{i}]")
                    self.values.append(Value(f"{name}_{i}", exact))
        else:
            self.values.append(Value(name, exact))

    def change(self, v, text, exact):
        """A statement that changes v, and so all that share its memory."""
        trial = copy.deepcopy({k: t for k, t in self.env.items() if isinstance(t, (torch.Tensor, tuple, list))})
        env = {**self.env, **trial}
        exec(text, env)
        if not all(t.numel() <= MOST and within(t) for k in trial for t in ([env[k]] if isinstance(env[k], torch.Tensor) else env[k])):
            raise ValueError
        self.env = env
        self.lines.append(text)
        for w in self.values:
            if self.t(w).untyped_storage().data_ptr() == self.t(v).untyped_storage().data_ptr():
                w.exact = w.exact and exact and quarters(self.t(w))

    def index(self, v, d, count=None):
        """The text of indices that lie in axis d."""
        n = self.t(v).shape[d]
        r = self.r
        if r.random() < .5:
            some = [w for w in self.values if w.exact and self.t(w).dtype in (torch.int64, torch.int32) and self.t(w).dim() <= 2]
            if some:
                w = r.choice(some)
                return f"({w.name} % {self.size(v, d)})" if self.t(w).dtype == torch.int64 else f"({w.name}.long() % {self.size(v, d)})"
        if r.random() < .4:
            return f"torch.arange({self.size(v, d)})"
        return f"torch.tensor({[r.randrange(min(n, 2)) for _ in range(count or r.randint(1, 4))]})"

    def scalar(self):
        return self.r.choice(["2", "3", "-1", "0.5", "1.5", "0.25", "-2.0", "1"])

    def statement(self):
        r = self.r
        kinds = {self.unary: 4, self.binary: 6, self.view: 8, self.reduce: 4, self.inplace: 5, self.indexing: 4, self.product: 3, self.join: 3,
                 self.cast: 2, self.compare: 3, self.norm: 2, self.window: 2, self.creation: 2, self.exactly: 3, self.masks: 3, self.loss: 1,
                 self.wave: 2, self.solve: 2, self.called: 2}
        r.choices(list(kinds), list(kinds.values()))[0]()

    def unary(self):
        v = self.flt()
        x = v.name
        text = self.r.choice(["torch.sin({x})", "{x}.cos()", "torch.tanh({x})", "torch.sigmoid({x})", "torch.exp({x}.clamp(max=2))", "torch.erf({x})",
            "F.gelu({x})", "F.silu({x})", "F.softplus({x})", "F.mish({x})", "F.hardswish({x})", "F.elu({x})", "F.selu({x})", "torch.sqrt({x}.abs() + 1)",
            "torch.rsqrt({x} * {x} + 0.5)", "torch.log1p({x}.abs())", "1 / ({x}.abs() + 0.5)", "F.logsigmoid({x})", "{x}.square()",
            "torch.expm1({x}.clamp(-2, 1))", "torch.atan({x})", "F.gelu({x}, approximate='tanh')", "F.softsign({x})", "torch.asinh({x})",
            "F.hardsigmoid({x})", "torch.sinc({x})", "F.celu({x}, 0.7)", "torch.logit(torch.sigmoid({x}), eps=1e-3)", "torch.xlogy({x}, {x}.abs() + 1)",
            "torch.log2({x}.abs() + 1)", "torch.special.entr({x}.abs() + 0.1)", "torch.lgamma({x}.abs() + 1)", "torch.polygamma(0, {x}.abs() + 1)",
            "torch.nan_to_num({x})", "torch.special.i0e({x})", "torch.cosh({x}.clamp(-2, 2))", "F.tanhshrink({x})", "torch.exp2({x}.clamp(-3, 3))",
            "torch.special.erfcx({x}.abs())"])
        self.put(text.replace("{x}", x), False)

    def exactly(self):
        v = self.any(exact=True, ok=lambda t: t.dtype != torch.bool)
        x = v.name
        text = self.r.choice(["{x}.neg()", "{x}.abs()", "torch.relu({x})", "F.relu6({x})", "{x} * 2", "{x} + 1", "1 - {x}", "{x}.clamp(-2, 3)",
            "torch.clamp({x}, min=1)", "{x}.floor()", "{x}.round()", "{x}.ceil()", "torch.trunc({x})", "torch.sign({x})", "{x} % 3", "{x} // 2",
            "torch.fmod({x}, 2)", "torch.remainder({x}, -3)", "torch.floor_divide({x}, -2)", "F.hardtanh({x})", "F.threshold({x}, 1, -1)",
            "torch.heaviside({x}, {x})", "torch.div({x}, 3, rounding_mode='trunc')", "torch.div({x}, 2, rounding_mode='floor')", "{x} ** 2",
            "F.leaky_relu({x}, 0.25)", "torch.frac({x})", "torch.bitwise_and({x}, 3)", "{x} << 1", "{x} >> 1", "{x} ^ 5", "~{x}",
            "torch.sort({x}, dim=-1, stable=True)[1]", "torch.sort({x}, dim=0, stable=True)[0]", "torch.argsort({x}, stable=True, descending=True)",
            "{x}.argmax(-1)", "{x}.argmin()", "{x}.cumsum(-1)", "torch.diff({x})", "{x}.cummax(0)[0]", "{x}.cummax(0)[1]", "{x}.cummin(-1)[1]",
            "torch.searchsorted(torch.arange(5).to({x}.dtype), {x}.contiguous())", "torch.bucketize({x}, torch.tensor([-1, 0, 2]).to({x}.dtype))",
            "{x}.max(0)[1]", "{x}.min(-1)[0]", "{x}.count_nonzero(0)", "torch.gcd({x}, {x} + 2)", "{x}.isfinite()", "torch.signbit({x})",
            "{x}.median(-1)[0].detach()", "{x}.kthvalue(1, -1)[0].detach()", "{x}.mode(-1)[0].detach()", "torch.topk({x}, 1)[0].detach()",
            "{x}.amax(-1, keepdim=True)", "F.one_hot({x}.long() % 4, 4)", "torch.nextafter({x}, {x})", "{x}.logical_not()",
            "torch.isin({x}, torch.tensor([0, 1]).to({x}.dtype))"])
        self.put(text.replace("{x}", x), True)

    def pair(self, exact=False):
        v, w = self.any(exact=exact), self.any(exact=exact)
        torch.broadcast_shapes(self.t(v).shape, self.t(w).shape)
        return v, w

    def binary(self):
        r = self.r
        if r.random() < .2:
            v = self.any(lambda t: t.dtype != torch.bool)
            s = self.scalar()
            text = r.choice(["{v} + {s}", "{s} - {v}", "{v} * {s}", "{v} / {s}", "{v} - {s}", "torch.maximum({v}, torch.tensor({s}).to({v}.dtype))",
                "torch.add({v}, {v}, alpha={s})", "torch.rsub({v}, {s})", "{v}.clamp(max={s})", "torch.where({v} > 0, {v}, {s})" if v.exact else "{v} + {s}"])
            return self.put(text.replace("{v}", v.name).replace("{s}", s), v.exact)
        v, w = self.pair()
        text = r.choice(["{v} + {w}", "{v} - {w}", "{v} * {w}", "torch.maximum({v}, {w})", "torch.minimum({v}, {w})", "{v} / ({w}.abs() + 0.5)",
            "torch.lerp({v}, {w}, 0.25)", "torch.addcmul({v}, {w}, {w}, value=0.5)", "torch.atan2({v}, {w}.abs() + 1)", "torch.hypot({v}, {w})",
            "torch.pow({v}.abs() + 0.5, {w}.clamp(-2, 2))", "torch.where({v} > {w}, {v}, {w})" if v.exact and w.exact else "{v} + {w}",
            "torch.add({v}, {w}, alpha=2)", "torch.sub({v}, {w}, alpha=3)", "torch.logaddexp({v}, {w})", "torch.addcdiv({v}, {w}, {w}.abs() + 1)",
            "torch.copysign({v}, {w})" if w.exact else "{v} * {w}", "torch.fmax({v}, {w})", "torch.true_divide({v}, {w} * {w} + 1)",
            "torch.nextafter({v}, {v})", "torch.ldexp({v} * 1.0, {w}.clamp(-1, 2))", "torch.mul({v}, {w}).sum(-1)", "torch.clamp({v}, {w} - 1, {w} + 1)",
            "torch.cdist({v}, {w})", "F.cosine_similarity({v}, {w}, dim=-1)", "torch.float_power({v}.abs() + 0.5, 2)"])
        self.put(text.replace("{v}", v.name).replace("{w}", w.name), v.exact and w.exact and text in ("{v} + {w}", "{v} - {w}", "{v} * {w}",
            "torch.maximum({v}, {w})", "torch.minimum({v}, {w})", "torch.where({v} > {w}, {v}, {w})", "torch.fmax({v}, {w})"))

    def compare(self):
        r = self.r
        if r.random() < .4:
            v, w = self.any(lambda t: t.dtype == torch.bool), self.any(lambda t: t.dtype == torch.bool)
            return self.put(r.choice(["{v} & {w}", "{v} | {w}", "~{v}", "{v} ^ {w}", "{v}.any(-1)", "{v}.all(0)", "{v}.sum(-1)", "{v}.cumsum(0)",
                "{v}.logical_xor({w})", "{v}.any()", "{v}.all()", "{v} == {w}", "{v} + {w}", "{v} * {w}", "{v}.float().mean()"]).replace("{v}",
                v.name).replace("{w}", w.name), True)
        v = self.any(exact=True)
        if r.random() < .5:
            return self.put(f"{v.name} {r.choice(['>', '<', '>=', '<=', '==', '!='])} {r.choice(['0', '1', '0.5', '2', '-1'])}", True)
        v, w = self.pair(exact=True)
        self.put(f"{v.name} {r.choice(['>', '<', '>=', '<=', '==', '!='])} {w.name}", True)

    def a_view(self, v):
        r, t, x = self.r, self.t(v), v.name
        if not t.dim():
            return r.choice([f"{x}.unsqueeze(0)", f"{x}.expand(3)", f"{x}.view(1, 1)", f"{x}[None]"])
        d = self.dim(v)
        e = r.randrange(t.dim())
        n = t.shape[d]
        p = list(range(t.dim())); r.shuffle(p)
        k, at = r.randrange(n), d % (t.dim() + 1)
        some = ["{x}.transpose({d}, {e})", f"{x}.permute({p})", "{x}.flatten()", "{x}.unsqueeze({d})", f"{x}.narrow({d}, {k}, {max(1, (n - k) // 2)})",
            f"{x}.select({d}, {k})", "{x}.flip({d})", f"{x}.squeeze({d})", "{x}.squeeze()", f"{x}.roll({r.randint(-2, 3)}, {d})", "{x}[None]",
            "{x}[..., None]", f"{x}[{k if e == 0 and k < t.shape[0] else 0}]", f"{x}[..., {r.choice(['1:', ':-1', '::2', '-2:', ':1', '1::2'])}]",
            f"{x}[{r.choice(['1:', ':-1', '::2', '-1:', ':2'])}]", "{x}.mT" if t.dim() > 1 else "{x}[:]", f"{x}.reshape(-1, {self.size(v, -1)})",
            f"{x}.reshape({self.size(v, 0)}, -1)", f"{x}.view(-1)", f"{x}.expand(2, *{x}.shape)", "{x}.movedim(0, -1)",
            f"{x}.unfold({d}, {r.randint(1, min(n, 3))}, {r.randint(1, 2)})",
            f"{x}.unsqueeze({at}).expand({', '.join(['-1'] * at + ['2'] + ['-1'] * (t.dim() - at))})", "{x}.diagonal(0, 0, 1)"
                if t.dim() > 1 else "{x}.view_as({x})", f"{x}.contiguous()", f"{x}.clone()", "{x}.detach()", f"torch.rot90({x})" if t.dim() > 1 else "{x}[:]",
                f"{x}.swapaxes({d}, {e})", f"{x}.t()" if t.dim() == 2 else "{x}.ravel()", f"{x}.unflatten({d}, ({n // 2}, 2))"
                if n % 2 == 0 and n > 2 and not self.symbolic else f"{x}.unflatten({d}, (1, -1))", f"torch.atleast_3d({x})", f"{x}.diag_embed()"
                if t.dim() < 3 else "{x}[:]", f"{x}.tile(2)", f"{x}.repeat(2{', 1' * (t.dim() - 1)})", f"{x}.contiguous().as_strided((2,), (1,))"
                if not self.symbolic and t.numel() > 2 else "{x}[:]", f"{x}.flatten(0, 1)" if t.dim() > 1 else "{x}[:]"]
        return r.choice(some).replace("{x}", x).replace("{d}", str(d)).replace("{e}", str(e))

    def view(self):
        v = self.any()
        if self.r.random() < .15 and self.t(v).dim():
            d = self.dim(v)
            n = self.t(v).shape[d]
            return self.put(self.r.choice([f"{v.name}.chunk(2, {d})", f"{v.name}.unbind({d})" if n < 6 else f"{v.name}.chunk(3, {d})",
                f"{v.name}.split({max(1, n // 2)}, {d})", f"torch.tensor_split({v.name}, 2, {d})"]), v.exact, many=True)
        self.put(self.a_view(v), v.exact)

    def reduce(self):
        v = self.flt()
        r = self.r
        d = self.dim(v)
        keep = r.choice(["", ", keepdim=True"])
        text = r.choice([f"{{x}}.sum({d}{keep})", f"{{x}}.mean({d}{keep})", "{x}.sum()", "{x}.mean()", f"{{x}}.amax({d}{keep})", f"{{x}}.amin({d}{keep})",
            f"{{x}}.var({d}{keep})" if self.t(v).shape[d] > 1 else "{x}.sum()", f"{{x}}.std({d}, unbiased=False{keep})" if not v.exact else "{x}.sum()",
            f"torch.logsumexp({{x}}, {d}{keep})", f"{{x}}.cumsum({d})", f"F.softmax({{x}}, {d})", f"F.log_softmax({{x}}, {d})",
            f"torch.linalg.vector_norm({{x}} + 0.1, dim={d}{keep})", f"{{x}}.prod({d}{keep})" if self.t(v).shape[d] < 9 else "{x}.sum()",
            f"{{x}}.norm(1, {d}{keep})", "torch.var_mean({x})[0]", f"torch.logcumsumexp({{x}}, {d})", f"{{x}}.cumprod({d})"
            if self.t(v).shape[d] < 9 else "{x}.mean()", f"F.normalize({{x}}, dim={d})", f"{{x}}.sum(dtype=F64)", f"{{x}}.max({d})[0]"
            if v.exact else "{x}.amax()", f"{{x}}.nansum({d})", f"torch.trapezoid({{x}}, dim={d})", f"{{x}}.sum((0, -1))"
            if self.t(v).dim() > 1 else "{x}.sum(0)", f"F.softmin({{x}}, {d})", f"torch.renorm({{x}}, 2, 0, 1.0)" if self.t(v).dim() > 1 else "{x}.sum()",
            f"F.glu({{x}}, {d})", f"torch.aminmax({{x}})[1]", f"torch.histc({{x}}.detach(), 4, -8, 8)" if v.exact and not self.symbolic else "{x}.mean()",
            f"torch.softmax({{x}}, {d}, dtype=F32)"])
        self.put(text.replace("{x}", v.name), v.exact and any(s in text for s in ("sum(", "amax", "amin", "max(", "norm(1",
            "aminmax")) and "logsum" not in text and "log" not in text)

    def product(self):
        r = self.r
        kind = r.random()
        if kind < .5:
            v, w = self.any(lambda t: t.is_floating_point() and t.dim() >= 1), self.any(lambda t: t.is_floating_point() and t.dim() >= 1)
            if self.t(v).dtype != self.t(w).dtype:
                raise ValueError
            a, b = v.name, w.name
            return self.put(r.choice([f"torch.matmul({a}, {b})", f"torch.matmul({a}, {b}.mT)", f"torch.matmul({a}.mT, {b})", f"F.linear({a}, {b})",
                f"torch.outer({a}.flatten(), {b}.flatten())", f"torch.einsum('...i,...j->...ij', {a}, {b})", f"torch.einsum('...ij,...kj->...ik', {a}, {b})",
                f"torch.tensordot({a}, {b}, 1)", f"torch.einsum('ij,kj->i', {a}, {b})", f"torch.kron({a}, {b})", f"torch.inner({a}, {b})"]), False)
        v = self.flt((2, 3))
        a = v.name
        self.put(r.choice([f"{a} @ {a}.mT", f"{a}.mT @ {a}", f"torch.einsum('...ij,...ik->...jk', {a}, {a} * 2)",
            f"torch.baddbmm({a} @ {a}.mT, {a}, {a}.mT, beta=0.5, alpha=2)"
            if self.t(v).dim() == 3 else f"torch.addmm({a} @ {a}.mT, {a}, {a}.mT, beta=0.5, alpha=2)",
            f"F.scaled_dot_product_attention({a}[None], {a}[None], {a}[None] + 1)",
            f"F.scaled_dot_product_attention({a}[None], {a}[None], {a}[None], is_causal=True)",
            f"F.bilinear({a}, {a}, torch.ones(2, {self.size(v, -1)}, {self.size(v, -1)}, dtype={a}.dtype))", f"torch.cov({a})"
            if self.t(v).dim() == 2 and self.t(v).shape[1] > 1 else f"{a} @ {a}.mT", f"torch.linalg.multi_dot([{a}, {a}.mT, {a}])"
            if self.t(v).dim() == 2 else f"torch.bmm({a}, {a}.mT)", f"({a}[..., None, :] * {a}[..., None]).sum(-1)", f"torch.cross({a}, {a} + 1, dim=-1)"
            if self.t(v).shape[-1] == 3 else f"{a} @ {a}.mT"]), False)

    def norm(self):
        v = self.flt((2, 3, 4))
        t, x = self.t(v), v.name
        r = self.r
        text = r.choice([f"F.layer_norm({x}, {x}.shape[-1:])", f"F.layer_norm({x}, {x}.shape[1:])", f"F.rms_norm({x}, {x}.shape[-1:])",
            f"F.group_norm({x}, 1)", f"F.group_norm({x}, 2)", f"F.batch_norm({x}, None, None, training=True)", f"F.instance_norm({x})",
            f"F.batch_norm({x}, torch.zeros({self.size(v, 1)}, dtype={x}.dtype), torch.ones({self.size(v, 1)}, dtype={x}.dtype))",
            f"F.local_response_norm({x}, 3)", f"F.layer_norm({x}, {x}.shape[-1:], torch.linspace(0.5, 1, {self.size(v, -1)}).to({x}.dtype), None)"])
        self.put(text, False)

    def window(self):
        r = self.r
        v = self.flt((3, 4))
        t, x = self.t(v), v.name
        n = t.dim() - 2
        k, s, p, g = r.randint(1, 3), r.randint(1, 2), r.randint(0, 1), r.choice([1, 1, 2])
        c = t.shape[1]
        w = f"(torch.arange({2 * g} * {c} // {g} * {k ** n}).remainder(7).to({x}.dtype) / 8 - 0.4).reshape({2 * g}, {c} // {g}{f', {k}' * n})"
        wt = f"(torch.arange({c} * 2 * {k ** n}).remainder(5).to({x}.dtype) / 8 - 0.3).reshape({c}, 2{f', {k}' * n})"
        if c % g:
            g = 1
        pad, flag = r.choice(["constant", "reflect", "replicate", "circular"]), r.choice(["True", "False"])
        to, mode = ("(3, 5)", "bilinear") if n == 2 else ("5", "linear")
        text = r.choice([f"F.conv{n}d({x}, {w}, stride={s}, padding={p}, groups={g})",
            f"F.conv{n}d({x}, {w}, padding='same', dilation={r.randint(1, 2)}, groups={g})",
            f"F.conv_transpose{n}d({x}, {wt}, stride={s}, padding={p if k > 2 else 0})", f"F.max_pool{n}d({x}, {max(k, 2)}, {s})"
            if v.exact else f"F.avg_pool{n}d({x}, {k}, {s})",
            f"F.avg_pool{n}d({x}, {k}, {s}, count_include_pad={r.choice(['True', 'False'])}, ceil_mode={r.choice(['True', 'False'])})",
            f"F.adaptive_avg_pool{n}d({x}, 2)", f"F.interpolate({x}, scale_factor=2, mode='nearest')",
            f"F.interpolate({x}, size={to}, mode={mode!r}, align_corners={flag})", f"F.pad({x}, ({r.randint(-1, 2)}, {r.randint(0, 2)}), mode={pad!r})"
                if n == 1 else f"F.pad({x}, (1, 0, {r.randint(0, 1)}, 1), mode={pad!r})", f"F.pad({x}, (1, -1, 0, 2), value=0.5)", f"F.unfold({x}, 2)"
                if n == 2 else f"F.pad({x}, (0, 1))", f"F.pixel_shuffle({x}, 2)" if c % 4 == 0 else f"F.adaptive_max_pool{n}d({x}, 1)",
                f"F.lp_pool{n}d({x}.abs() + 0.1, 2, 2)", f"F.pixel_unshuffle({x}, 2)" if n == 2 else f"F.pad({x}, (2, 0))", f"F.channel_shuffle({x}, 2)"])
        self.put(text, v.exact and ("pad(" in text or "shuffle" in text or "max_pool" in text or "unfold" in text))

    def indexing(self):
        r = self.r
        v = self.any(lambda t: t.dim() >= 1)
        t, x = self.t(v), v.name
        d = self.dim(v)
        i = self.index(v, d)
        j = d if d >= 0 else d + t.dim()
        colons = ":, " * j
        text = r.choice([f"{x}[{colons}{i}]", f"torch.index_select({x}, {d}, {i}.reshape(-1))", f"{x}[{i}]" if j == 0 else f"{x}[{colons}{i}]",
            f"torch.gather({x}, {d}, ({x}.abs().long() % {self.size(v, d)}))" if v.exact and t.dtype != torch.bool else f"{x}[{colons}{i}]",
            f"F.embedding({self.index(v, 0)}, {x})" if t.dim() == 2 else f"{x}[{colons}{i}]",
            f"torch.take_along_dim({x}, torch.zeros_like({x}, dtype=I64), {d})", f"{x}[{i}, {self.index(v, 1)}[..., None]]"
            if t.dim() > 1 and j == 0 else f"{x}[{colons}{i}]", f"{x}[{self.index(v, 0, 2)}.reshape(-1)[:1], :, {self.index(v, 2, 2)}.reshape(-1)[:1]]"
            if t.dim() > 2 else f"{x}[{colons}{i}]", f"torch.take({x}, {self.index(v, 0)})", f"{x}[..., {r.choice(['-1', '0'])}]",
            f"{x}[{colons}{i}].sum({d})"])
        self.put(text, v.exact)

    def masks(self):
        r = self.r
        v = self.any(lambda t: t.dim() >= 1)
        t, x = self.t(v), v.name
        some = [w for w in self.values if self.t(w).dtype == torch.bool]
        m = r.choice(some).name if some and r.random() < .7 else f"(torch.arange({self.size(v, -1)}) % 2 == 0)"
        d = self.dim(v)
        y = self.any(lambda u: u.dtype == t.dtype)
        i, how, flag = self.index(v, d), r.choice(["amax", "amin", "sum", "mean"]), r.choice(["True", "False"])
        text = r.choice([f"torch.where({m}, {x}, {y.name})", f"{x}.masked_fill({m}, 2)", f"torch.where({m}, {x}, 0)", f"torch.tril({x}, {r.randint(-1, 1)})"
            if t.dim() > 1 else f"{x}.masked_fill({m}, 1)", f"torch.triu({x}, {r.randint(-1, 1)})" if t.dim() > 1 else f"{x}.masked_fill({m}, 1)",
            f"torch.index_add({x}, {d}, {i}.reshape(-1), torch.ones_like({x}.index_select({d}, {i}.reshape(-1))), alpha=2)"
            if t.dtype != torch.bool else f"{x}.masked_fill({m}, 1)", f"torch.scatter({x}, {d}, torch.zeros_like({x}, dtype=I64).narrow({d}, 0, 1), 3)",
            f"torch.scatter_add({x}, {d}, torch.zeros_like({x}, dtype=I64), {x})" if t.dtype != torch.bool else f"~{x}",
            f"torch.index_fill({x}, {d}, {i}.reshape(-1), 1)",
            f"torch.scatter_reduce({x}, {d}, torch.zeros_like({x}, dtype=I64), {x}, {how!r}, include_self={flag})"
                if t.dtype != torch.bool and v.exact else f"{x}.masked_fill({m}, 1)",
                f"torch.index_put({x}, ({i},), {x}[{i}] * 2, accumulate={r.choice(['True', 'False'])})"
                if t.dtype != torch.bool and t.dim() and d == 0 and 'arange' in i else f"torch.select_scatter({x}, {x}.select({d}, 0), {d}, {t.shape[d] - 1})", f"torch.slice_scatter({x}, {x}[:1], 0, 0, 1)", f"torch.masked_scatter({x}, {m}, {x}.flatten())" if not self.symbolic else f"torch.where({m}, 1, {x})", f"torch.index_copy({x}, {d}, torch.arange({self.size(v, d)}), {x}.flip({d}))", f"torch.diagonal_scatter({x}, {x}.diagonal() + {x}.diagonal())" if t.dim() == 2 and t.dtype != torch.bool else f"torch.where({m}, {x}, 1)"])
        self.put(text, v.exact and y.exact)

    def join(self):
        r = self.r
        v = self.any(lambda t: t.dim() >= 1)
        t, x = self.t(v), v.name
        d = self.dim(v)
        y = self.any(lambda u: u.dim() == t.dim() and all(a == b for k, (a, b) in enumerate(zip(u.shape, t.shape)) if k != d % t.dim()))
        z = self.any(lambda u: u.shape == t.shape)
        text = r.choice([f"torch.cat([{x}, {y.name}], {d})", f"torch.cat([{x}, {y.name}, {x}], {d})", f"torch.stack([{x}, {z.name}], {d})",
            f"torch.cat([{x}.flip({d}), {y.name}], {d})", f"torch.hstack([{x}, {x}])", f"{x}.repeat_interleave(2, {d})",
            f"torch.cat([{x}, torch.zeros_like({x})], {d})", f"torch.vstack([{z.name}, {x}])", f"torch.dstack([{z.name}, {x}])",
            f"torch.stack([{x}, {z.name}, {x}]).sum(0)", f"torch.cat([{x}[:1], {x}], 0)", f"torch.column_stack([{x}, {z.name}])",
            f"torch.cartesian_prod({x}.flatten(), {x}.flatten()[:2])" if t.numel() < 20 else f"torch.cat([{x}, {x}])", f"torch.block_diag({x}, {x})"
            if t.dim() == 2 else f"torch.cat([{x}, {x}])"])
        self.put(text, v.exact and y.exact and z.exact)

    def cast(self):
        v = self.any()
        to = self.r.choice(["F32"] * 4 + ["F64", "BF16", "F16", "I64", "I32", "BOOL", "U8"])
        if to in ("I64", "I32", "BOOL", "U8") and not v.exact:
            raise ValueError
        if to == "U8" and self.t(v).is_floating_point():
            raise ValueError
        self.put(self.r.choice([f"{v.name}.to({to})", f"{v.name}.type({to})", f"{v.name}.to({to}) * 1"]), v.exact)

    def creation(self):
        r = self.r
        v = self.any(lambda t: t.dim() >= 1)
        x, d = v.name, self.dim(v)
        n = self.size(v, d)
        self.put(r.choice([f"torch.zeros_like({x})", f"torch.arange({n})", f"torch.arange({n}, dtype=F32)", f"torch.full(({n}, 2), 3)", f"{x}.new_ones({n})",
            f"torch.eye({n})", f"torch.full_like({x}, 1)", f"torch.arange(0, 2 * {n}, 2)", f"torch.tril(torch.ones({n}, {n})) > 0",
            f"torch.zeros({n}, 3, dtype={x}.dtype)", f"torch.tril_indices(3, 3)[0]", f"torch.arange({n}, 0, -1)", f"torch.ones(2, {n}).cumsum(-1)",
            f"torch.empty_like({x}).fill_(2)", f"torch.tensor([1, 2, {r.randint(0, 5)}])", f"torch.scalar_tensor({r.randint(-3, 3)})",
            f"torch.meshgrid(torch.arange({n}), torch.arange(3), indexing='ij')[1]"]), True)

    def inplace(self):
        r = self.r
        v = self.any()
        t, x = self.t(v), v.name
        part = r.choice([x, x, x, self.a_view(v)])
        if ".expand" in part or ".unfold" in part:
            raise ValueError
        w = self.any(lambda u: u.dtype == t.dtype or r.random() < .1)
        m = "(" + x + " > 0)" if v.exact and t.dtype != torch.bool else None
        s = r.choice(["2", "1", "-1"])
        if t.dtype == torch.bool:
            text = r.choice([f"{part}.copy_({w.name})", f"{part}.fill_(True)", f"{part}.logical_not_()", f"{part}.logical_and_({w.name})", f"{part}.zero_()"])
        else:
            d = self.dim(v) if t.dim() else 0
            text = r.choice([f"{part}.add_({w.name})", f"{part}.mul_({s})", f"{part}.sub_({w.name}, alpha=2)", f"{part}.copy_({w.name})",
                f"{part}.fill_({s})", f"{part}.zero_()", f"{part}.clamp_(-2, 3)", f"{part}.neg_()",
                f"{part}.masked_fill_({m or '(torch.arange(' + self.size(v, -1) + ') % 2 == 1)' if t.dim() else 'torch.tensor(True)'}, {s})",
                f"{x}[..., :1] = {s}", f"{x}[{r.choice(['0', '-1', '1:', '::2', '...', ':-1'])}] += {s}",
                f"{x}[{r.choice(['0', '-1', '1:', '::2'])}] = {w.name}", f"{x}[..., -1:] = {w.name}", f"{x}[{m}] = {s}" if m else f"{part}.add_({s})",
                f"{x}.index_fill_({d}, {self.index(v, d) if t.dim() else 'torch.tensor([0])'}.reshape(-1), {s})",
                f"{x}[{self.index(v, 0) if t.dim() else 'None'}] = {s}", f"{x}.t_()" if t.dim() == 2 else f"{x}.unsqueeze_(0)", f"{x}.transpose_(0, -1)"
                if t.dim() else f"{x}.neg_()", f"{x}.squeeze_()",
                f"{x}.index_add_({d}, torch.tensor([0, 0]), torch.ones_like({x}).narrow({d}, 0, 1).repeat_interleave(2, {d}))", f"{x}.diagonal().mul_(2)"
                if t.dim() > 1 else f"{x}.mul_(2)", f"{x}.scatter_({d}, torch.zeros_like({x}, dtype=I64).narrow({d}, 0, 1), {s})", f"{part}.relu_()",
                f"{part}.floor_()" if v.exact else f"{part}.tanh_()", f"{x}.addcmul_({w.name}, {w.name})", f"{part}.lerp_({w.name}, 0.5)", f"{x} += {w.name}",
                f"{x} *= {s}", f"{part}.sin_()", f"{x}.cumsum_({d})", f"torch.add({w.name}, 1, out={x})" if r.random() < .3 else f"{part}.abs_()",
                f"F.relu({part}, inplace=True)", f"{x}.swapaxes_(0, -1)" if t.dim() else f"{x}.abs_()",
                f"{x}.index_put_((torch.tensor([0]),), {x}[:1], accumulate=True)", f"{x}.tril_()" if t.dim() > 1 else f"{x}.abs_()"])
        if "se_(" in text.replace("index_put_(", "") and x.startswith("x") or x.startswith("x") and any(s in text for s in (".t_()", "unsqueeze_(",
            "transpose_(", "swapaxes_(", "squeeze_(")): raise ValueError
        ex = v.exact and w.exact and not any(s in text for s in ("tanh_", "sin_", "lerp_"))
        self.change(v, text, ex)

    def loss(self):
        r = self.r
        v = self.flt((2, 3))
        x = v.name
        w = self.any(lambda u: u.is_floating_point() and u.shape == self.t(v).shape and u.dtype == self.t(v).dtype)
        y, how = w.name, r.choice(["mean", "sum", "none"])
        n = self.size(v, 1)
        text = r.choice([f"F.mse_loss({x}, {y}, reduction={how!r})", f"F.l1_loss({x}, {y}, reduction={how!r})",
            f"F.smooth_l1_loss({x}, {y}, reduction={how!r}, beta=0.7)", f"F.huber_loss({x}, {y}, reduction={how!r})",
            f"F.binary_cross_entropy_with_logits({x}, torch.sigmoid({y}), reduction={how!r})",
            f"F.cross_entropy({x}, torch.arange({x}.shape[0]) % {n}, reduction={how!r}, label_smoothing={r.choice(['0.0', '0.1'])})"
            if self.t(v).dim() == 2 else f"F.mse_loss({x}, {y})", f"F.kl_div(F.log_softmax({x}, -1), F.softmax({y}, -1), reduction={how!r})",
            f"F.nll_loss(F.log_softmax({x}, 1), torch.zeros({x}.shape[0], dtype=I64), reduction={how!r})" if self.t(v).dim() == 2 else f"F.l1_loss({x}, {y})",
            f"F.soft_margin_loss({x}, torch.ones_like({x}), reduction={how!r})", f"F.gaussian_nll_loss({x}, {y}, {y}.abs() + 0.5, reduction={how!r})",
            f"F.poisson_nll_loss({x}.clamp(max=2), {y}, reduction={how!r})",
            f"F.cosine_embedding_loss({x}, {y}, torch.ones({x}.shape[0]), reduction={how!r})" if self.t(v).dim() == 2 else f"F.mse_loss({x}, {y})"])
        self.put(text, False)

    def wave(self):
        """Complex numbers, from real ones to real ones."""
        v = self.any(lambda t: t.dtype in (torch.float32, torch.float64) and 1 <= t.dim() <= 3)
        x, d = v.name, self.dim(v)
        z = f"torch.complex({x}, {x}.cos())"
        self.put(self.r.choice([f"torch.fft.rfft({x}, dim={d}).abs()", f"torch.fft.irfft(torch.fft.rfft({x}) * 0.5, n={self.size(v, -1)})",
            f"torch.view_as_real(torch.fft.fft({x}, dim={d}, norm='ortho'))", f"torch.fft.ifft({x}, dim={d}).real", f"torch.fft.hfft({x}, dim={d})",
            f"torch.fft.fftn({x}).imag", f"torch.fft.rfftn({x}, norm='forward').real", f"torch.fft.fftshift({x}, {d})", f"torch.fft.ifftshift({x})",
            f"torch.polar({x}.abs() + 0.1, {x}).real", f"({z} * {z}.conj()).real", f"({z}.mT @ {z}).imag" if self.t(v).dim() > 1 else f"{z}.abs()",
            f"torch.view_as_complex(torch.stack([{x}, {x} * 0.5], -1)).abs()", f"({z} / (2 + {z}.abs())).sum({d}).real", f"{z}.exp().real.tanh()",
            f"torch.view_as_real({z}.cumsum({d}))", f"torch.cat([{z}, {z}.conj()], {d}).imag", f"{z}.mean().abs()", f"{z}[..., :1].imag",
            f"torch.view_as_real(torch.resolve_conj({z}.conj()).flip({d}))", f"torch.where({x} > 9, {z}, {z} * 2j).real", f"({z} + {z}.transpose(0, -1)).real",
            f"torch.stft({x}, 4, 2, window=torch.hann_window(4), return_complex=True, pad_mode='constant').abs()", f"torch.vdot({z}.ravel(), {z}.ravel()).real"]),
            False)

    def solve(self):
        """Matrices that are well conditioned, and what is said of them."""
        v = self.flt((2, 3))
        x = v.name
        a = f"({x} @ {x}.mT + 3 * torch.eye({self.size(v, -2)}, dtype={x}.dtype))"
        self.put(self.r.choice([f"torch.linalg.inv({a})", f"torch.linalg.cholesky({a})", f"torch.linalg.solve({a}, {x})", f"torch.linalg.slogdet({a})[1]",
            f"torch.linalg.det({a} / 4)", f"torch.linalg.solve_triangular({a}.tril(), {x}, upper=False)", f"torch.cholesky_inverse({a})",
            f"torch.linalg.eigvalsh({a})", f"torch.linalg.svdvals({a})", f"torch.cholesky_solve({x}, {a}.tril())", f"torch.linalg.matrix_power({a} / 4, 3)",
            f"torch.linalg.matrix_norm({x})", f"torch.linalg.matrix_exp({a} / 9)", f"torch.logdet({a})", f"torch.trace({a})" if self.t(v).dim() == 2 else
            f"torch.linalg.multi_dot([{x}[0], {x}[0].mT])", f"torch.linalg.qr({a})[1].abs()", f"torch.linalg.lu_factor({a})[0].triu().abs()"]), False)

    def called(self):
        """Functions of functions."""
        v, e = self.flt(), self.any(exact=True)
        x, n = v.name, "4" if self.t(v).dim() else "1"
        d = self.dim(v) if self.t(v).dim() else 0
        self.put(self.r.choice([f"torch.cond(({e.name} > 0).any(), lambda t: t.sin(), lambda t: t * 2, ({x},))",
            f"torch._higher_order_ops.while_loop(lambda i, t: i < {n}, lambda i, t: (i + 1, t * 0.5 + i), (torch.tensor(0), {x}.detach() * 1))[1]",
            f"torch.utils.checkpoint.checkpoint(lambda t: t.tanh() * t.exp().clamp(max=3), {x}, use_reentrant=False)",
            f"torch.vmap(lambda t: t.sin().sum() * t, {d}, {d})({x})" if self.t(v).dim() else f"{x}.sin()",
            f"torch.func.grad(lambda t: (t.sin() * t).sum())({x})", f"torch.func.vjp(torch.tanh, {x})[1](torch.ones_like({x}))[0]",
            f"torch.func.jvp(torch.sin, ({x},), (torch.ones_like({x}),))[1]",
            f"torch.func.functional_call(torch.nn.Softmax(-1), {{}}, ({x},))",
            f"torch.utils._pytree.tree_map(lambda t: t + 1, [{x}])[0]"]), False)

    def outputs(self):
        r = self.r
        made = [v for v in self.values if v.name.startswith("v")] or self.values
        outs = [v for v in made[-3:]] + [r.choice(self.values) for _ in range(r.randint(0, 2))]
        self.outs = []
        for v in outs:
            if v.name not in self.outs or r.random() < .1:
                self.outs.append(v.name)
