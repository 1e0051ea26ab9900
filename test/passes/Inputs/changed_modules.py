"""changed_modules.py COUNT FIRST FILE...: modules with absurd sizes, attributes, types and operands are taken or refused by passes, with a diagnostic. COUNT
batches of 40 modules, from the seeds FIRST, FIRST + 1, ...: pieces of the files in which one to three things were changed. Their types are inferred
again, so that a change goes past the verifier wherever it can; then a pipeline follows, or some passes, for one of the targets. 60 seconds of CPU are far
above what a batch needs, and catch what is endless; a limit of memory (ulimit -v) catches what is of the size that a module names."""
import functools
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile

MOST_BYTES, BATCH = 8000, 40
INTEGERS = [-2**63, -2**31, -2, -1, 0, 1, 2, 3, 7, 16, 17, 64, 65, 255, 2**20, 2**31 - 1, 2**31, 2**33, 2**48, 2**62, 2**63 - 1]
REALS = ["0.0", "-1.0", "1.0e300", "-1.0e300", "1.0e-320", "0x7FF0000000000000", "0x7FF8000000000000"]
ELEMENTS = "f32 f16 bf16 f64 i1 i8 ui8 i16 i32 ui32 i64 i4 ui2 f8E4M3FN f4E2M1FN i7 index".split()
SIZES = ['"K"', '"T"', '"B*S"', '"T*T"', '"T - 5"', '"-T"', '"4611686018427387904*T"', '"T + 9223372036854775807"', '"floordiv(T, K)"', '"mod(T, 4)"', '"?"']
NEED_OPTIONS = {"tcc-optimizer", "tcc-parameters"}
PIPELINES = ["default", "whole", "tcc-autocast,default", "tcc-grad,tcc-simplify,default", "tcc-grad{mode=forward},tcc-simplify,default", "tcc-loss,tcc-grad,tcc-simplify,kernels",
             "tcc-row-blocks,default", "kernels,tcc-variants,tcc-select"]
TARGETS = ("x86,avx2", "x86,avx512", "x86,sapphirerapids", "nvptx,sm_80", "nvptx,sm_90a", "reference")
TYPE = re.compile(r"tensor<((?:[0-9?]+x)*)([a-zA-Z]\w*)((?:, *\[[^\]]*\])?)>")
OPERANDS = re.compile(r'("tcc\.\w+")\(([^)]*)\)(.*) : \(([^)]*)\) ->')


def retyped(module, change):
    """The module with change(sizes, element) in place of each tensor's; a symbolic size is its text in quotes."""
    def one(match):
        sizes, names = match[1].split("x")[:-1], re.findall(r'"[^"]*"|-?\d+', match[3])
        sizes = [names[i] if s == "?" and len(names) == len(sizes) else '"?"' if s == "?" else int(s) for i, s in enumerate(sizes)]
        sizes, element = change(sizes, match[2])
        encoding = f", [{', '.join(map(str, sizes))}]" if any(isinstance(s, str) for s in sizes) else ""
        return f"tensor<{''.join('?x' if isinstance(s, str) else f'{s}x' for s in sizes)}{element}{encoding}>"
    return TYPE.sub(one, module)


def change_size(r, module):
    sizes = sorted({s for match in TYPE.finditer(module) for s in (*re.findall(r'"[^"]*"', match[3]), *(int(s) for s in re.findall(r"\d+", match[1])))}, key=str)
    if not sizes: return module
    old, new = r.choice(sizes), r.choice(SIZES + [i for i in INTEGERS if i >= 0])
    return retyped(module, lambda dims, element: ([new if d == old else d for d in dims], element))


def change_rank(r, module):
    more = [1] * r.choice([1, 2, 13, 14])
    return retyped(module, lambda dims, element: ((more if len(more) + len(dims) <= 17 else []) + dims, element))


def change_element(r, module):
    elements = sorted({match[2] for match in TYPE.finditer(module)})
    if not elements: return module
    old, new, part = r.choice(elements), r.choice(ELEMENTS), r.random() < 0.3
    return retyped(module, lambda dims, element: (dims, new if element == old and not (part and r.random() < 0.5) else element))


def change_text(pattern, make):
    """A change of one place, inside of the braces of attributes, that fits the pattern."""
    def change(r, module):
        places = [(a.start() + p.start(), a.start() + p.end()) for a in re.finditer(r"\{[^{}]*\}", module) for p in re.finditer(pattern, a[0])]
        if not places: return module
        begin, end = r.choice(places)
        return module[:begin] + make(r, module[begin:end]) + module[end:]
    return change


