// RUN: rm -rf %t && tcc-run %s --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --threads=1 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-4
// REQUIRES: avx2

// k in several blocks: contracted axes that lie apart (a block starts within one of them), rows read in place with some that
// fill no register tile, more columns than a group has, weights in panels whose last is narrow.
func.func @main(%x0: tensor<5x20x336xf32>, %x1: tensor<5x336x70xf32>, %x2: tensor<37x2060xf32>, %x3: tensor<2060x30xf32>) -> (tensor<20x70xf32>, tensor<37x30xf32>, tensor<37x1130xf32>) {
  %1 = "tcc.dot_general"(%x0, %x1) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0, 2>, rhs_contract = array<i64: 0, 1>} : (tensor<5x20x336xf32>, tensor<5x336x70xf32>) -> tensor<20x70xf32>
  %2 = "tcc.dot_general"(%x2, %x3) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<37x2060xf32>, tensor<2060x30xf32>) -> tensor<37x30xf32>
  %3 = "tcc.constant"() {value = dense<0.25> : tensor<2060x1130xf32>} : () -> tensor<2060x1130xf32>
  %4 = "tcc.dot_general"(%x2, %3) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<37x2060xf32>, tensor<2060x1130xf32>) -> tensor<37x1130xf32>
  return %1, %2, %4 : tensor<20x70xf32>, tensor<37x30xf32>, tensor<37x1130xf32>
}
