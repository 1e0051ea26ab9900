"""pairs.py ZOO: of each model that the zoo has as .onnx and as .pt2, the .pt2 becomes as many regions and no more kernels of the kinds that
compute most than the .onnx. Unique kernels count: what is equal is one. Maps and relayouts are not compared: an archive has batch norms and casts
of weights that ONNX's exporter has folded, which are kernels that run once."""
import collections
import json
import pathlib
import subprocess
import sys

KINDS = ("contract", "conv", "attention", "pool", "scatter")
SPLIT = {"unet"}  # a block that its .onnx has three times is no region of its .pt2


def explained(file):
    text = subprocess.run(["tcc-explain", str(file), "--json", "--no-cache", "--target=x86,znver4", "--threads=1"], check=True,
                          capture_output=True, text=True).stdout
    found = json.loads(text)
    kinds = collections.Counter("conv" if k["kind"] == "winograd" else k["kind"] for k in found["kernels"])
    return {k: kinds[k] for k in KINDS}, len(found["regions"])


seen = 0
for folder in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    onnx, archive = folder / "model.onnx", folder / "model.pt2"
    if not onnx.exists() or not archive.exists():
        continue
    (wanted, regions), (kinds, cut) = explained(onnx), explained(archive)
    more = {k: (kinds[k], wanted[k]) for k in KINDS if kinds[k] > wanted[k]}
    if more or (cut != regions and folder.name not in SPLIT):
        print(f"{folder.name}: .pt2 {kinds}, {cut} regions; .onnx {wanted}, {regions} regions")
    seen += 1
print(f"{seen} pairs")
