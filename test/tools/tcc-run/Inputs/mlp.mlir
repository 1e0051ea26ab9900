func.func @main(%x: tensor<4x64xf32> {tcc.name = "x"}, %w: tensor<64x64xf32> {tcc.name = "w"}) -> (tensor<4x64xf32> {tcc.name = "y"}) {
  %0 = "tcc.matmul"(%x, %w) : (tensor<4x64xf32>, tensor<64x64xf32>) -> tensor<4x64xf32>
  %1 = "tcc.relu"(%0) : (tensor<4x64xf32>) -> tensor<4x64xf32>
  %2 = "tcc.matmul"(%1, %w) : (tensor<4x64xf32>, tensor<64x64xf32>) -> tensor<4x64xf32>
  return %2 : tensor<4x64xf32>
}
