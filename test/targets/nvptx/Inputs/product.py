# product.py DIR ELEM M K N [t] [inf] [x3 ...] [bias]: a model of one product, its inputs and what NumPy makes of them in f64. t: the right operand transposed;
# x3: three products of the left operand; bias: one is added.
import os, sys
import numpy as np

place, elem, m, k, n, *words = sys.argv[1:]
m, k, n, turned, bias = int(m), int(k), int(n), "t" in words, "bias" in words
members = max([int(word[1:]) for word in words if word.startswith("x")], default=1)
dtype = {"f32": np.float32, "f16": np.float16}[elem]
random = np.random.default_rng(1)
x = random.standard_normal((m, k)).astype(dtype)
y = [random.standard_normal((n, k) if turned else (k, n)).astype(dtype) for _ in range(members)]
z = [random.standard_normal(n).astype(dtype) for _ in range(members if bias else 0)]
if "inf" in words:
    x[1, 3], x[2, 4] = np.inf, np.nan
    x[4], x[4, 5] = 1, 1e-40
    for v in y:
        v[...] = np.round(v)  # small parts that are zero, and zeros
with np.errstate(all="ignore"):
    r = [x.astype(np.float64) @ (v.T if turned else v).astype(np.float64) for v in y]
    r = [(v + z[i].astype(np.float64) if bias else v).astype(dtype) for i, v in enumerate(r)]
os.makedirs(place + "/data", exist_ok=True)
inputs = [x] + [v for pair in zip(y, *([z] if bias else [])) for v in pair]
for name, values in ("input", inputs), ("output", r):
    for i, v in enumerate(values):
        np.save(f"{place}/data/{name}_{i}.npy", v)
a, b, c, d = f"tensor<{m}x{k}x{elem}>", f"tensor<{'x'.join(map(str, y[0].shape))}x{elem}>", f"tensor<{m}x{n}x{elem}>", f"tensor<{n}x{elem}>"
letter = "r" if bias else ""
arguments = "".join(f", %y{i}: {b}" + (f", %z{i}: {d}" if bias else "") for i in range(members))
with open(place + "/model.mlir", "w") as f:
    f.write(f"func.func @main(%x: {a}{arguments}) -> ({', '.join([c] * members)}) {{\n")
    for i in range(members):
        f.write(f"""  %{i} = "tcc.dot_general"(%x, %y{i}) {{lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: {int(turned)}>}} : ({a}, {b}) -> {c}\n""")
        if bias:
            f.write(f"""  %r{i} = "tcc.add"(%{i}, %z{i}) : ({c}, {d}) -> {c}\n""")
    f.write(f"  return {', '.join(f'%{letter}{i}' for i in range(members))} : {', '.join([c] * members)}\n}}\n")
