// A product whose weights are packed when it is loaded, and large enough to be kept.
module {
  func.func @main(%x: tensor<?x8xf32, ["B", 8]> {tcc.name = "x"}) -> (tensor<?x4096xf32, ["B", 4096]> {tcc.name = "y"}) {
    %w = "tcc.constant"() {value = dense<0.25> : tensor<8x4096xf32>} : () -> tensor<8x4096xf32>
    %0 = "tcc.matmul"(%x, %w) : (tensor<?x8xf32, ["B", 8]>, tensor<8x4096xf32>) -> tensor<?x4096xf32, ["B", 4096]>
    return %0 : tensor<?x4096xf32, ["B", 4096]>
  }
}
