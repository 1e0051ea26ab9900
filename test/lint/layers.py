"""layers.py ROOT: checks every #include of the project against the layer law of docs/architecture.md."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
FOLDERS = ["include", "lib", "dialects", "passes", "tools", "examples", "test/unit", "test/fuzz"]
# The headers of include/tcc that know MLIR; the others are the byte world's.
MLIR_HEADERS = {"ir.h", "pass.h", "codegen.h", "import.h", "interp.h", "compile.h", "optable.h"}
# Which private folders a folder may include from: itself, and what is below it.
BELOW = {
    "lib/base": {"lib/base"},
    "lib/runtime": {"lib/base", "lib/runtime"},
    "lib/ir": {"lib/base", "lib/ir", "dialects"},
    "dialects": {"lib/base", "lib/ir", "dialects"},
}
UPPER = {"lib/base", "lib/ir", "dialects", "passes", "lib/frontend", "lib/interp", "lib/codegen", "lib/target", "lib/tune", "lib/driver"}
NO_MLIR = {"lib/base", "lib/runtime"}


def folder_of(path):
    text = path.as_posix()
    return next((f for f in sorted(BELOW.keys() | UPPER, key=len, reverse=True) if text.startswith(f + "/")), None)


errors = []
for top in FOLDERS:
    for path in sorted([*(root / top).rglob("*.[ch]"), *(root / top).rglob("*.def")]):
        name = path.relative_to(root)
        here = folder_of(name)
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)', line)
            if not match:
                continue
            what, where = match[2], f"{name}:{number}"
            if what.startswith("../") or "/../" in what:
                errors.append(f"{where}: includes by way of '../': {what}")
            foreign = what.startswith(("mlir-c/", "llvm-c/", "mlir/", "llvm/"))
            if here in NO_MLIR and (foreign or what.startswith("tcc/") and what[4:] in MLIR_HEADERS):
                errors.append(f"{where}: {here} has no MLIR and no LLVM, but includes {what}")
            if name.parts[0] == "include" and foreign and name.name not in MLIR_HEADERS:
                errors.append(f"{where}: {name.name} is not listed in MLIR_HEADERS of {pathlib.Path(__file__).name}")
            target = folder_of(pathlib.PurePosixPath(what)) if match[1] == '"' else None
            allowed = BELOW.get(here, UPPER) if here else None
            if target and allowed is not None and target not in allowed and not what.endswith(".def"):
                errors.append(f"{where}: {here} may not include from {target}: {what}")
            if name.parts[0] == "examples" and match[1] == '"' and what.startswith("tcc/") and what not in ("tcc/runtime.h", "tcc/status.h"):
                errors.append(f"{where}: an example uses the public headers only, not {what}")
print("\n".join(errors))
sys.exit(bool(errors))
