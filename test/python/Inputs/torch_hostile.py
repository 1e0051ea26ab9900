"""torch_hostile.py: tensors that are not plain memory of the CPU end in an exception that says why, or give the right result."""
import unittest

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.testing._internal.two_tensor import TwoTensor

import tcc
from tcc import _native, dynamo

TEXT = b"""module { func.func @main(%x: tensor<4xf32> {tcc.name = "x"}) -> (tensor<4xf32> {tcc.name = "y"}) {
  %0 = "tcc.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32> return %0 : tensor<4xf32> } }"""


class Named(torch.Tensor):
    """A subclass that changes nothing."""


class Wrapper(torch.Tensor):
    """A tensor that has its memory elsewhere."""

    @staticmethod
    def __new__(cls, x):
        return torch.Tensor._make_wrapper_subclass(cls, x.shape, dtype=x.dtype)

    def __init__(self, x):
        self.x = x

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), named=None):
        return function(*(a.x if isinstance(a, Wrapper) else a for a in args), **(named or {}))


def freed():
    x = torch.ones(4)
    x.untyped_storage().resize_(0)
    return x


def fake(**how):
    with FakeTensorMode():
        return torch.empty(4, **how)


def refused_tensors():
    """What a run refuses, with words of its message."""
    x = torch.arange(4.0)
    return [(torch.zeros(4, device="meta"), "meta"), (x.to_sparse(), "no memory that can be read"), (torch.eye(4).to_sparse_csr(), "no memory that can"),
            (torch.quantize_per_tensor(x, 0.1, 0, torch.quint8), "no memory that can be read"), (x.to_mkldnn(), "no memory that can be read"),
            (TwoTensor(x, x), "subclass"), (Wrapper(x), "subclass"), (fake(), "subclass"), (fake(device="cuda"), "subclass"),
            (torch.nested.nested_tensor([x, x[:2]]), "no memory that can be read"), (torch.nested.nested_tensor([x, x[:2]], layout=torch.jagged), "subclass"),
            (torch.masked.masked_tensor(x, x > 1), "subclass"), (freed(), ""), (x.to(torch.complex64), "element type")]


