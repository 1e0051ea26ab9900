"""hostile.py: what is no tensor, or none that tcc takes, is an exception with tcc's own text; what is one, however odd, gives the right result."""
import array
import ctypes
import datetime
import mmap
import sys
import unittest

import numpy as np
import tcc
from tcc import _native

TEXT = """module { func.func @main(%x: tensor<?x4xf32, ["N", 4]> {tcc.name = "NAME"}) -> (tensor<?x4xf32, ["N", 4]> {tcc.name = "y"}) {
  %0 = "tcc.relu"(%x) : (tensor<?x4xf32, ["N", 4]>) -> tensor<?x4xf32, ["N", 4]> return %0 : tensor<?x4xf32, ["N", 4]> } }"""


def compiled(options={}, name="x"):
    return _native.compile_memory("relu.mlir", TEXT.replace("NAME", name).encode(), options)


class Gives:
    """Something whose __dlpack__ is this function."""

    def __init__(self, give):
        self.give = give

    def __dlpack__(self, **how):
        return self.give()


class Asked:
    """An array that ends so when it is asked where it lies."""

    def __init__(self, x, end):
        self.x, self.end = x, end

    def __dlpack__(self, **how):
        return self.x.__dlpack__()

    def __dlpack_device__(self):
        raise self.end


class Untold(ValueError):
    """An error whose text ends so when it is made."""

    def __init__(self, end):
        self.end = end

    def __str__(self):
        raise self.end


class Raises:
    @property
    def __dlpack__(self):
        raise OSError("gone")


def raising(error):
    def give():
        raise error
    return Gives(give)


