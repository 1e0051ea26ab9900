// RUN: tcc-opt %s --split-input-file --tcc-sink-reshapes --verify-each | FileCheck %s

// Both adds come to have the shape of the contraction's result; the residual is reshaped, which moves no data.
// CHECK: %[[DOT:.*]] = "tcc.dot_general"
// CHECK: %[[BIAS:.*]] = "tcc.add"(%[[DOT]], %arg2) : (tensor<32x64xf32>, tensor<64xf32>) -> tensor<32x64xf32>
// CHECK: %[[RESIDUAL:.*]] = "tcc.reshape"(%arg3) : (tensor<2x16x64xf32>) -> tensor<32x64xf32>
// CHECK: %[[SUM:.*]] = "tcc.add"(%[[BIAS]], %[[RESIDUAL]]) : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
// CHECK: %[[OUT:.*]] = "tcc.reshape"(%[[SUM]]) : (tensor<32x64xf32>) -> tensor<2x16x64xf32>
// CHECK: return %[[OUT]]
func.func @main(%x: tensor<32x64xf32>, %w: tensor<64x64xf32>, %b: tensor<64xf32>, %res: tensor<2x16x64xf32>) -> tensor<2x16x64xf32> {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
  %1 = "tcc.reshape"(%0) : (tensor<32x64xf32>) -> tensor<2x16x64xf32>
  %2 = "tcc.add"(%1, %b) : (tensor<2x16x64xf32>, tensor<64xf32>) -> tensor<2x16x64xf32>
  %3 = "tcc.add"(%2, %res) : (tensor<2x16x64xf32>, tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
  return %3 : tensor<2x16x64xf32>
}

// -----

// The reshaped contraction is read by something else too: it stays where it is.
// CHECK: %[[DOT:.*]] = "tcc.dot_general"
// CHECK: %[[VIEW:.*]] = "tcc.reshape"(%[[DOT]])
// CHECK: "tcc.add"(%[[VIEW]],
func.func @main(%x: tensor<32x64xf32>, %w: tensor<64x64xf32>, %b: tensor<64xf32>) -> (tensor<2x16x64xf32>, tensor<2x16x64xf32>) {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
  %1 = "tcc.reshape"(%0) : (tensor<32x64xf32>) -> tensor<2x16x64xf32>
  %2 = "tcc.add"(%1, %b) : (tensor<2x16x64xf32>, tensor<64xf32>) -> tensor<2x16x64xf32>
  return %1, %2 : tensor<2x16x64xf32>, tensor<2x16x64xf32>
}

// -----

// A column for each row of a batch does not broadcast to the flat shape.
// CHECK: %[[DOT:.*]] = "tcc.dot_general"
// CHECK: %[[VIEW:.*]] = "tcc.reshape"(%[[DOT]])
// CHECK: "tcc.mul"(%[[VIEW]],
func.func @main(%x: tensor<32x64xf32>, %w: tensor<64x64xf32>, %b: tensor<16x1xf32>) -> tensor<2x16x64xf32> {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
  %1 = "tcc.reshape"(%0) : (tensor<32x64xf32>) -> tensor<2x16x64xf32>
  %2 = "tcc.mul"(%1, %b) : (tensor<2x16x64xf32>, tensor<16x1xf32>) -> tensor<2x16x64xf32>
  return %2 : tensor<2x16x64xf32>
}

// -----

// No reshape stays that nobody reads: behind the product, it would be a reader of it in front of what makes the scale, and the product would be stored for it.
// CHECK: "tcc.dot_general"
// CHECK-NEXT: "tcc.rsqrt"
// CHECK-NEXT: "tcc.mul"
// CHECK-NEXT: "tcc.add"
// CHECK-NEXT: "tcc.reshape"
// CHECK-NEXT: return
func.func @main(%x: tensor<1x32x64xf32>, %w: tensor<64x64xf32>, %b: tensor<64xf32>, %v: tensor<64xf32>) -> tensor<32x64xf32> {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 0>} : (tensor<1x32x64xf32>, tensor<64x64xf32>) -> tensor<1x32x64xf32>
  %1 = "tcc.reshape"(%0) : (tensor<1x32x64xf32>) -> tensor<32x64xf32>
  %2 = "tcc.rsqrt"(%v) : (tensor<64xf32>) -> tensor<64xf32>
  %3 = "tcc.mul"(%1, %2) : (tensor<32x64xf32>, tensor<64xf32>) -> tensor<32x64xf32>
  %4 = "tcc.add"(%3, %b) : (tensor<32x64xf32>, tensor<64xf32>) -> tensor<32x64xf32>
  return %4 : tensor<32x64xf32>
}
