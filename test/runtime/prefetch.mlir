// What threads ask for while they wait for a product of few rows: of a weight that is read once, the lines side by side that
// a tile begins with. Columns contiguous (as many runs as steps go together, a part of the tile's depth apart), then depth
// contiguous (a run a column).
// RUN: tcc-explain --no-cache --plan %s | FileCheck %s
// CHECK: call {{.*}} prefetch operand {{[0-9]}} at 0 + {{[0-9]+}} tile, 8 runs {{[0-9]+}} apart
// CHECK: call {{.*}} prefetch operand {{[0-9]}} at 0 + {{[0-9]+}} tile, 8 runs 2048 apart
func.func @main(%x: tensor<1x512xf32> {tcc.name = "x"}) -> (tensor<1x128xf32>, tensor<1x128xf32>) {
  %a = "tcc.constant"() {value = dense<0.5> : tensor<512x128xf32>} : () -> tensor<512x128xf32>
  %b = "tcc.constant"() {value = dense<0.25> : tensor<128x512xf32>} : () -> tensor<128x512xf32>
  %1 = "tcc.dot_general"(%x, %a) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<1x512xf32>, tensor<512x128xf32>) -> tensor<1x128xf32>
  %2 = "tcc.dot_general"(%x, %b) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<1x512xf32>, tensor<128x512xf32>) -> tensor<1x128xf32>
  return %1, %2 : tensor<1x128xf32>, tensor<1x128xf32>
}
