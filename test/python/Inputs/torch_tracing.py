"""What tracing.py spares Dynamo changes nothing that anybody reads: stack traces of nodes and the log of calls are torch's."""
import io
import linecache
import logging
import os
import tempfile
import traceback
import unittest

import torch
from torch._dynamo import funcname_cache, output_graph, symbolic_convert

import tcc.dynamo
from tcc import tracing


def inner(x, n):
    return inner(x, n - 1) + n if n else torch.relu(
        x * 2)


def outer(x):
    return inner(x, 5) + inner(x, 1) + torch.nn.functional.gelu(x)


def traces():
    """Of all nodes of Dynamo's graph of `outer`."""
    found = []

    def keep(module, inputs):
        found.extend(node.stack_trace for node in module.graph.nodes)
        return module.forward
    torch._dynamo.reset()
    torch.compile(outer, backend=keep)(torch.ones(4))
    return found


class Tracing(unittest.TestCase):
    def setUp(self):
        funcname_cache.clearcache()
        tracing.forget()

    def test_this_torch_is_known(self):
        self.assertIsNot(output_graph.traceback, traceback)
        self.assertEqual(symbolic_convert.get_funcname.__module__, "tcc.tracing")

    def test_stack_traces(self):
        made, spared = traces(), output_graph.traceback
        lines = dict(tracing._lines)
        self.assertEqual(traces(), made)
        output_graph.traceback = traceback
        try:
            self.assertEqual(traces(), made)
        finally:
            output_graph.traceback = spared
        self.assertTrue(any("inner(x, n - 1)" in trace for trace in filter(None, made)))
        self.assertEqual(tracing._lines, lines)  # nothing was new, and the real module asked for none
        torch.compile(lambda x: x + 1, backend=tcc.dynamo.backend)(torch.ones(3))
        self.assertLess(len(tracing._lines), len(lines))  # the backend forgets them

    def test_source_that_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            path, found = os.path.join(folder, "changing.py"), []

            def keep(module, inputs):
                found.append("".join(node.stack_trace or "" for node in module.graph.nodes))
                return module.forward
            for body in ("x + 1", "x * 5"):
                with open(path, "w") as file:
                    file.write(f"def function(x):\n    return {body}\n# {body * len(found)}\n")
                linecache.checkcache(path)
                names = {}
                with open(path) as file:
                    exec(compile(file.read(), path, "exec"), names)
                for _ in range(2):
                    torch._dynamo.reset()
                    torch.compile(names["function"], backend=keep)(torch.ones(3))
        self.assertEqual([["x + 1" in text, "x * 5" in text] for text in found], [[True, False], [True, False], [False, True], [False, True]])

    def test_functions_are_named_for_a_log_only(self):
        traces()
        self.assertEqual(funcname_cache.cache, {})
        text = io.StringIO()
        handler = logging.StreamHandler(text)
        torch._logging.set_logs(trace_call=True)
        logger = logging.getLogger("torch._dynamo.output_graph.__trace_call")
        logger.addHandler(handler)
        try:
            traces()
        finally:
            logger.removeHandler(handler)
            torch._logging.set_logs()
        self.assertIn("in outer (outer)", text.getvalue())
        self.assertIn("in inner (inner) (inline depth: 1)", text.getvalue())
        self.assertIn(__file__, funcname_cache.cache)


if __name__ == "__main__":
    unittest.main()
