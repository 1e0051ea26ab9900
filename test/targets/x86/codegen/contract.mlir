// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=1 --save=%t && tcc-run %s --target=reference --random=1 --dim=M=1 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=3 --save=%t && tcc-run %s --target=reference --random=1 --dim=M=3 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=17 --save=%t && tcc-run %s --target=reference --random=1 --dim=M=17 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=130 --save=%t && tcc-run %s --target=reference --random=1 --dim=M=130 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=130 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --dim=M=130 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: tcc-run %s --random --dim=M=1 --profile | FileCheck %s
// REQUIRES: avx2

// Contractions against the reference target: dynamic rows from one to many, transposed operands, several free axes, batches,
// bias and activation, a transposed result.
// CHECK-COUNT-5: x86.contract
// CHECK-NOT: {{reference|loops}}
func.func @main(%x0: tensor<?x127xf32, ["M", 127]>, %x1: tensor<127x70xf32>, %x2: tensor<70xf32>, %x3: tensor<33x?xf32, [33, "M"]>, %x4: tensor<50x33xf32>, %x5: tensor<2x?x40xf32, [2, "M", 40]>, %x6: tensor<40x3x17xf32>, %x7: tensor<3x?x20xf32, [3, "M", 20]>, %x8: tensor<3x?x20xf32, [3, "M", 20]>, %x9: tensor<5x7x?xf32, [5, 7, "M"]>, %x10: tensor<5x7x900xf32>) -> (tensor<?x70xf32, ["M", 70]>, tensor<?x50xf32, ["M", 50]>, tensor<2x?x3x17xf32, [2, "M", 3, 17]>, tensor<3x?x?xf32, [3, "M", "M"]>, tensor<?x5x900xf32, ["M", 5, 900]>) {
  %1 = "tcc.dot_general"(%x0, %x1) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x127xf32, ["M", 127]>, tensor<127x70xf32>) -> tensor<?x70xf32, ["M", 70]>
  %2 = "tcc.add"(%1, %x2) : (tensor<?x70xf32, ["M", 70]>, tensor<70xf32>) -> tensor<?x70xf32, ["M", 70]>
  %3 = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %4 = "tcc.max"(%2, %3) : (tensor<?x70xf32, ["M", 70]>, tensor<f32>) -> tensor<?x70xf32, ["M", 70]>
  %5 = "tcc.dot_general"(%x3, %x4) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 1>} : (tensor<33x?xf32, [33, "M"]>, tensor<50x33xf32>) -> tensor<?x50xf32, ["M", 50]>
  %6 = "tcc.dot_general"(%x5, %x6) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 0>} : (tensor<2x?x40xf32, [2, "M", 40]>, tensor<40x3x17xf32>) -> tensor<2x?x3x17xf32, [2, "M", 3, 17]>
  %7 = "tcc.dot_general"(%x7, %x8) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 2>} : (tensor<3x?x20xf32, [3, "M", 20]>, tensor<3x?x20xf32, [3, "M", 20]>) -> tensor<3x?x?xf32, [3, "M", "M"]>
  %8 = "tcc.dot_general"(%x9, %x10) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<5x7x?xf32, [5, 7, "M"]>, tensor<5x7x900xf32>) -> tensor<5x?x900xf32, [5, "M", 900]>
  %9 = "tcc.transpose"(%8) {perm = array<i64: 1, 0, 2>} : (tensor<5x?x900xf32, [5, "M", 900]>) -> tensor<?x5x900xf32, ["M", 5, 900]>
  return %4, %5, %6, %7, %9 : tensor<?x70xf32, ["M", 70]>, tensor<?x50xf32, ["M", 50]>, tensor<2x?x3x17xf32, [2, "M", 3, 17]>, tensor<3x?x?xf32, [3, "M", "M"]>, tensor<?x5x900xf32, ["M", 5, 900]>
}
