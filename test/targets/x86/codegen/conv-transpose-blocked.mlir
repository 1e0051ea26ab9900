// RUN: rm -rf %t && tcc-run %s --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --threads=3 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-3
// RUN: tcc-run %s --random=1 --compare=interp
// RUN: tcc-run %s --random --profile | FileCheck %s
// REQUIRES: avx2

// Transposed convolutions with weights: interleaved phases of blocked ones, with strides that differ, images whose last phases
// have fewer rows, channels that fill no block, windows smaller and larger than the stride. Dilations, groups and paddings
// beyond the window stay with the general emitter, whose kernels are named after their op.
// CHECK-COUNT-6: conv_blocked
// CHECK-COUNT-3: conv_transpose
// CHECK-NOT: {{reference|loops}}
func.func @main(%x0: tensor<2x40x6x7xf32>, %x1: tensor<1x5x5x4xf32>, %x2: tensor<1x16x5x6xf32>, %x3: tensor<2x32x6x7xf32>, %x4: tensor<1x32x6x7xf32>, %x5: tensor<2x24x4x5xf32>, %x6: tensor<1x32x4x5xf32>, %x7: tensor<1x32x4x5xf32>, %x8: tensor<1x32x4x5xf32>) -> (tensor<2x33x13x20xf32>, tensor<1x20x11x8xf32>, tensor<1x48x10x12xf32>, tensor<2x64x12x14xf32>, tensor<1x16x11x13xf32>, tensor<2x24x13x5xf32>, tensor<1x32x10x12xf32>, tensor<1x32x8x10xf32>, tensor<1x16x3x5xf32>) {
  %none = "tcc.none"() : () -> none
  %i0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<11880xf32>
  %s0 = "tcc.sin"(%i0) : (tensor<11880xf32>) -> tensor<11880xf32>
  %w0 = "tcc.reshape"(%s0) : (tensor<11880xf32>) -> tensor<40x33x3x3xf32>
  %j0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<33xf32>
  %b0 = "tcc.cos"(%j0) : (tensor<33xf32>) -> tensor<33xf32>
  %c0 = "tcc.conv_transpose"(%x0, %w0, %b0) {strides = array<i64: 2, 3>, pads = array<i64: 1, 1, 0, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 1, 1>} : (tensor<2x40x6x7xf32>, tensor<40x33x3x3xf32>, tensor<33xf32>) -> tensor<2x33x13x20xf32>
  %k0 = "tcc.sigmoid"(%c0) : (tensor<2x33x13x20xf32>) -> tensor<2x33x13x20xf32>
  %r0 = "tcc.mul"(%c0, %k0) : (tensor<2x33x13x20xf32>, tensor<2x33x13x20xf32>) -> tensor<2x33x13x20xf32>
  %i1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<600xf32>
  %s1 = "tcc.sin"(%i1) : (tensor<600xf32>) -> tensor<600xf32>
  %w1 = "tcc.reshape"(%s1) : (tensor<600xf32>) -> tensor<5x20x3x2xf32>
  %c1 = "tcc.conv_transpose"(%x1, %w1, %none) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x5x5x4xf32>, tensor<5x20x3x2xf32>, none) -> tensor<1x20x11x8xf32>
  %r1 = "tcc.relu"(%c1) : (tensor<1x20x11x8xf32>) -> tensor<1x20x11x8xf32>
  %i2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<12288xf32>
  %s2 = "tcc.sin"(%i2) : (tensor<12288xf32>) -> tensor<12288xf32>
  %w2 = "tcc.reshape"(%s2) : (tensor<12288xf32>) -> tensor<16x48x4x4xf32>
  %j2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<48xf32>
  %b2 = "tcc.cos"(%j2) : (tensor<48xf32>) -> tensor<48xf32>
  %c2 = "tcc.conv_transpose"(%x2, %w2, %b2) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x16x5x6xf32>, tensor<16x48x4x4xf32>, tensor<48xf32>) -> tensor<1x48x10x12xf32>
  %r2 = "tcc.relu"(%c2) : (tensor<1x48x10x12xf32>) -> tensor<1x48x10x12xf32>
  %i3 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<8192xf32>
  %s3 = "tcc.sin"(%i3) : (tensor<8192xf32>) -> tensor<8192xf32>
  %w3 = "tcc.reshape"(%s3) : (tensor<8192xf32>) -> tensor<32x64x2x2xf32>
  %c3 = "tcc.conv_transpose"(%x3, %w3, %none) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<2x32x6x7xf32>, tensor<32x64x2x2xf32>, none) -> tensor<2x64x12x14xf32>
  %k3 = "tcc.sigmoid"(%c3) : (tensor<2x64x12x14xf32>) -> tensor<2x64x12x14xf32>
  %r3 = "tcc.mul"(%c3, %k3) : (tensor<2x64x12x14xf32>, tensor<2x64x12x14xf32>) -> tensor<2x64x12x14xf32>
  %i4 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<4608xf32>
  %s4 = "tcc.sin"(%i4) : (tensor<4608xf32>) -> tensor<4608xf32>
  %w4 = "tcc.reshape"(%s4) : (tensor<4608xf32>) -> tensor<32x16x3x3xf32>
  %j4 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<16xf32>
  %b4 = "tcc.cos"(%j4) : (tensor<16xf32>) -> tensor<16xf32>
  %c4 = "tcc.conv_transpose"(%x4, %w4, %b4) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x32x6x7xf32>, tensor<32x16x3x3xf32>, tensor<16xf32>) -> tensor<1x16x11x13xf32>
  %r4 = "tcc.relu"(%c4) : (tensor<1x16x11x13xf32>) -> tensor<1x16x11x13xf32>
  %i5 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<8640xf32>
  %s5 = "tcc.sin"(%i5) : (tensor<8640xf32>) -> tensor<8640xf32>
  %w5 = "tcc.reshape"(%s5) : (tensor<8640xf32>) -> tensor<24x24x5x3xf32>
  %c5 = "tcc.conv_transpose"(%x5, %w5, %none) {strides = array<i64: 3, 1>, pads = array<i64: 2, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 2, 0>} : (tensor<2x24x4x5xf32>, tensor<24x24x5x3xf32>, none) -> tensor<2x24x13x5xf32>
  %r5 = "tcc.relu"(%c5) : (tensor<2x24x13x5xf32>) -> tensor<2x24x13x5xf32>
  %i6 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<9216xf32>
  %s6 = "tcc.sin"(%i6) : (tensor<9216xf32>) -> tensor<9216xf32>
  %w6 = "tcc.reshape"(%s6) : (tensor<9216xf32>) -> tensor<32x32x3x3xf32>
  %j6 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<32xf32>
  %b6 = "tcc.cos"(%j6) : (tensor<32xf32>) -> tensor<32xf32>
  %c6 = "tcc.conv_transpose"(%x6, %w6, %b6) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 2, 2>, groups = 1 : i64, output_padding = array<i64: 1, 1>} : (tensor<1x32x4x5xf32>, tensor<32x32x3x3xf32>, tensor<32xf32>) -> tensor<1x32x10x12xf32>
  %k6 = "tcc.sigmoid"(%c6) : (tensor<1x32x10x12xf32>) -> tensor<1x32x10x12xf32>
  %r6 = "tcc.mul"(%c6, %k6) : (tensor<1x32x10x12xf32>, tensor<1x32x10x12xf32>) -> tensor<1x32x10x12xf32>
  %i7 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<2048xf32>
  %s7 = "tcc.sin"(%i7) : (tensor<2048xf32>) -> tensor<2048xf32>
  %w7 = "tcc.reshape"(%s7) : (tensor<2048xf32>) -> tensor<32x16x2x2xf32>
  %c7 = "tcc.conv_transpose"(%x7, %w7, %none) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x32x4x5xf32>, tensor<32x16x2x2xf32>, none) -> tensor<1x32x8x10xf32>
  %r7 = "tcc.relu"(%c7) : (tensor<1x32x8x10xf32>) -> tensor<1x32x8x10xf32>
  %i8 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<4608xf32>
  %s8 = "tcc.sin"(%i8) : (tensor<4608xf32>) -> tensor<4608xf32>
  %w8 = "tcc.reshape"(%s8) : (tensor<4608xf32>) -> tensor<32x16x3x3xf32>
  %j8 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<16xf32>
  %b8 = "tcc.cos"(%j8) : (tensor<16xf32>) -> tensor<16xf32>
  %c8 = "tcc.conv_transpose"(%x8, %w8, %b8) {strides = array<i64: 2, 2>, pads = array<i64: 3, 3, 3, 3>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x32x4x5xf32>, tensor<32x16x3x3xf32>, tensor<16xf32>) -> tensor<1x16x3x5xf32>
  %r8 = "tcc.relu"(%c8) : (tensor<1x16x3x5xf32>) -> tensor<1x16x3x5xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8 : tensor<2x33x13x20xf32>, tensor<1x20x11x8xf32>, tensor<1x48x10x12xf32>, tensor<2x64x12x14xf32>, tensor<1x16x11x13xf32>, tensor<2x24x13x5xf32>, tensor<1x32x10x12xf32>, tensor<1x32x8x10xf32>, tensor<1x16x3x5xf32>
}
