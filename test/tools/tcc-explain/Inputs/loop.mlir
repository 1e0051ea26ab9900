func.func private @step(%h: tensor<8x48xf32>, %w: tensor<48x48xf32>) -> tensor<8x48xf32> {
  %0 = "tcc.matmul"(%h, %w) : (tensor<8x48xf32>, tensor<48x48xf32>) -> tensor<8x48xf32>
  return %0 : tensor<8x48xf32>
}
func.func @main(%x: tensor<8x48xf32>, %w: tensor<48x48xf32>) -> tensor<8x48xf32> {
  %a = func.call @step(%x, %w) {tcc.trips = ["3"]} : (tensor<8x48xf32>, tensor<48x48xf32>) -> tensor<8x48xf32>
  %b = "tcc.matmul"(%a, %w) : (tensor<8x48xf32>, tensor<48x48xf32>) -> tensor<8x48xf32>
  %c = "tcc.concat"(%a, %b) {axis = 0 : i64} : (tensor<8x48xf32>, tensor<8x48xf32>) -> tensor<16x48xf32>
  %d = "tcc.cumulative"(%c) {kind = "max", axis = 0 : i64, exclusive = false, reverse = false} : (tensor<16x48xf32>) -> tensor<16x48xf32>
  %e = "tcc.slice"(%d) {starts = ["8", "0"], steps = array<i64: 1, 1>} : (tensor<16x48xf32>) -> tensor<8x48xf32>
  %f = "tcc.cumulative"(%e) {kind = "max", axis = 0 : i64, exclusive = false, reverse = false} : (tensor<8x48xf32>) -> tensor<8x48xf32>
  return %f : tensor<8x48xf32>
}
