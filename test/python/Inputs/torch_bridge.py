"""torch_bridge.py DUMP: what torch hands the backend goes through the compiler and back."""
import json
import math
import os
import sys
import threading
import unittest

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import tcc
from tcc import _native, dynamo

DUMP = sys.argv.pop(1)
texts, compile_memory = [], _native.compile_memory


def compile_recorded(name, text, options={}):
    if name == "graph.json":
        texts.append(text)
    return compile_memory(name, text, options)


_native.compile_memory = compile_recorded


def compiled(net, **how):
    torch._dynamo.reset()
    return torch.compile(net, backend=dynamo.backend, fullgraph=True, **how)


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w, self.b = torch.nn.Parameter(torch.randn(8, 8)), torch.nn.Parameter(torch.randn(8))

    def forward(self, x):
        return torch.relu(x @ self.w + self.b)


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("sum", torch.zeros(4, 8))

    def forward(self, x):
        self.sum.add_(x)
        return self.sum + self.sum


class Bridge(unittest.TestCase):
    def near(self, got, want):
        self.assertEqual((type(got), got.stride()), (torch.Tensor, want.stride()))
        torch.testing.assert_close(got, want.detach())

    def test_inference(self):
        net = Layer()
        call = compiled(net)
        with torch.no_grad():
            for _ in range(3):
                x = torch.randn(4, 8)
                self.near(call(x), net(x))
            net.w.data.mul_(2)  # weights are read where they lie
            self.near(call(x), net(x))
            self.near(call(x.t().contiguous().t()), net(x))

    def test_sizes(self):
        net = Layer()
        call, before = compiled(net, dynamic=True), len(texts)
        with torch.no_grad():
            for rows in (3, 5, 0, 40):
                x = torch.randn(rows, 8)
                self.near(call(x), net(x))
        document = json.loads(texts[before])
        self.assertEqual(document["range_constraints"], {name: {"min_val": 2, "max_val": None} for name in document["range_constraints"]})

    def test_training(self):
        net, x = Layer(), torch.randn(4, 8, requires_grad=True)
        net.forward = lambda x: x @ net.w
        y, grad = compiled(net)(x), torch.randn(4, 8)
        y.backward(grad)
        torch.testing.assert_close(net.w.grad, x.detach().t() @ grad)
        torch.testing.assert_close(x.grad, grad @ net.w.detach().t())

    def test_attention_training(self):  # flash attention's log-sum-exp and backward; of 300 rows in blocks
        for rows in (5, 300):
            visible = torch.ones(rows, rows, dtype=torch.bool).tril(1)
            for how in ({}, {"is_causal": True}, {"attn_mask": visible}, {"attn_mask": torch.randn(2, 1, rows, rows), "scale": 0.3}):
                q, k, v = operands = [torch.randn(2, 3, rows, 8, requires_grad=True) for _ in range(3)]
                wanted = torch.nn.functional.scaled_dot_product_attention(q, k, v, **how)
                grad = torch.randn_like(wanted)
                want = torch.autograd.grad(wanted, operands, grad)
                got = compiled(lambda q, k, v: torch.nn.functional.scaled_dot_product_attention(q, k, v, **how))(q, k, v)
                torch.testing.assert_close(got, wanted, atol=1e-5, rtol=1e-5)
                for mine, theirs in zip(torch.autograd.grad(got, operands, grad), want, strict=True):
                    torch.testing.assert_close(mine, theirs, atol=1e-5, rtol=1e-5)

    def test_safe_softmax(self):  # a row of -inf gives zeros
        x = torch.randn(3, 4).masked_fill(torch.tensor([[True], [False], [False]]), -torch.inf)
        for dim in (0, 1):
            torch.testing.assert_close(compiled(lambda x: torch.ops.aten._safe_softmax(x, dim))(x), torch.ops.aten._safe_softmax(x, dim))

    def test_roll(self):
        for shifts, dims in ((2, 0), (-1, 1), ((3, 9), (1, 0)), (5, ()), (0, 1), ((1, 1), (0, 0))):
            for dynamic in (False, True):
                call = compiled(lambda x: torch.roll(x, shifts, dims))
                for rows in (4, 7):
                    x = torch.randn(rows, 3)
                    if dynamic:
                        torch._dynamo.mark_dynamic(x, 0)
                    torch.testing.assert_close(call(x), torch.roll(x, shifts, dims), rtol=0, atol=0)

    def test_as_strided(self):  # with a tensor's own strides, but for axes of size 1
        x = torch.randn(1, 4, 1, 3)
        call = compiled(lambda x: torch.as_strided(x * 2, (1, 4, 1, 3), (7, 3, 9, 1)) + 1)
        torch.testing.assert_close(call(x), x * 2 + 1)
        x.requires_grad_()
        torch.as_strided(x * 2, (1, 4, 1, 3), (7, 3, 9, 1)).square().sum().backward()
        want, x.grad = x.grad, None
        call(x).square().sum().backward()
        torch.testing.assert_close(x.grad, want + 4)
        turned = compiled(lambda x: torch.as_strided(x * 2, (3, 4), (1, 3)) + 1)
        torch.testing.assert_close(turned(x.detach()), x.detach().reshape(4, 3).t() * 2 + 1)

    def test_in_place(self):
        net, x = Counter(), torch.randn(4, 8)
        call, place, version = compiled(net), net.sum.data_ptr(), net.sum._version
        for turn in range(1, 4):
            with torch.no_grad():
                torch.testing.assert_close(call(x), 2 * turn * x)
            torch.testing.assert_close(net.sum, turn * x)
        self.assertEqual((net.sum.data_ptr(), net.sum._version), (place, version + 3))

    def test_strides(self):
        for x in (torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last), torch.randn(2, 3, 4).permute(2, 0, 1), torch.randn(4, 1, 3),
                  torch.randn(3, 1, 4).transpose(0, 1), torch.zeros(0, 3), torch.tensor(-2.0)):
            self.near(compiled(torch.relu)(x), torch.relu(x))

    def test_outputs(self):
        call = compiled(lambda x: (torch.relu(x), x.shape[0] * 2, None, x), dynamic=True)
        x = torch.randn(6, 3)
        y, size, none, same = call(x)
        self.near(y, torch.relu(x))
        self.assertEqual((size, none), (12, None))
        self.assertIs(same, x)

    def test_numbers(self):
        """A size that no tensor has."""
        torch._dynamo.reset()
        call = torch.compile(lambda n, x: x[:2] * n + torch.arange(n).sum(), backend=dynamo.backend, dynamic=True, fullgraph=True)
        x = torch.randn(3, 4)
        for n in (5, 6, 40):
            torch.testing.assert_close(call(n, x), x[:2] * n + torch.arange(n).sum())

    def test_float_and_flag(self):
        """Numbers of a graph that are no sizes: inputs without axes."""
        tensor, names = lambda name: {"as_tensor": {"name": name}}, ("sizes", "strides")
        meta = {"dtype": 7, "requires_grad": False, "device": {"type": "cpu", "index": None}, "storage_offset": {"as_int": 0}, "layout": 7,
                **{name: [{"as_int": n}] for name, n in zip(names, (4, 1))}}
        inputs = [tensor("x"), {"as_sym_float": {"as_name": "f"}}, {"as_sym_bool": {"as_name": "b"}}]
        node = {"target": "torch.ops.aten.mul.Scalar", "name": "y", "outputs": [tensor("y")], "metadata": {}, "is_hop_single_tensor_return": None,
                "inputs": [{"name": name, "arg": arg, "kind": 1} for name, arg in zip(("self", "other"), inputs)]}
        value = lambda name: {"as_expr": {"expr_str": name, "hint": None}}
        graph = {"inputs": inputs, "outputs": [tensor("y")], "nodes": [node], "is_single_tensor_return": True,
                 "tensor_values": {"x": meta, "y": meta}, "sym_int_values": {}, "sym_bool_values": {"b": value("b0")},
                 "sym_float_values": {"f": value("f0")}, "custom_obj_values": {}}
        signature = {"input_specs": [{"user_input": {"arg": arg}} for arg in inputs], "output_specs": [{"user_output": {"arg": tensor("y")}}]}
        document = {"graph_module": {"graph": graph, "signature": signature, "module_call_graph": [], "metadata": {},
                                     "treespec_namedtuple_fields": {}},
                    "opset_version": {"aten": 10}, "range_constraints": {}, "schema_version": {"major": 8, "minor": 20}, "verifiers": [],
                    "torch_version": "2.15", "guards_code": []}
        model = _native.compile_memory("graph.json", json.dumps(document).encode(), {})
        self.assertEqual([(port.dtype, port.shape) for port in model.inputs], [("float32", (4,)), ("float64", ()), ("bool", ())])
        call, x = _native.Callable(model, ("x", "f", "b"), (("tensor", None),), torch.Tensor, ()), torch.arange(4.0)
        for number in (2.5, -1.0):
            self.near(call([x, number, True])[0], x * number)

    def test_elements(self):
        for dtype in (torch.float64, torch.bfloat16, torch.int64):
            x = torch.arange(6).to(dtype)
            self.near(compiled(lambda x: x + x)(x), x + x)

    def test_changed_behind_dynamo(self):
        model = _native.compile_memory("relu.mlir", b'module { func.func @main(%x: tensor<4xf32> {tcc.name = "x"}) -> (tensor<4xf32>'
                                       b' {tcc.name = "y"}) { %0 = "tcc.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32> return %0 : tensor<4xf32> } }')
        call = _native.Callable(model, ("x",), (("tensor", None),), torch.Tensor, ())
        arguments = [torch.tensor([-1.0, 2, -3, 4])]
        self.near(call(arguments)[0], torch.tensor([0.0, 2, 0, 4]))
        self.assertEqual(arguments, [])
        for wrong in (torch.zeros(5), torch.zeros(4, 1), torch.zeros(4, dtype=torch.float64), torch.zeros(4, device="meta"), 3,
                      FakeTensorMode().from_tensor(torch.zeros(4)), torch.zeros(4).to_sparse(), torch.zeros(4, dtype=torch.complex64), None):
            with self.assertRaises(tcc.Error) as caught:
                call([wrong])
            self.assertNotIn("\n", str(caught.exception))
        for wrong in ([], [torch.zeros(4)] * 2, 5):
            with self.assertRaises(tcc.Error):
                call(wrong)
        self.near(call((torch.ones(4),))[0], torch.ones(4))

    def test_bits(self):  # a sign that is still to be changed
        x = torch._neg_view(torch.ones(4))
        self.assertTrue(x.is_neg())
        call = compiled(torch.relu)
        call(torch.ones(4))
        with self.assertRaisesRegex(torch._dynamo.exc.BackendCompilerFailed, "negative"):
            call(x)
        with self.assertRaisesRegex(torch._dynamo.exc.BackendCompilerFailed, "is on meta"):
            call(torch.ones(4, device="meta"))
        model = _native.compile_memory("same.mlir", b'module { func.func @main(%x: tensor<4xf32> {tcc.name = "x"}) -> (tensor<4xf32>'
                                       b' {tcc.name = "y"}) { return %x : tensor<4xf32> } }')
        with self.assertRaisesRegex(tcc.Error, "resolve_neg"):
            model(x)

    def test_threads_and_fork(self):
        net, wrong = Layer(), []
        call = compiled(net)
        with torch.no_grad():
            call(torch.randn(4, 8))

        def work():
            with torch.no_grad():
                for _ in range(50):
                    x = torch.randn(4, 8)
                    if not torch.allclose(call(x), torch.relu(x @ net.w + net.b), atol=1e-5):
                        wrong.append(1)
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        child = os.fork()
        if child == 0:
            work()
            os._exit(len(wrong))
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_turned_matrix(self):  # a backward pass is given a matrix, not its transpose, of which a copy would be made
        a, x = torch.randn(6, 5, requires_grad=True), torch.randn(5, requires_grad=True)
        compiled(torch.mv)(a, x).square().sum().backward()
        graph = json.loads(texts[-1])["graph_module"]["graph"]
        given = [graph["tensor_values"][node["as_tensor"]["name"]] for node in graph["inputs"]]
        matrices = [[[n["as_int"] for n in value[key]] for key in ("sizes", "strides")] for value in given if len(value["sizes"]) == 2]
        self.assertEqual(matrices, [[[6, 5], [5, 1]]])
        torch.testing.assert_close((a.grad, x.grad), torch.autograd.grad((a @ x).square().sum(), (a, x)))

    def test_statistics_of_a_batch(self):
        x = torch.randn(8, 64, 28, 28)
        x = x - x.mean((0, 2, 3), keepdim=True)  # means are what this leaves, far below the rounding of a sum in f32
        net = torch.nn.BatchNorm2d(64)
        compiled(net)(x)
        exact = net.momentum * x.double().mean((0, 2, 3))
        self.assertLess((net.running_mean - exact).abs().max(), 1e-5 * exact.abs().mean())

    def test_statistics_of_halves(self):  # AOTAutograd's operator gives running ones of f16 as f32
        for dtype in (torch.float16, torch.bfloat16):
            x, net, eager = torch.randn(8, 4, 5).to(dtype), torch.nn.BatchNorm1d(4, dtype=dtype), torch.nn.BatchNorm1d(4, dtype=dtype)
            y, want = compiled(net)(x), eager(x)
            torch.testing.assert_close(y, want, rtol=0.02, atol=0.02)  # eager rounds at other places
            torch.testing.assert_close((net.running_mean, net.running_var), (eager.running_mean, eager.running_var))

    def test_far_ends(self):  # 1 - erf(x) would be 0 from 6 on
        for dtype, rtol in ((torch.float32, 1e-6), (torch.float64, 1e-13)):
            x = torch.linspace(-9, 9, 181, dtype=dtype)
            exact = torch.tensor([math.erfc(v) for v in x.tolist()], dtype=torch.float64)
            torch.testing.assert_close(compiled(torch.erfc)(x).double(), exact, rtol=rtol, atol=0)

    def test_memory_of_any_values(self):
        def net(x):
            return x.new_empty_strided((2, 3), (1, 2)).zero_() + 1, torch.empty_permuted((2, 3), (1, 0)).fill_(2)
        for got, want in zip(compiled(net)(torch.ones(2)), net(torch.ones(2))):
            torch.testing.assert_close(got, want)
            self.assertEqual(got.stride(), want.stride())

    def test_dropout_backward_of_integers(self):
        given = torch.arange(6), torch.arange(6) % 2 == 0, 1.5
        torch.testing.assert_close(compiled(torch.ops.aten.native_dropout_backward)(*given), torch.ops.aten.native_dropout_backward(*given))

    def test_dump(self):
        os.environ["TCC_DUMP"] = DUMP
        with torch.no_grad():
            compiled(Layer())(torch.randn(4, 8))
        del os.environ["TCC_DUMP"]
        [name] = os.listdir(DUMP)
        self.assertTrue(name.endswith("-inference.json"))
        with open(os.path.join(DUMP, name), "rb") as file:
            text = file.read()
        self.assertEqual(text, texts[-1])
        specs = [next(iter(s)) for s in json.loads(text)["graph_module"]["signature"]["input_specs"]]
        self.assertEqual(sorted(specs), ["parameter", "parameter", "user_input"])

    def test_model_with_torch(self):
        for dtype, element in ((torch.float8_e4m3fn, "f8E4M3FN"), (torch.bfloat16, "bf16"), (torch.bool, "i1")):
            model = _native.compile_memory("same.mlir", f"""module {{ func.func @main(%x: tensor<4x{element}> {{tcc.name = "x"}}) ->
                (tensor<4x{element}> {{tcc.name = "y"}}) {{ return %x : tensor<4x{element}> }} }}""".encode())
            x = torch.tensor([1, 0, 1, 0]).to(dtype)
            y = model(x)
            self.assertEqual((type(y), y.dtype), (torch.Tensor, dtype))
            self.assertEqual(y.float().tolist(), x.float().tolist())
            self.assertNotEqual(y.data_ptr(), x.data_ptr())
            z = torch.from_dlpack(tcc.Tensor(x))
            self.assertEqual(z.data_ptr(), x.data_ptr())


if __name__ == "__main__":
    unittest.main()
