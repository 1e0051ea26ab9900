# product.py DIR ELEM M K N [t] [inf] [x3 ...] [bias [only]]: a model of one product, its inputs and what NumPy makes of them in f64. t: the right operand
# transposed; x3: three products of the left operand, as are those of N = 256+64+64, each of its own width; bias: one is added, only: to the first alone.
import os, sys
import numpy as np
from elements import narrow, save

place, elem, m, k, n, *words = sys.argv[1:]
m, k, turned, bias = int(m), int(k), "t" in words, "bias" in words
widths = [int(width) for width in n.split("+")] * max([int(word[1:]) for word in words if word.startswith("x")], default=1)
biased = [bias and (i == 0 or "only" not in words) for i in range(len(widths))]
random = np.random.default_rng(1)
x = narrow(elem, random.standard_normal((m, k)))
y = [narrow(elem, random.standard_normal((n, k) if turned else (k, n))) for n in widths]
z = [narrow(elem, random.standard_normal(n)) if biased[i] else None for i, n in enumerate(widths)]
if "inf" in words:
    x[1, 3], x[2, 4] = np.inf, np.nan
    x[4], x[4, 5] = 1, 1e-40
    for v in y:
        v[...] = np.round(v)  # small parts that are zero, and zeros
with np.errstate(all="ignore"):
    r = [x.astype(np.float64) @ (v.T if turned else v).astype(np.float64) for v in y]
    r = [narrow(elem, v + z[i].astype(np.float64) if biased[i] else v) for i, v in enumerate(r)]
os.makedirs(place + "/data", exist_ok=True)
inputs = [x] + [v for pair in zip(y, z) for v in pair if v is not None]
for name, values in ("input", inputs), ("output", r):
    for i, v in enumerate(values):
        save(elem, f"{place}/data/{name}_{i}.npy", v)


def tensor(*shape):
    return f"tensor<{'x'.join(map(str, shape))}x{elem}>"


arguments, lines, names = "", "", []
for i, n in enumerate(widths):
    a, b, c, d = tensor(m, k), tensor(*y[i].shape), tensor(m, n), tensor(n)
    arguments += f", %y{i}: {b}" + (f", %z{i}: {d}" if biased[i] else "")
    lines += f"""  %{i} = "tcc.dot_general"(%x, %y{i}) {{lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: {int(turned)}>}} : ({a}, {b}) -> {c}\n"""
    if biased[i]:
        lines += f"""  %r{i} = "tcc.add"(%{i}, %z{i}) : ({c}, {d}) -> {c}\n"""
    names.append(f"%r{i}" if biased[i] else f"%{i}")
results = ", ".join(tensor(m, n) for n in widths)
with open(place + "/model.mlir", "w") as f:
    f.write(f"func.func @main(%x: {tensor(m, k)}{arguments}) -> ({results}) {{\n{lines}  return {', '.join(names)} : {results}\n}}\n")
