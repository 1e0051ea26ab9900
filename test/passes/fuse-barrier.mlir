// RUN: tcc-opt %s --split-input-file --pass-pipeline=tcc-simplify,cse,tcc-fuse --verify-each | FileCheck %s
// A barrier keeps equal ops apart: neither are they made one, nor does one kernel compute both. It is gone behind fuse.

// Elementwise: what is behind the product would be a part of its kernel, or of the other's.
// CHECK-LABEL: func.func @twice
// CHECK-NEXT: %[[E:.*]] = call @[[EXP:k[a-z0-9_]*]](%arg0)
// CHECK-NEXT: %[[D:.*]] = call @{{k[a-z0-9_]*}}(%[[E]], %arg1)
// CHECK-NEXT: %[[R:.*]] = call @{{k[a-z0-9_]*}}(%arg0, %[[D]])
// CHECK-NEXT: return %[[R]]
// CHECK-NOT: tcc.barrier
func.func @twice(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = "tcc.exp"(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = "tcc.dot_general"(%0, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = "tcc.barrier"(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = "tcc.exp"(%2) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %4 = "tcc.barrier"(%1) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %5 = "tcc.mul"(%3, %4) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %5 : tensor<64x64xf32>
}

// -----

// What returns a barrier's result returns its operand; barriers of barriers are gone, too.
// CHECK-LABEL: func.func @returned(%arg0: tensor<4xf32>)
// CHECK-NEXT: return %arg0
func.func @returned(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "tcc.barrier"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "tcc.barrier"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
