// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=1 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=1 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=3 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=3 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=3 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=3 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: tcc-run %s --random --dim=N=1 --profile | FileCheck %s
// REQUIRES: avx2

// Convolutions against the reference target: one to three axes, strides, dilations, groups, depthwise, 1x1, epilogues.
// CHECK-COUNT-8: x86.conv
// CHECK-NOT: {{reference|loops}}
func.func @main(%x0: tensor<2x3x9x11xf32>, %x1: tensor<8x3x3x3xf32>, %x2: tensor<8xf32>, %x3: tensor<2x8x9x11xf32>, %x4: tensor<1x5x17x19xf32>, %x5: tensor<17x5x3x5xf32>, %x6: tensor<2x6x13x14xf32>, %x7: tensor<9x2x3x3xf32>, %x8: tensor<9xf32>, %x9: tensor<1x8x20x33xf32>, %x10: tensor<8x1x3x3xf32>, %x11: tensor<1x8x20x33xf32>, %x12: tensor<16x1x5x5xf32>, %x13: tensor<?x64x7x7xf32, ["N", 64, 7, 7]>, %x14: tensor<80x64x1x1xf32>, %x15: tensor<2x5x30xf32>, %x16: tensor<4x5x4xf32>, %x17: tensor<?x3x6x7x8xf32, ["N", 3, 6, 7, 8]>, %x18: tensor<4x3x3x2x3xf32>) -> (tensor<2x8x9x11xf32>, tensor<1x17x7x10xf32>, tensor<2x9x13x14xf32>, tensor<1x8x20x33xf32>, tensor<1x16x10x33xf32>, tensor<?x80x7x7xf32, ["N", 80, 7, 7]>, tensor<2x4x10xf32>, tensor<?x4x6x4x8xf32, ["N", 4, 6, 4, 8]>) {
  %1 = "tcc.conv"(%x0, %x1, %x2) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x3x9x11xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>) -> tensor<2x8x9x11xf32>
  %2 = "tcc.add"(%1, %x3) : (tensor<2x8x9x11xf32>, tensor<2x8x9x11xf32>) -> tensor<2x8x9x11xf32>
  %3 = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %4 = "tcc.max"(%2, %3) : (tensor<2x8x9x11xf32>, tensor<f32>) -> tensor<2x8x9x11xf32>
  %5 = "tcc.none"() : () -> none
  %6 = "tcc.conv"(%x4, %x5, %5) {strides = array<i64: 2, 2>, pads = array<i64: 1, 2, 0, 3>, dilations = array<i64: 2, 1>, groups = 1 : i64} : (tensor<1x5x17x19xf32>, tensor<17x5x3x5xf32>, none) -> tensor<1x17x7x10xf32>
  %7 = "tcc.conv"(%x6, %x7, %x8) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 3 : i64} : (tensor<2x6x13x14xf32>, tensor<9x2x3x3xf32>, tensor<9xf32>) -> tensor<2x9x13x14xf32>
  %8 = "tcc.none"() : () -> none
  %9 = "tcc.conv"(%x9, %x10, %8) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 8 : i64} : (tensor<1x8x20x33xf32>, tensor<8x1x3x3xf32>, none) -> tensor<1x8x20x33xf32>
  %10 = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %11 = "tcc.max"(%9, %10) : (tensor<1x8x20x33xf32>, tensor<f32>) -> tensor<1x8x20x33xf32>
  %12 = "tcc.none"() : () -> none
  %13 = "tcc.conv"(%x11, %x12, %12) {strides = array<i64: 2, 1>, pads = array<i64: 2, 2, 2, 2>, dilations = array<i64: 1, 1>, groups = 8 : i64} : (tensor<1x8x20x33xf32>, tensor<16x1x5x5xf32>, none) -> tensor<1x16x10x33xf32>
  %14 = "tcc.none"() : () -> none
  %15 = "tcc.conv"(%x13, %x14, %14) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x64x7x7xf32, ["N", 64, 7, 7]>, tensor<80x64x1x1xf32>, none) -> tensor<?x80x7x7xf32, ["N", 80, 7, 7]>
  %16 = "tcc.none"() : () -> none
  %17 = "tcc.conv"(%x15, %x16, %16) {strides = array<i64: 3>, pads = array<i64: 2, 1>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<2x5x30xf32>, tensor<4x5x4xf32>, none) -> tensor<2x4x10xf32>
  %18 = "tcc.none"() : () -> none
  %19 = "tcc.conv"(%x17, %x18, %18) {strides = array<i64: 1, 2, 1>, pads = array<i64: 1, 0, 1, 1, 1, 1>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64} : (tensor<?x3x6x7x8xf32, ["N", 3, 6, 7, 8]>, tensor<4x3x3x2x3xf32>, none) -> tensor<?x4x6x4x8xf32, ["N", 4, 6, 4, 8]>
  return %4, %6, %7, %11, %13, %15, %17, %19 : tensor<2x8x9x11xf32>, tensor<1x17x7x10xf32>, tensor<2x9x13x14xf32>, tensor<1x8x20x33xf32>, tensor<1x16x10x33xf32>, tensor<?x80x7x7xf32, ["N", 80, 7, 7]>, tensor<2x4x10xf32>, tensor<?x4x6x4x8xf32, ["N", 4, 6, 4, 8]>
}
