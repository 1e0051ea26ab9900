// The tail of a row of 33 bytes is one lane of a tile of seven rows: its stores leave what the rows below have there already alone.
// REQUIRES: avx512
// RUN: rm -rf %t && tcc-run %s --random=1 --target=x86,avx512 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check
// RUN: rm -rf %t && tcc-run %s --random=1 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check
// RUN: tcc-opt --pipeline=default --target=x86,avx512 %s | tcc-translate --to-llvm --target=x86,avx512 | FileCheck %s
// CHECK: llvm.store {{.*}} {alignment = 1 : i64} : i8, !llvm.ptr
// CHECK-NOT: llvm.intr.masked.store
func.func @main(%x: tensor<7x4xf32>, %bias: tensor<33xf32>) -> tensor<7x33xi8> {
  %w = "tcc.constant"() {value = dense<[[-1.25, 2.25, -1.75, -0.25, -1.5, 1.5, 1.25, 1.5, 0.75, -0.75, -1.5, 1.5, -2.25, 0.75, 1.0, -2.25, 1.25, -0.25, -0.5, 2.25, -1.5, 0.25, -2.25, -2.25, -2.25, 2.0, -2.25, 0.75, -0.75, 1.0, -2.25, 1.75, -0.5], [1.25, 1.5, 2.0, -0.5, 0.5, -0.5, -0.5, 1.25, 0.0, -2.25, 1.0, 2.0, -1.5, -1.0, 0.0, -1.5, 0.25, 1.75, 1.0, 1.75, -0.75, 0.0, 0.0, 2.25, 1.5, 1.75, 0.75, 2.25, -2.0, 1.5, -0.5, 0.75, 1.0], [-1.0, 0.5, 2.0, 0.5, -1.75, 1.25, 1.75, -1.5, -1.0, 1.75, 0.75, 0.5, 1.5, -2.25, 1.5, -2.0, 0.0, 2.25, 2.25, 0.75, -1.0, -1.0, 1.75, -0.5, -2.25, -0.75, 2.0, 2.0, -0.5, 0.75, 1.75, 0.5, 2.25], [0.5, 1.25, -0.25, 2.0, -2.25, 0.75, 1.75, -1.25, 1.75, 2.0, -0.75, 1.0, -2.0, 1.5, 0.5, 2.25, 2.0, -0.75, 1.75, 1.0, 1.5, 0.5, 1.0, 0.5, -2.25, 2.0, 2.0, 0.25, 1.25, -2.25, -0.5, -1.0, 2.0]]> : tensor<4x33xf32>} : () -> tensor<4x33xf32>
  %p = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<7x4xf32>, tensor<4x33xf32>) -> tensor<7x33xf32>
  %b = "tcc.add"(%p, %bias) : (tensor<7x33xf32>, tensor<33xf32>) -> tensor<7x33xf32>
  %c = "tcc.constant"() {value = dense<0.2> : tensor<f32>} : () -> tensor<f32>
  %d = "tcc.div"(%b, %c) : (tensor<7x33xf32>, tensor<f32>) -> tensor<7x33xf32>
  %r = "tcc.round"(%d) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  %lo = "tcc.constant"() {value = dense<-128.0> : tensor<f32>} : () -> tensor<f32>
  %hi = "tcc.constant"() {value = dense<127.0> : tensor<f32>} : () -> tensor<f32>
  %m = "tcc.max"(%r, %lo) : (tensor<7x33xf32>, tensor<f32>) -> tensor<7x33xf32>
  %n = "tcc.min"(%m, %hi) : (tensor<7x33xf32>, tensor<f32>) -> tensor<7x33xf32>
  %i = "tcc.convert"(%n) : (tensor<7x33xf32>) -> tensor<7x33xi8>
  return %i : tensor<7x33xi8>
}
