# product.py DIR ELEM M K N [t] [inf]: a model of one product, its inputs and what NumPy makes of them in f64. t: the right operand transposed.
import os, sys
import numpy as np

place, elem, m, k, n, *words = sys.argv[1:]
m, k, n, turned = int(m), int(k), int(n), "t" in words
dtype = {"f32": np.float32, "f16": np.float16}[elem]
random = np.random.default_rng(1)
x, y = random.standard_normal((m, k)).astype(dtype), random.standard_normal((n, k) if turned else (k, n)).astype(dtype)
if "inf" in words:
    x[1, 3], x[2, 4] = np.inf, np.nan
    x[4], x[4, 5] = 1, 1e-40
    y[...] = np.round(y)  # small parts that are zero, and zeros
with np.errstate(all="ignore"):
    r = (x.astype(np.float64) @ (y.T if turned else y).astype(np.float64)).astype(dtype)
os.makedirs(place + "/data", exist_ok=True)
for name, v in ("input_0", x), ("input_1", y), ("output_0", r):
    np.save(f"{place}/data/{name}.npy", v)
a, b, c = f"tensor<{m}x{k}x{elem}>", f"tensor<{y.shape[0]}x{y.shape[1]}x{elem}>", f"tensor<{m}x{n}x{elem}>"
with open(place + "/model.mlir", "w") as f:
    f.write(f"""func.func @main(%x: {a}, %y: {b}) -> {c} {{
  %0 = "tcc.dot_general"(%x, %y) {{lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: {int(turned)}>}} : ({a}, {b}) -> {c}
  return %0 : {c}
}}
""")
