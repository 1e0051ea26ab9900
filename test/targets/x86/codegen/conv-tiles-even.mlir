// A row of dynamic width is cut into tiles of two neighbouring sizes where tiles are of a few pixels: 7 are 4 + 3, 9 three times 3, and 5 twice 3, of which one
// pixel is computed twice. Single pixels where rows are narrower than a tile. A line that is shared has whole tiles in each share.
// RUN: tcc-explain %s --numerics=direct --target=x86,avx2,l2=512K | FileCheck %s
// RUN: bash %S/Inputs/sizes.sh %s %t "2 3 5 6 7 9 13 29" 1e-3 --numerics=direct --threads=2
// REQUIRES: avx2
// CHECK: pixels=4 vectors=3 {{.*}} even
func.func @main(%x: tensor<1x32x?x?xf32, [1, 32, "N", "N"]>, %line: tensor<1x32x?xf32, [1, 32, "N"]>) -> (tensor<1x72x?x?xf32, [1, 72, "N", "N"]>, tensor<1x72x?xf32, [1, 72, "N"]>) {
  %none = "tcc.none"() : () -> none
  %w0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<20736xf32>
  %w1 = "tcc.sin"(%w0) : (tensor<20736xf32>) -> tensor<20736xf32>
  %w = "tcc.reshape"(%w1) : (tensor<20736xf32>) -> tensor<72x32x3x3xf32>
  %v0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<6912xf32>
  %v1 = "tcc.sin"(%v0) : (tensor<6912xf32>) -> tensor<6912xf32>
  %v = "tcc.reshape"(%v1) : (tensor<6912xf32>) -> tensor<72x32x3xf32>
  %0 = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x32x?x?xf32, [1, 32, "N", "N"]>, tensor<72x32x3x3xf32>, none) -> tensor<1x72x?x?xf32, [1, 72, "N", "N"]>
  %1 = "tcc.conv"(%line, %v, %none) {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x32x?xf32, [1, 32, "N"]>, tensor<72x32x3xf32>, none) -> tensor<1x72x?xf32, [1, 72, "N"]>
  return %0, %1 : tensor<1x72x?x?xf32, [1, 72, "N", "N"]>, tensor<1x72x?xf32, [1, 72, "N"]>
}
