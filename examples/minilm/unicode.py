"""unicode.py: writes unicode.def from Python's Unicode tables.    python3 unicode.py > unicode.def"""
import unicodedata

SURROGATES, HANGUL = range(0xD800, 0xE000), range(0xAC00, 0xD7A4)
points = [p for p in range(0x110000) if p not in SURROGATES]


def ranges(test):
    out = []
    for p in points:
        if test(chr(p)):
            if out and out[-1][1] == p - 1:
                out[-1][1] = p
            else:
                out.append([p, p])
    return out


def fold(c):
    """What is left of a character: canonical decomposition without marks, in lower case."""
    return "".join(x for x in unicodedata.normalize("NFD", c) if unicodedata.category(x) != "Mn").lower()


folds, expansions = [], []
for p in points:
    c = chr(p)
    if p in HANGUL or unicodedata.category(c) == "Mn" or fold(c) == c:
        continue
    to = fold(c)
    if len(to) != 1:
        expansions.append((p, to))
        continue
    delta = ord(to) - p
    last = folds[-1] if folds else None
    step = p - last[1] if last else 0
    if last and last[3] == delta and step in (1, 2) and (last[0] == last[1] or last[2] == step):
        last[1], last[2] = p, step
    else:
        folds.append([p, p, 1, delta])


def rows(items, per_line):
    for i in range(0, len(items), per_line):
        print("".join(items[i:i + per_line]))


print(f"/* unicode.def - written by unicode.py from Unicode {unicodedata.unidata_version}; do not edit.")
print(" *")
print(" * FOLD(first, last, step, delta)   each step-th code point of first..last becomes itself + delta: lower case, no accents")
print(" * EXPAND(point, a, b, c)           becomes these, 0 is nothing")
print(" * MARK, PUNCTUATION, CONTROL(first, last)   categories Mn; P*; Cc, Cf, Co */")
print("#ifdef FOLD")
rows([f"FOLD({a},{b},{s},{d})" for a, b, s, d in folds], 6)
print("#endif\n#ifdef EXPAND")
rows(["EXPAND(%d,%d,%d,%d)" % (p, *(list(map(ord, to)) + [0, 0, 0])[:3]) for p, to in expansions], 6)
assert all(len(to) <= 3 for _, to in expansions)
for name, test in (("MARK", lambda c: c == "Mn"), ("PUNCTUATION", lambda c: c[0] == "P"), ("CONTROL", lambda c: c in ("Cc", "Cf", "Co"))):
    print(f"#endif\n#ifdef {name}")
    rows([f"{name}({a},{b})" for a, b in ranges(lambda c: test(unicodedata.category(c)))], 7)
print("#endif")
