// RUN: tcc-opt %s --tcc-grad=recompute=0 --tcc-simplify --verify-each | FileCheck %s --check-prefix=KEEP
// RUN: tcc-opt %s --tcc-grad --tcc-simplify --verify-each | FileCheck %s --check-prefix=CHEAP
// RUN: tcc-opt %s --tcc-grad=recompute=1000000 --tcc-simplify --verify-each | FileCheck %s --check-prefix=ALL
// RUN: not tcc-opt %s --tcc-grad=recompute=-1 2>&1 | FileCheck %s --check-prefix=WRONG

// What costs nothing is kept: all four that the backward reads. Elementwise ops are cheaper than reading their results: only the product
// and the call's result are kept. Where bytes are dear the product is computed again, but a call never is. The argument that is another
// call's result is read by a product of the backward in each case.
// KEEP: func.func private @part_fwd({{.*}}) -> (tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>)
// KEEP: func.func private @part_bwd
// KEEP-NOT: tcc.exp
// KEEP-NOT: tcc.tanh
// KEEP: return

// CHEAP: call @part_bwd(%{{.*}}, %[[CALL:.*]]#1, %[[CALL]]#2, %{{.*}}, %{{.*}})
// CHEAP: func.func private @part_fwd({{.*}}) -> (tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>)
// CHEAP: %[[DOT:.*]] = "tcc.dot_general"
// CHEAP: %[[SCALE:.*]] = call @scale(%[[DOT]])
// CHEAP: return %{{.*}}, %[[SCALE]], %[[DOT]]
// CHEAP: func.func private @part_bwd
// CHEAP-SAME: {
// CHEAP-NOT: tcc.dot_general
// CHEAP: tcc.exp
// CHEAP-NOT: tcc.dot_general
// CHEAP: tcc.tanh
// CHEAP: tcc.dot_general
// CHEAP: tcc.dot_general
// CHEAP-NOT: tcc.dot_general
// CHEAP: return

// ALL: func.func private @part_fwd({{.*}}) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
// ALL: %[[SCALE:.*]] = call @scale
// ALL: return %{{.*}}, %[[SCALE]]
// ALL: func.func private @part_bwd
// ALL-COUNT-3: tcc.dot_general
// ALL-NOT: tcc.dot_general
// ALL: return

// WRONG: option 'recompute' of pass 'tcc-grad' needs a number of at most 9 digits, not '-1'
func.func private @scale(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %0 = "tcc.floor"(%x) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}
func.func private @part(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %1 = call @scale(%0) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %2 = "tcc.exp"(%0) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %3 = "tcc.tanh"(%2) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %4 = "tcc.mul"(%3, %0) : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  %5 = "tcc.mul"(%4, %1) : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  return %5 : tensor<8x64xf32>
}
func.func @main(%x: tensor<8x64xf32> {tcc.name = "x"}, %w: tensor<64x64xf32> {tcc.name = "w"}) -> tensor<f32> {
  %0 = call @part(%x, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %1 = call @part(%0, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %2 = "tcc.reduce"(%1) {kind = "sum", axes = array<i64: 0, 1>} : (tensor<8x64xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}
