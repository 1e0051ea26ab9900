"""AOTAutograd's cache. A process of its own fills the folder FOLDER/filled; what is found in it is tested here, with the rest."""
import glob
import json
import os
import pickle
import subprocess
import sys
import unittest

import torch
from torch._functorch._aot_autograd import autograd_cache as torch_cache

import tcc.dynamo
from tcc import aot_cache, cache, compat, report


class Layers(torch.nn.Module):
    def __init__(self, size=96):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Sequential(torch.nn.Linear(size, size), torch.nn.ReLU(), torch.nn.LayerNorm(size)) for _ in range(6))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(3))

    def forward(self, x):
        self.total.add_(x)
        return torch.relu(self.total * 2), self.total.view(3, 1)


@torch.compiler.allow_in_graph
def opaque(x):
    return x * 2


def rows(x, y):
    return torch.relu(x[:-1] @ y), x.view(-1), x.new_full((x.shape[0],), 0.5)


def compiled(module, how):
    dynamic = how.pop("dynamic", None)
    return torch.compile(module, backend=tcc.dynamo.backend, dynamic=dynamic, options=how)


def same(got, want):
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)


def inference(how):
    net, x = Layers(), torch.randn(4, 96)
    with torch.no_grad():
        same(compiled(net, how)(x), net(x))


def training(how, size=96, repeated=False):
    net, x = Layers(size), torch.randn(4, size)
    made = compiled(net, how)(x)
    if repeated:
        made.square().sum().backward(retain_graph=True)
        net.zero_grad()
    made.square().sum().backward()
    got = [p.grad.clone() for p in net.parameters()]
    net.zero_grad()
    net(x).square().sum().backward()
    same(got, [p.grad for p in net.parameters()])


def retained(how):
    training(how, 64, repeated=True)


def forward_alone(how):
    net, x = Layers(48), torch.randn(4, 48)
    same(compiled(net, how)(x), net(x))


def dynamic(how):
    call = compiled(rows, dict(how, dynamic=True))
    for n in (5, 9):
        x, y = torch.randn(n, 7), torch.randn(7, n)
        same(call(x, y), rows(x, y))


def mutated(how):
    net, plain, x = Counter(), Counter(), torch.randn(3)
    call = compiled(net, how)
    for _ in range(2):
        same(call(x), plain(x))
    same(net.total, plain.total)


def random(how):
    x = torch.ones(1000)
    got = compiled(lambda x: torch.nn.functional.dropout(x, 0.5), how)(x)
    assert 300 < (got == 0).sum() < 700 and set(got.tolist()) == {0.0, 2.0}


def opaque_function(how):
    x = torch.ones(4)
    same(compiled(lambda x: opaque(x) + 1, how)(x), x * 2 + 1)


def cut(how):
    x = 2 * torch.eye(4)
    same(compiled(lambda x: torch.linalg.ldl_factor_ex(x)[0].diagonal().prod() + 1, dict(how, fallback="eager"))(x), torch.tensor(17.0))


def checks(how):
    """A check that torch orders by a token, which it does not give to what it has from its cache."""
    x = 2 * torch.eye(3)
    call = compiled(lambda x: torch.linalg.inv(x) + 1, how)
    same(call(x), torch.linalg.inv(x) + 1)
    try:
        call(torch.ones(3, 3))
    except torch.linalg.LinAlgError:
        return
    raise AssertionError("no error of a singular matrix")


CASES = {f.__name__: f for f in (inference, training, retained, forward_alone, dynamic, mutated, random, checks)}
FOLDER = sys.argv.pop(1)


def run(case, how=None, folder="filled"):
    """What became of the cache in a case, and what was traced."""
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(FOLDER, folder)
    torch.manual_seed(0)
    torch._dynamo.reset()
    recorder = report.Recorder()
    case(dict(how or {}))
    found = recorder.stop()
    return [one["state"] for one in found.aot_cache], [(graph["kind"], graph["traced"]) for graph in found.graphs], found


def entries(folder):
    return glob.glob(os.path.join(FOLDER, folder, "aotautograd", "*", "*"))


