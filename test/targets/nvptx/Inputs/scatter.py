"""scatter.py FOLDER: operands of scatter.mlir, in FOLDER/inside, and in FOLDER/outside with an index of 300. Rows come several times."""
import pathlib
import sys

import numpy as np

rng = np.random.default_rng(0)
for name, worst in (("inside", 299), ("outside", 300)):
    folder = pathlib.Path(sys.argv[1]) / name
    folder.mkdir()
    rows = np.where(rng.random(200) < 0.5, 64, rng.integers(-300, 300, 200)).reshape(200, 1)
    rows[7] = worst
    normal = [rng.standard_normal(shape).astype(np.float32) for shape in ((300, 40), (200, 40), (3, 100), (4, 100))]
    for k, tensor in enumerate((normal[0], rows, normal[1], normal[2], np.array([[0], [2], [0], [-1]]), normal[3])):
        np.save(folder / f"input_{k}.npy", tensor)
