// Sixteen kernels that follow each other, on the first rows of an input of any size.
func.func @main(%x: tensor<?x8xf32, ["S", 8]>, %a: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %0 = "tcc.slice"(%x) {starts = [0, 0], steps = array<i64: 1, 1>} : (tensor<?x8xf32, ["S", 8]>) -> tensor<4x8xf32>
  %1 = "tcc.dot_general"(%0, %a) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %2 = "tcc.softmax"(%1) {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = "tcc.dot_general"(%2, %a) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %4 = "tcc.softmax"(%3) {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %5 = "tcc.dot_general"(%4, %a) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %6 = "tcc.softmax"(%5) {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %7 = "tcc.dot_general"(%6, %a) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %8 = "tcc.softmax"(%7) {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %9 = "tcc.dot_general"(%8, %a) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %10 = "tcc.softmax"(%9) {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %11 = "tcc.dot_general"(%10, %a) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %12 = "tcc.softmax"(%11) {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %13 = "tcc.dot_general"(%12, %a) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %14 = "tcc.softmax"(%13) {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %15 = "tcc.dot_general"(%14, %a) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %16 = "tcc.softmax"(%15) {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %16 : tensor<4x8xf32>
}
