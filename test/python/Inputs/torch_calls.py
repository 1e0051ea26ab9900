"""Arguments that come again are known by what torch's objects have in memory; whatever changes behind them is seen."""
import gc
import unittest
import unittest.mock

import torch

import tcc.dynamo
from tcc import _native, calls, compat

torch.manual_seed(0)


def addresses(*tensors):
    return tuple((tensor, *compat.addresses(tensor)) for tensor in tensors)


class Calls(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        self.net, self.x = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 8)), torch.randn(4, 8)
        self.fast = torch.compile(self.net, backend=tcc.dynamo.backend)

    def same(self):
        """Twice: the second call finds what the first one kept."""
        with torch.no_grad():
            for _ in range(2):
                torch.testing.assert_close(self.fast(self.x), self.net(self.x))

    def test_this_torch_is_known(self):
        self.assertTrue(calls.compares)

    def test_data(self):
        self.same()
        for _ in range(3):
            self.net[0].weight.data = torch.randn(8, 8)
            gc.collect()
            self.same()
        self.net[0].weight.data = torch.randn(8, 8).t()
        self.same()

    def test_storage(self):
        self.same()
        weight, memory = self.net[0].weight, torch.randn(256)
        with torch.no_grad():
            for offset, stride in ((0, (8, 1)), (3, (8, 1)), (3, (1, 8)), (3, (16, 1))):
                weight.data.set_(memory.untyped_storage(), offset, (8, 8), stride)
                weight.set_(memory.untyped_storage(), offset, (8, 8), stride)
                self.same()
            values = weight.untyped_storage()
            values.resize_(1 << 20)  # elsewhere
            self.same()

    def test_objects(self):
        self.same()
        self.net[0].weight = torch.nn.Parameter(torch.randn(8, 8))
        self.same()
        torch.utils.swap_tensors(self.net[0].weight, torch.nn.Parameter(torch.randn(8, 8)))
        self.same()
        self.net[2].load_state_dict({name: torch.randn_like(p) for name, p in self.net[2].named_parameters()}, assign=True)
        self.same()

    def test_a_copy_that_is_not_made_yet(self):
        def step(total, x):
            total.add_(x)
            return total * 2
        fast, total, x = torch.compile(step, backend=tcc.dynamo.backend), torch.zeros(8), torch.ones(8)
        fast(total, x), fast(total, x)
        kept = total._lazy_clone()
        fast(total, x)
        self.assertEqual((total[0].item(), kept[0].item()), (3, 2))

    def test_inputs(self):
        """New tensors, perhaps where others were."""
        with torch.no_grad():
            for _ in range(50):
                x = torch.randn(4, 8)
                torch.testing.assert_close(self.fast(x), self.net(x))
                del x

    def test_many_axes(self):
        fast = torch.compile(lambda x: x * 2 + 1, backend=tcc.dynamo.backend)
        x = torch.randn(1, 2, 1, 2, 1, 3)
        for _ in range(3):
            torch.testing.assert_close(fast(x), x * 2 + 1)
            x = x.clone()

    def test_results_are_torch_s_own(self):
        """Memory, that may be resized, sizes, strides and types, of results whose sizes are known and of others."""
        def function(x, y):
            return (x * 2, x.to(memory_format=torch.channels_last) + 1, x > 0, x.bfloat16() * 2, (x * 3).int() + 1, x.sum(), x[:0] * 2,
                    y.t() + 1, y.double() * 2, x.half() + 1, (x.to(torch.float8_e4m3fn)))
        x, y = torch.randn(2, 3, 4, 5), torch.randn(7, 8)
        for dynamic in (False, True):
            torch._dynamo.reset()
            fast = torch.compile(function, backend=tcc.dynamo.backend, dynamic=dynamic)
            for _ in range(3):
                for made, want in zip(fast(x, y), function(x, y)):
                    self.assertEqual((made.shape, made.stride(), made.dtype, made.device), (want.shape, want.stride(), want.dtype, want.device))
                    torch.testing.assert_close(made.float(), want.float())
                    self.assertEqual(made.untyped_storage().nbytes(), want.numel() * want.element_size())
                    self.assertEqual((type(made), made.storage_offset(), made._version, made.requires_grad), (torch.Tensor, 0, 0, False))
                    if not dynamic and made.dtype != torch.float8_e4m3fn:
                        made.resize_(1000)
                        self.assertEqual(made.numel(), 1000)
        with torch.inference_mode():
            self.assertTrue(torch.compile(lambda x: x + 1, backend=tcc.dynamo.backend)(x).is_inference())

    def test_a_torch_without_its_function_for_memory(self):
        with unittest.mock.patch.object(calls, "EMPTY", None):
            self.same()
        with unittest.mock.patch.dict(calls.EMPTY[1], clear=True):
            torch._dynamo.reset()
            self.same()

        def fails(*how):
            raise MemoryError("nothing is left")
        with unittest.mock.patch.object(calls, "EMPTY", (fails, calls.EMPTY[1])):
            torch._dynamo.reset()
            with self.assertRaisesRegex(MemoryError, "nothing is left"):
                self.fast(self.x)
        torch._dynamo.reset()
        self.same()

    def test_a_torch_without_one_of_the_changes(self):
        for wrong in (None, lambda *tensors: 1 + "x"):
            with unittest.mock.patch.object(torch.utils, "swap_tensors", wrong):
                self.assertFalse(calls._learn())
        self.assertTrue(calls._learn())

    def test_what_is_not_as_expected_is_not_used(self):
        x, y = torch.ones(3), torch.ones(2, 1, 1, 1, 1, 1)
        still = ((torch.ones(3), lambda: None),)
        self.assertTrue(_native.learn_tensors(addresses(x, torch.frombuffer(bytearray(8), dtype=torch.uint8)), still))
        implementation, storage, memory = compat.addresses(x)
        self.assertFalse(_native.learn_tensors(((x, storage, implementation, memory),), still))  # the object points to neither
        self.assertFalse(_native.learn_tensors(addresses(x), ()))  # the storage has its address twice
        self.assertFalse(_native.learn_tensors((), ()))
        self.assertFalse(_native.learn_tensors(addresses(x, torch.frombuffer(bytearray(8), dtype=torch.uint8)), ((y, lambda: None),)))
        with self.assertRaises(ZeroDivisionError):
            _native.learn_tensors(addresses(x, torch.frombuffer(bytearray(8), dtype=torch.uint8)), ((torch.ones(3), lambda: 1 / 0),))
        self.same()


if __name__ == "__main__":
    unittest.main()
