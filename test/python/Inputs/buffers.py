"""Without NumPy: arrays of the standard library go in, memoryview reads what comes out."""
import array
import sys

import tcc

values = memoryview(array.array("f", range(24))).cast("B").cast("f", (3, 8))
y, where, top = tcc.load(sys.argv[1])(values)
assert memoryview(top).tolist() == [[7, 6, 5], [15, 14, 13], [23, 22, 21]]
assert (memoryview(where).format, where.shape, where.dtype) == ("q", (2, 23), "int64")
assert "numpy" not in sys.modules
