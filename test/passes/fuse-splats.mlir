// RUN: tcc-opt %s --split-input-file --tcc-fuse --verify-each | FileCheck %s
// A constant of many equal elements is a number in each kernel that reads it, and nowhere has as many elements as its type says.

// CHECK: func.func private @[[GATHER:k[a-z0-9_]*]]({{.*}}tcc.kernel = "map"
// CHECK-NEXT: %[[ONE:.*]] = "tcc.constant"() {value = dense<2.000000e+00> : tensor<f32>}
// CHECK-NEXT: "tcc.broadcast"(%[[ONE]]) : (tensor<f32>) -> tensor<17179869184xf32>
// CHECK: func.func @gathered
// CHECK-NEXT: call @[[GATHER]](%arg0)
// CHECK-NEXT: return
func.func @gathered(%i: tensor<3xi64>) -> tensor<3xf32> {
  %0 = "tcc.constant"() {value = dense<2.0> : tensor<17179869184xf32>} : () -> tensor<17179869184xf32>
  %1 = "tcc.gather"(%0, %i) {axis = 0} : (tensor<17179869184xf32>, tensor<3xi64>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// -----

// Where it has to lie in memory a kernel writes it, once.
// CHECK: func.func @stored(%arg0: tensor<1x1x5000x5000xf32>)
// CHECK-NEXT: %[[W:.*]] = call @{{k[a-z0-9_]*}}() : () -> tensor<1x1x5000x5000xf32>
// CHECK-NEXT: call @{{k[a-z0-9_]*}}(%arg0, %[[W]])
func.func @stored(%x: tensor<1x1x5000x5000xf32>) -> tensor<1x1x1x1xf32> {
  %0 = "tcc.constant"() {value = dense<2.0> : tensor<1x1x5000x5000xf32>} : () -> tensor<1x1x5000x5000xf32>
  %b = "tcc.none"() : () -> none
  %1 = "tcc.conv"(%x, %0, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1} : (tensor<1x1x5000x5000xf32>, tensor<1x1x5000x5000xf32>, none) -> tensor<1x1x1x1xf32>
  return %1 : tensor<1x1x1x1xf32>
}

// -----

// A small one, or one whose elements differ, stays a constant.
// CHECK: func.func @small
// CHECK-NEXT: "tcc.constant"() {value = dense<2.000000e+00> : tensor<256xf32>}
func.func @small(%i: tensor<3xi64>) -> tensor<3xf32> {
  %0 = "tcc.constant"() {value = dense<2.0> : tensor<256xf32>} : () -> tensor<256xf32>
  %1 = "tcc.gather"(%0, %i) {axis = 0} : (tensor<256xf32>, tensor<3xi64>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
