// RUN: tcc-opt --tcc-fuse %s | tcc-translate --to-asm --target=x86,avx512 | FileCheck %s --check-prefix=ASM
// RUN: rm -rf %t && tcc-run %s --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-4
// REQUIRES: avx512

// A weight [N, K] that is no weight at load time is packed where it is used: columns go through one square on the stack, from memory in
// the first pass, to the panel in the last, and the next group's lines are asked for. 53 columns and 9 elements are
// no whole blocks, and not one of f32.
// ASM-COUNT-4: prefetcht1 (%{{r[a-z0-9]+}},%{{r[a-z0-9]+}},4)
// ASM: {%k{{[0-9]}}} {z}
// ASM-COUNT-8: vpermt2ps
// ASM-COUNT-8: vpermt2ps
// ASM-COUNT-4: vmovups %zmm{{[0-9]+}}, {{.*}} {%k{{[0-9]}}}
func.func @main(%x: tensor<67x9xf32>, %w: tensor<53x9xf32>, %y: tensor<67x75xf64>, %v: tensor<53x75xf64>) -> (tensor<67x53xf32>, tensor<67x53xf64>) {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<67x9xf32>, tensor<53x9xf32>) -> tensor<67x53xf32>
  %1 = "tcc.dot_general"(%y, %v) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<67x75xf64>, tensor<53x75xf64>) -> tensor<67x53xf64>
  return %0, %1 : tensor<67x53xf32>, tensor<67x53xf64>
}
