# dual.py DIR ELEM M K N [t] [bias] [act]: a model of two products of one left operand, the second gated by what silu makes of the first, its inputs and what NumPy makes of
# them in f64. t: right operands transposed; bias: of both; act: a tanh on the second as well.
import os, sys
import numpy as np
from elements import narrow, save

place, elem, m, k, n, *words = sys.argv[1:]
m, k, n, turned = int(m), int(k), int(n), "t" in words
random = np.random.default_rng(1)
x = narrow(elem, random.standard_normal((m, k)) / np.sqrt(k))
y = [narrow(elem, random.standard_normal((n, k) if turned else (k, n))) for _ in range(2)]
z = [narrow(elem, random.standard_normal(n)) for _ in range(2 if "bias" in words else 0)]
sums = [narrow(elem, x.astype(np.float64) @ (v.T if turned else v).astype(np.float64)).astype(np.float64) for v in y]
sums = [narrow(elem, s + z[i]).astype(np.float64) if z else s for i, s in enumerate(sums)]
r = narrow(elem, sums[0] / (1 + np.exp(-sums[0])) * (np.tanh(sums[1]) if "act" in words else sums[1]))
os.makedirs(place + "/data", exist_ok=True)
for i, v in enumerate([x] + [v for pair in zip(y, *([z] if z else [])) for v in pair]):
    save(elem, f"{place}/data/input_{i}.npy", v)
save(elem, f"{place}/data/output_0.npy", r)
a, b, c, d = (f"tensor<{shape}x{elem}>" for shape in (f"{m}x{k}", "x".join(map(str, y[0].shape)), f"{m}x{n}", n))
arguments = "".join(f", %y{i}: {b}" + (f", %z{i}: {d}" if z else "") for i in range(2))
with open(place + "/model.mlir", "w") as f:
    f.write(f"func.func @main(%x: {a}{arguments}) -> {c} {{\n")
    for i in range(2):
        f.write(f"""  %{"d" if z else "r"}{i} = "tcc.dot_general"(%x, %y{i}) {{lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: {int(turned)}>}} : ({a}, {b}) -> {c}\n""")
        if z:
            f.write(f"""  %r{i} = "tcc.add"(%d{i}, %z{i}) : ({c}, {d}) -> {c}\n""")
    f.write(f"""  %s = "tcc.sigmoid"(%r0) : ({c}) -> {c}\n  %g = "tcc.mul"(%r0, %s) : ({c}, {c}) -> {c}\n""")
    if "act" in words:
        f.write(f"""  %t = "tcc.tanh"(%r1) : ({c}) -> {c}\n""")
    f.write(f"""  %o = "tcc.mul"(%g, %{"t" if "act" in words else "r1"}) : ({c}, {c}) -> {c}\n  return %o : {c}\n}}\n""")
