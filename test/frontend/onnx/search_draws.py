"""search_draws.py FOLDER: what Sampling draws, by how often: of a part of the likeliest tokens, by their probabilities; of a seed always the same."""
import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto

from decoders import fixed
from search import number, save

FOLDER, ROWS, LENGTH = sys.argv[1], 500, 41
LOGITS = np.array([0.3, -1.0, 2.0, 1.5, 0.0, 1.0, -3.0])


def draw(name, *ways):
    out = os.path.join(FOLDER, name, "out" + str(len(ways)))
    subprocess.run(["tcc-run", os.path.join(FOLDER, name + ".onnx"), "--no-cache", "--data=" + os.path.join(FOLDER, name), "--save=" + out, *ways], check=True)
    return np.load(os.path.join(out, "output_0.npy"))


def model(name, seed=None, logits=LOGITS, end=False, **attributes):
    # eos and pad are 0 and 1 (search.py): tokens 2 and up are drawn, but where texts may end
    shifted = logits if end else np.concatenate([[-1e4, -1e4], logits])
    ids = np.full((ROWS, 1), 3, np.int32)
    given = [number(LENGTH)] + [None] * 6 + ([number(seed)] if seed is not None else [])
    save(FOLDER, name, "Sampling", fixed(shifted), ids, given, [], [TensorProto.INT32], **attributes)


def check(name, drawn, probabilities):
    """Each of the tokens as often as it should be, within 6 standard deviations, also among those that follow another token or in a row."""
    drawn = drawn[:, 1:] - 2
    for what, x in ((name, drawn), (name + ", the second half", drawn[:, 20:]), (name + ", some rows", drawn[::3])):
        often = np.bincount(x.ravel(), minlength=len(probabilities)) / x.size
        allowed = 6 * np.sqrt(np.maximum(probabilities * (1 - probabilities), 1e-12) / x.size)
        assert (np.abs(often - probabilities) <= allowed).all(), (what, often, probabilities)
    follows = drawn[:, 1:][drawn[:, :-1] == probabilities.argmax()]
    often = np.bincount(follows, minlength=len(probabilities)) / len(follows)
    assert (np.abs(often - probabilities) <= 6 * np.sqrt(0.25 / len(follows))).all(), (name, often)


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def kept(p, order, few):
    """p with those alone that stay."""
    q = np.zeros_like(p)
    q[order[:few]] = p[order[:few]]
    return q / q.sum()


os.makedirs(FOLDER, exist_ok=True)
model("all", top_p=1.0, min_tokens_to_keep=1, custom=1)
check("all", draw("all", "--seed=4"), softmax(LOGITS))
np.testing.assert_array_equal(draw("all", "--seed=4"), draw("all", "--seed=4", "--target=reference"))
assert (draw("all", "--seed=4") != draw("all", "--seed=5")).any()

warm = LOGITS / 1.5
p = softmax(warm)
order = np.argsort(-p)
model("custom", seed=11, top_p=0.7, temperature=1.5, custom=1)  # the first one behind a sum above top_p goes, and all that follow
sums = np.cumsum(p[order])
check("custom", draw("custom"), kept(p, order, 1 + int((sums <= 0.7).sum())))
np.testing.assert_array_equal(draw("custom", "--seed=1"), draw("custom", "--seed=2"))

model("plain", seed=11, top_p=0.7, temperature=1.5, min_tokens_to_keep=1)  # tokens go whose sum from the least likely on is at most 1 - top_p
sums = np.cumsum(p[order[::-1]])
check("plain", draw("plain"), kept(p, order, len(p) - int((sums <= 1 - 0.7).sum())))

model("least", seed=11, top_p=0.01, min_tokens_to_keep=3)
p = softmax(LOGITS)
check("least", draw("least"), kept(p, np.argsort(-p), 3))

texts = (model("ends", seed=3, logits=np.array([0.0, -1e4, 1.0, 1.0]), end=True, top_p=1.0, custom=1), draw("ends"))[1][:, 1:]
over = np.cumsum(texts == 1, 1) > 0  # a text that has ended has pads alone
assert (texts[over] == 1).all() and (texts != 0).all()
p = softmax(np.array([0.0, 1.0, 1.0]))[0]
assert abs((texts[:, 0] == 1).mean() - p) < 6 * np.sqrt(p * (1 - p) / ROWS)
print("as they should be")
