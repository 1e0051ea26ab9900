// A size that a loop's body counts, used outside of it.
func.func private @body(%sum: tensor<f32>, %x: tensor<6xf32>) -> tensor<f32> {
  %places = "tcc.nonzero"(%x) {size = "n"} : (tensor<6xf32>) -> tensor<1x?xi64, [1, "n"]>
  %e = "tcc.convert"(%places) : (tensor<1x?xi64, [1, "n"]>) -> tensor<1x?xf32, [1, "n"]>
  %more = "tcc.reduce"(%e) {axes = array<i64: 0, 1>, kind = "sum", keepdims = false} : (tensor<1x?xf32, [1, "n"]>) -> tensor<f32>
  %all = "tcc.add"(%sum, %more) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %all : tensor<f32>
}
func.func @main(%x: tensor<6xf32>, %s: tensor<f32>) -> (tensor<f32>, tensor<?xi64, ["n"]>) {
  %0 = func.call @body(%s, %x) {tcc.trips = [5]} : (tensor<f32>, tensor<6xf32>) -> tensor<f32>
  %1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<?xi64, ["n"]>
  return %0, %1 : tensor<f32>, tensor<?xi64, ["n"]>
}
