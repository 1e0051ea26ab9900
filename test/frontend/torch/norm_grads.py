"""norm_grads.py FOLDER: a graph of the gradients of a batch norm and of a group norm, as AOTAutograd asks for them, as FOLDER/model.json, with inputs and outputs."""
import sys

import numpy as np

from own_graph import node, write_folder

N, C, H, W, GROUPS = 5, 6, 4, 7, 3
IMAGE = [N, C, H, W]

random = np.random.default_rng(1)
given = {"grad": random.standard_normal(IMAGE), "x": random.standard_normal(IMAGE) + 3, "w": random.standard_normal(C)}
grad, x, w = given["grad"], given["x"], given["w"][:, None, None]
all_but_channels = (0, 2, 3)
mean, rstd = x.mean(all_but_channels), 1 / np.sqrt(x.var(all_but_channels) + 1e-5)
hat = (x - mean[:, None, None]) * rstd[:, None, None]
outputs = [rstd[:, None, None] * w * (grad - grad.mean(all_but_channels, keepdims=True) - hat * (grad * hat).mean(all_but_channels, keepdims=True)),
           (grad * hat).sum(all_but_channels), grad.sum(all_but_channels)]
given |= {"mean": mean, "rstd": rstd}
grouped = x.reshape(N, GROUPS, -1)
mean, rstd = grouped.mean(2), 1 / np.sqrt(grouped.var(2) + 1e-5)
hat, inner = (grouped - mean[..., None]) * rstd[..., None], (grad * w).reshape(grouped.shape)
dx = rstd[..., None] * (inner - inner.mean(2, keepdims=True) - hat * (inner * hat).mean(2, keepdims=True))
outputs += [dx.reshape(IMAGE), (grad * hat.reshape(IMAGE)).sum(all_but_channels), grad.sum(all_but_channels)]
given |= {"group_mean": mean, "group_rstd": rstd}

results = ["b0", "b1", "b2", "g0", "g1", "g2"]
shape_of = lambda arrays: {n: list(a.shape) for n, a in arrays}  # noqa: E731
nodes = [
    node("native_batch_norm_backward", *results[:3], grad_out="grad", input="x", weight="w", running_mean=None, running_var=None, save_mean="mean",
         save_invstd="rstd", train=True, eps=1e-5, output_mask=[True] * 3),
    node("native_group_norm_backward", *results[3:], grad_out="grad", input="x", mean="group_mean", rstd="group_rstd", weight="w", N=N, C=C, HxW=H * W,
         group=GROUPS, output_mask=[True] * 3)]
write_folder(sys.argv[1], shape_of(given.items()), shape_of(zip(results, outputs)), nodes, given.values(), outputs)
