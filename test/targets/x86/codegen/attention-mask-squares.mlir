// RUN: rm -rf %t && tcc-run %s --random=1 --target=reference --save=%t
// RUN: tcc-run %s --random=1 --target=x86 --data=%t --check --rtol=1e-3 --atol=1e-3
// RUN: %if avx2 %{ tcc-run %s --random=1 --target=x86,avx2 --data=%t --check --rtol=1e-3 --atol=1e-3 %}
// RUN: tcc-opt --pipeline=default --target=x86,avx2 %s | tcc-translate --to-asm --target=x86,avx2 --kernel=k0_attention - | FileCheck %s
// REQUIRES: avx2

// Masks of one number a query and key are read along the keys, a vector at a time, and turned: of 32 bits by masked loads, of bytes in whole
// vectors, the last keys one by one. 19 queries and 45 keys leave something in each way; the mask of f16 differs from head to head.
// CHECK-LABEL: spread_mask
// CHECK: vmaskmovps
func.func @main(%q: tensor<1x3x19x16xf32>, %k: tensor<1x3x45x16xf32>, %v: tensor<1x3x45x16xf32>, %m: tensor<1x1x19x45xf32>, %b: tensor<19x45xi1>, %h: tensor<1x3x19x45xf16>, %r: tensor<1x3x19x16xf16>, %s: tensor<1x3x45x16xf16>) -> (tensor<1x3x19x16xf32>, tensor<1x3x19x16xf32>, tensor<1x3x19x16xf16>) {
  %0 = "tcc.attention"(%q, %k, %v, %m) {scale = 0.25 : f64} : (tensor<1x3x19x16xf32>, tensor<1x3x45x16xf32>, tensor<1x3x45x16xf32>, tensor<1x1x19x45xf32>) -> tensor<1x3x19x16xf32>
  %1 = "tcc.attention"(%q, %k, %v, %b) {scale = 0.25 : f64, zero_masked = true} : (tensor<1x3x19x16xf32>, tensor<1x3x45x16xf32>, tensor<1x3x45x16xf32>, tensor<19x45xi1>) -> tensor<1x3x19x16xf32>
  %2 = "tcc.attention"(%r, %s, %s, %h) {scale = 0.25 : f64} : (tensor<1x3x19x16xf16>, tensor<1x3x45x16xf16>, tensor<1x3x45x16xf16>, tensor<1x3x19x45xf16>) -> tensor<1x3x19x16xf16>
  func.return %0, %1, %2 : tensor<1x3x19x16xf32>, tensor<1x3x19x16xf32>, tensor<1x3x19x16xf16>
}
