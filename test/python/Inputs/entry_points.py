"""entry_points.py PYPROJECT FOLDER: what an installation would say of the package, for a folder in PYTHONPATH."""
import pathlib
import sys

import tomllib

project = tomllib.loads(pathlib.Path(sys.argv[1]).read_text())["project"]
folder = pathlib.Path(sys.argv[2])
(folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
lines = []
for group, entries in project["entry-points"].items():
    lines += [f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())]
(folder / "entry_points.txt").write_text("\n".join(lines) + "\n")
