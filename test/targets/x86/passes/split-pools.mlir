// RUN: tcc-opt --tcc-split-pools --target=x86 %s | FileCheck %s
// RUN: tcc-run --random=1 --dim=D=7 --dim=W=9 --compare=interp %s | FileCheck %s --check-prefix=SAME
// SAME: ok: 4 kernels match the interpreter

// Planes first, then along the depth, with strides, paddings, dilations and sizes that are not known; means, and windows over two axes, stay what they are.
// CHECK: %[[P:.*]] = "tcc.pool"({{.*}}) {ceil_mode = true, dilations = array<i64: 1, 2>, kernel = array<i64: 3, 2>, kind = "max", pads = array<i64: 1, 0, 0, 1>, strides = array<i64: 1, 2>} : (tensor<2x?x8x?xf32, [2, "3*D", 8, "W"]>) -> tensor<2x?x7x?xf32, [2, "3*D", 7, "{{.*}}"]>
// CHECK: %[[R:.*]] = "tcc.reshape"(%[[P]]) : {{.*}} -> tensor<2x3x?x?xf32
// CHECK: "tcc.pool"(%[[R]]) {ceil_mode = true, dilations = array<i64: 1, 1>, kernel = array<i64: 2, 1>, kind = "max", pads = array<i64: 0, 0, 1, 0>, strides = array<i64: 2, 1>}
// CHECK: "tcc.pool"({{.*}}kind = "avg"{{.*}}tensor<1x2x4x6x5xf32>
// CHECK: "tcc.pool"({{.*}}kind = "max"{{.*}}tensor<1x2x6x5xf32>
func.func @main(%x: tensor<2x3x?x8x?xf32, [2, 3, "D", 8, "W"]>, %y: tensor<1x2x4x6x5xf32>, %z: tensor<1x2x6x5xf32>) -> (tensor<2x3x?x7x?xf32, [2, 3, "floordiv(D + 1, 2)", 7, "floordiv(W + 1, 2)"]>, tensor<1x2x2x3x2xf32>, tensor<1x2x3x2xf32>) {
  %0 = "tcc.pool"(%x) {kind = "max", kernel = array<i64: 2, 3, 2>, strides = array<i64: 2, 1, 2>, pads = array<i64: 0, 1, 0, 1, 0, 1>, dilations = array<i64: 1, 1, 2>, ceil_mode = true} : (tensor<2x3x?x8x?xf32, [2, 3, "D", 8, "W"]>) -> tensor<2x3x?x7x?xf32, [2, 3, "floordiv(D + 1, 2)", 7, "floordiv(W + 1, 2)"]>
  %1 = "tcc.pool"(%y) {kind = "avg", kernel = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>} : (tensor<1x2x4x6x5xf32>) -> tensor<1x2x2x3x2xf32>
  %2 = "tcc.pool"(%z) {kind = "max", kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x6x5xf32>) -> tensor<1x2x3x2xf32>
  return %0, %1, %2 : tensor<2x3x?x7x?xf32, [2, 3, "floordiv(D + 1, 2)", 7, "floordiv(W + 1, 2)"]>, tensor<1x2x2x3x2xf32>, tensor<1x2x3x2xf32>
}
