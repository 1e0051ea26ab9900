// RUN: rm -rf %t && tcc-run %s --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: tcc-run %s --random --profile | FileCheck %s
// RUN: tcc-opt --pipeline=default %s --target=x86,avx512 | FileCheck %s --check-prefix=PASS
// REQUIRES: avx2

// Products of few rows read their right operand as it lies: columns or depth contiguous, whole vectors or not, one row to
// eight, several free axes; with a bias, a factor, an activation, a transposed result.
// CHECK-NOT: x86.contract
// CHECK-COUNT-6: x86.gemv
// CHECK-NOT: {{x86.pack|reference|loops}}
// PASS-NOT: tcc.pack
func.func @main(%x0: tensor<1x203xf32>, %x1: tensor<203x333xf32>, %x2: tensor<333xf32>, %x3: tensor<1x333xf32>, %x4: tensor<2x4x128xf32>, %x5: tensor<128x1100xf32>, %x6: tensor<3x203xf32>, %x7: tensor<333x203xf32>, %x8: tensor<8x512xf32>, %x9: tensor<70x512xf32>, %x10: tensor<96xf32>, %x11: tensor<96x50xf32>, %x12: tensor<2x64xf32>, %x13: tensor<64x5x32xf32>) -> (tensor<1x333xf32>, tensor<2x4x1100xf32>, tensor<3x333xf32>, tensor<8x70xf32>, tensor<50xf32>, tensor<5x2x32xf32>) {
  %1 = "tcc.dot_general"(%x0, %x1) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<1x203xf32>, tensor<203x333xf32>) -> tensor<1x333xf32>
  %2 = "tcc.add"(%1, %x2) : (tensor<1x333xf32>, tensor<333xf32>) -> tensor<1x333xf32>
  %3 = "tcc.mul"(%2, %x3) : (tensor<1x333xf32>, tensor<1x333xf32>) -> tensor<1x333xf32>
  %4 = "tcc.dot_general"(%x4, %x5) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 0>} : (tensor<2x4x128xf32>, tensor<128x1100xf32>) -> tensor<2x4x1100xf32>
  %5 = "tcc.dot_general"(%x6, %x7) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<3x203xf32>, tensor<333x203xf32>) -> tensor<3x333xf32>
  %6 = "tcc.tanh"(%5) : (tensor<3x333xf32>) -> tensor<3x333xf32>
  %7 = "tcc.dot_general"(%x8, %x9) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<8x512xf32>, tensor<70x512xf32>) -> tensor<8x70xf32>
  %8 = "tcc.dot_general"(%x10, %x11) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 0>} : (tensor<96xf32>, tensor<96x50xf32>) -> tensor<50xf32>
  %9 = "tcc.dot_general"(%x12, %x13) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x64xf32>, tensor<64x5x32xf32>) -> tensor<2x5x32xf32>
  %10 = "tcc.transpose"(%9) {perm = array<i64: 1, 0, 2>} : (tensor<2x5x32xf32>) -> tensor<5x2x32xf32>
  return %3, %4, %6, %7, %8, %10 : tensor<1x333xf32>, tensor<2x4x1100xf32>, tensor<3x333xf32>, tensor<8x70xf32>, tensor<50xf32>, tensor<5x2x32xf32>
}
