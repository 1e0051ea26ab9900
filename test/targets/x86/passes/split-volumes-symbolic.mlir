// RUN: tcc-opt --tcc-split-volumes --target=x86 %s | FileCheck %s
// RUN: tcc-run --random=1 --dim=K=3 --compare=interp %s | FileCheck %s --check-prefix=SAME
// SAME: the interpreter

// A window whose depth is not known stays; of one whose rows and columns are not known the depth is.
// CHECK: "tcc.conv"({{.*}}tensor<4x8x?x?x?xf32
// CHECK: "tcc.conv"({{.*}}tensor<4x16x?x?xf32
func.func @main(%x: tensor<1x8x6x7x6xf32>, %w: tensor<4x8x?x?x?xf32, [4, 8, "K", "K", "K"]>, %v: tensor<4x8x2x?x?xf32, [4, 8, 2, "K", "K"]>)
    -> (tensor<1x4x?x?x?xf32, [1, 4, "-K + 7", "-K + 8", "-K + 7"]>, tensor<1x4x5x?x?xf32, [1, 4, 5, "-K + 8", "-K + 7"]>) {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64} : (tensor<1x8x6x7x6xf32>, tensor<4x8x?x?x?xf32, [4, 8, "K", "K", "K"]>, none) -> tensor<1x4x?x?x?xf32, [1, 4, "-K + 7", "-K + 8", "-K + 7"]>
  %1 = "tcc.conv"(%x, %v, %none) {strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64} : (tensor<1x8x6x7x6xf32>, tensor<4x8x2x?x?xf32, [4, 8, 2, "K", "K"]>, none) -> tensor<1x4x5x?x?xf32, [1, 4, 5, "-K + 8", "-K + 7"]>
  return %0, %1 : tensor<1x4x?x?x?xf32, [1, 4, "-K + 7", "-K + 8", "-K + 7"]>, tensor<1x4x5x?x?xf32, [1, 4, 5, "-K + 8", "-K + 7"]>
}
