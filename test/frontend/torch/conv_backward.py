"""conv_backward.py FILE: a graph of one aten.convolution_backward, as JSON: all three gradients of a convolution of 4 channels to 6 by 3 x 2."""
import json
import math
import sys


def tensor(name):
    return {"as_tensor": {"name": name}}


def meta(shape):
    strides = [math.prod(shape[i + 1:]) for i in range(len(shape))]
    return {"dtype": 7, "sizes": [{"as_int": n} for n in shape], "requires_grad": False, "device": {"type": "cpu", "index": None},
            "strides": [{"as_int": n} for n in strides], "storage_offset": {"as_int": 0}, "layout": 7}


def given(name, **arg):
    return {"name": name, "arg": arg, "kind": 1}


SHAPES = {"g": [2, 6, 4, 9], "x": [2, 4, 8, 8], "w": [6, 4, 3, 2], "dx": [2, 4, 8, 8], "dw": [6, 4, 3, 2], "db": [6]}
RESULTS = ["dx", "dw", "db"]
inputs = [given("grad_output", **tensor("g")), given("input", **tensor("x")), given("weight", **tensor("w")), given("bias_sizes", as_ints=[6]),
          given("stride", as_ints=[2, 1]), given("padding", as_ints=[1, 1]), given("dilation", as_ints=[1, 1]), given("transposed", as_bool=False),
          given("output_padding", as_ints=[0, 0]), given("groups", as_int=1), given("output_mask", as_bools=[True, True, True])]
node = {"target": "torch.ops.aten.convolution_backward.default", "inputs": inputs, "outputs": [tensor(r) for r in RESULTS], "metadata": {}, "name": "gradients"}
graph = {"inputs": [tensor(n) for n in "gxw"], "outputs": [tensor(n) for n in RESULTS], "nodes": [node], "is_single_tensor_return": False,
         "tensor_values": {n: meta(s) for n, s in SHAPES.items()}, "sym_int_values": {}, "sym_bool_values": {}, "sym_float_values": {}, "custom_obj_values": {}}
specs = {"input_specs": [{"user_input": {"arg": tensor(n)}} for n in "gxw"], "output_specs": [{"user_output": {"arg": tensor(n)}} for n in RESULTS]}
document = {"graph_module": {"graph": graph, "signature": specs, "module_call_graph": [], "metadata": {}, "treespec_namedtuple_fields": {}},
            "opset_version": {"aten": 10}, "range_constraints": {}, "schema_version": {"major": 8, "minor": 1}, "verifiers": [], "torch_version": "2.13",
            "guards_code": []}
with open(sys.argv[1], "w") as file:
    json.dump(document, file)
