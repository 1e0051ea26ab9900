"""manual.py ROOT: man pages and completions have the options that --help has, no more and no less, of each command."""
import pathlib
import re
import subprocess
import sys

tools = sorted(path.stem for path in (pathlib.Path(sys.argv[1]) / "tools").glob("tcc-*.c"))
patterns = {
    "": r"^  (-[^\s=\[]+)",
    "man": r"^\.TP\n\\fB(\\-\S+?)\\fR",
    "zsh": r"^  '\*(-[\w-]+?)(?:=-?)?[\['](?!:)",
    "fish": r"^complete -c \S+ (-[ls] \S+)",
}
errors = []
for tool in tools:
    def shown(form):
        return subprocess.run([tool, "--help" + (form and "=" + form)], capture_output=True, text=True, check=True).stdout

    found = {form: set(re.findall(pattern, shown(form), re.M)) for form, pattern in patterns.items()}
    found["man"] = {name.replace("\\", "") for name in found["man"]}
    found["fish"] = {name.replace("-l ", "--").replace("-s ", "-") for name in found["fish"]}
    script = shown("bash") + 'COMP_WORDS=(x -); COMP_CWORD=1\n_%s 2>/dev/null\necho "${COMPREPLY[@]}"\n' % tool.replace("-", "_")
    completed = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split()
    found["bash"] = {name.rstrip("=") for name in completed}
    passes = set()
    if tool == "tcc-opt":
        listed = subprocess.run([tool, "--list-passes"], capture_output=True, text=True, check=True).stdout
        passes = {"--" + name for name in re.findall(r"^(tcc-\S+)", listed, re.M)}
    for form in ("man", "bash", "zsh", "fish"):
        want = found[""] | (passes if form != "man" else set())
        if len(want) < 3 or found[form] != want:
            errors.append(f"{tool} --help={form}: lacks {sorted(want - found[form])}, has besides {sorted(found[form] - want)}")
print("\n".join(errors))
sys.exit(bool(errors) or not tools)
