"""newer_peer.py FOLDER [CASE...]: operators that onnxruntime has for newer language models - residual streams side by side, memories of n-grams,
routers of experts - with random data, by the interpreter and by tcc-run, beside onnxruntime (peer.py)."""
import numpy as np
from onnx import TensorProto, helper
from peer import FLOAT, Model, case, main, normal


def typed(m, *dtypes, tolerance=None):
    """Element types of the outputs, None for one that nobody asks for."""
    m.types = [t and helper.np_dtype_to_tensor_dtype(np.dtype(t)) for t in dtypes]
    m.tolerance = tolerance or m.tolerance
    return m


# ---- residual streams ----
def pre_mix(r, streams, gate, elem="f32", gates="f32", symbols=("B", "S"), **more):
    m = Model("HyperConnectionPreMix", **more).input(normal(r, *streams, dtype=FLOAT[elem]), *symbols)
    return typed(m.input(normal(r, *gate, dtype=FLOAT[gates]), *symbols), FLOAT[elem], tolerance=2e-5 if elem == "f32" else 1e-3)


@case
def pre_mix_branch(r):
    return pre_mix(r, (2, 3, 4, 40), (2, 3, 4))


@case
def pre_mix_one_each(r):
    return pre_mix(r, (2, 3, 4, 40), (2, 3, 4, 1), reduction_scale=0.25)


@case
def pre_mix_features(r):
    return pre_mix(r, (2, 3, 4, 40), (2, 3, 4, 40), elem="f16")


@case
def pre_mix_flat(r):
    return pre_mix(r, (2, 3, 160), (2, 3, 4), num_branches=4, gates="f16")


@case
def pre_mix_flat_features(r):
    return pre_mix(r, (2, 3, 160), (2, 3, 160), num_branches=4)


@case
def pre_mix_flat_grouped_features(r):
    return pre_mix(r, (2, 3, 160), (2, 3, 4, 40), num_branches=4)


@case
def pre_mix_no_rows(r):
    return pre_mix(r, (4, 40), (4,), symbols=())


def post_mix(r, streams, gate, mix=None, elem="f32", symbols=("B", "S"), **more):
    m = Model("HyperConnectionPostMix", **more).input(normal(r, *streams, dtype=FLOAT[elem]), *symbols)
    m.input(normal(r, *streams[:2], 40, dtype=FLOAT[elem]), *symbols)
    m.input(normal(r, *gate), *symbols)
    if mix:
        m.input(normal(r, *mix), *symbols)
    return typed(m, FLOAT[elem], tolerance=2e-5 if elem == "f32" else 1e-3)


@case
def post_mix_identity(r):
    return post_mix(r, (2, 3, 4, 40), (2, 3, 4))


@case
def post_mix_mixed(r):
    return post_mix(r, (2, 3, 4, 40), (2, 3, 4, 1), (2, 3, 4, 4))


@case
def post_mix_flat(r):
    return post_mix(r, (2, 3, 160), (2, 3, 4, 40), (2, 3, 4, 4), elem="f16", num_branches=4)


def engram(r, elem="f32", normed=True, **more):
    m = Model("EngramGate", 2 if normed else 1, **more)
    for _ in range(2):
        m.input(normal(r, 2, 3, 4, 40, dtype=FLOAT[elem]), "B", "S")
    m.input(normal(r, 2, 3, 40, dtype=FLOAT[elem]), "B", "S")
    for _ in range(3 if normed else 2):
        m.weight(normal(r, 4, 40, dtype=FLOAT[elem]))
    return typed(m, *[FLOAT[elem]] * m.outputs, tolerance=2e-5 if elem == "f32" else 2e-3)


@case
def engram_gate(r):
    return engram(r, normed=False)


@case
def engram_gate_normed(r):
    return engram(r, epsilon=1e-3)


@case
def engram_gate_half(r):
    return engram(r, elem="f16")


@case
def engram_gate_zero(r):
    m = engram(r)
    m.given["x0"][0, :, :2] = 0
    m.given["x0"][1, :, 1] *= 1e-9
    return m


# ---- n-grams ----
def repeats(r, n, length, vocabulary=6, rows=2):
    ids = r.integers(0, vocabulary, (rows, length))
    return Model("NGramRepeatBlock", ngram_size=n).input(ids, "B", "S").input(normal(r, rows, vocabulary + 2), "B")


@case
def repeat_block(r):
    return repeats(r, 3, 60, 4)


@case
def repeat_block_two(r):
    return repeats(r, 2, 20, 40)


@case
def repeat_block_one(r):
    return repeats(r, 1, 5, 20)


@case
def repeat_block_short(r):
    return repeats(r, 5, 3)


@case
def repeat_block_whole(r):
    return repeats(r, 4, 3)


