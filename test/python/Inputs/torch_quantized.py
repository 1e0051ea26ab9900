"""quantized_decomposed: what PyTorch's exports spell quantised models with, beside torch's own definitions; a model of it as an archive."""
import subprocess
import tempfile
import unittest

import torch
import torch.ao.quantization.fx._decomposed  # defines the operators
from torch.utils._pytree import tree_leaves

import tcc
from tcc import dynamo

Q = torch.ops.quantized_decomposed


def numbers(*shape):
    return torch.linspace(-3, 4, torch.Size(shape).numel()).sin().mul(2).reshape(shape)


class Product(torch.nn.Module):
    """A linear layer of bytes between bytes: zero points of its weight are a buffer of zeros, as quantisers write it."""

    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.arange(64 * 32).mul(37).remainder(255).sub(127).to(torch.int8).reshape(64, 32))
        self.register_buffer("scales", torch.linspace(0.001, 0.01, 64))
        self.register_buffer("zeros", torch.zeros(64, dtype=torch.int64))
        self.bias = torch.nn.Parameter(torch.linspace(-1, 1, 64))

    def forward(self, x):
        x = Q.dequantize_per_tensor.default(Q.quantize_per_tensor.default(x, 0.02, 4, -128, 127, torch.int8), 0.02, 4, -128, 127, torch.int8)
        y = torch.nn.functional.linear(x, Q.dequantize_per_channel.default(self.weight, self.scales, self.zeros, 0, -127, 127, torch.int8), self.bias)
        y = Q.quantize_per_tensor.default(torch.relu(y), 0.05, 0, 0, 255, torch.uint8)
        return Q.dequantize_per_tensor.default(y, 0.05, 0, 0, 255, torch.uint8)


