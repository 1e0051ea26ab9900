"""torch_programs.py COUNT FIRST [--ops=N] [--whole]: random PyTorch programs by torch.compile(backend="tcc") beside eager mode; for more see docs/testing.md.

A program is a function of some tensors: views, in-place operators, arithmetic of mixed types, indices, reductions, products, norms, convolutions.
Eager mode tries each statement while the program is made; one that it refuses, or whose results are large or no numbers, is left out. What rounding
could decide (comparisons, roundings, sorts, casts to integers) is done with exact values alone. The compiled program must give what eager mode gives:
results, inputs that it changes, gradients of inputs; whole numbers equal, others as near to a run in f64 as eager mode, within ten times. One program
in two has symbolic sizes and is called with other sizes as well; one in two has gradients. What aot_eager gets wrong, too, is torch's own. A program
that fails is made shorter, unless --whole says not to.
"""
import argparse
import linecache
import os
import random
import sys
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


class Program:
    def __init__(self, seed, ops):
        r = random.Random(seed)
        self.dynamic = seed % 2 == 1
        maker = Maker(r, r.randint(2, ops), self.dynamic)
        self.lines, self.inputs, self.outs = maker.lines, maker.inputs, maker.outs
        self.sizes = [maker.sizes, maker.other] if self.dynamic else [maker.sizes]
        self.grad = [i["name"] for i in self.inputs if i["kind"] in ("F32", "F64") and r.random() < .8] if seed % 4 >= 2 else []

    def changed(self, **members):
        other = object.__new__(Program)
        other.__dict__ = {**self.__dict__, **members}
        return other

    def text(self):
        body = "".join(f"    {line}\n" for line in self.lines)
        return f"def f({', '.join(i['name'] for i in self.inputs)}):\n{body}    return ({', '.join(self.outs)},)\n"

    def __str__(self):
        inputs = "; ".join(f"{i['name']}: {i['kind']}[{', '.join(i['dims'])}] {i['lay']}{' exact' if i['exact'] else ''}" for i in self.inputs)
        return f"{self.text()}  {inputs}\n  sizes {self.sizes}, grad {self.grad}, dynamic {self.dynamic}"

    def function(self, types):
        text, env = self.text(), {"torch": torch, "F": F, **types}
        name = f"<program {abs(hash(text))}>"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)  # Dynamo asks for the source
        exec(compile(text, name, "exec"), env)
        return env["f"]

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


def wrong_with(backend, program):
    """What is wrong with a program by a backend, or None."""
    eager, wide, runs = program.function(TYPES), program.function(WIDE), []
    rounded = any(i["kind"] in ("BF16", "F16") for i in program.inputs) or "F16" in program.text()
    for sizes in program.sizes:
        try:
            runs.append((sizes, program.call(eager, sizes), program.call(wide, sizes, wide=True)))
        except Exception as error:
            if sizes is program.sizes[0]:
                raise Refused from error
    torch._dynamo.reset()
    fast = torch.compile(program.function(TYPES), backend=backend, fullgraph=True, dynamic=program.dynamic)
    for sizes, want, reference in runs:
        try:
            got = program.call(fast, sizes)
        except Exception as error:
            return "raised: " + type(error).__name__ + ": " + " ".join(str(error).split())[:400]
        for what, *values in zip(("result", "input", "gradient"), got, want, reference):
            for k, (a, b, c) in enumerate(zip(*values, strict=True)):
                if b is not None and c is not None and b.shape != c.shape:
                    return None  # a size was decided by rounding
                why = differs(a, b, c, rounded)
                if why:
                    return f"{what} {k} at {sizes}: {why}"
        for k, (a, b) in enumerate(zip(got[0], want[0])):
            if a.stride() != b.stride() and dense(b) and promised(program, eager, sizes, k) != a.stride():
                return f"result {k} at {sizes}: strides {a.stride()}, eager's {b.stride()}"
    return None


def wrong(program):
    why = wrong_with(tcc.dynamo.backend, program)
    return why if why and not wrong_with("aot_eager", program) else None


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


def try_one(seed, ops, whole):
    """"good", "bad", or "none" where eager mode refuses the program."""
    program = Program(seed, ops)
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
    if not whole:
        program = shorter(program, why)
        why = wrong(program) or why
    print(f"seed {seed}: {why}\n{program}", flush=True)
    return "bad"


def run_batch(seeds, ops, whole):
    """How many of the seeds were tried, and what became of each, by a process of their own."""
    back, ours = os.pipe()
    child = os.fork()
    if not child:
        os.close(back)
        for seed in seeds:
            os.write(ours, b"begun\n")
            try:
                found = try_one(seed, ops, whole)
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
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch._dynamo.config.capture_scalar_outputs = torch._dynamo.config.capture_dynamic_output_shape_ops = True
    seed, end, found = given.first, given.first + given.count, []
    while seed < end:
        begun, words = run_batch(range(seed, min(seed + BATCH, end)), given.ops, given.whole)
        seed, found = seed + begun, found + words
    print(f"{found.count('good')} programs are right, {found.count('bad')} are wrong, {found.count('none')} are none for eager mode")
    sys.exit("bad" in found)


if __name__ == "__main__":
    main()