def goes_on(r, source=20, current=4, at=None, agree=3, words=5, least=1, most=4):
    m = Model("BifurcationDetector", 2, min_ngram_size=least, max_ngram_size=most)
    x = r.integers(0, words, source)
    m.input(x, "S").input(r.integers(0, words, current), "C").input(np.array([at or 0]))
    if at is not None:
        m.input(np.concatenate([x[at : at + agree], r.integers(0, words, source - at - agree + 1)]))
    return typed(m, np.int64, np.int64, tolerance=1e-30)


@case
def goes_on_plain(r):
    return goes_on(r, words=3)


@case
def goes_on_taken(r):
    return goes_on(r, at=7)


@case
def goes_on_all(r):
    return goes_on(r, at=12, agree=8, words=30)


@case
def goes_on_end(r):
    return goes_on(r, at=20, agree=0, most=2)


@case
def goes_on_pairs(r):
    return goes_on(r, at=2, agree=12, words=4, least=2, most=9)


def hashes(r, batch=2, length=9, size=4, heads=3, past=True, offsets=False, end=False, segments=False, elem=np.int64, **more):
    m = Model("NGramHashMapping", 2, max_ngram_size=size, n_head_per_ngram=heads, pad_id=3, **more)
    m.input(r.integers(0, 12, (batch, length)).astype(elem), "B", "S").weight(r.integers(1 << 20, 1 << 30, size + 1).astype(elem))
    m.weight(r.integers(5, 1000, (size - 1) * heads).astype(elem))
    m.input(r.integers(0, 12, (batch, size - 1)).astype(elem), "B") if past else m.absent()
    m.weight(r.integers(0, 1000, (size - 1) * heads).astype(elem)) if offsets else m.absent()
    m.weight(np.array(7, elem)) if end else m.absent()
    m.input(np.sort(r.integers(0, 4, (batch, length)), 1).astype(np.int32), "B", "S") if segments else m.absent()
    return typed(m, elem, elem, tolerance=1e-30)


@case
def hashes_fresh(r):
    return hashes(r, past=False)


@case
def hashes_narrow(r):
    return hashes(r, elem=np.int32, offsets=True)


@case
def hashes_end(r):
    return hashes(r, end=True, reset_on_eos=1, batch=5, length=20)


@case
def hashes_end_fresh(r):
    return hashes(r, end=True, past=False)


@case
def hashes_segments(r):
    return hashes(r, segments=True, end=True, reset_on_eos=1, batch=3, length=25, heads=1)


@case
def hashes_pairs(r):
    return hashes(r, segments=True, size=2, length=1)


def packed_hashes(r, ends=(0, 1, 4, 12), size=4, heads=2, past=True, offsets=False, end=False, segments=0, captured=0, elem=np.int64, **more):
    """segments: 1: of the tokens; 2: of the history, too."""
    if captured:
        more["state_update_capacity"] = captured
    m = Model("VarlenNGramHashMapping", 4, max_ngram_size=size, n_head_per_ngram=heads, pad_id=3, **more)
    batch, tokens = len(ends) - 1, ends[-1]
    m.input(r.integers(0, 9, tokens).astype(elem), "T").weight(r.integers(1 << 20, 1 << 30, size).astype(elem))
    m.weight(r.integers(5, 1000, (size - 1) * heads).astype(elem)).input(np.array(ends, np.int32), "E")
    m.input(r.integers(0, 9, (batch, size - 1)).astype(elem), "B") if past else m.absent()
    m.weight(r.integers(-500, 1000, (size - 1) * heads).astype(elem)) if offsets else m.absent()
    m.weight(np.array(7, elem)) if end else m.absent()
    m.input(np.sort(r.integers(0, 4, tokens)).astype(np.int32), "T") if segments else m.absent()
    m.input(np.sort(r.integers(0, 2, (batch, size - 1)), 1).astype(np.int32), "B") if segments == 2 else m.absent()
    if captured:
        m.input(r.integers(-1, captured + 2, batch).astype(np.int32))
    return typed(m, elem, elem, np.int32 if segments else None, elem if captured else None, tolerance=1e-30)


@case
def packed_hashes_fresh(r):
    return packed_hashes(r, past=False, offsets=True)


@case
def packed_hashes_end(r):
    return packed_hashes(r, ends=(0, 20, 22, 23, 40), end=True, reset_on_eos=1, captured=3)


@case
def packed_hashes_segments(r):
    return packed_hashes(r, ends=(0, 9, 12, 40), segments=1, elem=np.int32)


@case
def packed_hashes_all(r):
    return packed_hashes(r, ends=(0, 1, 9, 12, 40), segments=2, end=True, reset_on_eos=1, captured=8, offsets=True)


