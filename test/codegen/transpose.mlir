// RUN: rm -rf %t && tcc-run %s --no-cache --random=1 --dim=N=5 --dim=M=100 --save=%t && tcc-run %s --no-cache --target=reference --random=1 --dim=N=5 --dim=M=100 --data=%t --check
// RUN: rm -rf %t && tcc-run %s --no-cache --random=1 --dim=N=1 --dim=M=1 --save=%t && tcc-run %s --no-cache --target=reference --random=1 --dim=N=1 --dim=M=1 --data=%t --check
// RUN: rm -rf %t && tcc-run %s --no-cache --random=1 --dim=N=35 --dim=M=16 --target=x86,avx2 --save=%t && tcc-run %s --no-cache --target=reference --random=1 --dim=N=35 --dim=M=16 --data=%t --check
// RUN: tcc-opt --pipeline=default %s | tcc-translate --to-llvm | FileCheck %s
// REQUIRES: avx2

// Transposes of 32-bit elements go by squares that are turned around in scratch: nothing is gathered.
// CHECK: shufflevector
// CHECK-NOT: gather
func.func @main(%x: tensor<?x40x33xf32, ["N", 40, 33]>, %y: tensor<3x17x50x21xi32>, %z: tensor<?x?xf32, ["N", "M"]>) -> (tensor<?x33x40xf32, ["N", 33, 40]>, tensor<3x50x21x17xi32>, tensor<?x?xf32, ["M", "N"]>, tensor<33x?x40xf32, [33, "N", 40]>) {
  %1 = "tcc.transpose"(%x) {perm = array<i64: 0, 2, 1>} : (tensor<?x40x33xf32, ["N", 40, 33]>) -> tensor<?x33x40xf32, ["N", 33, 40]>
  %2 = "tcc.transpose"(%y) {perm = array<i64: 0, 2, 3, 1>} : (tensor<3x17x50x21xi32>) -> tensor<3x50x21x17xi32>
  %3 = "tcc.transpose"(%z) {perm = array<i64: 1, 0>} : (tensor<?x?xf32, ["N", "M"]>) -> tensor<?x?xf32, ["M", "N"]>
  %4 = "tcc.transpose"(%x) {perm = array<i64: 2, 0, 1>} : (tensor<?x40x33xf32, ["N", 40, 33]>) -> tensor<33x?x40xf32, [33, "N", 40]>
  return %1, %2, %3, %4 : tensor<?x33x40xf32, ["N", 33, 40]>, tensor<3x50x21x17xi32>, tensor<?x?xf32, ["M", "N"]>, tensor<33x?x40xf32, [33, "N", 40]>
}
