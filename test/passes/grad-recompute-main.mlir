// RUN: tcc-opt %s --split-input-file --tcc-grad=recompute=0 --tcc-simplify --verify-each | FileCheck %s --check-prefix=KEEP
// RUN: tcc-opt %s --split-input-file --pass-pipeline=tcc-grad,tcc-simplify,cse --verify-each | FileCheck %s

// What stands once in @main is cut, too. The two elementwise ops are computed again of the product's result, which is kept: both read what a
// barrier tells apart from it, or they would be one with those of the forward part. Constants are made there and need none.
// KEEP-NOT: tcc.barrier
// CHECK-LABEL: func.func @main
// CHECK: %[[DOT:.*]] = "tcc.dot_general"
// CHECK: "tcc.exp"(%[[DOT]])
// CHECK: "tcc.reduce"
// CHECK: %[[AGAIN:.*]] = "tcc.barrier"(%[[DOT]])
// CHECK-NOT: tcc.barrier
// CHECK: %[[EXP:.*]] = "tcc.exp"(%[[AGAIN]])
// CHECK: "tcc.tanh"({{.*}}%[[EXP]])
// CHECK-NOT: tcc.barrier
// CHECK: return
func.func @main(%x: tensor<?x64xf32, ["B", 64]> {tcc.name = "x"}, %w: tensor<64x64xf32> {tcc.name = "w"}) -> tensor<f32> {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x64xf32, ["B", 64]>, tensor<64x64xf32>) -> tensor<?x64xf32, ["B", 64]>
  %1 = "tcc.exp"(%0) : (tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]>
  %2 = "tcc.tanh"(%1) : (tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]>
  %3 = "tcc.mul"(%2, %0) : (tensor<?x64xf32, ["B", 64]>, tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]>
  %4 = "tcc.reduce"(%3) {kind = "sum", axes = array<i64: 0, 1>} : (tensor<?x64xf32, ["B", 64]>) -> tensor<f32>
  return %4 : tensor<f32>
}

// -----

// A value that the forward part alone reads is not made again, nor is one whose op costs more than keeping it.
// CHECK-LABEL: func.func @main
// CHECK: tcc.dot_general
// CHECK: tcc.reduce
// CHECK-NOT: tcc.barrier
// CHECK: return
func.func @main(%x: tensor<8x64xf32> {tcc.name = "x"}, %w: tensor<64x64xf32> {tcc.name = "w"}) -> (tensor<f32>, tensor<8x64xf32>) {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %1 = "tcc.floor"(%0) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %2 = "tcc.mul"(%0, %0) : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  %3 = "tcc.reduce"(%2) {kind = "sum", axes = array<i64: 0, 1>} : (tensor<8x64xf32>) -> tensor<f32>
  return %3, %1 : tensor<f32>, tensor<8x64xf32>
}
