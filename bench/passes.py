"""passes.py - what each pass takes on graphs of 10,000 ops: 100 ms are what no pass should exceed.

    bench/.venv/bin/python bench/passes.py [OPS [GRAPH...]]

The graph `random` draws its ops at random with a fixed seed (elementwise, transpose, matmul over a few recent values), so
that no two stretches are alike and nothing is saved by finding layers; of it each pass has a line. The others are shapes at which
a step for each use, each operand or each op of a chain would be quadratic: one value with thousands of uses, thousands of branches,
chains of reshapes, of joined results and of reshapes around residuals, and a tensor cut into thousands of parts. `tcc-opt --timing` gives the milliseconds.
"""
import os
import random
import subprocess
import sys
import tempfile

from engines import BIN, WORK

SIZE = 64
TENSOR = f"tensor<{SIZE}x{SIZE}xf32>"


def random_ops(ops):
    draw = random.Random(1)
    lines, values = [f"func.func @main(%x: {TENSOR}, %w: {TENSOR}) -> {TENSOR} {{"], ["%x", "%w"]
    for i in range(ops):
        kind, a, b = draw.choice(["add", "mul", "tanh", "exp", "matmul", "transpose"]), draw.choice(values[-6:]), draw.choice(values[-6:])
        if kind in ("add", "mul", "matmul"):
            lines.append(f'  %{i} = "tcc.{kind}"({a}, {b}) : ({TENSOR}, {TENSOR}) -> {TENSOR}')
        else:
            attribute = " {perm = array<i64: 1, 0>}" if kind == "transpose" else ""
            lines.append(f'  %{i} = "tcc.{kind}"({a}){attribute} : ({TENSOR}) -> {TENSOR}')
        values.append(f"%{i}")
    # All that nothing has used yet is summed, so that no pass may delete it.
    used = " ".join(line.split(" = ")[1].split(":")[0] for line in lines[1:])
    used = set(used.replace("(", " ").replace(")", " ").replace(",", " ").split())
    total = "%x"
    for n, value in enumerate(v for v in values if v not in used):
        lines.append(f'  %s{n} = "tcc.add"({total}, {value}) : ({TENSOR}, {TENSOR}) -> {TENSOR}')
        total = f"%s{n}"
    return "\n".join(lines + [f"  return {total} : {TENSOR}", "}", ""])


def function(lines, result, kind=TENSOR, arguments=f"%x: {TENSOR}, %w: {TENSOR}"):
    return "\n".join([f"func.func @main({arguments}) -> {kind} {{", *lines, f"  return {result} : {kind}", "}", ""])


def op(result, name, operands, kinds, kind=TENSOR, attributes=""):
    return f'  {result} = "tcc.{name}"({", ".join(operands)}) {attributes} : ({", ".join(kinds)}) -> {kind}'


def uses(ops):
    """One value that half of the ops read."""
    n = ops // 2
    lines = [op(f"%{i}", "tanh" if i % 2 else "exp", ["%x"], [TENSOR]) for i in range(n)]
    lines += [op(f"%s{i}", "add", [f"%s{i - 1}" if i > 1 else "%0", f"%{i}"], [TENSOR] * 2) for i in range(1, n)]
    return function(lines, f"%s{n - 1}")


def branches(ops):
    """Products of the same value, each normalised by itself."""
    n, row = ops // 4, f"tensor<{SIZE}x1xf32>"
    lines = []
    for i in range(n):
        lines += [op(f"%m{i}", "matmul", ["%x", "%w"], [TENSOR] * 2), op(f"%b{i}", "add", [f"%m{i}", "%x"], [TENSOR] * 2),
                  op(f"%r{i}", "reduce", [f"%b{i}"], [TENSOR], row, '{kind = "sum", axes = array<i64: 1>, keepdims = true}')]
    lines += [op(f"%t{i}", "mul", [f"%t{i - 1}" if i else "%b0", f"%r{i}"], [TENSOR, row]) for i in range(n)]
    return function(lines, f"%t{n - 1}")


