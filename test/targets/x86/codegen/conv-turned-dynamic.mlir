// Channels last, and columns before rows whose number is known at run time only: neighbours of a row are no constant distance apart,
// so the convolution cannot write that layout itself.
// RUN: rm -rf %t && tcc-run %s --random=1 --dim H=9 --save=%t && tcc-run %s --target=reference --random=1 --dim H=9 --data=%t --check --rtol=1e-3 --atol=2e-3
func.func @main(%x: tensor<1x16x?x14xf32, [1, 16, "H", 14]>) -> tensor<1x14x?x32xf32, [1, 14, "H", 32]> {
  %none = "tcc.none"() : () -> none
  %i = "tcc.iota"() {axis = 0 : i64} : () -> tensor<4608xf32>
  %s = "tcc.sin"(%i) : (tensor<4608xf32>) -> tensor<4608xf32>
  %w = "tcc.reshape"(%s) : (tensor<4608xf32>) -> tensor<32x16x3x3xf32>
  %0 = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x16x?x14xf32, [1, 16, "H", 14]>, tensor<32x16x3x3xf32>, none) -> tensor<1x32x?x14xf32, [1, 32, "H", 14]>
  %1 = "tcc.transpose"(%0) {perm = array<i64: 0, 3, 2, 1>} : (tensor<1x32x?x14xf32, [1, 32, "H", 14]>) -> tensor<1x14x?x32xf32, [1, 14, "H", 32]>
  return %1 : tensor<1x14x?x32xf32, [1, 14, "H", 32]>
}
