"""make_exprs.py SEED COUNT: writes test/unit/frontend/torch/expr_samples.def with expressions as torch prints them, and their values.

Needs a Python with torch. Each expression is made of torch's own sympy functions, printed in both spellings (str and srepr), and as a guard in
Python; its values are sympy's own at three bindings of its symbols."""
import random
import sys

import sympy
from sympy.printing.repr import srepr
from torch.utils._sympy import functions as F
from torch.utils._sympy.printers import PythonPrinter

random.seed(int(sys.argv[1]))
s0, s1 = (sympy.Symbol(n, positive=True, integer=True) for n in ("s0", "s1"))
u0 = sympy.Symbol("u0", integer=True)
BINDINGS = [(2, 3, 0), (7, 64, 5), (31, 10, 12)]


def expression(depth):
    if depth == 0:
        return random.choice([s0, s1, u0, sympy.Integer(random.randint(1, 16))])
    a, b = expression(depth - 1), expression(random.randint(0, depth - 1))
    positive = sympy.Integer(random.randint(1, 9))
    return random.choice([
        lambda: a + b, lambda: a - b, lambda: a * b, lambda: a + positive, lambda: a * positive, lambda: F.FloorDiv(a, positive),
        lambda: F.FloorDiv(a, s0 + 1), lambda: F.Mod(sympy.Abs(a), positive), lambda: F.PythonMod(a, positive), lambda: F.Max(a, b),
        lambda: F.Min(a, b), lambda: F.CeilToInt(F.IntTrueDiv(a, positive)), lambda: sympy.floor(a / positive), lambda: a**2,
        lambda: F.CleanDiv(a * positive, positive), lambda: F.ModularIndexing(sympy.Abs(a), positive, 4), lambda: sympy.ceiling(a / positive),
    ])()


def relation(depth):
    a, b = expression(depth), expression(depth - 1)
    r = random.choice([sympy.Eq, sympy.Ne, sympy.Ge, sympy.Gt, sympy.Le, sympy.Lt])(a, b)
    if random.random() < 0.3:
        r = random.choice([sympy.And, sympy.Or])(r, sympy.Ge(expression(1), expression(1)))
    return sympy.Not(r) if random.random() < 0.2 else r


def values(e):
    out = []
    for binding in BINDINGS:
        v = e.xreplace(dict(zip((s0, s1, u0), map(sympy.Integer, binding))))
        v = v if v in (True, False) else v.doit()
        if v not in (True, False) and not (v.is_Integer and abs(v) < 2**40):
            return None
        out.append(int(bool(v)) if v in (True, False) else int(v))
    return out


rows = set()
while len(rows) < int(sys.argv[2]):
    condition = random.random() < 0.4
    try:
        e = relation(2) if condition else expression(3)
        v = values(e)
        texts = [str(e), srepr(e), PythonPrinter().doprint(e)]
    except (TypeError, ZeroDivisionError, AssertionError):
        continue
    if v is None or e in (True, False) or any(len(t) > 220 for t in texts):
        continue
    for text in texts:
        rows.add((condition, text, *v))
print("/* Made by test/frontend/torch/make_exprs.py; bindings of s0, s1, u0: " + ", ".join(map(str, BINDINGS)) + ". */")
print("/* clang-format off */")
for condition, text, a, b, c in sorted(rows):
    print(f'TCC_TORCH_SAMPLE({int(condition)}, "{text}", {a}, {b}, {c})')
