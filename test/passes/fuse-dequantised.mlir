// RUN: tcc-opt %s --split-input-file --target=x86,avx512 --tcc-fuse --verify-each | FileCheck %s

// An epilogue on blocks of channels brings a stored byte to its scale on the way: no tensor of f32 lies between.
// CHECK-LABEL: func.func private @k0
// CHECK-SAME: tensor<1x1x4x4x16xui8>
// CHECK-SAME: tcc.kernel = "conv"
// CHECK: "tcc.conv_blocked"
// CHECK: "tcc.convert"{{.*}}ui8
// CHECK: "tcc.sub"
// CHECK: "tcc.mul"
// CHECK: "tcc.add"
// CHECK-NOT: func.func private
// CHECK-LABEL: func.func @residual
func.func @residual(%x: tensor<1x1x4x4x16xf32>, %w: tensor<1x1x1x1x16x16xf32>, %q: tensor<1x1x4x4x16xui8>, %s: tensor<f32>) -> tensor<1x1x4x4x16xf32> {
  %none = "tcc.none"() : () -> none
  %z = "tcc.constant"() {value = dense<121.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.conv_blocked"(%x, %w, %none) {channels = 16 : i64, dilations = array<i64: 1, 1>, groups = 1 : i64, lanes = 16 : i64, out_channels = 16 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x1x4x4x16xf32>, tensor<1x1x1x1x16x16xf32>, none) -> tensor<1x1x4x4x16xf32>
  %1 = "tcc.convert"(%q) : (tensor<1x1x4x4x16xui8>) -> tensor<1x1x4x4x16xf32>
  %2 = "tcc.sub"(%1, %z) : (tensor<1x1x4x4x16xf32>, tensor<f32>) -> tensor<1x1x4x4x16xf32>
  %3 = "tcc.mul"(%2, %s) : (tensor<1x1x4x4x16xf32>, tensor<f32>) -> tensor<1x1x4x4x16xf32>
  %4 = "tcc.add"(%0, %3) : (tensor<1x1x4x4x16xf32>, tensor<1x1x4x4x16xf32>) -> tensor<1x1x4x4x16xf32>
  return %4 : tensor<1x1x4x4x16xf32>
}

// -----

// Numbers of 32 bits that are scaled, and bytes whose scale differs between elements: the latter are made in a kernel of their own.
// CHECK-LABEL: func.func private @k0
// CHECK: tcc.kernel = "map"
// CHECK: "tcc.mul"
// CHECK-LABEL: func.func private @k1
// CHECK: tcc.kernel = "conv"
// CHECK-LABEL: func.func @whole_scale
func.func @whole_scale(%x: tensor<1x1x4x4x16xf32>, %w: tensor<1x1x1x1x16x16xf32>, %q: tensor<1x1x4x4x16xui8>, %s: tensor<1x1x4x4x16xf32>) -> tensor<1x1x4x4x16xf32> {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.conv_blocked"(%x, %w, %none) {channels = 16 : i64, dilations = array<i64: 1, 1>, groups = 1 : i64, lanes = 16 : i64, out_channels = 16 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x1x4x4x16xf32>, tensor<1x1x1x1x16x16xf32>, none) -> tensor<1x1x4x4x16xf32>
  %1 = "tcc.convert"(%q) : (tensor<1x1x4x4x16xui8>) -> tensor<1x1x4x4x16xf32>
  %2 = "tcc.mul"(%1, %s) : (tensor<1x1x4x4x16xf32>, tensor<1x1x4x4x16xf32>) -> tensor<1x1x4x4x16xf32>
  %3 = "tcc.add"(%0, %2) : (tensor<1x1x4x4x16xf32>, tensor<1x1x4x4x16xf32>) -> tensor<1x1x4x4x16xf32>
  return %3 : tensor<1x1x4x4x16xf32>
}

// -----

// Bytes that a reduction and a later map bring to their scale, each by itself: the map, which needs the reduction, cannot write them.
// CHECK-LABEL: func.func @gate
// CHECK: %[[Q:.*]] = call @k0
// CHECK: %[[SUM:.*]] = call @k1{{.*}}(%[[Q]]
// CHECK: call @k3{{.*}}(%[[Q]]
func.func @gate(%x: tensor<4x64xf32>, %s: tensor<f32>) -> tensor<4x64xf32> {
  %low = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %high = "tcc.constant"() {value = dense<255.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.exp"(%x) : (tensor<4x64xf32>) -> tensor<4x64xf32>
  %1 = "tcc.round"(%0) : (tensor<4x64xf32>) -> tensor<4x64xf32>
  %2 = "tcc.max"(%1, %low) : (tensor<4x64xf32>, tensor<f32>) -> tensor<4x64xf32>
  %3 = "tcc.min"(%2, %high) : (tensor<4x64xf32>, tensor<f32>) -> tensor<4x64xf32>
  %4 = "tcc.convert"(%3) : (tensor<4x64xf32>) -> tensor<4x64xui8>
  %5 = "tcc.convert"(%4) : (tensor<4x64xui8>) -> tensor<4x64xf32>
  %6 = "tcc.mul"(%5, %s) : (tensor<4x64xf32>, tensor<f32>) -> tensor<4x64xf32>
  %7 = "tcc.reduce"(%6) {axes = array<i64: 1>, keepdims = true, kind = "sum"} : (tensor<4x64xf32>) -> tensor<4x1xf32>
  %w = "tcc.constant"() {value = dense<1.0> : tensor<1x1xf32>} : () -> tensor<1x1xf32>
  %8 = "tcc.dot_general"(%7, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<4x1xf32>, tensor<1x1xf32>) -> tensor<4x1xf32>
  %9 = "tcc.exp"(%8) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %11 = "tcc.mul"(%6, %9) : (tensor<4x64xf32>, tensor<4x1xf32>) -> tensor<4x64xf32>
  return %11 : tensor<4x64xf32>
}
