# attention.py DIR ELEM B H G S T D E [causal=OFFSET] [mask=bool|keys|full] [cap] [zero] [turned] [batches] [keys]: a model of one attention, its inputs and
# what NumPy makes of them in f64. turned: operands lie as [B, S, H, D]. batches: the model has B as a symbol, so that the number of tiles is not known.
# keys: the model has T as a symbol. bool has a row without keys.
import math, os, sys
import numpy as np

place, elem = sys.argv[1:3]
b, h, g, s, t, d, e = map(int, sys.argv[3:10])
words = dict((w.split("=") + [""])[:2] for w in sys.argv[10:])
dtype = {"f32": np.float32, "f16": np.float16}[elem]
random = np.random.default_rng(1)
q, k, v = (random.standard_normal(n).astype(dtype) for n in ((b, h, s, d), (b, g, t, d), (b, g, t, e)))
scale, cap, offset = 1 / math.sqrt(d), 3.0 if "cap" in words else 0.0, int(words.get("causal") or 0)
mask = None
if words.get("mask") == "bool":
    mask = random.random((1, h, s, t)) < 0.7
    mask[0, 0, s // 2] = False
elif words.get("mask") == "keys":
    mask = random.standard_normal((b, 1, 1, t)).astype(dtype)
elif "mask" in words:
    mask = random.standard_normal((b, h, s, t)).astype(dtype)

w = lambda x: x.astype(np.float64)
x = w(q) @ w(np.repeat(k, h // g, 1)).swapaxes(2, 3) * scale
if cap:
    x = np.tanh(x / cap) * cap
if mask is not None:
    x = np.where(mask, x, -np.inf) if mask.dtype == bool else x + w(mask)
if "causal" in words:
    x = np.where(np.arange(t) <= np.arange(s)[:, None] + offset, x, -np.inf)
with np.errstate(all="ignore"):
    p = np.exp(x - x.max(-1, keepdims=True, initial=-np.inf))
    p = p / p.sum(-1, keepdims=True)
if "zero" in words:
    p = np.nan_to_num(p)
r = (p @ w(np.repeat(v, h // g, 1))).astype(dtype)

turned = "turned" in words
os.makedirs(place + "/data", exist_ok=True)
inputs = [x.swapaxes(1, 2) if turned else x for x in (q, k, v)] + ([] if mask is None else [mask])
for i, x in enumerate(inputs):
    np.save(f"{place}/data/input_{i}.npy", np.ascontiguousarray(x))
np.save(f"{place}/data/output_0.npy", r)


def kind(x, keys=None):
    """keys: the axis of the keys"""
    name, symbols = "i1" if x.dtype == bool else elem, {}
    if "batches" in words and not (x is mask and mask.shape[0] != b):
        symbols[0] = '"B"'
    if "keys" in words and keys is not None:
        symbols[keys] = '"T"'
    sizes = [str(n) for n in x.shape]
    shape = "x".join(["?" if i in symbols else n for i, n in enumerate(sizes)] + [name])
    named = ", [" + ", ".join(symbols.get(i, n) for i, n in enumerate(sizes)) + "]" if symbols else ""
    return f"tensor<{shape}{named}>"


types, body = [kind(x, axis) for x, axis in ((q, None), (k, 2), (v, 2))], ""
given = [kind(x, axis) for x, axis in zip(inputs, (None, 1 if turned else 2, 1 if turned else 2, 3))]
for i in range(3 if turned else 0):
    body += f'  %t{i} = "tcc.transpose"(%a{i}) {{perm = array<i64: 0, 2, 1, 3>}} : ({given[i]}) -> {types[i]}\n'
names = [("%t" if turned else "%a") + str(i) for i in range(3)] + ["%a3" if mask is not None else "%none"]
if mask is None:
    body += '  %none = "tcc.none"() : () -> none\n'
types.append(given[3] if mask is not None else "none")
causal = f", causal = true, offset = [{offset}]" if "causal" in words else ""
zero = ", zero_masked = true" if "zero" in words else ""
with open(place + "/model.mlir", "w") as f:
    f.write(f"""func.func @main({", ".join(f"%a{i}: {x}" for i, x in enumerate(given))}) -> {kind(r)} {{
{body}  %r = "tcc.attention"({", ".join(names)}) {{scale = {scale!r} : f64, softcap = {cap} : f64{causal}{zero}}} : ({", ".join(types)}) -> {kind(r)}
  return %r : {kind(r)}
}}
""")