class Hostile(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()

    def refused(self, words, call, *args):
        """The error, whoever wraps it."""
        with self.assertRaises((tcc.Error, torch._dynamo.exc.BackendCompilerFailed)) as caught:
            call(*args)
        error = getattr(caught.exception, "inner_exception", caught.exception)
        self.assertIsInstance(error, tcc.Error)
        self.assertIn(words, str(error))

    def test_run(self):
        model = _native.compile_memory("relu.mlir", TEXT)
        call = _native.Callable(model, ("x",), (("tensor", None),), torch.Tensor, ())
        for x, words in refused_tensors():
            for take in (model, lambda x: call([x]), tcc.Tensor, lambda x: _native.compile_memory("relu.mlir", TEXT, {"inputs": {"x": x}})):
                self.refused(words, take, x)
        x = torch.arange(-2.0, 2)
        for bits in (torch._neg_view(x), (x + 1j * x).conj().imag):
            for take in (model, tcc.Tensor, lambda x: _native.compile_memory("relu.mlir", TEXT, {"inputs": {"x": x}})):
                self.refused("negative bit", take, bits)
        for same in (x, x.as_subclass(Named), torch.nn.Parameter(x), torch.complex(x, x).real, x.expand(3, 4)[1], x.flip(0).flip(0)):
            torch.testing.assert_close(model(same), torch.relu(x))

    def test_interrupt_in_passing(self):
        """What ends the program stays where an attribute of the tensor is code that it interrupts."""
        class Signed(torch.Tensor):
            def is_neg(self):
                raise KeyboardInterrupt

        x = torch.ones(4).as_subclass(Signed)
        for take in (_native.compile_memory("relu.mlir", TEXT), tcc.Tensor):
            with self.assertRaises(KeyboardInterrupt):
                take(x)

        class Ending(TorchDispatchMode):
            """Ends so whatever torch does, to make a result too."""

            def __init__(self, end):
                super().__init__()
                self.end = end

            def __torch_dispatch__(self, *args, **named):
                raise self.end

        call = _native.Callable(_native.compile_memory("relu.mlir", TEXT), ("x",), (("tensor", None),), torch.Tensor, ())
        for end in (KeyboardInterrupt(), ValueError("the mode's")):
            with self.assertRaises(type(end)) as caught, Ending(end):
                call([torch.ones(4)])
            self.assertIs(caught.exception, end)

        class Versioned(torch.Tensor):
            @property
            def _version(self):
                raise KeyboardInterrupt

        model = _native.compile_memory("relu.mlir", TEXT.replace(b'"x"}', b'"x", tcc.static}'))
        call = _native.Callable(model, ("x",), (("tensor", None),), torch.Tensor, (), hold=lambda *statics: None)
        torch.testing.assert_close(call([torch.ones(4)])[0], torch.ones(4))
        with self.assertRaises(KeyboardInterrupt):
            call([torch.ones(4).as_subclass(Versioned)])

    def test_compiled(self):
        x = torch.arange(-2.0, 2)
        ragged = torch.nested.nested_tensor([x, x[:2]], layout=torch.jagged)
        for bad, words in ((torch.zeros(4, device="meta"), "is on meta"), (x.to_mkldnn(), ""), (torch._neg_view(x), "negative"), (x.to(torch.complex32), "complex32"),
                           (fake(), "subclass"), (freed(), "has no data"),
                           (x.to(torch.float8_e4m3fn), "does not compute")):
            torch._dynamo.reset()
            self.refused(words, torch.compile(lambda x: x * 2, backend=dynamo.backend), bad)
        for number in (x + 1j, (x + 1j).conj(), torch.complex(x.double(), x.double())):
            torch._dynamo.reset()
            torch.testing.assert_close(torch.compile(lambda x: x * 2, backend=dynamo.backend)(number), number * 2)
        torch._dynamo.reset()
        torch.testing.assert_close(torch.compile(lambda x: x * 2, backend=dynamo.backend)(ragged).values(), ragged.values() * 2)
        for other in (x.to_sparse(), torch.eye(4).to_sparse_csr(), torch.quantize_per_tensor(x, 0.1, 0, torch.quint8)):
            torch._dynamo.reset()
            try:  # Dynamo itself runs some of these in eager mode
                got = torch.compile(torch.relu, backend=dynamo.backend)(other)
            except RuntimeError:
                continue
            except torch._dynamo.exc.BackendCompilerFailed as error:
                self.assertIsInstance(error.inner_exception, tcc.Error)
                continue
            torch.testing.assert_close(got.to_dense(), torch.relu(other).to_dense())
        torch._dynamo.reset()
        with self.assertRaises(RuntimeError):  # torch's where there is no device, else tcc's: it has no memory
            torch.compile(torch.relu, backend=dynamo.backend)(fake(device="cuda"))
        torch._dynamo.reset()
        call = torch.compile(torch.relu, backend=dynamo.backend)
        two = call(TwoTensor(x, x + 1))  # AOTAutograd takes it apart
        torch.testing.assert_close((two.a, two.b), (torch.relu(x), torch.relu(x + 1)))
        for good in (x.as_subclass(Named), Wrapper(x), torch.nn.Parameter(x), torch.complex(x, x).real, x.expand(3, 4)[1], x.numpy()):
            torch._dynamo.reset()
            torch.testing.assert_close(torch.as_tensor(call(good)), torch.relu(x), check_dtype=True)
        for other in (x.double(), x.bool(), x[:0], torch.tensor(3.0), torch.tensor(True)):
            torch._dynamo.reset()
            double = torch.compile(lambda x: x | x if x.dtype == torch.bool else x + x, backend=dynamo.backend)
            torch.testing.assert_close(double(other), other | other if other.dtype == torch.bool else other + other)

    def test_transforms(self):
        call, x = torch.compile(lambda x: torch.relu(x) * 3, backend=dynamo.backend), torch.randn(3, 4)
        torch.testing.assert_close(torch.vmap(call)(x), torch.relu(x) * 3)
        torch.testing.assert_close(torch.func.grad(lambda x: call(x).sum())(x), (x > 0) * 3.0)
        torch.testing.assert_close(torch.func.jacrev(call)(x[0]), torch.diag((x[0] > 0) * 3.0))

    def test_changed(self):
        """Behind Dynamo's back: where guards are not evaluated the run itself sees it."""
        net = torch.nn.Linear(4, 4)
        call, x = torch.compile(net, backend=dynamo.backend), torch.randn(2, 4)
        with torch.no_grad():
            torch.testing.assert_close(call(x), net(x))
            net.weight.data = torch.randn(4, 4)  # other memory
            torch.testing.assert_close(call(x), net(x))
            net.weight.set_(torch.randn(8, 4).t()[:, ::2])  # other strides
            torch.testing.assert_close(call(x), net(x))
            net.weight.data, net.bias.data = torch.randn(6, 4), torch.randn(6)  # another shape: Dynamo compiles again
            torch.testing.assert_close(call(x), net(x))
            with torch.compiler.set_stance(skip_guard_eval_unsafe=True):
                for bad in (torch.randn(6, 5), torch.randn(6, 4).double(), torch.randn(6), freed()):
                    good, net.weight.data = net.weight.data, bad
                    with self.assertRaises(RuntimeError):  # torch's, if it looks at the guard, or tcc's
                        call(x)
                    net.weight.data = good
                torch.testing.assert_close(call(x), net(x))

    def test_changed_while_frozen(self):
        net = torch.nn.Linear(64, 64)
        call, x = torch.compile(net, backend=dynamo.backend, options={"freeze": True}), torch.randn(32, 64)
        with torch.no_grad():
            for change in (lambda w: w.mul_(2), lambda w: w.set_(torch.randn(64, 64)), lambda w: w.set_(torch.randn(64, 64).t()),
                           lambda w: setattr(w, "data", torch.randn(64, 64)), lambda w: w.fill_(3)):
                torch.testing.assert_close(call(x), net(x))
                change(net.weight)
                torch.testing.assert_close(call(x), net(x), atol=1e-4, rtol=1e-4)
            net.weight.untyped_storage().resize_(0)
            with self.assertRaises(tcc.Error):
                call(x)
        with torch.inference_mode():
            other = torch.nn.Linear(64, 64)
            with self.assertRaisesRegex(tcc.Error, "inference mode"):
                torch.compile(other, backend=dynamo.backend, options={"freeze": True})(x)


if __name__ == "__main__":
    unittest.main(warnings="ignore")
