// A right operand that a loop captures is packed in front of the loop; one that the loop carries is packed by each product.
// RUN: tcc-opt %s --target=x86,avx512 --tcc-pack-weights --verify-each | FileCheck %s
// RUN: tcc-run %s --no-cache --random=1 --compare=interp
// CHECK-LABEL: func.func private @k0_dot
// CHECK-SAME: tcc.packed = array<i64: 1, {{[0-9]+}}, 0>
// CHECK-LABEL: func.func private @k1_dot
// CHECK-SAME: attributes {tcc.kernel = "contract"}
// CHECK-LABEL: func.func private @step
// CHECK-SAME: %[[P:[^:]*]]: tensor<1x{{[0-9x]+}}xf32>) ->
// CHECK-NOT: call @pack
// CHECK: call @k0_dot(%{{.*}}, %[[P]])
// CHECK-LABEL: func.func @main
// CHECK: %[[PACKED:.*]] = call @pack0(%[[W:[^)]*]])
// CHECK: call @step(%{{.*}}, %[[W]], %[[W]], %[[PACKED]]) {tcc.trips = [4]}
func.func private @k0_dot(%x: tensor<16x96xf32>, %w: tensor<96x96xf32>) -> tensor<16x96xf32> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<16x96xf32>, tensor<96x96xf32>) -> tensor<16x96xf32>
  return %0 : tensor<16x96xf32>
}
func.func private @k1_dot(%x: tensor<96x96xf32>, %w: tensor<96x96xf32>) -> tensor<96x96xf32> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<96x96xf32>, tensor<96x96xf32>) -> tensor<96x96xf32>
  return %0 : tensor<96x96xf32>
}
func.func private @step(%h: tensor<16x96xf32>, %v: tensor<96x96xf32>, %w: tensor<96x96xf32>) -> (tensor<16x96xf32>, tensor<96x96xf32>) {
  %0 = call @k0_dot(%h, %w) : (tensor<16x96xf32>, tensor<96x96xf32>) -> tensor<16x96xf32>
  %1 = call @k1_dot(%w, %v) : (tensor<96x96xf32>, tensor<96x96xf32>) -> tensor<96x96xf32>
  return %0, %1 : tensor<16x96xf32>, tensor<96x96xf32>
}
func.func @main(%x: tensor<16x96xf32>, %w: tensor<96x96xf32>) -> (tensor<16x96xf32>, tensor<96x96xf32>) {
  %0:2 = call @step(%x, %w, %w) {tcc.trips = [4]} : (tensor<16x96xf32>, tensor<96x96xf32>, tensor<96x96xf32>) -> (tensor<16x96xf32>, tensor<96x96xf32>)
  return %0#0, %0#1 : tensor<16x96xf32>, tensor<96x96xf32>
}
