func.func @main(%x: tensor<9x64xf32>) -> tensor<9x80xf32> {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.pad"(%x, %none) {mode = "reflect", low = [0, 8], high = [0, 8]} : (tensor<9x64xf32>, none) -> tensor<9x80xf32>
  return %0 : tensor<9x80xf32>
}
