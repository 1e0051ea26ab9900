// A product with a constant, its softmax, the places of what is not zero, the three largest of each row.
module {
  func.func @main(%x: tensor<?x8xf32, ["B", 8]> {tcc.name = "x"})
      -> (tensor<?x8xf32, ["B", 8]> {tcc.name = "y"}, tensor<2x?xi64, [2, "N"]> {tcc.name = "where"}, tensor<?x3xf32, ["B", 3]> {tcc.name = "top"}) {
    %w = "tcc.constant"() {value = dense<0.25> : tensor<8x8xf32>} : () -> tensor<8x8xf32>
    %0 = "tcc.matmul"(%x, %w) : (tensor<?x8xf32, ["B", 8]>, tensor<8x8xf32>) -> tensor<?x8xf32, ["B", 8]>
    %1 = "tcc.softmax"(%0) {axis = 1 : i64} : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
    %n = "tcc.nonzero"(%x) {size = "N"} : (tensor<?x8xf32, ["B", 8]>) -> tensor<2x?xi64, [2, "N"]>
    %v, %i = "tcc.topk"(%x) {axis = 1 : i64, k = [3]} : (tensor<?x8xf32, ["B", 8]>) -> (tensor<?x3xf32, ["B", 3]>, tensor<?x3xi64, ["B", 3]>)
    return %1, %n, %v : tensor<?x8xf32, ["B", 8]>, tensor<2x?xi64, [2, "N"]>, tensor<?x3xf32, ["B", 3]>
  }
}
