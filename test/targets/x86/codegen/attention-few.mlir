// RUN: rm -rf %t && tcc-run %s --random=1 --dim=T=1 --save=%t && tcc-run %s --target=reference --random=1 --dim=T=1 --data=%t --check --rtol=5e-3 --atol=2e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=T=300 --save=%t && tcc-run %s --target=reference --random=1 --dim=T=300 --data=%t --check --rtol=5e-3 --atol=2e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=T=17 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --dim=T=17 --data=%t --check --rtol=5e-3 --atol=2e-3
// RUN: tcc-opt --pipeline=default %s --target=x86,avx512 | tcc-translate --to-llvm --target=x86,avx512 | FileCheck %s
// REQUIRES: avx2

// One query, alone or one for each head of a group: keys and values are read in place, nothing is packed or transposed.
// CHECK-COUNT-4: llvm.func {{.*}}@scores
// CHECK-NOT: copy_keys
func.func @main(%q: tensor<2x4x1x64xf32>, %k: tensor<2x4x?x64xf32, [2, 4, "T", 64]>, %v: tensor<2x4x?x33xf32, [2, 4, "T", 33]>, %m: tensor<2x1x1x?xi1, [2, 1, 1, "T"]>, %q2: tensor<2x8x1x20xf16>, %k2: tensor<2x2x?x20xf16, [2, 2, "T", 20]>, %v2: tensor<2x2x?x136xf16, [2, 2, "T", 136]>, %m2: tensor<?xf16, ["T"]>) -> (tensor<2x4x1x33xf32>, tensor<2x4x1x33xf32>, tensor<2x8x1x136xf16>, tensor<2x8x1x136xf16>) {
  %n = "tcc.none"() : () -> none
  %1 = "tcc.attention"(%q, %k, %v, %n) {scale = 0.3 : f64, causal = true, offset = [21]} : (tensor<2x4x1x64xf32>, tensor<2x4x?x64xf32, [2, 4, "T", 64]>, tensor<2x4x?x33xf32, [2, 4, "T", 33]>, none) -> tensor<2x4x1x33xf32>
  %2 = "tcc.attention"(%q, %k, %v, %m) {scale = 0.3 : f64, softcap = 4.0 : f64, zero_masked = true} : (tensor<2x4x1x64xf32>, tensor<2x4x?x64xf32, [2, 4, "T", 64]>, tensor<2x4x?x33xf32, [2, 4, "T", 33]>, tensor<2x1x1x?xi1, [2, 1, 1, "T"]>) -> tensor<2x4x1x33xf32>
  %3 = "tcc.attention"(%q2, %k2, %v2, %n) {scale = 0.3 : f64} : (tensor<2x8x1x20xf16>, tensor<2x2x?x20xf16, [2, 2, "T", 20]>, tensor<2x2x?x136xf16, [2, 2, "T", 136]>, none) -> tensor<2x8x1x136xf16>
  %4 = "tcc.attention"(%q2, %k2, %v2, %m2) {scale = 0.3 : f64} : (tensor<2x8x1x20xf16>, tensor<2x2x?x20xf16, [2, 2, "T", 20]>, tensor<2x2x?x136xf16, [2, 2, "T", 136]>, tensor<?xf16, ["T"]>) -> tensor<2x8x1x136xf16>
  return %1, %2, %3, %4 : tensor<2x4x1x33xf32>, tensor<2x4x1x33xf32>, tensor<2x8x1x136xf16>, tensor<2x8x1x136xf16>
}
