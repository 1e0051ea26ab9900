"""forge.py FROM TO NAME INDEX VALUE: a copy of a checkpoint with another integer in one of its tensors."""
import json
import pathlib
import struct
import sys

source, target, name, index, value = sys.argv[1:]
data = bytearray(pathlib.Path(source).read_bytes())
length, = struct.unpack_from("<Q", data)
first = json.loads(data[8:8 + length])[name]["data_offsets"][0]
struct.pack_into("<q", data, 8 + length + first + 8 * int(index), int(value))
pathlib.Path(target).write_bytes(data)
