"""peer.py - runs one ONNX model in a peer, in a process of its own, as tcc-run does: onnxruntime or openvino.

    python bench/peer.py PEER FOLDER THREADS SECONDS [--save DIR]

Prints one line of JSON: milliseconds from `import` done to the first output, of one run (median, p10, p90), of the
whole start including Python, and the peak of resident memory.
"""
import glob
import json
import os
import resource
import sys
import time

peer, folder, threads, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
import numpy as np  # noqa: E402

if peer == "onnxruntime":
    import onnxruntime
else:
    import openvino
imported = time.perf_counter()
meta = json.load(open(os.path.join(folder, "model.json")))
data = sorted(glob.glob(os.path.join(folder, "data", "input_*.npy")), key=lambda p: int(p.rsplit("_", 1)[1][:-4]))
feeds = dict(zip(meta["inputs"], map(np.load, data)))
path = os.path.join(folder, "model.onnx")
if peer == "onnxruntime":
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])

    def run():
        return session.run(None, feeds)
else:
    core = openvino.Core()
    request = core.compile_model(core.read_model(path), "CPU", {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY",
                                                                "INFERENCE_PRECISION_HINT": "f32"}).create_infer_request()

    def run():
        return list(request.infer(feeds).values())

outputs = run()
ready = time.perf_counter()
if "--save" in sys.argv:
    for k, output in enumerate(outputs):
        np.save(os.path.join(sys.argv[sys.argv.index("--save") + 1], f"output_{k}.npy"), output)
times = []
if seconds:
    begin = time.perf_counter()
    warm = 0
    while warm < 3 or time.perf_counter() - begin < seconds / 10:
        run()
        warm += 1
    begin = time.perf_counter()
    while len(times) < 5 or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1e3)
    times.sort()
version = onnxruntime.__version__ if peer == "onnxruntime" else openvino.__version__
print(json.dumps({"version": version, "first_output_ms": (ready - imported) * 1e3,
                  "run_ms": {"median": times[len(times) // 2], "p10": times[len(times) // 10], "p90": times[len(times) * 9 // 10]} if times else None,
                  "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
