"""commands.py ROOT [--write]: docs/commands.md has each command's --help, word for word; --write puts it there."""
import pathlib
import re
import subprocess
import sys

page = pathlib.Path(sys.argv[1]) / "docs/commands.md"
text = page.read_text()
tools = {path.stem for path in (pathlib.Path(sys.argv[1]) / "tools").glob("tcc-*.c")}


def with_help(match):
    tools.discard(match[2])
    shown = subprocess.run([match[2], "--help"], capture_output=True, text=True, check=True).stdout
    return f"{match[1]}```\n{shown}```\n"


derived = re.sub(r"(^## `(tcc-\w+)`\n(?:(?!^## |^```).*\n)*)```\n(?:(?!```).*\n)*```\n", with_help, text, flags=re.M)
if "--write" in sys.argv:
    page.write_text(derived)
elif derived != text:
    print("docs/commands.md differs from --help; to mend: PATH=build/bin:$PATH python3 test/lint/commands.py . --write")
if tools:
    print("docs/commands.md lacks", *sorted(tools))
sys.exit(bool(tools) or (derived != text and "--write" not in sys.argv))
