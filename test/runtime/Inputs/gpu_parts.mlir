func.func @main(%x: tensor<70x1040xf32>, %w: tensor<1040x72xf32>, %y: tensor<64x64xf16>) -> (tensor<70x72xf32>, tensor<64x64xf16>) {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<70x1040xf32>, tensor<1040x72xf32>) -> tensor<70x72xf32>
  %1 = "tcc.dot_general"(%y, %y) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  return %0, %1 : tensor<70x72xf32>, tensor<64x64xf16>
}
