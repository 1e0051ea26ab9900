// RUN: tcc-opt --pipeline=default --target=x86,skylake-avx512 %s | tcc-translate --to-llvm --target=x86,skylake-avx512 - | FileCheck %s
// RUN: bash -c 'for machine in x86-64-v3 skylake-avx512; do for threads in 1 3; do tcc-run %s --no-cache --target=x86,$machine --threads=$threads --random=1 --compare=interp || exit 1; done; done'
// REQUIRES: avx512

// Transposes of sizes that are known call one routine for the cells of a block, which is told how far rows lie apart, and what is left of both
// sides, where the last cells begin earlier. Elements of other bits have another one.
// CHECK: llvm.func hidden @[[ROUTINE:transpose_[0-9a-f]+]](
// CHECK: llvm.func @{{k_[0-9a-f]+}}_transpose(
// CHECK: llvm.call @[[ROUTINE]](
// CHECK: llvm.func hidden @[[ROUTINE]](
// CHECK: llvm.func @{{k_[0-9a-f]+}}_transpose(
// CHECK: llvm.call @[[ROUTINE]](
// CHECK-NOT: llvm.func hidden @[[ROUTINE]](
// CHECK: llvm.func hidden @transpose_{{[0-9a-f]+}}(
func.func @main(%x: tensor<2x100x40xf32>, %y: tensor<390x177xf32>, %b: tensor<3x67x50xi8>, %h: tensor<70x65xf16>, %d: tensor<33x18xi64>)
    -> (tensor<2x40x100xf32>, tensor<177x390xf32>, tensor<3x50x67xi8>, tensor<65x70xf16>, tensor<18x33xi64>) {
  %0 = "tcc.transpose"(%x) {perm = array<i64: 0, 2, 1>} : (tensor<2x100x40xf32>) -> tensor<2x40x100xf32>
  %1 = "tcc.transpose"(%y) {perm = array<i64: 1, 0>} : (tensor<390x177xf32>) -> tensor<177x390xf32>
  %2 = "tcc.transpose"(%b) {perm = array<i64: 0, 2, 1>} : (tensor<3x67x50xi8>) -> tensor<3x50x67xi8>
  %3 = "tcc.transpose"(%h) {perm = array<i64: 1, 0>} : (tensor<70x65xf16>) -> tensor<65x70xf16>
  %4 = "tcc.transpose"(%d) {perm = array<i64: 1, 0>} : (tensor<33x18xi64>) -> tensor<18x33xi64>
  return %0, %1, %2, %3, %4 : tensor<2x40x100xf32>, tensor<177x390xf32>, tensor<3x50x67xi8>, tensor<65x70xf16>, tensor<18x33xi64>
}
