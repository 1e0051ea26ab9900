// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --save=%t && tcc-run %s --random=1 --data=%t --check && tcc-run %s --random=1 --data=%t --check --target=x86,avx2
// REQUIRES: avx2

// Transposed convolutions without results, into many channels and into few, whose phases would be convolutions with windows larger than their images.
func.func @main(%x: tensor<1x4x0x3xf32>, %y: tensor<1x4x1x3xf32>) -> (tensor<1x16x0x6xf32>, tensor<1x2x0x6xf32>) {
  %b = "tcc.none"() : () -> none
  %w = "tcc.constant"() {value = dense<1.5> : tensor<4x16x2x2xf32>} : () -> tensor<4x16x2x2xf32>
  %few = "tcc.constant"() {value = dense<1.5> : tensor<4x2x2x2xf32>} : () -> tensor<4x2x2x2xf32>
  %0 = "tcc.conv_transpose"(%x, %w, %b) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 0>, groups = 1 : i64} : (tensor<1x4x0x3xf32>, tensor<4x16x2x2xf32>, none) -> tensor<1x16x0x6xf32>
  %1 = "tcc.conv_transpose"(%y, %few, %b) {strides = array<i64: 2, 2>, pads = array<i64: 1, 0, 1, 0>, dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 0>, groups = 1 : i64} : (tensor<1x4x1x3xf32>, tensor<4x2x2x2xf32>, none) -> tensor<1x2x0x6xf32>
  return %0, %1 : tensor<1x16x0x6xf32>, tensor<1x2x0x6xf32>
}
