# sectors.py PLACE CHIP CASE...: models of a kernel each in the emulator, compared with the reference target; sectors that each kernel touches as percent of the
# fewest that its requests need, and wavefronts of shared memory likewise. A case: WHAT:ELEM:SIZE,SIZE...[:MORE], sizes of letters are symbols (77, or $SYMBOL).
import os, shutil, subprocess, sys

place, chip, *cases = sys.argv[1:]
SYMBOL = os.environ.get("SYMBOL", "77")


def tensor(shape, elem):
    names = [f'"{d}"' if not d.isdigit() else d for d in shape]
    known = all(d.isdigit() for d in shape)
    dims = "".join(f"{d if d.isdigit() else '?'}x" for d in shape)
    return f"tensor<{dims}{elem}{'' if known else ', [' + ', '.join(names) + ']'}>"


class Model:
    def __init__(self):
        self.arguments, self.lines = [], []

    def argument(self, shape, elem):
        self.arguments.append((f"%a{len(self.arguments)}", shape, elem))
        return self.arguments[-1]

    def op(self, name, operands, shape, elem, attributes=""):
        r = (f"%v{len(self.lines)}", shape, elem)
        types = ", ".join(tensor(*o[1:]) for o in operands)
        self.lines.append(f'  {r[0]} = "tcc.{name}"({", ".join(o[0] for o in operands)}) {{{attributes}}} : ({types}) -> {tensor(shape, elem)}')
        return r

    def text(self, *results):
        types = ", ".join(tensor(*r[1:]) for r in results)
        return "\n".join([f"func.func @main({', '.join(f'{n}: {tensor(s, e)}' for n, s, e in self.arguments)}) -> ({types}) {{", *self.lines,
                          f"  return {', '.join(r[0] for r in results)} : {types}", "}", ""])


def transpose(m, elem, shape, order):
    order = order or "1,0"
    return [m.op("transpose", [m.argument(shape, elem)], [shape[int(d)] for d in order.split(",")], elem, f"perm = array<i64: {order}>")]


def convert(m, elem, shape, to):
    return [m.op("convert", [m.argument(shape, elem)], shape, to)]


def add(m, elem, shape, more):
    return [m.op("add", [m.argument(shape, elem), m.argument(shape, elem)], shape, elem)]


def softmax(m, elem, shape, more):
    return [m.op("softmax", [m.argument(shape, elem)], shape, elem, f"axis = {len(shape) - 1} : i64")]


def masked(m, elem, shape, more):  # scores of [batch, heads, queries, keys], a mask that heads share
    scores, mask = m.argument(shape, elem), m.argument([shape[0], "1", *shape[2:]], elem)
    return [m.op("softmax", [m.op("add", [scores, mask], shape, elem)], shape, elem, "axis = 3 : i64")]


def layer_norm(m, elem, shape, more):
    operands = [m.argument(shape, elem), m.argument(shape[-1:], elem), m.argument(shape[-1:], elem)]
    return [m.op("layer_norm", operands, shape, elem, f"axis = {len(shape) - 1} : i64, eps = 1.0e-5 : f64")]


def total(m, elem, shape, more):
    return [m.op("reduce", [m.argument(shape, elem)], shape[:-1], elem, f'kind = "sum", axes = array<i64: {len(shape) - 1}>, keepdims = false')]


def scan(m, elem, shape, more):
    kind, axis, *words = more.split(",")
    flags = "".join(f", {word} = true" for word in words)
    return [m.op("cumulative", [m.argument(shape, elem)], shape, elem, f'kind = "{kind}", axis = {axis} : i64{flags}')]


def place_of_most(m, elem, shape, more):
    return [m.op("arg_reduce", [m.argument(shape, elem)], shape[:-1], "i64", f'kind = "max", axis = {len(shape) - 1} : i64, keepdims = false')]


os.makedirs(place, exist_ok=True)
for case in cases:
    what, elem, sizes, *more = case.split(":")
    shape, model, file, counters = sizes.split(","), Model(), place + "/model.mlir", place + "/counters"
    with open(file, "w") as f:
        f.write(model.text(*globals()[what](model, elem, shape, more[0] if more else "")))
    common = ["--no-cache", "--random=1", file] + [f"--dim={d}={SYMBOL}" for d in dict.fromkeys(shape) if not d.isdigit()]
    commands = [["--target=reference", f"--save={place}/saved"], [f"--target=nvptx,{chip}", "--emulate", f"--data={place}/saved", "--check"]]
    shutil.rmtree(place + "/saved", ignore_errors=True)
    for command in commands:
        ran = subprocess.run(["tcc-run", *command, *common], env=dict(os.environ, TCC_EMULATE_COUNTERS=counters), capture_output=True, text=True)
        if ran.returncode:
            sys.exit(f"{case}: {ran.stdout}{ran.stderr}")
    print(f"{case} matches")
    for line in open(counters):
        words = line.split()
        ideal = [int(words[i + 1]) for i, word in enumerate(words) if word == "ideal"]
        sectors, wavefronts = (int(words[words.index(name) + 1]) for name in ("sectors", "wavefronts"))
        if not ideal[0]:
            continue
        print(f"{case} sectors {sectors * 100 // ideal[0]}% wavefronts {wavefronts * 100 // ideal[1] if ideal[1] else 100}%")
