// RUN: rm -rf %t && tcc-run %s --random=1  --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: tcc-run %s --random  --profile | FileCheck %s
// REQUIRES: avx2

// Transposed convolutions against the reference target.
// CHECK-COUNT-3: x86.conv
// CHECK-NOT: {{reference|loops}}
func.func @main(%x0: tensor<1x4x6x7xf32>, %x1: tensor<4x5x3x3xf32>, %x2: tensor<2x4x6x7xf32>, %x3: tensor<4x3x3x4xf32>, %x4: tensor<6xf32>, %x5: tensor<1x4x9xf32>, %x6: tensor<4x5x4xf32>) -> (tensor<1x5x8x9xf32>, tensor<2x6x12x23xf32>, tensor<1x5x18xf32>) {
  %1 = "tcc.none"() : () -> none
  %2 = "tcc.conv_transpose"(%x0, %x1, %1) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x4x6x7xf32>, tensor<4x5x3x3xf32>, none) -> tensor<1x5x8x9xf32>
  %3 = "tcc.conv_transpose"(%x2, %x3, %x4) {strides = array<i64: 2, 3>, pads = array<i64: 1, 0, 1, 2>, dilations = array<i64: 1, 2>, groups = 2 : i64, output_padding = array<i64: 1, 0>} : (tensor<2x4x6x7xf32>, tensor<4x3x3x4xf32>, tensor<6xf32>) -> tensor<2x6x12x23xf32>
  %4 = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %5 = "tcc.max"(%3, %4) : (tensor<2x6x12x23xf32>, tensor<f32>) -> tensor<2x6x12x23xf32>
  %6 = "tcc.none"() : () -> none
  %7 = "tcc.conv_transpose"(%x5, %x6, %6) {strides = array<i64: 2>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 1 : i64, output_padding = array<i64: 0>} : (tensor<1x4x9xf32>, tensor<4x5x4xf32>, none) -> tensor<1x5x18xf32>
  return %2, %5, %7 : tensor<1x5x8x9xf32>, tensor<2x6x12x23xf32>, tensor<1x5x18xf32>
}