class Cache(unittest.TestCase):
    def test_a_new_process_does_not_trace(self):
        filled = json.loads(subprocess.run([sys.executable, __file__, FOLDER, "fill"], check=True, capture_output=True, text=True).stdout.splitlines()[-1])
        for name, case in CASES.items():
            with self.subTest(name):
                states, traced = filled[name]
                self.assertEqual(states, ["kept"])
                self.assertTrue(all(one for _, one in traced))
                states, again, found = run(case)
                self.assertEqual((states, [kind for kind, _ in again]), (["hit"], [kind for kind, _ in traced]))
                self.assertFalse(any(one for _, one in again))
                self.assertIn("AOTAutograd's cache: hit", str(found))
                json.dumps(found.json())
        if compat.VERSION >= (2, 15):  # older ones were not looked at
            self.assertNotIn("torch._inductor.scheduler", sys.modules, "takes a second to import")
            self.assertFalse(filled["inductor"], "nor is it needed to trace and cut a graph")

    def test_other_backends(self):
        """Who compiles outside of tcc gets torch's own key, which is a pickle that names its class: it was not found there."""
        run(training)
        details = torch_cache.AOTAutogradCacheDetails
        self.assertIs(type(details.__new__(details)), details)
        self.assertIs(pickle.loads(pickle.dumps(details)), details)

    def test_without_tccs_own_cache(self):
        self.assertEqual(run(training, folder="alone")[0], ["kept"])
        before, os.environ["TCC_CACHE_DIR"] = os.environ["TCC_CACHE_DIR"], os.path.join(FOLDER, "empty")
        cache.clear()
        try:
            states, _, found = run(training, folder="alone")
        finally:
            os.environ["TCC_CACHE_DIR"] = before
        self.assertEqual((states, [graph["cached"] for graph in found.graphs]), (["hit"], [0, 0]))

    def test_weights_are_not_kept(self):
        run(inference, folder="weights")
        [entry] = entries("weights")
        self.assertLess(os.path.getsize(entry), 6 * 96 * 96 * 4 / 2)

    def test_other_options(self):
        for how in ({}, {"numerics": "direct"}, {"threads": 3}, {"freeze": True}, {"regions": False}):
            with self.subTest(how):
                self.assertEqual(run(inference, how, "options")[0], ["kept"])
                self.assertEqual(run(inference, how, "options")[0], ["hit"])

    def test_damaged(self):
        run(inference, folder="damaged")
        [entry] = entries("damaged")
        with open(entry, "rb") as file:
            whole = file.read()
        for bad in (whole[:len(whole) // 2], b"", whole[:200] + bytes([whole[200] ^ 1]) + whole[201:]):
            with self.subTest(length=len(bad)):
                for path in entries("damaged"):
                    os.unlink(path)
                with open(entry, "wb") as file:
                    file.write(bad)
                self.assertEqual(run(inference, folder="damaged")[0], ["kept"])
                self.assertEqual(run(inference, folder="damaged")[0], ["hit"])

    def test_a_folder_of_others(self):
        path = os.path.join(FOLDER, "others", "aotautograd")
        os.makedirs(path)
        os.chmod(path, 0o777)
        states, _, found = run(inference, folder="others")
        self.assertEqual(states, ["bypassed"])
        self.assertIn("others may write to it", found.aot_cache[0]["reason"])
        self.assertEqual(entries("others"), [])

    def test_what_torch_does_not_keep(self):
        states, _, found = run(opaque_function, folder="opaque")
        self.assertEqual(states, ["bypassed"])
        self.assertIn("opaque", found.aot_cache[0]["reason"])

    def test_nothing_computed(self):
        """Such a graph has no text that could be kept."""
        def nothing(how):
            x = torch.ones(3)
            self.assertIs(compiled(lambda x: (x, 2), how)(x)[0], x)

        states, _, found = run(nothing, folder="nothing")
        self.assertEqual([(one["state"], one["reason"]) for one in found.aot_cache], [("not kept", "the graph computes nothing")][:len(states)])

    def test_off(self):
        for case, how, reason in ((inference, {"cache": False}, "the option cache"), (cut, {}, "fallback")):
            self.off(case, how, reason)
        with torch._functorch.config.patch(enable_autograd_cache=False):
            self.off(inference, {}, "switched off")
        os.environ["TCC_DUMP"] = os.path.join(FOLDER, "dump")
        self.off(inference, {}, "TCC_DUMP")
        del os.environ["TCC_DUMP"]
        self.assertEqual(entries("off"), [])

    def off(self, case, how, reason):
        states, _, found = run(case, how, "off")
        self.assertEqual(states, ["off"])
        self.assertIn(reason, found.aot_cache[0]["reason"])

    def test_a_torch_with_other_names(self):
        """Where torch keeps results otherwise, all is compiled as without the cache."""
        before, aot_cache._installed = aot_cache._installed, lambda: "torch keeps them otherwise"
        try:
            self.off(training, {}, "otherwise")
        finally:
            aot_cache._installed = before


if __name__ == "__main__":
    if sys.argv[1:] == ["fill"]:
        print(json.dumps({name: run(case)[:2] for name, case in CASES.items()} | {"inductor": "torch._inductor.scheduler" in sys.modules}))
    else:
        unittest.main()
