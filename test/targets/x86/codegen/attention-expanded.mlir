// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=T=9 --dim=U=9 --dim=H=3 --dim=D=8 --save=%t
// RUN: tcc-run %s --random=1 --dim=T=9 --dim=U=9 --dim=H=3 --dim=D=8 --data=%t --check --rtol=5e-3 --atol=1e-5
// RUN: tcc-opt --tcc-decompose %s | FileCheck %s
// REQUIRES: avx2

// Sizes that agree only by the module's constraints (keys and values from two inputs, a mask with heads of its own) and head
// dimensions of any size have no kernel of their own: such an attention is expanded.
// CHECK-NOT: tcc.attention
module attributes {tcc.constraints = ["T - U", "U - T", "H - 3", "3 - H"]} {
func.func @main(%q: tensor<1x3x5x8xf32>, %k: tensor<1x3x?x8xf32, [1, 3, "T", 8]>, %v: tensor<1x3x?x8xf32, [1, 3, "U", 8]>, %m: tensor<1x?x5x?xf32, [1, "H", 5, "T"]>, %w: tensor<1x3x?x8xf32, [1, 3, "T", 8]>, %d: tensor<1x3x5x?xf32, [1, 3, 5, "D"]>)
    -> (tensor<1x3x5x8xf32>, tensor<1x3x5x8xf32>, tensor<1x3x5x?xf32, [1, 3, 5, "D"]>) {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.attention"(%q, %k, %v, %none) {scale = 0.3 : f64} : (tensor<1x3x5x8xf32>, tensor<1x3x?x8xf32, [1, 3, "T", 8]>, tensor<1x3x?x8xf32, [1, 3, "U", 8]>, none) -> tensor<1x3x5x8xf32>
  %1 = "tcc.attention"(%q, %k, %w, %m) {scale = 0.3 : f64} : (tensor<1x3x5x8xf32>, tensor<1x3x?x8xf32, [1, 3, "T", 8]>, tensor<1x3x?x8xf32, [1, 3, "T", 8]>, tensor<1x?x5x?xf32, [1, "H", 5, "T"]>) -> tensor<1x3x5x8xf32>
  %2 = "tcc.attention"(%d, %d, %d, %none) {scale = 0.3 : f64} : (tensor<1x3x5x?xf32, [1, 3, 5, "D"]>, tensor<1x3x5x?xf32, [1, 3, 5, "D"]>, tensor<1x3x5x?xf32, [1, 3, 5, "D"]>, none) -> tensor<1x3x5x?xf32, [1, 3, 5, "D"]>
  return %0, %1, %2 : tensor<1x3x5x8xf32>, tensor<1x3x5x8xf32>, tensor<1x3x5x?xf32, [1, 3, 5, "D"]>
}
}
