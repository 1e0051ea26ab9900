"""Convolutions by tcc beside oneDNN: makes models of one convolution and many weights, compiles them, runs conv.c.

    bench/kernels/conv.sh [--shapes 1,64,56,56,64,3,1,1,1 ...] [--threads 1,2] [--rounds 15] [--compiler NAME=DIR]

A shape is images, channels, height, width, output channels, window, stride, padding, groups. Prints Markdown, writes
bench/results/kernels-conv-DATE.json. A figure is the median of ratios taken round by round."""
import argparse, datetime, json, os, pathlib, statistics, subprocess, sys
import numpy, onnx
from onnx import TensorProto, helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "bench" / "conv"
RESNET = ("1,3,224,224,64,7,2,3,1 1,64,56,56,64,1,1,0,1 1,64,56,56,64,3,1,1,1 1,64,56,56,256,1,1,0,1 1,256,56,56,64,1,1,0,1 1,256,56,56,128,1,1,0,1 "
          "1,128,56,56,128,3,2,1,1 1,128,28,28,512,1,1,0,1 1,256,56,56,512,1,2,0,1 1,512,28,28,128,1,1,0,1 1,128,28,28,128,3,1,1,1 "
          "1,512,28,28,256,1,1,0,1 1,256,28,28,256,3,2,1,1 1,256,14,14,1024,1,1,0,1 1,512,28,28,1024,1,2,0,1 1,1024,14,14,256,1,1,0,1 "
          "1,256,14,14,256,3,1,1,1 1,1024,14,14,512,1,1,0,1 1,512,14,14,512,3,2,1,1 1,512,7,7,2048,1,1,0,1 1,1024,14,14,2048,1,2,0,1 "
          "1,2048,7,7,512,1,1,0,1 1,512,7,7,512,3,1,1,1").split()
MOBILE = ("1,3,224,224,16,3,2,1,1 1,16,112,112,16,3,1,1,16 1,64,112,112,64,3,2,1,64 1,240,14,14,240,3,1,1,240 1,480,14,14,480,3,1,1,480 "
          "1,672,14,14,672,5,2,2,672 1,960,7,7,960,5,1,2,960 1,16,112,112,64,1,1,0,1 1,480,14,14,112,1,1,0,1 1,112,14,14,672,1,1,0,1 "
          "1,960,7,7,160,1,1,0,1 1,160,7,7,960,1,1,0,1 1,96,56,56,96,7,1,3,96").split()
ODD = ("1,64,17,17,80,3,1,1,1 1,256,13,13,384,3,1,1,1 1,80,15,15,48,5,2,2,1 1,64,35,35,192,1,1,0,1 1,32,19,19,112,1,2,0,1 1,3,64,64,32,3,2,1,1 "
       "1,96,17,17,96,3,1,1,96 1,96,27,27,96,3,2,1,96 1,672,7,7,672,5,1,2,672").split()


