"""changed_calls.py TRANSLATE FOLDER COUNT [SEED] CALLS...: recorded calls with absurd numbers, lists, ranks and types; each must be imported, or refused by a
message.

CALLS: files of graphs, compressed (record.py). COUNT graphs are made from a seed, always the same ones; a seed behind a failure's name makes it again. 10 seconds
of CPU and MOST_MB are far above what any needs, and catch only what is endless or of the size that a graph names."""
import copy
import gzip
import json
import pathlib
import random
import resource
import subprocess
import sys

translate, folder, count, *rest = sys.argv[1:]
seed = int(rest.pop(0)) if rest[0].isdigit() else 1
folder, MOST_MB = pathlib.Path(folder), 3000
folder.mkdir(parents=True, exist_ok=True)
INTEGERS = [-1, -2, 0, 1, 3, 17, 2**31 - 1, 2**31, 2**33, 2**62, 2**63 - 1, -2**62, -2**63]
REALS = [0.0, -1.0, 1e308, 1e-308, -1e30, "NaN", "Infinity", "-Infinity"]
SIZES = [0, 1, 2, 2**20, 2**31, 2**33, 2**62]


def change_list(r, values):
    way = r.random()
    if way < 0.6 and values:
        values[r.randrange(len(values))] = r.choice(INTEGERS)
        return values
    return [] if way < 0.75 else values * 20 + [1] if way < 0.9 else values[:-1]


def change_argument(r, node):
    argument = r.choice(node["inputs"])
    value = argument["arg"]
    kind = next(iter(value))
    if kind == "as_int":
        value[kind] = r.choice(INTEGERS)
    elif kind == "as_ints":
        value[kind] = change_list(r, value[kind])
    elif kind == "as_float":
        value[kind] = r.choice(REALS)
    elif kind == "as_bool":
        value[kind] = not value[kind]
    elif kind == "as_tensors":
        value[kind] = r.choice([[], value[kind] * 9, value[kind][:-1]])
    elif kind == "as_tensor" and r.random() < 0.5:
        argument["arg"] = {"as_none": True}
    else:
        node["inputs"].remove(argument)


def change_tensor(r, meta):
    sizes, way = [s.get("as_int", 1) for s in meta["sizes"]], r.random()
    if way < 0.2:
        sizes = []
    elif way < 0.4:
        sizes.append(r.choice([0, 1, 2]))
    elif way < 0.55:
        sizes = sizes[1:]
    elif way < 0.6:
        sizes = [1] * 16
    elif way < 0.9 and sizes:
        sizes[r.randrange(len(sizes))] = r.choice(SIZES)
    else:
        meta["dtype"] = r.randrange(1, 14)
    strides, step = [], 1
    for size in reversed(sizes):
        strides.insert(0, step)
        step = min(step * max(size, 1), 2**62)
    meta["sizes"], meta["strides"] = [{"as_int": s} for s in sizes], [{"as_int": s} for s in strides]


def changed(r, program):
    program = copy.deepcopy(program)
    graph = program["graph_module"]["graph"]
    for _ in range(r.choice([1, 1, 1, 2, 3])):
        node = r.choice(graph["nodes"])
        if r.random() < 0.55 and node["inputs"]:
            change_argument(r, node)
        elif graph["tensor_values"]:
            change_tensor(r, graph["tensor_values"][r.choice(sorted(graph["tensor_values"]))])
    return program


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (10, 10))


def peak():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


calls = {}
for path in rest:
    with gzip.open(path, "rt") as lines:
        for line in lines:
            call = json.loads(line)
            calls.setdefault(call["call"], []).append(call["graph"])
r, names, failed, usual = random.Random(seed), sorted(calls), False, None
for i in range(int(count)):
    name = r.choice(names)
    path = folder / f"{i}.json"
    path.write_text(json.dumps(changed(r, r.choice(calls[name]))))
    got = subprocess.run([translate, "--import-onnx", path], capture_output=True, text=True, preexec_fn=limits)
    usual = usual or peak()
    large = usual < 500 and peak() > MOST_MB  # a sanitizer's own memory is another matter
    if got.returncode not in (0, 1) or (got.returncode == 1 and path.name not in got.stderr) or large:
        print(f"{path}, of {name}: exit {got.returncode}, {peak():.0f} MB, {got.stderr[-300:]!r}")
        failed = True
        if large:
            break
    else:
        path.unlink()
print(f"{count} graphs of {len(names)} overloads")
sys.exit(failed)
