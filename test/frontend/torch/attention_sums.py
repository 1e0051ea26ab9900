"""attention_sums.py FOLDER: a graph of two attentions as torch calls them in a forward pass that keeps the sums of rows, one with a mask, the other causal,
as FOLDER/model.json, with inputs and outputs."""
import sys

import numpy as np

from own_graph import node, write_folder

random = np.random.default_rng(1)
shapes = {"q": [2, 4, 300, 16], "k": [2, 4, 310, 16], "v": [2, 4, 310, 8], "m": [2, 1, 300, 310], "x": [1, 3, 270, 8]}
given = {name: random.standard_normal(shape) for name, shape in shapes.items()}


def attention(q, k, v, mask):
    scores = q @ k.swapaxes(2, 3) / np.sqrt(q.shape[3]) + mask
    most = scores.max(3, keepdims=True)
    weights = np.exp(scores - most)
    return weights @ v / weights.sum(3, keepdims=True), (most + np.log(weights.sum(3, keepdims=True)))[..., 0]


x = given["x"]
outputs = [*attention(given["q"], given["k"], given["v"], given["m"]), *attention(x, x, x, np.triu(np.full([270, 270], -np.inf), 1))]
results = ["r0", "l0", "r1", "l1"]
shape_of = lambda arrays: {n: list(a.shape) for n, a in arrays}  # noqa: E731
call = lambda *names, **arguments: node("_scaled_dot_product_flash_attention_for_cpu", *names, dropout_p=0.0, scale=None, **arguments)  # noqa: E731
nodes = [call("r0", "l0", query="q", key="k", value="v", is_causal=False, attn_mask="m"),
         call("r1", "l1", query="x", key="x", value="x", is_causal=True, attn_mask=None)]
write_folder(sys.argv[1], shape_of(given.items()), shape_of(zip(results, outputs)), nodes, given.values(), outputs)
