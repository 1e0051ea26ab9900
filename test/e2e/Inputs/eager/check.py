"""`check.py FOLDER TARGET ELEM...` and `check.py FOLDER TARGET blocks` run cases.py with `tcc-run --numerics=eager` and compare with what
record.py recorded. A line for each case that differs, and one that counts what was compared. `table`: looks for elementwise ops without a case."""
import os
import re
import shutil
import subprocess
import sys

import cases
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
AT_ONCE = 20  # results of a module


def run(folder, module, inputs, target):
    """The outputs."""
    data, results = os.path.join(folder, "in"), os.path.join(folder, "out")
    shutil.rmtree(data, ignore_errors=True)
    os.makedirs(data)
    with open(os.path.join(folder, "m.mlir"), "w") as f:
        f.write(module)
    for i, v in enumerate(inputs):
        np.save(os.path.join(data, f"input_{i}.npy"), v)
    subprocess.run(["tcc-run", os.path.join(folder, "m.mlir"), "--no-cache", "--numerics=eager", f"--target={target}", f"--data={data}",
                    f"--save={results}"], check=True, stdout=subprocess.DEVNULL)
    return lambda i: np.load(os.path.join(results, f"output_{i}.npy"))


def wide(v):
    """bf16 is stored as its bits."""
    return (v.astype(np.uint32) << 16).view(np.float32) if v.dtype == np.uint16 else v


def places(a, b):
    """How many numbers of their type lie between a and b; -0 and 0 are one apart. NaN is NaN."""
    bits = {2: np.int16, 4: np.int32}[a.dtype.itemsize]
    x, y = (v.view(bits).astype(np.int64) for v in (a, b))
    x, y = (np.where(v < 0, np.int64(np.iinfo(bits).min) - v - 1, v) for v in (x, y))
    return np.where(np.isnan(wide(a)) & np.isnan(wide(b)), 0, np.abs(x - y))


def is_right(kind, elem, got, want, z):
    if got.dtype.kind in "bi":
        return got == want
    if got.dtype == np.float64:
        return got.view(np.int64) == want.view(np.int64)
    apart = places(got, want)
    if kind == cases.EXACT:
        return apart == 0
    most = 2 if elem == "f32" else 1
    right = apart <= most
    if kind == cases.CANCELS:
        with np.errstate(invalid="ignore"):
            right |= np.abs(wide(got).astype(np.float64) - wide(want)) <= 2 * np.spacing(np.abs(wide(z)).astype(np.float32))
    return right


def check(folder, target, elem):
    recorded = np.load(os.path.join(HERE, elem + ".npz"))
    table, data, at = cases.cases(elem), recorded["data"].tobytes(), 0
    assert list(recorded["names"]) == [case[0] for case in table], "cases.py has changed: record.py records again"
    count, wrong = len(recorded["x"]), 0
    for first in range(0, len(table), AT_ONCE):
        part = table[first : first + AT_ONCE]
        output = run(folder, cases.write(elem, [case[0] for case in part], count), [recorded[n] for n in "xyzc"], target)
        for i, (name, kind, _, _) in enumerate(part):
            got = output(i)
            want = np.frombuffer(data[at : at + got.nbytes], got.dtype)
            at += got.nbytes
            right = is_right(kind, elem, got, want, recorded["z"])
            if not right.all():
                k = int(np.argmin(right))
                wrong += 1
                print(f"{elem} {name}: {np.count_nonzero(~right)} wrong, first x {wide(recorded['x'])[k]} y {wide(recorded['y'])[k]} "
                      f"z {wide(recorded['z'])[k]}: {wide(got)[k]}, torch {wide(want)[k]}")
    assert at == len(data)
    print(f"{elem}: {len(table) - wrong} of {len(table)} as torch")


def check_table():
    """Each elementwise op of the table has a case."""
    with open(os.path.join(HERE, "../../../../dialects/tcc/ops.def")) as f:
        rows = re.findall(r'TCC_(?:OP|COMPOSITE)\(\w+, "(\w+)",(?: PRIM,)? "[^"]*", "[^"]*", "[^"]*",[\s\w]+,(?:[\s\w]+,)? "(\w*)"', f.read())
    text = " ".join(case[2].replace("convert(", "tcc.convert(") for elem in ("f32", "i32") for case in cases.cases(elem))
    names = [name for name, traits in rows if "E" in traits and name not in cases.OTHERWISE]
    for name in names:
        if f"tcc.{name}(" not in text:
            print(f"{name}: no case")
    print(f"{len(names)} elementwise ops")


def check_blocks(folder, target):
    recorded = np.load(os.path.join(HERE, "blocks.npz"))
    for name in cases.BLOCKS:
        for elem, epsilon in (("f32", 2.0**-23), ("f16", 2.0**-10), ("bf16", 2.0**-7)):
            inputs = [to(elem, v) for v in cases.block_inputs(name)]
            got, want = (wide(v).astype(np.float64) for v in (run(folder, cases.write_block(name, elem), inputs, target)(0), recorded[f"{name}_{elem}"]))
            apart = np.abs(got - want).max() / (epsilon * np.abs(want).max())
            most = cases.BLOCKS[name][1] * (4 if elem == "f32" else 1)  # f32 shows the order of sums
            print(f"{elem} {name}: {'near torch' if apart <= most else f'{apart} units of the largest result apart'}")


def to(elem, v):
    if elem != "bf16":
        return v.astype(cases.NUMPY[elem])
    bits = v.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


if __name__ == "__main__":
    for what in sys.argv[3:]:
        if what == "table":
            check_table()
        elif what == "blocks":
            check_blocks(sys.argv[1], sys.argv[2])
        else:
            check(sys.argv[1], sys.argv[2], what)
