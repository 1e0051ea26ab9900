"""text_peer.py FOLDER [CASE...]: operators that move strings, by the interpreter and by tcc-run, beside onnxruntime (peer.py)."""
import numpy as np
from onnx import TensorProto
from peer import CASES, Model, main

WORDS = np.array([[b"ant", b"", b"crow", b"eel"], [b"b", b"dodo", b"\xc3\xa4ffin", b"zebra"], [b"x", b"yy", b"zzz", b"ant"]])


def add(name, op, *inputs, outputs=1, types=(TensorProto.STRING,), domain="", weights=(), **attributes):
    def build(_):
        m = Model(op, outputs, domain=domain, **attributes)
        for array in inputs:
            m.input(array, *(["N"] if array.ndim > 1 and array.shape[0] == 3 else []))
        for array in weights:
            m.weight(np.asarray(array))
        m.types = list(types) * outputs
        return m
    CASES[name] = build


def i64(*values):
    return np.array(values, np.int64)


add("gather", "Gather", WORDS[:, 0], weights=[i64([2, -3], [1, 1])])  # of slices of more than one string onnxruntime 1.32 gives the first alone
add("gather_column", "Gather", WORDS, weights=[np.array(-1)], axis=1)
add("gather_elements", "GatherElements", WORDS, weights=[i64([0, 3], [1, 1], [2, -4])], axis=1)
add("gather_nd", "GatherND", WORDS, weights=[i64([0, 3], [1, 1])])
add("features", "ArrayFeatureExtractor", WORDS, weights=[i64(3, 0)], domain="ai.onnx.ml")
add("slice", "Slice", WORDS, weights=[i64(-1), i64(-5), i64(1), i64(-2)])
add("transpose", "Transpose", WORDS)
add("reshape", "Reshape", WORDS, weights=[i64(2, -1, 3)])
add("unsqueeze", "Unsqueeze", WORDS, weights=[i64(-1)])
add("squeeze", "Squeeze", WORDS[:, :1], weights=[i64(1)])
add("flatten", "Flatten", WORDS, axis=0)
add("tile", "Tile", WORDS, weights=[i64(2, 1)])
add("expand", "Expand", WORDS[:, :1], weights=[i64(2, 3, 2)])
add("concat", "Concat", WORDS, np.array([[b"longest of all"], [b""], [b"q"]]), WORDS[:, :2], axis=-1)
add("where", "Where", np.array([[True], [False], [True]]), WORDS, np.array([b"p", b"qq", b"", b"a long one"]))
add("split", "Split", WORDS, outputs=2, axis=1, weights=[i64(1, 3)])
add("scatter", "ScatterElements", WORDS, i64([0, 1]), np.array([[b"new", b"newer still"]]), axis=1)
add("shape", "Shape", WORDS, types=[TensorProto.INT64])
add("size", "Size", WORDS, types=[TensorProto.INT64])

if __name__ == "__main__":
    main()
