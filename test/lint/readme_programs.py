"""readme_programs.py ROOT BUILD FOLDER: runs the blocks of README.md that install tcc and use it, as one script, FOLDER being the home.

What needs PyTorch is left out, as the README allows."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

root, build, home = (pathlib.Path(path).resolve() for path in sys.argv[1:])
text = (root / "README.md").read_text()
section = text[text.index("## From PyTorch to C") :]
section = section[: section.index("\n## ", 1)]
lines = [line[4:] for line in section.split("\n") if line.startswith("    ")]
kept = [line for line in lines if not line.startswith("python3 ")]
if len(kept) != len(lines) - 1 or not any("cmake --install build" in line for line in kept):
    sys.exit("README.md: the section does not have the lines that are looked for")
shutil.rmtree(home, ignore_errors=True)
(home / "clone").mkdir(parents=True)
(home / "clone" / "build").symlink_to(build)
(home / "clone" / "examples").symlink_to(root / "examples")
script = "set -e\n" + "\n".join(kept)
done = subprocess.run(["bash", "-c", script], cwd=home / "clone", env={**os.environ, "HOME": str(home)}, capture_output=True, text=True, timeout=300)
sys.stdout.write(re.sub(r"^-- .*\n", "", done.stdout, flags=re.M))
sys.stderr.write(done.stderr)
sys.exit(done.returncode)
