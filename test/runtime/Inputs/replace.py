"""replace.py DIR TIMES: replaces a model while tcc-run compiles it, puts it back, and runs it again: the cache must have its own results.

The moment is random within the time that a compilation takes.
"""
import os
import random
import shutil
import subprocess
import sys
import time

import numpy as np
import onnx
from onnx import helper

folder, times = sys.argv[1], int(sys.argv[2])
model, out = os.path.join(folder, "model.onnx"), os.path.join(folder, "out")
cache = os.path.join(folder, "cache")
for name, op in (("old", "Neg"), ("new", "Abs")):
    graph = helper.make_graph([helper.make_node(op, ["x"], ["y"])], "g", [helper.make_tensor_value_info("x", 1, ["n"])],
                              [helper.make_tensor_value_info("y", 1, ["n"])])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), os.path.join(folder, name))
np.save(os.path.join(folder, "x.npy"), np.array([1, -2, 3], np.float32))
command = ["tcc-run", model, "--input=x=" + os.path.join(folder, "x.npy"), "--save=" + out]
environment = dict(os.environ, TCC_CACHE_DIR=cache)
moments = random.Random(4)


def put(name):
    shutil.copy(os.path.join(folder, name), os.path.join(folder, "next"))
    os.rename(os.path.join(folder, "next"), model)


wrong = 0
put("old")
start = time.monotonic()
subprocess.run(command, env=environment, check=True)
took = time.monotonic() - start
for _ in range(times):
    shutil.rmtree(cache)
    first = subprocess.Popen(command, env=environment)
    time.sleep(moments.random() * took)
    put("new")
    assert first.wait() == 0
    put("old")
    subprocess.run(command, env=environment, check=True)
    wrong += not np.array_equal(np.load(os.path.join(out, "output_0.npy")), [-1, 2, -3])
print(f"{wrong} of {times} results are wrong")
