func.func @main(%x: tensor<48x64xbf16> {tcc.name = "x"}, %w: tensor<64x64xbf16> {tcc.name = "w"}) -> tensor<48x64xbf16> {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<48x64xbf16>, tensor<64x64xbf16>) -> tensor<48x64xbf16>
  return %0 : tensor<48x64xbf16>
}
