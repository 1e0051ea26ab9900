"""`divide-lanes.py FOLDER` writes pairs of integers of each type that quotients of floats might get wrong: multiples and their neighbours, the ends of
the type and of what a double holds, zeros and minus ones; the first half of those of 64 bits within 2^51."""
import sys

import numpy as np

random = np.random.default_rng(0)
for k, (elem, bits) in enumerate((("i1", 8), ("u2", 16), ("i4", 32), ("u4", 32), ("i8", 64), ("u8", 64))):
    signed, n = elem[0] == "i", 256
    low, high = (-(2 ** (bits - 1)) if signed else 0), 2 ** (bits - signed) - 1
    near = min(high, 2**51 - 1)
    b = [int(v) for v in 2 ** random.uniform(0, np.log2(near), n)]
    a = [v * (near // v) for v in b]
    a = [v + int(random.integers(-1, 2)) if 0 < v < near else v for v in a]
    if signed:
        a = [v * s for v, s in zip(a, random.choice([-1, 1], n).tolist())]
        b = [v * s for v, s in zip(b, random.choice([-1, 1], n).tolist())]
    edges = [low, low + 1, 0, 1, high, high - 1, near] + [-1, -2] * signed
    pairs = [(p, q) for p in edges for q in edges][:120]
    for i, (p, q) in enumerate(pairs):
        a[n - 1 - i], b[n - 1 - i] = p, q
    np.save(f"{sys.argv[1]}/input_{2 * k}.npy", np.array(a, elem))
    np.save(f"{sys.argv[1]}/input_{2 * k + 1}.npy", np.array(b, elem))
