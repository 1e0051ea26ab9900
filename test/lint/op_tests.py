"""op_tests.py ROOT: every op of ops.def has a test of its name and a function of the interpreter, and no test is of an op that is gone."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
table = (root / "dialects/tcc/ops.def").read_text()
ops = dict(re.findall(r'^TCC_(?:OP|COMPOSITE)\((\w+), "(\w+)"', table, re.M))
functions = set(re.findall(r"\[TCC_OP_(\w+)\]", (root / "lib/interp/ops.c").read_text()))
tests = {path.stem for path in (root / "test/dialects/tcc").glob("*.mlir")} - {"common"}
errors = [f"tcc.{name} has no test/dialects/tcc/{name}.mlir" for name in ops.values() if name not in tests]
errors += [f"tcc.{name} has no function in lib/interp/ops.c" for symbol, name in ops.items() if symbol not in functions]
errors += [f"test/dialects/tcc/{name}.mlir is of no op" for name in sorted(tests - set(ops.values()))]
errors += [f"{symbol} is a composite: TCC_COMPOSITE names its expansion" for symbol in re.findall(r'^TCC_OP\((\w+), "\w+", COMP', table, re.M)]
print("\n".join(errors))
sys.exit(bool(errors))
