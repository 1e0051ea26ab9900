// Rotary embedding where the size of a head is a symbol: two halves, and what they leave, of which a constraint says that it is nothing.
// RUN: tcc-opt %s --tcc-decompose --verify-each | FileCheck %s
// RUN: tcc-run %s --no-cache --random=3 --dim=D=6 --save=%t.symbols
// RUN: tcc-run %s --no-cache --random=3 --dim=D=6 --compare=interp | FileCheck %s --check-prefix=MATCH
// RUN: not tcc-run %s --no-cache --random=3 --dim=D=7 2>&1 | FileCheck %s --check-prefix=ODD
// The same numbers as with sizes that are known.
// RUN: sed -e 's/?xf32, \[2, 3, 5, "D"\]/6xf32/g' %s > %t.mlir
// RUN: tcc-run %t.mlir --no-cache --random=3 --save=%t.known
// RUN: %python -c "import numpy, sys; numpy.testing.assert_allclose(*map(numpy.load, sys.argv[1:]), rtol=1e-5, atol=1e-6)" %t.known/output_0.npy %t.symbols/output_0.npy
// RUN: %python -c "import numpy, sys; numpy.testing.assert_allclose(*map(numpy.load, sys.argv[1:]), rtol=1e-5, atol=1e-6)" %t.known/output_1.npy %t.symbols/output_1.npy
// REQUIRES: python

// CHECK: tcc.constraints = ["-D + 2*floordiv(D, 2)"
// CHECK: "tcc.slice"(%arg0) {{.*}} -> tensor<2x3x5x?xf32, [2, 3, 5, "floordiv(D, 2)"]>
// CHECK: "tcc.slice"(%arg0) {{.*}} -> tensor<2x3x5x?xf32, [2, 3, 5, "D - 2*floordiv(D, 2)"]>
// CHECK-NOT: tcc.rotary_embedding
// MATCH: {{[0-9]+}} kernels match the interpreter
// ODD: sizes do not agree: {{.*}}tcc.rotary_embedding
func.func @main(%x: tensor<2x3x5x?xf32, [2, 3, 5, "D"]>, %c: tensor<1x1x5x1xf32>, %s: tensor<1x1x5x1xf32>) -> (tensor<2x3x5x?xf32, [2, 3, 5, "D"]>, tensor<2x3x5x?xf32, [2, 3, 5, "D"]>) {
  %0 = "tcc.rotary_embedding"(%x, %c, %s) : (tensor<2x3x5x?xf32, [2, 3, 5, "D"]>, tensor<1x1x5x1xf32>, tensor<1x1x5x1xf32>) -> tensor<2x3x5x?xf32, [2, 3, 5, "D"]>
  %1 = "tcc.rotary_embedding"(%x, %c, %s) {interleaved = true} : (tensor<2x3x5x?xf32, [2, 3, 5, "D"]>, tensor<1x1x5x1xf32>, tensor<1x1x5x1xf32>) -> tensor<2x3x5x?xf32, [2, 3, 5, "D"]>
  return %0, %1 : tensor<2x3x5x?xf32, [2, 3, 5, "D"]>, tensor<2x3x5x?xf32, [2, 3, 5, "D"]>
}
