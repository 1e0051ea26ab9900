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
