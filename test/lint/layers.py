"""layers.py ROOT: checks every #include of the project against the layer law of docs/architecture.md."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
FOLDERS = ["include", "lib", "dialects", "passes", "tools", "examples", "test/unit", "test/fuzz"]
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


FOREIGN = ("mlir-c/", "llvm-c/", "mlir/", "llvm/")


def includes(path):
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)', line)
        if match:
            yield number, match[1] == '"', match[2]


def knows_mlir(name, seen=()):
    """Whether a header of include/ sees MLIR, through whatever it includes."""
    path = root / "include" / name
    return path.exists() and name not in seen and any(
        what.startswith(FOREIGN) or knows_mlir(what, (*seen, name)) for _, _, what in includes(path))


errors = []
for top in FOLDERS:
    for path in sorted([*(root / top).rglob("*.[ch]"), *(root / top).rglob("*.def")]):
        name = path.relative_to(root)
        here = folder_of(name)
        for number, quoted, what in includes(path):
            where = f"{name}:{number}"
            if what.startswith("../") or "/../" in what:
                errors.append(f"{where}: includes by way of '../': {what}")
            if here in NO_MLIR and (what.startswith(FOREIGN) or knows_mlir(what)):
                errors.append(f"{where}: {here} has no MLIR and no LLVM, but includes {what}")
            target = folder_of(pathlib.PurePosixPath(what)) if quoted else None
            allowed = BELOW.get(here, UPPER) if here else None
            if target and allowed is not None and target not in allowed and not what.endswith(".def"):
                errors.append(f"{where}: {here} may not include from {target}: {what}")
            if name.parts[0] == "examples" and quoted and what.startswith("tcc/") and what not in ("tcc/runtime.h", "tcc/status.h"):
                errors.append(f"{where}: an example uses the public headers only, not {what}")
print("\n".join(errors))
sys.exit(bool(errors))
