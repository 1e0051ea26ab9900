# narrow.py DIR KIND ELEM ROWS K N Q [BLOCK]: a model of products whose right operands are made of elements of type Q. ROWS may be S, a number that is not known.
# blocks: [N, K / BLOCK, BLOCK] less zero points times scales of blocks. columns: [K, N] times scales of columns. converted: [N, K] as they are. gated: two of blocks
# without zero points, the second gated by what silu makes of the first. gated-columns: the same of columns. beside: as many of blocks as N has numbers, 64+64+32.
import os, sys

place, kind, elem, rows, k, n, q, *block = sys.argv[1:]
k, widths, block = int(k), [int(v) for v in n.split("+")], int(block[0]) if block else 1
if kind.startswith("gated"):
    widths *= 2


def tensor(of, *shape):
    return f"tensor<{'x'.join(map(str, shape))}x{of}>"


def row(width):
    return f'tensor<?x{width}x{elem}, ["S", {width}]>' if rows == "S" else tensor(elem, rows, width)


class Model:
    def __init__(self):
        self.arguments, self.lines = [], []

    def argument(self, name, of):
        self.arguments.append(f"%{name}: {of}")
        return name, of

    def op(self, name, op, of, *operands, words=""):
        types = ", ".join(t for _, t in operands)
        self.lines.append(f"""  %{name} = "tcc.{op}"({", ".join("%" + v for v, _ in operands)}){words} : ({types}) -> {of}""")
        return name, of


m = Model()
x, results = m.argument("x", row(k)), []
for i, width in enumerate(widths):
    if kind in ("columns", "gated-columns"):
        w, s = m.argument(f"w{i}", tensor(q, k, width)), m.argument(f"s{i}", tensor(elem, width))
        wide = m.op(f"f{i}", "convert", tensor(elem, k, width), w)
        product = ("matmul", x, m.op(f"m{i}", "mul", wide[1], wide, s))
    elif kind == "converted":
        w = m.argument(f"w{i}", tensor(q, width, k))
        product = ("linear", x, m.op(f"f{i}", "convert", tensor(elem, width, k), w), m.op(f"n{i}", "none", "none"))
    else:
        shape, each = (width, k // block, block), (width, k // block, 1)
        w, s = m.argument(f"w{i}", tensor(q, *shape)), m.argument(f"s{i}", tensor(elem, *each))
        wide = m.op(f"f{i}", "convert", tensor(elem, *shape), w)
        if kind == "blocks":
            zero = m.op(f"g{i}", "convert", tensor(elem, *each), m.argument(f"z{i}", tensor(q, *each)))
            wide = m.op(f"d{i}", "sub", wide[1], wide, zero)
        flat = m.op(f"r{i}", "reshape", tensor(elem, width, k), m.op(f"m{i}", "mul", wide[1], wide, s))
        product = ("linear", x, flat, m.op(f"n{i}", "none", "none"))
    results.append(m.op(f"y{i}", product[0], row(width), *product[1:]))
if kind.startswith("gated"):
    gate = m.op("gate", "mul", results[0][1], results[0], m.op("sigmoid", "sigmoid", results[0][1], results[0]))
    results = [m.op("result", "mul", gate[1], gate, results[1])]
os.makedirs(place, exist_ok=True)
with open(place + "/model.mlir", "w") as f:
    types = ", ".join(t for _, t in results)
    f.write(f"func.func @main({', '.join(m.arguments)}) -> ({types}) {{\n" + "\n".join(m.lines) + f"\n  return {', '.join('%' + v for v, _ in results)} : {types}\n}}\n")
