"""norm_grads.py FOLDER: a graph of the gradients of a batch norm and of a group norm, as AOTAutograd asks for them, as FOLDER/model.json, with inputs and outputs."""
import json
import math
import os
import sys

import numpy as np

N, C, H, W, GROUPS = 5, 6, 4, 7, 3
IMAGE = [N, C, H, W]


def meta(shape):
    strides = [math.prod(shape[i + 1:]) for i in range(len(shape))]
    return {"dtype": 7, "sizes": [{"as_int": n} for n in shape], "requires_grad": False, "device": {"type": "cpu", "index": None},
            "strides": [{"as_int": n} for n in strides], "storage_offset": {"as_int": 0}, "layout": 7}


def tensor(name):
    return {"as_tensor": {"name": name}}


def value(v):
    kinds = {type(None): "as_none", str: "as_tensor", bool: "as_bool", int: "as_int", float: "as_float", list: "as_bools"}
    return tensor(v) if isinstance(v, str) else {kinds[type(v)]: True if v is None else v}


def node(target, results, **args):
    return {"target": f"torch.ops.aten.{target}.default", "inputs": [{"name": k, "arg": value(v), "kind": 1} for k, v in args.items()],
            "outputs": [tensor(r) for r in results], "metadata": {}, "name": results[0]}


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
shapes = {n: list(a.shape) for n, a in given.items()} | {n: list(a.shape) for n, a in zip(results, outputs)}
nodes = [
    node("native_batch_norm_backward", results[:3], grad_out="grad", input="x", weight="w", running_mean=None, running_var=None, save_mean="mean",
         save_invstd="rstd", train=True, eps=1e-5, output_mask=[True] * 3),
    node("native_group_norm_backward", results[3:], grad_out="grad", input="x", mean="group_mean", rstd="group_rstd", weight="w", N=N, C=C, HxW=H * W,
         group=GROUPS, output_mask=[True] * 3)]
graph = {"inputs": [tensor(n) for n in given], "outputs": [tensor(n) for n in results], "nodes": nodes, "is_single_tensor_return": False,
         "tensor_values": {n: meta(s) for n, s in shapes.items()}, "sym_int_values": {}, "sym_bool_values": {}, "sym_float_values": {}, "custom_obj_values": {}}
specs = {"input_specs": [{"user_input": {"arg": tensor(n)}} for n in given], "output_specs": [{"user_output": {"arg": tensor(n)}} for n in results]}
document = {"graph_module": {"graph": graph, "signature": specs, "module_call_graph": [], "metadata": {}, "treespec_namedtuple_fields": {}},
            "opset_version": {"aten": 10}, "range_constraints": {}, "schema_version": {"major": 8, "minor": 1}, "verifiers": [], "torch_version": "2.13",
            "guards_code": []}
folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
with open(os.path.join(folder, "model.json"), "w") as file:
    json.dump(document, file)
for kind, arrays in (("input", given.values()), ("output", outputs)):
    for i, array in enumerate(arrays):
        np.save(os.path.join(folder, f"{kind}_{i}.npy"), array.astype("f"))
