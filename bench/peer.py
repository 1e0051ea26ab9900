"""peer.py - one ONNX model in one peer, in a process of its own that stays: a server of timings.

    python bench/peer.py PEER FOLDER THREADS [--save DIR] [--state DIR]

PEER: onnxruntime, openvino, iree, torch-eager, torch-compile, torch-freezing (TORCHINDUCTOR_FREEZING=1) or torch-max-autotune (with
freezing). Starts, makes the first output and prints one line of JSON: the milliseconds from `import` done to that
output and the peak of resident memory. Then for each line of input, a number of seconds, it runs for that long and
prints median, p10 and p90 of one run in milliseconds. --save writes the outputs; --state is where compilers keep what they make.
"""
import argparse
import glob
import json
import os
import resource
import subprocess
import sys
import time

parser = argparse.ArgumentParser()
parser.add_argument("peer")
parser.add_argument("folder")
parser.add_argument("threads", type=int)
parser.add_argument("--save")
parser.add_argument("--state")
given = parser.parse_args()
os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = str(given.threads)
if given.peer in ("torch-freezing", "torch-max-autotune"):
    os.environ["TORCHINDUCTOR_FREEZING"] = "1"
if given.state:
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(given.state, "torch")
import numpy as np  # noqa: E402

meta = json.load(open(os.path.join(given.folder, "model.json")))
data = sorted(glob.glob(os.path.join(given.folder, "data", "input_*.npy")), key=lambda p: int(p.rsplit("_", 1)[1][:-4]))
feeds = dict(zip(meta["inputs"], map(np.load, data)))
path = os.path.join(given.folder, "model.onnx")


def start_onnxruntime():
    import onnxruntime

    begin = time.perf_counter()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = given.threads, 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return begin, onnxruntime.__version__, lambda: session.run(None, feeds)


def start_openvino():
    import openvino

    begin = time.perf_counter()
    core = openvino.Core()
    options = {"INFERENCE_NUM_THREADS": given.threads, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
    request = core.compile_model(core.read_model(path), "CPU", options).create_infer_request()
    return begin, openvino.__version__.split("-")[0], lambda: list(request.infer(feeds).values())


def start_iree():
    import iree.runtime as iree

    begin, tools = time.perf_counter(), os.path.dirname(sys.executable)
    mlir, binary = (os.path.join(given.state or "/tmp", f"model.{s}") for s in ("mlir", "vmfb"))
    if not os.path.exists(binary):
        for command in ([f"{tools}/iree-import-onnx", path, "-o", mlir, "--opset-version", "17"],
                        [f"{tools}/iree-compile", mlir, "-o", binary, "--iree-hal-target-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host",
                         "--iree-llvmcpu-stack-allocation-limit=262144"]):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{os.path.basename(command[0])}: {done.stderr.strip().splitlines()[:1]}")
        if os.path.exists(mlir):
            os.remove(mlir)
    from importlib.metadata import version
    config = iree.Config("local-sync" if given.threads == 1 else "local-task")
    context = iree.SystemContext(config=config)
    context.add_vm_module(iree.VmModule.mmap(context.instance, binary))
    module = context.modules.module
    entry = next(getattr(module, n) for n in module.vm_module.function_names if not n.startswith("__") and not n.endswith("$async"))
    arguments = [iree.asdevicearray(config.device, a) for a in feeds.values()]

    def run():
        results = entry(*arguments)
        return [r.to_host() for r in (results if isinstance(results, (list, tuple)) else [results])]
    return begin, version("iree-base-runtime"), run


def start_torch():
    import torch
    import torch_model

    torch.set_num_threads(given.threads)
    module = torch_model.load(path, feeds)
    tensors = [torch.from_numpy(a) for a in feeds.values()]
    begin = time.perf_counter()
    if given.peer != "torch-eager":
        module = torch.compile(module, mode="max-autotune" if given.peer == "torch-max-autotune" else None)

    def run():
        with torch.no_grad():
            return module(*tensors)
    return begin, torch.__version__, lambda: [t.numpy() for t in run()]


def timed(run, seconds):
    times, begin, warm = [], time.perf_counter(), 0
    while warm < 2 or time.perf_counter() - begin < seconds / 5:
        run()
        warm += 1
    begin = time.perf_counter()
    while len(times) < 5 or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1e3)
    times.sort()
    return {"median": times[len(times) // 2], "p10": times[len(times) // 10], "p90": times[len(times) * 9 // 10]}


begin, version, run = {"onnxruntime": start_onnxruntime, "openvino": start_openvino, "iree": start_iree}.get(given.peer, start_torch)()
outputs = run()
ready = time.perf_counter()
if given.save:
    for k, output in enumerate(outputs):
        np.save(os.path.join(given.save, f"output_{k}.npy"), output)
del outputs
print(json.dumps({"version": version, "first_output_ms": (ready - begin) * 1e3,
                  "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}), flush=True)
for line in sys.stdin:
    print(json.dumps(timed(run, float(line))), flush=True)
