"""doc_lists.py ROOT: lists and numbers that the pages state are those of the sources: kinds of kernels, parameters of schedules, exit codes,
variables of the environment, codes of errors, kinds of cache entries, folders, passes in their order, peers and models of the bench.

Each check reads the list from the page and from the source; an empty one is an error, so that no check is left behind when either moves."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
errors = []


def read(path):
    return (root / path).read_text()


def section(page, heading):
    return re.split(r"^##+ ", read(page).split(heading, 1)[1], flags=re.M)[0]


def first_cells(text):
    """The names in backquotes of the first cells of a table."""
    return [name for row in re.findall(r"^\| (`[^|]*`) \|", text, re.M) for name in re.findall(r"`([^`]+)`", row)]


def same(what, stated, found, order=False):
    stated, found = (list(stated), list(found)) if order else (sorted(set(stated)), sorted(set(found)))
    if not stated or not found:
        errors.append(f"doc_lists.py: {what}: nothing was found in {'the page' if found else 'the sources'}")
    elif stated != found:
        lacks, besides = sorted(set(found) - set(stated)), sorted(set(stated) - set(found))
        errors.append(f"{what}: lacks {lacks}, has besides {besides}" if lacks or besides else f"{what}: the order is {found}")


def strings(text):
    return re.findall(r'"([^"]+)"', text)


def number(what, page, stated, source, found):
    """The groups of two patterns agree, in their order."""
    here, there = re.search(stated, read(page)), re.search(found, read(source))
    if not here or not there:
        errors.append(f"doc_lists.py: {what}: {page if not here else source} has no '{stated if not here else found}'")
    elif [g.replace(",", "") for g in here.groups()] != list(there.groups()):
        errors.append(f"{page}: {what}: says {here.groups()}, {source} has {there.groups()}")


# ---- kernels.md ----
kinds = section("docs/kernels.md", "## Kinds")
table = read("include/tcc/kinds.def")
kernels = dict(re.findall(r'^TCC_KERNEL\(\w+, "(\w+)", (\w+)', table, re.M))
same("docs/kernels.md, 'Kinds'", first_cells(kinds), kernels)
row = {re.search(r"`(\w+)`", line)[1]: line for line in kinds.splitlines() if line.startswith("| `")}
mnemonic = dict(re.findall(r'^TCC_(?:OP|COMPOSITE)\((\w+), "(\w+)"', read("dialects/tcc/ops.def"), re.M))
classes = re.search(r"static FuseClass class_of.*?default: break;", read("passes/fuse/fuse_groups.c"), re.S)[0]
same("docs/kernels.md, ops of a map", re.findall(r"`(\w+)`", row["map"].split("|")[3]),
     [mnemonic[s] for s in re.findall(r"TCC_OP_(\w+)", classes) if s not in ("UNKNOWN", "BARRIER", "WEIGHT", "NONE", "CONSTANT")])
builtins = re.findall(r'^TCC_BUILTIN\(\w+, "(\w+)"', table, re.M)
of_two = [name for kind in ("builtin", "factor") for name in re.findall(r"`(\w+)`", row[kind].split("|")[2])]
same("docs/kernels.md, ops of kinds builtin and factor", of_two, set(builtins) - set(kernels))
reasons = [word for p in (root / "passes").rglob("*.c") for word in re.findall(r'"([a-z]+)(?:: | of a region: )[a-z]', p.read_text())
           if p.match("passes/fuse/*.c") or p.match("passes/dedup_regions/*.c")]
same("docs/kernels.md, 'Reasons'", re.findall(r"`([a-z]+)`", section("docs/kernels.md", "## Reasons").split("starts with its sort")[1]), reasons)

# ---- tuning.md ----
schedules = {}
for path in [*root.glob("lib/targets/*/*/*_schedule.c"), *root.glob("lib/targets/nvptx/*.c")]:
    if names := re.search(r"names\[\] = \{(.*?)\};\n#define SCHEDULE_NAMES \{\"([\w.]+)\"", path.read_text()):
        schedules[names[2]] = strings(names[1])
nvptx = read("lib/targets/nvptx/product_schedule.h")
for path in root.glob("lib/targets/nvptx/*_shape.c"):
    if names := re.search(r" (nvptx_\w+_names)\[\] = \{(.*?)\};", path.read_text()):
        schedules[re.search(r'\{"([\w.]+)", \d, ' + names[1], nvptx)[1]] = strings(names[2])
rows = {emitter: re.findall(r"`(\w+)`", parameters) for emitter, parameters in re.findall(r"^\| `([\w.]+)` \| ([^|]*) \|", read("docs/tuning.md"), re.M)}
same("docs/tuning.md, emitters with schedules", rows, schedules)
for emitter in schedules.keys() & rows.keys():
    same(f"docs/tuning.md, parameters of {emitter}", rows[emitter], schedules[emitter], order=True)
number("candidates in the pipeline", "docs/tuning.md", r"`count=(\d+)`", "passes/passes.def", r'"count=(\d+): candidates')
number("the database's name", "docs/tuning.md", r"`tune-(\d+)\.db`", "include/tcc/tune.h", r"TCC_RECORDS_SCHEMA = (\d+)")

# ---- runtime.md, artifacts.md, cache.md ----
codes = re.search(r"typedef enum \{\s*TCC_OK = 0,\n(.*?)\} TccCode;", read("include/tcc/status.h"), re.S)[1]
same("docs/runtime.md, 'Errors'", re.findall(r"^\| `(TCC_\w+)` \| (.*) \|", section("docs/runtime.md", "## Errors"), re.M),
     re.findall(r"(TCC_\w+), +/\* (.*?) \*/", codes), order=True)
entries = strings(re.search(r"kinds\[\] = \{(.*?)\};", read("lib/runtime/cache_files.c"))[1])
same("docs/cache.md, kinds of entries", first_cells(read("docs/cache.md")), entries)
number("modes of files", "docs/cache.md", r"mode (\d+), files with (\d+)", "lib/runtime/cache_files.c", r"mode (\d+) and files with (\d+)")

# ---- commands.md ----
exits = re.search(r"enum \{ (TCC_EXIT_.*?) \};", read("tools/common.h"))[1]
same("docs/commands.md, exit status", re.findall(r"^\| (\d+) \|", read("docs/commands.md").split("| exit status | |")[1].split("\n\n")[0], re.M), re.findall(r"= (\d+)", exits))
asked = {name for p in (root / "python").rglob("*.py") for name in re.findall(r'environ.get\("(\w+)"\)', p.read_text())}
asked |= {name for top in ("lib", "tools") for p in (root / top).rglob("*.c") for name in re.findall(r'getenv\("(\w+)"\)', p.read_text())}
same("docs/commands.md, variables", first_cells(read("docs/commands.md").split("| variable | |")[1].split("\n\n")[0]), asked - {"HOME", "TMPDIR", "XDG_CACHE_HOME"})
number("chips", "docs/commands.md", r"\(sm_(\d+) and newer", "include/tcc/gpu_chips.def", r"\nTCC_GPU_CHIP\((\d+),")
number("room of the cache", "docs/commands.md", r"in megabytes; (\d+) if", "lib/runtime/cache_files.c", r"LIMIT_MB = (\d+)")

# ---- python.md, torch-compile.md ----
options = re.findall(r'^ +\{"(\w+)", [A-Z]+, ', read("python/native/options.c"), re.M)
same("docs/python.md, options", [name for cells in re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", section("docs/python.md", "## Compiling"), re.M)
                                 for name in re.findall(r"\w+", cells)], options)
bridge = dict(re.findall(r"^\| `(mode|options)` \| (.*) \|", read("docs/torch-compile.md"), re.M))
for option, source in (("mode", "MODES"), ("options", "OPTIONS")):
    same(f"docs/torch-compile.md, {option}", re.findall(r"`([\w-]+)`", bridge[option]), strings(re.search(rf"^{source} = \((.*)\)", read("python/tcc/dynamo.py"), re.M)[1]), order=True)

# ---- architecture.md, README.md ----
texts = dict(re.findall(r'^TCC_PIPELINE\("(\w+)", "[^"]*",\s*"([^"]*)"', read("passes/pipelines.def"), re.M))
target = read("lib/targets/x86/x86.c")
for element in ("lower", "layout", "kernels"):
    texts["target-" + element] = "".join(strings(re.search(rf"\.{element} = (.*?),\n    \.", target, re.S)[1]))


def expand(name):
    for element in re.findall(r"([\w-]+)(?:\{[^}]*\})?(?:,|$)", texts[name]):
        yield from expand(element) if element in texts else [element.removeprefix("tcc-")]


order = list(dict.fromkeys(reversed([name for name in expand("default") if name != "simplify"])))[::-1]
order = ["verify", "infer-shapes", "simplify"] + [name for name in order if name not in ("verify", "infer-shapes")]
stated = [name.replace("_", "-") for name in first_cells(section("docs/architecture.md", "## Where the passes are"))]
same("docs/architecture.md, passes", [name for name in stated if name in order], order, order=True)
tables = {"all": "passes/passes.def"} | {p.parts[-3]: p.relative_to(root) for p in (root / "lib/targets").glob("*/passes/passes.def")}
owner = {name: whose for whose, table in tables.items() for name in re.findall(r'^TCC_PASS\(\w+, "tcc-([\w-]+)"', read(table), re.M)}
for line in section("docs/architecture.md", "## Where the passes are").splitlines():
    if cells := re.match(r"\| (`.*?`) \| (\w+) \|", line):
        for name in re.findall(r"`(\w+)`", cells[1]):
            if owner.get(name.replace("_", "-")) != cells[2]: errors.append(f"docs/architecture.md: {name} is a pass of {owner.get(name.replace('_', '-'))}")
same("docs/architecture.md, all passes", stated, owner)
way = [name for line in section("README.md", "## The way of a model").splitlines() if "|  " in line for name in re.findall(r"[a-z]+(?:-[a-z]+)*", line) if name in order]
same("README.md, 'The way of a model'", way, [name for name in order if name in way], order=True)


def folders(path):
    return [p.name for p in (root / path).iterdir() if p.is_dir() and any(p.rglob("*.[ch]"))]


rest = section("docs/architecture.md", "## Where the rest is")
same("docs/architecture.md, folders of lib/codegen", re.findall(r"^\| `lib/codegen/(\w+)`", rest, re.M), folders("lib/codegen"))
same("docs/architecture.md, targets", re.findall(r"`lib/targets/(\w+)`", rest), folders("lib/targets"))
same("docs/architecture.md, folders of lib/targets/x86", re.findall(r"`(\w+)`", re.search(r"^\| `lib/targets/x86` \| (.*) \|", rest, re.M)[1]), folders("lib/targets/x86"))
number("nodes that a model expands to", "docs/architecture.md", r"at most ([\d,]+) nodes and (\d+) for each", "lib/frontend/onnx/import.c", r"expanded_nodes = (\d+) \+ (\d+) \* nodes")
number("iterations that are unrolled", "docs/architecture.md", r"up to (\d+)\s+iterations", "lib/frontend/onnx/ops_loop.c", r"MOST_ITERATIONS = (\d+)")

# ---- glossary.md ----
terms = re.findall(r"^\| (\w[\w -]*) \| ([^|]+) \| `([^`]+)` \|", read("docs/glossary.md"), re.M)
same("docs/glossary.md, terms in order", [term for term, _, _ in terms], sorted(term for term, _, _ in terms), order=True)
for term, meaning, file in terms:
    if not re.search(rf"(?:\b|_|Tcc){term}", read(file) if (root / file).exists() else "", re.I): errors.append(f"docs/glossary.md: {file} does not have the term {term}")
    if re.search(r"\. [A-Z]", meaning): errors.append(f"docs/glossary.md: {term} has more than one sentence")
if len(terms) != read("docs/glossary.md").count("\n| ") - 1: errors.append("docs/glossary.md: a row is not | term | what | `file` |")

# ---- the guides ----
number("sizes of a named machine", "docs/adding-a-pass.md", r"a named machine has (\d+) KB,\s+(\d+)\s+MB, (\d+) MB and one core", "lib/targets/x86/machine.c",
       r"DEFAULT_L1 = (\d+) << 10, DEFAULT_L2 = (\d+) << 20, DEFAULT_L3 = (\d+) << 20")
instance = re.search(r"struct TccTarget \{(.*?)\n\};", read("include/tcc/target.h"), re.S)[1]
fields = re.findall(r"(\w+)(?=[;,]|\)\()", re.sub(r"/\*.*?\*/|\((?!\*)[^()]*\);", ";", instance, flags=re.S))
fields = [f for f in fields if f not in {"n" + other for other in fields}]
shown = re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", read("docs/adding-a-target.md"))))
same("docs/adding-a-target.md, fields of TccTarget", set(shown) & set(fields), fields)
readers = [p.name for p in (root / "lib/codegen/read").glob("*.h") if not p.name.endswith("_internal.h")]
same("docs/adding-a-target.md, readers", re.findall(r"`(?:lib/codegen/)?read/(\w+\.h)`", read("docs/adding-a-target.md")), readers)
most = int(re.search(r"in under (\d+) lines", read("docs/adding-a-target.md"))[1])
if read("test/target/scalar.c").count("\n") >= most: errors.append(f"docs/adding-a-target.md: test/target/scalar.c has no longer under {most} lines")
operators = set(re.findall(r'^ONNX_OP\("(\w+)"', read("lib/frontend/onnx/ops.def"), re.M))
named = {name for line in read("docs/indices.md").splitlines() if re.match(r"\| [A-Z]", line) for name in re.findall(r"\b[A-Z][A-Za-z]*[a-z][A-Za-z]*\b", re.sub(r"\([^)]*\)|`[^`]*`", "", line.split("|")[1]))}
same("docs/indices.md, operators", named, named & operators)
same("dialects/tcc/README.md, files", [p.name for name in first_cells(read("dialects/tcc/README.md")) for p in (root / "dialects/tcc").glob(name)],
     [p.name for p in (root / "dialects/tcc").iterdir() if p.suffix in (".c", ".def", ".h")])
number("ranks", "dialects/tcc/README.md", r"ranks above (\d+)", "include/tcc/ir.h", r"TCC_MAX_RANK = (\d+)")
number("sizes", "dialects/tcc/README.md", r"a size over 2\^(\d+) or more than 2\^(\d+) elements", "dialects/tcc/rules.c", r"most_size = \(int64_t\)1 << (\d+), most_elements = \(int64_t\)1 << (\d+)")
functions = re.findall(r'\{"(\w+)", (?:TCC_OP_|tcc_math_)', read("test/unit/targets/x86/accuracy.c"))
same("docs/scalar-accuracy.md, functions", re.findall(r"^\| (\w+) \| \d", read("docs/scalar-accuracy.md"), re.M), functions, order=True)

# ---- training.md ----
owners = re.findall(r'\{"([\w-]+)", [\w |]+, "([\w, ]+)"\}', read("passes/optimizer/optimizer.c")) + [("nesterov", "sgd")]
stated = {name: of.replace(",", "") for names, of in re.findall(r"^\| (`[^|]*`) \| ([\w, ]+) \|", section("docs/training.md", "## Optimisers"), re.M) if of not in ("all", "of")
          for name in re.findall(r"`([\w-]+)=", names)}
same("docs/training.md, options of optimisers and whose they are", stated.items(), [(name, of.replace(",", "").replace(" and", "")) for name, of in owners])
given = re.findall(r"(?:; |\")([\w-]+)=", re.search(r'"tcc-optimizer",(.*?)TCC_PASS', read("passes/passes.def"), re.S)[1])
same("docs/training.md, options of the optimiser", re.findall(r"`([\w-]+)=", section("docs/training.md", "## Optimisers").split("| option |")[1]), set(given) - {"loss", "scale-interval", "functions"})
kinds = re.findall(r'\{"(\w+)", (?:true|false)', re.search(r"kinds\[\] = \{(.*?)\};", read("passes/loss.c"), re.S)[1])
same("docs/training.md, losses", [name for name in first_cells(section("docs/training.md", "## Losses"))], kinds)
number("floats that are compiled in", "docs/training.md", r"`Constant` of up to (\d+) floats", "lib/frontend/import/weight.c", r"MOST_FLOATS = (\d+)")

# ---- testing ----
features = re.search(r"\nfeatures = \{(.*?)\n\}", read("test/lit.cfg.py"), re.S)[1]
same("test/lit.cfg.py, features in its head", [name for names in re.findall(r"^    ([a-z\d-]+(?:, [a-z\d]+)*)(?:  | of this| build types)", read("test/lit.cfg.py").split('"""')[1], re.M)
                                              for name in names.split(", ")] + ["optimised"], re.findall(r'^    "([\w-]+)":', features, re.M))
number("seconds of fuzzing", "docs/testing.md", r"fuzz targets for (\d+) s", "scripts/test.sh", r"TCC_FUZZ_SECONDS:-(\d+)")

# ---- bench/README.md ----
engines = re.search(r"TORCH = \[(.*?)\]\nPEERS = \[(.*?)\]", read("bench/engines.py"))
same("bench/README.md, peers", first_cells(read("bench/README.md")), strings(engines[1]) + strings(engines[2]))
number("peers that leave", "bench/README.md", r"one above ([\d.]+) times the quickest leaves", "bench/race.py", r"FAR, NEAR = ([\d.]+)")
number("peers that leave sooner", "bench/README.md", r"\(([\d.]+) times, but for", "bench/race.py", r"FAR, NEAR = [\d.]+, ([\d.]+)")
number("a turn", "bench/README.md", r"about (\d+) ms, and stands", "bench/race.py", r"TURN_MS = (\d+)")
number("rounds", "bench/README.md", r"further rounds, (\d+) at most", "bench/run.py", r"else (\d+)\), options\.starts")

print("\n".join(errors))
sys.exit(bool(errors))
