"""hostile.py MODEL FOLDER: files for --weights that are broken or lie, safetensors and indices: each is refused by a message that says what and where,
and takes no memory to speak of.

MODEL is a .pt2 of small weights. A row of CASES: the bytes of a file, and a part of the message. 100 MB above what a good file takes are far more
than any of them needs, and less than what their lengths claim."""
import json
import os
import pathlib
import resource
import struct
import subprocess
import sys

model, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
MOST = 100 << 10  # KB


def raw(header, data=b"", length=None):
    header = header if isinstance(header, bytes) else header.encode()
    return struct.pack("<Q", len(header) if length is None else length) + header + data


def file(entries, data=b"", **more):
    return raw(json.dumps({**entries, **more}), data)


def entry(kind, shape, begin, end):
    return {"dtype": kind, "shape": shape, "data_offsets": [begin, end]}


def index(mapping, **more):
    return json.dumps({"metadata": {}, "weight_map": mapping, **more}).encode()


A = entry("F32", [2], 0, 8)
a, eight = json.dumps({"a": A})[1:-1], bytes(8)
SAFETENSORS = {
    "empty": (b"", "0 bytes are too few"),
    "short": (b"1234567", "7 bytes are too few"),
    "length_only": (struct.pack("<Q", 0), "does not begin with '{'"),
    "length_past_end": (raw("{}", length=3), "the header has 3 bytes"),
    "length_negative": (raw("{}", length=2**64 - 1), "a header of more than"),
    "length_wraps": (raw("{}", length=2**64 - 8), "a header of more than"),
    "length_huge": (raw("{}", length=100000000), "the header has 100000000 bytes"),
    "pickle": (b"\x80\x02}q\x00.cos\nsystem\n(S'true'\ntR.", "a header of more than"),
    "zip": (b"PK\x03\x04" + bytes(60), "cut off: the header has 67324752 bytes"),
    "blank_first": (raw(" {" + a + "}", eight), "does not begin with '{'"),
    "list": (raw("[]"), "does not begin with '{'"),
    "cut_header": (raw("{" + a, eight), "',' or '}' expected"),
    "text_behind": (raw("{" + a + "} x", eight), "text behind the value"),
    "deep": (raw('{"a":' + "[" * 100000), "an object expected"),
    "deep_inside": (raw('{"a":{"x":' + "[" * 100000), "nested more than 256 deep"),
    "deep_metadata": (raw('{"__metadata__":{"x":' + "{" * 1000), "a string expected"),
    "metadata_number": (raw('{"__metadata__":{"x":1},' + a + "}", eight), "a string expected"),
    "not_utf8": (raw(b'{"\xc0\xaf":1}'), "is not UTF-8"),
    "nul": (raw(b'{"a\x00b":1}'), "header, byte"),
    "surrogate": (raw('{"\\ud800":1}'), "impossible escape"),
    "nan": (raw('{"a":{"dtype":"F32","shape":[NaN],"data_offsets":[0,8]}}', eight), "expected, not 'N'"),
    "huge_number": (raw('{"a":{"dtype":"F32","shape":[99999999999999999999],"data_offsets":[0,8]}}', eight), "does not fit into 64 bits"),
    "fraction": (raw('{"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,8]}}', eight), "an integer expected"),
    "doubled": (raw("{" + a + "," + a + "}", eight), "'a' is there twice"),
    "field_doubled": (raw('{"a":{"dtype":"F32","dtype":"F32"}}'), "'dtype' is there twice"),
    "no_type": (file({"a": {"shape": [2], "data_offsets": [0, 8]}}, eight), "lacks dtype"),
    "unknown_type": (file({"a": entry("F33", [2], 0, 8)}, eight), "unknown type 'F33'"),
    "overlap": (file({"a": A, "b": entry("U8", [4], 4, 8)}, eight), "begins in another one"),
    "same_bytes": (file({"a": A, "b": A}, eight), "begins in another one"),
    "gap": (file({"a": A, "b": entry("U8", [4], 9, 13)}, bytes(13)), "begins behind a gap"),
    "hole_first": (file({"a": entry("F32", [2], 8, 16)}, bytes(16)), "begins behind a gap"),
    "rest": (file({"a": A}, bytes(9)), "1 bytes belong to no tensor"),
    "past_end": (file({"a": A}, bytes(7)), "the file's 7 bytes"),
    "backwards": (file({"a": entry("F32", [2], 8, 0)}, eight), "offsets are not two"),
    "negative_offset": (file({"a": entry("F32", [2], -8, 0)}, eight), "offsets are not two"),
    "three_offsets": (file({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8, 8]}}, eight), "offsets are not two"),
    "negative_size": (file({"a": entry("F32", [-2], 0, 8)}, eight), "a size is negative"),
    "wrapping_sizes": (file({"a": entry("F32", [2**32, 2**32, 4], 0, 0)}), "has 0 bytes"),
    "wrapping_bits": (file({"a": entry("F32", [2**62], 0, 0)}), "has 0 bytes"),
    "half_byte": (file({"a": entry("F4", [3], 0, 2)}, b"12"), "has 2 bytes"),
    "rank": (file({"linear.weight": entry("F32", [1] * 5000, 0, 4)}, b"1234"), "of another type or size are 1: 'linear.weight'"),
    "many": (file({f"t{i}": entry("F32", [0], 0, 0) for i in range(100000)}), "it lacks 7"),
    "no_tensors": (raw("{}"), "it lacks 7"),
}
INDICES = {
    "empty": (b"", "byte 0"),
    "no_map": (b"{}", "it has no 'weight_map'"),
    "list": (b"[]", "an object expected"),
    "cut": (index({"a": "x.safetensors"})[:-2], "the text ends"),
    "text_behind": (index({}) + b"{}", "text behind the value"),
    "two_maps": (b'{"weight_map":{},"weight_map":{}}', "'weight_map' is there twice"),
    "doubled": (b'{"weight_map":{"a":"x.safetensors","a":"y.safetensors"}}', "tensor 'a' is there twice"),
    "number": (index({"a": 1}), "a string expected"),
    "deep": (b'{"x":' + b"[" * 100000, "nested more than 256 deep"),
    "up": (index({"a": "../good.safetensors"}), "'../good.safetensors' is a file in another folder"),
    "absolute": (index({"a": "/etc/passwd"}), "'/etc/passwd' is a file in another folder"),
    "backslash": (index({"a": "..\\good.safetensors"}), "is a file in another folder"),
    "other_ending": (index({"a": "pytorch_model.bin"}), "a file that does not end in .safetensors"),
    "ending_alone": (index({"a": ".safetensors"}), "a file that does not end in .safetensors"),
    "nul": (b'{"weight_map":{"a":"x\\u0000.safetensors"}}', "bad.index.json"),
    "nowhere": (index({"a": "nowhere.safetensors"}), "nowhere.safetensors: No such file"),
    "folder": (index({"a": "folder.safetensors"}), "folder.safetensors"),
    "device": (index({"a": "device.safetensors"}), "device.safetensors"),
    "pipe": (index({"a": "pipe.safetensors"}), "pipe.safetensors"),
    "not_in_file": (index({"a": "good.safetensors", "b": "good.safetensors"}), "2 tensors are not in their files: 'a'"),
    "many": (index({f"t{i}": "good.safetensors" for i in range(100000)}), "100000 tensors are not in their files"),
    "many_files": (index({f"t{i}": f"f{i}.safetensors" for i in range(5000)}), "f0.safetensors: No such file"),
    "metadata_number": (index({}, metadata=1), "it lacks 7"),
}


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))


def run(weights):
    """Exit status, messages, KB of memory."""
    child = subprocess.Popen(["tcc-compile", "--quiet", model, "--weights", weights, "-o", folder / "out.so"], stderr=subprocess.PIPE, text=True, errors="replace",
                             preexec_fn=limits)
    text = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    return os.waitstatus_to_exitcode(status), text, usage.ru_maxrss


(folder / "good.safetensors").write_bytes(file({"c": A}, eight))
(folder / "folder.safetensors").mkdir(exist_ok=True)
if not (folder / "pipe.safetensors").exists():
    (folder / "device.safetensors").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.safetensors")
_, text, usual = run(folder / "good.safetensors")
failed = "it lacks 7" not in text
for name, (data, message, path) in [(n, (*c, folder / "bad.safetensors")) for n, c in SAFETENSORS.items()] + [(n, (*c, folder / "bad.index.json")) for n, c in INDICES.items()]:
    path.write_bytes(data)
    code, text, used = run(path)
    if code != 1 or message not in text or used > usual + MOST:
        failed = True
        print(f"{path.name} {name}: exit {code}, {used - usual} KB more, {text[:500]!r}; wanted: {message}")
print(f"{len(SAFETENSORS) + len(INDICES)} files")
sys.exit(failed)