@case
def packed_hashes_pairs(r):
    return packed_hashes(r, size=2, segments=2, captured=1)


# ---- convolutions over packed texts ----
def packed_conv(r, ends=(0, 1, 4, 4, 12), channels=20, taps=4, dilation=1, bias=True, captured=0, elem="f32", **more):
    if captured:
        more["state_update_capacity"] = captured
    m = Model("VarlenCausalConvWithState", 3, dilation=dilation, **more)
    batch = len(ends) - 1
    m.input(normal(r, ends[-1], channels, dtype=FLOAT[elem]), "T").weight(normal(r, channels, 1, taps, dtype=FLOAT[elem]))
    m.input(np.array(ends, np.int32), "E")
    m.weight(normal(r, channels, dtype=FLOAT[elem])) if bias else m.absent()
    m.input(normal(r, batch, channels, (taps - 1) * dilation, dtype=FLOAT[elem]), "B")
    if captured:
        m.input(r.integers(-1, captured + 2, batch).astype(np.int32))
    return typed(m, FLOAT[elem], FLOAT[elem], FLOAT[elem] if captured else None, tolerance=2e-5 if elem == "f32" else 1e-3)


@case
def packed_conv_plain(r):
    return packed_conv(r, bias=False)


@case
def packed_conv_dilated(r):
    return packed_conv(r, dilation=3, taps=3, activation="silu", ends=(0, 7, 9, 20))


@case
def packed_conv_captured(r):
    return packed_conv(r, captured=3, activation="swish")


@case
def packed_conv_half(r):
    return packed_conv(r, captured=8, elem="f16", activation="silu")


@case
def packed_conv_one(r):
    return packed_conv(r, taps=1)


# ---- routers ----
def router(r, tokens=(5,), experts=24, elem="f32", full=False, width=0, ties=False, **more):
    m = Model("MoEGroupRouter", 3, **more)
    logits = r.integers(-1, 2, (*tokens, experts)).astype(FLOAT[elem]) if ties else normal(r, *tokens, width or experts, dtype=FLOAT[elem], scale=4.0)
    m.input(logits, "T").input(np.zeros(experts, np.float32) if ties else normal(r, experts))
    if width:
        m.weight(normal(r, experts, width, dtype=FLOAT[elem], scale=0.1))
    return typed(m, *([None, np.float32, np.float32] if full else [FLOAT[elem]]), tolerance=2e-5 if elem == "f32" else 1e-3)


@case
def router_plain(r):
    return router(r, top_k=4)


@case
def router_groups(r):
    return router(r, tokens=(3, 7), top_k=6, n_group=4, topk_group=2)


@case
def router_groups_half(r):
    return router(r, tokens=(9,), elem="f16", top_k=3, n_group=6, topk_group=3, group_topk=1, router_sentinel=-50.0)


@case
def router_ties(r):
    return router(r, tokens=(20,), top_k=3, n_group=4, topk_group=2, ties=True)


@case
def router_few(r):
    return router(r, top_k=9, n_group=4, topk_group=1, group_topk=100)


@case
def router_full(r):
    return router(r, tokens=(2, 3), full=True, top_k=2, elem="f16")


@case
def router_projected(r):
    return router(r, full=True, top_k=2, width=512)


# ---- moves, products ----
def unfold(r, x, *symbols, **attributes):
    return typed(Model("UnfoldTensor", **attributes).input(x, *symbols), x.dtype)


@case
def unfold_last(r):
    return unfold(r, normal(r, 3, 17), "B", "N", size=4, step=3)


@case
def unfold_middle(r):
    return unfold(r, r.integers(-100, 100, (2, 9, 3, 5)), "B", "N", dim=1, size=3)


@case
def unfold_first(r):
    return unfold(r, normal(r, 8, 5, dtype=np.float64), None, "N", dim=-2, size=8, step=2)


def integers16(r, a, b, *symbols):
    m = Model("MatMulInteger16").input(r.integers(-300, 300, a).astype(np.int16), *symbols).input(r.integers(-300, 300, b).astype(np.int16))
    return typed(m, np.int32, tolerance=1e-30)


@case
def integers16_rows(r):
    return integers16(r, (5, 70), (70, 33), "M")


@case
def integers16_batch(r):
    return integers16(r, (3, 1, 5, 7), (2, 7, 6), "B")


@case
def integers16_vector(r):
    return integers16(r, (7,), (7, 6))


# ---- of older models ----
def murmur(r, x, *symbols, **more):
    m = Model("MurmurHash3", **more).input(x, *symbols)
    return typed(m, np.uint32 if more.get("positive", 1) else np.int32, tolerance=1e-30)


