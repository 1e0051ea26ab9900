func.func @main(%x: tensor<?x96xf32, ["M", 96]> {tcc.name = "x"}, %y: tensor<40x64xf32> {tcc.name = "y"}) -> (tensor<?x80xf32, ["M", 80]>, tensor<40x48xf32>) {
  %w = "tcc.constant"() {value = dense<0.25> : tensor<96x80xf32>} : () -> tensor<96x80xf32>
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x96xf32, ["M", 96]>, tensor<96x80xf32>) -> tensor<?x80xf32, ["M", 80]>
  %v = "tcc.constant"() {value = dense<0.5> : tensor<64x48xf32>} : () -> tensor<64x48xf32>
  %1 = "tcc.dot_general"(%y, %v) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<40x64xf32>, tensor<64x48xf32>) -> tensor<40x48xf32>
  return %0, %1 : tensor<?x80xf32, ["M", 80]>, tensor<40x48xf32>
}
