// Indices into an axis of one element, of values that the kernel computes: each is checked though none says where to read.
func.func @main(%x: tensor<4xf32> {tcc.name = "x"}) -> (tensor<3x4xf32> {tcc.name = "rows"}, tensor<4xf32> {tcc.name = "row"}) {
  %i = "tcc.constant"() {value = dense<[0, -1, 0]> : tensor<3xi64>} : () -> tensor<3xi64>
  %s = "tcc.constant"() {value = dense<4> : tensor<i64>} : () -> tensor<i64>
  %two = "tcc.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.mul"(%x, %two) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = "tcc.reshape"(%0) : (tensor<4xf32>) -> tensor<1x4xf32>
  %rows = "tcc.gather"(%1, %i) {axis = 0 : i64, valid = "signed"} : (tensor<1x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  %2 = "tcc.reshape"(%x) : (tensor<4xf32>) -> tensor<1x4x1xf32>
  %3 = "tcc.broadcast"(%2) : (tensor<1x4x1xf32>) -> tensor<5x4x1xf32>
  %4 = "tcc.gather"(%3, %s) {axis = 0 : i64, valid = "unsigned"} : (tensor<5x4x1xf32>, tensor<i64>) -> tensor<4x1xf32>
  %row = "tcc.reshape"(%4) : (tensor<4x1xf32>) -> tensor<4xf32>
  return %rows, %row : tensor<3x4xf32>, tensor<4xf32>
}
