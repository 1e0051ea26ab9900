// Groups that are narrower than a block of channels, or no multiple of one, are made one group, as many as fill blocks but at most four; weights
// of other groups are zeros. What a call may change stays as it is, and so do all with --numerics=direct, where no infinity reaches other groups.
// RUN: tcc-opt --tcc-block-layout --target=x86,avx2 %s | FileCheck %s
// RUN: sed 's/^module {/module attributes {tcc.numerics = "direct"} {/' %s | tcc-opt --tcc-block-layout --target=x86,avx2 | FileCheck %s --check-prefix=DIRECT
// RUN: rm -rf %t && tcc-run %s --no-cache --target=reference --random=1 --save=%t
// RUN: tcc-run %s --no-cache --target=x86,avx2 --random=1 --data=%t --check --rtol=1e-4 --atol=1e-4
// RUN: tcc-run %s --no-cache --random=1 --data=%t --check --rtol=1e-4 --atol=1e-4
// REQUIRES: avx2
module {
// CHECK-DAG: tcc.conv_blocked{{.*}}groups = 4 : i64
// CHECK-DAG: tcc.conv_blocked{{.*}}groups = 2 : i64
// CHECK-DAG: tcc.conv_blocked{{.*}}groups = 3 : i64
// CHECK-DAG: "tcc.conv"{{.*}}groups = 12 : i64
// CHECK-DAG: "tcc.conv"{{.*}}groups = 8 : i64
// CHECK-DAG: tcc.conv_blocked{{.*}}groups = 5 : i64
// DIRECT-NOT: tcc.conv_blocked
func.func @main(%a: tensor<1x32x9x11xf32>, %b: tensor<2x48x7x7xf32>, %c: tensor<1x24x6x6xf32>, %d: tensor<1x12x8x8xf32>, %w: tensor<32x4x3x3xf32>, %e: tensor<1x40x31xf32>)
    -> (tensor<1x32x9x11xf32>, tensor<2x96x4x4xf32>, tensor<1x24x6x6xf32>, tensor<1x36x8x8xf32>, tensor<1x32x9x11xf32>, tensor<1x80x31xf32>) {
  %none = "tcc.none"() : () -> none
  %i0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<1152xf32>
  %s0 = "tcc.sin"(%i0) : (tensor<1152xf32>) -> tensor<1152xf32>
  %w0 = "tcc.reshape"(%s0) : (tensor<1152xf32>) -> tensor<32x4x3x3xf32>
  %i1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<10368xf32>
  %s1 = "tcc.sin"(%i1) : (tensor<10368xf32>) -> tensor<10368xf32>
  %w1 = "tcc.reshape"(%s1) : (tensor<10368xf32>) -> tensor<96x12x3x3xf32>
  %i2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<48xf32>
  %s2 = "tcc.sin"(%i2) : (tensor<48xf32>) -> tensor<48xf32>
  %w2 = "tcc.reshape"(%s2) : (tensor<48xf32>) -> tensor<24x2x1x1xf32>
  %i3 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<324xf32>
  %s3 = "tcc.sin"(%i3) : (tensor<324xf32>) -> tensor<324xf32>
  %w3 = "tcc.reshape"(%s3) : (tensor<324xf32>) -> tensor<36x1x3x3xf32>
  %i4 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<960xf32>
  %s4 = "tcc.sin"(%i4) : (tensor<960xf32>) -> tensor<960xf32>
  %w4 = "tcc.reshape"(%s4) : (tensor<960xf32>) -> tensor<80x4x3xf32>
  %0 = "tcc.conv"(%a, %w0, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 8 : i64} : (tensor<1x32x9x11xf32>, tensor<32x4x3x3xf32>, none) -> tensor<1x32x9x11xf32>
  %1 = "tcc.conv"(%b, %w1, %none) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 4 : i64} : (tensor<2x48x7x7xf32>, tensor<96x12x3x3xf32>, none) -> tensor<2x96x4x4xf32>
  %2 = "tcc.conv"(%c, %w2, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 12 : i64} : (tensor<1x24x6x6xf32>, tensor<24x2x1x1xf32>, none) -> tensor<1x24x6x6xf32>
  %3 = "tcc.conv"(%d, %w3, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 12 : i64} : (tensor<1x12x8x8xf32>, tensor<36x1x3x3xf32>, none) -> tensor<1x36x8x8xf32>
  %4 = "tcc.conv"(%a, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 8 : i64} : (tensor<1x32x9x11xf32>, tensor<32x4x3x3xf32>, none) -> tensor<1x32x9x11xf32>
  %5 = "tcc.conv"(%e, %w4, %none) {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 10 : i64} : (tensor<1x40x31xf32>, tensor<80x4x3xf32>, none) -> tensor<1x80x31xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<1x32x9x11xf32>, tensor<2x96x4x4xf32>, tensor<1x24x6x6xf32>, tensor<1x36x8x8xf32>, tensor<1x32x9x11xf32>, tensor<1x80x31xf32>
}
}
