// RUN: rm -rf %t && tcc-run %s --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-5 --atol=1e-6
// RUN: tcc-opt --pipeline=default %s --target=x86,avx512 | tcc-translate --to-llvm --target=x86,avx512 | FileCheck %s
// REQUIRES: avx512

// Maps of more than the second cache fetch a page ahead what they read row by row and own what they will write; a row of factors is
// near already, and so is all of a small map. Transposes fetch rows of what they read and lines of what they write. A line of bytes is asked for once, by the first of the blocks that share it.
// CHECK-LABEL: _neg(
// CHECK-NOT: llvm.intr.prefetch
// CHECK-LABEL: _mul_convert(
// CHECK: llvm.intr.prefetch{{.*}}rw = 0
// CHECK: llvm.intr.prefetch{{.*}}rw = 1
// CHECK-NOT: rw = 1
// CHECK: llvm.return
// CHECK-LABEL: _transpose(
// CHECK: llvm.intr.prefetch{{.*}}rw = 0
// CHECK: llvm.intr.prefetch{{.*}}rw = 1
func.func @main(%few: tensor<300xf32>, %x: tensor<500x1027xf32>, %s: tensor<1027xf32>, %t: tensor<500x1027xf32>, %b: tensor<1100x1027xi8>) -> (tensor<300xf32>, tensor<500x1027xi8>, tensor<1027x500xf32>, tensor<1027x1100xi8>) {
  %hundred = "tcc.constant"() {value = dense<100.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.neg"(%few) : (tensor<300xf32>) -> tensor<300xf32>
  %scaled = "tcc.mul"(%x, %s) : (tensor<500x1027xf32>, tensor<1027xf32>) -> tensor<500x1027xf32>
  %large = "tcc.mul"(%scaled, %hundred) : (tensor<500x1027xf32>, tensor<f32>) -> tensor<500x1027xf32>
  %1 = "tcc.convert"(%large) : (tensor<500x1027xf32>) -> tensor<500x1027xi8>
  %2 = "tcc.transpose"(%t) {perm = array<i64: 1, 0>} : (tensor<500x1027xf32>) -> tensor<1027x500xf32>
  %3 = "tcc.transpose"(%b) {perm = array<i64: 1, 0>} : (tensor<1100x1027xi8>) -> tensor<1027x1100xi8>
  return %0, %1, %2, %3 : tensor<300xf32>, tensor<500x1027xi8>, tensor<1027x500xf32>, tensor<1027x1100xi8>
}
