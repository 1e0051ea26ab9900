"""json_keys.py PAGE FILE...: every key of the JSON files stands in the page, in backquotes."""
import json
import pathlib
import re
import sys

known = set(re.findall(r"`(\w+)`", pathlib.Path(sys.argv[1]).read_text()))


def keys(value):
    if isinstance(value, dict):
        yield from value
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from keys(child)


missing = {key for path in sys.argv[2:] for key in keys(json.loads(pathlib.Path(path).read_text()))} - known
if missing:
    print("not in the page:", *sorted(missing))
sys.exit(bool(missing))
