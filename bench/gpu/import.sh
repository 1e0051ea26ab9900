#!/usr/bin/env bash
# bench/gpu/import.sh OUT: takes in what bench/gpu/run.sh wrote: its lines as bench/gpu/results/CHIP-DATE.jsonl, its table into a note.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
[ $# = 1 ] && [ -s "$1/device.json" ] || { echo "import.sh OUT: a folder that run.sh wrote" >&2; exit 2; }
if [ ! -s "$1/table.md" ]; then # it was cut off, or had no Python
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  [ -s "$1/cases.json" ] || { "${PYTHON:-.venv/bin/python}" bench/gpu/cases.py "$work" && cp "$work/cases.json" "$1/"; }
  python3 bench/gpu/table.py "$1/cases.json" "$1" > "$1/table.md"
fi
page=${GPU_PAGE:-docs/notes/2026-11-gpu-device.md} results=${GPU_RESULTS:-bench/gpu/results}
mkdir -p "$results"
python3 - "$1" "$page" "$results" <<'PYTHON'
import datetime, glob, json, os, sys
out, page, results = sys.argv[1:]
device = json.load(open(f"{out}/device.json"))
date = datetime.datetime.fromtimestamp(os.path.getmtime(f"{out}/table.md"), datetime.timezone.utc).strftime("%Y-%m-%d")
with open(f"{results}/{device['chip']}-{date}.jsonl", "w") as file:
    file.write(json.dumps(device) + "\n")
    for path in sorted(glob.glob(f"{out}/*.jsonl")):
        part = os.path.basename(path).removesuffix(".jsonl")
        for line in open(path):
            try:
                file.write(json.dumps(dict(part=part, **json.loads(line))) + "\n")
            except ValueError:  # cut off
                pass
text = open(page).read()
begin, end = "<!-- measured -->\n", "<!-- /measured -->\n"
first, rest = text.split(begin)
with open(page, "w") as file:
    file.write(first + begin + f"{date}, " + open(f"{out}/table.md").read().strip() + "\n" + end + rest.split(end)[1])
PYTHON
echo "$results and $page have the results"
