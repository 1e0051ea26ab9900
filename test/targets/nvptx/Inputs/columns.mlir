func.func @main(%a: tensor<1300x70xf32>, %b: tensor<?x40xf32, ["N", 40]>, %c: tensor<1100x33xf32>) -> (tensor<70xf32>, tensor<40xf32>, tensor<33xi64>) {
  %0 = "tcc.reduce"(%a) {axes = array<i64: 0>, keepdims = false, kind = "sum"} : (tensor<1300x70xf32>) -> tensor<70xf32>
  %1 = "tcc.reduce"(%b) {axes = array<i64: 0>, keepdims = false, kind = "max"} : (tensor<?x40xf32, ["N", 40]>) -> tensor<40xf32>
  %2 = "tcc.arg_reduce"(%c) {axis = 0 : i64, keepdims = false, kind = "min"} : (tensor<1100x33xf32>) -> tensor<33xi64>
  return %0, %1, %2 : tensor<70xf32>, tensor<40xf32>, tensor<33xi64>
}
