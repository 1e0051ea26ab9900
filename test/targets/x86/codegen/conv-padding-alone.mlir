// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --save=%t && tcc-run %s --random=1 --data=%t --check --atol=1e-5
// RUN: tcc-run %s --random=1 --threads=2 --target=x86,avx2 --data=%t --check --atol=1e-5
// REQUIRES: avx2

// Windows of one pixel, and of one row, that lie in the padding alone give the bias.
func.func @main(%x: tensor<2x32x4x9xf32>, %w: tensor<33x32x1x1xf32>, %b: tensor<33xf32>, %g: tensor<64x16x1x1xf32>, %r: tensor<32x32x1x3xf32>)
    -> (tensor<2x33x6x11xf32>, tensor<2x64x3x5xf32>, tensor<2x32x8x9xf32>) {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.conv"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x32x4x9xf32>, tensor<33x32x1x1xf32>, tensor<33xf32>) -> tensor<2x33x6x11xf32>
  %1 = "tcc.conv"(%x, %g, %none) {strides = array<i64: 2, 2>, pads = array<i64: 1, 0, 1, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<2x32x4x9xf32>, tensor<64x16x1x1xf32>, none) -> tensor<2x64x3x5xf32>
  %2 = "tcc.conv"(%x, %r, %none) {strides = array<i64: 1, 1>, pads = array<i64: 2, 1, 2, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x32x4x9xf32>, tensor<32x32x1x3xf32>, none) -> tensor<2x32x8x9xf32>
  return %0, %1, %2 : tensor<2x33x6x11xf32>, tensor<2x64x3x5xf32>, tensor<2x32x8x9xf32>
}
