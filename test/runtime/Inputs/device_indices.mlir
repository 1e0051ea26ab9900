// An embedding, of whose indices the host must hear, and a product and a row on it.
func.func @main(%ids: tensor<?x3xi64, ["S", 3]>, %table: tensor<8x48xf32>, %w: tensor<48x40xf32>) -> (tensor<?x3x40xf32, ["S", 3, 40]>, tensor<?x3xf32, ["S", 3]>) {
  %0 = "tcc.gather"(%table, %ids) {axis = 0 : i64} : (tensor<8x48xf32>, tensor<?x3xi64, ["S", 3]>) -> tensor<?x3x48xf32, ["S", 3, 48]>
  %1 = "tcc.dot_general"(%0, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 0>} : (tensor<?x3x48xf32, ["S", 3, 48]>, tensor<48x40xf32>) -> tensor<?x3x40xf32, ["S", 3, 40]>
  %2 = "tcc.reduce"(%1) {axes = array<i64: 2>, keepdims = false, kind = "max"} : (tensor<?x3x40xf32, ["S", 3, 40]>) -> tensor<?x3xf32, ["S", 3]>
  return %1, %2 : tensor<?x3x40xf32, ["S", 3, 40]>, tensor<?x3xf32, ["S", 3]>
}
