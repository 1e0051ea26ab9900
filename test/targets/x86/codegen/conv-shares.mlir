// RUN: rm -rf %t && tcc-run %s --random=1 --target=x86,avx512 --threads=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --target=x86,avx512 --threads=3 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --target=x86,avx2 --threads=2 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-3
// RUN: tcc-explain %s --target=x86,avx512 --no-cache | FileCheck %s
// REQUIRES: avx512

// A single row is shared by threads: tiles of pixels in parts, of two sizes of tiles. Without padding a plain image is read where it lies.
// CHECK-COUNT-4: schedule: x86.conv_blocked/1 {{.*}} share={{[0-9]+}}
func.func @main(%x0: tensor<1x1x1x16001xf32>, %x1: tensor<2x24x1x777xf32>, %x2: tensor<1x3x1x301xf32>, %x3: tensor<1x32x1x500xf32>) -> (tensor<1x70x1x98xf32>, tensor<2x24x1x777xf32>, tensor<1x16x1x150xf32>, tensor<1x32x1x500xf32>) {
  %none = "tcc.none"() : () -> none
  %i0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<28000xf32>
  %s0 = "tcc.sin"(%i0) : (tensor<28000xf32>) -> tensor<28000xf32>
  %w0 = "tcc.reshape"(%s0) : (tensor<28000xf32>) -> tensor<70x1x1x400xf32>
  %i1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<70xf32>
  %s1 = "tcc.sin"(%i1) : (tensor<70xf32>) -> tensor<70xf32>
  %c2 = "tcc.conv"(%x0, %w0, %s1) {strides = array<i64: 1, 160>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x1x1x16001xf32>, tensor<70x1x1x400xf32>, tensor<70xf32>) -> tensor<1x70x1x98xf32>
  %u3 = "tcc.relu"(%c2) : (tensor<1x70x1x98xf32>) -> tensor<1x70x1x98xf32>
  %i4 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<4032xf32>
  %s4 = "tcc.sin"(%i4) : (tensor<4032xf32>) -> tensor<4032xf32>
  %w4 = "tcc.reshape"(%s4) : (tensor<4032xf32>) -> tensor<24x24x1x7xf32>
  %i5 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<24xf32>
  %s5 = "tcc.sin"(%i5) : (tensor<24xf32>) -> tensor<24xf32>
  %c6 = "tcc.conv"(%x1, %w4, %s5) {strides = array<i64: 1, 1>, pads = array<i64: 0, 3, 0, 3>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x24x1x777xf32>, tensor<24x24x1x7xf32>, tensor<24xf32>) -> tensor<2x24x1x777xf32>
  %u7 = "tcc.relu"(%c6) : (tensor<2x24x1x777xf32>) -> tensor<2x24x1x777xf32>
  %u8 = "tcc.add"(%u7, %x1) : (tensor<2x24x1x777xf32>, tensor<2x24x1x777xf32>) -> tensor<2x24x1x777xf32>
  %i9 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<144xf32>
  %s9 = "tcc.sin"(%i9) : (tensor<144xf32>) -> tensor<144xf32>
  %w9 = "tcc.reshape"(%s9) : (tensor<144xf32>) -> tensor<16x3x1x3xf32>
  %c10 = "tcc.conv"(%x2, %w9, %none) {strides = array<i64: 1, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x1x301xf32>, tensor<16x3x1x3xf32>, none) -> tensor<1x16x1x150xf32>
  %i11 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<160xf32>
  %s11 = "tcc.sin"(%i11) : (tensor<160xf32>) -> tensor<160xf32>
  %w11 = "tcc.reshape"(%s11) : (tensor<160xf32>) -> tensor<32x1x1x5xf32>
  %i12 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<32xf32>
  %s12 = "tcc.sin"(%i12) : (tensor<32xf32>) -> tensor<32xf32>
  %c13 = "tcc.conv"(%x3, %w11, %s12) {strides = array<i64: 1, 1>, pads = array<i64: 0, 4, 0, 0>, dilations = array<i64: 1, 1>, groups = 32 : i64} : (tensor<1x32x1x500xf32>, tensor<32x1x1x5xf32>, tensor<32xf32>) -> tensor<1x32x1x500xf32>
  %u14 = "tcc.relu"(%c13) : (tensor<1x32x1x500xf32>) -> tensor<1x32x1x500xf32>
  return %u3, %u8, %c10, %u14 : tensor<1x70x1x98xf32>, tensor<2x24x1x777xf32>, tensor<1x16x1x150xf32>, tensor<1x32x1x500xf32>
}
