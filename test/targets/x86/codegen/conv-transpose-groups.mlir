// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=H=6 --dim=W=17 --save=%t && tcc-run %s --random=1 --dim=H=6 --dim=W=17 --data=%t --check --rtol=1e-4 --atol=1e-4
// RUN: tcc-run %s --random=1 --dim=H=6 --dim=W=17 --target=x86,avx2 --data=%t --check --rtol=1e-4 --atol=1e-4
// RUN: tcc-opt --pipeline=default --target=x86,avx2 %s | FileCheck %s
// REQUIRES: avx2

// Transposed convolutions in groups: the phases of each group are channels of a convolution in as many groups. One channel a group with a bias and phases that are
// cropped; four channels into three with strides that differ; a stride of one.
// CHECK-NOT: tcc.conv_transpose
func.func @main(%x0: tensor<1x24x?x?xf32, [1, 24, "H", "W"]>, %x1: tensor<2x16x6x5xf32>, %x2: tensor<1x10x7x6xf32>) -> (tensor<1x24x?x?xf32, [1, 24, "2*H", "2*W"]>, tensor<2x12x13x14xf32>, tensor<1x15x9x8xf32>) {
  %none = "tcc.none"() : () -> none
  %b0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<24xf32>
  %i0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<384xf32>
  %s0 = "tcc.sin"(%i0) : (tensor<384xf32>) -> tensor<384xf32>
  %w0 = "tcc.reshape"(%s0) : (tensor<384xf32>) -> tensor<24x1x4x4xf32>
  %r0 = "tcc.conv_transpose"(%x0, %w0, %b0) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 24 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x24x?x?xf32, [1, 24, "H", "W"]>, tensor<24x1x4x4xf32>, tensor<24xf32>) -> tensor<1x24x?x?xf32, [1, 24, "2*H", "2*W"]>
  %i1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<288xf32>
  %s1 = "tcc.cos"(%i1) : (tensor<288xf32>) -> tensor<288xf32>
  %w1 = "tcc.reshape"(%s1) : (tensor<288xf32>) -> tensor<16x3x3x2xf32>
  %r1 = "tcc.conv_transpose"(%x1, %w1, %none) {strides = array<i64: 2, 3>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 4 : i64, output_padding = array<i64: 0, 0>} : (tensor<2x16x6x5xf32>, tensor<16x3x3x2xf32>, none) -> tensor<2x12x13x14xf32>
  %i2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<270xf32>
  %s2 = "tcc.sin"(%i2) : (tensor<270xf32>) -> tensor<270xf32>
  %w2 = "tcc.reshape"(%s2) : (tensor<270xf32>) -> tensor<10x3x3x3xf32>
  %r2 = "tcc.conv_transpose"(%x2, %w2, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 5 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x10x7x6xf32>, tensor<10x3x3x3xf32>, none) -> tensor<1x15x9x8xf32>
  return %r0, %r1, %r2 : tensor<1x24x?x?xf32, [1, 24, "2*H", "2*W"]>, tensor<2x12x13x14xf32>, tensor<1x15x9x8xf32>
}
