# elements.py: tensors of an element type as the other scripts keep them: values of bf16 as f32, in files as words of 16 bits.
import numpy as np

DTYPES = {"f32": np.float32, "f16": np.float16, "bf16": np.float32}


def narrow(elem, a):  # to the nearest of the type
    if elem != "bf16":
        return a.astype(DTYPES[elem])
    words = np.ascontiguousarray(a, np.float32).view(np.uint32)
    return ((words + 0x7FFF + (words >> 16 & 1)) & 0xFFFF0000).view(np.float32)


def save(elem, path, a):
    np.save(path, (a.view(np.uint32) >> 16).astype(np.uint16) if elem == "bf16" else a)
