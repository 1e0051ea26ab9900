"""hostile.py PRINTER ARCHIVE FOLDER: breaks a good archive in many ways; each must be refused by a message that says what and where.

A way is a row of CASES: the bytes, and a part of what the reader must say; None: it reads them. 10 seconds of CPU are far above what any of
them needs, and catch only what is endless."""
import io
import json
import pathlib
import resource
import struct
import subprocess
import sys
import warnings
import zipfile
import zlib

warnings.simplefilter("ignore")  # of a name that is there twice
printer, source, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
folder.mkdir(parents=True, exist_ok=True)
good = open(source, "rb").read()
with zipfile.ZipFile(source) as z:
    members = {i.filename: z.read(i) for i in z.infolist()}
root = next(iter(members)).split("/")[0]
MODEL, WEIGHTS = f"{root}/models/model.json", f"{root}/data/weights/model_weights_config.json"


def pack(items, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        for name, data in items:
            z.writestr(zipfile.ZipInfo(name), data, method)
    return bytearray(out.getvalue())


def repack(changes, method=zipfile.ZIP_STORED):
    """Members with some replaced; None: left out."""
    items = {**members, **changes}
    return pack([(n, d) for n, d in items.items() if d is not None], method)


plain = pack(members.items())
deflated = repack({}, zipfile.ZIP_DEFLATED)


def end(data):
    return data.rfind(b"PK\5\6")


def entries(data):
    at, = struct.unpack_from("<I", data, end(data) + 16)
    while data[at:at + 4] == b"PK\1\2":
        name, extra, comment = struct.unpack_from("<HHH", data, at + 28)
        yield data[at + 46:at + 46 + name].decode(), at, struct.unpack_from("<I", data, at + 42)[0]
        at += 46 + name + extra + comment


def patch(where, offset, form, value, name=None, data=None):
    """Writes a field of the end record, of the central entry or of the local header of a member."""
    data = bytearray(plain if data is None else data)
    central, local = next((c, l) for n, c, l in entries(data) if n == (name or MODEL))
    struct.pack_into(form, data, {"end": end(data), "central": central, "local": local}[where] + offset, value)
    return data


def overlap():
    data = bytearray(plain)
    (_, a, _), (_, b, header) = list(entries(data))[:2]
    struct.pack_into("<I", data, a + 20, header)
    struct.pack_into("<I", data, a + 24, header)
    struct.pack_into("<II", data, 18, header, header)
    return data


def broken():
    """A deflated graph whose bytes begin with a block of a type that there is not."""
    data = bytearray(deflated)
    local = next(at for name, _, at in entries(data) if name == MODEL)
    data[local + 30 + len(MODEL)] = 0xFF
    return data


def zip64(offset, form, value, small=None):
    """Writes a field of ZIP64's end record, or (negative offset) of its locator, in the archive as torch wrote it."""
    data = bytearray(good)
    locator = end(data) - 20
    record, = struct.unpack_from("<Q", data, locator + 8)
    struct.pack_into(form, data, record + offset if offset >= 0 else locator - offset, *(value if isinstance(value, tuple) else (value,)))
    if small is not None:
        struct.pack_into("<HH", data, end(data) + 8, small, small)
    return data


def huge(path):
    """An archive with a weight of 12 GB, which is a hole in the file: sizes and offsets in ZIP64's fields."""
    items = dict(members)
    count, name = 1 << 30, f"{root}/data/weights/weight_2"
    config, program = json.loads(items[WEIGHTS]), json.loads(items[MODEL])
    for n in ("embed.weight", "head.weight"):
        config["config"][n]["tensor_meta"].update(sizes=[{"as_int": count}, {"as_int": 3}], strides=[{"as_int": 3}, {"as_int": 1}])
        config["config"][n]["path_name"] = "weight_2"
    for n in ("p_embed_weight", "p_head_weight"):
        tensor = program["graph_module"]["graph"]["tensor_values"].get(n)
        if tensor:
            tensor["sizes"] = [{"as_int": count}, {"as_int": 3}]
    items[WEIGHTS], items[MODEL] = json.dumps(config).encode(), json.dumps(program).encode()
    central = b""
    with open(path, "wb") as f:
        for n, data in items.items():
            size, crc, at, full = (12 * count if n == name else len(data)), zlib.crc32(data), f.tell(), 0xFFFFFFFF
            extra = struct.pack("<HHQQ", 1, 16, size, size)
            head = struct.pack("<HHHHHIIIHH", 45, 0, 0, 0, 0, crc, full, full, len(n), len(extra))
            f.write(b"PK\3\4" + head + n.encode() + extra)
            f.seek(size, 1) if n == name else f.write(data)
            extra = struct.pack("<HHQQQ", 1, 24, size, size, at)
            central += (b"PK\1\2" + struct.pack("<HHHHHHIIIHHHHHII", 45, 45, 0, 0, 0, 0, crc, full, full, len(n), len(extra), 0, 0, 0, 0, full)
                        + n.encode() + extra)
        at = f.tell()
        f.write(central + b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, len(items), len(items), len(central), at))
        f.write(b"PK\6\7" + struct.pack("<IQI", 0, at + len(central), 1))
        f.write(b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 0xFFFF, 0xFFFF, len(central), 0xFFFFFFFF, 0))


