"""torch_programs.py COUNT FIRST [--ops=N] [--whole] [--layers=N] [--archive [--buffers]]: random PyTorch programs by torch.compile(backend="tcc") beside eager
mode; for more see docs/testing.md.

A program is a function of some tensors: views, in-place operators, arithmetic of mixed types, indices, reductions, products, norms, convolutions.
Eager mode tries each statement while the program is made; one that it refuses, or whose results are large or no numbers, is left out. What rounding
could decide (comparisons, roundings, sorts, casts to integers) is done with exact values alone. The compiled program must give what eager mode gives:
results, inputs that it changes, gradients of inputs; whole numbers equal, others as near to a run in f64 as eager mode, within ten times. One program
in two has symbolic sizes and is called with other sizes as well; one in two has gradients. What aot_eager gets wrong, too, is torch's own. A program
that fails is made shorter, unless --whole says not to.

--layers: the statements are a layer, which the program calls N times with other weights. --archive: the program is exported as a .pt2 archive, which
is compiled; without gradients. What the exported program itself gets wrong, too, is torch's own. --buffers: some of its arguments are buffers of a
module, and it is called twice.
"""
import argparse
import linecache
import os
import random
import sys
import tempfile
import traceback

import torch
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensorMode

import tcc
import tcc.dynamo
from torch_statements import TYPES, Maker, make

WIDE = {**TYPES, "F32": torch.float64, "BF16": torch.float64, "F16": torch.float64}
BATCH = 25  # programs of a process


class Refused(Exception):
    """By eager mode."""


def twice(f):
    def g(*given):
        first = [t.clone() for t in f(*given)]
        return (*first, *f(*given))
    g.once = f
    return g


class Program:
    def __init__(self, seed, given):
        r = random.Random(seed)
        self.dynamic, self.layers, self.archive = seed % 2 == 1, given.layers, given.archive
        maker = Maker(r, r.randint(2, given.ops), self.dynamic, {"kind": "F32", "exact": False} if self.layers else {})
        self.lines, self.outs = maker.lines, maker.outs
        self.inputs = self.weights(maker.inputs) if self.layers else maker.inputs
        self.buffers = [i["name"] for i in self.inputs if i["lay"] != "stepped" and r.random() < .5] if given.buffers else []
        self.sizes = [maker.sizes, maker.other] if self.dynamic else [maker.sizes]
        self.grad = [i["name"] for i in self.inputs if i["kind"] in ("F32", "F64") and r.random() < .8] if seed % 4 >= 2 and not self.archive else []

    def changed(self, **members):
        other = object.__new__(Program)
        other.__dict__ = {**self.__dict__, **members}
        return other

    def weights(self, inputs):
        """The first input, and the others of a layer once for each layer."""
        return [inputs[0]] + [{**i, "name": f"{i['name']}_{k}", "seed": i["seed"] + k} for k in range(self.layers) for i in inputs[1:]]

    def text(self):
        body = "".join(f"    {line}\n" for line in self.lines)
        names = [i["name"] for i in self.inputs]
        if not self.layers:
            return f"def f({', '.join(names)}):\n{body}    return ({', '.join(self.outs)},)\n"
        given = [", ".join(name for name in names[1:] if name.endswith(f"_{k}")) for k in range(self.layers)]
        carried = "".join(f" + torch.tanh({v}.float()).mean()" for v in self.outs)
        calls = "".join(f"    x0, out{k} = layer(x0, {each})\n" for k, each in enumerate(given))
        return (f"def layer(x0, {given[0].replace('_0', '')}):\n{body}    return torch.tanh(x0{carried}), {self.outs[0]}\n"
                f"def f({', '.join(names)}):\n{calls}    return (x0, {', '.join(f'out{k}' for k in range(self.layers))})\n")

    def __str__(self):
        inputs = "; ".join(f"{i['name']}: {i['kind']}[{', '.join(i['dims'])}] {i['lay']}{' exact' if i['exact'] else ''}" for i in self.inputs)
        return f"{self.text()}  {inputs}\n  sizes {self.sizes}, grad {self.grad}, dynamic {self.dynamic}"

    def function(self, types):
        text, env = self.text(), {"torch": torch, "F": F, **types}
        name = f"<program {abs(hash(text))}>"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)  # Dynamo asks for the source
        exec(compile(text, name, "exec"), env)
        return twice(env["f"]) if self.buffers else env["f"]

    def given(self, sizes):
        return [make(i, sizes) for i in self.inputs]

    def call(self, f, sizes, wide=False):
        """Results, inputs behind the call, gradients."""
        given, leaves = [], []
        for i in self.inputs:
            t = make(i, sizes)
            t = t.double() if wide and t.is_floating_point() else t
            if i["name"] in self.grad:
                t = t.detach().requires_grad_(True)
                leaves.append(t)
            given.append(t)
        out, grads, loss = f(*given), [], 0
        generator = torch.Generator().manual_seed(5)
        for o in out if leaves else ():
            weight = torch.rand(o.shape, generator=generator).double()
            if o.is_floating_point() and o.requires_grad:
                loss = loss + (o.double() * weight).sum()
        if isinstance(loss, torch.Tensor):
            grads = list(torch.autograd.grad(loss, leaves, allow_unused=True))
        return [o.detach() for o in out], [t.detach() for t in given], grads


