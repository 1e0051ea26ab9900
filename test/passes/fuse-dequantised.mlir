// RUN: tcc-opt %s --split-input-file --tcc-fuse --verify-each | FileCheck %s

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
