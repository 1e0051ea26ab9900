// RUN: rm -rf %t && tcc-run %s --random=1 --target=x86,avx512 --threads=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --target=x86,avx512 --threads=3 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --target=x86,avx2 --threads=2 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-3
// RUN: tcc-explain %s --target=x86,avx512 --no-cache | FileCheck %s
// REQUIRES: avx512

// Convolutions beside depthwise ones, depth first: a block with its residual, a first layer of two images with a window that reaches over
// several rows of a strip, and one that leaves rows out. Three threads begin in the midst of an image.
// CHECK-COUNT-3: schedule: x86.conv_depth_first/1 step={{[0-9]+}} strips=
func.func @main(%x0: tensor<1x24x41x39xf32>, %x1: tensor<2x3x93x160xf32>, %x2: tensor<1x16x60x50xf32>) -> (tensor<1x24x41x39xf32>, tensor<2x20x16x40xf32>, tensor<1x48x20x50xf32>) {
  %none = "tcc.none"() : () -> none
  %i0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<1536xf32>
  %s0 = "tcc.sin"(%i0) : (tensor<1536xf32>) -> tensor<1536xf32>
  %w0 = "tcc.reshape"(%s0) : (tensor<1536xf32>) -> tensor<64x24x1x1xf32>
  %i1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64xf32>
  %s1 = "tcc.sin"(%i1) : (tensor<64xf32>) -> tensor<64xf32>
  %c2 = "tcc.conv"(%x0, %w0, %s1) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x24x41x39xf32>, tensor<64x24x1x1xf32>, tensor<64xf32>) -> tensor<1x64x41x39xf32>
  %u3 = "tcc.relu"(%c2) : (tensor<1x64x41x39xf32>) -> tensor<1x64x41x39xf32>
  %i4 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<576xf32>
  %s4 = "tcc.sin"(%i4) : (tensor<576xf32>) -> tensor<576xf32>
  %w4 = "tcc.reshape"(%s4) : (tensor<576xf32>) -> tensor<64x1x3x3xf32>
  %i5 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64xf32>
  %s5 = "tcc.sin"(%i5) : (tensor<64xf32>) -> tensor<64xf32>
  %c6 = "tcc.conv"(%u3, %w4, %s5) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 64 : i64} : (tensor<1x64x41x39xf32>, tensor<64x1x3x3xf32>, tensor<64xf32>) -> tensor<1x64x41x39xf32>
  %u7 = "tcc.relu"(%c6) : (tensor<1x64x41x39xf32>) -> tensor<1x64x41x39xf32>
  %i8 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<1536xf32>
  %s8 = "tcc.sin"(%i8) : (tensor<1536xf32>) -> tensor<1536xf32>
  %w8 = "tcc.reshape"(%s8) : (tensor<1536xf32>) -> tensor<24x64x1x1xf32>
  %i9 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<24xf32>
  %s9 = "tcc.sin"(%i9) : (tensor<24xf32>) -> tensor<24xf32>
  %c10 = "tcc.conv"(%u7, %w8, %s9) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x41x39xf32>, tensor<24x64x1x1xf32>, tensor<24xf32>) -> tensor<1x24x41x39xf32>
  %u11 = "tcc.add"(%c10, %x0) : (tensor<1x24x41x39xf32>, tensor<1x24x41x39xf32>) -> tensor<1x24x41x39xf32>
  %i12 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<540xf32>
  %s12 = "tcc.sin"(%i12) : (tensor<540xf32>) -> tensor<540xf32>
  %w12 = "tcc.reshape"(%s12) : (tensor<540xf32>) -> tensor<20x3x3x3xf32>
  %i13 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<20xf32>
  %s13 = "tcc.sin"(%i13) : (tensor<20xf32>) -> tensor<20xf32>
  %c14 = "tcc.conv"(%x1, %w12, %s13) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x3x93x160xf32>, tensor<20x3x3x3xf32>, tensor<20xf32>) -> tensor<2x20x47x80xf32>
  %u15 = "tcc.sigmoid"(%c14) : (tensor<2x20x47x80xf32>) -> tensor<2x20x47x80xf32>
  %i16 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<300xf32>
  %s16 = "tcc.sin"(%i16) : (tensor<300xf32>) -> tensor<300xf32>
  %w16 = "tcc.reshape"(%s16) : (tensor<300xf32>) -> tensor<20x1x5x3xf32>
  %c17 = "tcc.conv"(%u15, %w16, %none) {strides = array<i64: 3, 2>, pads = array<i64: 4, 1, 3, 0>, dilations = array<i64: 2, 1>, groups = 20 : i64} : (tensor<2x20x47x80xf32>, tensor<20x1x5x3xf32>, none) -> tensor<2x20x16x40xf32>
  %u18 = "tcc.tanh"(%c17) : (tensor<2x20x16x40xf32>) -> tensor<2x20x16x40xf32>
  %i19 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<768xf32>
  %s19 = "tcc.sin"(%i19) : (tensor<768xf32>) -> tensor<768xf32>
  %w19 = "tcc.reshape"(%s19) : (tensor<768xf32>) -> tensor<48x16x1x1xf32>
  %c20 = "tcc.conv"(%x2, %w19, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x16x60x50xf32>, tensor<48x16x1x1xf32>, none) -> tensor<1x48x60x50xf32>
  %u21 = "tcc.relu"(%c20) : (tensor<1x48x60x50xf32>) -> tensor<1x48x60x50xf32>
  %i22 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<144xf32>
  %s22 = "tcc.sin"(%i22) : (tensor<144xf32>) -> tensor<144xf32>
  %w22 = "tcc.reshape"(%s22) : (tensor<144xf32>) -> tensor<48x1x1x3xf32>
  %i23 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<48xf32>
  %s23 = "tcc.sin"(%i23) : (tensor<48xf32>) -> tensor<48xf32>
  %c24 = "tcc.conv"(%u21, %w22, %s23) {strides = array<i64: 3, 1>, pads = array<i64: 0, 1, 0, 1>, dilations = array<i64: 1, 1>, groups = 48 : i64} : (tensor<1x48x60x50xf32>, tensor<48x1x1x3xf32>, tensor<48xf32>) -> tensor<1x48x20x50xf32>
  %u25 = "tcc.relu"(%c24) : (tensor<1x48x20x50xf32>) -> tensor<1x48x20x50xf32>
  return %u11, %u18, %u25 : tensor<1x24x41x39xf32>, tensor<2x20x16x40xf32>, tensor<1x48x20x50xf32>
}
