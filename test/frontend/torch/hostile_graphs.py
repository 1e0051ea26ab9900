"""hostile_graphs.py TRANSLATE FOLDER: graphs of one node whose sizes or numbers are absurd; each must be refused by a message that says why.

A case is the node, what it is given and gives, and a part of the message; None: it is taken. 10 seconds of CPU and MOST_MB are far above what any of them
needs, and catch only what is endless or of the size that the graph names."""
import json
import pathlib
import resource
import subprocess
import sys

translate, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
U8, I64, F32, C64 = 1, 5, 7, 10
HUGE, PRIME = 1 << 33, 4611686018427387847  # PRIME: near 2^62


def meta(dtype, sizes):
    strides, n = [], 1
    for size in reversed(sizes):
        strides.insert(0, n)
        n = n * max(size, 1) % 2**62
    return {"dtype": dtype, "sizes": [{"as_int": s} for s in sizes], "requires_grad": False, "device": {"type": "cpu", "index": None},
            "strides": [{"as_int": s} for s in strides], "storage_offset": {"as_int": 0}, "layout": 7}


def argument(value):
    if isinstance(value, str):
        return {"as_tensor": {"name": value}}
    if isinstance(value, bool):
        return {"as_bool": value}
    if isinstance(value, float):
        return {"as_float": value}
    return {"as_ints": value} if isinstance(value, list) else {"as_int": value}


def graph(op, inputs, outputs, **arguments):
    """inputs, outputs: [(element type, sizes)], called x0, x1, ... and y0, ...; a complex input is made of one pair of real ones."""
    names, values, nodes = [], {}, []
    for i, (dtype, sizes) in enumerate(inputs):
        names.append(f"x{i}")
        values[f"x{i}"] = meta(F32 if dtype == C64 else dtype, sizes)
        if dtype == C64:
            values[f"z{i}"] = meta(C64, sizes)
            nodes.append(("complex.default", {"real": f"x{i}", "imag": f"x{i}"}, [f"z{i}"]))
    made = [f"y{i}" for i in range(len(outputs))]
    values.update({n: meta(*o) for n, o in zip(made, outputs)})
    nodes.append((op, arguments, made))
    results = [n for n, (dtype, _) in zip(made, outputs) if dtype != C64]
    for n, (dtype, sizes) in zip(made, outputs):
        if dtype == C64:
            values[f"a{n}"] = meta(F32, sizes)
            nodes.append(("abs.default", {"self": n}, [f"a{n}"]))
            results.append(f"a{n}")
    nodes = [{"target": f"torch.ops.aten.{target}", "inputs": [{"name": k, "arg": argument(v), "kind": 1} for k, v in given.items()],
              "outputs": [argument(n) for n in out], "metadata": {}, "name": f"node{i}"} for i, (target, given, out) in enumerate(nodes)]
    module = {"graph": {"inputs": [argument(n) for n in names], "outputs": [argument(n) for n in results], "nodes": nodes,
                        "is_single_tensor_return": False, "tensor_values": values, "sym_int_values": {}, "sym_bool_values": {},
                        "sym_float_values": {}, "custom_obj_values": {}},
              "signature": {"input_specs": [{"user_input": {"arg": argument(n)}} for n in names],
                            "output_specs": [{"user_output": {"arg": argument(n)}} for n in results]},
              "module_call_graph": [], "metadata": {}, "treespec_namedtuple_fields": {}}
    return {"graph_module": module, "opset_version": {"aten": 10}, "range_constraints": {}, "schema_version": {"major": 8, "minor": 1},
            "verifiers": [], "torch_version": "2.10.0"}


