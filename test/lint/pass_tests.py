"""pass_tests.py ROOT: a pass is a row of a passes.def (of passes, or of a target's own), a file or a folder with that file beside the
table, a test and a place in docs/architecture.md, all of one name."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
listed = (root / "docs/architecture.md").read_text().split("## Where the passes are")[1].split("## ")[0]
errors, names = [], set()
for table in sorted([root / "passes/passes.def", *root.glob("lib/targets/*/passes/passes.def")]):
    folder = table.parent
    where, tests = folder.relative_to(root), pathlib.Path("test", *[part for part in folder.relative_to(root).parts if part != "lib"])
    own = set()
    for function, name in re.findall(r'^TCC_PASS\((\w+), "tcc-([\w-]+)"', table.read_text(), re.M):
        own.add(function)
        if name.replace("-", "_") != function:
            errors.append(f"{where}/passes.def: row {function} is called tcc-{name}")
        if (folder / f"{function}.c").exists() == (folder / function / f"{function}.c").exists():
            errors.append(f"{where}/passes.def: tcc-{name} has not one of {function}.c and {function}/{function}.c beside it")
        if not (root / tests / f"{name}.mlir").exists():
            errors.append(f"{where}/passes.def: tcc-{name} has no {tests}/{name}.mlir")
        if f"`{function}`" not in listed:
            errors.append(f"docs/architecture.md, 'Where the passes are', does not name `{function}`")
    errors += [f"{where}/{p.name}: no pass has the name of this folder" for p in folder.iterdir() if p.is_dir() and p.name not in own]
    for path in sorted(folder.rglob("*.c")):
        for function in re.findall(r"^MlirLogicalResult tcc_pass_(\w+)\(", path.read_text(), re.M):
            if function not in own:
                errors.append(f"{path.relative_to(root)}: tcc_pass_{function} has no row in passes.def")
    errors += [f"{where}/passes.def: tcc_pass_{function} stands in another table, too" for function in sorted(own & names)]
    names |= own
print("\n".join(errors))
sys.exit(bool(errors))
