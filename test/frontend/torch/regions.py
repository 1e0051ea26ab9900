"""regions.py FOLDER: graphs that call one graph several times, as JSON, and beside each a folder of data: the result is numpy's.

Each layer is x = tanh(x @ w) + ... of a few nodes; what differs is what the layer does that a function may or may not."""
import json
import pathlib
import sys

import numpy as np

FOLDER = pathlib.Path(sys.argv[1])
SIZE = 4


def tensor(name):
    return {"as_tensor": {"name": name}}


def meta(shape):
    strides = [int(np.prod(shape[i + 1:])) for i in range(len(shape))]
    return {"dtype": 7, "sizes": [{"as_int": n} for n in shape], "requires_grad": False, "device": {"type": "cpu", "index": None},
            "strides": [{"as_int": n} for n in strides], "storage_offset": {"as_int": 0}, "layout": 7}


def node(target, names, result, *more):
    inputs = [{"name": key, "arg": arg if isinstance(arg, dict) else tensor(arg), "kind": 1} for key, arg in names]
    return {"target": target, "inputs": inputs, "outputs": [tensor(r) for r in (result, *more)], "metadata": {}, "name": result}


def aten(name, result, *names):
    return node(f"torch.ops.aten.{name}", names, result)


def graph(inputs, outputs, nodes, shape=(SIZE, SIZE)):
    names = [*inputs, *(o["as_tensor"]["name"] for n in nodes for o in n["outputs"])]
    return {"inputs": [tensor(n) for n in inputs], "outputs": [tensor(n) for n in outputs], "nodes": nodes, "is_single_tensor_return": False,
            "tensor_values": {n: meta(shape) for n in names}, "sym_int_values": {}, "sym_bool_values": {}, "sym_float_values": {},
            "custom_obj_values": {}}


def layer(extra=(), outputs=("out",), last="y"):
    chain = [aten("mm.default", "m", ("self", "x"), ("mat2", "w"))]
    for i in range(6):
        chain.append(aten(("tanh", "relu", "sigmoid")[i % 3] + ".default", "y" if i == 5 else f"c{i}", ("self", "m" if i == 0 else f"c{i - 1}")))
    return graph(["x", "w"], list(outputs), [*chain, *extra, aten("add.Tensor", "out", ("self", last), ("other", "w"))])


def calls(inner, count, nout=1):
    nodes, x = [], "x"
    for i in range(count):
        given = [("", {"as_graph": {"name": f"g{i}", "graph": inner}}), ("", {"as_string": f"g{i}"}), ("", x), ("", f"w{i}")]
        nodes.append(node("torch.ops.higher_order.invoke_subgraph", given, f"r{i}", *(f"r{i}_{k}" for k in range(1, nout))))
        x = f"r{i}"
    return nodes


def write(name, nodes, outputs, expected, count=3):
    inputs = ["x", *(f"w{i}" for i in range(count))]
    specs = {"input_specs": [{"user_input": {"arg": tensor(n)}} for n in inputs],
             "output_specs": [{"user_output": {"arg": tensor(n)}} for n in outputs]}
    document = {"graph_module": {"graph": graph(inputs, outputs, nodes), "signature": specs, "module_call_graph": [], "metadata": {},
                                 "treespec_namedtuple_fields": {}},
                "opset_version": {"aten": 10}, "range_constraints": {}, "schema_version": {"major": 8, "minor": 1}, "verifiers": [],
                "torch_version": "2.13", "guards_code": []}
    (FOLDER / f"{name}.json").write_text(json.dumps(document))
    (FOLDER / name).mkdir(exist_ok=True)
    for i, value in enumerate([X, *WEIGHTS[:count]]):
        np.save(FOLDER / name / f"input_{i}.npy", value)
    for i, value in enumerate(expected):
        np.save(FOLDER / name / f"output_{i}.npy", value.astype(np.float32))


def computed(change=lambda y, w: (y, w), count=3):
    """x of each layer, in f64."""
    x, seen = X.astype(np.float64), []
    for w in WEIGHTS[:count]:
        y = x @ w.astype(np.float64)
        for i in range(6):
            y = (np.tanh, lambda v: np.maximum(v, 0), lambda v: 1 / (1 + np.exp(-v)))[i % 3](y)
        y, w = change(y, w.astype(np.float64))
        x = y + w
        seen.append(x)
    return seen


FOLDER.mkdir(parents=True, exist_ok=True)
random = np.random.default_rng(1)
X, *WEIGHTS = random.standard_normal((4, SIZE, SIZE)).astype(np.float32)
plain = computed()
write("plain", calls(layer(), 3), ["r2"], plain[2:])
write("once", calls(layer(), 1), ["r0"], plain[:1], 1)

# Two graphs of other texts are two functions, and a graph that is called once more in the end is the first.
other = json.loads(json.dumps(layer()).replace("relu.default", "abs.default"))
write("other", calls(layer(), 2) + [n for n in calls(other, 3)[2:]], ["r1"], plain[1:2])

# What goes out as it came in, or as a view of it, is made again of what the call was given.
views = [aten("t.default", "wt", ("self", "w")), aten("t.default", "yt", ("self", "y"))]
write("views", calls(layer(views, ("out", "w", "wt", "y", "yt")), 3, 5), ["r2", "r1_1", "r1_2", "r2_3", "r2_4"],
      [plain[2], WEIGHTS[1], WEIGHTS[1].T, plain[2] - WEIGHTS[2], (plain[2] - WEIGHTS[2]).T])

written = [aten("mul_.Tensor", "w2", ("self", "w"), ("other", "y"))]
kept = []
results = computed(lambda y, w: kept.append(w * y) or (y, kept[-1]))
write("written", calls(layer(written), 3), ["r2"], [results[2], *kept])

drawn = [aten("rand_like.default", "noise", ("self", "y")), aten("mul.Tensor", "none", ("self", "noise"), ("other", {"as_float": 0.0})),
         aten("add.Tensor", "z", ("self", "y"), ("other", "none"))]
write("drawn", calls(layer(drawn, last="z"), 3), ["r2"], plain[2:])
