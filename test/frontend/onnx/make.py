"""Models out of text: `make.py FILE FOLDER` writes one FOLDER/NAME.onnx for each part of FILE that starts with

    # ----- NAME [external]

The text is that of onnx.parser. `external` puts the initializers into NAME.bin. A line `# INPUT int64 2 : 3 4` (element type,
sizes, elements) becomes the next FOLDER/NAME/input_K.npy, a line `# LIST int64 : 1 2 | 3` an input_K.pb that holds a sequence of vectors. An input's size MINUS_ONE is written as the number -1, QUESTION as the name "?":
exporters do that where a size is not known. Initializers' numbers below 1e-30, which the parser has no smaller ones of, are written
2^-20 times as large: subnormal."""
import os
import re
import sys

import numpy as np
import onnx
import onnx.parser


def write_list(path, vectors):
    sequence = onnx.SequenceProto(elem_type=onnx.SequenceProto.TENSOR)
    sequence.tensor_values.extend(onnx.numpy_helper.from_array(vector) for vector in vectors)
    with open(path, "wb") as file:
        file.write(sequence.SerializeToString())


def write(folder, name, words, lines):
    model = onnx.parser.parse_model("".join(line for line in lines if not line.startswith("#")))
    path = os.path.join(folder, name + ".onnx")
    for dim in (d for i in model.graph.input for d in i.type.tensor_type.shape.dim):
        if dim.dim_param == "MINUS_ONE":
            dim.dim_value = -1
        if dim.dim_param == "QUESTION":
            dim.dim_param = "?"
    for tensor in model.graph.initializer:
        array = onnx.numpy_helper.to_array(tensor)
        if array.dtype == np.float32 and (small := (array != 0) & (np.abs(array) < 1e-30)).any():
            tensor.CopyFrom(onnx.numpy_helper.from_array(np.where(small, array * np.float32(2**-20), array), tensor.name))
    if "external" in words:
        for tensor in model.graph.initializer:
            array = onnx.numpy_helper.to_array(tensor)
            tensor.CopyFrom(onnx.numpy_helper.from_array(array, tensor.name))
        if os.path.exists(os.path.join(folder, name + ".bin")):  # onnx would append
            os.remove(os.path.join(folder, name + ".bin"))
        onnx.save_model(model, path, save_as_external_data=True, location=name + ".bin", size_threshold=0)
    else:
        onnx.save_model(model, path)
    data = os.path.join(folder, name)
    for k, line in enumerate(line for line in lines if line.startswith(("# INPUT ", "# LIST "))):
        os.makedirs(data, exist_ok=True)
        if line.startswith("# LIST "):
            kind, items = re.fullmatch(r"# LIST (\w+) :(.*)\n", line).groups()
            vectors = [np.array(item.split(), kind) for item in items.split("|") if item.strip()]
            write_list(os.path.join(data, f"input_{k}.pb"), vectors)
            continue
        kind, sizes, elements = re.fullmatch(r"# INPUT (\w+)((?: \d+)*) :(.*)\n", line).groups()
        array = np.array([float(x) for x in elements.split()]).astype(kind).reshape([int(s) for s in sizes.split()])
        np.save(os.path.join(data, f"input_{k}.npy"), array)


def main(file, folder):
    os.makedirs(folder, exist_ok=True)
    part = None
    for line in list(open(file)) + ["# ----- end\n"]:
        if line.startswith("# ----- "):
            if part:
                write(folder, part[0][0], part[0][1:], part[1])
            part = (line.split()[2:], [])
        elif part:
            part[1].append(line)


main(*sys.argv[1:])
