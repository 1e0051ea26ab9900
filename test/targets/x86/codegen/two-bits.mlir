// RUN: rm -rf %t && tcc-run %s --save=%t && tcc-interp %s --data=%t --check
// RUN: rm -rf %t && tcc-run %s --target=reference --save=%t && tcc-interp %s --data=%t --check
// RUN: tcc-interp %s --print | FileCheck %s
// RUN: tcc-opt %s --tcc-simplify | FileCheck %s --check-prefix=KEPT

// Weights of 2 bits, four a byte and the last byte not full, as they lie and behind a view.
// CHECK: output 0: 3x5xf32 = 1 -2 -1 0 1 1 1 0 -2 -1 -1 0 1 -2 -2
// CHECK: output 1: 5x3xi32 = 3 2 1 0 3 2 1 0 3 2 1 0 3 2 1
// KEPT: tensor<3x5xi2>
func.func @main() -> (tensor<3x5xf32>, tensor<5x3xi32>) {
  %0 = "tcc.constant"() {value = dense<[[1, -2, -1, 0, 1], [1, 1, 0, -2, -1], [-1, 0, 1, -2, -2]]> : tensor<3x5xi2>} : () -> tensor<3x5xi2>
  %1 = "tcc.convert"(%0) {saturate = true} : (tensor<3x5xi2>) -> tensor<3x5xf32>
  %2 = "tcc.constant"() {value = dense<[[3, 0, 1, 2, 3], [2, 3, 0, 1, 2], [1, 2, 3, 0, 1]]> : tensor<3x5xui2>} : () -> tensor<3x5xui2>
  %3 = "tcc.transpose"(%2) {perm = array<i64: 1, 0>} : (tensor<3x5xui2>) -> tensor<5x3xui2>
  %4 = "tcc.convert"(%3) {saturate = true} : (tensor<5x3xui2>) -> tensor<5x3xi32>
  return %1, %4 : tensor<3x5xf32>, tensor<5x3xi32>
}
