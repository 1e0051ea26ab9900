"""search.py FOLDER: models with searches and what they give, FOLDER/NAME.onnx and FOLDER/NAME, by onnx' reference evaluator and the search spelled out."""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from decoders import Pair, gpt

LOWEST, EOS, PAD = np.finfo(np.float32).min, 0, 1


def log_softmax(x):
    x = x - x.max(-1, keepdims=True)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


class Decoder:
    """Calls a decoder, whose caches become longer."""

    def __init__(self, graph, ids, beams, mask=None):
        self.run = ReferenceEvaluator(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10))
        held = ids != PAD
        self.mask = np.repeat(held if mask is None else mask, beams, 0).astype(np.int32)
        self.positions = np.repeat(np.where(held, held.cumsum(1) - 1, 0), beams, 0).astype(np.int32)
        self.next = np.repeat(held.sum(1, keepdims=True), beams, 0).astype(np.int32)
        self.names = [i.name for i in graph.input]
        shape = [d.dim_value for d in graph.input[3].type.tensor_type.shape.dim]
        self.caches = [np.zeros((2, len(self.mask), shape[2], 0, shape[4]), np.float32) for _ in self.names[3:]]

    def __call__(self, tokens):
        out = self.run.run(None, dict(zip(self.names, [tokens, self.positions, self.mask] + self.caches)))
        self.caches, self.positions, self.next = out[1:], self.next, self.next + 1
        self.mask = np.concatenate([self.mask, np.ones_like(self.mask[:, :1])], 1)
        return out[0][:, -1]

    def reorder(self, rows):
        self.caches = [c[:, rows] for c in self.caches]


