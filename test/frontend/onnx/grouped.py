"""grouped.py FOLDER [--peer]: GroupQueryAttention step by step, by the interpreter and by tcc-run, beside NumPy in f64: caches that grow, that are buffers, that hold
the last keys alone, of floats, bytes and halves of bytes; steps of several tokens, of which some are padding. --peer: NumPy's numbers beside onnxruntime's, too.
Rows of a cache that the operator says nothing about are not compared."""
import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto as T, helper

H, G, D, ROWS = 4, 2, 16, 64  # heads of queries, of keys; channels; positions of the tables
INPUTS = "q k v pk pv last total cos sin at bias sink ks vs qn kn fresh".split()
TYPES = {"last": T.INT32, "total": T.INT32, "fresh": T.INT32}


# ---- what the operator is ----
def turned(x, cos, sin, at):
    half = D // 2
    c, s = cos[at][None], sin[at][None]
    return np.concatenate([x[..., :half] * c - x[..., half:] * s, x[..., half:] * c + x[..., :half] * s], -1)


def stored(x, scale, bits):
    if not bits:
        return x
    most = 127 if bits == 8 else 7
    q = np.clip(np.rint((x / scale).astype(np.float32)), -most - 1, most).astype(int)
    return q if bits == 8 else (q[..., 0::2] + 8) + 16 * (q[..., 1::2] + 8)


def restored(q, scale, bits):
    if not bits:
        return q.astype(np.float64)
    if bits == 8:
        return q * scale
    wide = np.empty((*q.shape[:-1], 2 * q.shape[-1]))
    wide[..., 0::2], wide[..., 1::2] = q % 16 - 8, q // 16 - 8
    return wide * scale


