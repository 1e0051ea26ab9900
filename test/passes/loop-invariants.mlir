// RUN: tcc-opt %s --split-input-file --tcc-loop-invariants --verify-each | FileCheck %s
// Nested loops: what neither loop changes moves out of both, with the views and constants that it reads; the loops capture it.
// CHECK-LABEL: func.func private @inner
// CHECK-SAME: (%[[I:[^:]*]]: tensor<i64>, %[[H:[^:]*]]: tensor<2x8xf32>, %{{[^:]*}}: tensor<8x8xf32>, %{{[^:]*}}: tensor<2x8xf32>, %[[N:[^:]*]]: tensor<8x8xbf16>, %[[S:[^:]*]]: tensor<2x8xf32>)
// CHECK-NOT: tcc.transpose
// CHECK: "tcc.dot_general"(%{{.*}}, %[[N]])
// CHECK: "tcc.add"(%{{.*}}, %[[S]])
// CHECK-LABEL: func.func private @outer
// CHECK-SAME: (%{{[^:]*}}: tensor<i64>, %[[OH:[^:]*]]: tensor<2x8xf32>, %[[OW:[^:]*]]: tensor<8x8xf32>, %[[ON:[^:]*]]: tensor<8x8xbf16>)
// CHECK-NOT: tcc.transpose
// What the outer loop carries is an invariant of the inner one alone.
// CHECK: %[[SCALED:.*]] = "tcc.mul"(%[[OH]], %[[OH]])
// CHECK: call @inner(%{{.*}}, %[[OH]], %[[OW]], %[[OH]], %[[ON]], %[[SCALED]]) {tcc.trips = ["T"]}
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:[^:]*]]: tensor<2x8xf32>, %[[W:[^:]*]]: tensor<64xf32>
// CHECK: %[[R:.*]] = "tcc.reshape"(%[[W]])
// CHECK: %[[T:.*]] = "tcc.transpose"(%[[R]])
// CHECK: %[[M:.*]] = "tcc.convert"(%[[T]]) : (tensor<8x8xf32>) -> tensor<8x8xbf16>
// CHECK: call @outer(%{{.*}}, %[[X]], %{{.*}}, %[[M]]) {tcc.trips = [3]}
func.func private @inner(%i: tensor<i64>, %h: tensor<2x8xf32>, %w: tensor<8x8xf32>, %s: tensor<2x8xf32>) -> (tensor<i64>, tensor<2x8xf32>) {
  %one = "tcc.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %j = "tcc.add"(%i, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %t = "tcc.transpose"(%w) {perm = array<i64: 1, 0>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %n = "tcc.convert"(%t) : (tensor<8x8xf32>) -> tensor<8x8xbf16>
  %m = "tcc.convert"(%h) : (tensor<2x8xf32>) -> tensor<2x8xbf16>
  %d = "tcc.dot_general"(%m, %n) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x8xbf16>, tensor<8x8xbf16>) -> tensor<2x8xbf16>
  %f = "tcc.convert"(%d) : (tensor<2x8xbf16>) -> tensor<2x8xf32>
  %q = "tcc.mul"(%s, %s) : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %r = "tcc.add"(%f, %q) : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  return %j, %r : tensor<i64>, tensor<2x8xf32>
}
func.func private @outer(%i: tensor<i64>, %h: tensor<2x8xf32>, %w: tensor<8x8xf32>) -> (tensor<i64>, tensor<2x8xf32>) {
  %one = "tcc.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %zero = "tcc.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %j = "tcc.add"(%i, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %r:2 = call @inner(%zero, %h, %w, %h) {tcc.trips = ["T"]} : (tensor<i64>, tensor<2x8xf32>, tensor<8x8xf32>, tensor<2x8xf32>) -> (tensor<i64>, tensor<2x8xf32>)
  return %j, %r#1 : tensor<i64>, tensor<2x8xf32>
}
func.func @main(%x: tensor<2x8xf32>, %w: tensor<64xf32>, %n: tensor<?xf32, ["T"]>) -> tensor<2x8xf32> {
  %zero = "tcc.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %v = "tcc.reshape"(%w) : (tensor<64xf32>) -> tensor<8x8xf32>
  %r:2 = call @outer(%zero, %x, %v) {tcc.trips = [3]} : (tensor<i64>, tensor<2x8xf32>, tensor<8x8xf32>) -> (tensor<i64>, tensor<2x8xf32>)
  return %r#1 : tensor<2x8xf32>
}

// -----
// What stays: what grows, what checks an index, what a view alone is, and the body of a loop that another call runs once as well.
// CHECK-LABEL: func.func private @step
// CHECK: "tcc.convert"(%{{.*}}) : (tensor<4xi8>) -> tensor<4xf32>
// CHECK: "tcc.gather"
// CHECK: "tcc.reshape"
// CHECK-LABEL: func.func private @twice
// CHECK: "tcc.mul"
// CHECK-LABEL: func.func @main
// CHECK-NOT: "tcc.convert"
// CHECK-NOT: "tcc.mul"
func.func private @step(%h: tensor<4xf32>, %q: tensor<4xi8>, %t: tensor<6xf32>, %at: tensor<4xi64>, %b: tensor<2x2xf32>) -> tensor<4xf32> {
  %f = "tcc.convert"(%q) : (tensor<4xi8>) -> tensor<4xf32>
  %g = "tcc.gather"(%t, %at) {axis = 0 : i64} : (tensor<6xf32>, tensor<4xi64>) -> tensor<4xf32>
  %v = "tcc.reshape"(%b) : (tensor<2x2xf32>) -> tensor<4xf32>
  %1 = "tcc.add"(%h, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = "tcc.add"(%1, %g) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = "tcc.add"(%2, %v) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}
func.func private @twice(%h: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %c = "tcc.mul"(%b, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "tcc.add"(%h, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @main(%h: tensor<4xf32>, %q: tensor<4xi8>, %t: tensor<6xf32>, %at: tensor<4xi64>, %b: tensor<2x2xf32>) -> tensor<4xf32> {
  %1 = call @step(%h, %q, %t, %at, %b) {tcc.trips = [5]} : (tensor<4xf32>, tensor<4xi8>, tensor<6xf32>, tensor<4xi64>, tensor<2x2xf32>) -> tensor<4xf32>
  %2 = call @twice(%1, %h) {tcc.trips = [5]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = call @twice(%2, %h) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}
