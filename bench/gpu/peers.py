"""peers.py CASES SECONDS SAMPLES: the timed cases through PyTorch, a line of JSON for each engine, as they become known.

Engines: eager (cuBLAS for products, cuDNN for convolutions), each backend of scaled_dot_product_attention, torch.compile in its modes. The quick
ones come first for all cases, compiled ones after them, and nothing is begun when the time is over. Times are taken as gpu-runner takes
them: events around as many runs as take 2 ms, inputs in turn.
"""
import json
import sys
import time

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i8": torch.int8, "u8": torch.float16}  # u8: of convolutions, which torch has in f16 at best
ROTATED_BYTES, SETS = 256 << 20, 8
BACKENDS = {"sdpa-flash": SDPBackend.FLASH_ATTENTION, "sdpa-efficient": SDPBackend.EFFICIENT_ATTENTION, "sdpa-cudnn": SDPBackend.CUDNN_ATTENTION,
            "sdpa-math": SDPBackend.MATH}


def attention_of(case):
    causal, grouped = "causal" in case["sizes"], case["shapes"][0][1] != case["shapes"][1][1]
    return lambda q, k, v, mask=None: F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal, enable_gqa=grouped)


def f16_convolution(case):
    batch, channels, _, filters, kernel, *stride = case["sizes"]
    weights = torch.randn((filters, channels, kernel, kernel), device="cuda" if torch.cuda.is_available() else "cpu", dtype=torch.float16)
    return lambda x: F.conv2d(x, weights, padding=kernel // 2, stride=(*stride, 1)[0])


def function_of(case):
    sizes = case["sizes"]
    if case["kind"] == "byte_convolution":
        return f16_convolution(case)
    return {"product": (lambda x, y: x @ y.t()) if len(sizes) > 3 else lambda x, y: x @ y,
            "gated": lambda x, y, z: F.silu(x @ y.t()) * (x @ z.t()),
            "projections": lambda x, *weights: [x @ w.t() for w in weights], "widths": lambda x, *weights: [x @ w.t() for w in weights],
            "rotation": lambda x, y, cos, sin: [v * cos + torch.cat([-v[..., v.shape[-1] // 2:], v[..., :v.shape[-1] // 2]], -1) * sin for v in (x, y)],
            "experts": lambda x, y, z: x @ y[z],
            "quantised": lambda x, y, z: x @ y.t(),  # its weight in the type of the rows: what narrow ones are measured by
            "updates": lambda *t: [p - (0.875 * v + g) for p, g, v in zip(t[::3], t[1::3], t[2::3])],
            "integer": (lambda x, y: torch._int_mm(x, y.t())) if len(sizes) > 3 else torch._int_mm,  # cuBLASLt, of more than 16 rows
            "scores": lambda x, y: torch.softmax(x @ y, -1),
            "softmax": lambda x: torch.softmax(x, -1),
            "layer_norm": lambda x, g, b: F.layer_norm(x, (sizes[-1],), g, b),
            "elementwise": lambda x, y: torch.tanh(x * y),
            "reduction": lambda x: x.sum(0),
            "transposition": lambda x: x.t().contiguous(),
            "attention": attention_of(case),
            "convolution": lambda x, w: F.conv2d(x, w, padding=sizes[4] // 2, stride=(*sizes, 1)[5])}[case["kind"]]


def inputs_of(case, device):
    count = min(SETS, max(1, ROTATED_BYTES // case["bytes"]))
    return [[torch.randint(0, 2, shape, device=device) if high else torch.randint(-128, 128, shape, device=device, dtype=torch.int8) if case["elem"] == "i8" else
             torch.randn(shape, device=device, dtype=DTYPES[case["elem"]])
             for shape, high in zip(case["shapes"], case["highs"])] for _ in range(count)]


def sample(call, sets, runs, turn):
    if not torch.cuda.is_available():  # a dry run
        start = time.perf_counter()
        for i in range(runs):
            call(*sets[(turn + i) % len(sets)])
        return (time.perf_counter() - start) * 1e6 / runs
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for i in range(runs):
        call(*sets[(turn + i) % len(sets)])
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e3 / runs


def measure(call, sets, samples):
    for i in range(3):
        call(*sets[i % len(sets)])
    once = sample(call, sets, 1, 0)
    runs = 1 if samples < 5 else max(1, min(1000, int(2000 / max(once, 1))))
    times = sorted(sample(call, sets, runs, i * runs) for i in range(samples))
    return dict(median_us=times[samples // 2], p10_us=times[samples // 10], p90_us=times[samples * 9 // 10], samples=samples, runs=runs, sets=len(sets))


def put(case, engine, **fields):
    print(json.dumps(dict(case=case["name"], engine=engine, **fields)), flush=True)


def attempt(case, engine, make, sets, samples):
    try:
        put(case, engine, **measure(make(), sets, samples))
    except Exception as error:  # what a peer cannot do is a line
        put(case, engine, error=f"{type(error).__name__}: {str(error).splitlines()[0][:120] if str(error) else ''}")


def main():
    cases, seconds, samples = json.load(open(sys.argv[1])), float(sys.argv[2]), int(sys.argv[3])
    end = time.monotonic() + seconds - 3
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_grad_enabled(False)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    timed = [case for case in cases if "times" in case["parts"]]
    modes = [("default", timed), ("reduce-overhead", timed), ("max-autotune", [c for c in timed if c["kind"] in ("product", "integer", "attention")])]

    def each(engine, make, chosen, limit):
        for case in chosen:
            if time.monotonic() > limit:
                return
            attempt(case, engine, lambda: make(case), inputs_of(case, device), samples)

    each("eager", function_of, timed, end)
    for name, backend in BACKENDS.items():
        def make(case):
            whole = attention_of(case)

            def call(*inputs):
                with sdpa_kernel(backend):
                    return whole(*inputs)
            return call
        each(name, make, [c for c in timed if c["kind"] == "attention"], end)
    for number, (mode, chosen) in enumerate(modes):
        torch._dynamo.reset()
        share = end - (end - time.monotonic()) * (len(modes) - 1 - number) / (len(modes) - number)
        each("compile-" + mode, lambda case: torch.compile(function_of(case), mode=None if mode == "default" else mode, dynamic=False), chosen, share)


if __name__ == "__main__":
    main()
