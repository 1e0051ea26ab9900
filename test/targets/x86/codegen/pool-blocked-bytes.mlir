// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=N=3 --save=%t && tcc-run %s --random=1 --dim=N=3 --data=%t --check --rtol=0 --atol=0
// RUN: tcc-run %s --random=1 --dim=N=3 --target=x86,avx2 --threads=3 --data=%t --check --rtol=0 --atol=0
// RUN: tcc-opt --pipeline=default --target=x86,avx512 %s | tcc-translate --to-asm --target=x86,avx512 | FileCheck %s
// REQUIRES: avx2

// Maxima of bytes on blocked channels, a block to a register: a window inside of the image is straight code, nine elements one after the other.
// CHECK-COUNT-8: vpmaxub {{.*}}%xmm
// CHECK-NOT: vpmaxub
// CHECK: j
func.func @main(%x: tensor<?x3x10x11x16xui8, ["N", 3, 10, 11, 16]>, %y: tensor<2x1x9x300x16xi8>) -> (tensor<?x3x5x6x16xui8, ["N", 3, 5, 6, 16]>, tensor<2x1x5x150x16xi8>) {
  %0 = "tcc.pool"(%x) {kernel = array<i64: 3, 3, 1>, strides = array<i64: 2, 2, 1>, pads = array<i64: 1, 1, 0, 1, 1, 0>, dilations = array<i64: 1, 1, 1>, ceil_mode = false, kind = "max", count_include_pad = false} : (tensor<?x3x10x11x16xui8, ["N", 3, 10, 11, 16]>) -> tensor<?x3x5x6x16xui8, ["N", 3, 5, 6, 16]>
  %1 = "tcc.pool"(%y) {kernel = array<i64: 3, 2, 1>, strides = array<i64: 1, 2, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 2, 1, 1>, ceil_mode = false, kind = "max", count_include_pad = false} : (tensor<2x1x9x300x16xi8>) -> tensor<2x1x5x150x16xi8>
  return %0, %1 : tensor<?x3x5x6x16xui8, ["N", 3, 5, 6, 16]>, tensor<2x1x5x150x16xi8>
}
