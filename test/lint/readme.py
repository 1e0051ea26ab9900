"""readme.py ROOT BUILD MODEL.onnx FOLDER: runs the README's commands on a model, and looks for the files that it names."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

root, build, model, folder = map(pathlib.Path, sys.argv[1:])
text = (root / "README.md").read_text()
errors = []
for link in re.findall(r"\]\(([^)#:]+)\)", text) + re.findall(r"^\s{4}(scripts/\S+)", text, re.M):
    if not (root / link).exists():
        errors.append(f"README.md names {link}, which does not exist")
for page in (root / "docs").glob("*.md"):
    if f"(docs/{page.name})" not in text: errors.append(f"README.md does not list docs/{page.name}")
said, there = re.search(r"This one, (\d+) lines of C", text)[1], (root / "examples/train/chars.c").read_text().count("\n")
if int(said) != there: errors.append(f"README.md: examples/train/chars.c has {there} lines, not {said}")
for row in re.findall(r"^\| (`.*?) \|", text, re.M):
    errors += [f"README.md names {name}, which does not exist" for name in re.findall(r"`([^`]+)`", row) if not (root / name).exists()]
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
(folder / "build").symlink_to(build)
shutil.copy(model, folder / "model.onnx")
commands = re.findall(r"^    (build/bin/[^#\n]*)", text, re.M)
if not commands:
    errors.append("README.md shows no commands")
for command in commands:
    done = subprocess.run(command, shell=True, cwd=folder, env={**os.environ, "TCC_TUNE_DB": str(folder.resolve() / "tune.db")}, capture_output=True, text=True, timeout=120)
    if done.returncode:
        errors.append(f"{command}: exit {done.returncode}: {done.stderr[:300]}")
print("\n".join(errors))
sys.exit(bool(errors))
