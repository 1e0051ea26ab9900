// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=W=33 --save=%t && tcc-run %s --random=1 --dim=W=33 --data=%t --check --rtol=1e-4 --atol=1e-4
// RUN: tcc-run %s --random=1 --dim=W=33 --target=x86,avx2 --data=%t --check --rtol=1e-4 --atol=1e-4
// RUN: tcc-opt --pipeline=default --target=x86,avx2 %s | FileCheck %s
// REQUIRES: avx2

// Transposed convolutions along one axis, in groups, are those of an image with one row, whose phases are channels: one channel a group with a bias, two batches and
// padding that crops; four channels into two.
// CHECK-NOT: tcc.conv_transpose
func.func @main(%x0: tensor<2x24x?xf32, [2, 24, "W"]>, %x1: tensor<1x16x21xf32>) -> (tensor<2x24x?xf32, [2, 24, "2*W"]>, tensor<1x8x171xf32>) {
  %none = "tcc.none"() : () -> none
  %b0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<24xf32>
  %i0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<288xf32>
  %s0 = "tcc.sin"(%i0) : (tensor<288xf32>) -> tensor<288xf32>
  %w0 = "tcc.reshape"(%s0) : (tensor<288xf32>) -> tensor<24x1x12xf32>
  %r0 = "tcc.conv_transpose"(%x0, %w0, %b0) {strides = array<i64: 2>, pads = array<i64: 5, 5>, dilations = array<i64: 1>, groups = 24 : i64, output_padding = array<i64: 0>} : (tensor<2x24x?xf32, [2, 24, "W"]>, tensor<24x1x12xf32>, tensor<24xf32>) -> tensor<2x24x?xf32, [2, 24, "2*W"]>
  %i1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<352xf32>
  %s1 = "tcc.cos"(%i1) : (tensor<352xf32>) -> tensor<352xf32>
  %w1 = "tcc.reshape"(%s1) : (tensor<352xf32>) -> tensor<16x2x11xf32>
  %r1 = "tcc.conv_transpose"(%x1, %w1, %none) {strides = array<i64: 8>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 4 : i64, output_padding = array<i64: 0>} : (tensor<1x16x21xf32>, tensor<16x2x11xf32>, none) -> tensor<1x8x171xf32>
  return %r0, %r1 : tensor<2x24x?xf32, [2, 24, "2*W"]>, tensor<1x8x171xf32>
}
