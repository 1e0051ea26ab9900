func.func @main(%x: tensor<16x24xf32> {tcc.name = "x"}, %w: tensor<24x32xf32> {tcc.name = "w"}, %v: tensor<32x8xf32> {tcc.name = "v"}) -> (tensor<16x8xf32> {tcc.name = "y"}) {
  %0 = "tcc.matmul"(%x, %w) : (tensor<16x24xf32>, tensor<24x32xf32>) -> tensor<16x32xf32>
  %1 = "tcc.relu"(%0) : (tensor<16x32xf32>) -> tensor<16x32xf32>
  %2 = "tcc.softmax"(%1) {axis = 1} : (tensor<16x32xf32>) -> tensor<16x32xf32>
  %3 = "tcc.matmul"(%2, %v) : (tensor<16x32xf32>, tensor<32x8xf32>) -> tensor<16x8xf32>
  return %3 : tensor<16x8xf32>
}
