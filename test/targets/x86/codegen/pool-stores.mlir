// Without an epilogue windows of a row are stored where the result has them; what counts in a window's rows is found once a row, and addresses of a row take no
// division.
// RUN: tcc-opt --pipeline=default --target=x86,avx2 %s | tcc-translate --to-llvm --target=x86,avx2 | FileCheck %s
// RUN: bash %S/Inputs/sizes.sh %s %t "3 7 8 9 35 300" 1e-6
// REQUIRES: avx2
// CHECK-NOT: @epilogue
// CHECK: llvm.fdiv
// CHECK-NOT: llvm.udiv
// CHECK-NOT: llvm.sdiv
// CHECK-NOT: @epilogue
func.func @main(%x: tensor<2x3x5x?xf32, [2, 3, 5, "N"]>) -> tensor<2x3x5x?xf32, [2, 3, 5, "N"]> {
  %0 = "tcc.pool"(%x) {kind = "avg", kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, ceil_mode = false, count_include_pad = false} : (tensor<2x3x5x?xf32, [2, 3, 5, "N"]>) -> tensor<2x3x5x?xf32, [2, 3, 5, "N"]>
  return %0 : tensor<2x3x5x?xf32, [2, 3, 5, "N"]>
}
