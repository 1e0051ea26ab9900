"""many_kernels.py COUNT [alone] - prints a module of COUNT small kernels of which no two are alike, a large product, a sum that takes next to no time
beside it, and, without `alone`, one that does not and has the same code."""
import sys

count, alone = int(sys.argv[1]), sys.argv[2:] == ["alone"]
sums = ["tensor<160000xf32>"] + ([] if alone else ["tensor<2000000xf32>"])
square = "tensor<1024x1024xf32>"
small = [f"tensor<{i + 2}x5xf32>" for i in range(count)]
turned = [f"tensor<5x{i + 2}xf32>" for i in range(count)]

inputs = [f"%a{i}: {t}" for i, t in enumerate(small)] + [f"%l: {square}", f"%r: {square}"] + [f"%s{i}: {t}" for i, t in enumerate(sums)]
results = turned + [square] + sums
values = [f"%e{i}" for i in range(count)] + ["%p"] + [f"%d{i}" for i in range(len(sums))]
body = []
for i, (a, b) in enumerate(zip(small, turned)):
    body += [f'  %t{i} = "tcc.transpose"(%a{i}) {{perm = array<i64: 1, 0>}} : ({a}) -> {b}', f'  %e{i} = "tcc.exp"(%t{i}) : ({b}) -> {b}']
body += ['  %p = "tcc.dot_general"(%l, %r) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : '
         f"({square}, {square}) -> {square}"]
body += [f'  %d{i} = "tcc.add"(%s{i}, %s{i}) : ({t}, {t}) -> {t}' for i, t in enumerate(sums)]
print(f"func.func @main({', '.join(inputs)}) -> ({', '.join(results)}) {{")
print("\n".join(body))
print(f"  return {', '.join(values)} : {', '.join(results)}\n}}")