WORDS = np.array([[b"ant", b"", b"crow", b"eels!"], [b"b", b"dodos on islands", b"\xc3\xa4ffin", b"zebra"]])


@case
def murmur_words(r):
    return murmur(r, WORDS, "N")


@case
def murmur_words_seed(r):
    return murmur(r, WORDS[:, 1:3], seed=77, positive=0)


@case
def murmur_integers(r):
    return murmur(r, r.integers(-2**31, 2**31, (3, 5)).astype(np.int32), "N", positive=0)


@case
def murmur_unsigned(r):
    return murmur(r, r.integers(0, 2**32, 9).astype(np.uint32), seed=4000000000)


@case
def murmur_wide(r):
    return murmur(r, r.integers(-2**63, 2**63, (3, 5)), "N")


@case
def murmur_floats(r):
    return murmur(r, normal(r, 7))


@case
def murmur_doubles(r):
    return murmur(r, normal(r, 7, dtype=np.float64))


def dynamic_pads(r, pads, x=(2, 4, 5, 6), w=(4, 3, 3, 3), known=False, bias=True, **more):
    m = Model("ConvTransposeWithDynamicPads", **more).input(normal(r, *x), "N").weight(normal(r, *w))
    (m.weight if known else m.input)(np.array(pads))
    if bias:
        m.weight(normal(r, w[1] * more.get("group", 1)))
    return m


@case
def dynamic_pads_known(r):
    return dynamic_pads(r, [1, 0, 2, 1], known=True)


@case
def dynamic_pads_data(r):
    return dynamic_pads(r, [1, 0, 2, 1], strides=[2, 1], output_padding=[1, 0])


@case
def dynamic_pads_line(r):
    return dynamic_pads(r, [2, 3], x=(2, 4, 9), w=(4, 3, 5), dilations=[2], group=2, bias=False)


@case
def dynamic_pads_same(r):
    return dynamic_pads(r, [1, 1, 1, 1], auto_pad="SAME_UPPER", strides=[2, 2])


@case
def dynamic_pads_valid(r):
    return dynamic_pads(r, [1, 1, 1, 1], auto_pad="VALID", strides=[2, 2])


def masked(r, x, planes=(1, 1), open_=0.8, **more):
    m = Model("MaxpoolWithMask", **more).input(normal(r, *x), "N", "C")
    return m.input((r.random((*planes, *x[2:])) < open_).astype(np.int32))


@case
def masked_line(r):
    return masked(r, (2, 3, 20), kernel_shape=[4], strides=[2], pads=[2, 1])


@case
def masked_image(r):
    return masked(r, (2, 3, 9, 10), kernel_shape=[3, 4], pads=[1, 1, 1, 2])


@case
def masked_planes(r):
    return masked(r, (2, 3, 7, 5), planes=(2, 3), kernel_shape=[3, 3])


@case
def masked_same(r):
    return masked(r, (1, 2, 8, 9), kernel_shape=[3, 3], strides=[2, 2], auto_pad="SAME_LOWER", open_=0.4)


@case
def masked_volume(r):
    return masked(r, (1, 2, 4, 5, 6), planes=(1, 2), kernel_shape=[2, 3, 3], strides=[1, 2, 1])


def warped(r, *shape, whole=False):
    x = r.integers(0, 4, shape).astype(np.float32) if whole else normal(r, *shape)
    return typed(Model("DynamicTimeWarping").input(x, *[None] * (len(shape) - 2), "M", "N"), np.int32, tolerance=1e-30)


@case
def warped_wide(r):
    return warped(r, 7, 23)


@case
def warped_high(r):
    return warped(r, 1, 19, 8)


@case
def warped_ties(r):
    return warped(r, 15, 15, whole=True)


@case
def warped_line(r):
    return warped(r, 1, 6)


def spanned(r, *bounds, elem=np.float32, known=True):
    m = Model("Range")
    for x in bounds:
        (m.weight if known else m.input)(np.array(x, elem))
    return typed(m, elem)


@case
def range_two(r):
    return spanned(r, 1, 5.5)


@case
def range_three(r):
    return spanned(r, 9, 2, -0.75, elem=np.float64)


@case
def range_short(r):
    return spanned(r, 3, 11, 3, elem=np.int16)


@case
def range_data(r):
    return spanned(r, 3, 11, known=False, elem=np.int64)


@case
def range_data_reals(r):
    return spanned(r, [3], [11], [0.5], known=False)


def apart(r, count):
    return typed(Model("Unique", 3).input(r.integers(0, 7, count).astype(np.float32), "N"), np.float32, np.int64, np.int64)


@case
def unique_floats(r):
    return apart(r, 30)


@case
def unique_one(r):
    return apart(r, 1)


if __name__ == "__main__":
    main()
