"""layers.py ROOT [--write]: checks every #include of the project against the layer law, and that docs/layers.md has this law; --write puts
it there."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
FOLDERS = ["include", "lib", "dialects", "passes", "tools", "python/native", "examples", "test/unit", "test/fuzz"]
# The law: a folder includes private headers of itself and of what stands here. It has no circle.
MIDDLE = {"lib/base", "lib/ir", "dialects"}
CODE = MIDDLE | {"lib/codegen", "lib/codegen/read"}
X86 = "lib/targets/x86/"
KINDS = {"code": [], "contract": ["code"], "gemv": ["contract"], "attention": ["contract"], "conv": ["code", "contract"], "map": ["conv"],
         "row": ["code"], "passes": ["contract", "conv", "gemv"]}
LAW = {
    "lib/base": set(),
    "lib/runtime": {"lib/base"},
    "lib/image": {"lib/base"},
    "lib/tensor": {"lib/base"},
    "lib/ir": {"lib/base"},
    "dialects": {"lib/base", "lib/ir"},
    "lib/frontend/import": MIDDLE,
    "lib/frontend/onnx": MIDDLE | {"lib/frontend/import", "lib/frontend"},
    "lib/frontend/torch": MIDDLE | {"lib/frontend/import", "lib/frontend"},
    "lib/frontend": MIDDLE,
    "lib/interp": MIDDLE,
    "passes": MIDDLE,
    "lib/codegen/read": MIDDLE,
    "lib/upstream": {"lib/base"},
    "lib/upstream_loaded": {"lib/base", "lib/upstream"},
    "lib/codegen": CODE - {"lib/codegen"} | {"lib/upstream"},
    "lib/targets": CODE,
    **{X86 + folder: CODE | {X86 + other for other in below} for folder, below in KINDS.items()},
    "lib/targets/x86": CODE | {"lib/targets", *(X86 + folder for folder in KINDS)},
    "lib/targets/reference": CODE | {"lib/targets", "lib/targets/x86", "lib/upstream"},
    "lib/compile": CODE | {"lib/frontend", "passes", "lib/targets"},
    "lib/tune": CODE | {"lib/targets", "lib/compile"},
    "lib/train": {"lib/base", "lib/ir"},
    "python/native": set(),
}
NO_MLIR = {"lib/base", "lib/runtime", "lib/image", "lib/tensor", "python/native"}
# What names a target: its own folder, and the table of targets.
TARGETS = {p.name for p in (root / "lib/targets").iterdir() if p.is_dir()}


def folder_of(path):
    text = path.as_posix()
    return next((f for f in sorted(LAW, key=len, reverse=True) if text.startswith(f + "/")), None)


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


def law():
    """The law as a table, between two comments of the page."""
    rows = [f"| `{here}` | {', '.join(f'`{there}`' for there in LAW if there in LAW[here]) or 'nothing else'} |" for here in LAW]
    return "\n".join(["<!-- law -->", "", "| folder | sees, beside itself |", "|---|---|", *rows, "", "<!-- end of law -->"])


errors = []
page = root / "docs/layers.md"
derived = re.sub(r"<!-- law -->.*<!-- end of law -->", lambda _: law(), page.read_text(), flags=re.S)
if "--write" in sys.argv:
    page.write_text(derived)
elif law() not in page.read_text():
    errors.append("docs/layers.md has another law than test/lint/layers.py; to mend: python3 test/lint/layers.py . --write")
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
            if target and here and target != here and target not in LAW[here] and not what.endswith(".def"):
                errors.append(f"{where}: {here} may not include from {target}: {what}")
            if name.parts[0] == "examples" and quoted and what.startswith("tcc/") and what not in ("tcc/runtime.h", "tcc/status.h"):
                errors.append(f"{where}: an example uses the public headers only, not {what}")
    if top not in ("lib", "passes", "dialects"): continue
    for path in sorted((root / top).rglob("*.[ch]")):
        name = path.relative_to(root)
        if name.parts[:2] == ("lib", "targets"): continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            if any(f'"{target}"' in line or f'"{target}.' in line or f"lib/targets/{target}/" in line for target in TARGETS):
                errors.append(f"{name}:{number}: a common file names a target: {line.strip()}")
print("\n".join(errors))
sys.exit(bool(errors))
