// The gradient of a weight that a loop reads: one product behind the loop, over all iterations, where its operands are smaller than the weight;
// else a sum that the loop carries. The derivative against differences; the data end the loop after 4 iterations.
// RUN: tcc-opt %s --tcc-grad=recompute=0 --tcc-simplify --verify-each | FileCheck %s
// REQUIRES: python
// RUN: rm -rf %t && mkdir -p %t
// RUN: %python -c "import numpy as np; r = np.random.default_rng(0); [np.save('%t/input_%%d.npy' %% i, v) for i, v in enumerate((r.standard_normal((5, 2, 6)).astype('f'), r.standard_normal((2, 4)).astype('f'), .3 * r.standard_normal((4, 4)).astype('f'), .3 * r.standard_normal((6, 4)).astype('f'), .3 * r.standard_normal((2, 3)).astype('f'), np.float32(2.4)))]"
// RUN: tcc-interp --gradcheck %s --data %t | FileCheck %s --check-prefix=DERIVATIVE
// DERIVATIVE: the derivatives agree

// %v [6, 4] and %w [4, 4] are products of rows [2, ...] of an iteration: the states before each iteration are stacked forwards, what comes back is
// stacked once, backwards.
// CHECK-LABEL: func.func @main
// CHECK: %[[F:.*]]:{{.*}} = call @steps_fwd(
// CHECK: %[[B:.*]]:{{.*}} = call @steps_bwd(
// CHECK-DAG: "tcc.dot_general"({{.*}}) {lhs_batch = array<i64>, lhs_contract = array<i64: 0, 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 0, 1>} : (tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<4x4xf32>
// CHECK-DAG: "tcc.dot_general"({{.*}}) {lhs_batch = array<i64>, lhs_contract = array<i64: 0, 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 0, 1>} : (tensor<5x2x6xf32>, tensor<5x2x4xf32>) -> tensor<6x4xf32>
// CHECK-LABEL: func.func private @steps_bwd
// CHECK-NOT: -> tensor<4x4xf32>
// CHECK-NOT: -> tensor<6x4xf32>
// CHECK: "tcc.add"({{.*}}) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-COUNT-1: "tcc.dynamic_update_slice"
// CHECK-NOT: "tcc.dynamic_update_slice"
// CHECK: return
func.func private @steps(%go: tensor<i1>, %i: tensor<i64>, %h: tensor<2x4xf32>, %x: tensor<5x2x6xf32>, %w: tensor<4x4xf32>, %v: tensor<6x4xf32>, %u: tensor<2x3xf32>, %limit: tensor<f32>) -> (tensor<i1>, tensor<i64>, tensor<2x4xf32>) {
  %one = "tcc.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %j = "tcc.add"(%i, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %row = "tcc.gather"(%x, %i) {axis = 0 : i64} : (tensor<5x2x6xf32>, tensor<i64>) -> tensor<2x6xf32>
  %a = "tcc.dot_general"(%h, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %b = "tcc.dot_general"(%row, %v) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x6xf32>, tensor<6x4xf32>) -> tensor<2x4xf32>
  %s = "tcc.dot_general"(%u, %u) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0, 1>, rhs_contract = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<f32>
  %c = "tcc.add"(%a, %b) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %d = "tcc.add"(%c, %s) : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  %n = "tcc.tanh"(%d) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %sum = "tcc.reduce"(%n) {axes = array<i64: 0, 1>, kind = "sum", keepdims = false} : (tensor<2x4xf32>) -> tensor<f32>
  %m = "tcc.compare"(%sum, %limit) {predicate = "gt"} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %m, %j, %n : tensor<i1>, tensor<i64>, tensor<2x4xf32>
}
func.func @main(%x: tensor<5x2x6xf32> {tcc.name = "x"}, %h: tensor<2x4xf32> {tcc.name = "h", tcc.parameter}, %w: tensor<4x4xf32> {tcc.name = "w", tcc.parameter}, %v: tensor<6x4xf32> {tcc.name = "v", tcc.parameter}, %u: tensor<2x3xf32> {tcc.name = "u", tcc.parameter}, %limit: tensor<f32> {tcc.name = "limit"}) -> (tensor<f32> {tcc.name = "loss"}) {
  %zero = "tcc.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %go = "tcc.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %r:3 = call @steps(%go, %zero, %h, %x, %w, %v, %u, %limit) {tcc.trips = [5], tcc.while} : (tensor<i1>, tensor<i64>, tensor<2x4xf32>, tensor<5x2x6xf32>, tensor<4x4xf32>, tensor<6x4xf32>, tensor<2x3xf32>, tensor<f32>) -> (tensor<i1>, tensor<i64>, tensor<2x4xf32>)
  %q = "tcc.mul"(%r#2, %r#2) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %loss = "tcc.reduce"(%q) {axes = array<i64: 0, 1>, kind = "sum", keepdims = false} : (tensor<2x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
