// RUN: rm -rf %t && tcc-run %s --random=1 --dim=T=1 --save=%t && tcc-run %s --target=reference --random=1 --dim=T=1 --data=%t --check --rtol=5e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=T=150 --save=%t && tcc-run %s --target=reference --random=1 --dim=T=150 --data=%t --check --rtol=5e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=T=150 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --dim=T=150 --data=%t --check --rtol=5e-3 --atol=1e-4
// RUN: tcc-run %s --random --dim=T=1 --profile | FileCheck %s
// REQUIRES: avx2

// One query for each head: heads of a group share a tile, unless the mask tells them apart.
// CHECK-COUNT-3: x86.attention
// CHECK-NOT: {{reference|loops}}
func.func @main(%x0: tensor<2x8x1x20xf32>, %x1: tensor<2x2x?x20xf32, [2, 2, "T", 20]>, %x2: tensor<2x2x?x33xf32, [2, 2, "T", 33]>, %x3: tensor<2x1x1x?xi1, [2, 1, 1, "T"]>, %x4: tensor<1x8x1x?xf32, [1, 8, 1, "T"]>) -> (tensor<2x8x1x33xf32>, tensor<2x8x1x33xf32>, tensor<2x8x1x33xf32>) {
  %1 = "tcc.attention"(%x0, %x1, %x2, %x3) {scale = 0.3 : f64, zero_masked = true} : (tensor<2x8x1x20xf32>, tensor<2x2x?x20xf32, [2, 2, "T", 20]>, tensor<2x2x?x33xf32, [2, 2, "T", 33]>, tensor<2x1x1x?xi1, [2, 1, 1, "T"]>) -> tensor<2x8x1x33xf32>
  %2 = "tcc.none"() : () -> none
  %3 = "tcc.attention"(%x0, %x1, %x2, %2) {scale = 0.3 : f64, causal = true, offset = [5]} : (tensor<2x8x1x20xf32>, tensor<2x2x?x20xf32, [2, 2, "T", 20]>, tensor<2x2x?x33xf32, [2, 2, "T", 33]>, none) -> tensor<2x8x1x33xf32>
  %4 = "tcc.attention"(%x0, %x1, %x2, %x4) {scale = 0.3 : f64} : (tensor<2x8x1x20xf32>, tensor<2x2x?x20xf32, [2, 2, "T", 20]>, tensor<2x2x?x33xf32, [2, 2, "T", 33]>, tensor<1x8x1x?xf32, [1, 8, 1, "T"]>) -> tensor<2x8x1x33xf32>
  return %1, %3, %4 : tensor<2x8x1x33xf32>, tensor<2x8x1x33xf32>, tensor<2x8x1x33xf32>
}
