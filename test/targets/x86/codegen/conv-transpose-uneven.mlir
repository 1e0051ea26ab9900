// Phases of a transposed convolution that have uneven numbers of taps (a kernel of 3, a stride of 2: 1, 2, 2 and 4) are convolutions of their
// own where their channels are many; results are interleaved by a copy. Images of known and unknown sizes, rows that the last phase lacks.
// RUN: tcc-opt --tcc-block-layout --target=x86,avx2 %s | FileCheck %s
// RUN: bash %S/Inputs/sizes.sh %s %t "1 6 17" 1e-5
// REQUIRES: avx2
// CHECK-LABEL: func.func @main
// CHECK-COUNT-25: tcc.conv_blocked
// CHECK-NOT: tcc.conv_blocked
// CHECK: func.func @few
// CHECK-COUNT-1: tcc.conv_blocked
// CHECK-NOT: tcc.conv_blocked
func.func @main(%x0: tensor<1x40x6x7xf32>, %x1: tensor<2x48x5x6xf32>, %x2: tensor<1x64x5x4xf32>, %x3: tensor<1x96x6x5xf32>, %d: tensor<1x40x?x8xf32, [1, 40, "N", 8]>) -> (tensor<1x24x12x14xf32>, tensor<2x33x9x11xf32>, tensor<1x16x11x9xf32>, tensor<1x16x17x15xf32>, tensor<1x24x?x16xf32, [1, 24, "2*N", 16]>) {
  %none = "tcc.none"() : () -> none
  %i0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<8640xf32>
  %s0 = "tcc.sin"(%i0) : (tensor<8640xf32>) -> tensor<8640xf32>
  %w0 = "tcc.reshape"(%s0) : (tensor<8640xf32>) -> tensor<40x24x3x3xf32>
  %j0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<24xf32>
  %b0 = "tcc.cos"(%j0) : (tensor<24xf32>) -> tensor<24xf32>
  %c0 = "tcc.conv_transpose"(%x0, %w0, %b0) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 1, 1>} : (tensor<1x40x6x7xf32>, tensor<40x24x3x3xf32>, tensor<24xf32>) -> tensor<1x24x12x14xf32>
  %r0 = "tcc.relu"(%c0) : (tensor<1x24x12x14xf32>) -> tensor<1x24x12x14xf32>
  %i1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<14256xf32>
  %s1 = "tcc.sin"(%i1) : (tensor<14256xf32>) -> tensor<14256xf32>
  %w1 = "tcc.reshape"(%s1) : (tensor<14256xf32>) -> tensor<48x33x3x3xf32>
  %j1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<33xf32>
  %b1 = "tcc.cos"(%j1) : (tensor<33xf32>) -> tensor<33xf32>
  %c1 = "tcc.conv_transpose"(%x1, %w1, %b1) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<2x48x5x6xf32>, tensor<48x33x3x3xf32>, tensor<33xf32>) -> tensor<2x33x9x11xf32>
  %r1 = "tcc.relu"(%c1) : (tensor<2x33x9x11xf32>) -> tensor<2x33x9x11xf32>
  %i2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<9216xf32>
  %s2 = "tcc.sin"(%i2) : (tensor<9216xf32>) -> tensor<9216xf32>
  %w2 = "tcc.reshape"(%s2) : (tensor<9216xf32>) -> tensor<64x16x3x3xf32>
  %c2 = "tcc.conv_transpose"(%x2, %w2, %none) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x64x5x4xf32>, tensor<64x16x3x3xf32>, none) -> tensor<1x16x11x9xf32>
  %r2 = "tcc.relu"(%c2) : (tensor<1x16x11x9xf32>) -> tensor<1x16x11x9xf32>
  %i3 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<43008xf32>
  %s3 = "tcc.sin"(%i3) : (tensor<43008xf32>) -> tensor<43008xf32>
  %w3 = "tcc.reshape"(%s3) : (tensor<43008xf32>) -> tensor<96x16x7x4xf32>
  %c3 = "tcc.conv_transpose"(%x3, %w3, %none) {strides = array<i64: 3, 3>, pads = array<i64: 3, 0, 2, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x96x6x5xf32>, tensor<96x16x7x4xf32>, none) -> tensor<1x16x17x15xf32>
  %r3 = "tcc.relu"(%c3) : (tensor<1x16x17x15xf32>) -> tensor<1x16x17x15xf32>
  %rd = "tcc.conv_transpose"(%d, %w0, %none) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 1, 1>} : (tensor<1x40x?x8xf32, [1, 40, "N", 8]>, tensor<40x24x3x3xf32>, none) -> tensor<1x24x?x16xf32, [1, 24, "2*N", 16]>
  return %r0, %r1, %r2, %r3, %rd : tensor<1x24x12x14xf32>, tensor<2x33x9x11xf32>, tensor<1x16x11x9xf32>, tensor<1x16x17x15xf32>, tensor<1x24x?x16xf32, [1, 24, "2*N", 16]>
}

func.func @few(%x: tensor<1x16x6x7xf32>) -> tensor<1x16x12x14xf32> {
  %none = "tcc.none"() : () -> none
  %i = "tcc.iota"() {axis = 0 : i64} : () -> tensor<2304xf32>
  %w = "tcc.reshape"(%i) : (tensor<2304xf32>) -> tensor<16x16x3x3xf32>
  %0 = "tcc.conv_transpose"(%x, %w, %none) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 1, 1>} : (tensor<1x16x6x7xf32>, tensor<16x16x3x3xf32>, none) -> tensor<1x16x12x14xf32>
  return %0 : tensor<1x16x12x14xf32>
}
