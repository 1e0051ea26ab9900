// RUN: rm -rf %t && tcc-run %s --random=1  --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=2e-2 --atol=2e-2
// RUN: rm -rf %t && tcc-run %s --random=1 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=2e-2 --atol=2e-2
// RUN: tcc-run %s --random  --profile | FileCheck %s
// REQUIRES: avx2

// Element types of contractions: what is narrower than the accumulator is widened while it is packed.
// CHECK-COUNT-12: x86.{{contract|gemv}}
// CHECK-NOT: {{reference|loops}}
func.func @main(%x0: tensor<19x67xf64>, %x1: tensor<67x53xf64>, %x2: tensor<70x5xf64>, %x3: tensor<9x70xf64>, %x4: tensor<19x67xf16>, %x5: tensor<67x53xf16>, %x6: tensor<70x5xf16>, %x7: tensor<9x70xf16>, %x8: tensor<19x67xi32>, %x9: tensor<67x53xi32>, %x10: tensor<70x5xi32>, %x11: tensor<9x70xi32>, %x12: tensor<19x67xi64>, %x13: tensor<67x53xi64>, %x14: tensor<70x5xi64>, %x15: tensor<9x70xi64>, %x16: tensor<19x67xi8>, %x17: tensor<67x53xi8>, %x18: tensor<70x5xi8>, %x19: tensor<9x70xi8>, %x20: tensor<19x67xui8>, %x21: tensor<67x53xui8>, %x22: tensor<70x5xui8>, %x23: tensor<9x70xui8>) -> (tensor<19x53xf64>, tensor<5x9xf64>, tensor<19x53xf16>, tensor<5x9xf16>, tensor<19x53xi32>, tensor<5x9xi32>, tensor<19x53xi64>, tensor<5x9xi64>, tensor<19x53xi32>, tensor<5x9xi32>, tensor<19x53xi32>, tensor<5x9xi32>) {
  %1 = "tcc.dot_general"(%x0, %x1) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<19x67xf64>, tensor<67x53xf64>) -> tensor<19x53xf64>
  %2 = "tcc.dot_general"(%x2, %x3) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 1>} : (tensor<70x5xf64>, tensor<9x70xf64>) -> tensor<5x9xf64>
  %3 = "tcc.dot_general"(%x4, %x5) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<19x67xf16>, tensor<67x53xf16>) -> tensor<19x53xf16>
  %4 = "tcc.dot_general"(%x6, %x7) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 1>} : (tensor<70x5xf16>, tensor<9x70xf16>) -> tensor<5x9xf16>
  %5 = "tcc.dot_general"(%x8, %x9) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<19x67xi32>, tensor<67x53xi32>) -> tensor<19x53xi32>
  %6 = "tcc.dot_general"(%x10, %x11) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 1>} : (tensor<70x5xi32>, tensor<9x70xi32>) -> tensor<5x9xi32>
  %7 = "tcc.dot_general"(%x12, %x13) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<19x67xi64>, tensor<67x53xi64>) -> tensor<19x53xi64>
  %8 = "tcc.dot_general"(%x14, %x15) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 1>} : (tensor<70x5xi64>, tensor<9x70xi64>) -> tensor<5x9xi64>
  %9 = "tcc.dot_general"(%x16, %x17) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<19x67xi8>, tensor<67x53xi8>) -> tensor<19x53xi32>
  %10 = "tcc.dot_general"(%x18, %x19) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 1>} : (tensor<70x5xi8>, tensor<9x70xi8>) -> tensor<5x9xi32>
  %11 = "tcc.dot_general"(%x20, %x21) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<19x67xui8>, tensor<67x53xui8>) -> tensor<19x53xi32>
  %12 = "tcc.dot_general"(%x22, %x23) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 1>} : (tensor<70x5xui8>, tensor<9x70xui8>) -> tensor<5x9xi32>
  return %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12 : tensor<19x53xf64>, tensor<5x9xf64>, tensor<19x53xf16>, tensor<5x9xf16>, tensor<19x53xi32>, tensor<5x9xi32>, tensor<19x53xi64>, tensor<5x9xi64>, tensor<19x53xi32>, tensor<5x9xi32>, tensor<19x53xi32>, tensor<5x9xi32>
}