def rfft(n, lead=()):
    return graph("fft_rfft.default", [(F32, [*lead, n])], [(C64, [*lead, n // 2 + 1])], self="x0")


def istft(frames, hop, length):
    return graph("istft.default", [(C64, [9, frames])], [(F32, [length])], self="z0", n_fft=16, hop_length=hop)


def adaptive(op, to, size, outputs=1):
    kinds = [(F32, [1, 2, to]), (I64, [1, 2, to])]
    return graph(op, [(F32, [1, 2, size])], kinds[:outputs], self="x0", output_size=[to])


def pool_backward(kernel, stride, sizes=(1, 2, 8, 8), grad=(1, 2, 4, 4)):
    return graph("avg_pool2d_backward.default", [(F32, list(grad)), (F32, list(sizes))], [(F32, list(sizes))], grad_output="x0", self="x1",
                 kernel_size=[kernel] * 2, stride=[stride] * 2, padding=[0, 0], ceil_mode=False, count_include_pad=True, divisor_override=1)


def upsample_backward(op, size, to, scale, **more):
    return graph(op, [(F32, [1, 2, to])], [(F32, [1, 2, size])], grad_output="x0", output_size=[to], input_size=[1, 2, size], scales=scale, **more)


def upsample_bytes(op, size, to, scale):
    return graph(op, [(U8, [1, 2, size, size])], [(U8, [1, 2, to, to])], self="x0", output_size=[to] * 2, align_corners=False, scales_h=scale, scales_w=scale)


CASES = {
    "rfft": (rfft(48), None),
    "rfft_deep": (rfft(4096, lead=[1] * 15), None),
    "rfft_prime": (rfft(4099), None),
    "rfft_beside": (rfft(2053 * 2054), None),
    "rfft_large": (rfft(10007 * 10008), None),
    "rfft_power": (rfft(HUGE), f"a transform of {HUGE} elements, more than 268435456"),
    "rfft_root": (rfft(PRIME), f"a transform of {PRIME} elements, more than 268435456"),
    "istft": (istft(7, 4, 24), None),
    "istft_hop": (istft(7, PRIME, 24), f"frames of 16 elements every {PRIME}"),
    "istft_frames": (istft(1 << 58, 4, 24), f"{1 << 58} frames"),
    "average": (adaptive("adaptive_avg_pool1d.default", 3, 8), None),
    "average_huge": (adaptive("adaptive_avg_pool1d.default", HUGE - 1, HUGE), f"a matrix of {HUGE} by {HUGE - 1}"),
    "average_wraps": (adaptive("adaptive_avg_pool1d.default", 1 << 32, 1 << 33), f"a matrix of {1 << 33} by {1 << 32}"),
    "average_negative": (adaptive("adaptive_avg_pool1d.default", -3, 8), "-3"),
    "maximum_huge": (adaptive("adaptive_max_pool2d.default", HUGE, HUGE, 2), f"an axis of 2 elements to {HUGE}"),
    "pool": (pool_backward(2, 2), None),
    "pool_stride": (pool_backward(2, PRIME), "a window of more than 2^31 elements"),
    "pool_sizes": (pool_backward(2, 2, (1, 2, 1, HUGE), (1, 2, 1, HUGE // 2)), f"a matrix of {HUGE // 2} by {HUGE}"),
    "pool_rank": (pool_backward(2, 2, (8,), (4,)), "an input of rank 1, a gradient of rank 1"),
    "nearest": (upsample_backward("upsample_nearest1d_backward.default", 4, 8, 2.0), None),
    "nearest_scale": (upsample_backward("upsample_nearest1d_backward.default", 4, 8, 1e-30), "a scale of 1e-30"),
    "linear_scale": (upsample_backward("upsample_linear1d_backward.default", 4, 8, 1e-300, align_corners=False), "a scale of 1e-300"),
    "linear_sizes": (upsample_backward("upsample_linear1d_backward.default", 1 << 32, 1 << 32, 1.0, align_corners=False), f"a matrix of {1 << 32} by {1 << 32}"),
    "bytes": (upsample_bytes("_upsample_bilinear2d_aa.default", 4, 8, 2.0), None),
    "bytes_scale": (upsample_bytes("_upsample_bilinear2d_aa.default", 4, 8, 1e-9), None),
    "bytes_tiny": (upsample_bytes("_upsample_bilinear2d_aa.default", 4, 8, 1e-30), "a scale of 1e-30"),
    "bytes_sizes": (upsample_bytes("upsample_bilinear2d.default", 1 << 20, 1 << 20, 1.0), f"a matrix of {1 << 20} by {1 << 20}"),
}

# Ranks that do not fit together: of inputs, of what the graph says of a result.
CASES |= {
    "slice_rank": (graph("slice_backward.default", [(F32, [])], [(F32, [3])], grad_output="x0", input_sizes=[3], dim=0, start=PRIME, end=2, step=1), "a gradient of another rank"),
    "embedding_rank": (graph("embedding_dense_backward.default", [(F32, []), (I64, [])], [(F32, [10, 5])], grad_output="x0", indices="x1", num_weights=10, padding_idx=-1,
                             scale_grad_by_freq=False), "a gradient of rank 0"),
    "im2col_rank": (graph("im2col.default", [(F32, [1, 1, 1, 5, 5])], [(F32, [1, 4, 9])], self="x0", kernel_size=[2, 2], dilation=[1, 1], padding=[1, 1], stride=[2, 2]),
                    "an image of rank 5"),
    "slice_none": (graph("slice_backward.default", [(F32, [2, 2, 6])], [(F32, [2, 4, 6])], grad_output="x0", input_sizes=[], dim=-1, start=-2, end=9, step=2),
                   "a part of a tensor without axes"),
    "pad_rank": (graph("replication_pad2d_backward.default", [(F32, []), (F32, [5, 3, 4, 4])], [(F32, [5, 3, 4, 4])], grad_output="x0", self="x1", padding=[1, 1, 0, 0]),
                 "a gradient of rank 0"),
}

MOST_MB = 400


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (10, 10))


def peak():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


usual, failed = None, False
for name, (program, message) in CASES.items():
    path = folder / f"{name}.json"
    path.write_text(json.dumps(program))
    got = subprocess.run([translate, "--import-onnx", path], capture_output=True, text=True, preexec_fn=limits)
    usual = usual or peak()  # a sanitizer's own memory is another matter
    right = got.returncode == 0 if message is None else got.returncode == 1 and message in got.stderr and path.name in got.stderr
    if not right:
        failed = True
        print(f"{name}: exit {got.returncode}, {got.stderr[-1000:]!r}; wanted: {message}")
if usual < MOST_MB / 2 and peak() > MOST_MB:
    failed = True
    print(f"one took {peak():.0f} MB")
print(f"{len(CASES)} graphs")
sys.exit(failed)
