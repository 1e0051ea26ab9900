"""pass_tests.py ROOT: a pass is a row of passes.def, a file or a folder with that file, a test and a place in docs/architecture.md, all
of one name."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
table = (root / "passes/passes.def").read_text()
rows = re.findall(r'^TCC_PASS\((\w+), "tcc-([\w-]+)"', table, re.M)
listed = (root / "docs/architecture.md").read_text().split("## Where the passes are")[1].split("## ")[0]
errors = []
for function, name in rows:
    if name.replace("-", "_") != function:
        errors.append(f"passes.def: row {function} is called tcc-{name}")
    if (root / f"passes/{function}.c").exists() == (root / f"passes/{function}/{function}.c").exists():
        errors.append(f"passes.def: tcc-{name} has not one of passes/{function}.c and passes/{function}/{function}.c")
    if not (root / f"test/passes/{name}.mlir").exists():
        errors.append(f"passes.def: tcc-{name} has no test/passes/{name}.mlir")
    if f"`{function}`" not in listed:
        errors.append(f"docs/architecture.md, 'Where the passes are', does not name `{function}`")
names = {function for function, _ in rows}
errors += [f"passes/{p.name}: no pass has the name of this folder" for p in (root / "passes").iterdir() if p.is_dir() and p.name not in names]
for path in sorted((root / "passes").rglob("*.c")):
    for function in re.findall(r"^MlirLogicalResult tcc_pass_(\w+)\(", path.read_text(), re.M):
        if function not in names:
            errors.append(f"{path.relative_to(root)}: tcc_pass_{function} has no row in passes.def")
print("\n".join(errors))
sys.exit(bool(errors))
