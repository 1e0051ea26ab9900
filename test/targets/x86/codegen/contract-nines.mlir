// RUN: rm -rf %t && tcc-run %s --random=1 --threads=2 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: tcc-explain %s --no-cache --target=x86,avx512 | FileCheck %s
// REQUIRES: avx512

// 197 rows are 22 tiles of nine, or 25 of eight; 128 are sixteen of eight.
// CHECK: rows=9 vectors=3 {{.*}}kc=400
// CHECK: rows=8 vectors=3 {{.*}}kc=400
func.func @main(%x: tensor<197x400xf32>, %y: tensor<128x400xf32>, %w: tensor<400x144xf32>) -> (tensor<197x144xf32>, tensor<128x144xf32>) {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<197x400xf32>, tensor<400x144xf32>) -> tensor<197x144xf32>
  %1 = "tcc.dot_general"(%y, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<128x400xf32>, tensor<400x144xf32>) -> tensor<128x144xf32>
  return %0, %1 : tensor<197x144xf32>, tensor<128x144xf32>
}
