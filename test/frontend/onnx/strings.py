"""Cases of operators on strings in the form of ONNX's own tests: `strings.py FOLDER`. Expected are Python's str and NumPy."""
import os
import random
import re
import sys

import numpy as np
import onnx
import onnx.parser

folder = sys.argv[1]
random.seed(1)


def words(count, alphabet, longest):
    return ["".join(random.choice(alphabet) for _ in range(random.randint(0, longest))) for _ in range(count)]


def write(path, array, strings_as_numpy=False):
    if strings_as_numpy:
        array = np.char.encode(array.astype(str))  # |S: bytes
        np.save(path + ".npy", array)
        return
    tensor = onnx.numpy_helper.from_array(array.astype(object) if array.dtype.kind == "U" else array)
    with open(path + ".pb", "wb") as file:
        file.write(tensor.SerializeToString())


def case(name, text, sets):
    """sets: of each data set the inputs and the outputs. The second one is run by the artifact of the first, which has other sizes."""
    model = onnx.parser.parse_model('<ir_version: 10, opset_import: ["" : 20, "ai.onnx.ml" : 4]> ' + text)
    for k, (inputs, outputs) in enumerate(sets):
        place = os.path.join(folder, name, f"test_data_set_{k}")
        os.makedirs(place, exist_ok=True)
        for i, array in enumerate(inputs):
            write(os.path.join(place, f"input_{i}"), array, k == 1 and array.dtype.kind == "U" and array.size > 0)
        for i, array in enumerate(outputs):
            write(os.path.join(place, f"output_{i}"), array)
    onnx.save(model, os.path.join(folder, name, "model.onnx"))


def split(strings, delimiter, most):
    parts = [s.split(delimiter, most) for s in strings]
    longest = max(map(len, parts), default=0)
    table = np.array([p + [""] * (longest - len(p)) for p in parts], str).reshape(len(strings), longest)
    return table, np.array([len(p) for p in parts], np.int64)


def splits():
    for number, (delimiter, alphabet) in enumerate(
        [(None, "ab \t\n\u00e9"), ("-", "ab-"), ("--", "a-"), ("aaa", "ab"), ("ab", "abc"), ("\u00e9", "a\u00e9\u00e8")]
    ):
        for most in (-1, 0, 1, 3):
            attributes = [] if delimiter is None else [f'delimiter = "{delimiter}"']
            attributes += [] if most < 0 else [f"maxsplit = {most}"]
            text = f"g (string[N] x) => (string[N, M] y, int64[N] n) {{ y, n = StringSplit <{', '.join(attributes)}> (x) }}"
            text = text.replace(" <>", "")
            sets = []
            for count, longest in ((7, 12), (3, 5)):
                strings = words(count, alphabet, longest) + ["a"]
                sets.append(([np.array(strings)], split(strings, delimiter, most)))
            case(f"split_{number}_{most + 1}", text, sets)


def concats():
    sets = []
    for rows, columns in ((3, 4), (2, 1)):
        a = np.array(words(rows, "ab\u4e2d", 5)).reshape(rows, 1)
        b = np.array(words(columns, "cd\u00e9", 3))
        sets.append(([a, b], [np.array([[x + y for y in b] for x in a[:, 0]])]))
    case("concat", "g (string[N, 1] a, string[M] b) => (string[N, M] y) { y = StringConcat(a, b) }", sets)
    first = np.array(["a", "", "b"])
    text = 'g (string[N] x) => (string[N] y, bool[N] z) { one = Constant<value_string = "-+-"> () y = StringConcat(x, one) z = Equal(y, one) }'
    case("constant", text, [([first], [np.array([s + "-+-" for s in first]), first == ""])])


def normalizers():
    stops = ["Aa", "b"]
    for action, change in (("NONE", str), ("LOWER", str.lower), ("UPPER", str.upper)):
        for sensitive in (0, 1):
            sets = []
            for count in (9, 4):
                strings = words(count, "Aab", 2) + ["Aa"]
                kept = [s for s in strings if (s not in stops if sensitive else s.lower() not in ("aa", "b"))] or [""]
                sets.append(([np.array(strings)], [np.array([change(s) for s in kept])]))
            attributes = f'case_change_action = "{action}", is_case_sensitive = {sensitive}, stopwords = ["Aa", "b"]'
            case(f"normalize_{action}_{sensitive}", f"g (string[N] x) => (string[M] y) {{ y = StringNormalizer <{attributes}> (x) }}", sets)
    case(
        "normalize_none_left",
        'g (string[1, N] x) => (string[1, M] y) { y = StringNormalizer <stopwords = ["a"]> (x) }',
        [([np.array([["a", "A"]])], [np.array([[""]])]), ([np.array([["a", "", "b"]])], [np.array([["", "b"]])])],
    )


