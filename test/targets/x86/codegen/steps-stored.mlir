// RUN: tcc-run %s --target=x86,avx2 --random=1 --compare=interp --rtol=1e-4 --atol=1e-4
// RUN: tcc-opt --pipeline=default --target=x86,avx2 %s | tcc-translate --to-llvm --target=x86,avx2 - | FileCheck %s --implicit-check-not=scatter
// RUN: tcc-opt --pipeline=default --target=x86,avx512 %s | tcc-translate --to-llvm --target=x86,avx512 - | FileCheck %s --check-prefix=TOGETHER
// REQUIRES: avx2

// What a product stores transposed: elements one by one where AVX-512 lacks, of a vector that is cut first half of it, then half of the rest.
// CHECK: llvm.func {{.*}}@epilogue_
// TOGETHER: scatter
func.func @main(%x: tensor<1x300x64xf32>) -> tensor<1x92x300xf32> {
  %i = "tcc.iota"() {axis = 0 : i64} : () -> tensor<5888xf32>
  %s = "tcc.sin"(%i) : (tensor<5888xf32>) -> tensor<5888xf32>
  %w = "tcc.reshape"(%s) : (tensor<5888xf32>) -> tensor<64x92xf32>
  %0 = "tcc.matmul"(%x, %w) : (tensor<1x300x64xf32>, tensor<64x92xf32>) -> tensor<1x300x92xf32>
  %1 = "tcc.exp"(%0) : (tensor<1x300x92xf32>) -> tensor<1x300x92xf32>
  %2 = "tcc.transpose"(%1) {perm = array<i64: 0, 2, 1>} : (tensor<1x300x92xf32>) -> tensor<1x92x300xf32>
  return %2 : tensor<1x92x300xf32>
}
