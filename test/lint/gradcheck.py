"""gradcheck.py ROOT: for each op that has a derivative test/tools/interp/gradcheck_cases.def has a case of each word of its attributes, of true and
false, of another number than the default, and with and without each optional operand. (That each op has a case is said by tcc-interp --gradcheck.)"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
TEXT = r'"((?:[^"\\]|\\.)*)"'


def read(path): return re.sub(r'"\s*\n\s*"', "", (root / path).read_text())


rows = re.findall(rf'^TCC_(?:OP|COMPOSITE)\((\w+), "(\w+)", (?:\w+, )?{TEXT}, {TEXT}, {TEXT}', read("dialects/tcc/ops.def"), re.M)
none = set(re.findall(r"^TCC_GRAD_NONE\((\w+)", read("dialects/tcc/grads.def"), re.M))
cases = {}
for symbol, operands, attributes in re.findall(rf"^GRADCHECK\((\w+), {TEXT}, {TEXT}", read("test/tools/interp/gradcheck_cases.def"), re.M):
    cases.setdefault(symbol, []).append(([o.strip() for o in operands.split(";")], attributes.replace('\\"', '"')))


def values(symbol, name, default):
    """What cases have as this attribute."""
    found = [re.search(rf'\b{name} = "?([^",}}]*)', attributes) for _, attributes in cases[symbol]]
    return {match[1] if match else default for match in found}


errors = []
for symbol, op, operands, _, attributes in rows:
    if symbol in none or symbol not in cases: continue
    for attribute in filter(None, re.split(r",\s+", attributes)):
        name, kind, default = re.fullmatch(r"(\w+):([^=]*)=?(.*)", attribute).groups()
        wanted = kind.split("|") if "|" in kind else ["true", "false"] if kind == "bool" else []
        have = values(symbol, name, default)
        errors += [f"tcc.{op}: no case of {name} = {value}" for value in wanted if value not in have]
        if default and not wanted and have == {default}: errors.append(f"tcc.{op}: no case of another {name} than {default}")
    for i, operand in enumerate(operands.split(", ")):
        if not operand.endswith("?"): continue
        given = {case[i] != "none" for case, _ in cases[symbol] if len(case) > i}
        errors += [f"tcc.{op}: no case with{'' if there else 'out'} {operand[:-1]}" for there in (True, False) if there not in given]
print("\n".join(errors))
sys.exit(bool(errors))
