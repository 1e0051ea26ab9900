"""device_tune.py MODEL DATABASE: mode max-autotune in a process that has used CUDA, as torch's has: its forks have no driver."""
import ctypes
import os
import sqlite3
import sys

import numpy as np
import tcc

model, database = sys.argv[1:]
driver = ctypes.CDLL(os.environ["TCC_CUDA_LIBRARY"])
assert driver.cuInit(0) == 0
child = os.fork()
if child == 0:
    os._exit(driver.cuInit(0))
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3  # CUDA_ERROR_NOT_INITIALIZED

compiled = tcc.compile(model, target="nvptx,sm_90a", mode="max-autotune", tune_time=1, cache=False, dims={"M": 40})
a, b = (np.random.default_rng(0).standard_normal(shape).astype(np.float16) for shape in ((40, 64), (64, 128)))
np.testing.assert_allclose(np.asarray(compiled(a, b)).astype(np.float32), a.astype(np.float32) @ b.astype(np.float32), rtol=1e-2, atol=1e-1)
times = sqlite3.connect(database).execute("SELECT count(*) FROM measurement WHERE ratio > 0").fetchone()[0]
print("measured" if times else "nothing was measured")
