"""The backend is found by its name, nothing of it is imported before, and it refuses what it does not know."""
import sys
import unittest

import torch


class Backend(unittest.TestCase):
    def refused(self, words, net, **how):
        torch._dynamo.reset()
        with self.assertRaises(torch._dynamo.exc.BackendCompilerFailed) as caught:
            torch.compile(net, backend="tcc", **how)(torch.ones(2, 4))
        self.assertIn(words, str(caught.exception))
        import tcc
        self.assertIsInstance(caught.exception.inner_exception, tcc.Error)

    def test_1_found(self):
        self.assertIn("tcc", torch._dynamo.list_backends())
        self.assertNotIn("tcc", sys.modules)

    def test_2_options(self):
        net = torch.nn.Linear(4, 4)
        self.refused("no option 'speed'", net, options={"speed": 1})
        self.refused("numerics", net, options={"speed": 1})
        self.refused("no mode 'bogus'", net, mode="bogus")
        net, x = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 8)), torch.randn(4, 16)
        torch._dynamo.reset()
        with torch.no_grad():
            torch.testing.assert_close(torch.compile(net, backend="tcc", mode="max-autotune-no-cudagraphs")(x), net(x))
        net = torch.nn.Linear(4, 4)
        self.refused("threads", net, options={"threads": "many"})
        self.refused("tune_time", net, options={"tune_time": 1})
        self.refused("no mode 'bogus'", net, options={"mode": "bogus"})
        torch._dynamo.reset()
        with torch.no_grad():
            x = torch.randn(4, 4)
            torch.testing.assert_close(torch.compile(net, backend="tcc", options={"mode": "max-autotune", "tune_time": 1})(x), net(x))

    def test_3_strict(self):  # what cannot be compiled is an error, not eager
        def solved(x):
            return torch.linalg.ldl_solve(*torch.linalg.ldl_factor(x @ x.t()), x)
        self.refused("aten.linalg_ldl_factor_ex", solved)
        self.refused("aten.linalg_ldl_solve", solved)
        self.refused("torch_backend.py", solved)


if __name__ == "__main__":
    unittest.main()
