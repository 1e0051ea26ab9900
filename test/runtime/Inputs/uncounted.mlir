// A size that a call uses in front of what counts it.
func.func @main(%m: tensor<5xi1>) -> (tensor<?xi64, ["n"]>, tensor<1x?xi64, [1, "n"]>) {
  %0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<?xi64, ["n"]>
  %1 = "tcc.nonzero"(%m) {size = "n"} : (tensor<5xi1>) -> tensor<1x?xi64, [1, "n"]>
  return %0, %1 : tensor<?xi64, ["n"]>, tensor<1x?xi64, [1, "n"]>
}
