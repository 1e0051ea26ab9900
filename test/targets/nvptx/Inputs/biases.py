# biases.py DIR ROWS: a linear layer of f16 whose large biases nearly cancel some of its sums, in DIR/model.mlir; with a third word, DIR/output_0.npy must
# be what f64 makes of it, to half a unit in the last place: rounded once.
import sys
import numpy as np

place, rows, *check = sys.argv[1:]
rows, depth, columns = int(rows), 96, 72
random = np.random.default_rng(3)
x, w = random.standard_normal((rows, depth)).astype(np.float16), random.standard_normal((columns, depth)).astype(np.float16)
b = (100 * random.standard_normal(columns)).astype(np.float16)
b[:24] = -(x[0].astype(np.float64) @ w.T.astype(np.float64))[:24].astype(np.float16)
if check:
    exact = x.astype(np.float64) @ w.T.astype(np.float64) + b.astype(np.float64)
    off = np.abs(np.load(f"{place}/output_0.npy").astype(np.float64) - exact)
    units = off / np.spacing(np.abs(exact).astype(np.float16)).astype(np.float64)
    far = units[np.abs(exact) > 1]
    print(f"rounded once" if far.max() <= 0.51 and off[np.abs(exact) <= 1].max() <= 1e-3 else f"{far.max()} units off")
    sys.exit()
for i, v in enumerate((x, w, b)):
    np.save(f"{place}/input_{i}.npy", v)
with open(place + "/model.mlir", "w") as f:
    f.write(f"""func.func @main(%x: tensor<{rows}x{depth}xf16>, %w: tensor<{columns}x{depth}xf16>, %b: tensor<{columns}xf16>) -> tensor<{rows}x{columns}xf16> {{
  %0 = "tcc.linear"(%x, %w, %b) {{transposed = true}} : (tensor<{rows}x{depth}xf16>, tensor<{columns}x{depth}xf16>, tensor<{columns}xf16>) -> tensor<{rows}x{columns}xf16>
  return %0 : tensor<{rows}x{columns}xf16>
}}
""")
