"""large.py FILE WIDTH LAYERS: a .pt2 of so many square layers, as torch.export.save writes it, in a file whose weights are holes: zeros that take no
room on a disk."""
import json
import struct
import sys
import zlib

path, width, layers = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
ROOT = "large/"


def tensor(*sizes, wanted=False):
    strides = [1] if len(sizes) == 1 else [sizes[1], 1]
    return {"dtype": 7, "sizes": [{"as_int": n} for n in sizes], "requires_grad": wanted, "device": {"type": "cpu", "index": None},
            "strides": [{"as_int": n} for n in strides], "storage_offset": {"as_int": 0}, "layout": 7}


def graph():
    values, nodes, inputs, specs = {"x": tensor(1, width)}, [], [], []
    for i in range(layers):
        for part, sizes in (("weight", (width, width)), ("bias", (width,))):
            name = f"p_{i}_{part}"
            values[name] = tensor(*sizes, wanted=True)
            inputs.append({"as_tensor": {"name": name}})
            specs.append({"parameter": {"arg": {"name": name}, "parameter_name": f"{i}.{part}"}})
        values[f"y{i}"] = tensor(1, width)
        arguments = (("input", f"y{i - 1}" if i else "x"), ("weight", f"p_{i}_weight"), ("bias", f"p_{i}_bias"))
        nodes.append({"target": "torch.ops.aten.linear.default", "metadata": {}, "is_hop_single_tensor_return": None,
                      "inputs": [{"name": n, "arg": {"as_tensor": {"name": v}}, "kind": 1} for n, v in arguments],
                      "outputs": [{"as_tensor": {"name": f"y{i}"}}]})
    last = {"as_tensor": {"name": f"y{layers - 1}"}}
    return {"graph_module": {
        "graph": {"inputs": [*inputs, {"as_tensor": {"name": "x"}}], "outputs": [last], "nodes": nodes, "tensor_values": values, "sym_int_values": {},
                  "sym_bool_values": {}, "is_single_tensor_return": False, "custom_obj_values": {}, "sym_float_values": {}},
        "signature": {"input_specs": [*specs, {"user_input": {"arg": {"as_tensor": {"name": "x"}}}}], "output_specs": [{"user_output": {"arg": last}}]},
        "module_call_graph": []}, "opset_version": {"aten": 10}, "range_constraints": {}, "schema_version": {"major": 8, "minor": 20}}


def weights():
    """What weights there are, and the members that hold them."""
    config, sizes = {}, []
    for i in range(layers):
        for part, shape in (("weight", (width, width)), ("bias", (width,))):
            config[f"{i}.{part}"] = {"path_name": f"weight_{len(sizes)}", "is_param": True, "use_pickle": False, "tensor_meta": tensor(*shape, wanted=True)}
            sizes.append(4 * width ** len(shape))
    return {"config": config}, sizes


def write(file, directory, name, data, size):
    """A stored member; of data None so many zeros, which are skipped. Nobody asks for their CRC, and it is not theirs."""
    name, at = (ROOT + name).encode(), file.tell()
    crc = zlib.crc32(data) if data is not None else 0
    wide = struct.pack("<HHQQ", 1, 16, size, size)
    pad = -(at + 30 + len(name) + len(wide) + 4) % 64  # data begins where a vector may
    wide += struct.pack("<2sH", b"FB", pad) + b"Z" * pad
    file.write(struct.pack("<4s5H3I2H", b"PK\3\4", 45, 0, 0, 0, 33, crc, 0xffffffff, 0xffffffff, len(name), len(wide)) + name + wide)
    file.write(data) if data is not None else file.seek(size, 1)
    wide = struct.pack("<HHQQQ", 1, 24, size, size, at)
    directory.append(struct.pack("<4s6H3I5H2I", b"PK\1\2", 45, 45, 0, 0, 0, 33, crc, 0xffffffff, 0xffffffff, len(name), len(wide), 0, 0, 0, 0, 0xffffffff) + name + wide)


def main():
    config, sizes = weights()
    texts = {"archive_format": b"pt2", "archive_version": b"0", "byteorder": b"little", "models/model.json": json.dumps(graph()).encode(),
             "data/weights/model_weights_config.json": json.dumps(config).encode(), "data/constants/model_constants_config.json": b'{"config": {}}'}
    directory = []
    with open(path, "wb") as file:
        for i, size in enumerate(sizes):
            write(file, directory, f"data/weights/weight_{i}", None, size)
        for name, data in texts.items():
            write(file, directory, name, data, len(data))
        start, entries = file.tell(), b"".join(directory)
        end = start + len(entries)
        file.write(entries + struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, len(directory), len(directory), len(entries), start))
        file.write(struct.pack("<4sIQI", b"PK\6\7", 0, end, 1) + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 0xffff, 0xffff, 0xffffffff, 0xffffffff, 0))


main()
