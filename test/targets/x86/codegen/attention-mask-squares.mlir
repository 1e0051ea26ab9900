// RUN: rm -rf %t && tcc-run %s --random=1 --target=reference --save=%t
// RUN: tcc-run %s --random=1 --target=x86 --data=%t --check --rtol=1e-3 --atol=1e-3
// RUN: tcc-run %s --random=1 --target=x86,avx2 --data=%t --check --rtol=1e-3 --atol=1e-3
// RUN: tcc-opt --pipeline=default --target=x86,avx2 %s | tcc-translate --to-asm --target=x86,avx2 --kernel=k0_attention - | FileCheck %s
// REQUIRES: avx2

// Masks of one number a query and key are read along the keys, a vector at a time, and turned in registers; the last square ends with the keys.
// 19 queries and 45 keys leave something in each way; 5 keys are fewer than a square has. The mask of f16 differs from head to head; of f64 squares have four rows.
// CHECK-LABEL: spread_mask
// CHECK-COUNT-8: vunpck{{[lh]}}ps
// CHECK: vunpck{{[lh]}}pd
func.func @main(%q: tensor<1x3x19x16xf32>, %k: tensor<1x3x45x16xf32>, %v: tensor<1x3x45x16xf32>, %m: tensor<1x1x19x45xf32>, %b: tensor<19x45xi1>, %h: tensor<1x3x19x45xf16>, %r: tensor<1x3x19x16xf16>, %s: tensor<1x3x45x16xf16>, %n: tensor<19x5xf32>, %l: tensor<1x3x5x16xf32>, %d: tensor<1x3x19x16xf64>, %w: tensor<19x19xf64>) -> (tensor<1x3x19x16xf32>, tensor<1x3x19x16xf32>, tensor<1x3x19x16xf16>, tensor<1x3x19x16xf32>, tensor<1x3x19x16xf64>) {
  %0 = "tcc.attention"(%q, %k, %v, %m) {scale = 0.25 : f64} : (tensor<1x3x19x16xf32>, tensor<1x3x45x16xf32>, tensor<1x3x45x16xf32>, tensor<1x1x19x45xf32>) -> tensor<1x3x19x16xf32>
  %1 = "tcc.attention"(%q, %k, %v, %b) {scale = 0.25 : f64, zero_masked = true} : (tensor<1x3x19x16xf32>, tensor<1x3x45x16xf32>, tensor<1x3x45x16xf32>, tensor<19x45xi1>) -> tensor<1x3x19x16xf32>
  %2 = "tcc.attention"(%r, %s, %s, %h) {scale = 0.25 : f64} : (tensor<1x3x19x16xf16>, tensor<1x3x45x16xf16>, tensor<1x3x45x16xf16>, tensor<1x3x19x45xf16>) -> tensor<1x3x19x16xf16>
  %3 = "tcc.attention"(%q, %l, %l, %n) {scale = 0.25 : f64} : (tensor<1x3x19x16xf32>, tensor<1x3x5x16xf32>, tensor<1x3x5x16xf32>, tensor<19x5xf32>) -> tensor<1x3x19x16xf32>
  %4 = "tcc.attention"(%d, %d, %d, %w) {scale = 0.25 : f64} : (tensor<1x3x19x16xf64>, tensor<1x3x19x16xf64>, tensor<1x3x19x16xf64>, tensor<19x19xf64>) -> tensor<1x3x19x16xf64>
  func.return %0, %1, %2, %3, %4 : tensor<1x3x19x16xf32>, tensor<1x3x19x16xf32>, tensor<1x3x19x16xf16>, tensor<1x3x19x16xf32>, tensor<1x3x19x16xf64>
}
