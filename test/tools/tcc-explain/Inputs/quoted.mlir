// A node whose name needs escapes in DOT.
#file = loc("model.onnx":0:0)
func.func @main(%x: tensor<4xf32> {tcc.name = "x \22in\22"}) -> (tensor<4xf32> {tcc.name = "y"}) {
  %0 = "tcc.tanh"(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("a\\b\22c\22"(#file))
  return %0 : tensor<4xf32>
}
