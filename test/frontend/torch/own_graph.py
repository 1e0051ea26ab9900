"""own_graph.py: graphs of a few nodes as torch.export writes them, for the scripts beside this one."""
import json
import math
import os

import numpy as np


def tensor(name):
    return {"as_tensor": {"name": name}}


def _meta(shape, dtype):
    strides = [math.prod(shape[i + 1:]) for i in range(len(shape))]
    return {"dtype": dtype, "sizes": [{"as_int": n} for n in shape], "requires_grad": False, "device": {"type": "cpu", "index": None},
            "strides": [{"as_int": n} for n in strides], "storage_offset": {"as_int": 0}, "layout": 7}


def _value(v):
    if v is None:
        return {"as_none": True}
    if isinstance(v, str):
        return tensor(v)
    if isinstance(v, list):
        return {"as_bools" if isinstance(v[0], bool) else "as_ints": v}
    return {{bool: "as_bool", int: "as_int", float: "as_float"}[type(v)]: v}


def node(target, *results, **args):
    """An aten operator, whose arguments are names of tensors, numbers, flags, lists of these and None."""
    return {"target": f"torch.ops.aten.{target}.default", "inputs": [{"name": k, "arg": _value(v), "kind": 1} for k, v in args.items()],
            "outputs": [tensor(r) for r in results], "metadata": {}, "name": results[0]}


def write(path, inputs, results, nodes, integers=()):
    """inputs, results: shapes by name; integers: names of what is i64, all else is f32."""
    values = {n: _meta(s, 5 if n in integers else 7) for n, s in {**inputs, **results}.items()}
    graph = {"inputs": [tensor(n) for n in inputs], "outputs": [tensor(n) for n in results], "nodes": nodes, "is_single_tensor_return": False,
             "tensor_values": values, "sym_int_values": {}, "sym_bool_values": {}, "sym_float_values": {}, "custom_obj_values": {}}
    specs = {"input_specs": [{"user_input": {"arg": tensor(n)}} for n in inputs], "output_specs": [{"user_output": {"arg": tensor(n)}} for n in results]}
    document = {"graph_module": {"graph": graph, "signature": specs, "module_call_graph": [], "metadata": {}, "treespec_namedtuple_fields": {}},
                "opset_version": {"aten": 10}, "range_constraints": {}, "schema_version": {"major": 8, "minor": 1}, "verifiers": [], "torch_version": "2.13",
                "guards_code": []}
    with open(path, "w") as file:
        json.dump(document, file)


def write_folder(folder, inputs, results, nodes, data, outputs, integers=()):
    """FOLDER/model.json with inputs and outputs beside it; floats as f32."""
    os.makedirs(folder, exist_ok=True)
    write(os.path.join(folder, "model.json"), inputs, results, nodes, integers)
    for kind, arrays in (("input", data), ("output", outputs)):
        for i, array in enumerate(arrays):
            np.save(os.path.join(folder, f"{kind}_{i}.npy"), array.astype("f") if array.dtype.kind == "f" else array)
