func.func @main(%x: tensor<64x32xf32>, %y: tensor<48x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<2x32x48xf32>) {
  %i = "tcc.iota"() {axis = 0 : i64} : () -> tensor<1536xf32>
  %j = "tcc.sin"(%i) : (tensor<1536xf32>) -> tensor<1536xf32>
  %w = "tcc.reshape"(%j) : (tensor<1536xf32>) -> tensor<32x48xf32>
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x32xf32>, tensor<32x48xf32>) -> tensor<64x48xf32>
  %1 = "tcc.dot_general"(%0, %y) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x48xf32>, tensor<48x64xf32>) -> tensor<64x64xf32>
  %2 = "tcc.exp"(%y) : (tensor<48x64xf32>) -> tensor<48x64xf32>
  %3 = "tcc.dot_general"(%0, %2) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x48xf32>, tensor<48x64xf32>) -> tensor<64x64xf32>
  %4 = "tcc.dot_general"(%x, %2) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 1>} : (tensor<64x32xf32>, tensor<48x64xf32>) -> tensor<32x48xf32>
  %5 = "tcc.concat"(%4, %4) {axis = 0 : i64} : (tensor<32x48xf32>, tensor<32x48xf32>) -> tensor<64x48xf32>
  %6 = "tcc.reshape"(%5) : (tensor<64x48xf32>) -> tensor<2x32x48xf32>
  func.return %1, %3, %6 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<2x32x48xf32>
}
