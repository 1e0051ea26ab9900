// RUN: tcc-opt %s --split-input-file --tcc-fuse --tcc-kernels-to-linalg | FileCheck %s

// A kernel keeps its type; its sizes come from the symbols; each op is one linalg op, a reduction a loop inside.
// CHECK: func.func private @[[K:[a-z0-9_]*]](%[[X:.*]]: tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]> attributes {tcc.kernel = "row"}
// CHECK: "tcc.sizes"() {values = ["B"]}
// CHECK: %[[PLAIN:.*]] = {{.*}} %[[X]] : tensor<?x8xf32, ["B", 8]> to tensor<?x8xf32>
// CHECK: %[[SUM:.*]] = linalg.generic
// CHECK: scf.for
// CHECK: tensor.extract %[[PLAIN]]
// CHECK: arith.addf
// CHECK: linalg.generic {{.*}} ins(%[[PLAIN]], %[[SUM]] : tensor<?x8xf32>, tensor<?x1xf32>)
// CHECK: arith.subf
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: func.func @main
// CHECK-NEXT: call @[[K]]
func.func @main(%x: tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]> {
  %0 = "tcc.reduce"(%x) {kind = "sum", axes = array<i64: 1>, keepdims = true} : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x1xf32, ["B", 1]>
  %1 = "tcc.sub"(%x, %0) : (tensor<?x8xf32, ["B", 8]>, tensor<?x1xf32, ["B", 1]>) -> tensor<?x8xf32, ["B", 8]>
  %2 = "tcc.exp"(%1) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  return %2 : tensor<?x8xf32, ["B", 8]>
}

// -----

// What the run-time computes stays.
// CHECK: tcc.kernel = "builtin"
// CHECK-NEXT: "tcc.topk"
func.func @main(%x: tensor<4x64xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>) {
  %1:2 = "tcc.topk"(%x) {axis = 1, k = [3], largest = true} : (tensor<4x64xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
  return %1#0, %1#1 : tensor<4x3xf32>, tensor<4x3xi64>
}
