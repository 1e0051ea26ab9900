// A matrix product: two tiles in shared memory between barriers, edges guarded, the epilogue on the accumulator.
// RUN: tcc-translate --to-ptx --target=nvptx,sm_90a %s | FileCheck %s

// CHECK: .target sm_90a
// CHECK: .visible .entry k_{{[0-9a-f]+}}_dot_general_max
// CHECK: .shared .align {{.*}}_rows
// CHECK: .shared .align {{.*}}_columns
// CHECK: st.shared
// CHECK: bar.sync
// CHECK: fma.rn.f32
// CHECK: bar.sync
// CHECK: st.global
func.func private @k0_dot_general_max(%x: tensor<?x70xf32, ["M", 70]>, %w: tensor<70x33xf32>) -> tensor<?x33xf32, ["M", 33]> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x70xf32, ["M", 70]>, tensor<70x33xf32>) -> tensor<?x33xf32, ["M", 33]>
  %c = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %1 = "tcc.max"(%0, %c) : (tensor<?x33xf32, ["M", 33]>, tensor<f32>) -> tensor<?x33xf32, ["M", 33]>
  return %1 : tensor<?x33xf32, ["M", 33]>
}
