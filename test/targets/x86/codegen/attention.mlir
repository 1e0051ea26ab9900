// RUN: rm -rf %t && tcc-run %s --random=1 --dim=S=1 --dim=T=130 --save=%t && tcc-run %s --target=reference --random=1 --dim=S=1 --dim=T=130 --data=%t --check --rtol=5e-3 --atol=2e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=S=50 --dim=T=7 --save=%t && tcc-run %s --target=reference --random=1 --dim=S=50 --dim=T=7 --data=%t --check --rtol=5e-3 --atol=2e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=S=131 --dim=T=260 --save=%t && tcc-run %s --target=reference --random=1 --dim=S=131 --dim=T=260 --data=%t --check --rtol=5e-3 --atol=2e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=S=131 --dim=T=260 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --dim=S=131 --dim=T=260 --data=%t --check --rtol=5e-3 --atol=2e-3
// RUN: bash -c 'for s in 1 50; do for t in x86 x86,avx2; do rm -rf %t; tcc-run %s --random=1 --dim=S=$s --dim=T=0 --target=$t --save=%t && tcc-run %s --target=reference --random=1 --dim=S=$s --dim=T=0 --data=%t --check || exit 1; done; done'
// RUN: tcc-run %s --random --dim=S=1 --dim=T=130 --profile | FileCheck %s
// REQUIRES: avx2

// Attention against the reference target: one query to many blocks, grouped heads, masks, causality, softcap, folded transposes.
// CHECK-COUNT-6: x86.attention
// CHECK-NOT: {{reference|loops}}
func.func @main(%x0: tensor<2x4x?x20xf32, [2, 4, "S", 20]>, %x1: tensor<2x2x?x20xf32, [2, 2, "T", 20]>, %x2: tensor<2x2x?x33xf32, [2, 2, "T", 33]>, %x3: tensor<2x1x1x?xi1, [2, 1, 1, "T"]>, %x4: tensor<?x?xf32, ["S", "T"]>, %x5: tensor<1x?x3x16xf32, [1, "S", 3, 16]>, %x6: tensor<1x?x3x16xf32, [1, "T", 3, 16]>, %x7: tensor<1x?x3x16xf32, [1, "T", 3, 16]>, %x8: tensor<1x3x?x?xi1, [1, 3, "S", "T"]>, %x9: tensor<1x2x?x8xf16, [1, 2, "S", 8]>, %x10: tensor<1x2x?x8xf16, [1, 2, "T", 8]>, %x11: tensor<1x2x?x8xf16, [1, 2, "T", 8]>) -> (tensor<2x4x?x33xf32, [2, 4, "S", 33]>, tensor<2x4x?x33xf32, [2, 4, "S", 33]>, tensor<2x4x?x33xf32, [2, 4, "S", 33]>, tensor<2x4x?x33xf32, [2, 4, "S", 33]>, tensor<1x?x3x16xf32, [1, "S", 3, 16]>, tensor<1x2x?x8xf16, [1, 2, "S", 8]>) {
  %1 = "tcc.none"() : () -> none
  %2 = "tcc.attention"(%x0, %x1, %x2, %1) {scale = 0.3 : f64} : (tensor<2x4x?x20xf32, [2, 4, "S", 20]>, tensor<2x2x?x20xf32, [2, 2, "T", 20]>, tensor<2x2x?x33xf32, [2, 2, "T", 33]>, none) -> tensor<2x4x?x33xf32, [2, 4, "S", 33]>
  %3 = "tcc.none"() : () -> none
  %4 = "tcc.attention"(%x0, %x1, %x2, %3) {scale = 0.3 : f64, causal = true, offset = [3]} : (tensor<2x4x?x20xf32, [2, 4, "S", 20]>, tensor<2x2x?x20xf32, [2, 2, "T", 20]>, tensor<2x2x?x33xf32, [2, 2, "T", 33]>, none) -> tensor<2x4x?x33xf32, [2, 4, "S", 33]>
  %5 = "tcc.attention"(%x0, %x1, %x2, %x3) {scale = 0.3 : f64, zero_masked = true} : (tensor<2x4x?x20xf32, [2, 4, "S", 20]>, tensor<2x2x?x20xf32, [2, 2, "T", 20]>, tensor<2x2x?x33xf32, [2, 2, "T", 33]>, tensor<2x1x1x?xi1, [2, 1, 1, "T"]>) -> tensor<2x4x?x33xf32, [2, 4, "S", 33]>
  %6 = "tcc.attention"(%x0, %x1, %x2, %x4) {scale = 0.3 : f64, softcap = 5.0 : f64} : (tensor<2x4x?x20xf32, [2, 4, "S", 20]>, tensor<2x2x?x20xf32, [2, 2, "T", 20]>, tensor<2x2x?x33xf32, [2, 2, "T", 33]>, tensor<?x?xf32, ["S", "T"]>) -> tensor<2x4x?x33xf32, [2, 4, "S", 33]>
  %7 = "tcc.transpose"(%x5) {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x?x3x16xf32, [1, "S", 3, 16]>) -> tensor<1x3x?x16xf32, [1, 3, "S", 16]>
  %8 = "tcc.transpose"(%x6) {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x?x3x16xf32, [1, "T", 3, 16]>) -> tensor<1x3x?x16xf32, [1, 3, "T", 16]>
  %9 = "tcc.transpose"(%x7) {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x?x3x16xf32, [1, "T", 3, 16]>) -> tensor<1x3x?x16xf32, [1, 3, "T", 16]>
  %10 = "tcc.attention"(%7, %8, %9, %x8) {scale = 0.3 : f64, causal = true, zero_masked = true} : (tensor<1x3x?x16xf32, [1, 3, "S", 16]>, tensor<1x3x?x16xf32, [1, 3, "T", 16]>, tensor<1x3x?x16xf32, [1, 3, "T", 16]>, tensor<1x3x?x?xi1, [1, 3, "S", "T"]>) -> tensor<1x3x?x16xf32, [1, 3, "S", 16]>
  %11 = "tcc.transpose"(%10) {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x3x?x16xf32, [1, 3, "S", 16]>) -> tensor<1x?x3x16xf32, [1, "S", 3, 16]>
  %12 = "tcc.none"() : () -> none
  %13 = "tcc.attention"(%x9, %x10, %x11, %12) {scale = 0.3 : f64} : (tensor<1x2x?x8xf16, [1, 2, "S", 8]>, tensor<1x2x?x8xf16, [1, 2, "T", 8]>, tensor<1x2x?x8xf16, [1, 2, "T", 8]>, none) -> tensor<1x2x?x8xf16, [1, 2, "S", 8]>
  return %2, %4, %5, %6, %11, %13 : tensor<2x4x?x33xf32, [2, 4, "S", 33]>, tensor<2x4x?x33xf32, [2, 4, "S", 33]>, tensor<2x4x?x33xf32, [2, 4, "S", 33]>, tensor<2x4x?x33xf32, [2, 4, "S", 33]>, tensor<1x?x3x16xf32, [1, "S", 3, 16]>, tensor<1x2x?x8xf16, [1, 2, "S", 8]>
}
