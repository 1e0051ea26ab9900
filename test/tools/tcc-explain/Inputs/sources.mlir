module attributes {tcc.sources = ["model.onnx"]} {
  func.func @main(%x: tensor<4xf32> {tcc.name = "x"}) -> (tensor<4xf32> {tcc.name = "y"}) {
    %w = WEIGHT
    %0 = "tcc.add"(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
