// RUN: tcc-opt --tcc-split-volumes --target=x86 %s | FileCheck %s

// The planes of all windows of this volume would take 0.8 GB: it stays. Of columns nothing is written.
// CHECK: "tcc.conv"({{.*}}tensor<32x32x3x3x3xf32>
// CHECK: "tcc.conv"({{.*}}tensor<32x32x3x1xf32>
func.func @main(%x: tensor<1x32x128x128x128xf32>, %w: tensor<32x32x3x3x3xf32>, %v: tensor<32x32x3x1x1xf32>) -> (tensor<1x32x128x128x128xf32>, tensor<1x32x128x128x128xf32>) {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1, 1>, pads = array<i64: 1, 1, 1, 1, 1, 1>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64} : (tensor<1x32x128x128x128xf32>, tensor<32x32x3x3x3xf32>, none) -> tensor<1x32x128x128x128xf32>
  %1 = "tcc.conv"(%x, %v, %none) {strides = array<i64: 1, 1, 1>, pads = array<i64: 1, 0, 0, 1, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64} : (tensor<1x32x128x128x128xf32>, tensor<32x32x3x1x1xf32>, none) -> tensor<1x32x128x128x128xf32>
  return %0, %1 : tensor<1x32x128x128x128xf32>, tensor<1x32x128x128x128xf32>
}
