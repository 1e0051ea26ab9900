# large.py DIR: the inputs of large.test, the first of which is a file with a hole, and what comes of them.
import os, sys
import numpy as np

place, count = sys.argv[1], (1 << 31) + 256
os.makedirs(place, exist_ok=True)
x = np.lib.format.open_memmap(place + "/input_0.npy", "w+", np.uint8, (count,))
x[-128:] = np.arange(128)
i = np.arange(33)[::-1] * 3 + count - 120
np.save(place + "/input_1.npy", i.astype(np.int64))
np.save(place + "/output_0.npy", x[-64:] ^ 3)
np.save(place + "/output_1.npy", x[i])
