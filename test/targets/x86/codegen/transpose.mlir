// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=5 --dim=M=100 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=5 --dim=M=100 --data=%t --check
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=1 --dim=M=1 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=1 --dim=M=1 --data=%t --check
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=35 --dim=M=16 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=35 --dim=M=16 --data=%t --check
// RUN: tcc-opt --pipeline=default %s --target=x86,avx512 | tcc-translate --to-llvm --target=x86,avx512 | FileCheck %s
// REQUIRES: avx2

// Transposes go by squares that are transposed in scratch: nothing is gathered.
// CHECK: shufflevector
// CHECK-NOT: gather
func.func @main(%x: tensor<?x40x33xf32, ["N", 40, 33]>, %y: tensor<3x17x50x21xi32>, %z: tensor<?x?xf32, ["N", "M"]>, %w1: tensor<2x150x?xi8, [2, 150, "N"]>, %w2: tensor<2x150x?xf16, [2, 150, "N"]>, %w3: tensor<2x150x?xi64, [2, 150, "N"]>, %w4: tensor<2x150x?xi1, [2, 150, "N"]>) -> (tensor<?x33x40xf32, ["N", 33, 40]>, tensor<3x50x21x17xi32>, tensor<?x?xf32, ["M", "N"]>, tensor<33x?x40xf32, [33, "N", 40]>, tensor<2x?x150xi8, [2, "N", 150]>, tensor<2x?x150xf16, [2, "N", 150]>, tensor<2x?x150xi64, [2, "N", 150]>, tensor<2x?x150xi1, [2, "N", 150]>) {
  %1 = "tcc.transpose"(%x) {perm = array<i64: 0, 2, 1>} : (tensor<?x40x33xf32, ["N", 40, 33]>) -> tensor<?x33x40xf32, ["N", 33, 40]>
  %2 = "tcc.transpose"(%y) {perm = array<i64: 0, 2, 3, 1>} : (tensor<3x17x50x21xi32>) -> tensor<3x50x21x17xi32>
  %3 = "tcc.transpose"(%z) {perm = array<i64: 1, 0>} : (tensor<?x?xf32, ["N", "M"]>) -> tensor<?x?xf32, ["M", "N"]>
  %4 = "tcc.transpose"(%x) {perm = array<i64: 2, 0, 1>} : (tensor<?x40x33xf32, ["N", 40, 33]>) -> tensor<33x?x40xf32, [33, "N", 40]>
  %5 = "tcc.transpose"(%w1) {perm = array<i64: 0, 2, 1>} : (tensor<2x150x?xi8, [2, 150, "N"]>) -> tensor<2x?x150xi8, [2, "N", 150]>
  %6 = "tcc.transpose"(%w2) {perm = array<i64: 0, 2, 1>} : (tensor<2x150x?xf16, [2, 150, "N"]>) -> tensor<2x?x150xf16, [2, "N", 150]>
  %7 = "tcc.transpose"(%w3) {perm = array<i64: 0, 2, 1>} : (tensor<2x150x?xi64, [2, 150, "N"]>) -> tensor<2x?x150xi64, [2, "N", 150]>
  %8 = "tcc.transpose"(%w4) {perm = array<i64: 0, 2, 1>} : (tensor<2x150x?xi1, [2, 150, "N"]>) -> tensor<2x?x150xi1, [2, "N", 150]>
  return %1, %2, %3, %4, %5, %6, %7, %8 : tensor<?x33x40xf32, ["N", 33, 40]>, tensor<3x50x21x17xi32>, tensor<?x?xf32, ["M", "N"]>, tensor<33x?x40xf32, [33, "N", 40]>, tensor<2x?x150xi8, [2, "N", 150]>, tensor<2x?x150xf16, [2, "N", 150]>, tensor<2x?x150xi64, [2, "N", 150]>, tensor<2x?x150xi1, [2, "N", 150]>
}
