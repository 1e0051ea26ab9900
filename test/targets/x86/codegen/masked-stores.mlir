// Machines without AVX-512 store the first lanes of a vector in pieces of powers of two: a store under a mask is microcode on some of them.
// RUN: tcc-opt --pipeline=default --target=x86,avx2 %s | tcc-translate --to-llvm --target=x86,avx2 | FileCheck %s --check-prefix=AVX2
// RUN: tcc-opt --pipeline=default --target=x86,avx512 %s | tcc-translate --to-llvm --target=x86,avx512 | FileCheck %s --check-prefix=AVX512
// RUN: bash %S/Inputs/sizes.sh %s %t "1 3 7 8 9 15 31" 1e-6
// REQUIRES: avx2
// AVX2-NOT: masked.store
// AVX2: llvm.store {{.*}} vector<4xf32>
// AVX2: llvm.store {{.*}} vector<2xf32>
// AVX2: llvm.store {{.*}} : f32
// AVX2-NOT: masked.store
// AVX512: intr.masked.store
func.func @main(%a: tensor<3x?xf32, [3, "N"]>, %b: tensor<?xf64, ["N"]>, %c: tensor<2x?xi8, [2, "N"]>, %d: tensor<?x5xi64, ["N", 5]>, %e: tensor<?xf16, ["N"]>, %f: tensor<4x?xi1, [4, "N"]>) -> (tensor<3x?xf32, [3, "N"]>, tensor<?xf64, ["N"]>, tensor<2x?xi8, [2, "N"]>, tensor<?x5xi64, ["N", 5]>, tensor<?xf16, ["N"]>, tensor<4x?xi1, [4, "N"]>) {
  %0 = "tcc.exp"(%a) : (tensor<3x?xf32, [3, "N"]>) -> tensor<3x?xf32, [3, "N"]>
  %1 = "tcc.mul"(%b, %b) : (tensor<?xf64, ["N"]>, tensor<?xf64, ["N"]>) -> tensor<?xf64, ["N"]>
  %2 = "tcc.add"(%c, %c) : (tensor<2x?xi8, [2, "N"]>, tensor<2x?xi8, [2, "N"]>) -> tensor<2x?xi8, [2, "N"]>
  %3 = "tcc.add"(%d, %d) : (tensor<?x5xi64, ["N", 5]>, tensor<?x5xi64, ["N", 5]>) -> tensor<?x5xi64, ["N", 5]>
  %4 = "tcc.neg"(%e) : (tensor<?xf16, ["N"]>) -> tensor<?xf16, ["N"]>
  %5 = "tcc.not"(%f) : (tensor<4x?xi1, [4, "N"]>) -> tensor<4x?xi1, [4, "N"]>
  return %0, %1, %2, %3, %4, %5 : tensor<3x?xf32, [3, "N"]>, tensor<?xf64, ["N"]>, tensor<2x?xi8, [2, "N"]>, tensor<?x5xi64, ["N", 5]>, tensor<?xf16, ["N"]>, tensor<4x?xi1, [4, "N"]>
}
