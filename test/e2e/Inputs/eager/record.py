"""Records what torch's eager mode gives on the CPU for cases.py: `record.py`, with a Python that has torch, writes ELEM.npz and blocks.npz
beside itself. In ELEM.npz: inputs x, y, z and c, the names of the cases, and the bytes of their results, one behind the other; bf16 as
its bits."""
import os

import cases
import numpy as np
import torch
import torch.nn.functional as F
from cases import D, H, T

torch.set_num_threads(1)
FOLDER = os.path.dirname(os.path.abspath(__file__))
TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i32": torch.int32, "i64": torch.int64}
COUNTS = {"f32": 160, "f16": 160, "bf16": 160, "i32": 64, "i64": 64}


def array(tensor):
    tensor = tensor.contiguous()
    return tensor.view(torch.int16).numpy().view(np.uint16) if tensor.dtype == torch.bfloat16 else tensor.numpy()


def record(elem):
    values = [torch.from_numpy(v) for v in cases.inputs(elem, COUNTS[elem])]
    x, y, z, c = (v if v.dtype == torch.bool else v.to(TYPES[elem]) for v in values)
    scope = {"x": x, "y": y, "z": z, "c": c, "torch": torch, "F": F, "C": lambda v: torch.tensor(v, dtype=TYPES[elem])}
    data = b"".join(array(eval(case[3], scope)).tobytes() for case in cases.cases(elem))
    np.savez_compressed(os.path.join(FOLDER, elem + ".npz"), **{n: array(scope[n]) for n in "xyzc"},
                        names=np.array([case[0] for case in cases.cases(elem)]), data=np.frombuffer(data, np.uint8))


def transformer(x, g, b, wq, wk, wv, wo, w1, b1, w2, b2):
    n = F.layer_norm(x, [D], g, b, 1e-5)
    q, k, v = (F.linear(n, w).view(1, T, H, D // H).transpose(1, 2) for w in (wq, wk, wv))
    p = F.softmax(q @ k.transpose(2, 3) * torch.tensor(0.3535156, dtype=x.dtype), -1)
    y = x + F.linear((p @ v).transpose(1, 2).reshape(T, D), wo)
    return y + F.linear(F.gelu(F.linear(F.layer_norm(y, [D], g, b, 1e-5), w1, b1)), w2, b2)


def record_blocks():
    results = {}
    for name, (inputs, _, _, call) in cases.BLOCKS.items():
        for elem in ("f32", "f16", "bf16"):
            scope = {i: torch.from_numpy(v).to(TYPES[elem]) for i, v in zip(inputs.split(), cases.block_inputs(name))}
            results[f"{name}_{elem}"] = array(eval(call, {"F": F, "D": D, "transformer": transformer, **scope}))
    np.savez_compressed(os.path.join(FOLDER, "blocks.npz"), **results)


with torch.no_grad():
    for elem in TYPES:
        record(elem)
    record_blocks()
