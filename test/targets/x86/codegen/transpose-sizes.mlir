// A transpose of sizes that are not known has cells in registers where both sides are as long as one, else a square in scratch; a short side
// (channels in blocks of a vector of AVX2) has cells of its own. Nothing is gathered.
// RUN: tcc-opt --pipeline=default %s --target=x86,avx2 | tcc-translate --to-llvm --target=x86,avx2 | FileCheck %s
// RUN: bash %S/Inputs/sizes.sh %s %t "1 3 4 8 9 67" 0 --dim=M=6
// RUN: bash %S/Inputs/sizes.sh %s %t "1 5 67" 0 --dim=M=40
// RUN: tcc-opt --pipeline=default %s --target=x86,avx2,l2=8M | tcc-translate --to-llvm --target=x86,avx2,l2=8M | FileCheck %s --check-prefix=FAR
// REQUIRES: avx2
// What comes next is prefetched, since it may be far away whatever the second cache.
// FAR: llvm.intr.prefetch
// CHECK-NOT: {{gather|scatter}}
// CHECK: llvm.cond_br
// CHECK-NOT: {{gather|scatter}}
func.func @main(%a: tensor<?x?xf32, ["M", "N"]>, %b: tensor<2x?x50xf32, [2, "N", 50]>, %c: tensor<3x8x90xf32>, %d: tensor<6x90xf32>, %e: tensor<?x?xi8, ["M", "N"]>, %f: tensor<?x?xi64, ["M", "N"]>, %g: tensor<90x?xf16, [90, "N"]>)
    -> (tensor<?x?xf32, ["N", "M"]>, tensor<2x50x?xf32, [2, 50, "N"]>, tensor<3x90x8xf32>, tensor<90x6xf32>, tensor<?x?xi8, ["N", "M"]>, tensor<?x?xi64, ["N", "M"]>, tensor<?x90xf16, ["N", 90]>) {
  %0 = "tcc.transpose"(%a) {perm = array<i64: 1, 0>} : (tensor<?x?xf32, ["M", "N"]>) -> tensor<?x?xf32, ["N", "M"]>
  %1 = "tcc.transpose"(%b) {perm = array<i64: 0, 2, 1>} : (tensor<2x?x50xf32, [2, "N", 50]>) -> tensor<2x50x?xf32, [2, 50, "N"]>
  %2 = "tcc.transpose"(%c) {perm = array<i64: 0, 2, 1>} : (tensor<3x8x90xf32>) -> tensor<3x90x8xf32>
  %3 = "tcc.transpose"(%d) {perm = array<i64: 1, 0>} : (tensor<6x90xf32>) -> tensor<90x6xf32>
  %4 = "tcc.transpose"(%e) {perm = array<i64: 1, 0>} : (tensor<?x?xi8, ["M", "N"]>) -> tensor<?x?xi8, ["N", "M"]>
  %5 = "tcc.transpose"(%f) {perm = array<i64: 1, 0>} : (tensor<?x?xi64, ["M", "N"]>) -> tensor<?x?xi64, ["N", "M"]>
  %6 = "tcc.transpose"(%g) {perm = array<i64: 1, 0>} : (tensor<90x?xf16, [90, "N"]>) -> tensor<?x90xf16, ["N", 90]>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<?x?xf32, ["N", "M"]>, tensor<2x50x?xf32, [2, 50, "N"]>, tensor<3x90x8xf32>, tensor<90x6xf32>, tensor<?x?xi8, ["N", "M"]>, tensor<?x?xi64, ["N", "M"]>, tensor<?x90xf16, ["N", 90]>
}
