// Products without a depth, whose operands have no axis to run along: every element is one product.
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=21 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=21 --data=%t --check
// RUN: rm -rf %t && tcc-run %s --target=x86,avx2 --random=1 --dim=N=3 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=3 --data=%t --check
// RUN: tcc-opt %s --pipeline=default --target=x86,avx2 | FileCheck %s
// REQUIRES: avx2

// CHECK: tcc.kernel = "contract"
func.func @main(%x: tensor<2x?xf16, [2, "N"]>, %y: tensor<2x5xf16>) -> tensor<2x?x5xf16, [2, "N", 5]> {
  %0 = "tcc.dot_general"(%x, %y) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64>, rhs_contract = array<i64>} : (tensor<2x?xf16, [2, "N"]>, tensor<2x5xf16>) -> tensor<2x?x5xf16, [2, "N", 5]>
  return %0 : tensor<2x?x5xf16, [2, "N", 5]>
}
