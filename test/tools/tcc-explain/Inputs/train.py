"""train.py FILE: what tcc-explain --train --json says is that of a cheapest cut."""
import json
import sys

with open(sys.argv[1]) as file:
    facts = json.load(file)
saved, choices = facts["saved"], facts["choices"]
assert saved and all(t["again"] == -1 or t["again"] >= t["keep"] for t in saved), saved
assert all(t["keep"] == 2 * t["bytes"] for t in saved), saved  # at price 1
assert sum(t["bytes"] * t["times"] for t in saved) == choices[0]["saved"], choices
assert all(after["saved"] <= before["saved"] and after["again"] >= before["again"] for before, after in zip(choices, choices[1:])), choices
print(len(choices), "prices; what is kept costs no more than making it again; sums agree; each price keeps as much as the one before or less")
