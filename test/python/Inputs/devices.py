"""devices.py MODEL: tensors on a device, of a library that is made here by ctypes over the emulated driver: what torch does with a GPU."""
import ctypes
import os
import sys
import unittest

import numpy as np
import tcc

MODEL = sys.argv[1]
CPU, CUDA = 1, 2
driver = ctypes.CDLL(os.environ["TCC_CUDA_LIBRARY"])


def check(error):
    if error:
        raise RuntimeError(f"the driver says {error}")


def open_driver():
    context = ctypes.c_void_p()
    check(driver.cuInit(0))
    check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    check(driver.cuCtxPushCurrent_v2(context))
    stream = ctypes.c_void_p()
    check(driver.cuStreamCreate(ctypes.byref(stream), 1))
    return stream


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("type", ctypes.c_int32), ("id", ctypes.c_int32), ("rank", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", DLTensor)]


class Array:
    """Floats on a device, or said to be."""

    def __init__(self, values=None, shape=None, device=(CUDA, 0), address=None):
        self.shape = tuple(values.shape if values is not None else shape)
        self.device, self.bytes = device, 4 * int(np.prod(self.shape))
        self.data = ctypes.c_void_p(address)
        if address is None:
            check(driver.cuMemAlloc_v2(ctypes.byref(self.data), ctypes.c_size_t(max(self.bytes, 1))))
        if values is not None and address is None:
            values = np.ascontiguousarray(values, np.float32)
            check(driver.cuMemcpyHtoDAsync_v2(self.data, values.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(self.bytes), stream))
        self.strides = [int(np.prod(self.shape[i + 1:])) for i in range(len(self.shape))]

    def numpy(self):
        values = np.empty(self.shape, np.float32)
        check(driver.cuMemcpyDtoHAsync_v2(values.ctypes.data_as(ctypes.c_void_p), self.data, ctypes.c_size_t(self.bytes), stream))
        check(driver.cuStreamSynchronize(stream))
        return values

    def fill(self, out):
        self.numbers = (ctypes.c_int64 * 8)(*self.shape), (ctypes.c_int64 * 8)(*self.strides)
        out.data, (out.type, out.id), out.rank = self.data, self.device, len(self.shape)
        out.code, out.bits, out.lanes, out.byte_offset = 2, 32, 1, 0
        out.shape, out.strides = self.numbers
        return out


class Capsule(Array):
    """The same without the exchange API: what it is asked for is kept."""

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None, max_version=None):
        self.asked = stream
        check(driver.cuStreamSynchronize(globals()["stream"]))
        self.managed = Managed(1, 0, None, None, 0)
        self.fill(self.managed.tensor)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        return new(ctypes.addressof(self.managed), b"dltensor_versioned", None)


# ---- the exchange API, with an allocator and a current stream ----
made, asked = {}, []
FUNCTIONS = [ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p, ctypes.c_void_p),
             ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p)),
             ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p)),
             ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DLTensor)),
             ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))]


def allocate(prototype, out, user, fail):
    like = DLTensor.from_address(prototype)
    array = Exchanged(shape=like.shape[:like.rank], device=(like.type, like.id))
    managed = Managed(1, 0, None, None, 0)
    array.fill(managed.tensor)
    made[ctypes.addressof(managed)] = managed, array
    out[0] = ctypes.addressof(managed)
    return 0


def to_object(managed, out):
    _, array = made.pop(managed)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(array))
    out[0] = id(array)
    return 0


def view(array, out):
    array.fill(out[0])
    return 0


def current_stream(kind, device, out):
    asked.append((kind, device))
    out[0] = stream.value
    return 0


class Table(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("previous", ctypes.c_void_p)] + \
               [(f"f{i}", kind) for i, kind in enumerate(FUNCTIONS)]


table = Table(1, 3, None, *(kind(f) for kind, f in zip(FUNCTIONS, (allocate, lambda *_: -1, to_object, view, current_stream))))


class Exchanged(Array):
    def contiguous(self):
        self.asked_dense = True
        values = np.lib.stride_tricks.as_strided(Exchanged.whole, self.shape, [4 * s for s in self.strides])
        return Exchanged(values)


def set_table():
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    Exchanged.__dlpack_c_exchange_api__ = new(ctypes.addressof(table), b"dlpack_exchange_api", None)


def mlp(x):
    return np.asarray(reference(np.ascontiguousarray(x, np.float32)))


