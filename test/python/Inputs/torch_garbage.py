"""What garbage.py puts off: full collections while a graph is compiled and directly behind it, not those of a program that goes on, and nothing is kept."""
import gc
import unittest
import weakref

import torch

import tcc.dynamo
from tcc import garbage

full = []  # what was going on at each full collection
doing = "nothing"


def watch(phase, info):
    if phase == "start" and info["generation"] == 2:
        full.append(doing)


def stage(name):
    global doing
    doing = name


class Cycle:
    def __init__(self):
        self.me = self


def objects(count):
    """As many that stay, which is what CPython counts."""
    return [[] for _ in range(count)]


def compiled(seed):
    torch._dynamo.reset()
    function = torch.compile(lambda x: torch.relu(x * seed) + 1, backend=backend)
    stage("call")
    function(torch.ones(4))


def backend(module, inputs):
    """Makes what a large graph makes: thresholds reached many times over, and a quarter more objects than there were."""
    stage("compile")
    module.meta["much"] = objects(len(gc.get_objects()) // 2 + 100000)
    function = tcc.dynamo.backend(module, inputs)
    module.meta.clear()
    stage("behind")
    return function


class Garbage(unittest.TestCase):
    def setUp(self):
        gc.collect()
        full.clear()
        gc.callbacks.append(watch)

    def tearDown(self):
        gc.callbacks.remove(watch)
        stage("nothing")

    def test_thresholds_are_put_back(self):
        before = gc.get_threshold()
        compiled(2)
        self.assertEqual(gc.get_threshold(), before)

    def test_none_because_of_a_graph(self):
        compiled(3)
        stage("later")
        made = objects(5000)  # what was counted would be due at the first of these
        self.assertEqual(full, [])
        del made

    def test_a_program_that_goes_on_has_them(self):
        compiled(4)
        stage("later")
        made = objects(len(gc.get_objects()) + 200000)
        self.assertIn("later", full)
        del made

    def test_some_in_a_long_row(self):
        for seed in range(garbage.MOST + 2):
            compiled(5 + seed)
            stage("later")
            objects(5000)
        self.assertTrue(full)
        self.assertNotIn("compile", full)

    def test_cycles_are_found(self):
        cycle = Cycle()
        gone = weakref.ref(cycle)
        compiled(20)
        del cycle
        gc.collect()
        self.assertIsNone(gone())

    def test_what_is_frozen_stays_so(self):
        gc.freeze()
        try:
            compiled(21)
            self.assertGreater(gc.get_freeze_count(), 0)
        finally:
            gc.unfreeze()

    def test_other_backends(self):
        """Behind what they compile CPython's rule is as it was."""
        compiled(22)
        row = garbage._row
        self.assertEqual(row, 1)
        torch.compile(lambda x: x * 23, backend="eager")(torch.ones(4))
        self.assertEqual(garbage._row, row)
        self.assertIn(garbage._started, torch._dynamo.callback_handler.start_callbacks)


if __name__ == "__main__":
    unittest.main()