def edit(member, change):
    value = json.loads(members[member])
    change(value)
    return repack({member: json.dumps(value).encode()})


def weight(**fields):
    def change(config):
        config["config"]["embed.weight"].update(fields)
    return edit(WEIGHTS, change)


def meta(**fields):
    def change(config):
        config["config"]["embed.weight"]["tensor_meta"].update(fields)
    return edit(WEIGHTS, change)


def graph(change):
    return edit(MODEL, lambda p: change(p["graph_module"]["graph"]))


def text(value):
    return repack({MODEL: value})


def values(count):
    one = json.loads(members[MODEL])["graph_module"]["graph"]["tensor_values"]["ids"]
    return edit(MODEL, lambda p: p["graph_module"]["graph"]["tensor_values"].update({f"unused_{i}": one for i in range(count)}))


def bomb():
    return repack({f"{root}/data/weights/weight_0": bytes(200 << 20)}, zipfile.ZIP_DEFLATED)


def node(**fields):
    return graph(lambda g: g["nodes"][0].update(fields))


def signed(change):
    return edit(MODEL, lambda p: change(p["graph_module"]["signature"]))


model = members[MODEL].decode()
CASES = {
    # zip
    "cut": (plain[:-30], "no end record"),
    "cut_front": (plain[1000:], "neither a zip archive nor the JSON of a graph"),
    "short": (b"PK\3\4" + bytes(10), "cut off: 14 bytes"),
    "prefix": (b"PK\3\4" + bytes(60) + plain, "the central directory does not lie before its end record"),
    "gap_before_end": (plain[:end(plain)] + bytes(8) + plain[end(plain):], "the central directory does not lie before its end record"),
    "doubled": (pack([*members.items(), (MODEL, b"{}")]), f"member '{MODEL}' is there twice"),
    "overlap": (overlap(), "overlap at byte"),
    "same_header": (patch("central", 42, "<I", 0), "has another name"),
    "other_name": (patch("local", 30, "<B", 33), "has another name"),
    "other_size": (patch("local", 18, "<I", 5), "contradicts the central directory"),
    "other_method": (patch("local", 8, "<H", 8), "contradicts the central directory"),
    "past_end": (patch("central", 42, "<I", 0x7FFFFFFF), "its header lies outside of the archive"),
    "too_large": (patch("central", 20, "<I", 0x7FFFFFF0, data=patch("central", 24, "<I", 0x7FFFFFF0)), "go past the end"),
    "two_sizes": (patch("central", 24, "<I", 7), "two different sizes"),
    "no_zip64": (patch("central", 20, "<I", 0xFFFFFFFF), "its extra fields are malformed"),
    "crc": (patch("central", 16, "<I", 1, data=patch("local", 14, "<I", 1)), f"member '{MODEL}': its CRC-32 is"),
    "encrypted": (patch("central", 8, "<H", 1), "is encrypted"),
    "method": (patch("central", 10, "<H", 12), "compressed by method 12"),
    "many": (patch("end", 10, "<H", 60000, data=patch("end", 8, "<H", 60000)), "60000 members do not fit"),
    "few": (patch("end", 10, "<H", 2, data=patch("end", 8, "<H", 2)), "longer than its 2 entries"),
    "parts": (patch("end", 4, "<H", 1), "an archive in several parts"),
    "dots": (pack([*members.items(), (f"{root}/../../etc/passwd", b"x")]), "leaves its folder"),
    "absolute": (pack([*members.items(), ("/etc/passwd", b"x")]), "an absolute name"),
    "backslash": (pack([*members.items(), (f"{root}\\..\\x", b"x")]), "a backslash in its name"),
    "long_name": (pack([*members.items(), ("x" * 1025, b"x")]), "a name that is too long"),
    "zip64_place": (zip64(-8, "<Q", 7), "ZIP64's end record is not where it should be"),
    "zip64_length": (zip64(4, "<Q", 45), "ZIP64's end record has a wrong length"),
    "zip64_other": (zip64(40, "<Q", 7), "contradict each other"),
    "zip64_parts": (zip64(16, "<I", 7), "an archive in several parts"),
    "zip64_many": (zip64(24, "<QQ", (200000, 200000), small=0xFFFF), "200000 members, more than 131072"),
    "bomb": (bomb(), "its deflated members would take 2097"),
    "deflate": (broken(), f"member '{MODEL}': its compressed bytes at byte"),
    "deflate_size": (patch("central", 24, "<I", 9, data=patch("local", 22, "<I", 9, data=deflated)), "or not 9 bytes long"),
    # layouts
    "no_pt2": (pack([("a/b", b"c")]), "a zip archive, but no .pt2"),
    "old": (pack([("version", b"8.5"), ("serialized_exported_program.json", b"{}")]), "torch.export.save(torch.export.load("),
    "torch_2_8": (repack({WEIGHTS: None, f"{root}/data/weights/model.pt": b"PK"}), "the layout of torch 2.8"),
    "script": (pack([("m/data.pkl", b"\x80\2."), ("m/version", b"3")]), "a file of torch.save or TorchScript"),
    "compiled": (repack({MODEL: None, f"{root}/data/aotinductor/model/a.so": b"\x7fELF"}), "compiled code alone"),
    "big_endian": (repack({f"{root}/byteorder": b"big"}), "tcc reads 'little'"),
    "format": (repack({f"{root}/archive_format": b"pt3"}), "tcc reads 'pt2'"),
    "two": (repack({"other/archive_format": b"pt2"}), "two archives in one"),
    "two_models": (repack({MODEL: None, f"{root}/models/a.json": b"{}", f"{root}/models/b.json": b"{}"}), "2 programs in one archive"),
    # JSON
    "deep": (text(b"[" * 100000), "an object expected"),
    "deep_skipped": (text(b'{"x":' + b"[" * 100000), "nested more than 256 deep"),
    "deep_graphs": (text(b'{"graph_module":{"graph":' + b'{"nodes":[{"inputs":[{"arg":{"as_graph":{"graph":' * 50), "nested more than 256 deep"),
    "json_cut": (text(model[:-100].encode()), "a string has no end"),
    "json_end": (text(model[:-1].encode()), "the text ends"),
    "json_more": (text((model + "{}").encode()), "text behind the value"),
    "comment": (text(b"// {}"), "an object expected, not '/'"),
    "bare_nan": (text(model.replace('"as_float": "-Infinity"', '"as_float": NaN', 1).replace('"as_int": 1}', '"as_int": NaN}', 1).encode()),
                 "expected, not 'N'"),
    "utf8": (text(model.encode().replace(b"embed", b"\xc0\xaf", 1)), "a string is not UTF-8"),
    "surrogate": (text(model.replace("embed", "\\ud800", 1).encode()), "an impossible escape"),
    "huge_int": (text(model.replace('"as_int": 1}', '"as_int": 99999999999999999999}', 1).encode()), "does not fit into 64 bits"),
    "float_size": (text(model.replace('"as_int": 1}', '"as_int": 1.5}', 1).encode()), "an integer expected, not 1.5"),
    "field_twice": (text(model.replace('"nodes": [', '"nodes": [], "nodes": [', 1).encode()), "'nodes' is there twice"),
    "empty_union": (node(outputs=[{}]), "(graph_module.graph.nodes[0].outputs[0]): a union is empty"),
    "two_unions": (node(outputs=[{"as_none": True, "as_int": 1}]), "a union has a second member 'as_int'"),
    "no_target": (graph(lambda g: g["nodes"][0].pop("target")), "(graph_module.graph.nodes[0]): 'target' is missing"),
    "strides": (graph(lambda g: g["tensor_values"]["ids"].update(strides=[])), "a tensor has 1 sizes and 0 strides"),
    "negative": (graph(lambda g: g["tensor_values"]["ids"].update(sizes=[{"as_int": -1}])), "a tensor has the size -1"),
    "schema": (edit(MODEL, lambda p: p["schema_version"].update(major=9)), "schema version 9.20; tcc reads 8"),
    "inputs": (signed(lambda s: s["input_specs"].pop()), "inputs, and its signature"),
    "other_input": (signed(lambda s: s["input_specs"].reverse()), "in its signature"),
    # weights
    "pickle": (weight(use_pickle=True), "weight 'embed.weight' is a pickle, which tcc never reads: it is a tensor subclass, which torchao.utils.unwrap_tensor_subclass(model) takes apart"),
    "path": (weight(path_name="../../../etc/passwd"), "there is no member 'data/weights/../../../etc/passwd'"),
    "no_meta": (weight(tensor_meta=None), "another type or other sizes"),
    "blob": (meta(sizes=[{"as_int": 8}, {"as_int": 5}]), "weight 'embed.weight' does not fit into member"),
    "offset": (meta(storage_offset={"as_int": 1}), "weight 'embed.weight' does not fit into member"),
    "negative_offset": (meta(storage_offset={"as_int": -1}), "does not fit into member"),
    "stride": (meta(strides=[{"as_int": 2**62}, {"as_int": 1}]), "does not fit into member"),
    "negative_stride": (meta(strides=[{"as_int": -4}, {"as_int": 1}]), "sizes or strides that are no constants"),
    "overflow": (meta(sizes=[{"as_int": 2**32}, {"as_int": 2**32}]), "does not fit into member"),
    "symbolic": (meta(sizes=[{"as_expr": {"expr_str": "s0", "hint": None}}, {"as_int": 4}]), "sizes or strides that are no constants"),
    "other_type": (meta(dtype=4), "weight 'embed.weight' has another type or other sizes"),
    "zero_blob": (repack({f"{root}/data/weights/weight_0": b""}), "does not fit into member"),
    "missing": (edit(WEIGHTS, lambda c: [c["config"].pop(n) for n in ("embed.weight", "saved")]),
                "2 weights of the signature are missing: 'embed.weight', 'saved'"),
    "no_weights": (repack({WEIGHTS: None}), "weights of the signature are missing"),
    # well formed, and read
    "unused": (values(100000), None),
    "deflated": (deflated, None),
    "huge": (huge, None),
    "commented": (plain[:-2] + struct.pack("<H", 4) + b"note", None),
}


MOST_MB = 100  # of each


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (10, 10))


def peak():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


subprocess.run([printer, "--quiet", source], check=True)
usual, failed = peak(), False  # a sanitizer's own memory is another matter
for name, (data, message) in CASES.items():
    path = folder / f"{name}.pt2"
    data(path) if callable(data) else path.write_bytes(data)
    got = subprocess.run([printer, "--quiet", path], capture_output=True, text=True, preexec_fn=limits)
    right = got.returncode == 0 if message is None else got.returncode == 1 and message in got.stderr and str(path) in got.stderr
    if not right:
        failed = True
        print(f"{name}: exit {got.returncode}, {got.stderr!r}; wanted: {message}")
    path.unlink()
if usual < MOST_MB / 2 and peak() > MOST_MB:
    failed = True
    print(f"one took {peak():.0f} MB")
print(f"{len(CASES)} files")
sys.exit(failed)
