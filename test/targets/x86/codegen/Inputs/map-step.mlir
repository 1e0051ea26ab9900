func.func @main(%x: tensor<9x64xf32>) -> tensor<9x32xf32> {
  %0 = "tcc.slice"(%x) {starts = [0, 0], steps = array<i64: 1, 2>} : (tensor<9x64xf32>) -> tensor<9x32xf32>
  return %0 : tensor<9x32xf32>
}
