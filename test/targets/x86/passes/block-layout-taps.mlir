// Convolutions of many channels into few are one product, whose rows are the taps of each channel of the result: with dilations and paddings of one side, of images
// of any size, none and of several, along one axis, without a bias. Those with strides go by blocks, and so do those that fill lanes: three of eight channels are
// many, one is not; three of sixteen are few.
// RUN: tcc-opt --tcc-block-layout --target=x86,avx512 %s | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: tcc-opt --tcc-block-layout --target=x86,avx2 %s | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: rm -rf %t && tcc-run %s --no-cache --target=reference --random=1 --dim=B=2 --dim=H=12 --save=%t
// RUN: tcc-run %s --no-cache --random=1 --dim=B=2 --dim=H=12 --data=%t --check --rtol=1e-5
// RUN: tcc-run %s --no-cache --target=x86,avx2 --random=1 --dim=B=2 --dim=H=12 --data=%t --check --rtol=1e-5
// RUN: rm -rf %t && tcc-run %s --no-cache --target=reference --random=1 --dim=B=3 --dim=H=1 --save=%t
// RUN: tcc-run %s --no-cache --random=1 --dim=B=3 --dim=H=1 --data=%t --check --rtol=1e-5
// RUN: tcc-run %s --no-cache --random=1 --dim=B=0 --dim=H=5
// REQUIRES: avx2
// WIDE: "tcc.matmul"{{.*}}tensor<27x40xf32>, tensor<?x40x?xf32
// NARROW: "tcc.conv_blocked"
// CHECK: "tcc.matmul"{{.*}}tensor<7x32xf32>, tensor<2x32x50xf32>
// CHECK: "tcc.matmul"{{.*}}tensor<6x16xf32>, tensor<3x16x63xf32>
// CHECK: "tcc.conv_blocked"
// CHECK-NOT: "tcc.matmul"
func.func @main(%a: tensor<?x40x?x11xf32, ["B", 40, "H", 11]>, %b: tensor<2x32x50xf32>, %c: tensor<3x16x9x7xf32>)
    -> (tensor<?x3x?x11xf32, ["B", 3, "H", 11]>, tensor<2x1x46xf32>, tensor<3x1x8x4xf32>, tensor<3x1x4x3xf32>) {
  %none = "tcc.none"() : () -> none
  %b0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<3xf32>
  %i0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<1080xf32>
  %s0 = "tcc.sin"(%i0) : (tensor<1080xf32>) -> tensor<1080xf32>
  %w0 = "tcc.reshape"(%s0) : (tensor<1080xf32>) -> tensor<3x40x3x3xf32>
  %y0 = "tcc.conv"(%a, %w0, %b0) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x40x?x11xf32, ["B", 40, "H", 11]>, tensor<3x40x3x3xf32>, tensor<3xf32>) -> tensor<?x3x?x11xf32, ["B", 3, "H", 11]>
  %i1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<224xf32>
  %s1 = "tcc.cos"(%i1) : (tensor<224xf32>) -> tensor<224xf32>
  %w1 = "tcc.reshape"(%s1) : (tensor<224xf32>) -> tensor<1x32x7xf32>
  %y1 = "tcc.conv"(%b, %w1, %none) {strides = array<i64: 1>, pads = array<i64: 0, 2>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<2x32x50xf32>, tensor<1x32x7xf32>, none) -> tensor<2x1x46xf32>
  %i2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<96xf32>
  %s2 = "tcc.cos"(%i2) : (tensor<96xf32>) -> tensor<96xf32>
  %w2 = "tcc.reshape"(%s2) : (tensor<96xf32>) -> tensor<1x16x2x3xf32>
  %y2 = "tcc.conv"(%c, %w2, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 1, 0, 0>, dilations = array<i64: 1, 2>, groups = 1 : i64} : (tensor<3x16x9x7xf32>, tensor<1x16x2x3xf32>, none) -> tensor<3x1x8x4xf32>
  %y3 = "tcc.conv"(%c, %w2, %none) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<3x16x9x7xf32>, tensor<1x16x2x3xf32>, none) -> tensor<3x1x4x3xf32>
  return %y0, %y1, %y2, %y3 : tensor<?x3x?x11xf32, ["B", 3, "H", 11]>, tensor<2x1x46xf32>, tensor<3x1x8x4xf32>, tensor<3x1x4x3xf32>
}
