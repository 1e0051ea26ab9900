// RUN: tcc-opt %s --split-input-file --tcc-narrow-borders --verify-each | FileCheck %s

// A zero point that one copy has and the other has not: both hand over bytes and a number.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[Q:.*]]: tensor<4xui8>, %[[P:.*]]: tensor<4xui8>
// CHECK: %[[Z:.*]] = "tcc.constant"() {value = dense<1.210000e+02> : tensor<f32>}
// CHECK-NEXT: call @block(%[[Q]], %[[Z]])
// CHECK-NEXT: %[[NONE:.*]] = "tcc.constant"() {value = dense<0.000000e+00> : tensor<f32>}
// CHECK-NEXT: call @block(%[[P]], %[[NONE]])
// CHECK-LABEL: func.func private @block
// CHECK-SAME: %[[X:.*]]: tensor<4xui8>, %[[ZERO:.*]]: tensor<f32>
// CHECK: %[[WIDE:.*]] = "tcc.convert"(%[[X]])
// CHECK: %[[DIFFERENCE:.*]] = "tcc.sub"(%[[WIDE]], %[[ZERO]])
// CHECK: "tcc.exp"(%[[DIFFERENCE]])
func.func @main(%q: tensor<4xui8>, %p: tensor<4xui8>) -> (tensor<4xf32>, tensor<4xf32>) {
  %z = "tcc.constant"() {value = dense<121.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.convert"(%q) : (tensor<4xui8>) -> tensor<4xf32>
  %1 = "tcc.sub"(%0, %z) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = func.call @block(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "tcc.convert"(%p) : (tensor<4xui8>) -> tensor<4xf32>
  %4 = func.call @block(%3) : (tensor<4xf32>) -> tensor<4xf32>
  return %2, %4 : tensor<4xf32>, tensor<4xf32>
}
func.func private @block(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "tcc.exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A scale that one copy has, a zero point that the other has: both hand over bytes and two numbers.
// CHECK-LABEL: func.func @scaled
// CHECK-SAME: %[[Q:.*]]: tensor<4xui8>, %[[P:.*]]: tensor<4xui8>
// CHECK-DAG: %[[S:.*]] = "tcc.constant"() {value = dense<2.500000e-01> : tensor<f32>}
// CHECK-DAG: %[[Z:.*]] = "tcc.constant"() {value = dense<1.210000e+02> : tensor<f32>}
// CHECK: %[[NO_ZERO:.*]] = "tcc.constant"() {value = dense<0.000000e+00> : tensor<f32>}
// CHECK: call @block_scaled(%[[Q]], %[[NO_ZERO]], %[[S]])
// CHECK: %[[ONE:.*]] = "tcc.constant"() {value = dense<1.000000e+00> : tensor<f32>}
// CHECK: call @block_scaled(%[[P]], %[[Z]], %[[ONE]])
// CHECK-LABEL: func.func private @block_scaled
// CHECK-SAME: %[[X:.*]]: tensor<4xui8>, %[[ZERO:.*]]: tensor<f32>, %[[SCALE:.*]]: tensor<f32>
// CHECK: %[[WIDE:.*]] = "tcc.convert"(%[[X]])
// CHECK: %[[DIFFERENCE:.*]] = "tcc.sub"(%[[WIDE]], %[[ZERO]])
// CHECK: %[[PRODUCT:.*]] = "tcc.mul"(%[[DIFFERENCE]], %[[SCALE]])
// CHECK: "tcc.exp"(%[[PRODUCT]])
func.func @scaled(%q: tensor<4xui8>, %p: tensor<4xui8>) -> (tensor<4xf32>, tensor<4xf32>) {
  %s = "tcc.constant"() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = "tcc.constant"() {value = dense<121.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.convert"(%q) : (tensor<4xui8>) -> tensor<4xf32>
  %1 = "tcc.mul"(%0, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = func.call @block_scaled(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "tcc.convert"(%p) : (tensor<4xui8>) -> tensor<4xf32>
  %4 = "tcc.sub"(%3, %z) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %5 = func.call @block_scaled(%4) : (tensor<4xf32>) -> tensor<4xf32>
  return %2, %5 : tensor<4xf32>, tensor<4xf32>
}
func.func private @block_scaled(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "tcc.exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Halves; who reads what was widened elsewhere still does.
// CHECK-LABEL: func.func @halves
// CHECK: %[[WIDE:.*]] = "tcc.convert"(%arg0)
// CHECK: call @half(%arg0)
// CHECK: call @half(%arg1)
// CHECK: return %{{.*}}, %{{.*}}, %[[WIDE]]
// CHECK-LABEL: func.func private @half(%arg0: tensor<4xbf16>)
// CHECK-NOT: tcc.sub
func.func @halves(%q: tensor<4xbf16>, %p: tensor<4xbf16>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = "tcc.convert"(%q) : (tensor<4xbf16>) -> tensor<4xf32>
  %1 = func.call @half(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "tcc.convert"(%p) : (tensor<4xbf16>) -> tensor<4xf32>
  %3 = func.call @half(%2) : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %3, %0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
func.func private @half(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "tcc.exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Of two types, one copy of f32, or a zero for each element: nothing changes.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-5: "tcc.convert"
// CHECK-LABEL: func.func private @two(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>)
func.func @others(%q: tensor<4xui8>, %p: tensor<4xi8>, %f: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = "tcc.convert"(%q) : (tensor<4xui8>) -> tensor<4xf32>
  %1 = "tcc.convert"(%p) : (tensor<4xi8>) -> tensor<4xf32>
  %2 = "tcc.convert"(%q) : (tensor<4xui8>) -> tensor<4xf32>
  %3 = "tcc.sub"(%2, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = func.call @two(%0, %0, %3) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = "tcc.convert"(%q) : (tensor<4xui8>) -> tensor<4xf32>
  %6 = "tcc.convert"(%q) : (tensor<4xui8>) -> tensor<4xf32>
  %7 = func.call @two(%1, %f, %5) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %8 = "tcc.add"(%7, %6) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %4, %8 : tensor<4xf32>, tensor<4xf32>
}
func.func private @two(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "tcc.add"(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "tcc.add"(%0, %z) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Views of what is stored, the same at all calls, go with the conversion; of a single view that calls do not share nothing does.
// CHECK-LABEL: func.func @views(%arg0: tensor<2x6xui8>, %arg1: tensor<2x6xui8>)
// CHECK: call @view(%arg0
// CHECK: call @view(%arg1
// CHECK: %[[TURNED:.*]] = "tcc.transpose"(%arg0)
// CHECK: call @other(%[[TURNED]])
// CHECK-LABEL: func.func private @view(%arg0: tensor<2x6xui8>, %arg1: tensor<f32>)
// CHECK: %[[ROWS:.*]] = "tcc.reshape"(%arg0) : (tensor<2x6xui8>) -> tensor<2x2x3xui8>
// CHECK: %[[VIEW:.*]] = "tcc.transpose"(%[[ROWS]]) {perm = array<i64: 1, 0, 2>}
// CHECK: "tcc.convert"(%[[VIEW]])
// CHECK-LABEL: func.func private @other(%arg0: tensor<6x2xui8>)
func.func @views(%q: tensor<2x6xui8>, %p: tensor<2x6xui8>) -> (tensor<2x2x3xf32>, tensor<2x2x3xf32>, tensor<6x2xf32>, tensor<6x2xf32>) {
  %z = "tcc.constant"() {value = dense<121.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.reshape"(%q) : (tensor<2x6xui8>) -> tensor<2x2x3xui8>
  %1 = "tcc.transpose"(%0) {perm = array<i64: 1, 0, 2>} : (tensor<2x2x3xui8>) -> tensor<2x2x3xui8>
  %2 = "tcc.convert"(%1) : (tensor<2x2x3xui8>) -> tensor<2x2x3xf32>
  %3 = "tcc.sub"(%2, %z) : (tensor<2x2x3xf32>, tensor<f32>) -> tensor<2x2x3xf32>
  %4 = func.call @view(%3) : (tensor<2x2x3xf32>) -> tensor<2x2x3xf32>
  %5 = "tcc.reshape"(%p) : (tensor<2x6xui8>) -> tensor<2x2x3xui8>
  %6 = "tcc.transpose"(%5) {perm = array<i64: 1, 0, 2>} : (tensor<2x2x3xui8>) -> tensor<2x2x3xui8>
  %7 = "tcc.convert"(%6) : (tensor<2x2x3xui8>) -> tensor<2x2x3xf32>
  %8 = func.call @view(%7) : (tensor<2x2x3xf32>) -> tensor<2x2x3xf32>
  %9 = "tcc.transpose"(%q) {perm = array<i64: 1, 0>} : (tensor<2x6xui8>) -> tensor<6x2xui8>
  %10 = "tcc.convert"(%9) : (tensor<6x2xui8>) -> tensor<6x2xf32>
  %11 = func.call @other(%10) : (tensor<6x2xf32>) -> tensor<6x2xf32>
  %12 = "tcc.reshape"(%p) : (tensor<2x6xui8>) -> tensor<6x2xui8>
  %13 = "tcc.convert"(%12) : (tensor<6x2xui8>) -> tensor<6x2xf32>
  %14 = func.call @other(%13) : (tensor<6x2xf32>) -> tensor<6x2xf32>
  return %4, %8, %11, %14 : tensor<2x2x3xf32>, tensor<2x2x3xf32>, tensor<6x2xf32>, tensor<6x2xf32>
}
func.func private @view(%x: tensor<2x2x3xf32>) -> tensor<2x2x3xf32> {
  %0 = "tcc.exp"(%x) : (tensor<2x2x3xf32>) -> tensor<2x2x3xf32>
  return %0 : tensor<2x2x3xf32>
}
func.func private @other(%x: tensor<6x2xf32>) -> tensor<6x2xf32> {
  %0 = "tcc.exp"(%x) : (tensor<6x2xf32>) -> tensor<6x2xf32>
  return %0 : tensor<6x2xf32>
}
