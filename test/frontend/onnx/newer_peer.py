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


if __name__ == "__main__":
    main()
