"""models.py SECONDS SAMPLES [--engines A,B] [--jobs N] [NAME...]: whole models on the device through torch.compile, a line of JSON for each engine.

Engines: eager; tcc and tcc-reduce-overhead (backend="tcc"); compile, compile-reduce-overhead and compile-max-autotune are torch.compile's. Results
are held against f64 beside eager's: what they are off by may be twice that, or what the format rounds; decoding, whose cache is no f64 model's,
is held against eager. The models are those of bench/torch_compile/models.py and torchvision's, in the format that the name ends in. Each is made
in a process of its own, one that hangs is ended. Times are taken as peers.py takes them; with several jobs they say nothing.
"""
import argparse
import copy
import importlib.util
import json
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import torch  # noqa: E402

import peers  # noqa: E402


def models_of_torch():
    """bench/torch_compile/models.py: beside this file in a package."""
    paths = os.path.join(HERE, "torch_models.py"), os.path.join(os.path.dirname(HERE), "torch_compile", "models.py")
    spec = importlib.util.spec_from_file_location("torch_models", next(path for path in paths if os.path.exists(path)))
    module = sys.modules["torch_models"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


models = models_of_torch()

FORMATS = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
ENGINES = {"eager": None, "tcc": ("tcc", None), "tcc-reduce-overhead": ("tcc", "reduce-overhead"), "compile": ("inductor", None),
           "compile-reduce-overhead": ("inductor", "reduce-overhead"), "compile-max-autotune": ("inductor", "max-autotune")}
SECONDS_OF_ONE, DEVICE = 100, "cuda"


def vision(name, batch):
    import torchvision
    return lambda: models.Case(getattr(torchvision.models, name)(weights=None), (torch.randn(batch, 3, 224, 224),))


MORE = {"resnet50": vision("resnet50", 1), "resnet50_b32": vision("resnet50", 32), "mobilenet_b32": vision("mobilenet_v3_large", 32),
        "convnext": vision("convnext_tiny", 1), "swin": vision("swin_t", 1), "bert_b32": lambda: models.bert(32)}
NAMES = ["layer.f32", "tutorial.f32", "bert.f32", "bert.bf16", "resnet50.f32", "resnet50_b32.bf16", "gpt2.bf16", "vit.bf16", "decode.bf16", "llama1024x8.bf16",
         "whisper.f32", "t5.f32", "bert_b32.bf16", "resnet50_b32.f32", "gpt2.f32", "vit.f32", "decode.f32", "llama1024x8.f32", "qwen3.bf16", "mobilenet_b32.f32",
         "convnext.f32", "swin.f32", "bert_b32.f32"]


def made(name):
    model, form = name.rsplit(".", 1)
    torch.manual_seed(1)
    if model == "decode":
        case = models.decode(1024, 8, dtype=FORMATS[form])
    else:
        case = (MORE.get(model) or models.MODELS[model])()
    case.module.eval()

    def moved(x):
        return torch.utils._pytree.tree_map_only(torch.Tensor, lambda t: (t.to(FORMATS[form]) if t.is_floating_point() else t).to(DEVICE), x)
    case.module.to(DEVICE, FORMATS[form])
    case.args = moved(case.args)
    cache = case.kwargs.get("past_key_values")
    for layer in cache.layers if cache else ():
        for key, value in vars(layer).items():
            if isinstance(value, torch.Tensor):
                setattr(layer, key, value.to(DEVICE))
            elif isinstance(value, torch.device):
                setattr(layer, key, torch.device(DEVICE))
    case.kwargs = {key: value if key == "past_key_values" else moved(value) for key, value in case.kwargs.items()}
    return case


def floats_of(result):
    leaves = [leaf for leaf in torch.utils._pytree.tree_leaves(result.to_tuple() if hasattr(result, "to_tuple") else result) if isinstance(leaf, torch.Tensor)]
    return [leaf.double() for leaf in leaves if leaf.is_floating_point()]


def off(got, wanted):
    """Root mean square errors over those of what is wanted."""
    return max(((g - w).square().mean().sqrt() / w.square().mean().sqrt().clamp_min(1e-30)).item() for g, w in zip(got, wanted))


def measure(case, call, samples):
    start = time.perf_counter()
    result = call()
    torch.cuda.synchronize()
    first = time.perf_counter() - start
    found = floats_of(result)
    calls = [0]

    def again():
        calls[0] += 1
        if case.before and calls[0] % case.every == 0:
            case.before()
        return call()
    for _ in range(5):
        again()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(10):
        again()
    host = (time.perf_counter() - begin) * 1e6 / 10
    return dict(peers.measure(again, [()], samples), first_s=first, host_us=host), found


def run(name, engines, samples, put):
    case, found = made(name), {}
    for engine in engines:
        torch._dynamo.reset()
        if case.before:
            case.before()
        before = torch.cuda.mem_get_info()[0]
        try:
            module = case.module
            if ENGINES[engine]:
                backend, mode = ENGINES[engine]
                module = torch.compile(case.module, backend=backend, mode=mode)
            with torch.no_grad():
                row, found[engine] = measure(case, lambda: module(*case.args, **case.kwargs), samples)
            row["device_mb"] = (before - torch.cuda.mem_get_info()[0]) / 1e6
        except Exception as error:
            text = [line for line in str(error).splitlines() if line.strip()]
            row = dict(error=f"{type(error).__name__}: {' / '.join(text[:6])[:900]}")
        put(dict(case=name, engine=engine, **row))
    if "eager" not in found or len(found) < 2:
        return
    form = FORMATS[name.rsplit(".", 1)[1]]
    if case.before:
        case.before()
    try:
        with torch.no_grad():
            if "past_key_values" in case.kwargs:
                wanted = found["eager"]
            else:
                double = copy.deepcopy(case.module).double()
                args, kwargs = torch.utils._pytree.tree_map_only(torch.Tensor, lambda t: t.double() if t.is_floating_point() else t, (case.args, case.kwargs))
                wanted = floats_of(double(*args, **kwargs))
        eager = off(found["eager"], wanted)
        for engine, got in found.items():
            error = off(got, wanted)
            limit = max(2 * eager, 4 * torch.finfo(form).eps)
            if engine != "eager":
                put(dict(case=name, engine=engine, off=error, eager_off=eager, agrees=bool(error <= limit)))
    except Exception as error:
        put(dict(case=name, engine="f64", error=f"{type(error).__name__}: {str(error)[:300]}"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("seconds", type=float)
    parser.add_argument("samples", type=int)
    parser.add_argument("--engines", default="eager,tcc,tcc-reduce-overhead")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("names", nargs="*")
    given = parser.parse_intermixed_args()
    end, children, names = time.monotonic() + given.seconds, {}, list(given.names or NAMES)
    import transformers  # noqa: F401  before the forks
    import tcc.dynamo
    if "tcc" not in torch._dynamo.list_backends(()):  # of a package, which is not installed
        torch._dynamo.register_backend(tcc.dynamo.backend, name="tcc")

    def put(row):
        os.write(1, (json.dumps(row) + "\n").encode())
    while names or children:
        while names and len(children) < given.jobs and time.monotonic() < end - 5:
            name = names.pop(0)
            child = os.fork()
            if child == 0:
                try:
                    torch.set_num_threads(4)
                    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
                    run(name, given.engines.split(","), given.samples, put)
                except BaseException as error:
                    put(dict(case=name, engine="?", error=f"{type(error).__name__}: {str(error)[:300]}"))
                os._exit(0)
            children[child] = (name, min(end, time.monotonic() + SECONDS_OF_ONE))
        if time.monotonic() > end:
            names = []
        for child, (name, limit) in list(children.items()):
            done, status = os.waitpid(child, os.WNOHANG)
            if not done and time.monotonic() > limit:
                os.kill(child, 9)
                os.waitpid(child, 0)
                done, status = child, 9
            if done:
                del children[child]
                if status:
                    put(dict(case=name, engine="?", error=f"ended by signal {status & 127}"))
        time.sleep(0.05)


if __name__ == "__main__":
    main()
