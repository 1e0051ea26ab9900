"""worker.py - one model of models.py run one way, in a process of its own, told by lines on standard input what to do.

    python bench/torch_compile/worker.py

Each line is a JSON list, a command and its arguments; each answer is a line of JSON, {"error": text} when the command failed:

    ["load", MODEL, TRAIN]          makes the model (not timed; no thread is started, so that a fork may follow). TRAIN: a call is forward and
                                    backward, in train()
    ["start", ENGINE, THREADS, STATE]   compiles, first output: {"first_ms", "cpu_ms", "backend_ms", "version", "phases"}; STATE: where compilers keep
                                    what they make; cpu_ms: of all threads and of children that have ended; backend_ms: what tcc itself took of
                                    it, the first run not counted
    ["again"]                       the same once more in this process, after a reset of Dynamo: compilers know the graphs
    ["run", THREADS, WARM, CALLS]   WARM untimed calls, then CALLS: {"ms": the median, "n"}
    ["check"]                       {"tensors", "ok", "worst", "where"}: results held against f64 (see `verdict`)
    ["memory"]                      {"peak_mb"}: the kernel's high-water mark of the process
    ["fork", IN, OUT]               a child serves the pipes IN and OUT from here on: what was imported and loaded is there already

What libraries print goes to standard error.
"""
import copy
import os
import signal
import statistics
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(os.path.dirname(HERE)), "build", "python")]
sys.path.append(os.path.dirname(HERE))

import served  # noqa: E402

import torch  # noqa: E402
import torch._dynamo  # noqa: E402
from torch._dynamo.backends.common import aot_autograd  # noqa: E402

import models  # noqa: E402

ROUNDING = 1e-6  # of the root mean square: what any order of sums may cost


# ---- ways to run a module ----
def ready(graph, inputs):
    """A compiler that does nothing: results are ready when the graph is called."""
    made = next(node for node in graph.graph.nodes if node.op == "output").args[0]
    sizes = [node.meta["val"] if isinstance(node, torch.fx.Node) else node for node in made]
    with torch._subclasses.fake_tensor.unset_fake_temporarily():
        results = tuple(torch.empty_strided(v.shape, v.stride(), dtype=v.dtype) if isinstance(v, torch.Tensor) else v for v in sizes)

    def call(arguments):
        arguments.clear()
        return results
    call._boxed_call = True
    return call


def noop():
    """The way of the backend tcc, python/tcc/dynamo.py, without tcc."""
    from functorch.compile import min_cut_rematerialization_partition
    return aot_autograd(fw_compiler=ready, bw_compiler=ready, inference_compiler=ready, partition_fn=min_cut_rematerialization_partition,
                        keep_inference_input_mutations=True)


def by_regions(module, **how):
    from accelerate.utils import compile_regions
    return compile_regions(module, **how)


def tcc_backend():
    from tcc import dynamo
    return dynamo.backend


def inductor(freezing):
    import torch._inductor.config as config
    config.freezing, config.cpp.dynamic_threads = freezing, True
    return "inductor"


def cpu_time():
    """Seconds of this process and its children so far: what a first call takes on a machine that others use as well."""
    return sum(os.times()[:4])


def own_time(engine):
    """Who hears what tcc takes for each graph."""
    if not engine.startswith("tcc"):
        return None
    from tcc import report
    return report.Recorder()


WAYS = {
    "eager": lambda module: module,
    "noop": lambda module: torch.compile(module, backend=noop()),
    "compile": lambda module: torch.compile(module, backend=inductor(False)),
    "freezing": lambda module: torch.compile(module, backend=inductor(True)),
    "regions": lambda module: by_regions(module, backend=inductor(False)),
    "tcc": lambda module: torch.compile(module, backend=tcc_backend()),
    "tcc-freeze": lambda module: torch.compile(module, backend=tcc_backend(), options={"freeze": True}),
    "tcc-regions": lambda module: by_regions(module, backend=tcc_backend()),
    "noop-regions": lambda module: by_regions(module, backend=noop()),
}


# ---- results ----
def tensors(value):
    """All floating tensors of a result, in order."""
    leaves = torch.utils._pytree.tree_leaves(value.to_tuple() if hasattr(value, "to_tuple") else value)
    return [t for t in leaves if isinstance(t, torch.Tensor) and t.is_floating_point()]


def loss(results):
    """A number to which every element counts differently."""
    total = 0
    for t in results:
        weight = torch.linspace(-1, 1, t.numel(), dtype=t.dtype).reshape(t.shape)
        total = total + (t * weight).sum()
    return total


def rms(t):
    return t.square().mean().sqrt().item() if t.numel() else 0.0


