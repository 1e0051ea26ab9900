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
BLOCKS = torch.library.Library("torchao", "FRAGMENT")  # as torchao defines its operators, which needs not be there


def divided(block, size):
    """Sizes with those axes as two that blocks divide; the same with 1 for what is in a block."""
    whole, blocks = [], []
    for b, n in zip(block, size):
        whole += [n] if b in (1, n) else [n // b, b]
        blocks += [n if b == 1 else 1] if b in (1, n) else [n // b, 1]
    return whole, blocks


def quantize_affine(x, block_size, scale, zero_point, output_dtype, quant_min=None, quant_max=None):
    (whole, blocks), ends = divided(block_size, x.shape), torch.iinfo(output_dtype)
    y = (x.view(whole) * (1.0 / scale.view(blocks))).round() + zero_point.view(blocks)
    return y.clamp(ends.min if quant_min is None else quant_min, ends.max if quant_max is None else quant_max).view(x.shape).to(output_dtype)


def dequantize_affine(q, block_size, scale, zero_point, input_dtype, quant_min=None, quant_max=None, output_dtype=torch.float32):
    whole, blocks = divided(block_size, q.shape)
    y = q.view(whole).to(output_dtype)
    return ((y if zero_point is None else y - zero_point.view(blocks).to(output_dtype)) * scale.view(blocks)).view(q.shape).to(output_dtype)


def choose_qparams_affine(x, mapping_type, block_size, target_dtype, quant_min=None, quant_max=None, eps=None, scale_dtype=None, zero_point_dtype=None, keepdim=False):
    (whole, blocks), ends = divided(block_size, x.shape), torch.iinfo(target_dtype)
    low, high = ends.min if quant_min is None else quant_min, ends.max if quant_max is None else quant_max
    axes = [i for i, (a, b) in enumerate(zip(whole, blocks)) if a != b]
    least, most = x.view(whole).amin(axes).clamp(max=0), x.view(whole).amax(axes).clamp(min=0)
    if mapping_type == "ASYMMETRIC":
        scale = ((most - least) / (high - low)).clamp(min=eps or torch.finfo(x.dtype).smallest_normal)
        zero = (low - (least / scale).round()).clamp(low, high).to(zero_point_dtype or torch.int32)
    else:
        scale = torch.maximum(-least, most) / ((high - low) / 2) if mapping_type == "SYMMETRIC" else torch.maximum(least / low, most / high)
        scale = scale.clamp(min=eps or torch.finfo(x.dtype).smallest_normal)
        zero = torch.full_like(scale, int((high + low + 1) / 2)).to(zero_point_dtype or scale.dtype)
    if keepdim:
        shape = [n // b for n, b in zip(x.shape, block_size)]
        scale, zero = scale.reshape(shape), zero.reshape(shape)
    return scale.to(scale_dtype or x.dtype), zero


for schema, function in (
        ("quantize_affine(Tensor input, SymInt[] block_size, Tensor scale, Tensor? zero_point, ScalarType output_dtype, Scalar? quant_min=None, Scalar? quant_max=None) -> Tensor", quantize_affine),
        ("dequantize_affine(Tensor input, SymInt[] block_size, Tensor scale, Tensor? zero_point, ScalarType input_dtype, Scalar? quant_min=None, Scalar? quant_max=None, ScalarType output_dtype=6) -> Tensor", dequantize_affine),
        ("choose_qparams_affine(Tensor? input, str mapping_type, SymInt[] block_size, ScalarType target_dtype, Scalar? quant_min=None, Scalar? quant_max=None, float? eps=None, "
         "ScalarType? scale_dtype=None, ScalarType? zero_point_dtype=None, bool keepdim=False) -> (Tensor, Tensor)", choose_qparams_affine)):
    BLOCKS.define(schema)
    BLOCKS.impl(schema.partition("(")[0], function, "CompositeExplicitAutograd")


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

    def test_blocks(self):
        A = torch.ops.torchao
        x = numbers(6, 8, 16)
        for block, y, low, high in (([1, 1, 16], x, None, None), ([1, 1, 4], x + 4, -8, 7), ([6, 8, 16], x, -8, 7), ([2, 1, 16], x.bfloat16(), -8, 7), ([1, 4, 8], x - 4, None, None)):
            with self.subTest(block=block):
                def chosen(y):
                    return [A.choose_qparams_affine(y, mapping, block, torch.int8, low, high, 1e-5, None, torch.int32) for mapping in ("ASYMMETRIC", "SYMMETRIC", "SYMMETRIC_NO_CLIPPING_ERR")]
                scale, zero = chosen(y)[0]
                q = A.quantize_affine(y, block, scale, zero, torch.int8, low, high)
                self.compare(chosen, y)
                self.compare(lambda y, s, z: A.quantize_affine(y, block, s, z, torch.int8, low, high), y, scale, zero)
                self.compare(lambda q, s, z: A.dequantize_affine(q, block, s, z, torch.int8, low, high, output_dtype=y.dtype), q, scale, zero)
        self.compare(lambda x: A.choose_qparams_affine(x, "SYMMETRIC", [1, 1, 4], torch.uint8, keepdim=True), x)
        q, scale = numbers(6, 16).mul(20).to(torch.int8), numbers(6, 4).abs()
        self.compare(lambda q, s: A.dequantize_affine(q, [1, 4], s, None, torch.int8), q, scale)
        self.compare(lambda q, s: A.dequantize_affine(q, [1, 4], s, None, torch.int8, output_dtype=torch.bfloat16), q, scale)

    def test_groups(self):
        x, scales, zeros = numbers(6, 16), numbers(6, 4).abs() + 0.01, torch.arange(24, dtype=torch.int32).reshape(6, 4) - 12
        self.compare(lambda x, s, z: Q.quantize_per_channel_group.default(x, s, z, -8, 7, torch.int8, 4), x, scales, zeros)
        q = Q.quantize_per_channel_group.default(x, scales, zeros, -8, 7, torch.int8, 4)
        self.compare(lambda q, s, z: Q.dequantize_per_channel_group.default(q, s, z, -8, 7, torch.int8, 4, torch.float32), q, scales, zeros)
        self.compare(lambda q, s, z: Q.dequantize_per_channel_group.default(q, s, z, -8, 7, torch.int8, 32, torch.float32), q, scales[:, :1].contiguous(), zeros[:, :1].contiguous())

    def test_blocks_in_an_archive(self):
        A = torch.ops.torchao
        class Weights(torch.nn.Module):
            """What torchao makes of a linear layer with groups of weights and rows of bytes."""
            def __init__(self):
                super().__init__()
                self.register_buffer("q", numbers(24, 16).mul(3).round().to(torch.int8))
                self.register_buffer("scale", numbers(24, 4).abs() + 0.01)
                self.register_buffer("zero", torch.arange(96, dtype=torch.int8).reshape(24, 4) % 5)
            def forward(self, x):
                block = [1, x.shape[-1]]
                scale, zero = A.choose_qparams_affine(x, "ASYMMETRIC", block, torch.int8, eps=1e-5, scale_dtype=torch.float32, zero_point_dtype=torch.int8)
                x = A.dequantize_affine(A.quantize_affine(x, block, scale, zero, torch.int8), block, scale, zero, torch.int8)
                return torch.nn.functional.linear(x, A.dequantize_affine(self.q, [1, 4], self.scale, self.zero, torch.int8, -8, 7))
        net, x = Weights(), numbers(5, 16)
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/blocks.pt2"
            torch.export.save(torch.export.export(net, (x,), dynamic_shapes=({0: torch.export.Dim("rows")},)), path)
            for given in (x, numbers(9, 16)):
                torch.testing.assert_close(tcc.compile(path, cache=False)(given), net(given), rtol=1e-5, atol=1e-5)

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
