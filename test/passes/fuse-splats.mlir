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

// -----

// A scatter has the number that all of its operand are, and no buffer of them.
// CHECK: func.func private @[[SCATTER:k[a-z0-9_]*]](%arg0: tensor<40x1xi64>, %arg1: tensor<40x1xf32>) -> tensor<40x999xf32>
// CHECK-NEXT: %[[ZERO:.*]] = "tcc.constant"() {value = dense<0.000000e+00> : tensor<40x999xf32>}
// CHECK-NEXT: "tcc.scatter_elements"(%[[ZERO]], %arg0, %arg1)
// CHECK: func.func @scattered(%arg0: tensor<40x1xi64>, %arg1: tensor<40x1xf32>)
// CHECK-NEXT: call @[[SCATTER]](%arg0, %arg1)
// CHECK-NEXT: return
func.func @scattered(%i: tensor<40x1xi64>, %u: tensor<40x1xf32>) -> tensor<40x999xf32> {
  %0 = "tcc.constant"() {value = dense<0.0> : tensor<40x999xf32>} : () -> tensor<40x999xf32>
  %1 = "tcc.scatter_elements"(%0, %i, %u) {axis = 1 : i64, reduction = "add"} : (tensor<40x999xf32>, tensor<40x1xi64>, tensor<40x1xf32>) -> tensor<40x999xf32>
  return %1 : tensor<40x999xf32>
}

// -----

// Of more elements than are stored anywhere, too.
// CHECK: func.func private @[[SCATTER:k[a-z0-9_]*]](%arg0: tensor<1x1xi64>, %arg1: tensor<1x1xf32>) -> tensor<5000x5000xf32>
// CHECK-NEXT: "tcc.constant"() {value = dense<0.000000e+00> : tensor<5000x5000xf32>}
// CHECK: func.func @scattered_large
// CHECK-NEXT: call @[[SCATTER]](%arg0, %arg1)
func.func @scattered_large(%i: tensor<1x1xi64>, %u: tensor<1x1xf32>) -> tensor<5000x5000xf32> {
  %0 = "tcc.constant"() {value = dense<0.0> : tensor<5000x5000xf32>} : () -> tensor<5000x5000xf32>
  %1 = "tcc.scatter_elements"(%0, %i, %u) {axis = 1 : i64, reduction = "add"} : (tensor<5000x5000xf32>, tensor<1x1xi64>, tensor<1x1xf32>) -> tensor<5000x5000xf32>
  return %1 : tensor<5000x5000xf32>
}

// -----

// Not where it is the indices as well.
// CHECK: func.func @itself
// CHECK-NEXT: %[[BOTH:.*]] = "tcc.constant"()
// CHECK-NEXT: call @{{k[a-z0-9_]*}}(%[[BOTH]], %arg0)
func.func @itself(%u: tensor<9xi64>) -> tensor<9xi64> {
  %0 = "tcc.constant"() {value = dense<4> : tensor<9xi64>} : () -> tensor<9xi64>
  %1 = "tcc.scatter_elements"(%0, %0, %u) {axis = 0 : i64, reduction = "none"} : (tensor<9xi64>, tensor<9xi64>, tensor<9xi64>) -> tensor<9xi64>
  return %1 : tensor<9xi64>
}

// -----

// 64 K of them and no more lie in the artifact.
// CHECK: func.func @most
// CHECK-NEXT: "tcc.constant"() {value = dense<2.000000e+00> : tensor<65536xf32>}
// CHECK: func.func @more
// CHECK-NOT: tensor<65537xf32>
// CHECK: return
func.func @most(%i: tensor<3xi64>) -> tensor<3xf32> {
  %0 = "tcc.constant"() {value = dense<2.0> : tensor<65536xf32>} : () -> tensor<65536xf32>
  %1 = "tcc.gather"(%0, %i) {axis = 0} : (tensor<65536xf32>, tensor<3xi64>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
func.func @more(%i: tensor<3xi64>) -> tensor<3xf32> {
  %0 = "tcc.constant"() {value = dense<2.0> : tensor<65537xf32>} : () -> tensor<65537xf32>
  %1 = "tcc.gather"(%0, %i) {axis = 0} : (tensor<65537xf32>, tensor<3xi64>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
