"""device_states.py: what a model keeps from run to run, on the emulated device: written in place there, and read and set from the host."""
import ctypes
import os
import unittest

import numpy as np
import tcc

driver = ctypes.CDLL(os.environ["TCC_CUDA_LIBRARY"])
HOST_COPIES = b"cuMemcpyHtoDAsync_v2", b"cuMemcpyDtoHAsync_v2"
N = 1 << 12
TYPE = f"tensor<{N}xf32>"
ROWS = "tensor<16x16xf32>"
# s grows by x and u becomes what s was, which therefore must stay until the run is over.
MODEL = f"""module {{
  func.func @main(%x: {TYPE} {{tcc.name = "x"}}, %s: {TYPE} {{tcc.name = "s", tcc.state}}, %u: {TYPE} {{tcc.name = "u", tcc.state}})
      -> ({TYPE} {{tcc.name = "y"}}, {TYPE} {{tcc.state, tcc.tied = 1 : i64}}, {TYPE} {{tcc.state, tcc.tied = 2 : i64}},
          {TYPE} {{tcc.initial = 1 : i64}}, {TYPE} {{tcc.initial = 2 : i64}}) {{
    %sum = "tcc.add"(%s, %x) : ({TYPE}, {TYPE}) -> {TYPE}
    %y = "tcc.mul"(%sum, %u) : ({TYPE}, {TYPE}) -> {TYPE}
    %zero = "tcc.constant"() {{value = dense<0.0> : {TYPE}}} : () -> {TYPE}
    %one = "tcc.constant"() {{value = dense<1.0> : {TYPE}}} : () -> {TYPE}
    return %y, %sum, %s, %zero, %one : {TYPE}, {TYPE}, {TYPE}, {TYPE}, {TYPE}
  }} }}""".encode()
ALONE = f"""module {{
  func.func @main(%x: {TYPE} {{tcc.name = "x"}}, %s: {TYPE} {{tcc.name = "s", tcc.state}})
      -> (tensor<f32> {{tcc.name = "y"}}, {TYPE} {{tcc.state, tcc.tied = 1 : i64}}, {TYPE} {{tcc.initial = 1 : i64}}) {{
    %sum = "tcc.add"(%s, %x) : ({TYPE}, {TYPE}) -> {TYPE}
    %y = "tcc.reduce"(%sum) {{axes = array<i64: 0>, keepdims = false, kind = "max"}} : ({TYPE}) -> tensor<f32>
    %zero = "tcc.constant"() {{value = dense<0.0> : {TYPE}}} : () -> {TYPE}
    return %y, %sum, %zero : tensor<f32>, {TYPE}, {TYPE}
  }} }}""".encode()


# Several kernels, so that runs are graphs; the state is read again behind the kernel that makes its next value.
CHAIN = f"""module {{
  func.func @main(%x: {ROWS} {{tcc.name = "x"}}, %s: {ROWS} {{tcc.name = "s", tcc.state}})
      -> ({ROWS} {{tcc.name = "y"}}, {ROWS} {{tcc.state, tcc.tied = 1 : i64}}, {ROWS} {{tcc.initial = 1 : i64}}) {{
    %0 = "tcc.softmax"(%x) {{axis = 1 : i64}} : ({ROWS}) -> {ROWS}
    %1 = "tcc.dot_general"(%0, %s) {{lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}} : ({ROWS}, {ROWS}) -> {ROWS}
    %2 = "tcc.softmax"(%1) {{axis = 1 : i64}} : ({ROWS}) -> {ROWS}
    %sum = "tcc.add"(%s, %x) : ({ROWS}, {ROWS}) -> {ROWS}
    %y = "tcc.dot_general"(%2, %s) {{lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}} : ({ROWS}, {ROWS}) -> {ROWS}
    %one = "tcc.constant"() {{value = dense<1.0> : {ROWS}}} : () -> {ROWS}
    return %y, %sum, %one : {ROWS}, {ROWS}, {ROWS}
  }} }}""".encode()


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def calls(*names):
    return sum(driver.tccEmulateCalls(name) for name in names)


class States(unittest.TestCase):
    def compile(self, text, mode):
        return tcc._native.compile_memory("states.mlir", text, {"target": "nvptx,sm_90a", "mode": mode})

    def test_runs(self):
        x = np.arange(N, dtype=np.float32)
        for mode in ("default", "reduce-overhead"):
            model, s, u = self.compile(MODEL, mode), np.zeros(N, np.float32), np.ones(N, np.float32)
            for run in range(6):
                if run == 3:
                    model.reset_state()
                    s, u = np.zeros(N, np.float32), np.ones(N, np.float32)
                if run == 4:
                    s = x[::-1] * 2
                    model.set_state("s", np.repeat(s, 2)[::2])
                np.testing.assert_array_equal(np.asarray(model(x)), (s + x) * u, err_msg=f"{mode}, run {run}")
                s, u = s + x, s
                np.testing.assert_array_equal(np.asarray(model.state("s")), s)
                np.testing.assert_array_equal(np.asarray(model.state("u")), u)

    def test_places(self):
        """A run copies its input there and its output back, and not its state; a state that a kernel may write lies where it writes."""
        x = np.ones(N, np.float32)
        for mode in ("default", "reduce-overhead"):
            model = self.compile(ALONE, mode)
            for _ in range(3):
                model(x)
            before, copies = calls(*HOST_COPIES), calls(b"cuMemcpyDtoDAsync_v2")
            for k in range(4, 8):
                self.assertEqual(float(np.asarray(model(x))), k)
            self.assertEqual(calls(*HOST_COPIES) - before, 2 * 4)
            self.assertEqual(calls(b"cuMemcpyDtoDAsync_v2"), copies)

    def test_graphs(self):
        model, s = self.compile(CHAIN, "reduce-overhead"), np.ones((16, 16), np.float32)
        before, random = calls(b"cuGraphLaunch"), np.random.default_rng(1)
        for run in range(6):
            x = random.standard_normal((16, 16)).astype(np.float32)
            if run == 4:
                s = x * 2
                model.set_state("s", s)
            want = softmax(softmax(x) @ s) @ s
            np.testing.assert_allclose(np.asarray(model(x)), want, rtol=1e-4, atol=1e-4, err_msg=f"run {run}")
            s = s + x
            np.testing.assert_array_equal(np.asarray(model.state("s")), s)
        self.assertEqual(calls(b"cuGraphLaunch") - before, 5)

    def test_values(self):
        model = self.compile(ALONE, "default")
        for bad in (np.ones(3, np.float32), np.ones(N), np.ones((N, 1), np.float32)):
            with self.assertRaises(tcc.Error):
                model.set_state("s", bad)
        with self.assertRaises(tcc.Error):
            model.state("t")
        kept = np.asarray(model.state("s"))
        model(np.ones(N, np.float32))
        self.assertEqual(float(kept.max()), 0)  # a copy of what was there


unittest.main(argv=["device_states"])
