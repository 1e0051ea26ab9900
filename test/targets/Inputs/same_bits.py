"""same_bits.py TARGET DIR FILE[:NAME=N...]...: whether tiles in the LLVM dialect (tiles=llvm) give what machine code gives, to the bit.

Runs each model twice, on the same made-up inputs; the outputs, in DIR, have the same bytes. The first has machine code of tiles, the
second none but the loops around them. Prints the number of tiles' functions that are machine code in the first, and of outputs.
"""
import pathlib
import re
import shutil
import subprocess
import sys

target, folder = sys.argv[1], pathlib.Path(sys.argv[2])
failed = False


def run(*command, **more):
    return subprocess.run(command, capture_output=True, check=True, **more).stdout


def code(file, target):
    ir = run("tcc-opt", "--pipeline=default", f"--target={target}", file)
    text = run("tcc-translate", "--to-llvm", f"--target={target}", input=ir).decode()
    names = re.findall(r"^llvm.mlir.global hidden constant @(\w+)_[0-9a-f]{16}\(.*section = ", text, re.MULTILINE)
    return sum(name not in ("loops", "depth_first") for name in names)


for argument in sys.argv[3:]:
    file, *dims = argument.split(":")
    name, outputs = pathlib.Path(file).name, []
    shutil.rmtree(folder, ignore_errors=True)
    for more in ("", ",tiles=llvm"):
        saved = folder if not outputs else folder / "llvm"
        saved.mkdir(parents=True)
        run("tcc-run", file, "--no-cache", f"--target={target}{more}", "--random=1", *(f"--dim={d}" for d in dims), f"--save={saved}")
        outputs.append([p.read_bytes() for p in sorted(saved.glob("output_*"))])
    tiles, left = code(file, target), code(file, target + ",tiles=llvm")
    same = outputs[0] == outputs[1] and len(outputs[0]) > 0
    failed |= not same or tiles == 0 or left > 0
    print(f"{name}: {tiles} tiles, {len(outputs[0])} outputs {'the same' if same else 'differ'}" + (f", {left} tiles left" if left else ""))
sys.exit(failed)
