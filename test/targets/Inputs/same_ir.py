"""same_ir.py TARGET FILE...: whether the LLVM dialect is what is compiled.

For each kernel that the target makes of each model, the LLVM IR that the code generator compiles (tcc-translate --to-llvmir) is what
mlir-translate makes of the kernel's text (--to-llvm). Prints the number of kernels of each model, and the kinds that were seen. What is
left out of the comparison: names of modules, the flag of MLIR's modules, numbers of metadata and attributes, the order of declarations
and of predecessors in comments.
"""
import collections
import os
import re
import subprocess
import sys

target = sys.argv[1]


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=True, **more).stdout


def modules(text):
    for module in re.split(r"^; ModuleID = .*\nsource_filename = .*\n", text, flags=re.MULTILINE)[1:]:
        numbered = dict(re.findall(r"^(?:attributes )?([!#]\d+) = (.*)$", module, re.MULTILINE))
        module = re.sub(r"^(!|attributes #).*\n|; Function Attrs.*\n|^// -----\n| *; preds = .*", "", module, flags=re.MULTILINE)
        module = re.sub(r"[!#]\d+", lambda m: numbered.get(m[0], m[0]), module)
        declared = sorted(re.findall(r"^declare .*\n", module, re.MULTILINE))
        yield re.sub(r"^declare .*\n|^\n", "", module, flags=re.MULTILINE), declared


failed, kinds = False, collections.Counter()
for file in sys.argv[2:]:
    model = run("tcc-translate", "--import-onnx", file) if file.endswith(".onnx") else open(file).read()
    ir = run("tcc-opt", "--pipeline=default", f"--target={target}", input=model)
    kinds.update(re.findall(r'tcc\.kernel = "(\w+)"', ir))
    compiled = list(modules(run("tcc-translate", "--to-llvmir", f"--target={target}", input=ir)))
    text = run("tcc-translate", "--to-llvm", f"--target={target}", input=ir)
    text = re.sub(r"^gpu\.module @kernels \{\n(.*?)^\}\n(?=//|\Z)", r"\1", text, flags=re.MULTILINE | re.DOTALL)
    translated = list(modules(run("mlir-translate", "--mlir-to-llvmir", "--split-input-file", input=text)))
    same = sum(a == b for a, b in zip(compiled, translated))
    equal = same == len(compiled) == len(translated) > 0
    failed |= not equal
    name = os.path.basename(os.path.dirname(file)) if file.endswith("model.onnx") else os.path.basename(file)
    print(name, f"{same} kernels" if equal else f"{same} kernels of {len(compiled)} compiled and {len(translated)} translated are the same")
print("kinds:", *sorted(kinds))
sys.exit(failed)
