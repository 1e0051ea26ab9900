"""arrays.py MODEL ARTIFACT: the package with NumPy's arrays."""
import ast
import gc
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import ml_dtypes
import numpy as np
import tcc
from tcc import _native

MODEL, ARTIFACT = sys.argv[1:3]
ELEMENTS = {"float32": "f32", "float64": "f64", "float16": "f16", "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8",
            "uint64": "ui64", "uint32": "ui32", "uint16": "ui16", "uint8": "ui8", "bool": "i1"}
BARE = {"bfloat16": "bf16", "float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2", "float8_e4m3fnuz": "f8E4M3FNUZ",
        "float8_e5m2fnuz": "f8E5M2FNUZ", "float8_e8m0fnu": "f8E8M0FNU"}


def transpose(element):
    """A model that turns a matrix of three columns."""
    return _native.compile_memory("transpose.mlir", f"""module {{
      func.func @main(%x: tensor<?x3x{element}, ["N", 3]> {{tcc.name = "x"}}) -> (tensor<3x?x{element}, [3, "N"]> {{tcc.name = "y"}}) {{
        %0 = "tcc.transpose"(%x) {{perm = array<i64: 1, 0>}} : (tensor<?x3x{element}, ["N", 3]>) -> tensor<3x?x{element}, [3, "N"]>
        return %0 : tensor<3x?x{element}, [3, "N"]>
      }} }}""".encode())


def same(element):
    """A model that gives what it gets: there are no kernels for floats of 8 bits by themselves."""
    return _native.compile_memory("same.mlir", f"""module {{
      func.func @main(%x: tensor<?x3x{element}, ["N", 3]> {{tcc.name = "x"}}) -> (tensor<?x3x{element}, ["N", 3]> {{tcc.name = "y"}}) {{
        return %x : tensor<?x3x{element}, ["N", 3]>
      }} }}""".encode())


def total(n):
    """A model that adds what it gets to its state."""
    return _native.compile_memory("total.mlir", f"""module {{
      func.func @main(%x: tensor<{n}xf32> {{tcc.name = "x"}}, %s: tensor<{n}xf32> {{tcc.name = "s", tcc.state}}) -> (tensor<{n}xf32> {{tcc.name = "y"}},
          tensor<{n}xf32> {{tcc.state, tcc.tied = 1 : i64}}, tensor<{n}xf32> {{tcc.initial = 1 : i64}}) {{
        %0 = "tcc.add"(%s, %x) : (tensor<{n}xf32>, tensor<{n}xf32>) -> tensor<{n}xf32>
        %1 = "tcc.constant"() {{value = dense<0.0> : tensor<{n}xf32>}} : () -> tensor<{n}xf32>
        return %0, %0, %1 : tensor<{n}xf32>, tensor<{n}xf32>, tensor<{n}xf32>
      }} }}""".encode())


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


