"""rest_peer.py FOLDER [CASE...]: operators that onnxruntime's CPU kernels have beside those of contrib_peer.py and newer_peer.py, beside them (peer.py)."""
import numpy as np
from onnx import TensorProto
from peer import Model, case, main, normal


# ---- slices ----
@case
def dynamic_slice(r):
    m = Model("DynamicSlice", domain="", opset=9).input(normal(r, 5, 7, 3), "A", "B")
    return m.weight(np.array([1, -4], np.int64)).weight(np.array([100, -1], np.int64)).weight(np.array([0, 1], np.int64))


@case
def dynamic_slice_early(r):
    m = Model("DynamicSlice", domain="", opset=8).input(normal(r, 5, 7))
    return m.weight(np.array([1, 2], np.int32)).weight(np.array([3, 2**31 - 1], np.int32))


@case
def dynamic_slice_by_data(r):
    return Model("DynamicSlice", domain="", opset=9).input(normal(r, 6, 4)).input(np.array([2], np.int64)).input(np.array([5], np.int64))


# ---- weights in blobs ----
def fp_q4(r, kind, k=96, n=5, t=3, symbolic=False):
    block, head = {0: (32, 4), 1: (32, 5), 2: (64, 4), 4: (128, 4)}[kind]
    blocks = -(-k // block)
    blob = r.integers(0, 256, (n, blocks, head + block // 2)).astype(np.uint8)
    blob[..., :4] = (0.1 + r.random((n, blocks, 1))).astype(np.float32).view(np.uint8)
    if kind == 1:
        blob[..., 4] &= 15
    m = Model("MatMulFpQ4", blk_quant_type=kind).input(normal(r, t, k), *(["T"] if symbolic else []))
    return m.weight(blob.ravel()).weight(np.array([k, n], np.int64))


@case
def fp_q4_symmetric(r):
    return fp_q4(r, 0)


@case
def fp_q4_zero_points(r):
    return fp_q4(r, 1, k=70, symbolic=True)


def packed(r, kind, numbers, size, halves, k=512, rows=7, dtype=TensorProto.FLOAT, index=np.int64, symbolic=False, kept=None):
    """halves: where floats of two bytes lie in a block."""
    data = r.integers(0, 256, (rows, k // numbers, size)).astype(np.uint8)
    for at in halves:
        data[..., at : at + 2] = (0.01 + 0.1 * r.random((rows, k // numbers, 1))).astype(np.float16).view(np.uint8)
    if kept is not None:
        data = kept(r, rows, k)
    m = Model("GatherPacked", packed_type=kind, K=k, **({} if dtype is None else {"output_dtype": dtype}))
    m.weight(data.reshape(rows, -1)).input(r.integers(0, rows, (2, 3)).astype(index), *(["A"] if symbolic else []))
    m.given["x1"][0, :2] = [-1, rows + 5]
    m.types = [dtype or TensorProto.BFLOAT16]
    return m


@case
def packed_q4_0(r):
    return packed(r, 2, 32, 18, [0])


@case
def packed_q5_0(r):
    return packed(r, 6, 32, 22, [0], k=96, symbolic=True)


@case
def packed_q8_0(r):
    return packed(r, 8, 32, 34, [0], index=np.int32, dtype=TensorProto.FLOAT16)


@case
def packed_iq4_nl(r):
    return packed(r, 20, 32, 18, [0])


@case
def packed_iq4_xs(r):
    return packed(r, 23, 256, 136, [0])


@case
def packed_q5_k(r):
    return packed(r, 13, 256, 176, [0, 2])


@case
def packed_q6_k(r):
    return packed(r, 14, 256, 210, [208])


@case
def packed_floats(r):
    return packed(r, 0, 1, 4, [], k=9, kept=lambda r, rows, k: normal(r, rows, k).view(np.uint8))


@case
def packed_halves(r):
    return packed(r, 1, 1, 2, [], k=9, kept=lambda r, rows, k: normal(r, rows, k, dtype=np.float16).view(np.uint8))


@case
def packed_bfloats(r):
    return packed(r, 30, 1, 2, [], k=9, kept=lambda r, rows, k: (normal(r, rows, k).view(np.uint32) >> 16).astype(np.uint16).view(np.uint8))


# ---- an LSTM that asks a memory ----
def attn_lstm(r, direction="forward", steps=6, b=3, n=4, h=5, a=7, memory=9, d=6, layer=None, bias=True, lengths=None, states=False, peepholes=False, memory_lengths=None,
              symbolic=False, **more):
    k = 2 if direction == "bidirectional" else 1
    m = Model("AttnLSTM", outputs=3, direction=direction, hidden_size=h, **more)
    m.input(normal(r, steps, b, n), *(["S", "B"] if symbolic else []))
    m.weight(normal(r, k, 4 * h, n + (layer or d), scale=0.4)).weight(normal(r, k, 4 * h, h, scale=0.4))
    m.weight(normal(r, k, 8 * h, scale=0.4)) if bias else m.absent()
    m.input(np.array(lengths, np.int32), *(["B"] if symbolic else [])) if lengths else m.absent()
    for _ in range(2):
        m.input(normal(r, k, b, h), *([None, "B"] if symbolic else [])) if states else m.absent()
    m.weight(normal(r, k, 3 * h, scale=0.4)) if peepholes else m.absent()
    m.weight(normal(r, k, h, a, scale=0.5)).weight(normal(r, k, d, a, scale=0.5)).weight(normal(r, k, a))
    m.input(normal(r, b, memory, d), *(["B", "M"] if symbolic else []))
    m.input(np.array(memory_lengths, np.int32), *(["B"] if symbolic else [])) if memory_lengths else m.absent()
    m.weight(normal(r, k, d + h, layer, scale=0.5)) if layer else m.absent()
    return m


@case
def attn_lstm_plain(r):
    return attn_lstm(r)


@case
def attn_lstm_lengths(r):
    return attn_lstm(r, lengths=[6, 2, 4], memory_lengths=[9, 1, 5], layer=8, symbolic=True)


@case
def attn_lstm_reverse(r):
    return attn_lstm(r, "reverse", lengths=[3, 6, 5], states=True, bias=False)


@case
def attn_lstm_both_ways(r):
    return attn_lstm(r, "bidirectional", lengths=[6, 1, 4], states=True, peepholes=True, layer=3, memory_lengths=[2, 9, 4], symbolic=True)


@case
def attn_lstm_functions(r):
    names = ["HardSigmoid", "Elu", "ScaledTanh", "Sigmoid", "LeakyRelu", "Softsign"]
    return attn_lstm(r, "bidirectional", activations=names, activation_alpha=[0.3, 0.9, 0.8, 0.1], activation_beta=[0.4, 0.7], clip=1.5)


@case
def attn_lstm_input_forget(r):
    return attn_lstm(r, input_forget=1, states=True, symbolic=True)


# ---- words ----
@case
def words(r):
    x = r.integers(1, 11, (6, 8)).astype(np.int32)
    for row, n in enumerate((8, 2, 5, 1, 3, 7)):
        x[row, n:] = 0
    m = Model("WordConvEmbedding", conv_window_size=3, embedding_size=5, char_embedding_size=4).input(x, "S")
    return m.weight(normal(r, 5, 1, 3, 4)).weight(normal(r, 5)).weight(normal(r, 11, 4))


def tokens(strings, symbolic=False, **how):
    m = Model("Tokenizer", **{"mark": 0, "mincharnum": 1, "pad_value": "#"} | how)
    x = np.char.encode(np.array(strings), "utf-8")
    m.input(x, *(["N", "C"][-x.ndim :] if symbolic else []))
    m.types = [TensorProto.STRING]
    return m


SENTENCES = ["Hello World", "I love computer science !", "", "a  b "]


@case
def tokens_spaces(r):
    return tokens(SENTENCES, separators=[" "], symbolic=True)


@case
def tokens_spaces_marked(r):
    return tokens(SENTENCES, separators=[" "], mark=1, pad_value="<nothing>")


@case
def tokens_of_a_matrix(r):
    return tokens([["a b", "c"], ["", "d e f"]], separators=["[ ]+"], mark=1)


@case
def tokens_long_ones(r):
    return tokens(SENTENCES + ["\u00e9\u00e9 ab \u00fcber"], separators=[" "], mincharnum=3)


@case
def tokens_digits(r):
    return tokens(["a1b22c333", "444", "x", "55y6"], separators=["[0-9]+"])


@case
def tokens_two_separators(r):
    return tokens(["abcabd ab", "b", "xaxbx"], separators=["ab", "b"])


@case
def tokens_separators_in_order(r):
    return tokens(["abcab", "xaxbx", "caca", "bcabc"], separators=["ca", "bc", "x"])


@case
def tokens_overlaps(r):
    return tokens(["xaxbx", "xaxbxxaxb", "aaa"], separators=["x", "axb", "aa"])


@case
def tokens_any_number(r):
    return tokens(["a1b22c333"], separators=["[0-9]*"])


@case
def tokens_words(r):
    return tokens(["ab12cd345", "it's", " lone ", "q"], tokenexp="[a-z]+('[a-z])?", mark=1)


@case
def tokens_longest(r):
    return tokens(["abababa", "aab", "bbaab"], tokenexp="a|ab|aba|aab")


@case
def tokens_threes(r):
    return tokens(["ab12cd345", "\u00e9\u00e8\u00ea\u00eb"], tokenexp="[a-z0-9]{3}")


@case
def tokens_nullable(r):
    return tokens(["ab12cd345 x", "77"], tokenexp="[a-z]*", mincharnum=2)


@case
def tokens_characters(r):
    return tokens(["h\u00e9\u00e9 l", "a", ""], separators=[""], mark=1)


@case
def tokens_dots(r):
    return tokens(["ab12", "\u00e9\u4e2d\U0001f600"], tokenexp=".")


@case
def tokens_none(r):
    return tokens([["", " "]], separators=[" "], mark=1)


if __name__ == "__main__":
    main()
