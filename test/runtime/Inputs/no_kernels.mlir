// A result that is an input, and one that is a constant: nothing is computed.
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %0 = "tcc.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  return %x, %0 : tensor<4xf32>, tensor<2xf32>
}
