// RUN: tcc-opt %s --split-input-file --tcc-region-invariants --verify-each | FileCheck %s
// A mask that each call makes of the same argument, for a product's view of it, is made before the first of them, and so is a table that takes work; what
// elementwise ops alone read stays where it is fused, and so does what the calls give other operands, or what has more elements than its operands.
// CHECK-LABEL: func.func private @layer
// CHECK-SAME: (%[[X:[^:]*]]: tensor<?x8xf32, ["S", 8]>, %{{[^:]*}}: tensor<8x?xi1, [8, "S"]>, %[[W:[^:]*]]: tensor<8x8xf32>, %[[P:[^:]*]]: tensor<?x8xf32, ["S", 8]>, %[[COS:[^:]*]]: tensor<?x8xf32, ["S", 8]>, %[[M:[^:]*]]: tensor<8x?xf32, [8, "S"]>)
// CHECK-NOT: tcc.select
// CHECK: %[[T:.*]] = "tcc.transpose"(%[[M]])
// CHECK: %[[N:.*]] = "tcc.neg"(%[[W]])
// CHECK: "tcc.dot_general"(%[[T]], %[[N]])
// CHECK: %[[Q:.*]] = "tcc.neg"(%[[P]])
// CHECK-NOT: tcc.cos
// CHECK: "tcc.mul"(%{{.*}}, %[[COS]])
// CHECK: "tcc.add"(%{{.*}}, %[[Q]])
// CHECK-LABEL: func.func @main
// CHECK: %[[C:.*]] = "tcc.cos"(%arg4)
// CHECK: %[[S:.*]] = "tcc.select"(%arg1,
// CHECK: %[[Y:.*]] = call @layer(%arg0, %arg1, %arg2, %arg4, %[[C]], %[[S]])
// CHECK: call @layer(%[[Y]], %arg1, %arg3, %arg4, %[[C]], %[[S]])
func.func private @layer(%x: tensor<?x8xf32, ["S", 8]>, %mask: tensor<8x?xi1, [8, "S"]>, %w: tensor<8x8xf32>, %p: tensor<?x8xf32, ["S", 8]>) -> tensor<?x8xf32, ["S", 8]> {
  %zero = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %one = "tcc.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %m = "tcc.select"(%mask, %zero, %one) : (tensor<8x?xi1, [8, "S"]>, tensor<f32>, tensor<f32>) -> tensor<8x?xf32, [8, "S"]>
  %t = "tcc.transpose"(%m) {perm = array<i64: 1, 0>} : (tensor<8x?xf32, [8, "S"]>) -> tensor<?x8xf32, ["S", 8]>
  %n = "tcc.neg"(%w) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %d = "tcc.dot_general"(%t, %n) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x8xf32, ["S", 8]>, tensor<8x8xf32>) -> tensor<?x8xf32, ["S", 8]>
  %q = "tcc.neg"(%p) : (tensor<?x8xf32, ["S", 8]>) -> tensor<?x8xf32, ["S", 8]>
  %c = "tcc.cos"(%p) : (tensor<?x8xf32, ["S", 8]>) -> tensor<?x8xf32, ["S", 8]>
  %1 = "tcc.mul"(%x, %c) : (tensor<?x8xf32, ["S", 8]>, tensor<?x8xf32, ["S", 8]>) -> tensor<?x8xf32, ["S", 8]>
  %2 = "tcc.add"(%1, %d) : (tensor<?x8xf32, ["S", 8]>, tensor<?x8xf32, ["S", 8]>) -> tensor<?x8xf32, ["S", 8]>
  %3 = "tcc.add"(%2, %q) : (tensor<?x8xf32, ["S", 8]>, tensor<?x8xf32, ["S", 8]>) -> tensor<?x8xf32, ["S", 8]>
  return %3 : tensor<?x8xf32, ["S", 8]>
}
func.func @main(%x: tensor<?x8xf32, ["S", 8]>, %mask: tensor<8x?xi1, [8, "S"]>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>, %p: tensor<?x8xf32, ["S", 8]>) -> tensor<?x8xf32, ["S", 8]> {
  %1 = call @layer(%x, %mask, %w, %p) : (tensor<?x8xf32, ["S", 8]>, tensor<8x?xi1, [8, "S"]>, tensor<8x8xf32>, tensor<?x8xf32, ["S", 8]>) -> tensor<?x8xf32, ["S", 8]>
  %2 = call @layer(%1, %mask, %v, %p) : (tensor<?x8xf32, ["S", 8]>, tensor<8x?xi1, [8, "S"]>, tensor<8x8xf32>, tensor<?x8xf32, ["S", 8]>) -> tensor<?x8xf32, ["S", 8]>
  return %2 : tensor<?x8xf32, ["S", 8]>
}

// -----
// A region that is called once, and the body of a loop, stay as they are.
// CHECK-LABEL: func.func private @once
// CHECK: tcc.cos
// CHECK-LABEL: func.func private @step
// CHECK: tcc.cos
// CHECK-LABEL: func.func @main
// CHECK-NOT: tcc.cos
func.func private @once(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = "tcc.cos"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}
func.func private @step(%h: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %c = "tcc.cos"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "tcc.add"(%h, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %1 = call @once(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = call @step(%1, %x) {tcc.trips = [3]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = call @step(%2, %x) {tcc.trips = [2]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}
