"""size_checks.py ROOT: a rule of the dialect and a handler of the importer that compares sizes does so by dims_agree, dims_at_most and their
kin, or import_require_*, which make a constraint of what they cannot decide. Who asks whether a size is a constant (tcc_expr_is_const) may
let the others pass unchecked: each such function stands here, with the reason why it does not."""
import pathlib
import re
import sys

REFUSES = "refuses sizes that are not constants"
CHOOSES = "chooses between forms that are right for all sizes"
FOLDS = "folds constants; the other branch computes the same of symbols"
VALUES = "asks about given values, not sizes of operands"
ALLOWED = {
    "dialects/tcc/rules_elementwise.c": {"rule_weight": REFUSES},
    "dialects/tcc/rules_index.c": {"index_depth": REFUSES},
    "dialects/tcc/rules_window.c": {"windows": FOLDS, "rule_conv_blocked": REFUSES, "words_as_lanes": REFUSES},
    "lib/frontend/onnx/ops_contrib_attention.c": {"rotated_by": REFUSES, "onnx_op_contrib_rotary": REFUSES},
    "lib/frontend/onnx/ops_loop.c": {"call_loop_body": VALUES, "is_short": CHOOSES, "may_unroll": CHOOSES},
    "lib/frontend/onnx/ops_moe.c": {"read_shapes": REFUSES, "read_layer": REFUSES, "read_layers": REFUSES},
    "lib/frontend/onnx/ops_quantize_blocks.c": {"as_nibbles": REFUSES, "onnx_op_matmul_nbits": REFUSES},
    "lib/frontend/onnx/ops_recurrent.c": {"build": "a default of hidden_size, which the rule checks"},
    "lib/frontend/onnx/ops_range.c": {"count_of_sizes": VALUES},
    "lib/frontend/onnx/ops_reshape.c": {"count_reshaped": VALUES, "divide_sides": CHOOSES, "onnx_op_reshape": VALUES},
    "lib/frontend/onnx/ops_resize.c": {"scaled_size": FOLDS, "keep_aspect": REFUSES},
    "lib/frontend/onnx/ops_resize_data.c": {"add_scales": REFUSES, "onnx_read_scales": REFUSES},
    "lib/frontend/onnx/ops_shape.c": {"onnx_op_squeeze": "what is no constant is assumed to be 2 at least",
                                      "onnx_op_split": CHOOSES, "slice_bound": VALUES, "slice_axis": VALUES},
    "lib/frontend/onnx/ops_slice.c": {"count_axes": "what is no constant is required to be equal to one that is"},
    "lib/frontend/onnx/ops_window.c": {"read_window": CHOOSES, "read_pads": CHOOSES},
}

root = pathlib.Path(sys.argv[1])
errors, seen = [], set()
for path in sorted([*root.glob("dialects/tcc/rules_*.c"), *root.glob("lib/frontend/onnx/ops_*.c")]):
    name, function = str(path.relative_to(root)), None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if head := re.match(r"[A-Za-z].*?\b(\w+)\([^;]*$", line):
            function = head.group(1)
        if "tcc_expr_is_const(" in line:
            seen.add((name, function))
            if function not in ALLOWED.get(name, {}):
                errors.append(f"{name}:{number}: {function} asks whether a size is a constant: dims_at_most and its kin (rules.h) or import_require_* "
                              "(import.h) compare sizes and leave nothing unchecked")
errors += [f"test/lint/size_checks.py: {name}: {function} does not ask" for name, functions in ALLOWED.items() for function in functions
           if (name, function) not in seen]
print("\n".join(errors))
sys.exit(bool(errors))