class Hostile(unittest.TestCase):
    def setUp(self):
        self.model, self.x = compiled(), np.arange(-6, 6, dtype=np.float32).reshape(3, 4)

    def refused(self, words, call, *args, code=None, **named):
        with self.assertRaises(tcc.Error) as caught:
            call(*args, **named)
        self.assertIn(words, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))
        if code:
            self.assertEqual(caught.exception.code, code)

    def everywhere(self, words, x):
        """As an argument, as a tensor, as an input that is compiled in."""
        for take in (self.model, tcc.Tensor, lambda x: compiled({"inputs": {"x": x}})):
            self.refused(words, take, x)

    def test_no_tensors(self):
        for x in (None, 3, 3.0, "text", [[1.0]], object(), self.model, datetime.date.today()):
            self.everywhere("is no tensor", x)

    def test_elements(self):
        for dtype in (">f4", "O", "M8[s]", "S4", np.longdouble, [("a", "f4")]):
            self.everywhere("no memory that can be read", np.zeros((3, 4), dtype))
        self.refused("has element type complex128, expected f32", self.model, self.x.astype(complex))
        for take in (tcc.Tensor, lambda x: compiled({"inputs": {"x": x}})):
            self.refused("element type that tcc does not have", take, self.x.astype(complex), code="unsupported")

    def test_exporters(self):
        self.everywhere("gone", Raises())
        self.everywhere("lost", raising(ValueError("lost")))
        self.everywhere("has no memory", raising(MemoryError()))
        for give in (lambda: None, lambda: 5, lambda: datetime.datetime_CAPI):
            self.everywhere("no capsule of DLPack", Gives(give))
        used = self.x.__dlpack__()
        np.testing.assert_array_equal(np.asarray(self.model(Gives(lambda: used))), np.maximum(self.x, 0))
        self.everywhere("used before", Gives(lambda: used))
        released = memoryview(self.x)
        released.release()
        self.everywhere("released memoryview", released)
        for end in (KeyboardInterrupt(), SystemExit(3)):  # no errors: they end the program
            for take in (self.model, tcc.Tensor, lambda x: compiled({"inputs": {"x": x}})):
                for x in (raising(end), Asked(self.x, end), raising(Untold(end))):
                    with self.assertRaises(type(end)):
                        take(x)
            slow = type("Slow", (), {"__float__": lambda self, end=end: (_ for _ in ()).throw(end)})()
            with self.assertRaises(type(end)):
                compiled({"compile_time": slow})

    def test_sizes(self):
        huge, huger = (np.broadcast_to(np.float32(1), (2**n, 4)) for n in (40, 58))
        self.refused("memory", self.model, huge, code="no memory")
        self.refused("memory", compiled, {"inputs": {"x": huge}}, code="no memory")
        for take in (self.model, tcc.Tensor, lambda x: compiled({"inputs": {"x": x}})):
            self.refused("address space", take, huger, code="no memory")
        for take in (tcc.Tensor, lambda x: compiled({"inputs": {"x": x}})):
            self.refused("32 axes", take, np.zeros((1,) * 32, np.float32))
        self.refused("rank 32", self.model, np.zeros((1,) * 32, np.float32))
        with self.assertRaises(MemoryError):
            tcc.Tensor(huge).__dlpack__(copy=True)
        self.assertEqual(self.model(self.x[:0]).shape, (0, 4))

    def test_memory(self):
        odd = np.frombuffer(b"\0" + self.x.tobytes(), np.uint8)[1:].view(np.float32).reshape(3, 4)  # no address of a float
        frozen = self.x.copy()
        frozen.flags.writeable = False
        windows = np.lib.stride_tricks.as_strided(self.x, (5, 4), (4, 4))
        lines = mmap.mmap(-1, self.x.nbytes)
        lines.write(self.x.tobytes())
        for x in (odd, frozen, windows, self.x[::-1, ::-1], np.asfortranarray(self.x), (ctypes.c_float * 4 * 3)(*map(tuple, self.x.tolist())),
                  memoryview(lines).cast("f", (3, 4)), memoryview(array.array("f", self.x.ravel())).cast("B").cast("f", (3, 4))):
            np.testing.assert_array_equal(np.asarray(self.model(x)), np.maximum(np.asarray(x), 0))
        self.refused("rank 1", self.model, array.array("f", range(4)))
        self.refused("element type ui8", self.model, b"abcd" * 12)

    def test_names(self):
        model = compiled(name="größe")
        np.testing.assert_array_equal(np.asarray(model(**{"größe": self.x})), np.maximum(self.x, 0))
        for name in ("grösse", "gr\udcffsse", ""):
            self.refused("has no input", model, **{name: self.x})

    def test_options(self):
        for name, values in dict(threads=(10**30, True, "2", 1025, -1), compile_time=(float("nan"), "x", 0, -1), target=("x\0y", "", "none", 5),
                                 dims=({"N": 10**30}, {"N": -1}, {5: 1}, {"N\0": 3}, {"Z": 3}, {"N": 2**62}, []), weights_dir=(5, "a\0b"),
                                 mode=(["default"], "fast\0"), compile_memory=(10**12, -1), inputs=({"x": 3}, 3), cache=(1, "no")).items():
            for value in values:
                self.refused("", compiled, {name: value})
        self.refused("no option 5", compiled, {5: 3})
        self.refused("tune_time", compiled, {"tune_time": 5})

        class Grows:  # a name that changes the dict while it is read
            def __fspath__(self):
                dims.update({f"k{i}": 1 for i in range(5000)})
                return "N"
        dims = {Grows(): 2}
        self.assertEqual(compiled({"dims": dims}).inputs[0].shape, (2, 4))

    def test_paths(self):
        for call in (tcc.compile, tcc.load):
            for path in (None, 3, self.x, []):
                with self.assertRaises(TypeError):
                    call(path)
            with self.assertRaises(ValueError):
                call("a\0b")
            for path in ("", ".", "/", "a" * 5000, b"\xff.onnx", "\udcff.onnx"):
                self.refused("", call, path)
        for text in (b"", b"abc", b"\x7fELF" + bytes(4000)):
            self.refused("artifact", _native.load_memory, "x", text, code="invalid")

    def test_bytes_in_names(self):
        text = TEXT.replace("NAME", "x\\FF").replace('"N"', """"'N\\FF'\"""")
        model = _native.compile_memory("relu.mlir", text.encode(), {})
        self.assertEqual((model.inputs[0].name, model.inputs[0].shape, model.outputs[0].shape), ("x\ufffd", ("N\ufffd", 4), ("N\ufffd", 4)))
        np.testing.assert_array_equal(model(self.x), np.maximum(self.x, 0))

    def test_types(self):
        with self.assertRaises(TypeError):
            tcc.Model()
        with self.assertRaises(TypeError):
            type("Mine", (tcc.Tensor,), {})
        for bad in (5, None, b"float32"):
            with self.assertRaises(TypeError):
                tcc.Tensor(self.x).view(bad)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
