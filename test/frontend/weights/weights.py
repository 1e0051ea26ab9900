"""weights.py MODEL FOLDER: takes the weights out of a model: model.pt2 or model.onnx, all of whose weights are ones, and beside it the model's own as
safetensors: whole.safetensors, sharded (shards/model.safetensors.index.json), with other names (longer, shorter), and files that do not fit."""
import json
import pathlib
import struct
import sys
import zipfile

import numpy as np

TYPES = {4: "I32", 5: "I64", 6: "F16", 7: "F32", 8: "F64", 12: "BOOL", 13: "BF16"}  # torch's ScalarType
WIDTHS = {"I32": 4, "I64": 8, "F16": 2, "F32": 4, "F64": 8, "BOOL": 1, "BF16": 2}
ONES = {"F32": np.float32(1).tobytes(), "BF16": b"\x80\x3f", "F16": np.float16(1).tobytes()}


def write(path, tensors):
    """tensors: name -> (type, shape, bytes)"""
    header, data = {}, b""
    for name, (kind, shape, raw) in tensors.items():
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def of_archive(source, target):
    """The parameters and buffers, each once: of tied ones the first name."""
    tensors, seen = {}, set()
    with zipfile.ZipFile(source) as z, zipfile.ZipFile(target, "w") as out:
        root = z.namelist()[0].split("/")[0]
        config = json.loads(z.read(f"{root}/data/weights/model_weights_config.json"))["config"]
        kinds = {}
        for name, entry in config.items():
            meta, member = entry["tensor_meta"], f"{root}/data/weights/{entry['path_name']}"
            kind, shape = TYPES[meta["dtype"]], [s["as_int"] for s in meta["sizes"]]
            kinds[member] = kind
            key = (member, json.dumps(meta["storage_offset"]), tuple(shape))
            if key in seen:
                continue
            seen.add(key)
            width, raw = WIDTHS[kind], z.read(member)
            flat = np.frombuffer(raw, f"V{width}")[meta["storage_offset"]["as_int"]:]
            strides = [s["as_int"] * width for s in meta["strides"]]
            tensors[name] = kind, shape, np.lib.stride_tricks.as_strided(flat, shape, strides).tobytes()
        for info in z.infolist():
            data = z.read(info)
            one = ONES.get(kinds.get(info.filename))
            out.writestr(zipfile.ZipInfo(info.filename), one * (len(data) // len(one)) if one else data)
    return tensors


def of_onnx(source, target):
    import onnx
    from onnx import numpy_helper
    model, tensors = onnx.load(source), {}
    for initializer in model.graph.initializer:
        array = numpy_helper.to_array(initializer)
        if array.dtype != np.float32:
            continue
        tensors[initializer.name] = "F32", array.shape, array.tobytes()
        initializer.CopyFrom(numpy_helper.from_array(np.ones_like(array), initializer.name))
    onnx.save(model, target)
    return tensors


def main():
    source, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    model = folder / f"model{source.suffix}"
    tensors = of_onnx(source, model) if source.suffix == ".onnx" else of_archive(source, model)
    names = list(tensors)
    write(folder / "whole.safetensors", {**tensors, "of.nobody": ("U8", [3], b"abc")})
    write(folder / "elsewhere/longer.safetensors", {f"net.model.{n}": t for n, t in tensors.items()})
    prefix = names[0].split(".")[0] + "."
    if all(n.startswith(prefix) for n in names):
        write(folder / "shorter.safetensors", {n[len(prefix):]: t for n, t in tensors.items()})
    parts = {"model-00001-of-00002.safetensors": names[::2], "model-00002-of-00002.safetensors": names[1::2]}
    for file, of in parts.items():
        write(folder / "shards" / file, {n: tensors[n] for n in of})
    index = {"metadata": {"total_size": 0}, "weight_map": {n: f for f, of in parts.items() for n in of}}
    (folder / "shards/model.safetensors.index.json").write_text(json.dumps(index))
    # What does not fit: two are missing, one is of another type, one of another size.
    other = dict(tensors)
    for n in names[:2]:
        del other[n]
    kind, shape, raw = other[names[2]]
    other[names[2]] = "F64" if kind == "F32" else "F32", shape, raw + raw
    kind, shape, raw = other[names[3]]
    other[names[3]] = kind, [1, *shape], raw
    write(folder / "unfit.safetensors", other)
    (folder / "missing.index.json").write_text(json.dumps({"weight_map": {names[0]: "nowhere.safetensors"}}))
    (folder / "cut.safetensors").write_bytes((folder / "whole.safetensors").read_bytes()[:-1])


main()
