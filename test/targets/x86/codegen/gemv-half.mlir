// Weights of 4 bits in a model of f16 are computed in f32 for a product of few rows: looked up, as in a model of f32, and not rounded one by one.
// RUN: tcc-opt --tcc-fuse --tcc-fuse-weight-dequant --target=x86,avx512 %s | tcc-translate --to-asm --target=x86,avx512 | FileCheck %s
// RUN: rm -rf %t && mkdir %t && tcc-run --target=reference --no-cache --random=1 --save=%t %s && tcc-run --no-cache --random=1 --data=%t --check %s
// RUN: tcc-run --target=x86,avx2 --no-cache --random=1 --data=%t --check %s
// REQUIRES: avx2
// CHECK-NOT: vcvtps2ph
// CHECK: vperm{{[pd]}}
// CHECK-NOT: vcvtps2ph
// CHECK-NOT: vsubps
// CHECK: vfmadd
// CHECK: vcvtps2ph
// CHECK-NOT: vcvtps2ph
func.func @main(%x: tensor<1x256xf16>, %q: tensor<48x8x32xui4>, %s: tensor<48x8x1xf16>) -> tensor<1x48xf16> {
  %c = "tcc.constant"() {value = dense<8.0> : tensor<f16>} : () -> tensor<f16>
  %0 = "tcc.convert"(%q) : (tensor<48x8x32xui4>) -> tensor<48x8x32xf16>
  %1 = "tcc.sub"(%0, %c) : (tensor<48x8x32xf16>, tensor<f16>) -> tensor<48x8x32xf16>
  %2 = "tcc.mul"(%1, %s) : (tensor<48x8x32xf16>, tensor<48x8x1xf16>) -> tensor<48x8x32xf16>
  %3 = "tcc.reshape"(%2) : (tensor<48x8x32xf16>) -> tensor<48x256xf16>
  %4 = "tcc.dot_general"(%x, %3) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<1x256xf16>, tensor<48x256xf16>) -> tensor<1x48xf16>
  return %4 : tensor<1x48xf16>
}
