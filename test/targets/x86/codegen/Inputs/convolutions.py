"""convolutions.py N: a chain of N convolutions of channels in blocks, each of another size.  convolutions.py FEW MANY MB: reports of tcc-run of
two such chains; the peak of the second is at most so much higher, and its layers share the code of the first."""
import json
import sys


def chain(n):
    size = lambda i: f"tensor<1x16x{n + 2 - i}x8xf32>"
    print(f'func.func @main(%x0: {size(0)}, %w: tensor<16x16x2x1xf32>) -> {size(n)} {{\n  %none = "tcc.none"() : () -> none')
    for i in range(n):
        print(f'  %x{i + 1} = "tcc.conv"(%x{i}, %w, %none) {{strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, '
              f'dilations = array<i64: 1, 1>, groups = 1 : i64}} : ({size(i)}, tensor<16x16x2x1xf32>, none) -> {size(i + 1)}')
    print(f"  return %x{n} : {size(n)}\n}}")


if len(sys.argv) == 2:
    chain(int(sys.argv[1]))
else:
    few, many = (json.load(open(path)) for path in sys.argv[1:3])
    assert many["kernels"]["launched"] - few["kernels"]["launched"] == 200, (few["kernels"], many["kernels"])
    assert many["kernels"]["unique"] == few["kernels"]["unique"], (few["kernels"], many["kernels"])
    grown = many["peak_rss_mb"] - few["peak_rss_mb"]
    print(f"{grown:.1f} MB more")
    assert grown < float(sys.argv[3]), grown
