"""Sums up a trace of profile.mlir: whether each run did all tiles of its kernels, and whether a thread did one thing at a time."""
import json
import sys

events = [event for event in json.load(open(sys.argv[1])) if event["ph"] == "X"]
runs = [event for event in events if event["cat"] == "run"]
work = [event for event in events if "args" in event]
tiles = {name: max(e["args"]["first"] + e["args"]["tiles"] for e in work if e["args"]["node"] == name) for name in ("small", "large")}
for run in runs:
    inside = [e for e in work if run["ts"] <= e["ts"] and e["ts"] + e["dur"] <= run["ts"] + run["dur"] + 1]
    done = {name: sorted(t for e in inside if e["args"]["node"] == name for t in range(e["args"]["first"], e["args"]["first"] + e["args"]["tiles"])) for name in tiles}
    print(f"{run['name']}: " + ", ".join(f"{name} {'whole' if done[name] == list(range(tiles[name])) else done[name]}" for name in tiles))
for row in {e["tid"] for e in events}:
    ends = 0.0
    for event in sorted((e for e in events if e["tid"] == row), key=lambda e: e["ts"]):
        assert event["ts"] >= ends - 0.01, (event, ends)
        ends = event["ts"] + event["dur"]
print("waits and runs lie in their rows")
