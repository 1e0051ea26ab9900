// An exponential of a weight, of 20 KB, of one that is too large for that, and of an input.
module attributes {tcc.sources = ["of_weights.bin"]} {
  func.func @main(%x: tensor<40x128xf32>) -> (tensor<40x128xf32>, tensor<4000x128xf32>) {
    %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 20480 : i64} : () -> tensor<40x128xf32>
    %l = "tcc.weight"() {name = "l", source = 0 : i64, offset = 20480 : i64, length = 2048000 : i64} : () -> tensor<4000x128xf32>
    %0 = "tcc.exp"(%w) : (tensor<40x128xf32>) -> tensor<40x128xf32>
    %1 = "tcc.cumulative"(%0) {axis = 0 : i64, kind = "sum"} : (tensor<40x128xf32>) -> tensor<40x128xf32>
    %2 = "tcc.tanh"(%x) : (tensor<40x128xf32>) -> tensor<40x128xf32>
    %3 = "tcc.add"(%1, %2) : (tensor<40x128xf32>, tensor<40x128xf32>) -> tensor<40x128xf32>
    %4 = "tcc.sqrt"(%l) : (tensor<4000x128xf32>) -> tensor<4000x128xf32>
    return %3, %4 : tensor<40x128xf32>, tensor<4000x128xf32>
  }
}
