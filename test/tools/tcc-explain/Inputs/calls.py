"""calls.py repeats|any REPORT EXPLANATION...: kernels and regions are called as often as tcc-run's report has them."""
import collections
import json
import sys

run, *explanations = [json.load(open(name)) for name in sys.argv[2:]]
kernels = collections.Counter(line["kernel"] for line in run["profile"])
regions = sorted((region["calls"], region["ops"]) for region in run["regions"])
assert sys.argv[1] == "any" or regions and max(kernels.values()) > 1
for said in explanations:
    said = said["artifacts"][0] if "artifacts" in said else said
    called = {kernel["function"]: kernel["calls"] for kernel in said["kernels"]}
    wrong = {name: (called.get(name), count) for name, count in kernels.items() if called.get(name) != count}
    assert not wrong, f"said and counted: {wrong}"
    assert sorted((region["calls"], region["ops"]) for region in said["regions"]) == regions, said["regions"]
