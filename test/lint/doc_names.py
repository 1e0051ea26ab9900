"""doc_names.py ROOT: what the pages write in backquotes is there: identifiers of C, options of commands, ops and attributes `tcc.NAME`,
passes and commands `tcc-NAME`. Pages of docs/notes are diaries and are left out. Comments of C name functions, types and constants of tcc that are in the code."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
TOP = ("bench", "dialects", "examples", "include", "lib", "passes", "python", "scripts", "test", "tools")
# Options of programs that are not ours, and names that stand for others.
FOREIGN = {"--dry-run", "--build", "--install", "--prefix", "--cflags", "--libs", "--static", "--variable", "--split-input-file", "--verify-diagnostics",
           "--mlir-to-llvmir"}
EXAMPLES = {"--tcc-my-pass", "tcc-my-pass", "my_pass", "my-pass", "tcc_pass_my_pass", "onnx_op_mish", "--name", "tcc-artifact", "sequence_lens",
            "TORCHINDUCTOR_FREEZING", "TCC_DEVICE_X", "TCC_DTYPE_X", "tcc_build_", "tcc_target_NAME",
            "filtered_logits"}
COMMENT = re.compile(r"/\*.*?\*/", re.S)
C = (".c", ".h", ".def")

texts = {p: p.read_text(errors="replace") for top in TOP for p in (root / top).rglob("*")
         if p.is_file() and ".venv" not in p.parts and p.suffix in (".c", ".h", ".def", ".py", ".sh", ".test", ".mlir", ".cmake", ".in")}
texts[root / "CMakeLists.txt"] = (root / "CMakeLists.txt").read_text()
words = {word for path, text in texts.items() if path.name not in ("doc_names.py", "docs.py", "doc_lists.py")
         for word in re.findall(r"\w+", COMMENT.sub(" ", text) if path.suffix in C else text)}
options = set(re.findall(r"--[a-z][\w-]+", "\n".join(text for path, text in texts.items() if path.suffix in (".c", ".h", ".py", ".sh") and path.parts[-2] != "lint")))
ops = {"tcc." + name for name in re.findall(r'^TCC_(?:OP|COMPOSITE)\(\w+, "(\w+)"', texts[root / "dialects/tcc/ops.def"], re.M)}
package = {"tcc." + name for name in re.findall(r'"(\w+)"', re.search(r"__all__ = \[(.*?)\]", texts[root / "python/tcc/__init__.py"])[1])}
attributes = set(re.findall(r'"(tcc\.\w+)"', texts[root / "dialects/tcc/attrs.def"]))
passes = {name for path, text in texts.items() if path.name == "passes.def" for name in re.findall(r'"(tcc-[\w-]+)"', text)}
commands = {p.stem for p in texts if re.fullmatch(r"tcc-[\w-]+\.c", p.name)}
libraries = set(re.findall(r"\btcc[-\w]*", texts[root / "CMakeLists.txt"]))

errors, looked = [], 0
for page in sorted([root / "README.md", *(root / "docs").glob("*.md"), root / "dialects/tcc/README.md", root / "bench/README.md"]):
    fenced = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        fenced ^= line.startswith("```")
        if fenced: continue
        shown = re.findall(r"`([^`]+)`", line) if not line.startswith("    ") else [line.split(" #")[0]]
        for name in shown:
            if "/" in name and not line.startswith("    "): continue  # docs.py looks for files
            for what, known in ((r"(?<![\w.-])--[a-z][\w-]*\w", options | {"--" + p for p in passes} | FOREIGN), (r"(?<![\w\"-])tcc\.[a-z]\w*", ops | attributes | package),
                                (r"(?<![\w./-])tcc-[a-z][\w-]*(?![\w.])", passes | commands | libraries),
                                (r"(?<![\w./$-])(?:[A-Za-z]\w*_\w+|Tcc\w+|TCC_\w+)(?![\w./-])", words)):
                for found in re.findall(what, name):
                    looked += 1
                    if found not in known and found not in EXAMPLES:
                        errors.append(f"{page.relative_to(root)}:{number}: names {found}, which is nowhere")
for path, text in texts.items():
    for comment in COMMENT.finditer(text) if path.suffix in C else ():
        for name in re.finditer(r"\b(?:tcc_\w*[a-z0-9]|Tcc[A-Z]\w*|TCC_\w*[A-Z0-9])\b", comment[0]):
            looked += 1
            if name[0] not in words | EXAMPLES and not any(word.startswith(name[0] + "_") for word in words):
                errors.append(f"{path.relative_to(root)}:{text.count(chr(10), 0, comment.start() + name.start()) + 1}: names {name[0]}, which is nowhere")
if looked < 500: errors.append("doc_names.py: found too little to look for")
print("\n".join(errors))
sys.exit(bool(errors))
