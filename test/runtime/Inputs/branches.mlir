// Three branches of two kernels each, which one joins. The products have left operands of their own, or they would be one launch.
func.func @main(%x: tensor<64x64xf32>, %a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = "tcc.dot_general"(%x, %a) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = "tcc.dot_general"(%b, %c) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = "tcc.softmax"(%0) {axis = 1 : i64} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %4 = "tcc.softmax"(%1) {axis = 1 : i64} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %5 = "tcc.softmax"(%2) {axis = 1 : i64} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %6 = "tcc.dot_general"(%3, %4) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %7 = "tcc.add"(%6, %5) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %7 : tensor<64x64xf32>
}
