// RUN: rm -rf %t && tcc-run %s --random=1 --dim=H=6 --dim=W=17 --save=%t && tcc-run %s --target=reference --random=1 --dim=H=6 --dim=W=17 --data=%t --check --rtol=1e-3 --atol=1e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=H=6 --dim=W=17 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --dim=H=6 --dim=W=17 --data=%t --check --rtol=1e-3 --atol=1e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=H=5 --dim=W=9 --save=%t && tcc-run %s --target=reference --random=1 --dim=H=5 --dim=W=9 --data=%t --check --rtol=1e-3 --atol=1e-3
// REQUIRES: avx2

// Transposed convolutions into one, two and three channels, whose phases are channels: a window of the stride behind a convolution, a
// larger one with padding and a bias, strides that differ and last phases that have fewer rows. Images are of dynamic size in the first,
// and in the last, whose windows of one and two taps a phase are cropped behind the convolution.
// Between two convolutions an image is resized, by neighbours and by lines, on blocked channels.
func.func @main(%x: tensor<1x16x?x?xf32, [1, 16, "H", "W"]>, %x1: tensor<2x17x6x5xf32>, %x2: tensor<1x8x4x7xf32>, %x3: tensor<1x32x5x6xf32>) -> (tensor<1x1x?x?xf32, [1, 1, "2*H", "2*W"]>, tensor<2x3x12x10xf32>, tensor<1x2x9x20xf32>, tensor<1x16x15x7xf32>, tensor<1x1x?x?xf32, [1, 1, "3*H - 2", "2*W"]>) {
  %none = "tcc.none"() : () -> none
  %i0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<2304xf32>
  %s0 = "tcc.sin"(%i0) : (tensor<2304xf32>) -> tensor<2304xf32>
  %v0 = "tcc.reshape"(%s0) : (tensor<2304xf32>) -> tensor<16x16x3x3xf32>
  %j0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64xf32>
  %t0 = "tcc.cos"(%j0) : (tensor<64xf32>) -> tensor<64xf32>
  %w0 = "tcc.reshape"(%t0) : (tensor<64xf32>) -> tensor<16x1x2x2xf32>
  %b0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<1xf32>
  %c0 = "tcc.conv"(%x, %v0, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x16x?x?xf32, [1, 16, "H", "W"]>, tensor<16x16x3x3xf32>, none) -> tensor<1x16x?x?xf32, [1, 16, "H", "W"]>
  %d0 = "tcc.conv_transpose"(%c0, %w0, %b0) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x16x?x?xf32, [1, 16, "H", "W"]>, tensor<16x1x2x2xf32>, tensor<1xf32>) -> tensor<1x1x?x?xf32, [1, 1, "2*H", "2*W"]>
  %r0 = "tcc.sigmoid"(%d0) : (tensor<1x1x?x?xf32, [1, 1, "2*H", "2*W"]>) -> tensor<1x1x?x?xf32, [1, 1, "2*H", "2*W"]>

  %i1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<816xf32>
  %s1 = "tcc.sin"(%i1) : (tensor<816xf32>) -> tensor<816xf32>
  %w1 = "tcc.reshape"(%s1) : (tensor<816xf32>) -> tensor<17x3x4x4xf32>
  %j1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<3xf32>
  %r1 = "tcc.conv_transpose"(%x1, %w1, %j1) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<2x17x6x5xf32>, tensor<17x3x4x4xf32>, tensor<3xf32>) -> tensor<2x3x12x10xf32>

  %i2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<96xf32>
  %s2 = "tcc.sin"(%i2) : (tensor<96xf32>) -> tensor<96xf32>
  %w2 = "tcc.reshape"(%s2) : (tensor<96xf32>) -> tensor<8x2x3x2xf32>
  %r2 = "tcc.conv_transpose"(%x2, %w2, %none) {strides = array<i64: 2, 3>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x8x4x7xf32>, tensor<8x2x3x2xf32>, none) -> tensor<1x2x9x20xf32>

  %i3 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<512xf32>
  %s3 = "tcc.sin"(%i3) : (tensor<512xf32>) -> tensor<512xf32>
  %w3 = "tcc.reshape"(%s3) : (tensor<512xf32>) -> tensor<16x32x1x1xf32>
  %c3 = "tcc.conv"(%x3, %w3, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x32x5x6xf32>, tensor<16x32x1x1xf32>, none) -> tensor<1x16x5x6xf32>
  %n3 = "tcc.resize"(%c3) {mode = "nearest", coordinates = "asymmetric", nearest = "floor", scales = dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf64>, roi = dense<> : tensor<0xf64>} : (tensor<1x16x5x6xf32>) -> tensor<1x16x10x12xf32>
  %l3 = "tcc.resize"(%n3) {mode = "linear", coordinates = "half_pixel", scales = dense<> : tensor<0xf64>, roi = dense<> : tensor<0xf64>} : (tensor<1x16x10x12xf32>) -> tensor<1x16x15x7xf32>
  %v3 = "tcc.reshape"(%s0) : (tensor<2304xf32>) -> tensor<16x16x3x3xf32>
  %r3 = "tcc.conv"(%l3, %v3, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x16x15x7xf32>, tensor<16x16x3x3xf32>, none) -> tensor<1x16x15x7xf32>

  %w4 = "tcc.slice"(%s0) {starts = [0], steps = array<i64: 1>} : (tensor<2304xf32>) -> tensor<192xf32>
  %v4 = "tcc.reshape"(%w4) : (tensor<192xf32>) -> tensor<16x1x3x4xf32>
  %r4 = "tcc.conv_transpose"(%c0, %v4, %b0) {strides = array<i64: 3, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x16x?x?xf32, [1, 16, "H", "W"]>, tensor<16x1x3x4xf32>, tensor<1xf32>) -> tensor<1x1x?x?xf32, [1, 1, "3*H - 2", "2*W"]>
  return %r0, %r1, %r2, %r3, %r4 : tensor<1x1x?x?xf32, [1, 1, "2*H", "2*W"]>, tensor<2x3x12x10xf32>, tensor<1x2x9x20xf32>, tensor<1x16x15x7xf32>, tensor<1x1x?x?xf32, [1, 1, "3*H - 2", "2*W"]>
}
