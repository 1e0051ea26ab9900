func.func @main(%x: tensor<1x64x9x14xbf16>, %w: tensor<32x64x3x3xbf16>) -> tensor<1x32x9x14xf32> {
  %none = "tcc.none"() : () -> none
  %a = "tcc.convert"(%x) : (tensor<1x64x9x14xbf16>) -> tensor<1x64x9x14xf32>
  %b = "tcc.convert"(%w) : (tensor<32x64x3x3xbf16>) -> tensor<32x64x3x3xf32>
  %c = "tcc.conv"(%a, %b, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x9x14xf32>, tensor<32x64x3x3xf32>, none) -> tensor<1x32x9x14xf32>
  return %c : tensor<1x32x9x14xf32>
}
