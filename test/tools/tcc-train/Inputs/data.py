"""data.py FOLDER: data for the classifier of labels.py and the model of text of examples/train. FOLDER/arrays and FOLDER/arrays.safetensors:
the same samples; FOLDER/tokens.bin: a file of tokens, *-wrong.bin: others; FOLDER/large: an array of 16 GB, most of it a hole."""
import json
import pathlib
import struct
import sys

import numpy as np

out = pathlib.Path(sys.argv[1])
(out / "arrays").mkdir(parents=True, exist_ok=True)
generator = np.random.default_rng(0)
x, labels = generator.standard_normal((40, 64)).astype(np.float32), generator.integers(0, 10, 40)
np.save(out / "arrays" / "x.npy", x)
np.save(out / "arrays" / "labels.npy", labels)

parts, header, at = [x.tobytes(), labels.tobytes()], {}, 0
for name, kind, array in (("x", "F32", x), ("labels", "I64", labels)):
    header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [at, at + array.nbytes]}
    at += array.nbytes
text = json.dumps(header).encode()
(out / "arrays.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + b"".join(parts))


def tokens(name, count, values, magic=20240520, version=1):
    data = struct.pack("<256i", magic, version, count, *[0] * 253) + np.array(values, np.uint16).tobytes()
    (out / f"{name}.bin").write_bytes(data)


line = np.frombuffer(b"all work and no play makes a dull text, " * 60, np.uint8)
tokens("tokens", len(line), line)
tokens("magic-wrong", len(line), line, magic=7)
tokens("version-wrong", len(line), line, version=2)
tokens("cut-wrong", len(line) + 1, line)
tokens("few-wrong", 40, line[:40])
tokens("range-wrong", len(line), np.where(np.arange(len(line)) == 1000, 128, line))
(out / "short-wrong.bin").write_bytes(b"1234")

(out / "large").mkdir(exist_ok=True)
rows = 16 * 2**30 // 256
for name, descr, shape, size in (("x", "<f4", (rows, 64), 4 * 64), ("labels", "<i8", (rows,), 8)):
    with open(out / "large" / f"{name}.npy", "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": descr, "fortran_order": False, "shape": shape})
        file.truncate(file.tell() + rows * size)
