// RUN: tcc-opt %s --target=nvptx,sm_80 --tcc-fuse --verify-each | FileCheck %s

// An epilogue of sums of bytes brings stored bytes to their scale; what a convolution writes for another one are bytes.
// CHECK-LABEL: func.func private @k0
// CHECK-SAME: -> tensor<1x16x4x4xui8> attributes {tcc.kernel = "conv"}
// CHECK-LABEL: func.func private @k1
// CHECK-SAME: -> tensor<1x16x4x4xf32> attributes {tcc.kernel = "conv"}
// CHECK: "tcc.conv"
// CHECK: "tcc.convert"{{.*}}ui8
// CHECK: "tcc.sub"
// CHECK: "tcc.mul"
// CHECK: "tcc.add"
// CHECK-NOT: func.func private
// CHECK-LABEL: func.func @branches
func.func @branches(%x: tensor<1x16x4x4xui8>, %w: tensor<16x16x1x1xi8>, %y: tensor<1x16x4x4xui8>, %s: tensor<f32>) -> tensor<1x16x4x4xf32> {
  %none = "tcc.none"() : () -> none
  %z = "tcc.constant"() {value = dense<121.0> : tensor<f32>} : () -> tensor<f32>
  %low = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %high = "tcc.constant"() {value = dense<255.0> : tensor<f32>} : () -> tensor<f32>
  %c = "tcc.conv"(%y, %w, %none) {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x16x4x4xui8>, tensor<16x16x1x1xi8>, none) -> tensor<1x16x4x4xi32>
  %d = "tcc.convert"(%c) : (tensor<1x16x4x4xi32>) -> tensor<1x16x4x4xf32>
  %0 = "tcc.conv"(%x, %w, %none) {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x16x4x4xui8>, tensor<16x16x1x1xi8>, none) -> tensor<1x16x4x4xi32>
  %1 = "tcc.convert"(%0) : (tensor<1x16x4x4xi32>) -> tensor<1x16x4x4xf32>
  %2 = "tcc.max"(%1, %low) : (tensor<1x16x4x4xf32>, tensor<f32>) -> tensor<1x16x4x4xf32>
  %3 = "tcc.min"(%2, %high) : (tensor<1x16x4x4xf32>, tensor<f32>) -> tensor<1x16x4x4xf32>
  %4 = "tcc.convert"(%3) : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xui8>
  %5 = "tcc.convert"(%4) : (tensor<1x16x4x4xui8>) -> tensor<1x16x4x4xf32>
  %6 = "tcc.sub"(%5, %z) : (tensor<1x16x4x4xf32>, tensor<f32>) -> tensor<1x16x4x4xf32>
  %7 = "tcc.mul"(%6, %s) : (tensor<1x16x4x4xf32>, tensor<f32>) -> tensor<1x16x4x4xf32>
  %e = "tcc.add"(%d, %7) : (tensor<1x16x4x4xf32>, tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  return %e : tensor<1x16x4x4xf32>
}

// Products likewise.
// CHECK-LABEL: func.func private @k2
// CHECK-SAME: tensor<70x48xui8>
// CHECK-SAME: tcc.kernel = "contract"
// CHECK: "tcc.dot_general"
// CHECK: "tcc.convert"{{.*}}ui8
// CHECK: "tcc.mul"
// CHECK: "tcc.add"
// CHECK-NOT: func.func private
// CHECK-LABEL: func.func @product
func.func @product(%x: tensor<70x64xui8>, %w: tensor<64x48xi8>, %q: tensor<70x48xui8>, %s: tensor<f32>) -> tensor<70x48xf32> {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<70x64xui8>, tensor<64x48xi8>) -> tensor<70x48xi32>
  %1 = "tcc.convert"(%0) : (tensor<70x48xi32>) -> tensor<70x48xf32>
  %2 = "tcc.convert"(%q) : (tensor<70x48xui8>) -> tensor<70x48xf32>
  %3 = "tcc.mul"(%2, %s) : (tensor<70x48xf32>, tensor<f32>) -> tensor<70x48xf32>
  %4 = "tcc.add"(%1, %3) : (tensor<70x48xf32>, tensor<70x48xf32>) -> tensor<70x48xf32>
  return %4 : tensor<70x48xf32>
}
