// RUN: tcc-run %s --target=x86,avx2 --random=1 --compare=interp
// RUN: tcc-run %s --target=x86,avx2 --threads=3 --random=1 --compare=interp
// RUN: tcc-run %s --random=1 --compare=interp
// RUN: tcc-opt --pipeline=default --target=x86,avx2 %s | tcc-translate --to-llvm --target=x86,avx2 - | FileCheck %s
// REQUIRES: avx2

// Copies of rows of whole vectors are one routine, which walks a table of dims: heads, windows, patches of blocks of channels, a part of each row. Rows that
// are no whole vectors are code of their own.
// CHECK: llvm.func hidden @[[COPIES:copies_[0-9a-f]+]](
// CHECK-COUNT-3: llvm.call @[[COPIES]](
// CHECK-NOT: llvm.call @[[COPIES]](
func.func @main(%h: tensor<3x50x6x16xf32>, %w: tensor<2x14x21x32xf32>, %b: tensor<1x3x12x8x8xf32>, %o: tensor<3x50x6x12xf32>) -> (tensor<3x6x50x16xf32>, tensor<2x2x3x7x7x24xf32>, tensor<2x2x6x4x3x8xf32>, tensor<3x6x50x12xf32>) {
  %0 = "tcc.transpose"(%h) {perm = array<i64: 0, 2, 1, 3>} : (tensor<3x50x6x16xf32>) -> tensor<3x6x50x16xf32>
  %1 = "tcc.reshape"(%w) : (tensor<2x14x21x32xf32>) -> tensor<2x2x7x3x7x32xf32>
  %2 = "tcc.transpose"(%1) {perm = array<i64: 0, 1, 3, 2, 4, 5>} : (tensor<2x2x7x3x7x32xf32>) -> tensor<2x2x3x7x7x32xf32>
  %3 = "tcc.slice"(%2) {starts = [0, 0, 0, 0, 0, 8], steps = array<i64: 1, 1, 1, 1, 1, 1>} : (tensor<2x2x3x7x7x32xf32>) -> tensor<2x2x3x7x7x24xf32>
  %4 = "tcc.reshape"(%b) : (tensor<1x3x12x8x8xf32>) -> tensor<3x6x2x4x2x8xf32>
  %5 = "tcc.transpose"(%4) {perm = array<i64: 2, 4, 1, 3, 0, 5>} : (tensor<3x6x2x4x2x8xf32>) -> tensor<2x2x6x4x3x8xf32>
  %6 = "tcc.transpose"(%o) {perm = array<i64: 0, 2, 1, 3>} : (tensor<3x50x6x12xf32>) -> tensor<3x6x50x12xf32>
  return %0, %3, %5, %6 : tensor<3x6x50x16xf32>, tensor<2x2x3x7x7x24xf32>, tensor<2x2x6x4x3x8xf32>, tensor<3x6x50x12xf32>
}
