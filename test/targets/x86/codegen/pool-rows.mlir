// Rows of a pool follow each other through images and channels of sizes that are not known: in one axis, two and three, of an operand that is a view.
// RUN: bash %S/Inputs/sizes.sh %s %t "3 4 5 9" 1e-6
// RUN: tcc-run %s --random=1 --dim=N=9 --data=%t/9 --check --threads=3 --rtol=1e-6 --atol=1e-6
// REQUIRES: avx2
func.func @main(%a: tensor<?x3x?x11xf32, ["N", 3, "N", 11]>, %b: tensor<2x?x?xf32, [2, "N", "N"]>, %c: tensor<2x2x?x6x9xf32, [2, 2, "N", 6, 9]>) -> (tensor<?x3x?x11xf32, ["N", 3, "N", 11]>, tensor<?x3x?x11xf32, ["N", 3, "N", 11]>, tensor<2x?x?xf32, [2, "N", "N"]>, tensor<2x2x?x6x9xf32, [2, 2, "N", 6, 9]>) {
  %0 = "tcc.pool"(%a) {kind = "avg", kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, ceil_mode = false, count_include_pad = false} : (tensor<?x3x?x11xf32, ["N", 3, "N", 11]>) -> tensor<?x3x?x11xf32, ["N", 3, "N", 11]>
  %t = "tcc.transpose"(%a) {perm = array<i64: 2, 1, 0, 3>} : (tensor<?x3x?x11xf32, ["N", 3, "N", 11]>) -> tensor<?x3x?x11xf32, ["N", 3, "N", 11]>
  %1 = "tcc.pool"(%t) {kind = "max", kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, ceil_mode = false, count_include_pad = false} : (tensor<?x3x?x11xf32, ["N", 3, "N", 11]>) -> tensor<?x3x?x11xf32, ["N", 3, "N", 11]>
  %2 = "tcc.pool"(%b) {kind = "sum", kernel = array<i64: 3>, strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, ceil_mode = false, count_include_pad = false} : (tensor<2x?x?xf32, [2, "N", "N"]>) -> tensor<2x?x?xf32, [2, "N", "N"]>
  %3 = "tcc.pool"(%c) {kind = "max", kernel = array<i64: 3, 3, 3>, strides = array<i64: 1, 1, 1>, pads = array<i64: 1, 1, 1, 1, 1, 1>, dilations = array<i64: 1, 1, 1>, ceil_mode = false, count_include_pad = false} : (tensor<2x2x?x6x9xf32, [2, 2, "N", 6, 9]>) -> tensor<2x2x?x6x9xf32, [2, 2, "N", 6, 9]>
  return %0, %1, %2, %3 : tensor<?x3x?x11xf32, ["N", 3, "N", 11]>, tensor<?x3x?x11xf32, ["N", 3, "N", 11]>, tensor<2x?x?xf32, [2, "N", "N"]>, tensor<2x2x?x6x9xf32, [2, 2, "N", 6, 9]>
}