class Devices(unittest.TestCase):
    def setUp(self):
        self.x = np.random.default_rng(1).standard_normal((5, 64)).astype(np.float32)

    def refused(self, words, model, *arrays):
        with self.assertRaises(tcc.Error) as caught:
            model(*arrays)
        self.assertEqual(caught.exception.code, "invalid")
        self.assertIn(words, str(caught.exception))

    def close(self, got, x):
        np.testing.assert_allclose(got, mlp(x), rtol=1e-4, atol=1e-6)

    def test_results_of_the_library(self):
        for mode in ("default", "reduce-overhead"):
            model = tcc.compile(MODEL, target="nvptx,sm_90a", mode=mode)
            model(Exchanged(self.x))  # the first one places small tensors of sizes
            waits = driver.tccEmulateCalls(b"cuStreamSynchronize")
            results = [model(Exchanged(self.x * k)) for k in range(1, 5)]
            self.assertEqual(driver.tccEmulateCalls(b"cuStreamSynchronize"), waits)
            self.assertEqual(asked[-1], (CUDA, 0))
            for k, y in enumerate(results, 1):
                self.assertIsInstance(y, Exchanged)
                self.assertEqual(y.device, (CUDA, 0))
                self.close(y.numpy(), self.x * k)

    def test_not_dense(self):
        model = tcc.compile(MODEL, target="nvptx,sm_90a")
        Exchanged.whole = np.ascontiguousarray(self.x.T)
        array = Exchanged(Exchanged.whole)
        array.shape, array.strides = (5, 64), [1, 5]
        self.close(model(array).numpy(), self.x)
        self.assertTrue(array.asked_dense)

    def test_capsules(self):
        model = tcc.compile(MODEL, target="nvptx,sm_90a")
        array = Capsule(self.x)
        self.close(np.asarray(model(array)), self.x)
        self.assertEqual(array.asked, 1)
        array = Capsule(np.ascontiguousarray(self.x.T))
        array.shape, array.strides = (5, 64), [1, 5]
        self.close(np.asarray(model(array)), self.x)

    def test_late_checks(self):
        """An index outside of its table is the error of a later call where results are on the device, else of its own."""
        model = tcc._native.compile_memory("rows.mlir", b"""module {
          func.func @main(%x: tensor<4xf32> {tcc.name = "x"}, %t: tensor<8x3xf32> {tcc.name = "t"}) -> (tensor<4x3xf32> {tcc.name = "y"}) {
            %0 = "tcc.convert"(%x) : (tensor<4xf32>) -> tensor<4xi64>
            %1 = "tcc.gather"(%t, %0) {axis = 0 : i64, valid = "signed"} : (tensor<8x3xf32>, tensor<4xi64>) -> tensor<4x3xf32>
            return %1 : tensor<4x3xf32>
          } }""", dict(target="nvptx,sm_90a"))
        table, good, bad = np.arange(24, dtype=np.float32).reshape(8, 3), np.array([7, 0, 2, -1]), np.array([0, 9, 1, 2])
        outside = "index 9 is outside [-8, 8), axis 0"
        model(Exchanged(bad), Exchanged(table)).numpy()
        self.refused("an earlier run: ", model, Exchanged(good), Exchanged(table))
        np.testing.assert_array_equal(model(Exchanged(good), Exchanged(table)).numpy(), table[good])
        self.refused(outside, model, Capsule(bad), Capsule(table))
        np.testing.assert_array_equal(np.asarray(model(Capsule(good), Capsule(table))), table[good])

    def test_host(self):
        model = tcc.compile(MODEL, target="nvptx,sm_90a")
        self.close(np.asarray(model(self.x)), self.x)

    def test_errors(self):
        model = tcc.compile(MODEL, target="nvptx,sm_90a")
        self.refused("input 0 'x' is on CUDA device 0, not in host memory, where it is wanted", reference, Exchanged(self.x))
        self.refused("input 0 'x' is on CUDA device 1, the model is on device 0", model, Capsule(self.x, device=(CUDA, 1)))
        self.refused("input 0 'x' is said to be on CUDA device 0, but its address is none of that device's memory", model,
                     Capsule(self.x, address=self.x.ctypes.data))
        both = tcc._native.compile_memory("add.mlir", b"""module {
          func.func @main(%a: tensor<4xf32> {tcc.name = "a"}, %b: tensor<4xf32> {tcc.name = "b"}) -> (tensor<4xf32> {tcc.name = "c"}) {
            %0 = "tcc.add"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
            return %0 : tensor<4xf32>
          } }""", dict(target="nvptx,sm_90a"))
        four = np.ones(4, np.float32)
        self.refused("input 0 'a' is in host memory, input 1 'b' on CUDA device 0: all of a call are on one side", both, four, Exchanged(four))
        np.testing.assert_array_equal(both(Exchanged(four), Exchanged(four)).numpy(), four + four)


stream = open_driver()
set_table()
reference = tcc.compile(MODEL)
unittest.main(argv=sys.argv[:1])
