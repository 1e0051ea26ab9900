// RUN: tcc-opt %s --target=x86,avx2,l2=512K --tcc-simplify --tcc-lower-qdq --verify-each | FileCheck %s
// RUN: tcc-opt %s --target=x86,skylake-avx512 --tcc-simplify --tcc-lower-qdq | FileCheck %s --check-prefix=WIDE
// RUN: sed 's/^module {/module attributes {tcc.numerics = "direct"} {/' %s | tcc-opt --target=x86,avx2,l2=512K --tcc-simplify --tcc-lower-qdq | FileCheck %s --check-prefix=DIRECT

// Without vpdpbusd a convolution of dequantised bytes is one of bytes where that takes fewer cycles than in f32. A window of one pixel, one at a stride, and one
// with more weights than pixels is; Winograd's filtering of f32 is faster on large images. With vectors of 512 bits vpmaddwd and vpaddd share two ports, so that
// it is weights alone that are fewer.
module {
// CHECK-LABEL: @pixel(
// CHECK: "tcc.conv"({{.*}}xi32>
// WIDE-LABEL: @pixel(
// WIDE: "tcc.conv"({{.*}}xf32>
func.func @pixel(%x: tensor<1x64x56x56xui8>, %b: tensor<256xf32>) -> tensor<1x256x56x56xf32> {
  %s = "tcc.constant"() {value = dense<5.000000e-01> : tensor<f32>} : () -> tensor<f32>
  %t = "tcc.constant"() {value = dense<2.500000e-01> : tensor<256x1x1x1xf32>} : () -> tensor<256x1x1x1xf32>
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 16384 : i64} : () -> tensor<256x64x1x1xi8>
  %0 = "tcc.convert"(%x) : (tensor<1x64x56x56xui8>) -> tensor<1x64x56x56xf32>
  %1 = "tcc.mul"(%0, %s) : (tensor<1x64x56x56xf32>, tensor<f32>) -> tensor<1x64x56x56xf32>
  %2 = "tcc.convert"(%w) : (tensor<256x64x1x1xi8>) -> tensor<256x64x1x1xf32>
  %3 = "tcc.mul"(%2, %t) : (tensor<256x64x1x1xf32>, tensor<256x1x1x1xf32>) -> tensor<256x64x1x1xf32>
  %4 = "tcc.conv"(%1, %3, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64} : (tensor<1x64x56x56xf32>, tensor<256x64x1x1xf32>, tensor<256xf32>) -> tensor<1x256x56x56xf32>
  return %4 : tensor<1x256x56x56xf32>
}

// CHECK-LABEL: @strided(
// CHECK: "tcc.conv"({{.*}}xi32>
func.func @strided(%x: tensor<1x64x56x56xui8>, %b: tensor<128xf32>) -> tensor<1x128x28x28xf32> {
  %s = "tcc.constant"() {value = dense<5.000000e-01> : tensor<f32>} : () -> tensor<f32>
  %t = "tcc.constant"() {value = dense<2.500000e-01> : tensor<128x1x1x1xf32>} : () -> tensor<128x1x1x1xf32>
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 73728 : i64} : () -> tensor<128x64x3x3xi8>
  %0 = "tcc.convert"(%x) : (tensor<1x64x56x56xui8>) -> tensor<1x64x56x56xf32>
  %1 = "tcc.mul"(%0, %s) : (tensor<1x64x56x56xf32>, tensor<f32>) -> tensor<1x64x56x56xf32>
  %2 = "tcc.convert"(%w) : (tensor<128x64x3x3xi8>) -> tensor<128x64x3x3xf32>
  %3 = "tcc.mul"(%2, %t) : (tensor<128x64x3x3xf32>, tensor<128x1x1x1xf32>) -> tensor<128x64x3x3xf32>
  %4 = "tcc.conv"(%1, %3, %b) {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64} : (tensor<1x64x56x56xf32>, tensor<128x64x3x3xf32>, tensor<128xf32>) -> tensor<1x128x28x28xf32>
  return %4 : tensor<1x128x28x28xf32>
}

// CHECK-LABEL: @window(
// CHECK: "tcc.conv"({{.*}}xf32>
// DIRECT-LABEL: @window(
// DIRECT: "tcc.conv"({{.*}}xi32>
func.func @window(%x: tensor<1x64x56x56xui8>, %b: tensor<64xf32>) -> tensor<1x64x56x56xf32> {
  %s = "tcc.constant"() {value = dense<5.000000e-01> : tensor<f32>} : () -> tensor<f32>
  %t = "tcc.constant"() {value = dense<2.500000e-01> : tensor<64x1x1x1xf32>} : () -> tensor<64x1x1x1xf32>
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 36864 : i64} : () -> tensor<64x64x3x3xi8>
  %0 = "tcc.convert"(%x) : (tensor<1x64x56x56xui8>) -> tensor<1x64x56x56xf32>
  %1 = "tcc.mul"(%0, %s) : (tensor<1x64x56x56xf32>, tensor<f32>) -> tensor<1x64x56x56xf32>
  %2 = "tcc.convert"(%w) : (tensor<64x64x3x3xi8>) -> tensor<64x64x3x3xf32>
  %3 = "tcc.mul"(%2, %t) : (tensor<64x64x3x3xf32>, tensor<64x1x1x1xf32>) -> tensor<64x64x3x3xf32>
  %4 = "tcc.conv"(%1, %3, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64} : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>) -> tensor<1x64x56x56xf32>
  return %4 : tensor<1x64x56x56xf32>
}

// CHECK-LABEL: @weights(
// CHECK: "tcc.conv"({{.*}}xi32>
// WIDE-LABEL: @weights(
// WIDE: "tcc.conv"({{.*}}xi32>
func.func @weights(%x: tensor<2x512x2x2xui8>, %b: tensor<512xf32>) -> tensor<2x512x2x2xf32> {
  %s = "tcc.constant"() {value = dense<5.000000e-01> : tensor<f32>} : () -> tensor<f32>
  %t = "tcc.constant"() {value = dense<2.500000e-01> : tensor<512x1x1x1xf32>} : () -> tensor<512x1x1x1xf32>
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 2359296 : i64} : () -> tensor<512x512x3x3xi8>
  %0 = "tcc.convert"(%x) : (tensor<2x512x2x2xui8>) -> tensor<2x512x2x2xf32>
  %1 = "tcc.mul"(%0, %s) : (tensor<2x512x2x2xf32>, tensor<f32>) -> tensor<2x512x2x2xf32>
  %2 = "tcc.convert"(%w) : (tensor<512x512x3x3xi8>) -> tensor<512x512x3x3xf32>
  %3 = "tcc.mul"(%2, %t) : (tensor<512x512x3x3xf32>, tensor<512x1x1x1xf32>) -> tensor<512x512x3x3xf32>
  %4 = "tcc.conv"(%1, %3, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64} : (tensor<2x512x2x2xf32>, tensor<512x512x3x3xf32>, tensor<512xf32>) -> tensor<2x512x2x2xf32>
  return %4 : tensor<2x512x2x2xf32>
}
}