def verdict(got, eager, exact):
    """The largest of (rmse of `got`) / (2 rmse of eager + ROUNDING rms), to the same results in f64, and whose it is: at most 1 is right."""
    worst, where = 0.0, None
    for name, truth in exact.items():
        truth = truth.double()
        error, allowed = rms(got[name].double() - truth), 2 * rms(eager[name].double() - truth) + ROUNDING * rms(truth)
        found = 0.0 if error == 0 else error / allowed if allowed > 0 and error == error else 1e30
        if found > worst or where is None:
            worst, where = found, name
    return worst, where


class Session(served.Served):
    def load(self, name, train=False):
        self.name, self.train = name, train
        self.case = models.make(name)
        return {"parameters": sum(p.numel() for p in self.case.module.parameters())}

    # ---- running ----
    def prepare(self, net, case):
        """A call of the net as a user writes it, and what it gives."""
        count = 0

        def forward():
            nonlocal count
            if case.before and count % case.every == 0:
                case.before()
            count += 1
            with torch.no_grad():
                return net(*case.args, **case.kwargs)

        def step():
            for p in case.module.parameters():
                p.grad = None
            results = net(*case.args, **case.kwargs)
            loss(tensors(results)).backward()
            return results
        case.module.train(self.train)
        return step if self.train else forward

    def start(self, engine, threads, state):
        os.makedirs(state, exist_ok=True)
        os.environ.update(TORCHINDUCTOR_CACHE_DIR=state, TRITON_CACHE_DIR=os.path.join(state, "triton"), TCC_CACHE_DIR=os.path.join(state, "tcc"))
        torch.set_num_threads(threads)
        self.engine = engine
        answer = self.first()
        if engine in ("compile", "freezing", "regions"):
            from torch._inductor import async_compile
            async_compile.shutdown_compile_workers()  # idle ones hold memory
        return answer

    def again(self):
        torch._dynamo.reset()
        return self.first()

    def first(self):
        """From torch.compile to the first result."""
        begin, worked = time.perf_counter(), cpu_time()
        recorder = own_time(self.engine)
        self.net = WAYS[self.engine](self.case.module)
        self.run_once = self.prepare(self.net, self.case)
        self.run_once()
        ended, worked = time.perf_counter(), cpu_time() - worked
        times = torch._dynamo.utils.calculate_time_spent()
        return {"first_ms": (ended - begin) * 1e3, "cpu_ms": worked * 1e3, "backend_ms": recorder and sum(graph["seconds"] for graph in recorder.stop().graphs) * 1e3,
                "version": torch.__version__.split("+")[0], "phases": {k: round(v * 1e3, 1) for k, v in times.items()}}

    def call(self):
        begin = time.perf_counter()
        self.run_once()
        return (time.perf_counter() - begin) * 1e3

    def run(self, threads, warm, calls):
        torch.set_num_threads(threads)
        for _ in range(warm):
            self.run_once()
        return {"ms": statistics.median(self.call() for _ in range(calls)), "n": calls}

    # ---- whether it is right ----
    def results(self, module, case):
        """Results of one call; of training gradients and buffers, too."""
        if case.before:
            case.before()
        state = {key: value.clone() for key, value in case.module.named_buffers()}
        made = {f"result {k}": t.detach().clone() for k, t in enumerate(tensors(self.prepare(module, case)()))}
        if self.train:
            made.update({f"gradient of {key}": p.grad.detach().clone() for key, p in case.module.named_parameters() if p.grad is not None})
            made.update({f"buffer {key}": b.clone() for key, b in case.module.named_buffers() if b.is_floating_point()})
            with torch.no_grad():
                for key, value in case.module.named_buffers():
                    value.copy_(state[key])
        return made

    def check(self):
        compiled, eager = self.results(self.net, self.case), self.results(self.case.module, self.case)
        if compiled.keys() != eager.keys():
            raise RuntimeError(f"has {len(compiled)} results and gradients, eager {len(eager)}")
        worst, where = verdict(compiled, eager, self.results_f64())
        return {"tensors": len(compiled), "worst": worst, "where": where, "ok": worst <= 1}

    def results_f64(self):
        """Of the same weights and arguments."""
        case, double = models.make(self.name), lambda t: t.double() if t.is_floating_point() else t
        case.module = copy.deepcopy(self.case.module).double()
        case.args, case.kwargs = (torch.utils._pytree.tree_map_only(torch.Tensor, double, x) for x in (case.args, case.kwargs))
        cache = case.kwargs.get("past_key_values")
        for layer in cache.layers if cache is not None else ():
            layer.keys, layer.values = layer.keys.double(), layer.values.double()
        return self.results(case.module, case)


def main():
    session = Session()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # forked sessions end by themselves
    torch.set_num_threads(1)  # no team of threads before a fork
    served.serve(session)


if __name__ == "__main__":
    main()