class Trained(torch.nn.Module):
    """A linear layer in training for bytes, as quantisers write it: the ends of what its input and its weight have been are buffers."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 6)
        with torch.no_grad():
            self.layer.weight.copy_(numbers(6, 8))
            self.layer.bias.copy_(numbers(6))
        for name, count in (("input", 1), ("weight", 6)):
            for state, value in (("min", torch.inf), ("max", -torch.inf), ("scale", 1.0)):
                self.register_buffer(f"{name}_{state}", torch.full((count,), value))
            self.register_buffer(f"{name}_zero", torch.zeros(count, dtype=torch.int32))
        self.register_buffer("on", torch.tensor([1]))

    def faked(self, x, name, low, high, rows, symmetric):
        states = (getattr(self, f"{name}_{state}") for state in ("min", "max", "scale", "zero"))
        return torch.fused_moving_avg_obs_fake_quant(x, self.on, self.on, *states, 0.01, low, high, 0, rows, symmetric)

    def forward(self, x):
        return torch.nn.functional.linear(self.faked(x, "input", 0, 255, False, False), self.faked(self.layer.weight, "weight", -127, 127, True, True), self.layer.bias)


class Quantized(unittest.TestCase):
    def compare(self, function, *inputs, tolerance=0.0):
        torch._dynamo.reset()
        want, got = function(*inputs), torch.compile(function, backend=dynamo.backend, fullgraph=True)(*inputs)
        for one, other in zip(tree_leaves(got), tree_leaves(want), strict=True):
            torch.testing.assert_close(one, other, rtol=tolerance, atol=tolerance, check_dtype=False)  # torch's own types are not those that its graphs state

    def test_one_scale(self):
        for low, high, zero, of in ((-128, 127, 3, torch.int8), (0, 255, 130, torch.uint8), (-32768, 32767, 0, torch.int16)):
            with self.subTest(of=of):
                x = numbers(5, 7, 16)
                self.compare(lambda x: Q.quantize_per_tensor.default(x, 0.0031, zero, low, high, of), x)
                self.compare(lambda x: Q.quantize_per_tensor.default(x, 0.0031, zero, low, high, of), x.bfloat16())
                q = Q.quantize_per_tensor.default(x, 0.0031, zero, low, high, of)
                self.compare(lambda q: Q.dequantize_per_tensor.default(q, 0.0031, zero, low, high, of), q, tolerance=1e-7)

    def test_scales_that_are_tensors(self):
        x, scale, zero, ends = numbers(5, 16), torch.tensor([0.02], dtype=torch.float64), torch.tensor([5]), (torch.tensor(-128), torch.tensor(127))
        self.compare(lambda x, s, z: Q.quantize_per_tensor.tensor(x, s, z, -128, 127, torch.int8), x, scale, zero)
        self.compare(lambda x, s, z, a, b: Q.quantize_per_tensor.tensor2(x, s, z, a, b, torch.int8), x, scale, zero, *ends)
        q = Q.quantize_per_tensor.tensor(x, scale, zero, -128, 127, torch.int8)
        self.compare(lambda q, s, z: Q.dequantize_per_tensor.tensor(q, s, z, -128, 127, torch.int8), q, scale, zero, tolerance=1e-7)

    def test_channels(self):
        x, scales, zeros = numbers(5, 7, 16), torch.linspace(0.01, 0.06, 7), torch.arange(-3, 4)
        q = Q.quantize_per_channel.default(x, scales, zeros, 1, -128, 127, torch.int8)
        for s in (scales, scales.double()):
            self.compare(lambda x, s, z: Q.quantize_per_channel.default(x, s, z, 1, -128, 127, torch.int8), x, s, zeros)
            self.compare(lambda q, s, z: Q.dequantize_per_channel.default(q, s, z, 1, -128, 127, torch.int8), q, s, zeros, tolerance=1e-7)
        self.compare(lambda q, s: Q.dequantize_per_channel.default(q, s, None, -2, -128, 127, torch.int8), q, scales, tolerance=1e-7)

    def test_scales_of_what_is_there(self):
        x = numbers(5, 7, 16)
        for y in (x, x + 4, x - 4, 0 * x):
            self.compare(lambda y: Q.choose_qparams.tensor(y, -128, 127, 1e-7, torch.int8), y, tolerance=1e-6)
            self.compare(lambda y: Q.choose_qparams.tensor(y, 0, 255, 1e-7, torch.uint8), y, tolerance=1e-6)
            self.compare(lambda y: Q.choose_qparams_symmetric.tensor(y, -127, 127, 1e-7, torch.int8), y, tolerance=1e-6)
            self.compare(lambda y: Q.choose_qparams_symmetric.tensor(y, 0, 255, 1e-7, torch.uint8), y, tolerance=1e-6)

    def test_rows(self):
        def bytes_of(x, choose):
            s, z = choose(x, torch.int8)
            q = Q.quantize_per_token.default(x, s, z, -128, 127, torch.int8)
            return q, Q.dequantize_per_token.default(q, s, z, -128, 127, torch.int8, torch.float32)
        self.compare(lambda x: bytes_of(x, Q.choose_qparams_per_token.default), numbers(5, 7, 16), tolerance=1e-6)
        self.compare(lambda x: bytes_of(x, Q.choose_qparams_per_token_asymmetric.default), numbers(5, 7, 16), tolerance=1e-6)

    def test_training(self):
        torch._dynamo.reset()
        nets = Trained(), Trained()
        steps = nets[0], torch.compile(nets[1], backend=dynamo.backend, fullgraph=True)
        for i in range(3):
            for net, step in zip(nets, steps):
                net.zero_grad()
                step(numbers(5, 8) * (1 + i)).square().sum().backward()
            for (name, want), got in zip(nets[0].state_dict().items(), nets[1].state_dict().values()):
                torch.testing.assert_close(got, want, rtol=1e-6, atol=0, msg=name)
            for want, got in zip(nets[0].parameters(), nets[1].parameters()):
                torch.testing.assert_close(got.grad, want.grad, rtol=1e-5, atol=1e-5)

    def test_training_as_an_archive(self):
        net, x = Trained(), numbers(5, 8)
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/trained.pt2"
            torch.export.save(torch.export.export(net, (x,)), path)
            model = tcc.compile(path, cache=False)
            for i in range(3):  # the ends are states: each run sees those of the runs before
                torch.testing.assert_close(model(x * (1 + i)), net(x * (1 + i)).detach(), rtol=1e-5, atol=1e-5)

    def test_sizes_of_scales(self):
        def unseen(x, on, least, most, scale, zero):
            return torch.ops.aten._fused_moving_avg_obs_fq_helper_functional(x, on, on, least, most, scale, zero, 0.01, -127, 127, 0, True, True)[0]
        torch._dynamo.reset()
        empty, on = torch.zeros(0), torch.tensor([1])
        with self.assertRaises(torch._dynamo.exc.BackendCompilerFailed) as raised:
            torch.compile(unseen, backend=dynamo.backend)(numbers(5, 8), on, empty, empty, empty, empty.int())
        self.assertEqual(raised.exception.inner_exception.code, "unsupported")
        self.assertRegex(str(raised.exception), "'running_min' that has not as many elements as there are scales")

    def test_archive(self):
        net, x = Product().eval(), numbers(128, 32)
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/product.pt2"
            torch.export.save(torch.export.export(net, (x,)), path)
            model = tcc.compile(path, cache=False)
            explained = subprocess.run(["tcc-explain", path], check=True, capture_output=True, text=True).stdout
        self.assertRegex(explained, r"fused: .*dot_general sub convert", "sums of bytes, from which zero points are taken before they are floats")
        self.assertLess((model(x) - net(x)).abs().max(), 0.051)  # a number beside a tie may be rounded the other way
        self.assertLess(((model(x) - net(x)).abs() > 1e-6).float().mean(), 1e-3)


if __name__ == "__main__":
    unittest.main()
