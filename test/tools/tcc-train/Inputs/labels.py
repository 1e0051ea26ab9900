"""labels.py FOLDER OUT: data for a classifier of [8, 64] in ten classes, two batches of it. OUT/good: labels; OUT/outside: one of the second
batch is no class; OUT/nan: targets, and an input that is not a number."""
import pathlib
import sys

import numpy as np

out = pathlib.Path(sys.argv[2])
x = np.load(pathlib.Path(sys.argv[1]) / "input_0.npy")
x = np.concatenate([x, x])


def write(folder, **arrays):
    (out / folder).mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        np.save(out / folder / f"{name}.npy", array)


labels = np.arange(16) % 10
write("good", x=x, labels=np.where(labels == 3, -100, labels), target=np.zeros((16, 10), np.float32))
# Of the second batch, for the order is a function of the seed.
labels[0] = 60
write("outside", x=x, labels=labels)
bad = x.copy()
bad[:, 5] = np.nan
write("nan", x=bad, target=np.zeros((16, 10), np.float32))
