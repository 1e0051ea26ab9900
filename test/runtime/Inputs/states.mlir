// A state that no result says the initial value of.
func.func @main(%x: tensor<4xf32>, %s: tensor<4xf32> {tcc.name = "s", tcc.state}) -> (tensor<4xf32>, tensor<4xf32> {tcc.state, tcc.tied = 1 : i64}) {
  %y = "tcc.add"(%x, %s) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y, %y : tensor<4xf32>, tensor<4xf32>
}
