// RUN: tcc-opt %s --split-input-file --tcc-grad=recompute=0 --tcc-simplify --verify-each | FileCheck %s

// Operands that two ops read have one gradient; sizes may be symbols; integers and frozen values have none.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x3xf32, ["B", 3]> {tcc.name = "x"}, %[[W:[^:]*]]: tensor<3xf32> {tcc.name = "w"}
// CHECK-SAME: (tensor<f32> {tcc.name = "loss"}, tensor<?x3xf32, ["B", 3]> {tcc.name = "grad.x"}, tensor<3xf32> {tcc.name = "grad.w"})
// CHECK: %[[M:.*]] = "tcc.mul"(%[[X]], %[[W]])
// CHECK: %[[T:.*]] = "tcc.tanh"(%[[M]])
// CHECK: %[[SQUARE:.*]] = "tcc.mul"(%[[T]], %[[T]])
// CHECK: %[[SLOPE:.*]] = "tcc.sub"({{.*}}, %[[SQUARE]])
// CHECK-DAG: %[[GX:.*]] = "tcc.mul"({{.*}}%[[W]])
// CHECK-DAG: %[[GM:.*]] = "tcc.mul"({{.*}}%[[X]])
// CHECK-DAG: %[[GW:.*]] = "tcc.reduce"(%[[GM]]) {axes = array<i64: 0>, keepdims = false, kind = "sum"}
// CHECK: return {{.*}}, %[[GX]], %[[GW]]
func.func @main(%x: tensor<?x3xf32, ["B", 3]> {tcc.name = "x"}, %w: tensor<3xf32> {tcc.name = "w"}, %i: tensor<?xi64, ["B"]>) -> (tensor<f32> {tcc.name = "loss"}) {
  %0 = "tcc.mul"(%x, %w) : (tensor<?x3xf32, ["B", 3]>, tensor<3xf32>) -> tensor<?x3xf32, ["B", 3]>
  %1 = "tcc.tanh"(%0) : (tensor<?x3xf32, ["B", 3]>) -> tensor<?x3xf32, ["B", 3]>
  %2 = "tcc.reduce"(%1) {kind = "sum", axes = array<i64: 0, 1>} : (tensor<?x3xf32, ["B", 3]>) -> tensor<f32>
  return %2 : tensor<f32>
}
