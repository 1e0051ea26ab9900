// RUN: rm -rf %t && tcc-run %s --random=1 --threads=2 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: tcc-explain %s --no-cache --target=x86,avx512 | FileCheck %s
// REQUIRES: avx512

// Rows a page apart: no more of them in a register tile than a set of the first cache has ways, so that they are read where they
// lie, although 12 x 2 would waste fewer rows and columns. A line more between rows, and it is 12 x 2.
// CHECK: rows=8 vectors=3 {{.*}}kc=1024 {{.*}}in_place=1
// CHECK: rows=12 vectors=2 {{.*}}kc=1040 {{.*}}in_place=1
func.func @main(%x: tensor<130x1024xf32>, %w: tensor<1024x96xf32>, %y: tensor<130x1040xf32>, %v: tensor<1040x96xf32>) -> (tensor<130x96xf32>, tensor<130x96xf32>) {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<130x1024xf32>, tensor<1024x96xf32>) -> tensor<130x96xf32>
  %1 = "tcc.dot_general"(%y, %v) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<130x1040xf32>, tensor<1040x96xf32>) -> tensor<130x96xf32>
  return %0, %1 : tensor<130x96xf32>, tensor<130x96xf32>
}
