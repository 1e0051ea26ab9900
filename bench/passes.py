"""passes.py - what each pass takes on a graph of 10,000 ops that does not repeat: 100 ms are what no pass should exceed.

    bench/.venv/bin/python bench/passes.py [OPS]

The graph draws its ops at random with a fixed seed (elementwise, reduce, transpose, matmul over a few recent values), so
that no two stretches are alike and nothing is saved by finding layers. `tcc-opt --timing` gives the milliseconds.
"""
import os
import random
import subprocess
import sys
import tempfile

from engines import BIN, WORK

SIZE = 64
TENSOR = f"tensor<{SIZE}x{SIZE}xf32>"


def text(ops):
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


def main():
    ops = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
    os.makedirs(WORK, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", suffix=".mlir", dir=WORK) as file:
        file.write(text(ops))
        file.flush()
        done = subprocess.run([os.path.join(BIN, "tcc-opt"), "--pipeline=default", "--timing", file.name, "-o", "/dev/null"],
                              capture_output=True, text=True, timeout=300)
    lines = done.stderr.strip().splitlines()
    if done.returncode:
        sys.exit("\n".join(lines[:5]))
    print("\n".join([f"{ops} ops:", *lines]))


if __name__ == "__main__":
    main()