def dense(t):
    n = 1
    for stride, size in sorted(zip(t.stride(), t.shape)):
        if stride != n:
            return False
        n *= size
    return min(t.shape, default=1) > 1


def promised(program, f, sizes, k):
    """The strides of a result that torch's rules say, which differ from those of its kernels for some operators."""
    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        try:
            return f(*(mode.from_tensor(make(i, sizes)) for i in program.inputs))[k].stride()
        except Exception:
            return None


def differs(got, eager, wide, rounded):
    """Why it is wrong, or None. rounded: the program has numbers of 16 bits."""
    if got is None or eager is None:
        there = eager if got is None else got
        return None if there is None or not there.abs().max() > 0 else f"no gradient in {'tcc' if got is None else 'eager mode'} alone"
    if got.shape != eager.shape:
        return f"shape {list(got.shape)}, eager's {list(eager.shape)}"
    if got.dtype != eager.dtype and not (rounded and got.is_floating_point()):
        return f"type {got.dtype}, eager's {eager.dtype}"
    if torch.equal(got, eager.to(got.dtype)) or not got.numel():
        return None
    if not got.is_floating_point():
        return "whole numbers"
    got, eager, wide = got.double(), eager.double(), wide.double()
    if not eager.isfinite().all():
        return None
    if not got.isfinite().all():
        return "no numbers"
    scale, off, mine = (t.abs().max().item() for t in (wide, eager - wide, got - wide))
    if off > .05 * max(scale, 1e-3) and not rounded:
        return None  # eager mode is wrong itself
    return f"values: {mine:.3g}, eager's {off:.3g}, of {scale:.3g}" if mine > 10 * off + (3e-2 if rounded else 1e-4) * scale + 1e-6 else None


def compiled(backend):
    """A way to run a program."""
    def way(program):
        torch._dynamo.reset()
        return torch.compile(program.function(TYPES), backend=backend, fullgraph=True, dynamic=program.dynamic)
    return way


def exported(program):
    f = program.function(TYPES)
    module = type("M", (torch.nn.Module,), {})()
    given = program.given(program.sizes[0])
    for i, t in zip(program.inputs, given):
        if i["name"] in program.buffers:
            module.register_buffer(i["name"], t)
    names = [i["name"] for i in program.inputs if i["name"] not in program.buffers]
    every = ", ".join(f"m.{i['name']}" if i["name"] in program.buffers else i["name"] for i in program.inputs)
    module.forward = eval(f"lambda {', '.join(names)}: f({every})", {"f": getattr(f, "once", f), "m": module})
    given = [t for i, t in zip(program.inputs, given) if i["name"] in names]
    dynamic = [{axis: torch.export.Dim.AUTO for axis in range(t.dim())} for t in given] if program.dynamic else None
    try:
        made = torch.export.export(module, tuple(given), dynamic_shapes=dynamic)
    except Exception as error:
        raise Refused from error
    if any("_functorch" in getattr(node.target, "__module__", "") for node in made.graph.nodes):  # torch.func, which an archive has before it is taken apart
        raise Refused
    return made


def as_arguments(program):
    """For each result the name of the argument that it is, or None."""
    given = program.given(program.sizes[0])
    where = {(t.data_ptr(), t.shape, t.stride()): i["name"] for i, t in zip(program.inputs, given)}
    f = program.function(TYPES)
    made = getattr(f, "once", f)(*given)
    try:
        return [where.get((t.data_ptr(), t.shape, t.stride())) for t in made]
    except NotImplementedError as error:  # what torch.func wraps
        raise Refused from error


def archived(program):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.pt2")
        torch.export.save(exported(program), path)
        model = tcc.compile(path)
    names = [i["name"] for i in program.inputs]
    same = as_arguments(program)
    inputs, outputs = ([port.name for port in ports] for ports in (model.inputs, model.outputs))

    def f(*given):
        given = dict(zip(names, given))
        made = model(*(given[name] for name in inputs))
        made = [torch.from_dlpack(t).clone() for t in (made if isinstance(made, tuple) else (made,))]
        for name, value in zip(same + outputs[len(same):], made):  # arguments that are written to are results, behind the others
            if name in given:
                given[name].copy_(value)
        return made[:len(same)]
    return twice(f) if program.buffers else f


