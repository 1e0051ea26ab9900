"""torch_check.py DIR: TCC_DUMP_DATA. A wrong result, whoever's, is an error and leaves what tcc-run --check repeats; right ones leave nothing."""
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import torch

import tcc
from tcc import _native, check, dynamo

DIR = pathlib.Path(sys.argv.pop(1))
Callable = _native.Callable


class Wrong:
    """A kernel that is off by one."""
    right = 0  # as many, the next to be made, are not

    def __init__(self, *how):
        self._boxed_call = True
        self.call, self.off = Callable(*how), 0 if Wrong.right > 0 else 1
        Wrong.right -= 1

    def __call__(self, arguments):
        first, *rest = self.call(arguments)
        return (first + self.off, *rest)

    def watch(self, *how):
        pass


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)
        self.register_buffer("count", torch.zeros(8))

    def forward(self, x):
        self.count.add_(1)
        return torch.relu(self.layer(x)) * self.count


def compiled(net, **how):
    torch._dynamo.reset()
    return torch.compile(net, backend=dynamo.backend, **how)


def repeated(folder):
    """What tcc-run says of such a folder."""
    return subprocess.run(["tcc-run", folder / "graph.json", f"--data={folder}", "--check"], capture_output=True, text=True)


class Check(unittest.TestCase):
    def setUp(self):
        shutil.rmtree(DIR, ignore_errors=True)
        os.environ["TCC_DUMP_DATA"] = str(DIR)
        torch.manual_seed(0)

    def tearDown(self):
        os.environ.pop("TCC_DUMP_DATA", None)
        _native.Callable = Callable

    def wrong(self, call, *args, words="differs from eager mode"):
        """The folder that a wrong result leaves."""
        with self.assertRaises(tcc.Error) as caught:
            call(*args)
        self.assertEqual(caught.exception.code, "mismatch")
        self.assertIn(words, str(caught.exception))
        [folder] = DIR.iterdir()
        self.assertIn(f"tcc-run {folder}/graph.json --data={folder} --check", str(caught.exception))
        return folder

    def test_rule_is_the_library_s(self):
        self.assertEqual([_native.tolerance(dtype) for dtype in ("float32", "float16", "int64")], [(1e-3, 1e-7), (2.0 ** -9, 1e-7), (0, 0)])
        with self.assertRaisesRegex(tcc.Error, "there is no element type 'complex64'"):
            _native.tolerance("complex64")
        for dtype in (torch.float16, torch.bfloat16, torch.float32):
            x, relative = torch.ones(4, dtype=dtype), _native.tolerance(str(dtype)[6:])[0]
            self.assertIsNone(check.difference(x + relative, x))
            self.assertIn("differs", check.difference(x + 4 * relative, x))

    def test_right(self):
        for how, dtype in (({}, torch.bfloat16), ({}, torch.float64), ({"dynamic": True}, torch.float32), ({"options": {"freeze": True}}, torch.float32),
                           ({"options": {"fallback": "eager"}}, torch.float32)):
            net, x = Net().to(dtype), torch.randn(3, 8, dtype=dtype)
            call = compiled(net, **how)
            call(x).sum().backward()
            with torch.no_grad():
                call(x), call(torch.randn(5, 8, dtype=dtype))
        call = compiled(lambda x, n: (torch.nonzero(x > 0), x.sum() * n, x.argmax(), x.shape[0] * n, None), dynamic=True)
        call(x, 3)
        layers = torch.nn.Sequential(*[torch.nn.Linear(8, 8) for _ in range(6)])  # repeated parts
        compiled(layers)(torch.randn(2, 8)).sum().backward()
        compiled(lambda x: torch.rand_like(x))(x)  # not compared
        self.assertFalse(DIR.exists())

    def test_wrong_kernel(self):
        _native.Callable = Wrong
        for dtype, how in ((torch.float32, {}), (torch.float32, {"dynamic": True}), (torch.bfloat16, {}), (torch.int64, {}), (torch.float16, {})):
            shutil.rmtree(DIR, ignore_errors=True)
            x = torch.arange(-6, 6).reshape(3, 4).to(dtype)
            folder = self.wrong(compiled(lambda x: torch.relu(x) * 2 + x.shape[0], **how), x)
            made = repeated(folder)  # the compiler itself is right
            self.assertEqual(made.returncode, 0, made.stderr + made.stdout)
        self.assertEqual(sorted(p.name for p in folder.iterdir()), ["graph.json", "input_0.npy", "output_0.npy"])

    def test_wrong_in_place(self):
        """The values before the run, and what an input that is written becomes."""
        _native.Callable = Wrong
        net = Net()
        with torch.no_grad():
            folder = self.wrong(compiled(net), torch.randn(2, 8))
        made = repeated(folder)
        self.assertEqual(made.returncode, 0, made.stderr + made.stdout)

    def test_wrong_backward(self):
        x, _native.Callable, Wrong.right = torch.randn(3, 8, requires_grad=True), Wrong, 1
        y = compiled(torch.tanh)(x)
        folder = self.wrong(y.sum().backward, words="of the backward graph differs")
        self.assertEqual(repeated(folder).returncode, 0)

    def test_wrong_reference(self):
        """A fault that tcc-run sees, too: eager mode computes something else."""
        library = torch.library.Library("aten", "IMPL")
        library.impl("relu", lambda x: torch.clamp(x, min=1), "CPU")
        try:
            folder = self.wrong(compiled(lambda x: torch.relu(x) + x), torch.randn(3, 4))
        finally:
            library._destroy()
        made = repeated(folder)
        self.assertEqual(made.returncode, 1)
        self.assertIn("output", made.stderr + made.stdout)

    def test_minifier(self):
        """torch's own switches."""
        program = f"""if 1:
            import sys
            sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
            sys.argv.append("unused")
            import torch, torch_check
            torch_check._native.Callable = torch_check.Wrong
            torch.compile(torch.relu, backend=torch_check.dynamo.backend)(torch.ones(4))
            """
        del os.environ["TCC_DUMP_DATA"]
        DIR.mkdir()
        environment = dict(os.environ, TORCHDYNAMO_REPRO_AFTER="aot", TORCHDYNAMO_REPRO_LEVEL="4", TORCH_COMPILE_DEBUG_DIR=str(DIR))
        made = subprocess.run([sys.executable, "-c", program], env=environment, cwd=DIR, capture_output=True, text=True)
        self.assertIn("differs from eager mode", made.stderr)
        [folder] = DIR.rglob("*-inference")
        self.assertEqual(repeated(folder).returncode, 0)
        made = subprocess.run([sys.executable, "-c", program], env=dict(environment, TORCHDYNAMO_REPRO_LEVEL="2"), cwd=DIR, capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stderr)


if __name__ == "__main__":
    unittest.main()
