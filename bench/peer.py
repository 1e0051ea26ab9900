"""peer.py - one peer in a process of its own, told by lines on standard input what to do.

    python bench/peer.py onnxruntime|onnxruntime-plain|openvino|openvino-bf16|iree|torch

Each line is a JSON list, a command and its arguments; each answer is a line of JSON, {"error": text} when the command failed:

    ["load", FOLDER, STATE]     inputs, and for torch the module (not timed; no thread is started, so that a fork may follow);
                                STATE: where compilers keep what they make
    ["start", ENGINE, THREADS]  compiles, first output: {"first_ms", "version", "kinds"}; first_ms is from after the imports
    ["run", THREADS, WARM, CALLS]   WARM untimed calls, then CALLS: {"ms": the median, "p90_ms": the ninth decile, "n"}
    ["floor"]                   torch: compiles one op: {"first_ms"}
    ["compare", FOLDER]         one call: {"ms", "error": the largest difference to FOLDER/output_K.npy relative to the largest value}
    ["save", FOLDER]            writes FOLDER/output_K.npy
    ["memory"]                  {"peak_mb"}: the kernel's high-water mark of the process
    ["fork", IN, OUT]           a child serves the pipes IN and OUT from here on: what was imported and loaded is there already

So torch and its compilers are imported once, forked for each model, and that, when it is loaded, for each way to run it; all other
peers start fresh. What libraries print goes to standard error.
"""
import collections
import glob
import importlib.metadata
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time

started = time.perf_counter()
kind = sys.argv[1]

import served  # noqa: E402

import numpy as np  # noqa: E402


class OnnxRuntime:
    """plain: op by op, which is what results are held against; optimised it rounds activations where weights are bytes."""

    def __init__(self, folder, state, threads, plain=False):
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        if plain:
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        self.session = onnxruntime.InferenceSession(os.path.join(folder, "model.onnx"), options, providers=["CPUExecutionProvider"])
        self.version = onnxruntime.__version__

    def prepare(self, feeds):
        return lambda: self.session.run(None, feeds)


class OpenVino:
    """The precision is given: by itself OpenVINO takes bf16 where the machine has it."""

    def __init__(self, folder, state, threads, precision="f32"):
        import openvino
        core = openvino.Core()
        options = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": precision}
        self.model = core.compile_model(core.read_model(os.path.join(folder, "model.onnx")), "CPU", options)
        self.request = self.model.create_infer_request()
        self.version = openvino.__version__.split("-")[0]

    def kinds(self):
        """What its contractions are computed by: {"kernel, precision": how many}."""
        found = collections.Counter()
        for node in self.model.get_runtime_model().get_ops():
            about = {key: str(value.astype(str)) for key, value in node.get_rt_info().items() if key in ("layerType", "runtimePrecision", "primitiveType")}
            if about.get("layerType") in ("FullyConnected", "MatMul", "Convolution", "ScaledDotProductAttention"):
                found[f"{about.get('layerType')} by {about.get('primitiveType')}, {about.get('runtimePrecision')}"] += 1
        return found

    def prepare(self, feeds):
        import openvino
        for name, array in feeds.items():
            self.request.set_tensor(name, openvino.Tensor(array, shared_memory=True))

        def run():
            self.request.infer()
            return [t.data for t in self.request.output_tensors]
        return run


class Iree:
    """Compiled for this CPU by IREE's own compiler, weights in a file of parameters; both are kept."""

    def __init__(self, folder, state, threads):
        import iree.runtime as iree
        module, weights = os.path.join(state, "model.vmfb"), os.path.join(state, "model.irpa")
        if not os.path.exists(module):
            os.makedirs(state, exist_ok=True)
            text, tools = os.path.join(state, "model.mlir"), os.path.dirname(sys.executable)
            for command in ([os.path.join(tools, "iree-import-onnx"), os.path.join(folder, "model.onnx"), "--externalize-params", "--save-params-to",
                             weights, "--opset-version", "17", "-o", text],
                            [os.path.join(tools, "iree-compile"), text, "--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu",
                             "--iree-llvmcpu-target-cpu=host", "--iree-llvmcpu-stack-allocation-limit=262144", "--iree-opt-level=O3", "-o", module + ".part"]):
                done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                if done.returncode:
                    lines = [line for line in done.stderr.splitlines() if "rror" in line] or done.stderr.splitlines()[-1:] or [f"exit {done.returncode}"]
                    raise RuntimeError(f"{os.path.basename(command[0])}: {lines[0][:200]}")
            os.rename(module + ".part", module)
            os.remove(text)
        self.version = importlib.metadata.version("iree-base-runtime")
        iree.flags.parse_flags(f"--task_topology_group_count={threads}")
        config = iree.Config("local-sync" if threads == 1 else "local-task")
        modules = []
        if os.path.exists(weights):
            index = iree.ParameterIndex()
            index.load(weights)
            modules.append(iree.create_io_parameters_module(config.vm_instance, index.create_provider("model")))
        modules.append(iree.VmModule.mmap(config.vm_instance, module))
        loaded = iree.load_vm_modules(*modules, config=config)[-1]
        names = [n for n in loaded.vm_module.function_names if not n.startswith("__") and not n.endswith("$async")]
        self.device, self.iree, self.function = config.device, iree, loaded[names[0]]

    def prepare(self, feeds):
        arrays = [self.iree.asdevicearray(self.device, a) for a in feeds.values()]

        def run():
            results = self.function(*arrays)
            return [r.to_host() for r in (results if isinstance(results, (tuple, list)) else (results,))]
        return run


