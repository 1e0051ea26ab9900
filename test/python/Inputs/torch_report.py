"""tcc.explain and TCC_REPORT: what Dynamo and tcc made of a model, each found and named."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import torch

import tcc
import tcc.dynamo
import tcc.report


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.third = (torch.nn.Linear(8, 8) for _ in range(3))

    def forward(self, x):
        x = torch.relu(self.first(x))
        if x.sum().item() > 0:
            x = self.second(x)
        print("a line")
        return self.third(x)


def rows(x):
    return torch.relu(x) + 1


class Report(unittest.TestCase):
    def test_graph_breaks(self):
        with torch.no_grad():
            found = tcc.explain(Network())(torch.ones(2, 8))
        self.assertEqual(len(found.graphs), 3)
        self.assertEqual(len(found.graph_breaks), 2)
        self.assertTrue(all(one["file"].endswith("torch_report.py") and one["line"] for one in found.graph_breaks), found.graph_breaks)
        for graph in found.graphs:
            self.assertEqual((graph["kind"], graph["outside"]), ("inference", []))
            self.assertGreater(graph["kernels"], 0)
            self.assertEqual(graph["nodes"], graph["compiled"])
        self.assertIn("graph break at", str(found))
        json.dumps(found.json())

    def test_every_kind_of_break(self):
        """item(), an assertion on data, a loop in NumPy and a print: each is found, with its line, or is no break."""
        def hard(x):
            x = torch.relu(x)
            scale = x.sum().item()          # a number of the data
            if scale > 1:                   # which decides
                x = x / scale
            assert (x < 0.5).all(), "one is all"
            counts = np.zeros(3)
            for row in range(3):            # NumPy, which Dynamo traces
                counts[row] = row * 2.0
            print("a line")
            return x * torch.from_numpy(counts).sum().float() + 1
        x = torch.ones(2, 3)
        with torch.no_grad():
            found = tcc.explain(hard)(x)
            torch.testing.assert_close(found.result, hard(x))
        first = hard.__code__.co_firstlineno
        self.assertEqual([one["line"] - first for one in found.graph_breaks], [2, 9], found.graph_breaks)  # the assertion and the loop are none
        self.assertTrue(all(one["reason"] for one in found.graph_breaks))
        self.assertGreaterEqual(len(found.graphs), 3)
        with torch.no_grad(), self.assertRaisesRegex(Exception, "one is all"):
            torch.compile(hard, backend=tcc.dynamo.backend)(torch.tensor([[2.0, 0.0, 0.0]]))

    def test_times(self):
        found = tcc.explain(rows)(torch.ones(4))
        self.assertEqual(set(found.seconds), {"dynamo", "aotautograd", "tcc"})
        self.assertTrue(all(seconds >= 0 for seconds in found.seconds.values()))
        [frame] = found.frames
        self.assertEqual((frame["function"], frame["graphs"]), ("rows", [0]))
        self.assertAlmostEqual(found.seconds["dynamo"] + found.seconds["aotautograd"] + found.seconds["tcc"], frame["seconds"], places=3)

    def test_recompilations_and_the_limit(self):
        def scaled(x, factor):
            return torch.relu(x) * len(factor)

        def calls(x):
            return [compiled(x, "a" * n) for n in range(1, 12)]
        torch._dynamo.reset()
        recorder = tcc.report.Recorder()
        compiled = torch.compile(scaled, backend=tcc.dynamo.backend)
        for want, got in enumerate(calls(torch.ones(2)), 1):
            torch.testing.assert_close(got, torch.full((2,), float(want)))
        found = recorder.stop()
        limit = torch._dynamo.config.recompile_limit
        self.assertEqual(len(found.graphs), limit)
        self.assertTrue(all("factor" in one["guard"] for one in found.recompiles), found.recompiles)
        self.assertTrue(any("recompile limit" in one["reason"].lower() and one["function"] == "scaled" for one in found.eager), found.eager)
        self.assertIn("in eager mode: scaled", str(found))

    def test_cache(self):
        with torch.no_grad():
            tcc.explain(rows)(torch.ones(5))
            found = tcc.explain(rows)(torch.ones(5))
        self.assertEqual(found.graphs[0]["cached"], 1)

    def test_refused(self):
        found = tcc.explain(lambda x: torch.linalg.ldl_factor_ex(x)[0])(torch.eye(3))
        self.assertEqual(found.error.code, "unsupported")
        self.assertIn("aten.linalg_ldl_factor_ex", str(found))
        self.assertIsNone(found.result)

    def test_profiler(self):
        call = torch.compile(rows, backend=tcc.dynamo.backend)
        call(torch.ones(4))
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            call(torch.ones(4))
        self.assertTrue(any(event.key.startswith("tcc inference") for event in profile.key_averages()))

    def test_file(self):
        program = "import torch; from tcc import dynamo; torch.compile(lambda x: x + 1, backend=dynamo.backend)(torch.ones(3))"
        with tempfile.TemporaryDirectory() as folder:
            for name, read in (("report.json", lambda text: len(json.loads(text)["graphs"])), ("report", lambda text: int(text.split()[0]))):
                path = os.path.join(folder, name)
                subprocess.run([sys.executable, "-c", program], env=dict(os.environ, TCC_REPORT=path), check=True)
                with open(path) as file:
                    self.assertEqual(read(file.read()), 1)
            path = os.path.join(folder, "none", "report")  # what cannot be written is said
            done = subprocess.run([sys.executable, "-c", program], env=dict(os.environ, TCC_REPORT=path), check=True, capture_output=True, text=True)
            self.assertIn(f"tcc: TCC_REPORT: [Errno 2] No such file or directory: '{path}'\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
