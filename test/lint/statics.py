"""statics.py ROOT BUILD: a function that no file but its own names is static, or exported (TCC_EXPORT) for those who link a library. Objects say who
names what, since tables paste names; a fuzz target, which is built by itself, counts."""
import pathlib
import re
import subprocess
import sys
from collections import defaultdict

root, build = map(pathlib.Path, sys.argv[1:])
SHIPPED = ("dialects", "lib", "passes", "python", "tools")
objects = [str(path.relative_to(build)) for path in (build / "CMakeFiles").rglob("*.o")]  # not what tests compile beside this one
symbols = subprocess.run(["llvm-nm", "-A", "-g", *objects], cwd=build, capture_output=True, text=True, check=True).stdout
defined, users = {}, defaultdict(set)
for line in symbols.splitlines():
    if found := re.match(r"(?:.*/)?CMakeFiles/[^/]+\.dir/(.*)\.o: *[0-9a-f]* (\w) (\S+)$", line):
        source, kind, name = found.groups()
        if kind == "T" and source.startswith(SHIPPED) and (root / source).exists(): defined[name] = source
        elif kind == "U": users[name].add(source)
headers = "".join(path.read_text() for path in (root / "include/tcc").glob("*.h"))
apart = set(re.findall(r"TCC_EXPORT[^;(]*?\b(\w+)\(", headers)) | {"main", "PyInit__native", "tcc_grad_none"}  # the last is a rule of grads.def, which has one file of rows
apart |= {word for path in (root / "test/fuzz").glob("*.c") for word in re.findall(r"\w+", path.read_text())}
alone = sorted(f"{source}: no other file uses {name}: static, or gone" for name, source in defined.items() if not users[name] - {source} and name not in apart)
print("\n".join(alone))
if len(defined) < 1000: sys.exit("statics.py: the objects of the build were not found")
sys.exit(bool(alone))
