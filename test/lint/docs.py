"""docs.py ROOT: what the pages name exists. Links, files in backquotes, `docs/...` in comments of sources; a contract has 120 lines at most.

Blocks of C are a part of some source, line by line. A table with the columns | limit | value | where | says of each limit the file and the name of the constant: the value is compared.
Pages of docs/notes are diaries: only their links are looked at."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
MOST_LINES = 120
DERIVED = {"bench.md", "commands.md", "onnx-ops.md", "ops.md"}  # tables made by a command, as long as they are
TOP = ("bench", "dialects", "docs", "examples", "include", "lib", "passes", "scripts", "test", "tools")
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "ms": 1, "MB": 1, "": 1}
errors = []


def fail(page, line, text):
    errors.append(f"{page.relative_to(root)}:{line}: {text}")


files = [p.relative_to(root) for top in TOP for p in (root / top).rglob("*") if p.is_file() and ".venv" not in p.parts]
names = {p.name for p in files}
pages = sorted([root / "README.md", *(root / "docs").rglob("*.md"), root / "bench/README.md", root / "dialects/tcc/README.md"])


def headings(page):
    return {re.sub(r"[^\w -]", "", line.lstrip("# ").strip().lower()).replace(" ", "-") for line in page.read_text().splitlines() if line.startswith("#")}


def check_link(page, number, link):
    if re.match(r"[a-z]+:", link): return
    path, _, anchor = link.partition("#")
    target = page if not path else (page.parent / path)
    if not target.exists():
        fail(page, number, f"links to {link}, which does not exist")
    elif anchor and target.suffix == ".md" and anchor not in headings(target):
        fail(page, number, f"links to {link}, which has no such heading")


def check_name(page, number, name):
    """A path from the root; a bare name of a source is that of some file. NAME, KIND, my_pass and the like stand for others, * for any."""
    if re.search(r"[<>${}\s=]|NAME|KIND|DATE|my.pass|^/|\.\.\.|\.venv|site-packages", name): return
    if name.startswith(tuple(top + "/" for top in TOP)):
        if not any(root.glob(name)):
            fail(page, number, f"names {name}, which does not exist")
    elif re.fullmatch(r"[\w-]+\.(c|h|def|py|sh)", name) and name not in names:
        fail(page, number, f"names {name}, but no file has this name")


def number_of(text):
    """C's number, with shifts and products."""
    text = re.sub(r"(?<=\d)[uUlL]+", "", text.strip())
    return eval(text, {"__builtins__": {}}) if re.fullmatch(r"[\d.x<>* ()a-fA-F]+", text) else None


def check_limit(page, number, line):
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    where = re.fullmatch(r"`([^`]+)`, `([^`]+)`", cells[2]) if len(cells) == 3 else None
    value = re.fullmatch(r"([\d.]+) ?(KiB|MiB|MB|ms|)", cells[1]) if where else None
    if not value or not (root / where[1]).exists():
        return fail(page, number, "a limit is | what | number and unit | `file`, `constant` |")
    stated = float(value[1]) * UNITS[value[2]]
    text = (root / where[1]).read_text()
    found = [number_of(match) for match in re.findall(rf"(?<!\w){re.escape(where[2])}\s*=(?!=)\s*([^,;/}}]+)", text)]
    found = [n / 1e6 if where[2].endswith("_NS") else n for n in found if n is not None]
    if stated not in found:
        fail(page, number, f"says {cells[1]}, but in {where[1]} {where[2]} is {found or 'no number'}")


limits = 0
for page in pages:
    lines = page.read_text().splitlines()
    notes = "notes" in page.relative_to(root).parts
    if page.parent == root / "docs" and page.name not in DERIVED and len(lines) > MOST_LINES:
        fail(page, len(lines), f"a contract has at most {MOST_LINES} lines; measurements go to docs/notes")
    in_limits = False
    for number, line in enumerate(lines, 1):
        for link in re.findall(r"\]\(([^)\s]+)\)", line): check_link(page, number, link)
        if notes: continue
        for name in re.findall(r"`([^`]+)`", line): check_name(page, number, name.rstrip(":"))
        for name in re.findall(r"(?<![\w/`.])((?:docs|lib|passes|test|include|scripts|tools|dialects|bench)/[\w./-]*\w)", re.sub(r"`[^`]*`|\]\([^)]*\)", "", line)):
            if "." in name: check_name(page, number, name)
        in_limits = in_limits and line.startswith("|") or line.startswith("| limit | value | where |")
        if in_limits and not re.match(r"\| limit |\|-", line):
            limits += 1
            check_limit(page, number, line)

listed = (root / "docs/notes/README.md").read_text() if (root / "docs/notes").exists() else ""
for note in (root / "docs/notes").glob("2*.md"):
    if f"({note.name})" not in listed: errors.append(f"docs/notes/README.md does not list {note.name}")

sources = [root / p for p in files if p.suffix in (".c", ".h", ".def", ".py", ".test", ".mlir", ".txt", ".sh")] + [root / "CMakeLists.txt"]
for source in sources:
    for number, line in enumerate(source.read_text(errors="replace").splitlines(), 1):
        for name, heading in re.findall(r"\b(docs/[\w/-]+\.(?:md|svg))(?:, \"([^\"]+)\")?", line):
            if not (root / name).exists():
                fail(source, number, f"names {name}, which does not exist")
            elif heading and f"# {heading}\n" not in (root / name).read_text():
                fail(source, number, f"names \"{heading}\" of {name}, which has no such heading")

code = "".join(p.read_text(errors="replace") for p in sources if p.suffix in (".c", ".h"))
for page in pages:
    for indent, block in re.findall(r"^( *)```c\n(.*?)^ *```", page.read_text(), re.M | re.S):
        if re.sub(rf"^{indent}", "", block, flags=re.M) not in code: errors.append(f"{page.relative_to(root)}: no source has the block {block.strip().splitlines()[0]}")

if limits < 20: errors.append("docs.py: found no tables of limits")
print("\n".join(errors))
sys.exit(bool(errors))
