"""contrib_peer.py FOLDER [CASE...]: operators of onnxruntime's own domain with random data, by the interpreter and by tcc-run, beside onnxruntime
(peer.py)."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper
from peer import FLOAT, Model, case, main, normal


# ---- mixtures of experts ----
def moe(r, elem="f32", act="relu", t=5, e=6, k=2, h=32, i=16, bias=True, symbolic=False, rank=2, **more):
    dtype = FLOAT[elem]
    fused = 2 if act == "swiglu" else 1
    m = Model("MoE", k=k, activation_type=act, **more)
    m.input(normal(r, *([1] * (rank - 2)), t, h, dtype=dtype), *([None] * (rank - 2)), *(["T"] if symbolic else []))
    m.input(normal(r, t, e, dtype=dtype), *(["T"] if symbolic else []))
    m.weight(normal(r, e, fused * i, h, dtype=dtype, scale=0.2))
    m.weight(normal(r, e, fused * i, dtype=dtype)) if bias else m.absent()
    m.weight(normal(r, e, h, i, dtype=dtype, scale=0.2))
    m.weight(normal(r, e, h, dtype=dtype)) if bias else m.absent()
    return m


@case
def moe_relu(r):
    return moe(r)


@case
def moe_gelu_normalised(r):
    return moe(r, act="gelu", k=3, normalize_routing_weights=1, bias=False)


@case
def moe_silu_many(r):
    return moe(r, act="silu", t=70, k=2, rank=3)


@case
def moe_identity_symbolic(r):
    return moe(r, act="identity", t=9, symbolic=True)


@case
def moe_swiglu(r):
    return moe(r, act="swiglu", swiglu_fusion=1, activation_alpha=1.702, activation_beta=1.0, swiglu_limit=1.5)


@case
def moe_one(r):
    return moe(r, e=1, k=1, t=3)


def qmoe(r, bits=4, block=0, act="relu", t=5, e=6, k=2, h=64, i=32, bias=True, symbolic=False, zero=False, elem="f32", router=False, **more):
    dtype, fused = FLOAT[elem], 2 if act == "swiglu" else 1
    if block:
        more["block_size"] = block
    m = Model("QMoE", k=k, activation_type=act, expert_weight_bits=bits, **more)
    m.input(normal(r, t, h, dtype=dtype), *(["T"] if symbolic else []))
    m.input(normal(r, t, e, dtype=dtype), *(["T"] if symbolic else []))
    zeros = []
    for n, depth in ((fused * i, h), (h, i)):
        m.weight(r.integers(0, 256, (e, n, depth * bits // 8)).astype(np.uint8))
        m.weight((0.02 + 0.05 * r.random((e, n, depth // block) if block else (e, n))).astype(dtype))
        m.weight(normal(r, e, n, dtype=dtype)) if bias else m.absent()
        of = depth // block if block else n
        zeros.append(r.integers(0, 256, (e, n, (of * bits + 7) // 8) if block else (e, (of * bits + 7) // 8)).astype(np.uint8))
        zeros[-1][..., -1] &= 255 >> -of * bits % 8  # bits behind the last number are 0
    m.absent(3)
    if zero:
        m.weight(zeros[0]).weight(zeros[1]).absent()
    if router:
        m.absent(14 - len(m.names)).input(r.random((t, e)).astype(dtype))
    m.types = [helper.np_dtype_to_tensor_dtype(np.dtype(dtype))]
    m.tolerance = 2e-5 if elem == "f32" else 4e-3
    return m


@case
def qmoe_rows(r):
    return qmoe(r)


@case
def qmoe_blocks_symbolic(r):
    return qmoe(r, block=32, act="silu", symbolic=True, k=3)


@case
def qmoe_swiglu_blocks(r):
    return qmoe(r, block=16, act="swiglu", swiglu_fusion=1, activation_alpha=1.702, activation_beta=1.0, swiglu_limit=3.0, zero=True)


@case
def qmoe_bytes(r):
    m = qmoe(r, bits=8, act="gelu", bias=False)
    return m


@case
def qmoe_zero_rows(r):
    return qmoe(r, zero=True, act="identity")


@case
def qmoe_router(r):
    return qmoe(r, router=True, normalize_routing_weights=1)


@case
def qmoe_half(r):
    return qmoe(r, elem="f16", block=32)


@case
def qmoe_three_bits(r):
    return qmoe(r, bits=3, elem="f16", block=32, act="swiglu", swiglu_fusion=1, activation_alpha=1.702, activation_beta=1.0, swiglu_limit=3.0, weights_prepacked=0)


@case
def qmoe_three_bits_normalised(r):
    return qmoe(r, bits=3, elem="f16", block=32, act="swiglu", swiglu_fusion=1, weights_prepacked=0, normalize_routing_weights=1, bias=False, h=96, k=3)


# ---- products ----
def bnb4(r, kind, t=3, k=128, n=48, block=32, symbolic=False, **more):
    m = Model("MatMulBnb4", K=k, N=n, block_size=block, quant_type=kind, **more)
    m.input(normal(r, t, k), *(["T"] if symbolic else []))
    m.weight(r.integers(0, 256, n * k // 2).astype(np.uint8))
    return m.weight((0.1 + r.random(n * k // block)).astype(np.float32))


@case
def bnb4_normal(r):
    return bnb4(r, 1)


@case
def bnb4_float(r):
    return bnb4(r, 0, t=40, block=64)


@case
def bnb4_symbolic(r):
    return bnb4(r, 1, t=1, symbolic=True, block=16)


# ---- gates, rotations ----
@case
def scaled_silu(r):
    return Model("ScaledSiLU").input(normal(r, 3, 40)).input(np.array(0.7, np.float32))


@case
def gated_rms_norm(r):
    return Model("GatedRMSNorm", activation="sigmoid", epsilon=1e-3).input(normal(r, 2, 3, 48), "B").weight(normal(r, 16)).input(normal(r, 2, 3, 48), "B")


@case
def gated_add(r):
    return Model("GatedAdd").input(normal(r, 2, 3, 48)).input(normal(r, 2, 3, 48)).input(normal(r, 2, 3, 1))


@case
def mrotary_sections(r):
    m = Model("MRotaryEmbedding", mrope_section=[4, 2, 2]).input(normal(r, 2, 4, 5, 16))
    return m.input(r.integers(0, 20, (3, 2, 5))).weight(normal(r, 20, 8)).weight(normal(r, 20, 8))


@case
def mrotary_in_turn(r):
    m = Model("MRotaryEmbedding", mrope_section=[4, 2, 2], mrope_layout=1, num_heads=3, interleaved=1).input(normal(r, 2, 5, 48))
    return m.input(r.integers(0, 20, (3, 2, 5))).weight(normal(r, 20, 8)).weight(normal(r, 20, 8))


@case
def decoder_masked(r):
    m = Model("DecoderMaskedMultiHeadAttention", outputs=3, num_heads=4, past_present_share_buffer=1).input(normal(r, 2, 1, 32)).input(normal(r, 2, 1, 32)).input(normal(r, 2, 1, 32))
    m.input((r.random((2, 8)) < 0.7).astype(np.int32)).absent()
    m.input(normal(r, 2, 4, 12, 8)).input(normal(r, 2, 4, 12, 8)).input(np.array([7], np.int32)).absent(2)
    return m.weight(normal(r, 96))


@case
def decoder_masked_cross(r):
    m = Model("DecoderMaskedMultiHeadAttention", num_heads=4, scale=0.3).input(normal(r, 2, 1, 32))
    return m.input(normal(r, 2, 4, 7, 8)).input(normal(r, 2, 4, 7, 8))


@case
def group_query_local(r):
    m = Model("GroupQueryAttention", outputs=3, num_heads=4, kv_num_heads=2, do_rotary=1, local_window_size=4, softcap=5.0)
    m.input(normal(r, 2, 1, 64)).input(normal(r, 2, 1, 32)).input(normal(r, 2, 1, 32)).input(normal(r, 2, 2, 9, 16)).input(normal(r, 2, 2, 9, 16))
    m.compared = 1  # behind a row's last key the caches are nobody's
    m.weight(np.array([6, 8], np.int32)).weight(np.array(9, np.int32))
    return m.weight(normal(r, 20, 8)).weight(normal(r, 20, 8))


def delta_net(r, rule="gated_delta", batch=2, steps=5, ends=None, flat=False, joined=False, state=True, shared=2, heads=4, k=8, v=12, wide=False, gates=False, elem="f32", **more):
    m = Model("GatedDeltaNet", outputs=2, update_rule=rule, **more)
    lead = (ends[-1],) if ends else (batch * steps,) if flat else (batch, steps)
    parts = [normal(r, *lead, n, d, dtype=FLOAT[elem], scale=0.4) for n, d in ((shared, k), (shared, k), (heads, v))]
    if joined:
        m.input(np.concatenate([x.reshape(*lead, -1) for x in parts], -1)).absent(2)
    else:
        for x in parts:
            m.input(x, *([] if flat or ends or not more.get("qk_l2_norm") else ["B", "S"]))
    m.input(np.array(ends, np.int32)) if ends else m.absent()
    m.input(-np.abs(normal(r, *lead, heads, *([k] if wide else [])))) if rule.startswith("gated") else m.absent()
    m.input(r.random((*lead, heads)).astype(np.float32)) if rule.endswith("delta") else m.absent()
    m.input(normal(r, len(ends) - 1 if ends else batch, heads, v, k)) if state else m.absent()
    if gates:
        m.weight(normal(r, heads, scale=0.3)).weight(normal(r, *([heads, k] if wide else [heads])))
    m.types[0] = helper.np_dtype_to_tensor_dtype(np.dtype(FLOAT[elem]))
    m.tolerance = 2e-5 if elem == "f32" else 1e-3
    return m


@case
def delta_net_batch(r):
    return delta_net(r)


@case
def delta_net_normalised(r):
    return delta_net(r, state=False, qk_l2_norm=1, beta_activation="sigmoid", gate_activation="softplus", gates=True, scale=0.7)


@case
def delta_net_wide_gate(r):
    return delta_net(r, wide=True, gates=True, gate_activation="kda", gate_lower_bound=-2.0, shared=4)


@case
def delta_net_joined(r):
    return delta_net(r, joined=True, flat=True, shared=1)


@case
def delta_net_joined_batch(r):
    return delta_net(r, joined=True, steps=1, elem="f16")


@case
def delta_net_lengths(r):
    return delta_net(r, ends=[0, 3, 3, 7], qk_l2_norm=1)


@case
def delta_net_lengths_fresh(r):
    return delta_net(r, ends=[0, 1, 6], state=False, rule="gated")


@case
def delta_net_linear(r):
    return delta_net(r, rule="linear")


@case
def delta_net_delta(r):
    return delta_net(r, rule="delta", qk_l2_norm=1, batch=1)


def layouts(r, count, blocks):
    """Lower triangular matrices of blocks with the diagonal, as compressed rows; the shorter list has -1 behind it."""
    masks = np.tril(r.random((count, blocks, blocks)) < 0.4) | np.eye(blocks, dtype=bool)
    rows = np.concatenate([np.zeros((count, 1)), masks.sum(2).cumsum(1)], 1).astype(np.int32)
    columns = np.full((count, rows.max()), -1, np.int32)
    for mask, line in zip(masks, columns):
        line[: mask.sum()] = np.nonzero(mask)[1]
    return rows, columns


# Of rows of different lengths onnxruntime 1.32 multiplies values with other rows' weights: such ones are in contrib_sparse.test.
def sparse_attention(r, old=(0, 0), steps=40, count=2, blocks=4, room=64, packed=False, data=False, heads=4, groups=2, depth=16, **more):
    m = Model("SparseAttention", outputs=3, num_heads=heads, kv_num_heads=groups, sparse_block_size=16, **more)
    batch, total = len(old), [n + steps for n in old]
    m.input(normal(r, batch, steps, (heads + 2 * groups if packed else heads) * depth))
    m.absent(2) if packed else m.input(normal(r, batch, steps, groups * depth)).input(normal(r, batch, steps, groups * depth))
    m.input(normal(r, batch, groups, room, depth)).input(normal(r, batch, groups, room, depth))
    m.shared = {"y1": "x3", "y2": "x4"}
    add = m.input if data else m.weight
    for x in layouts(r, count, blocks):
        add(x)
    m.weight(np.array([max(total)], np.int32))
    add(np.array(total, np.int32))
    return m.weight(normal(r, room, 8)).weight(normal(r, room, 8)) if more.get("do_rotary") else m


@case
def sparse_prompt(r):
    return sparse_attention(r, do_rotary=1)


@case
def sparse_step(r):
    return sparse_attention(r, old=(52, 52), steps=1, do_rotary=1, rotary_interleaved=1, data=True)


@case
def sparse_steps(r):
    return sparse_attention(r, old=(33, 33, 33), steps=5, count=1, scale=0.4)


@case
def sparse_packed(r):
    return sparse_attention(r, old=(21,), steps=30, count=4, packed=True, do_rotary=1)


@case
def sparse_dense_layout(r):
    m = sparse_attention(r, count=1)
    m.weights[0] = numpy_helper.from_array(np.array([[0, 1, 3, 6, 10]], np.int32), m.weights[0].name)
    m.weights[1] = numpy_helper.from_array(np.array([[0, 0, 1, 0, 1, 2, 0, 1, 2, 3]], np.int32), m.weights[1].name)
    return m


if __name__ == "__main__":
    main()