def write_weights(m, c, k, cold):
    size = m * c * k * k
    count = max(2, min(128, -(-cold // (4 * size))))
    path = WORK / f"weights-{m}x{c}x{k}.bin"
    if not path.exists() or path.stat().st_size != 4 * size * count:
        values = numpy.random.default_rng(1).uniform(-1, 1, size + count).astype(numpy.float32)
        with open(path, "wb") as f:
            for i in range(count):
                f.write(values[i:i + size].tobytes())
    return path, count


def write_model(shape, weights, count):
    n, c, h, w, m, k, stride, pad, groups = shape
    oh, ow = (h + 2 * pad - k) // stride + 1, (w + 2 * pad - k) // stride + 1
    info = helper.make_tensor_value_info
    dims = [n, c // 16, h, w, 16] if c % 16 == 0 else [n, c, h, w]
    result = [n, m // 16, oh, ow, 16] if m % 16 == 0 else [n, m, oh, ow]
    nodes, constants = [], []
    constants.append(helper.make_tensor("plain", TensorProto.INT64, [4], [n, c, h, w]))
    constants.append(helper.make_tensor("blocks", TensorProto.INT64, [5], [n, m // 16, 16, oh, ow]))
    for i in range(count):
        x, y = f"x{i}", f"y{i}"
        if c % 16 == 0:
            nodes.append(helper.make_node("Transpose", [x], [f"t{i}"], perm=[0, 1, 4, 2, 3]))
            nodes.append(helper.make_node("Reshape", [f"t{i}", "plain"], [f"p{i}"]))
            x = f"p{i}"
        nodes.append(helper.make_node("Conv", [x, f"w{i}"], [f"c{i}"], kernel_shape=[k, k], strides=[stride] * 2, pads=[pad] * 4, group=groups))
        nodes.append(helper.make_node("Relu", [f"c{i}"], [f"r{i}" if m % 16 == 0 else y]))
        if m % 16 == 0:
            nodes.append(helper.make_node("Reshape", [f"r{i}", "blocks"], [f"b{i}"]))
            nodes.append(helper.make_node("Transpose", [f"b{i}"], [y], perm=[0, 1, 3, 4, 2]))
        size = 4 * m * (c // groups) * k * k
        tensor = TensorProto(name=f"w{i}", data_type=TensorProto.FLOAT, dims=[m, c // groups, k, k], data_location=TensorProto.EXTERNAL)
        for key, value in (("location", weights.name), ("offset", size * i), ("length", size)):
            tensor.external_data.add(key=key, value=str(value))
        constants.append(tensor)
    inputs = [info(f"x{i}", TensorProto.FLOAT, dims) for i in range(count)]
    outputs = [info(f"y{i}", TensorProto.FLOAT, result) for i in range(count)]
    model = helper.make_model(helper.make_graph(nodes, "conv", inputs, outputs, constants), opset_imports=[helper.make_opsetid("", 17)])
    path = WORK / f"{'-'.join(str(v) for v in shape)}.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def measure(args, name, threads):
    shape = [int(v) for v in name.split(",")]
    n, c, h, w, m, k, stride, pad, groups = shape
    weights, count = write_weights(m, c // groups, k, args.cold << 20)
    model, artifacts = write_model(shape, weights, count), []
    for compiler, folder in args.compilers:
        artifact = WORK / f"{compiler or 'tcc'}-{model.stem}.so"
        env = dict(os.environ, TCC_CACHE_DIR=str(WORK / "cache"))
        subprocess.run([folder / "bin" / "tcc-compile", model, "-o", artifact, "--no-cache"], check=True, env=env)
        artifacts.append(f"{compiler or 'tcc'}={artifact}")
    command = [WORK / "conv", name, weights, str(count), str(args.rounds), str(threads), *artifacts]
    if args.before: command = [*args.before.split(), *command]
    out = subprocess.run(command, check=True, env=dict(os.environ, OMP_NUM_THREADS=str(threads)), stdout=subprocess.PIPE).stdout
    return json.loads(out)


def row(result):
    ns, cells = result["ns"], [result["shape"], str(result["threads"])]
    for name in ns:
        cells.append(f"{statistics.median(ns[name]) / 1e6:.3f}")
    for name in ns:
        cells.append(f"{result['flops'] / min(ns[name]) / result['peak'] / result['threads']:.2f}")
    for name in ns:
        if name == "onednn": continue
        values = sorted(b / a for a, b in zip(ns[name], ns["onednn"]))
        cells.append(f"{statistics.median(values):.2f} ({values[len(values) // 4]:.2f}-{values[-1 - len(values) // 4]:.2f})")
    return cells


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shapes", nargs="*", default=["resnet", "mobile", "odd"], help="shapes, or lists of them: resnet, resnet8, mobile, odd")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--cold", type=int, default=96, help="MB that the weights of one shape are at least")
    parser.add_argument("--compiler", action="append", default=[], help="NAME=BUILD: further builds of tcc to compare")
    parser.add_argument("--output", help="JSON; default: bench/results/kernels-conv-DATE.json")
    parser.add_argument("--before", default="", help="a command that runs each measurement")
    args = parser.parse_args()
    args.compilers = [("", ROOT / "build")] + [(c.split("=")[0], pathlib.Path(c.split("=")[1])) for c in args.compiler]
    WORK.mkdir(parents=True, exist_ok=True)
    file = pathlib.Path(args.output) if args.output else ROOT / "bench" / "results" / f"kernels-conv-{datetime.date.today().isoformat()}.json"
    file.parent.mkdir(exist_ok=True)
    lists = {"resnet": RESNET, "resnet8": ["8" + s[1:] for s in RESNET], "mobile": MOBILE, "odd": ODD}
    results = []
    for threads in (int(t) for t in args.threads.split(",")):
        for shape in (s for name in args.shapes for s in lists.get(name, [name])):
            result = measure(args, shape, threads)
            if not results:
                own = [name for name in result["ns"] if name != "onednn"]
                header = ["N,C,H,W,M,K,stride,pad,groups", "threads", *(f"{name} ms" for name in result["ns"]), *(f"{name} of peak" for name in result["ns"]),
                          *(f"{name} / oneDNN" for name in own)]
                print("| " + " | ".join(header) + " |\n|" + "---|" * len(header))
            results.append(result)
            file.write_text(json.dumps(results, indent=1) + "\n")
            print("| " + " | ".join(row(result)) + " |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
