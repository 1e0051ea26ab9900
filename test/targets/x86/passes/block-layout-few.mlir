// Convolutions of many channels into few that have windows go by blocks, although some lanes of the result are padding: patches of all channels take longer. Where
// most are, they are products of taps (block-layout-taps.mlir), along one axis, too. Of one pixel there are no patches.
// RUN: tcc-opt --tcc-block-layout --target=x86,avx2 %s | FileCheck %s
// RUN: rm -rf %t && tcc-run %s --no-cache --target=reference --random=1 --dim=H=12 --save=%t
// RUN: tcc-run %s --no-cache --target=x86,avx2 --random=1 --dim=H=12 --data=%t --check --rtol=1e-4 --atol=1e-4
// RUN: tcc-run %s --no-cache --random=1 --dim=H=12 --data=%t --check --rtol=1e-4 --atol=1e-4
// REQUIRES: avx2
// CHECK: "tcc.conv_blocked"{{.*}}tensor<1x1x?x11x8xf32
// CHECK: "tcc.matmul"{{.*}}tensor<7x32xf32>, tensor<2x32x50xf32>
// CHECK: "tcc.conv"({{.*}}tensor<2x16x1x1xf32>
func.func @main(%a: tensor<1x24x?x11xf32, [1, 24, "H", 11]>, %b: tensor<2x32x50xf32>, %c: tensor<1x16x9x9xf32>)
    -> (tensor<1x3x?x11xf32, [1, 3, "H", 11]>, tensor<2x1x50xf32>, tensor<1x2x9x9xf32>) {
  %none = "tcc.none"() : () -> none
  %b0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<3xf32>
  %i0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<3528xf32>
  %s0 = "tcc.sin"(%i0) : (tensor<3528xf32>) -> tensor<3528xf32>
  %w0 = "tcc.reshape"(%s0) : (tensor<3528xf32>) -> tensor<3x24x7x7xf32>
  %0 = "tcc.conv"(%a, %w0, %b0) {strides = array<i64: 1, 1>, pads = array<i64: 3, 3, 3, 3>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x24x?x11xf32, [1, 24, "H", 11]>, tensor<3x24x7x7xf32>, tensor<3xf32>) -> tensor<1x3x?x11xf32, [1, 3, "H", 11]>
  %i1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<224xf32>
  %s1 = "tcc.cos"(%i1) : (tensor<224xf32>) -> tensor<224xf32>
  %w1 = "tcc.reshape"(%s1) : (tensor<224xf32>) -> tensor<1x32x7xf32>
  %1 = "tcc.conv"(%b, %w1, %none) {strides = array<i64: 1>, pads = array<i64: 3, 3>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<2x32x50xf32>, tensor<1x32x7xf32>, none) -> tensor<2x1x50xf32>
  %i2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<32xf32>
  %s2 = "tcc.cos"(%i2) : (tensor<32xf32>) -> tensor<32xf32>
  %w2 = "tcc.reshape"(%s2) : (tensor<32xf32>) -> tensor<2x16x1x1xf32>
  %2 = "tcc.conv"(%c, %w2, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x16x9x9xf32>, tensor<2x16x1x1xf32>, none) -> tensor<1x2x9x9xf32>
  return %0, %1, %2 : tensor<1x3x?x11xf32, [1, 3, "H", 11]>, tensor<2x1x50xf32>, tensor<1x2x9x9xf32>
}
