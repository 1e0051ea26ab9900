// Heads of q and of k that only a run tells: how many share one is no axis, so keys and values are read once for each head of q.
// RUN: tcc-opt %s --tcc-decompose --verify-each | FileCheck %s
// RUN: tcc-run %s --no-cache --random=3 --dim=H=6 --dim=G=2 --compare=interp | FileCheck %s --check-prefix=MATCH
// RUN: tcc-run %s --no-cache --random=3 --dim=H=6 --dim=G=6 --compare=interp | FileCheck %s --check-prefix=MATCH
// RUN: tcc-run %s --no-cache --random=3 --dim=H=0 --dim=G=2 --compare=interp | FileCheck %s --check-prefix=MATCH
// RUN: not tcc-run %s --no-cache --random=3 --dim=H=8 --dim=G=3 2>&1 | FileCheck %s --check-prefix=EIGHT
// RUN: not tcc-run %s --no-cache --random=3 --dim=H=2 --dim=G=4 2>&1 | FileCheck %s --check-prefix=TWO
// The same numbers as with sizes that are known.
// RUN: sed -e 's/?x\(.\)x\(.\)xf32, \[2, "H", 5, .\]/6x\1x\2xf32/g' -e 's/?x\(.\)x\(.\)xf32, \[2, "G", 7, .\]/2x\1x\2xf32/g' %s > %t.mlir
// RUN: rm -rf %t && mkdir %t && tcc-run %t.mlir --no-cache --random=3 --save=%t && tcc-run %s --no-cache --random=3 --dim=H=6 --dim=G=2 --save=%t/symbols
// RUN: %python -c "import numpy, sys; numpy.testing.assert_allclose(*map(numpy.load, sys.argv[1:]), rtol=1e-5, atol=1e-6)" %t/output_0.npy %t/symbols/output_0.npy
// REQUIRES: python

// CHECK: tcc.constraints = ["G - 1", "G*floordiv(H, G) - H"]
// CHECK: %[[INSIDE:.*]] = "tcc.div"({{.*}}) : (tensor<i64>, tensor<i64>)
// CHECK: %[[HEAD:.*]] = "tcc.div"(%{{.*}}, %[[INSIDE]])
// CHECK: "tcc.gather"(%arg1, %[[HEAD]]) {{.*}} -> tensor<2x?x7x4xf32, [2, "H", 7, 4]>
// CHECK: "tcc.gather"(%arg2, %{{.*}}) {{.*}} -> tensor<2x?x7x3xf32, [2, "H", 7, 3]>
// MATCH: {{[0-9]+}} kernels match the interpreter
// EIGHT: sizes do not agree: 'H' (8) must be at most 'G*floordiv(H, G)' (6)
// TWO: sizes do not agree: 'H' (2) must be at most 'G*floordiv(H, G)' (0)
func.func @main(%q: tensor<2x?x5x4xf32, [2, "H", 5, 4]>, %k: tensor<2x?x7x4xf32, [2, "G", 7, 4]>, %v: tensor<2x?x7x3xf32, [2, "G", 7, 3]>) -> tensor<2x?x5x3xf32, [2, "H", 5, 3]> {
  %mask = "tcc.none"() : () -> none
  %0 = "tcc.attention"(%q, %k, %v, %mask) {causal = true, scale = 0.5 : f64} : (tensor<2x?x5x4xf32, [2, "H", 5, 4]>, tensor<2x?x7x4xf32, [2, "G", 7, 4]>, tensor<2x?x7x3xf32, [2, "G", 7, 3]>, none) -> tensor<2x?x5x3xf32, [2, "H", 5, 3]>
  return %0 : tensor<2x?x5x3xf32, [2, "H", 5, 3]>
}
