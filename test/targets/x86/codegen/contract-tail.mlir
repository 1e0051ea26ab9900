// The last panel of columns has a register tile of its own where that spares a 64th of all vectors: of a packed weight and of an operand that is packed in
// the call, of 1024 columns (22 panels for 21 and a third), not of 8000 (167 for 166 and two thirds).
// RUN: tcc-explain %s --no-cache --target=x86,avx512 | FileCheck %s
// RUN: rm -rf %t && tcc-run %s --random=1 --no-cache --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --no-cache --threads=2 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-4
// REQUIRES: avx512
// CHECK: schedule: x86.contract/{{[0-9]+}} rows=8 vectors=3 tail=1
// CHECK: schedule: x86.contract/{{[0-9]+}} rows=8 vectors=3 tail=1
// CHECK: schedule: x86.contract/{{[0-9]+}} rows=8 vectors=3 tail=0
func.func @main(%x: tensor<64x48xf32>, %v: tensor<1024x48xf32>, %u: tensor<8000x48xf32>) -> (tensor<64x1024xf32>, tensor<64x1024xf32>, tensor<64x8000xf32>) {
  %w = "tcc.constant"() {value = dense<0.25> : tensor<48x1024xf32>} : () -> tensor<48x1024xf32>
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x48xf32>, tensor<48x1024xf32>) -> tensor<64x1024xf32>
  %1 = "tcc.dot_general"(%x, %v) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<64x48xf32>, tensor<1024x48xf32>) -> tensor<64x1024xf32>
  %2 = "tcc.dot_general"(%x, %u) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<64x48xf32>, tensor<8000x48xf32>) -> tensor<64x8000xf32>
  return %0, %1, %2 : tensor<64x1024xf32>, tensor<64x1024xf32>, tensor<64x8000xf32>
}
