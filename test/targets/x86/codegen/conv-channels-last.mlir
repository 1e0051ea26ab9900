// RUN: rm -rf %t && tcc-run %s --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=2e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --target=x86,avx2 --threads=3 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=2e-3
// RUN: tcc-run %s --random --profile | FileCheck %s
// REQUIRES: avx2

// A network that goes between convolutions and channels last, as ConvNeXt does: convolutions read and write them as views, the
// gate and the residual go behind the product. One reorder is left on the way in and one on the way out.
// CHECK: x86.map {{.*}}_transpose
// CHECK-NEXT: conv_blocked{{.*}}_transpose
// CHECK-NEXT: conv_blocked{{.*}}_transpose
// CHECK-NEXT: dot_general_mul_add
// CHECK-NEXT: conv_blocked{{.*}}_transpose
// CHECK-NEXT: dot_general_mul_add
// CHECK-NEXT: conv_blocked{{.*}}_transpose
// CHECK-NEXT: x86.map {{.*}}_transpose
func.func @main(%x: tensor<2x16x18x14xf32>) -> tensor<2x32x5x4xf32> {
  %none = "tcc.none"() : () -> none
  %i1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<3072xf32>
  %s1 = "tcc.sin"(%i1) : (tensor<3072xf32>) -> tensor<3072xf32>
  %w1 = "tcc.reshape"(%s1) : (tensor<3072xf32>) -> tensor<48x16x2x2xf32>
  %x0 = "tcc.conv"(%x, %w1, %none) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x16x18x14xf32>, tensor<48x16x2x2xf32>, none) -> tensor<2x48x9x7xf32>
  %i2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<48xf32>
  %s2 = "tcc.sin"(%i2) : (tensor<48xf32>) -> tensor<48xf32>
  %w2 = "tcc.reshape"(%s2) : (tensor<48xf32>) -> tensor<48x1x1xf32>
  %i3 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<432xf32>
  %s3 = "tcc.sin"(%i3) : (tensor<432xf32>) -> tensor<432xf32>
  %w3 = "tcc.reshape"(%s3) : (tensor<432xf32>) -> tensor<48x1x3x3xf32>
  %d1 = "tcc.conv"(%x0, %w3, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 48 : i64} : (tensor<2x48x9x7xf32>, tensor<48x1x3x3xf32>, none) -> tensor<2x48x9x7xf32>
  %l1 = "tcc.transpose"(%d1) {perm = array<i64: 0, 2, 3, 1>} : (tensor<2x48x9x7xf32>) -> tensor<2x9x7x48xf32>
  %i4 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<2304xf32>
  %s4 = "tcc.sin"(%i4) : (tensor<2304xf32>) -> tensor<2304xf32>
  %w4 = "tcc.reshape"(%s4) : (tensor<2304xf32>) -> tensor<48x48xf32>
  %m1 = "tcc.dot_general"(%l1, %w4) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 3>, rhs_contract = array<i64: 0>} : (tensor<2x9x7x48xf32>, tensor<48x48xf32>) -> tensor<2x9x7x48xf32>
  %p1 = "tcc.transpose"(%m1) {perm = array<i64: 0, 3, 1, 2>} : (tensor<2x9x7x48xf32>) -> tensor<2x48x9x7xf32>
  %g1 = "tcc.mul"(%p1, %w2) : (tensor<2x48x9x7xf32>, tensor<48x1x1xf32>) -> tensor<2x48x9x7xf32>
  %x1 = "tcc.add"(%x0, %g1) : (tensor<2x48x9x7xf32>, tensor<2x48x9x7xf32>) -> tensor<2x48x9x7xf32>
  %i5 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<432xf32>
  %s5 = "tcc.sin"(%i5) : (tensor<432xf32>) -> tensor<432xf32>
  %w5 = "tcc.reshape"(%s5) : (tensor<432xf32>) -> tensor<48x1x3x3xf32>
  %d2 = "tcc.conv"(%x1, %w5, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 48 : i64} : (tensor<2x48x9x7xf32>, tensor<48x1x3x3xf32>, none) -> tensor<2x48x9x7xf32>
  %l2 = "tcc.transpose"(%d2) {perm = array<i64: 0, 2, 3, 1>} : (tensor<2x48x9x7xf32>) -> tensor<2x9x7x48xf32>
  %i6 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<2304xf32>
  %s6 = "tcc.sin"(%i6) : (tensor<2304xf32>) -> tensor<2304xf32>
  %w6 = "tcc.reshape"(%s6) : (tensor<2304xf32>) -> tensor<48x48xf32>
  %m2 = "tcc.dot_general"(%l2, %w6) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 3>, rhs_contract = array<i64: 0>} : (tensor<2x9x7x48xf32>, tensor<48x48xf32>) -> tensor<2x9x7x48xf32>
  %p2 = "tcc.transpose"(%m2) {perm = array<i64: 0, 3, 1, 2>} : (tensor<2x9x7x48xf32>) -> tensor<2x48x9x7xf32>
  %g2 = "tcc.mul"(%p2, %w2) : (tensor<2x48x9x7xf32>, tensor<48x1x1xf32>) -> tensor<2x48x9x7xf32>
  %x2 = "tcc.add"(%x1, %g2) : (tensor<2x48x9x7xf32>, tensor<2x48x9x7xf32>) -> tensor<2x48x9x7xf32>
  %i7 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<13824xf32>
  %s7 = "tcc.sin"(%i7) : (tensor<13824xf32>) -> tensor<13824xf32>
  %w7 = "tcc.reshape"(%s7) : (tensor<13824xf32>) -> tensor<32x48x3x3xf32>
  %c = "tcc.conv"(%x2, %w7, %none) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x48x9x7xf32>, tensor<32x48x3x3xf32>, none) -> tensor<2x32x5x4xf32>
  return %c : tensor<2x32x5x4xf32>
}
