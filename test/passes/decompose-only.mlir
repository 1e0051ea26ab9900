// RUN: tcc-opt %s --pass-pipeline="tcc-decompose{only=batch_norm},tcc-block-layout{lanes=8}" --verify-each | FileCheck %s

// A norm of batches is written out before channels are blocked, so that it stays in the blocks: one whose
// numbers are no weights; other composites are not.
// CHECK-LABEL: @norm
// CHECK: %[[C:.*]] = "tcc.conv_blocked"
// CHECK: %[[M:.*]] = "tcc.mul"(%[[C]], %{{.*}}) : (tensor<?x2x5x6x8xf32, ["N", 2, 5, 6, 8]>, tensor<1x2x1x1x8xf32>)
// CHECK: %[[A:.*]] = "tcc.add"(%[[M]], %{{.*}}) : (tensor<?x2x5x6x8xf32, ["N", 2, 5, 6, 8]>, tensor<1x2x1x1x8xf32>)
// CHECK: "tcc.relu"(%[[A]])
// CHECK: "tcc.softmax"
func.func @norm(%x: tensor<?x16x5x6xf32, ["N", 16, 5, 6]>, %s: tensor<16xf32>) -> tensor<?x16x5x6xf32, ["N", 16, 5, 6]> {
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 1024 : i64} : () -> tensor<16x16x1x1xf32>
  %b = "tcc.none"() : () -> none
  %0 = "tcc.conv"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x16x5x6xf32, ["N", 16, 5, 6]>, tensor<16x16x1x1xf32>, none) -> tensor<?x16x5x6xf32, ["N", 16, 5, 6]>
  %1 = "tcc.batch_norm"(%0, %s, %s, %s, %s) {eps = 1.0e-5} : (tensor<?x16x5x6xf32, ["N", 16, 5, 6]>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<?x16x5x6xf32, ["N", 16, 5, 6]>
  %2 = "tcc.relu"(%1) : (tensor<?x16x5x6xf32, ["N", 16, 5, 6]>) -> tensor<?x16x5x6xf32, ["N", 16, 5, 6]>
  %3 = "tcc.softmax"(%2) {axis = 3 : i64} : (tensor<?x16x5x6xf32, ["N", 16, 5, 6]>) -> tensor<?x16x5x6xf32, ["N", 16, 5, 6]>
  return %3 : tensor<?x16x5x6xf32, ["N", 16, 5, 6]>
}
