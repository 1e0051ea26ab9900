"""json_keys.py PAGE FILE...: every key of the JSON files (.jsonl: a value a line) stands in the page, in backquotes; and every key that the page lists where it says what
commands write is in one of the files."""
import json
import pathlib
import re
import sys

# No kernel of the models here has the first three; the others are of kernels that were measured within the time that the test gives.
CONDITIONAL = {"launch", "right_operand_as_it_stands", "lost_why", "best_schedule", "default_ms", "best_ms", "default_over_best"}
page = re.sub(r"^```.*?^```", "", pathlib.Path(sys.argv[1]).read_text(), flags=re.M | re.S)


def keys(value):
    if isinstance(value, dict):
        yield from value
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from keys(child)


def values(path):
    text = path.read_text()
    return [json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl" else [json.loads(text)]


written = {key for path in sys.argv[2:] for value in values(pathlib.Path(path)) for key in keys(value)}
listed = [part for part in re.split(r"\n(?=`--|## )", page) if re.match(r"`--[\w -]+` writes", part)]
stated = {key for part in listed for key in re.findall(r"`(\w+)`", part)}
missing, besides = written - set(re.findall(r"`(\w+)`", page)), stated - written - CONDITIONAL
if missing:
    print("not in the page:", *sorted(missing))
if besides:
    print("in the page, but nothing writes it:", *sorted(besides))
if len(listed) < 6:
    print("the page has not the lists that are looked for")
sys.exit(bool(missing or besides) or len(listed) < 6)