def labels():
    def ml(name, attributes, kinds, x, y, operator="LabelEncoder"):
        case(name, f"g ({kinds[0]}[N] x) => ({kinds[1]}[N] y) {{ y = ai.onnx.ml.{operator} <{attributes}> (x) }}", [([x], [y])])

    ml("label_int_string", 'keys_int64s = [3, 5], values_strings = ["three", "5"], default_string = "other"', ("int64", "string"),
       np.array([5, 4, 3]), np.array(["5", "other", "three"]))
    ml("label_string_string", 'keys_strings = ["a", "a", "bc"], values_strings = ["1", "2", "3"]', ("string", "string"),
       np.array(["bc", "a", "b", "bcd"]), np.array(["3", "1", "_Unused", "_Unused"]))
    ml("label_float_int", "keys_floats = [1.5, 2.5], values_int64s = [7, 8], default_int64 = -3", ("float", "int64"),
       np.array([2.5, np.nan, 1.5], np.float32), np.array([8, -3, 7]))
    ml("label_int_float", "keys_int64s = [1, 2], values_floats = [0.5, 0.25], default_float = 9.0", ("int64", "float"),
       np.array([2, 1, 0]), np.array([0.25, 0.5, 9], np.float32))
    ml("category_string", 'cats_strings = ["x", "yy"], cats_int64s = [4, 6], default_int64 = 1', ("string", "int64"),
       np.array(["yy", "y", "x"]), np.array([6, 1, 4]), "CategoryMapper")
    ml("category_int", 'cats_strings = ["x", "yy"], cats_int64s = [4, 6], default_string = "?"', ("int64", "string"),
       np.array([6, 1, 4]), np.array(["yy", "?", "x"]), "CategoryMapper")
    text = """g (string[N] x) => (float[3] y) { y = TfIdfVectorizer <mode = "TF", pool_strings = ["a", "b", "a", "b"], min_gram_length = 1,
              max_gram_length = 2, max_skip_count = 0, ngram_counts = [0, 2], ngram_indexes = [0, 1, 2]> (x) }"""
    case("grams", text, [([np.array(["a", "b", "c", "a", "b", "b"])], [np.array([2, 3, 2], np.float32)])])


def pattern(depth):
    """A random expression on which RE2 and Python agree, with re.ASCII."""
    if depth == 0 or random.random() < 0.2:
        return random.choice(["a", "b", "\u00e9", ".", "[ab]", "[^a]", "[a-c_]", r"\\w", r"\\W", r"\\d", r"\\b", r"\\B", "^", "$", r"\\.", "[^\\\\w]", "x"])
    kind = random.randrange(5)
    if kind < 2:
        return pattern(depth - 1) + pattern(depth - 1)
    if kind == 2:
        return f"({pattern(depth - 1)}|{pattern(depth - 1)})"
    inner = pattern(depth - 1)
    return f"({'?:' if kind == 3 else ''}{inner})" + random.choice(["*", "+", "?", "{2}", "{1,2}", "{1,}", "+?"])


def regexes():
    fixed = [r"", r"[[:alpha:]]+[[:digit:]_]*", r"(?P<word>a|ab)(c|bcd)", r"\\x61\\x{e9}+", r"a{,2}"]
    for number, text in enumerate(fixed + [pattern(4) for _ in range(30)]):
        plain = text.replace("\\\\", "\\")
        python = plain.replace("[[:alpha:]]", "[a-zA-Z]").replace("[:digit:]", "0-9").replace("\\x{e9}", "\u00e9").replace("a{,2}", r"a\{,2\}")
        strings = ["", "abcd", "a\u00e9\u00e9", "a{,2}", "abc12_"] + words(40, "ab1._ \u00e9x", 6)
        wanted = np.array([re.fullmatch(python, s, re.ASCII) is not None for s in strings])
        case(f"regex_{number}", f'g (string[N] x) => (bool[N] y) {{ y = RegexFullMatch <pattern = "{text}"> (x) }}', [([np.array(strings)], [wanted])])


splits()
concats()
normalizers()
labels()
regexes()
