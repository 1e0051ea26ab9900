func.func @main(%x: tensor<64x512xf16>, %y: tensor<512xf16>, %z: tensor<64x1xf16>) -> tensor<64x512xf16> {
  %0 = "tcc.mul"(%x, %y) : (tensor<64x512xf16>, tensor<512xf16>) -> tensor<64x512xf16>
  %1 = "tcc.add"(%0, %z) : (tensor<64x512xf16>, tensor<64x1xf16>) -> tensor<64x512xf16>
  %2 = "tcc.exp"(%1) : (tensor<64x512xf16>) -> tensor<64x512xf16>
  return %2 : tensor<64x512xf16>
}
