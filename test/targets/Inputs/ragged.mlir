// Groups of a symbolic number of rows: two experts without any, a tail that is of none.
func.func @main(%a: tensor<?x24xf32, ["T", 24]> {tcc.name = "a"}, %b: tensor<6x24x40xf32> {tcc.name = "b"}, %g: tensor<?x40xf32, ["T", 40]> {tcc.name = "g"})
    -> (tensor<?x40xf32, ["T", 40]> {tcc.name = "rows"}, tensor<6x24x40xf32> {tcc.name = "depth"}) {
  %ends = "tcc.constant"() {value = dense<[0, 3, 20, 20, 21, 33]> : tensor<6xi32>} : () -> tensor<6xi32>
  %rows = "tcc.ragged_dot"(%a, %b, %ends) : (tensor<?x24xf32, ["T", 24]>, tensor<6x24x40xf32>, tensor<6xi32>) -> tensor<?x40xf32, ["T", 40]>
  %t = "tcc.transpose"(%a) {perm = array<i64: 1, 0>} : (tensor<?x24xf32, ["T", 24]>) -> tensor<24x?xf32, [24, "T"]>
  %depth = "tcc.ragged_dot"(%t, %g, %ends) {ragged = "depth"} : (tensor<24x?xf32, [24, "T"]>, tensor<?x40xf32, ["T", 40]>, tensor<6xi32>) -> tensor<6x24x40xf32>
  return %rows, %depth : tensor<?x40xf32, ["T", 40]>, tensor<6x24x40xf32>
}