class Torch:
    """Torch's ways to run a module. Compiled code asks for the number of threads when it runs, so one compilation serves all numbers."""

    def __init__(self, module, feeds, engine, state, threads):
        import torch
        torch.set_num_threads(threads)
        self.torch, self.version, self.module = torch, torch.__version__.split("+")[0], module
        if engine == "torch-eager":
            return
        import torch._inductor.config as config
        # A GEMM template of max-autotune divides its work among a number of threads that is fixed when it is compiled.
        config.cpp.dynamic_threads = engine != "torch-max-autotune"
        if engine in ("torch-freezing", "torch-max-autotune"):
            self.module = self.packaged(feeds, os.path.join(state, f"package-{threads}" if engine == "torch-max-autotune" else "package"),
                                        {"max_autotune": True, "coordinate_descent_tuning": True} if engine == "torch-max-autotune" else {})
        elif engine == "torch-regions":
            from accelerate.utils import compile_regions
            if not hasattr(module, "layers"):
                raise NotImplementedError("the model has no equal layers in a row")
            self.module = compile_regions(module)
        else:
            self.module = torch.compile(module)

    def packaged(self, feeds, folder, options):
        """torch.compile keeps nothing of a graph whose weights are frozen. AOTInductor is the same compiler with the same settings, and
        its package can be kept; its kernels are called from C++ instead of Python."""
        if not os.path.exists(folder):
            with self.torch.no_grad():
                program = self.torch.export.export(self.module, tuple(self.torch.from_numpy(a) for a in feeds.values()))
                package = self.torch._inductor.aoti_compile_and_package(program, package_path=folder + ".pt2", inductor_configs={"freezing": True, **options})
            shutil.unpack_archive(package, folder + ".part", "zip")
            os.remove(package)
            os.rename(folder + ".part", folder)
        return self.torch._inductor.aoti_load_package(folder)

    def prepare(self, feeds):
        tensors = [self.torch.from_numpy(a) for a in feeds.values()]

        def run():
            with self.torch.no_grad():
                return self.module(*tensors)
        return run

    @staticmethod
    def settle():
        """Idle compile workers of Inductor, which hold memory, end."""
        from torch._inductor import async_compile
        async_compile.shutdown_compile_workers()


class Session(served.Served):
    def load(self, folder, state):
        with open(os.path.join(folder, "model.json")) as file:
            meta = json.load(file)
        files = sorted(glob.glob(os.path.join(folder, "data", "input_*.npy")), key=lambda p: int(p.rsplit("_", 1)[1][:-4]))
        self.feeds, self.folder, self.state = dict(zip(meta["inputs"], map(np.load, files))), folder, state
        if kind == "torch":
            import torch_model
            self.module = torch_model.load(os.path.join(folder, "model.onnx"), self.feeds)
        return {}

    def start(self, engine, threads):
        state = os.path.join(self.state, engine) # torch reads the variable when it compiles
        os.environ.update(TORCHINDUCTOR_CACHE_DIR=state, TRITON_CACHE_DIR=os.path.join(state, "triton"))
        begin = time.perf_counter()
        self.engine = (OnnxRuntime(self.folder, state, threads, engine.endswith("plain")) if engine.startswith("onnxruntime") else Iree(self.folder, state, threads) if engine == "iree"
                       else OpenVino(self.folder, state, threads, "bf16" if engine == "openvino-bf16" else "f32") if engine.startswith("openvino")
                       else Torch(self.module, self.feeds, engine, state, threads))
        self.run_once = self.engine.prepare(self.feeds)
        self.run_once()
        ended = time.perf_counter()
        if engine.startswith("torch-") and engine != "torch-eager":
            Torch.settle()
        return {"first_ms": (ended - begin) * 1e3, "version": self.engine.version, "kinds": self.engine.kinds() if engine == "openvino-bf16" else None}

    def call(self):
        begin = time.perf_counter()
        results = self.run_once()
        return (time.perf_counter() - begin) * 1e3, results

    def run(self, threads, warm, calls):
        if kind == "torch":
            self.engine.torch.set_num_threads(threads)
        for _ in range(warm):
            self.run_once()
        samples = sorted(self.call()[0] for _ in range(calls))
        return {"ms": statistics.median(samples), "p90_ms": samples[calls * 9 // 10], "n": calls}

    def floor(self):
        import torch
        begin = time.perf_counter()
        torch.compile(lambda x: torch.tanh(x * 2))(torch.ones(8, 8))
        first = (time.perf_counter() - begin) * 1e3
        Torch.settle()
        return {"first_ms": first, "version": torch.__version__.split("+")[0]}

    def compare(self, folder):
        ms, outputs = self.call()
        worst = 0.0
        for k, output in enumerate(outputs):
            want, got = np.load(os.path.join(folder, f"output_{k}.npy")), np.asarray(output)
            if want.shape != got.shape:
                raise RuntimeError(f"output {k} has shape {got.shape}, not {want.shape}")
            if want.size:
                worst = max(worst, float(np.max(np.abs(got.astype(np.float64) - want)) / max(np.max(np.abs(want)), 1e-30)))
        return {"ms": ms, "error": worst if worst == worst else 1e30}

    def save(self, folder):
        for k, output in enumerate(self.run_once()):
            np.save(os.path.join(folder, f"output_{k}.npy"), np.asarray(output))
        return {}


def main():
    session = Session()
    if kind == "torch":
        import torch
        import torch._dynamo
        import torch._inductor.compile_fx  # noqa: F401
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # forked sessions end by themselves
        torch.set_num_threads(1)  # no team of threads before a fork
    else:
        __import__({"iree": "iree.runtime", "openvino-bf16": "openvino", "onnxruntime-plain": "onnxruntime"}.get(kind, kind))
    imported = (time.perf_counter() - started) * 1e3
    served.serve(session, import_ms=imported)


main()
