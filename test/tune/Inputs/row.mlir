func.func @main(%x: tensor<1x96xf32>) -> tensor<1x1000xf32> {
  %i = "tcc.iota"() {axis = 0 : i64} : () -> tensor<96000xf32>
  %s = "tcc.sin"(%i) : (tensor<96000xf32>) -> tensor<96000xf32>
  %w = "tcc.reshape"(%s) : (tensor<96000xf32>) -> tensor<1000x96xf32>
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<1x96xf32>, tensor<1000x96xf32>) -> tensor<1x1000xf32>
  return %0 : tensor<1x1000xf32>
}
