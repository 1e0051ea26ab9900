// RUN: tcc-opt %s --split-input-file --tcc-simplify --verify-each | FileCheck %s

// A layer that reads what all layers before it made: a concatenation begins with the one before it, so that it may be written behind it. Spelled as exporters do, from
// the last two parts on.
// CHECK-LABEL: @dense
// CHECK: %[[A:.*]] = "tcc.exp"(%arg0)
// CHECK: %[[AB:.*]] = "tcc.concat"(%arg0, %[[A]]) {axis = 1 : i64}
// CHECK: %[[ABC:.*]] = "tcc.concat"(%[[AB]], %[[C:.*]]) {axis = 1 : i64}
// CHECK: %[[ABCD:.*]] = "tcc.concat"(%[[ABC]], %{{.*}}) {axis = 1 : i64}
// CHECK-NOT: tcc.concat
// CHECK: return %[[AB]], %[[ABC]], %[[ABCD]]
func.func @dense(%x: tensor<1x4x?x?xf32, [1, 4, "H", "W"]>) -> (tensor<1x8x?x?xf32, [1, 8, "H", "W"]>, tensor<1x12x?x?xf32, [1, 12, "H", "W"]>, tensor<1x16x?x?xf32, [1, 16, "H", "W"]>) {
  %a = "tcc.exp"(%x) : (tensor<1x4x?x?xf32, [1, 4, "H", "W"]>) -> tensor<1x4x?x?xf32, [1, 4, "H", "W"]>
  %0 = "tcc.concat"(%x, %a) {axis = 1 : i64} : (tensor<1x4x?x?xf32, [1, 4, "H", "W"]>, tensor<1x4x?x?xf32, [1, 4, "H", "W"]>) -> tensor<1x8x?x?xf32, [1, 8, "H", "W"]>
  %b = "tcc.tanh"(%x) : (tensor<1x4x?x?xf32, [1, 4, "H", "W"]>) -> tensor<1x4x?x?xf32, [1, 4, "H", "W"]>
  %1 = "tcc.concat"(%a, %b) {axis = 1 : i64} : (tensor<1x4x?x?xf32, [1, 4, "H", "W"]>, tensor<1x4x?x?xf32, [1, 4, "H", "W"]>) -> tensor<1x8x?x?xf32, [1, 8, "H", "W"]>
  %2 = "tcc.concat"(%x, %1) {axis = 1 : i64} : (tensor<1x4x?x?xf32, [1, 4, "H", "W"]>, tensor<1x8x?x?xf32, [1, 8, "H", "W"]>) -> tensor<1x12x?x?xf32, [1, 12, "H", "W"]>
  %c = "tcc.abs"(%x) : (tensor<1x4x?x?xf32, [1, 4, "H", "W"]>) -> tensor<1x4x?x?xf32, [1, 4, "H", "W"]>
  %3 = "tcc.concat"(%b, %c) {axis = 1 : i64} : (tensor<1x4x?x?xf32, [1, 4, "H", "W"]>, tensor<1x4x?x?xf32, [1, 4, "H", "W"]>) -> tensor<1x8x?x?xf32, [1, 8, "H", "W"]>
  %4 = "tcc.concat"(%a, %3) {axis = 1 : i64} : (tensor<1x4x?x?xf32, [1, 4, "H", "W"]>, tensor<1x8x?x?xf32, [1, 8, "H", "W"]>) -> tensor<1x12x?x?xf32, [1, 12, "H", "W"]>
  %5 = "tcc.concat"(%x, %4) {axis = 1 : i64} : (tensor<1x4x?x?xf32, [1, 4, "H", "W"]>, tensor<1x12x?x?xf32, [1, 12, "H", "W"]>) -> tensor<1x16x?x?xf32, [1, 16, "H", "W"]>
  return %0, %2, %5 : tensor<1x8x?x?xf32, [1, 8, "H", "W"]>, tensor<1x12x?x?xf32, [1, 12, "H", "W"]>, tensor<1x16x?x?xf32, [1, 16, "H", "W"]>
}

// -----

// Along another axis than the outermost the shorter one would be copied into the longer one; and parts in another order are other parts.
// CHECK-LABEL: @copies
// CHECK-DAG: %[[TAIL:.*]] = "tcc.concat"(%arg1, %arg2)
// CHECK-DAG: %[[ALL:.*]] = "tcc.concat"(%arg0, %[[TAIL]])
// CHECK: return %{{.*}}, %[[ALL]]
func.func @copies(%x: tensor<2x4xf32>, %a: tensor<2x4xf32>, %b: tensor<2x4xf32>) -> (tensor<2x8xf32>, tensor<2x12xf32>) {
  %0 = "tcc.concat"(%x, %a) {axis = 1 : i64} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
  %1 = "tcc.concat"(%a, %b) {axis = 1 : i64} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
  %2 = "tcc.concat"(%x, %1) {axis = 1 : i64} : (tensor<2x4xf32>, tensor<2x8xf32>) -> tensor<2x12xf32>
  return %0, %2 : tensor<2x8xf32>, tensor<2x12xf32>
}
// CHECK-LABEL: @order
// CHECK-DAG: %[[TAIL:.*]] = "tcc.concat"(%arg2, %arg1)
// CHECK-DAG: %[[ALL:.*]] = "tcc.concat"(%arg0, %[[TAIL]])
// CHECK: return %{{.*}}, %[[ALL]]
func.func @order(%x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<8xf32>, tensor<12xf32>) {
  %0 = "tcc.concat"(%x, %a) {axis = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %1 = "tcc.concat"(%b, %a) {axis = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %2 = "tcc.concat"(%x, %1) {axis = 0 : i64} : (tensor<4xf32>, tensor<8xf32>) -> tensor<12xf32>
  return %0, %2 : tensor<8xf32>, tensor<12xf32>
}
