// RUN: tcc-opt %s --split-input-file --tcc-grad=wrt=q,k,v --tcc-simplify --verify-each | FileCheck %s

// The backward of attention goes through blocks of queries, so that of the scores it has no more than a block's: with causal these are
// the keys alone that the block's queries see. Nothing is 384 x 384.
// CHECK-LABEL: func.func @main
// CHECK-NOT: 384x384
// CHECK: "tcc.slice"(%arg0) {starts = [0, 0, 0, 0]
// CHECK: "tcc.softmax"({{.*}}) {axis = 3 : i64} : (tensor<2x3x128x128xf32>)
// CHECK-NOT: 384x384
// CHECK: "tcc.softmax"({{.*}}) {axis = 3 : i64} : (tensor<2x3x128x256xf32>)
// CHECK: "tcc.softmax"({{.*}}) {axis = 3 : i64} : (tensor<2x3x128x384xf32>)
// CHECK-NOT: tcc.softmax
// CHECK: "tcc.concat"({{.*}}) {axis = 2 : i64} : {{.*}} -> tensor<2x3x384x8xf32>
// CHECK-NOT: 384x384
// CHECK: return
func.func @main(%q: tensor<2x3x384x8xf32> {tcc.name = "q"}, %k: tensor<2x3x384x8xf32> {tcc.name = "k"}, %v: tensor<2x3x384x8xf32> {tcc.name = "v"}) -> tensor<f32> {
  %n = "tcc.none"() : () -> none
  %0 = "tcc.attention"(%q, %k, %v, %n) {scale = 0.125 : f64, causal = true} : (tensor<2x3x384x8xf32>, tensor<2x3x384x8xf32>, tensor<2x3x384x8xf32>, none) -> tensor<2x3x384x8xf32>
  %1 = "tcc.reduce"(%0) {kind = "sum", axes = array<i64: 0, 1, 2, 3>} : (tensor<2x3x384x8xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// Few queries are one block.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-1: tcc.softmax
// CHECK-NOT: tcc.softmax
// CHECK: return
func.func @main(%q: tensor<1x3x255x8xf32> {tcc.name = "q"}, %k: tensor<1x3x400x8xf32> {tcc.name = "k"}, %v: tensor<1x3x400x8xf32> {tcc.name = "v"}) -> tensor<f32> {
  %n = "tcc.none"() : () -> none
  %0 = "tcc.attention"(%q, %k, %v, %n) {scale = 0.125 : f64} : (tensor<1x3x255x8xf32>, tensor<1x3x400x8xf32>, tensor<1x3x400x8xf32>, none) -> tensor<1x3x255x8xf32>
  %1 = "tcc.reduce"(%0) {kind = "sum", axes = array<i64: 0, 1, 2, 3>} : (tensor<1x3x255x8xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}