def held_of(count, capacity, window):
    at_once = capacity - window + 1
    return count if count <= capacity else count - at_once * -((count - capacity) // -at_once)


def expected(f, attributes, bits):
    """The output, and for each row of the batch the rows of both caches that are known."""
    window, windowed = attributes.get("local_window_size", -1), attributes.get("sliding_window_cache", 0)
    batch, steps, _ = f["q"].shape
    y, caches = np.zeros((batch, steps, H * D)), [[], []]
    scale = [np.broadcast_to(f[n].astype(np.float64), (1, G, 1, D))[0] if bits else None for n in ("ks", "vs")]
    for b in range(batch):
        count = int(f["last"][b]) + 1
        fresh = int(f["fresh"][b]) if "fresh" in f else min(steps, count)
        before = count - fresh
        q, k, v = (f[n][b].reshape(steps, -1, D).transpose(1, 0, 2).astype(np.float64) for n in "qkv")
        if attributes.get("do_rotary"):
            at = np.minimum(before + np.arange(steps), ROWS - 1)
            q, k = (turned(x, f["cos"].astype(np.float64), f["sin"].astype(np.float64), at) for x in (q, k))
        first = before - held_of(before, f["pk"].shape[2], window) if windowed else 0
        keys, values = (np.concatenate([f[n][b][:, :before - first].astype(int if bits else np.float64), stored(x, s, bits)[:, :fresh]], 1)
                        for n, x, s in (("pk", k, scale[0]), ("pv", v, scale[1])))
        held = held_of(count, f["pk"].shape[2], window) if windowed else count
        for cache, x in zip(caches, (keys, values)):
            cache.append(x[:, x.shape[1] - held:])
        keys, values = restored(keys, scale[0], bits), restored(values, scale[1], bits)
        for h in range(H):
            for s in range(fresh):
                place = np.arange(first, count)
                seen = (place <= before + s) & ((place > before + s - window) | (window <= 0))
                scores = keys[h * G // H] @ q[h, s] / np.sqrt(D)
                if "bias" in f:
                    scores = scores + f["bias"][min(b, len(f["bias"]) - 1), min(h, f["bias"].shape[1] - 1), s, place]
                scores = np.where(seen, scores, -np.inf)
                logits = np.append(scores, f["sink"][h]) if "sink" in f else scores
                e = np.exp(scores - logits.max())
                y[b, s, h * D:(h + 1) * D] = e / np.exp(logits - logits.max()).sum() @ values[h * G // H]
    return y, caches


# ---- running ----
def model_of(f, attributes, names):
    infos = [helper.make_tensor_value_info(n, TYPES.get(n, helper.np_dtype_to_tensor_dtype(f[n].dtype)), [d if n in ("total", "last") else f"{n}{i}" if i == names.get(n) else d for i, d in enumerate(f[n].shape)])
             for n in INPUTS if n in f and n != "total"]
    cache = helper.np_dtype_to_tensor_dtype(f["pk"].dtype)
    outputs = [helper.make_tensor_value_info("y", T.FLOAT, None)] + [helper.make_tensor_value_info(n, cache, None) for n in ("nk", "nv")]
    node = helper.make_node("GroupQueryAttention", [n if n in f else "" for n in INPUTS], ["y", "nk", "nv"], domain="com.microsoft", num_heads=H, kv_num_heads=G, **attributes)
    graph = helper.make_graph([node], "g", infos, outputs, [onnx.numpy_helper.from_array(f["total"], "total")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)], ir_version=10)


def agree(name, way, got, want):
    y, caches = want
    for i, x in enumerate(y):
        n = caches[2][i]
        if np.abs(got[0][i, :n] - x[:n]).max(initial=0) > 2e-5:
            sys.exit(f"{name}: {way}: row {i} of the output is {np.abs(got[0][i, :n] - x[:n]).max()} apart")
    for side, cache in enumerate(caches[:2]):
        for i, x in enumerate(cache):
            apart = np.abs(got[1 + side][i][:, :x.shape[1]].astype(np.float64) - x).max(initial=0)
            if apart > (0 if got[1 + side].dtype.kind in "iu" else 2e-6):
                sys.exit(f"{name}: {way}: cache {side} of row {i} is {apart} apart")


def step(place, name, f, attributes, bits, names, peer):
    """One step, in every way; gives the caches behind it."""
    os.makedirs(place, exist_ok=True)
    y, caches = expected(f, attributes, bits)
    steps = f["q"].shape[1]
    caches.append([int(n) for n in f["fresh"]] if "fresh" in f else [min(steps, int(n) + 1) for n in f["last"]])
    model, path = model_of(f, attributes, names), f"{place}/model.onnx"
    onnx.save(model, path)
    given = [n for n in INPUTS if n in f and n != "total"]
    for i, n in enumerate(given):
        np.save(f"{place}/input_{i}.npy", f[n])
    for way in (["tcc-interp"], ["tcc-run", "--no-cache"]):
        done = subprocess.run([*way, path, "--data", place, "--save", place], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{name}: {way[0]}: {done.stderr.strip()[-400:]}")
        got = [np.load(f"{place}/output_{i}.npy") for i in range(3)]
        agree(name, way[0], got, (y, caches))
    if peer:
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        agree(name, "onnxruntime", onnxruntime.InferenceSession(model.SerializeToString(), options).run(None, {n: f[n] for n in given}), (y, caches))
    return got[1], got[2]


def steps_of(place, name, peer, batch, tokens, bits=0, channels=False, names={}, bias=False, sink=False, before=None, padded=False, capacity=0, peerless=False, **attributes):
    """tokens: of each step. before: keys of each row of the batch in front of the first one. padded: a step has one more row than tokens, and tokens of each row."""
    r = np.random.default_rng(len(name))
    normal = lambda *shape: r.standard_normal(shape).astype(np.float32)
    windowed = attributes.get("sliding_window_cache", 0)
    stored_width, dtype = D // 2 if bits == 4 else D, {0: np.float32, 8: np.int8, 4: np.uint8}[bits]
    count = np.array(before or [0] * batch)
    rows = capacity or int(count.max())
    f = {}
    for n in ("pk", "pv"):
        f[n] = (normal(batch, G, rows, stored_width) if not bits else r.integers(-128 if bits == 8 else 0, 128, (batch, G, rows, stored_width))).astype(dtype)
    if bits:
        f["ks"], f["vs"] = (np.abs(normal(*([1, G, 1, D] if channels else [1]))) * {8: 0.02, 4: 0.3}[bits] + 0.01 for _ in range(2))
        kind = "PER_CHANNEL" if channels else "PER_TENSOR"
        attributes.update(k_quant_type=kind, v_quant_type=kind, kv_cache_bit_width=bits)
    if attributes.get("do_rotary"):
        angle = np.arange(ROWS)[:, None] / 100 ** (np.arange(D // 2) / (D // 2))
        f["cos"], f["sin"] = np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)
    if sink:
        f["sink"] = normal(H)
    for i, n in enumerate(tokens):
        fresh = np.array(n if isinstance(n, (list, tuple)) else [n] * batch)
        size = int(fresh.max()) + padded
        count = count + fresh
        f.update(q=normal(batch, size, H * D), k=normal(batch, size, G * D), v=normal(batch, size, G * D), last=(count - 1).astype(np.int32))
        f["total"] = np.array(max(int(count.max()), size) + (2 if padded else 0), np.int32)
        if padded:
            f["fresh"] = fresh.astype(np.int32)
        if bias:
            f["bias"] = normal(1, H, size, int(f["total"]))
        pk, pv = step(place, f"{name}, step {i}", f, attributes, bits, names, peer and not peerless)
        f["pk"], f["pv"] = pk, pv


CASES = dict(
    grows=dict(batch=1, tokens=[3, 1, 2], do_rotary=1),
    buffer=dict(batch=2, tokens=[2, 1, 1], capacity=9, do_rotary=1, local_window_size=3),
    window=dict(batch=1, tokens=[3, 1, 1, 1, 4, 1, 9, 1], capacity=4, local_window_size=4, sliding_window_cache=1, do_rotary=1),
    window_slack=dict(batch=1, tokens=[2, 1, 5, 1, 1, 1, 1, 1, 12, 1], capacity=7, local_window_size=4, sliding_window_cache=1, do_rotary=1, names={"pk": 2, "pv": 2}),
    window_ragged=dict(batch=3, tokens=[1] * 6, before=[1, 4, 5], capacity=6, local_window_size=4, sliding_window_cache=1, do_rotary=1, sink=True),
    window_bias=dict(batch=2, tokens=[5, 1, 1, 1], capacity=5, local_window_size=3, sliding_window_cache=1, bias=True),
    bytes=dict(batch=1, tokens=[4, 1, 1], bits=8, do_rotary=1),
    bytes_channels=dict(batch=2, tokens=[3, 1, 1], bits=8, channels=True, capacity=8, names={"pk": 2, "pv": 2}),
    halves=dict(batch=1, tokens=[4, 1, 2], bits=4, channels=True),
    halves_window=dict(batch=2, tokens=[5, 1, 1, 1, 1], bits=4, capacity=6, local_window_size=4, sliding_window_cache=1, do_rotary=1, peerless=True),  # it wants 32 channels
    padded=dict(batch=2, tokens=[[3, 2], [1, 3], [0, 2]], padded=True, capacity=20, do_rotary=1),
    padded_window=dict(batch=2, tokens=[[4, 2], [3, 5], [1, 0], [2, 2]], padded=True, capacity=6, local_window_size=5, sliding_window_cache=1, do_rotary=1, names={"pk": 2, "pv": 2}),
)
for each, arguments in CASES.items():
    steps_of(f"{sys.argv[1]}/{each}", each, "--peer" in sys.argv, **arguments)
print(f"{len(CASES)} cases agree")
