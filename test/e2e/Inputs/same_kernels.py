"""same_kernels.py DIR...: whether each model runs the same kernels compiled by regions and as a whole.

A kernel is its kind, its emitter, its number of tiles and its name without numbers, which follow the order of functions."""
import collections
import os
import re
import subprocess
import sys


def kernels(model, *more):
    out = subprocess.run(["tcc-run", os.path.join(model, "model.onnx"), "--data", os.path.join(model, "test_data_set_0"), "--threads=1", "--no-packed-cache",
                          "--quiet", "--profile", *more], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"(\d+) tiles +(\S+) +(\S+) +(?:k\d+_)?(\S+)  .*$", out, re.MULTILINE)
    return collections.Counter((kind, emitter, tiles, re.sub(r"\d+", "", name)) for tiles, kind, emitter, name in found)


for model in sys.argv[1:]:
    regions, whole = kernels(model), kernels(model, "--no-dedup")
    print(os.path.basename(model), sum(regions.values()), "kernels", "the same" if regions and regions == whole else "differ")
    for name, one, other in (("by regions alone", regions, whole), ("as a whole alone", whole, regions)):
        for kernel, count in sorted((one - other).items()):
            print(f"  {name}: {count} x {' '.join(kernel)}")