def process(x, texts, first, repetition=1, ngram=0, allowed=None, first_allowed=None, least=0, temperature=1):
    for row, text in zip(x, texts):
        n = len(text)
        seen = np.unique(text[text < len(row)])
        row[seen] = np.where(row[seen] < 0, row[seen] * np.float32(repetition), row[seen] / np.float32(repetition))
        for j in range(n - ngram + 1 if ngram and n >= ngram else 0):
            if (text[j : j + ngram - 1] == text[n - ngram + 1 :]).all():
                row[text[j + ngram - 1]] = LOWEST
    if allowed is not None:
        x[:, allowed == 0] = LOWEST
    if first_allowed is not None and first:
        x[np.repeat(first_allowed, len(x) // len(first_allowed), 0) == 0] = LOWEST
    if texts.shape[1] < least:
        x[:, EOS] = LOWEST
    return x / np.float32(temperature)


def greedy(graph, ids, length, mask=None, vocabulary=None, take=lambda x: x.argmax(1), **how):
    decoder, texts, tokens, ended = Decoder(graph, ids, 1, mask), ids, ids, np.zeros(len(ids), bool)
    while texts.shape[1] < length and not ended.all():
        x = process(decoder(tokens)[:, :vocabulary].copy(), texts, texts.shape[1] == ids.shape[1], **how)
        token = take(x)
        ended |= token == EOS
        tokens = np.where(ended, PAD, token).astype(np.int32)[:, None]
        texts = np.concatenate([texts, tokens], 1)
    return np.pad(texts, ((0, 0), (0, length - texts.shape[1])), constant_values=PAD)


def beam(graph, ids, length, n, returned, penalty=1.0, early=False, mask=None, **how):
    b, decoder = len(ids), Decoder(graph, ids, n, mask)
    texts = tokens = np.repeat(ids, n, 0)
    sums = np.tile(np.array([0] + [-1e9] * (n - 1), np.float32), (b, 1))
    best, done, scores = [[] for _ in range(b)], [False] * b, []

    def add(which, text, score):
        best[which] = sorted(best[which] + [(score / np.float32(len(text)) ** np.float32(penalty), text)], key=lambda h: -h[0])[:n]

    while texts.shape[1] < length and not all(done):
        x = process(log_softmax(decoder(tokens)), texts, texts.shape[1] == ids.shape[1], **how)
        v = x.shape[1]
        x = (x + sums.reshape(-1, 1)).reshape(b, n * v)
        scores.append(x.reshape(b, n, v))
        order = np.argsort(-x, axis=1, kind="stable")[:, : 2 * n]
        rows, flat = [], np.take_along_axis(x, order, 1).ravel()
        new = np.full((b, n), PAD, np.int32)
        for i in range(b):
            if done[i]:
                sums[i], rows = 0, rows + [0] * n
                continue
            kept = [(j, k) for j, k in enumerate(order[i]) if k % v != EOS][:n]
            for j, k in enumerate(order[i, :n]):
                if k % v == EOS:
                    add(i, texts[i * n + k // v], x[i, k])
            for place, (_, k) in enumerate(kept):
                sums[i, place], new[i, place] = x[i, k], k % v
            rows += [i * n + k // v for _, k in kept]
            top = flat[i * n : i * n + 2 * n].max() / np.float32(texts.shape[1]) ** np.float32(penalty)
            done[i] = len(best[i]) == n and (early or bool(best[i][-1][0] >= top))
        texts, tokens = np.concatenate([texts[rows], new.reshape(-1, 1)], 1), new.reshape(-1, 1)
        decoder.reorder(rows)
    out = np.full((b, returned, length), PAD, np.int32)
    for i in range(b):
        for j in range(0 if done[i] else n):
            add(i, texts[i * n + j], sums[i, j])
        for j, (_, text) in enumerate(best[i][:returned]):
            out[i, j, : len(text)] = text
    all_scores = np.zeros((length - ids.shape[1], b, n, v), np.float32)
    all_scores[: len(scores)] = scores
    return out, np.array([[score for score, _ in h[:returned]] for h in best], np.float32), all_scores


# ---- models ----
def save(folder, name, op, graph, ids, inputs, results, types, symbolic=False, **attributes):
    """inputs: (array, is it given) or None, behind the ids. results: what comes out, None: nobody knows."""
    names, given, weights = ["x0"], [("x0", ids)], []
    for x in inputs:
        names.append("" if x is None else f"x{len(names)}")
        if x is not None and x[1]:
            given.append((names[-1], x[0]))
        elif x is not None:
            weights.append(numpy_helper.from_array(x[0], names[-1]))
    node = helper.make_node(op, names, [f"y{i}" for i in range(len(types))], name="search", domain="com.microsoft", decoder=graph, eos_token_id=EOS, pad_token_id=PAD, **attributes)
    infos = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), ["B", "S"] if symbolic and n == "x0" else x.shape) for n, x in given]
    outputs = [helper.make_tensor_value_info(f"y{i}", t, None) for i, t in enumerate(types)]
    model = helper.make_model(helper.make_graph([node], "g", infos, outputs, weights), opset_imports=[helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)], ir_version=10)
    os.makedirs(os.path.join(folder, name), exist_ok=True)
    onnx.save(model, os.path.join(folder, name + ".onnx"))
    for i, (_, x) in enumerate(given):
        np.save(os.path.join(folder, name, f"input_{i}.npy"), x)
    for i, y in enumerate(results):
        np.save(os.path.join(folder, name, f"output_{i}.npy"), y)


def number(x, given=True, dtype=np.int32):
    return np.array([x], dtype), given


def ids(r, b, s, v, pads=0):
    x = r.integers(2, v, (b, s)).astype(np.int32)
    for row in range(1, b):
        x[row, : row % (pads + 1)] = PAD
    return x


def main(folder):
    texts, real = TensorProto.INT32, TensorProto.FLOAT
    r = np.random.default_rng(7)
    graph, x = gpt(r, v=11, layers=1, sharp=1.5), ids(r, 4, 3, 11, 2)
    y = greedy(graph, x, 16, repetition=1.3, ngram=3, least=7)
    save(folder, "greedy", "GreedySearch", graph, x, [number(16), number(7), number(1.3, True, np.float32)], [y], [texts], symbolic=True, no_repeat_ngram_size=3)
    mask = np.array([[0, 1, 1], [1, 1, 1], [1, 0, 1], [1, 1, 1]], np.int32)
    allowed = np.ones(9, np.int32)
    allowed[4] = 0
    y = greedy(graph, x, 9, mask=mask, vocabulary=9, allowed=allowed)
    save(folder, "masks", "GreedySearch", graph, x, [number(9, False), None, None, (allowed, True), None, (mask, True)], [y], [texts], vocab_size=9)
    y = beam(graph, x, 14, 3, 2, penalty=1.5, repetition=1.2, least=5)
    given = [number(14), number(5), number(3, False), number(2, False), number(1.5, True, np.float32), number(1.2, True, np.float32)]
    save(folder, "beams", "BeamSearch", graph, x, given, y, [texts, real, real], symbolic=True)
    graph, x = gpt(r, v=6, layers=1, sharp=1), ids(r, 3, 4, 6)
    y = beam(graph, x, 18, 4, 4, early=True, ngram=4)
    save(folder, "early", "BeamSearch", graph, x, [number(18), None, number(4, False), number(4, False)], y, [texts, real, real], early_stopping=1, no_repeat_ngram_size=4)
    graph, x = gpt(r, v=11, layers=1), ids(r, 3, 3, 11)
    presence = np.ones((3, 11), np.int32)
    presence[np.arange(3), [3, 5, 7]] = 0
    y = greedy(graph, x, 8, take=lambda logits: np.array([3, 5, 7]))
    save(folder, "presence", "Sampling", graph, x, [number(8, False)] + [None] * 5 + [(presence, True)], [y], [texts], custom=1, top_p=0.9, presence_penalty=1e6)

    # caches in buffers are the caches that they stand for: what the model beside gives
    for name, shares in (("joins", False), ("shares", True)):
        pair = Pair(np.random.default_rng(3), v=29, states=False, shares=shares)
        x = np.random.default_rng(4).integers(2, 29, (2, 5)).astype(np.int32)
        given = [number(12), None, number(3, False), number(2, False)]
        save(folder, name, "BeamSearch", pair.decoder(), x, given, [], [texts, real], symbolic=True, encoder=pair.encoder(), model_type=1, decoder_start_token_id=2)


if __name__ == "__main__":
    main(sys.argv[1])