def changed_list(r, text):
    values = re.findall(r"-?\d+", text.split("i64", 1)[1])
    values = r.choice([[], values * 2, values[:-1], values[::-1], [*values, str(r.choice(INTEGERS))]])
    return f"array<i64: {', '.join(values)}>" if values else "array<i64>"


def change_operands(r, module):
    known = dict(re.findall(r"(%\w+): (tensor<[^>]*>|none)", module))
    calls = [match for match in OPERANDS.finditer(module) if match[2].strip()]
    if not calls: return module
    call = r.choice(calls)
    names, types = [n.strip() for n in call[2].split(",")], re.findall(r"tensor<[^>]*>|none", call[4])
    if len(names) != len(types): return module
    one, other = r.randrange(len(names)), r.randrange(len(names))
    if r.random() < 0.5: names[one], names[other], types[one], types[other] = names[other], names[one], types[other], types[one]
    elif known: names[one], types[one] = r.choice(sorted(known.items()))
    text = f"{call[1]}({', '.join(names)}){call[3]} : ({', '.join(types)}) ->"
    return module[:call.start()] + text + module[call.end():]


CHANGES = [change_size, change_size, change_rank, change_element, change_operands, change_operands,
           change_text(r'(?<![\w."<])-?\d+(?![\w.">x])', lambda r, _: str(r.choice(INTEGERS))),
           change_text(r'(?<![\w."<])-?\d+(?![\w.">x])', lambda r, _: str(r.choice(INTEGERS))),
           change_text(r"array<i64(?:: *[^>]*)?>", changed_list),
           change_text(r"\b(?:true|false)\b", lambda _, text: "false" if text == "true" else "true"),
           change_text(r"-?\d+\.\d+(?:[eE][-+]?\d+)?", lambda r, _: r.choice(REALS)),
           change_text(r'[\w.]+ = (?:array<[^>]*>|"[^"]*"|\[[^\]]*\]|[-\w.]+(?: : \w+)?)(?:, )?', lambda *_: "")]


@functools.cache
def pieces(file):
    """Modules of a file, without comments, which would be run or expected otherwise."""
    text = re.split(r"^// -----.*$", pathlib.Path(file).read_text(), flags=re.M)
    text = ["\n".join(line for line in piece.splitlines() if not line.strip().startswith("//")).strip() for piece in text]
    return [piece for piece in text if "func.func" in piece and len(piece) < MOST_BYTES]


def changed(r, files):
    while True:
        made = module = r.choice(r.choice(files))
        for _ in range(r.choice([1, 1, 1, 2, 3])): made = r.choice(CHANGES)(r, made)
        if made != module: return made


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (60, 61))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(modules, pipeline, target, folder):
    path = pathlib.Path(folder, "changed.mlir")
    path.write_text("\n// -----\n".join(modules))
    command = ["tcc-opt", "--no-reproducer", "--split-input-file", f"--target={target}", f"--pass-pipeline=tcc-infer-shapes,{pipeline}", str(path), "-o", "/dev/null"]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", preexec_fn=limit)
    return done.returncode not in (0, 1) or done.returncode == 1 and not done.stderr.strip() or "runtime error:" in done.stderr, command, done


def main():
    count, first = int(sys.argv[1]), int(sys.argv[2])
    files = [modules for modules in map(pieces, sys.argv[3:]) if modules]
    listed = subprocess.run(["tcc-opt", "--list-passes"], capture_output=True, text=True, check=True).stdout.splitlines()
    passes = sorted({line.split()[0] for line in listed if line.startswith("tcc-")} - NEED_OPTIONS)
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            r = random.Random(seed)
            target, modules = r.choice(TARGETS), [changed(r, files) for _ in range(BATCH)]
            pipeline = r.choice(PIPELINES + ["gpu"] * 3 * target.startswith("nvptx")) if r.random() < 0.6 else ",".join(r.choice(passes) for _ in range(r.randrange(1, 5)))
            if not run(modules, pipeline, target, folder)[0]: continue
            for module in modules:
                is_bad, command, done = run([module], pipeline, target, folder)
                if not is_bad: continue
                bad += 1
                print(f"seed {seed}: exit {done.returncode}: {' '.join(command)}\n{module}\n{done.stderr[-500:]}")
    print(f"{count * BATCH} modules, {bad} bad")


main()
