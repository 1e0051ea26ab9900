"""limit.py PLAN MODEL_DIR OTHER CHECKPOINT - trains with a byte less than PLAN, the output of a run with checkpoint OTHER, says was planned."""
import json
import pathlib
import re
import subprocess
import sys

import numpy


def planned(text):
    return int(re.search(r"memory: (\d+) bytes are planned", text).group(1))


def tensors(path):
    data = pathlib.Path(path).read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    return {name: numpy.frombuffer(data[start + row["data_offsets"][0]:start + row["data_offsets"][1]], numpy.float32)
            for name, row in header.items() if name != "__metadata__" and row["dtype"] == "F32"}


plan, model, other, checkpoint = sys.argv[1:]
limit, folder = planned(pathlib.Path(plan).read_text()) - 1, pathlib.Path(model)
run = subprocess.run(["tcc-train", str(folder / "model.pt2"), "--data", str(folder / "test_data_set_0"), "--steps", "3", "--threads=1",
                      "--optimizer", "kind=sgd lr=0.1", "--memory", str(limit), "--checkpoint", checkpoint], capture_output=True, text=True)
if run.returncode:
    sys.exit(run.stderr)
if planned(run.stdout) > limit:
    sys.exit("more is planned than the limit")
a, b = tensors(other), tensors(checkpoint)
worst = max(float(numpy.abs(a[name] - b[name]).max() / max(numpy.abs(a[name]).max(), 1e-3)) for name in a)
if not a or set(a) != set(b) or worst > 1e-6:
    sys.exit(f"parameters differ by {worst:.2g} of the largest")
print("within the limit, below what is planned without one; parameters agree")
