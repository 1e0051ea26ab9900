// Two products whose depth blocks share, one whose rows are not known, a convolution (parts.test).
func.func @main(%x: tensor<64x2048xf32>, %u: tensor<80x2048xf32>, %y: tensor<?x2048xf32, ["M", 2048]>, %v: tensor<2048x64xf32>, %z: tensor<1x192x6x6xf32>, %f: tensor<64x192x3x3xf32>)
    -> (tensor<64x64xf32>, tensor<80x64xf32>, tensor<?x64xf32, ["M", 64]>, tensor<1x64x6x6xf32>) {
  %zero = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.dot_general"(%x, %v) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x2048xf32>, tensor<2048x64xf32>) -> tensor<64x64xf32>
  %1 = "tcc.max"(%0, %zero) : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %2 = "tcc.dot_general"(%u, %v) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<80x2048xf32>, tensor<2048x64xf32>) -> tensor<80x64xf32>
  %3 = "tcc.dot_general"(%y, %v) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x2048xf32, ["M", 2048]>, tensor<2048x64xf32>) -> tensor<?x64xf32, ["M", 64]>
  %none = "tcc.none"() : () -> none
  %4 = "tcc.conv"(%z, %f, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x192x6x6xf32>, tensor<64x192x3x3xf32>, none) -> tensor<1x64x6x6xf32>
  return %1, %2, %3, %4 : tensor<64x64xf32>, tensor<80x64xf32>, tensor<?x64xf32, ["M", 64]>, tensor<1x64x6x6xf32>
}
