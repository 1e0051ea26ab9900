// RUN: rm -rf %t && tcc-run %s --random=1 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: tcc-explain %s --no-cache --target=x86,avx2 | FileCheck %s
// REQUIRES: avx2

// Rows that overlap (windows, with a step that is less than the depth). Where some fill no register tile these are copied beside rows of zeros, which such
// rows have no room for: all are copied. Where all fill tiles they are read where they lie.
// CHECK: rows=2 {{.*}}in_place=0
// CHECK: rows=2 {{.*}}in_place=1
func.func @main(%a: tensor<6x7x6xf32>, %b: tensor<6x7x4x25xf32>, %c: tensor<6x7x7xf32>) -> (tensor<6x7x3x25xf32>, tensor<6x7x4x25xf32>) {
  %0 = "tcc.unfold"(%a) {dilations = array<i64: 1>, kernel = array<i64: 3>, strides = array<i64: 1>} : (tensor<6x7x6xf32>) -> tensor<6x7x3x4xf32>
  %1 = "tcc.dot_general"(%0, %b) {lhs_batch = array<i64: 0, 1>, lhs_contract = array<i64: 3>, rhs_batch = array<i64: 0, 1>, rhs_contract = array<i64: 2>} : (tensor<6x7x3x4xf32>, tensor<6x7x4x25xf32>) -> tensor<6x7x3x25xf32>
  %2 = "tcc.unfold"(%c) {dilations = array<i64: 1>, kernel = array<i64: 4>, strides = array<i64: 1>} : (tensor<6x7x7xf32>) -> tensor<6x7x4x4xf32>
  %3 = "tcc.dot_general"(%2, %b) {lhs_batch = array<i64: 0, 1>, lhs_contract = array<i64: 3>, rhs_batch = array<i64: 0, 1>, rhs_contract = array<i64: 2>} : (tensor<6x7x4x4xf32>, tensor<6x7x4x25xf32>) -> tensor<6x7x4x25xf32>
  return %1, %3 : tensor<6x7x3x25xf32>, tensor<6x7x4x25xf32>
}