class Arrays(unittest.TestCase):
    def refused(self, code, words, call, *args, **named):
        with self.assertRaises(tcc.Error) as caught:
            call(*args, **named)
        self.assertEqual(caught.exception.code, code)
        self.assertIn(words, str(caught.exception))

    def test_model(self):
        model = tcc.compile(MODEL)
        self.assertEqual(model.inputs, (("x", "float32", ("B", 8)),))
        self.assertEqual([p.name for p in model.outputs], ["y", "where", "top"])
        self.assertEqual(model.outputs[1].shape, (2, "N"))
        self.assertIn("kernels", model.report)
        for rows in (1, 5, 3, 5):
            x = np.random.default_rng(rows).standard_normal((rows, 8)).astype(np.float32)
            y, where, top = model(x)
            np.testing.assert_allclose(np.asarray(y), softmax(x @ np.full((8, 8), 0.25, np.float32)), rtol=1e-5)
            np.testing.assert_array_equal(np.asarray(where), np.nonzero(x))
            np.testing.assert_array_equal(np.from_dlpack(top), -np.sort(-x)[:, :3])
            np.testing.assert_array_equal(np.asarray(model(x=x)[2]), np.asarray(top))

    def test_artifact(self):
        x = np.ones((2, 8), np.float32)
        for model in (tcc.load(ARTIFACT), tcc.load(os.fsencode(ARTIFACT).decode(), threads=1), tcc.compile(ARTIFACT)):
            self.assertEqual(model(x)[2].shape, (2, 3))
        self.refused("not found", "none.so", tcc.load, "none.so")
        self.refused("invalid", "artifact", tcc.load, MODEL)

    def test_layouts(self):
        model = transpose("f32")
        base = np.arange(60, dtype=np.float32).reshape(10, 6)
        frozen = base[:, :3].copy()
        frozen.flags.writeable = False
        turned = np.asfortranarray(base[:, 1:4])
        for x in (base[:, :3], base[::-2, ::2], base[2:2, :3], turned, frozen, base.T[:3].T, np.broadcast_to(np.float32(2), (4, 3))):
            np.testing.assert_array_equal(np.asarray(model(x)), x.T)
        np.testing.assert_array_equal(np.asarray(model(memoryview(base[1:, :3]))), base[1:, :3].T)

    def test_elements(self):
        for name, element in ELEMENTS.items():
            x = (np.arange(12).reshape(4, 3) % 2 if name == "bool" else np.arange(12).reshape(4, 3)).astype(name)
            y = transpose(element)(x)
            self.assertEqual((y.dtype, y.shape, y.ndim, y.nbytes), (name, (3, 4), 2, x.nbytes))
            np.testing.assert_array_equal(np.asarray(y), x.T)
            np.testing.assert_array_equal(np.from_dlpack(y), x.T)

    def test_elements_that_numpy_lacks(self):
        for name, element in BARE.items():
            x = np.arange(1, 13).reshape(4, 3).astype(getattr(ml_dtypes, name))
            bits = x.view(f"uint{8 * x.itemsize}")
            turns = name == "bfloat16"
            y = (transpose if turns else same)(element)(tcc.Tensor(bits).view(name))
            self.assertEqual((y.dtype, y.shape), (name, (3, 4) if turns else (4, 3)))
            np.testing.assert_array_equal(np.asarray(y.view(bits.dtype.name)), bits.T if turns else bits)
            with self.assertRaisesRegex(BufferError, "DLPack, or view"):
                memoryview(y)
        self.refused("invalid", "width", tcc.Tensor(bits).view, "float32")
        self.refused("invalid", "no element type", tcc.Tensor(bits).view, "int7")

    def test_tensor(self):
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        view = tcc.Tensor(x.T)
        self.assertEqual((view.shape, view.strides, repr(view)), ((3, 2), (1, 3), "tcc.Tensor(float32, shape=(3, 2))"))
        x[0, 1] = 9
        self.assertEqual(np.asarray(view)[1, 0], 9)
        self.assertEqual(memoryview(view).tolist(), x.T.tolist())
        self.assertEqual(view.__dlpack_device__(), (1, 0))
        copy = np.from_dlpack(view, copy=True)
        x[0, 1] = 5
        self.assertEqual(copy[1, 0], 9)
        with self.assertRaises(BufferError):
            view.__dlpack__(dl_device=(2, 0))
        held = np.from_dlpack(transpose("f32")(x))  # it keeps the memory
        gc.collect()
        np.testing.assert_array_equal(held, x.T)
        self.refused("invalid", "no tensor", tcc.Tensor, "text")

    def test_errors(self):
        model = tcc.compile(MODEL)
        x = np.ones((2, 8), np.float32)
        self.refused("invalid", "'x' is missing", model)
        self.refused("invalid", "no input 'z'", model, z=x)
        self.refused("invalid", "given twice", model, x, x=x)
        self.refused("invalid", "2 arrays", model, x, x)
        self.refused("invalid", "f64, expected f32", model, x.astype(float))
        self.refused("invalid", "rank 1, expected 2", model, x[0])
        self.refused("invalid", "size 7, expected 8", model, x[:, :7])
        self.refused("not found", "none.onnx", tcc.compile, "none.onnx")
        self.refused("invalid", "graph.json", _native.compile_memory, "graph.json", b"{}")
        self.refused("unsupported", "a model in memory", _native.compile_memory, "model.onnx", b"")
        self.refused("invalid", "t.mlir", _native.compile_memory, "t.mlir", b"module {")
        self.refused("unsupported", "no memory that can be read", model, np.array(["a", "b"]))
        np.testing.assert_array_equal(np.asarray(model(x)[2]), np.ones((2, 3)))

    def test_options(self):
        self.assertIn("target", tcc.options())
        self.refused("invalid", ", ".join(tcc.options()), tcc.compile, MODEL, speed=1)
        self.refused("invalid", "reduce-overhead", tcc.compile, MODEL, mode="fast")
        for name, value in dict(threads=-1, cache=1, dims=3, inputs={"x": 3}, compile_time=0, target=5, verify_weights="some").items():
            with self.assertRaises(tcc.Error, msg=name):
                tcc.compile(MODEL, **{name: value})
        model = tcc.compile(MODEL, target="reference", dims={"B": 4}, threads=1, cache=False, indices="clamp", numerics="direct")
        self.assertEqual(model.inputs[0].shape, (4, 8))
        self.assertEqual(model.report["target"], "reference")
        self.refused("invalid", "expected 4", model, np.ones((2, 8), np.float32))

    def test_numbers_and_names(self):
        """Integers are integers of NumPy, too; what is none, and which option, size or input it is about, is said."""
        self.assertEqual(tcc.compile(MODEL, dims={"B": np.int64(4)}, threads=np.uint8(1)).inputs[0].shape, (4, 8))
        self.refused("invalid", "the option 'threads' is an integer from 0 to 1024, not 1025", tcc.compile, MODEL, threads=1025)
        self.refused("invalid", "the option 'threads' is an integer from 0 to 1024, not True", tcc.compile, MODEL, threads=True)
        self.refused("invalid", "the option 'dims' has for 'B' -1, which is no size", tcc.compile, MODEL, dims={"B": -1})
        self.refused("invalid", "the option 'dims' has for 'B' 2.0, which is no size", tcc.compile, MODEL, dims={"B": 2.0})
        self.refused("invalid", "the option 'inputs', 'x': <class 'list'> is no tensor", tcc.compile, MODEL, inputs={"x": [1]})
        model = tcc.compile(MODEL)
        self.refused("invalid", "input 0 '%s': <class 'list'> is no tensor" % model.inputs[0].name, model, [1])
        for _ in range(2):  # in the cache or not
            self.refused("invalid", "the model has no input 'none'; it has '%s'" % model.inputs[0].name, tcc.compile, MODEL, inputs={"none": np.ones(3)})

    def test_artifact(self):
        """What is compiled takes no option of a compilation."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.so")
            subprocess.run(["tcc-compile", MODEL, "-o", path, "--embed-weights"], check=True)
            self.assertEqual(tcc.compile(path, threads=1, cache=False, mode=None).inputs, tcc.load(path).inputs)
            self.refused("invalid", "is compiled: the option 'numerics' is for models", tcc.compile, path, numerics="eager")

    def test_states(self):
        model = total(4)
        self.assertEqual([(s.name, s.dtype, s.shape) for s in model.states], [("s", "float32", (4,))])
        self.assertEqual(tcc.compile(MODEL).states, ())
        first, x = np.array(model.state("s")), np.arange(4, dtype=np.float32)
        kept = np.asarray(model.state("s"))
        self.assertFalse(np.array_equal(np.asarray(model(x)), np.asarray(model(x))))
        self.assertFalse(np.array_equal(kept, first))  # the state itself
        second = kept.copy()
        model.reset_state("s")
        np.testing.assert_array_equal(kept, first)
        model(x), model(x)
        np.testing.assert_array_equal(kept, second)
        for array in (second * 2, memoryview(second * 2), tcc.Tensor(second * 2), np.repeat(second * 2, 2)[::2]):
            model.reset_state()
            model.set_state("s", array)
            np.testing.assert_array_equal(kept, second * 2)
        kept[:] = first  # written in place
        model(x), model(x)
        np.testing.assert_array_equal(kept, second)
        for call in (model.state, model.reset_state, lambda name: model.set_state(name, x)):
            self.refused("not found", "no state 't'; it has 's'", call, "t")
            for name in (5, None, b"s"):
                with self.assertRaises(TypeError):
                    call(name)
        self.refused("not found", "none at all", tcc.compile(MODEL).state, "s")
        self.refused("invalid", "state 's': <class 'list'> is no tensor", model.set_state, "s", [1.0])
        for bad in (x[:3], x.astype(float), x.reshape(2, 2), 3, None):
            with self.assertRaises(tcc.Error):
                model.set_state("s", bad)
        np.testing.assert_array_equal(kept, second)
        del model
        gc.collect()
        np.testing.assert_array_equal(kept, second)  # it keeps the model

    def test_states_and_threads(self):
        """Calls follow each other: one that comes in between is refused, and no update is lost."""
        n = 1 << 20
        model = total(n)
        x, done, others = np.ones(n, np.float32), [], []

        def work():
            for _ in range(30):
                try:
                    model(x)
                    done.append(1)
                except tcc.Error as error:
                    if error.code != "invalid" or "follow each other" not in str(error):
                        others.append(error)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(others, [])
        np.testing.assert_array_equal(np.asarray(model.state("s")), np.full(n, len(done), np.float32))

    def test_stubs(self):
        """_native.pyi has what the module has, and nothing else."""
        with open(os.path.join(os.path.dirname(tcc.__file__), "_native.pyi")) as file:
            tree = ast.parse(file.read())

        def public(names):
            return {name for name in names if not name.startswith("_")}
        top = {node.name: node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        self.assertEqual(public(top), public(dir(_native)))
        for name, node in top.items():
            if isinstance(node, ast.ClassDef) and name not in ("Error", "Port"):
                members = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
                self.assertEqual(public(members), public(vars(getattr(_native, name))), name)
                for member in members - {"__new__", "__buffer__"}:  # __buffer__ is a slot before Python 3.12
                    self.assertTrue(hasattr(getattr(_native, name), member), (name, member))
            if isinstance(node, ast.FunctionDef):
                self.assertTrue(callable(getattr(_native, name)))
        port = {part.target.id for part in top["Port"].body if isinstance(part, ast.AnnAssign)}
        self.assertEqual(port, public(vars(_native.Port)) - {"n_fields", "n_sequence_fields", "n_unnamed_fields"})
        self.assertEqual(set(tcc.__all__) - {"compile", "load", "explain", "options"}, {"Error", "Model", "Port", "Tensor", "__version__"})

    def test_cache(self):
        text = b'module { func.func @main(%x: tensor<7xf32> {tcc.name = "x"}) -> (tensor<7xf32> {tcc.name = "y"}) {' \
               b' %0 = "tcc.exp"(%x) : (tensor<7xf32>) -> tensor<7xf32> return %0 : tensor<7xf32> } }'
        text += f"// {os.getpid()} {time.time()}".encode()
        compiled = [_native.compile_memory("exp.mlir", text).report["compiled"] for _ in range(2)]
        self.assertEqual(compiled, [True, False])
        self.assertTrue(_native.compile_memory("exp.mlir", text, {"cache": False}).report["compiled"])

    def test_threads(self):
        model, wrong = tcc.compile(MODEL, threads=2), []

        def work(seed):
            rng = np.random.default_rng(seed)
            for _ in range(50):
                x = rng.standard_normal((rng.integers(1, 6), 8)).astype(np.float32)
                if not np.array_equal(np.asarray(model(x)[2]), -np.sort(-x)[:, :3]):
                    wrong.append(seed)
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_fork(self):
        model = tcc.compile(MODEL, threads=2)
        x = np.arange(16, dtype=np.float32).reshape(2, 8)
        want = np.asarray(model(x)[0])
        child = os.fork()
        if child == 0:
            os._exit(0 if np.array_equal(np.asarray(model(x)[0]), want) else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        np.testing.assert_array_equal(np.asarray(model(x)[0]), want)

    def test_interrupt(self):
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have switched it off
        threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            tcc.compile(MODEL, cache=False)
            time.sleep(60)
        self.assertEqual(len(tcc.compile(MODEL).outputs), 3)

    def test_references(self):
        model = tcc.compile(MODEL)
        x = np.ones((2, 8), np.float32)
        before = sys.getrefcount(x), sys.getrefcount(model), sys.getrefcount(tcc.Tensor)
        for _ in range(10):
            np.from_dlpack(model(x)[0])
            np.asarray(model(x=x)[1])
            tcc.Tensor(x).view("int32")
            for bad in (dict(z=x), dict(x=x[0])):
                with self.assertRaises(tcc.Error):
                    model(**bad)
        del bad
        gc.collect()
        self.assertEqual((sys.getrefcount(x), sys.getrefcount(model), sys.getrefcount(tcc.Tensor)), before)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
