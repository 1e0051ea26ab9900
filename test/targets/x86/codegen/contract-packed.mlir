// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=1 --save=%t && tcc-run %s --target=reference --random=1 --dim=M=1 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=50 --save=%t && tcc-run %s --target=reference --random=1 --dim=M=50 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=50 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --dim=M=50 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: tcc-run %s --random --dim=M=1 --profile | FileCheck %s
// REQUIRES: avx2

// Weights in panels made by kernels of their own.
// CHECK-COUNT-3: x86.contract
// CHECK-NOT: {{reference|loops}}
func.func @main(%x0: tensor<?x300xf32, ["M", 300]>, %x1: tensor<?x100xf32, ["M", 100]>, %x2: tensor<4x?x30xi8, [4, "M", 30]>) -> (tensor<?x100xf32, ["M", 100]>, tensor<?x7xf32, ["M", 7]>, tensor<4x?x9xi32, [4, "M", 9]>) {
  %1 = "tcc.constant"() {value = dense<0.25> : tensor<300x100xf32>} : () -> tensor<300x100xf32>
  %2 = "tcc.dot_general"(%x0, %1) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x300xf32, ["M", 300]>, tensor<300x100xf32>) -> tensor<?x100xf32, ["M", 100]>
  %3 = "tcc.add"(%2, %x1) : (tensor<?x100xf32, ["M", 100]>, tensor<?x100xf32, ["M", 100]>) -> tensor<?x100xf32, ["M", 100]>
  %4 = "tcc.constant"() {value = dense<0.5> : tensor<7x300xf32>} : () -> tensor<7x300xf32>
  %5 = "tcc.transpose"(%4) {perm = array<i64: 1, 0>} : (tensor<7x300xf32>) -> tensor<300x7xf32>
  %6 = "tcc.dot_general"(%x0, %5) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x300xf32, ["M", 300]>, tensor<300x7xf32>) -> tensor<?x7xf32, ["M", 7]>
  %7 = "tcc.constant"() {value = dense<3> : tensor<4x30x9xi8>} : () -> tensor<4x30x9xi8>
  %8 = "tcc.dot_general"(%x2, %7) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<4x?x30xi8, [4, "M", 30]>, tensor<4x30x9xi8>) -> tensor<4x?x9xi32, [4, "M", 9]>
  return %3, %6, %8 : tensor<?x100xf32, ["M", 100]>, tensor<?x7xf32, ["M", 7]>, tensor<4x?x9xi32, [4, "M", 9]>
}
