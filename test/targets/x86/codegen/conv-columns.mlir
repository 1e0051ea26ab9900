// RUN: rm -rf %t && tcc-run %s --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=4e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=4e-3
// REQUIRES: avx2

// First layers of at most one vector of channels: each column of a row is broadcast once, for two of its pixels or three, with
// strides, dilations and paddings beyond a vector, channels that fill no vector, and several images.
func.func @main(%x0: tensor<1x3x20x45xf32>, %x1: tensor<2x1x11x33xf32>, %x2: tensor<1x4x9x31xf32>, %x3: tensor<1x3x12x17xf32>) -> (tensor<1x16x10x23xf32>, tensor<2x9x10x30xf32>, tensor<1x8x3x11xf32>, tensor<1x13x29x17xf32>) {
  %i0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<432xf32>
  %s0 = "tcc.sin"(%i0) : (tensor<432xf32>) -> tensor<432xf32>
  %w0 = "tcc.reshape"(%s0) : (tensor<432xf32>) -> tensor<16x3x3x3xf32>
  %j0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<16xf32>
  %b0 = "tcc.sin"(%j0) : (tensor<16xf32>) -> tensor<16xf32>
  %c0 = "tcc.conv"(%x0, %w0, %b0) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x20x45xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>) -> tensor<1x16x10x23xf32>
  %r0 = "tcc.relu"(%c0) : (tensor<1x16x10x23xf32>) -> tensor<1x16x10x23xf32>
  %i1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<180xf32>
  %s1 = "tcc.sin"(%i1) : (tensor<180xf32>) -> tensor<180xf32>
  %w1 = "tcc.reshape"(%s1) : (tensor<180xf32>) -> tensor<9x1x5x4xf32>
  %j1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<9xf32>
  %b1 = "tcc.sin"(%j1) : (tensor<9xf32>) -> tensor<9xf32>
  %c1 = "tcc.conv"(%x1, %w1, %b1) {strides = array<i64: 1, 1>, pads = array<i64: 2, 0, 1, 3>, dilations = array<i64: 1, 2>, groups = 1 : i64} : (tensor<2x1x11x33xf32>, tensor<9x1x5x4xf32>, tensor<9xf32>) -> tensor<2x9x10x30xf32>
  %r1 = "tcc.relu"(%c1) : (tensor<2x9x10x30xf32>) -> tensor<2x9x10x30xf32>
  %i2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<448xf32>
  %s2 = "tcc.sin"(%i2) : (tensor<448xf32>) -> tensor<448xf32>
  %w2 = "tcc.reshape"(%s2) : (tensor<448xf32>) -> tensor<8x4x2x7xf32>
  %j2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<8xf32>
  %b2 = "tcc.sin"(%j2) : (tensor<8xf32>) -> tensor<8xf32>
  %c2 = "tcc.conv"(%x2, %w2, %b2) {strides = array<i64: 3, 3>, pads = array<i64: 0, 3, 0, 3>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x4x9x31xf32>, tensor<8x4x2x7xf32>, tensor<8xf32>) -> tensor<1x8x3x11xf32>
  %r2 = "tcc.relu"(%c2) : (tensor<1x8x3x11xf32>) -> tensor<1x8x3x11xf32>
  %i3 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<351xf32>
  %s3 = "tcc.sin"(%i3) : (tensor<351xf32>) -> tensor<351xf32>
  %w3 = "tcc.reshape"(%s3) : (tensor<351xf32>) -> tensor<13x3x3x3xf32>
  %j3 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<13xf32>
  %b3 = "tcc.sin"(%j3) : (tensor<13xf32>) -> tensor<13xf32>
  %c3 = "tcc.conv"(%x3, %w3, %b3) {strides = array<i64: 1, 2>, pads = array<i64: 20, 18, 1, 1>, dilations = array<i64: 2, 1>, groups = 1 : i64} : (tensor<1x3x12x17xf32>, tensor<13x3x3x3xf32>, tensor<13xf32>) -> tensor<1x13x29x17xf32>
  %r3 = "tcc.relu"(%c3) : (tensor<1x13x29x17xf32>) -> tensor<1x13x29x17xf32>
  return %r0, %r1, %r2, %r3 : tensor<1x16x10x23xf32>, tensor<2x9x10x30xf32>, tensor<1x8x3x11xf32>, tensor<1x13x29x17xf32>
}
