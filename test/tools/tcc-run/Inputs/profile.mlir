// Two products that share no time: 1 row of 16, and 1024 rows of 512.
#file = loc("model.onnx":0:0)
func.func @main(%a: tensor<1x16xf32>, %b: tensor<16x16xf32>, %c: tensor<1024x512xf32>, %d: tensor<512x512xf32>) -> (tensor<1x16xf32>, tensor<1024x512xf32>) {
  %0 = "tcc.matmul"(%a, %b) : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32> loc("small"(#file))
  %1 = "tcc.matmul"(%c, %d) : (tensor<1024x512xf32>, tensor<512x512xf32>) -> tensor<1024x512xf32> loc("large"(#file))
  return %0, %1 : tensor<1x16xf32>, tensor<1024x512xf32>
}
