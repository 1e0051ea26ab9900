// RUN: tcc-opt --pass-pipeline=tcc-decompose --target=x86,avx2 --verify-each %s | FileCheck %s
// RUN: tcc-opt --pass-pipeline=tcc-decompose --target=reference %s | FileCheck %s --check-prefix=DOT --implicit-check-not=tcc.reduce
// RUN: rm -rf %t && tcc-run %s --no-cache --target=reference --random=1 --dim=T=37 --save=%t && tcc-run %s --no-cache --random=1 --dim=T=37 --data=%t --check && tcc-run %s --no-cache --random=1 --dim=T=37 --data=%t --check --target=x86,avx2
// RUN: tcc-run %s --no-cache --random=1 --dim=T=37 --profile --target=x86,avx2 | FileCheck %s --check-prefix=KINDS
// REQUIRES: avx2

// One row times a matrix of its own, in each batch: a sum of products along the depth, where the matrix lies along it or not, if the
// target does those better. Not where batches share a matrix, and not of more rows.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = "tcc.mul"(%{{.*}}, %{{.*}}) : (tensor<6x1x40xf32>, tensor<6x?x40xf32, [6, "T", 40]>)
// CHECK: "tcc.reduce"(%[[A]]) {axes = array<i64: 2>, keepdims = true, kind = "sum"}
// CHECK: %[[B:.*]] = "tcc.mul"(%{{.*}}, %{{.*}}) : (tensor<6x?x1xf32, [6, "T", 1]>, tensor<6x?x24xf32, [6, "T", 24]>)
// CHECK: "tcc.reduce"(%[[B]]) {axes = array<i64: 1>, keepdims = true, kind = "sum"}
// CHECK-NOT: tcc.reduce
// CHECK-COUNT-2: tcc.dot_general
// DOT-COUNT-4: tcc.dot_general
// KINDS-DAG: x86.row
// KINDS-DAG: x86.contract
func.func @main(%q: tensor<6x1x40xf32>, %k: tensor<6x?x40xf32, [6, "T", 40]>, %p: tensor<6x1x?xf32, [6, 1, "T"]>, %v: tensor<6x?x24xf32, [6, "T", 24]>, %one: tensor<1x40x24xf32>, %rows: tensor<6x2x40xf32>, %own: tensor<6x40x24xf32>) -> (tensor<6x1x?xf32, [6, 1, "T"]>, tensor<6x1x24xf32>, tensor<6x1x24xf32>, tensor<6x2x24xf32>) {
  %t = "tcc.transpose"(%k) {perm = array<i64: 0, 2, 1>} : (tensor<6x?x40xf32, [6, "T", 40]>) -> tensor<6x40x?xf32, [6, 40, "T"]>
  %0 = "tcc.matmul"(%q, %t) : (tensor<6x1x40xf32>, tensor<6x40x?xf32, [6, 40, "T"]>) -> tensor<6x1x?xf32, [6, 1, "T"]>
  %1 = "tcc.matmul"(%p, %v) : (tensor<6x1x?xf32, [6, 1, "T"]>, tensor<6x?x24xf32, [6, "T", 24]>) -> tensor<6x1x24xf32>
  %2 = "tcc.matmul"(%q, %one) : (tensor<6x1x40xf32>, tensor<1x40x24xf32>) -> tensor<6x1x24xf32>
  %3 = "tcc.matmul"(%rows, %own) : (tensor<6x2x40xf32>, tensor<6x40x24xf32>) -> tensor<6x2x24xf32>
  return %0, %1, %2, %3 : tensor<6x1x?xf32, [6, 1, "T"]>, tensor<6x1x24xf32>, tensor<6x1x24xf32>, tensor<6x2x24xf32>
}