def exported_module(program):
    """What torch runs of an exported program, as a function of all arguments."""
    module = exported(program).module()

    def f(*given):
        return module(*(t for i, t in zip(program.inputs, given) if i["name"] not in program.buffers))
    return twice(f) if program.buffers else f


def wrong_with(way, program):
    """What is wrong with a program by a way to run it, or None."""
    eager, wide, runs = program.function(TYPES), program.function(WIDE), []
    rounded = any(i["kind"] in ("BF16", "F16") for i in program.inputs) or "F16" in program.text()
    for sizes in program.sizes:
        try:
            runs.append((sizes, program.call(eager, sizes), program.call(wide, sizes, wide=True)))
        except Exception as error:
            if sizes is program.sizes[0]:
                raise Refused from error
    fast = None
    for sizes, want, reference in runs:
        try:
            fast = fast or way(program)
            got = program.call(fast, sizes)
        except Refused:
            raise
        except Exception as error:
            return "raised: " + type(error).__name__ + ": " + " ".join(str(error).split())[:400]
        for what, *values in zip(("result", "input", "gradient"), got, want, reference):
            for k, (a, b, c) in enumerate(zip(*values, strict=True)):
                if what == "input" and program.inputs[k]["name"] in program.buffers:
                    continue
                if b is not None and c is not None and b.shape != c.shape:
                    return None  # a size was decided by rounding
                why = differs(a, b, c, rounded)
                if why:
                    return f"{what} {k} at {sizes}: {why}"
        for k, (a, b) in enumerate(zip(got[0], want[0])):
            if way is not archived and a.stride() != b.stride() and dense(b) and promised(program, eager, sizes, k) != a.stride():
                return f"result {k} at {sizes}: strides {a.stride()}, eager's {b.stride()}"
    return None


WAYS = {False: (compiled(tcc.dynamo.backend), compiled("aot_eager")), True: (archived, exported_module)}


def wrong(program):
    way, other = WAYS[program.archive]
    why = wrong_with(way, program)
    return why if why and not wrong_with(other, program) else None


def shorter(program, why):
    """The program with less of everything that is wrong in the same way."""
    def kind(text):
        words = text.split(":")
        return words[0].split()[0] + (words[1] if text.startswith("raised") else "")

    def still(other):
        try:
            found = wrong(other)
        except Exception:
            return False
        return bool(found) and kind(found) == kind(why)

    for less in (*({"outs": [o]} for o in program.outs), {"grad": []}, {"sizes": program.sizes[:1]}):
        other = program.changed(**less)
        if other.__dict__ != program.__dict__ and len(other.outs) <= len(program.outs) and still(other):
            program = other
    for k in reversed(range(len(program.lines))):
        other = program.changed(lines=program.lines[:k] + program.lines[k + 1:])
        if still(other):
            program = other
    return program


def try_one(seed, given):
    """"good", "bad", or "none" where eager mode refuses the program."""
    program = Program(seed, given)
    try:
        why = wrong(program)
    except Refused:  # gradients of what is changed in place
        try:
            program = program.changed(grad=[])
            why = wrong(program)
        except Refused:
            return "none"
    if not why:
        return "good"
    if not given.whole:
        program = shorter(program, why)
        why = wrong(program) or why
    print(f"seed {seed}: {why}\n{program}", flush=True)
    return "bad"


def run_batch(seeds, given):
    """How many of the seeds were tried, and what became of each, by a process of their own."""
    back, ours = os.pipe()
    child = os.fork()
    if not child:
        os.close(back)
        for seed in seeds:
            os.write(ours, b"begun\n")
            try:
                found = try_one(seed, given)
            except Exception:
                traceback.print_exc()
                found = "bad"
            os.write(ours, found.encode() + b"\n")
        sys.stdout.flush()
        os._exit(0)
    os.close(ours)
    with open(back) as file:
        words = file.read().split()
    _, status = os.waitpid(child, 0)
    begun, found = words.count("begun"), [w for w in words if w != "begun"]
    if status:
        print(f"seed {seeds[begun - 1]}: the process ended with status {status}", flush=True)
        found.append("bad")
    return begun, found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int)
    parser.add_argument("first", type=int)
    parser.add_argument("--ops", type=int, default=12)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--layers", type=int, default=0)
    parser.add_argument("--archive", action="store_true")
    parser.add_argument("--buffers", action="store_true")
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch._dynamo.config.capture_scalar_outputs = torch._dynamo.config.capture_dynamic_output_shape_ops = True
    seed, end, found = given.first, given.first + given.count, []
    while seed < end:
        begun, words = run_batch(range(seed, min(seed + BATCH, end)), given)
        seed, found = seed + begun, found + words
    print(f"{found.count('good')} programs are right, {found.count('bad')} are wrong, {found.count('none')} are none for eager mode")
    sys.exit("bad" in found)


if __name__ == "__main__":
    main()
