"""Matrix products by tcc beside oneDNN and OpenBLAS: makes models of one product and many weights, compiles them, runs gemm.c.

    bench/kernels/gemm.sh [--shapes 128x768x768,...] [--threads 1,2] [--rounds 15] [--compiler NAME=DIR]

Prints Markdown, writes bench/results/kernels-gemm-DATE.json. A figure is the median of ratios taken round by round."""
import argparse, datetime, json, os, pathlib, statistics, subprocess, sys
import numpy, onnx
from onnx import TensorProto, helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "bench" / "gemm"
SHAPES = ("512x768x3072 512x3072x768 128x768x768 128x768x3072 128x3072x768 127x769x771 197x384x1152 50x2048x512 8x4096x4096 1x4096x4096 "
          "3x1000x2048 1024x1024x1024 64x3136x256").split()
KINDS = {"packed": "weights", "dynamic": "weights, rows of unknown number", "in-call": "both operands computed"}


def write_weights(m, n, k, cold):
    count = max(2, min(64, -(-cold // (4 * n * k))))
    path = WORK / f"weights-{n}x{k}.bin"
    if not path.exists() or path.stat().st_size != 4 * n * k * count:
        values = numpy.random.default_rng(1).uniform(-1, 1, n * k + count).astype(numpy.float32)
        with open(path, "wb") as f:
            for i in range(count):
                f.write(values[i:i + n * k].tobytes())
    return path, count


def write_model(kind, m, n, k, weights, count):
    rows = "M" if kind == "dynamic" else m
    info = helper.make_tensor_value_info
    inputs = [info(f"x{i}", TensorProto.FLOAT, [rows, k]) for i in range(count)]
    outputs = [info(f"y{i}", TensorProto.FLOAT, [rows, n]) for i in range(count)]
    nodes = [helper.make_node("MatMul", [f"x{i}", f"w{i}"], [f"y{i}"]) for i in range(count)]
    initializers = []
    for i in range(count):
        if kind == "in-call":
            inputs.append(info(f"w{i}", TensorProto.FLOAT, [k, n]))
            continue
        tensor = TensorProto(name=f"w{i}", data_type=TensorProto.FLOAT, dims=[k, n], data_location=TensorProto.EXTERNAL)
        for key, value in (("location", weights.name), ("offset", 4 * n * k * i), ("length", 4 * n * k)):
            tensor.external_data.add(key=key, value=str(value))
        initializers.append(tensor)
    graph = helper.make_graph(nodes, "gemm", inputs, outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    path = WORK / f"{kind}-{m}x{n}x{k}.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def measure(args, shape, threads):
    m, n, k = (int(x) for x in shape.split("x"))
    weights, count = write_weights(m, n, k, args.cold << 20)
    artifacts = []
    for kind in args.kinds.split(","):
        model = write_model(kind, m, n, k, weights, count)
        for name, folder in args.compilers:
            artifact = WORK / f"{name or 'tcc'}-{model.stem}.so"
            env = dict(os.environ, TCC_CACHE_DIR=str(WORK / "cache"))
            subprocess.run([folder / "bin" / "tcc-compile", model, "-o", artifact, "--no-cache"], check=True, env=env)
            artifacts.append(f"{name + '-' if name else ''}{kind}={artifact}")
    env = dict(os.environ, OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=str(threads), OPENBLAS_THREAD_TIMEOUT="8")
    command = [WORK / "gemm", str(m), str(n), str(k), weights, str(count), str(args.rounds), str(threads), *artifacts]
    if args.before: command = [*args.before.split(), *command]
    out = subprocess.run(command, check=True, env=env, stdout=subprocess.PIPE).stdout
    return json.loads(out)


def ratios(ns, of, to):
    return sorted(b / a for a, b in zip(ns[of], [min(x) for x in zip(*(ns[t] for t in to))]))


def quartiles(values):
    return statistics.median(values), values[len(values) // 4], values[-1 - len(values) // 4]


def row(result):
    ns, flops = result["ns"], 2.0 * result["m"] * result["n"] * result["k"]
    cells = [f"{result['m']}x{result['n']}x{result['k']}", str(result["threads"])]
    for name in ns:
        cells.append(f"{flops / statistics.median(ns[name]):.1f}")
    cells.append(f"{result['peak'] * result['threads']:.0f}")
    for name in ns:
        if name in ("onednn-packed", "onednn", "openblas"): continue
        to = ["onednn", "openblas"] if name.endswith("in-call") else ["onednn-packed"]
        middle, low, high = quartiles(ratios(ns, name, to))
        cells.append(f"{middle:.2f} ({low:.2f}-{high:.2f})")
    return cells


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--threads", default="1")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--cold", type=int, default=96, help="MB that the weights of one shape are at least")
    parser.add_argument("--compiler", action="append", default=[], help="NAME=BUILD: further builds of tcc to compare")
    parser.add_argument("--output", help="JSON; default: bench/results/kernels-gemm-DATE.json")
    parser.add_argument("--before", default="", help="a command that runs each measurement")
    args = parser.parse_args()
    args.compilers = [("", ROOT / "build")] + [(c.split("=")[0], pathlib.Path(c.split("=")[1])) for c in args.compiler]
    WORK.mkdir(parents=True, exist_ok=True)
    file = pathlib.Path(args.output) if args.output else ROOT / "bench" / "results" / f"kernels-gemm-{datetime.date.today().isoformat()}.json"
    file.parent.mkdir(exist_ok=True)
    results, header = [], None
    for threads in (int(t) for t in args.threads.split(",")):
        for shape in args.shapes.split(","):
            result = measure(args, shape, threads)
            results.append(result)
            file.write_text(json.dumps(results, indent=1) + "\n")
            if header is None:
                own = [name for name in result["ns"] if name not in ("onednn-packed", "onednn", "openblas")]
                header = ["M x N x K", "threads", *(f"{name} GF/s" for name in result["ns"]), "FMA peak", *(f"{name} / library" for name in own)]
                print("| " + " | ".join(header) + " |\n|" + "---|" * len(header))
            print("| " + " | ".join(row(result)) + " |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
