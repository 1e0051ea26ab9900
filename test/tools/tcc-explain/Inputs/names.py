"""names.py DIR: writes a model whose names are not all UTF-8, and an artifact of it; names.py DIR TOOL model|artifact OPTION...: what tcc-TOOL writes of it has
all of them. @ in an option is the byte; the last one of tcc-run names a file."""
import json
import os
import subprocess
import sys

folder = os.fsencode(sys.argv[1])
files = {"model": folder + b"/m\xe9.onnx", "artifact": folder + b"/a\xe9.so"}

if len(sys.argv) == 2:
    import numpy as np
    import onnx
    import onnx.parser

    model = onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 17]> g (float[B_, 4] in_) => (float[B_, 4] out_) { [node_] out_ = MatMul (in_, w) }')
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.ones((4, 4), "f"), "w"))
    raw = model.SerializeToString()
    for name in (b"B_", b"in_", b"out_", b"node_"): raw = raw.replace(name, name[:-1] + b"\xe9")
    open(files["model"], "wb").write(raw)
    subprocess.run(["tcc-compile", files["model"], "-o", files["artifact"]], check=True)
    sys.exit()

tool, what, options = sys.argv[2], sys.argv[3], [o.encode().replace(b"@", b"\xe9") for o in sys.argv[4:]]
if tool == "run": options.append(folder + b"/out.json")
said = subprocess.run([f"tcc-{tool}", files[what], *options], capture_output=True, check=True).stdout
text = (open(folder + b"/out.json", "rb").read() if tool == "run" else said).decode()
found = json.loads(text)
names = {"explain": ["in�", "out�", "B�", "node�"], "run": ["node�"]}[tool] + (["m�.onnx"] if what == "artifact" and tool == "explain" else [])
for name in names: assert name in json.dumps(found, ensure_ascii=False), (name, text)