def reshapes(ops):
    kinds = [TENSOR, f"tensor<{SIZE // 4}x{SIZE * 4}xf32>"]
    n = ops // 2 * 2
    return function([op(f"%{i}", "reshape", [f"%{i - 1}" if i else "%x"], [kinds[i % 2]], kinds[1 - i % 2]) for i in range(n)], f"%{n - 1}")


def residuals(ops):
    """A product, and a residual that is added behind a reshape."""
    n, other, lines, value = ops // 5, f"tensor<4x{SIZE // 4}x{SIZE}xf32>", [], "%x"
    for i in range(n):
        lines += [op(f"%a{i}", "matmul", [value, "%w"], [TENSOR] * 2), op(f"%b{i}", "reshape", [f"%a{i}"], [TENSOR], other),
                  op(f"%c{i}", "reshape", [value], [TENSOR], other), op(f"%d{i}", "add", [f"%b{i}", f"%c{i}"], [other] * 2, other),
                  op(f"%e{i}", "reshape", [f"%d{i}"], [other])]
        value = f"%e{i}"
    return function(lines, value)


def joins(ops):
    """A chain of products, and all of them one behind the other."""
    n = ops // 2
    lines = [op(f"%m{i}", "matmul", [f"%m{i - 1}" if i else "%x", "%w"], [TENSOR] * 2) for i in range(n)]
    kind, value = TENSOR, f"%m{n - 1}"
    for i in range(n - 2, -1, -1):
        longer = f"tensor<{SIZE * (n - i)}x{SIZE}xf32>"
        lines.append(op(f"%c{i}", "concat", [f"%m{i}", value], [TENSOR, kind], longer, "{axis = 0 : i64}"))
        kind, value = longer, f"%c{i}"
    return function(lines, value, kind)


def parts(ops):
    """Rows of one tensor, each by itself, and their sum."""
    n = ops // 3
    whole, row, lines = f"tensor<{n}x{SIZE}xf32>", f"tensor<1x{SIZE}xf32>", []
    for i in range(n):
        lines += [op(f"%p{i}", "slice", ["%x"], [whole], row, f'{{starts = ["{i}", "0"], steps = array<i64: 1, 1>}}'),
                  op(f"%e{i}", "cumulative", [f"%p{i}"], [row], row, "{axis = 1 : i64}")]
        if i:
            lines.append(op(f"%s{i}", "add", [f"%s{i - 1}" if i > 1 else "%e0", f"%e{i}"], [row] * 2, row))
    return function(lines, f"%s{n - 1}", row, f"%x: {whole}")


GRAPHS = {"random": random_ops, "uses": uses, "branches": branches, "reshapes": reshapes, "residuals": residuals, "joins": joins, "parts": parts}


def timings(text):
    """Lines of tcc-opt: milliseconds, share, pass."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir", dir=WORK) as file:
        file.write(text)
        file.flush()
        done = subprocess.run([os.path.join(BIN, "tcc-opt"), "--pipeline=default", "--timing", file.name, "-o", "/dev/null"],
                              capture_output=True, text=True, timeout=300)
    lines = done.stderr.strip().splitlines()
    if done.returncode:
        sys.exit("\n".join(lines[:5]))
    return lines


def main():
    ops = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
    os.makedirs(WORK, exist_ok=True)
    for name in sys.argv[2:] or GRAPHS:
        lines = timings(GRAPHS[name](ops))
        if name == "random":
            print("\n".join([f"{ops} ops, {name}:", *lines]))
            continue
        slowest = max(lines[:-1], key=lambda line: float(line.split()[0]))
        print(f"{ops} ops, {name}: {float(lines[-1].split()[0]):.1f} ms together, the slowest pass {slowest.split()[-1]} with {float(slowest.split()[0]):.1f}")


if __name__ == "__main__":
    main()
