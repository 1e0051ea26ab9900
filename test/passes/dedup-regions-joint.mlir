// RUN: tcc-opt --tcc-grad --tcc-simplify %s -o %t.mlir && tcc-opt --tcc-dedup-regions --tcc-verify %t.mlir -o %t.regions.mlir && FileCheck %s < %t.regions.mlir
// RUN: tcc-run %t.mlir --no-dedup --no-cache --random=1 --save=%t.data && tcc-run %t.regions.mlir --no-cache --random=1 --data=%t.data --check

// Forward and backward in one graph, as AOTAutograd makes it: a layer's backward reads what its forward has saved, so a region that held both would be in a
// circle with all layers behind it. What the loss does not need is apart: one region for the layers forwards and one for those backwards.
// CHECK: func.func private @region0(
// CHECK: func.func private @region1(
// CHECK-NOT: func.func private
// CHECK: func.func @main
// CHECK-COUNT-4: call @region1(
// CHECK-NOT: call @region1(
// CHECK-COUNT-4: call @region0(
func.func @main(%x: tensor<3x8xf32> {tcc.name = "x"}, %a0: tensor<8x16xf32> {tcc.name = "a0"}, %b0: tensor<16x8xf32> {tcc.name = "b0"}, %a1: tensor<8x16xf32> {tcc.name = "a1"}, %b1: tensor<16x8xf32> {tcc.name = "b1"}, %a2: tensor<8x16xf32> {tcc.name = "a2"}, %b2: tensor<16x8xf32> {tcc.name = "b2"}, %a3: tensor<8x16xf32> {tcc.name = "a3"}, %b3: tensor<16x8xf32> {tcc.name = "b3"}) -> (tensor<f32> {tcc.name = "loss"}) {
  %none = "tcc.none"() : () -> none
  %n0 = "tcc.rms_norm"(%x, %none) {axis = 1 : i64, eps = 1.0e-5 : f64} : (tensor<3x8xf32>, none) -> tensor<3x8xf32>
  %p0 = "tcc.matmul"(%n0, %a0) : (tensor<3x8xf32>, tensor<8x16xf32>) -> tensor<3x16xf32>
  %g0 = "tcc.gelu"(%p0) {approximate = "tanh"} : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %t0 = "tcc.tanh"(%g0) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %e0 = "tcc.exp"(%t0) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %m0 = "tcc.mul"(%e0, %p0) : (tensor<3x16xf32>, tensor<3x16xf32>) -> tensor<3x16xf32>
  %o0 = "tcc.softmax"(%m0) {axis = 1 : i64} : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %q0 = "tcc.matmul"(%o0, %b0) : (tensor<3x16xf32>, tensor<16x8xf32>) -> tensor<3x8xf32>
  %h0 = "tcc.add"(%x, %q0) : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  %n1 = "tcc.rms_norm"(%h0, %none) {axis = 1 : i64, eps = 1.0e-5 : f64} : (tensor<3x8xf32>, none) -> tensor<3x8xf32>
  %p1 = "tcc.matmul"(%n1, %a1) : (tensor<3x8xf32>, tensor<8x16xf32>) -> tensor<3x16xf32>
  %g1 = "tcc.gelu"(%p1) {approximate = "tanh"} : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %t1 = "tcc.tanh"(%g1) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %e1 = "tcc.exp"(%t1) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %m1 = "tcc.mul"(%e1, %p1) : (tensor<3x16xf32>, tensor<3x16xf32>) -> tensor<3x16xf32>
  %o1 = "tcc.softmax"(%m1) {axis = 1 : i64} : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %q1 = "tcc.matmul"(%o1, %b1) : (tensor<3x16xf32>, tensor<16x8xf32>) -> tensor<3x8xf32>
  %h1 = "tcc.add"(%h0, %q1) : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  %n2 = "tcc.rms_norm"(%h1, %none) {axis = 1 : i64, eps = 1.0e-5 : f64} : (tensor<3x8xf32>, none) -> tensor<3x8xf32>
  %p2 = "tcc.matmul"(%n2, %a2) : (tensor<3x8xf32>, tensor<8x16xf32>) -> tensor<3x16xf32>
  %g2 = "tcc.gelu"(%p2) {approximate = "tanh"} : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %t2 = "tcc.tanh"(%g2) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %e2 = "tcc.exp"(%t2) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %m2 = "tcc.mul"(%e2, %p2) : (tensor<3x16xf32>, tensor<3x16xf32>) -> tensor<3x16xf32>
  %o2 = "tcc.softmax"(%m2) {axis = 1 : i64} : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %q2 = "tcc.matmul"(%o2, %b2) : (tensor<3x16xf32>, tensor<16x8xf32>) -> tensor<3x8xf32>
  %h2 = "tcc.add"(%h1, %q2) : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  %n3 = "tcc.rms_norm"(%h2, %none) {axis = 1 : i64, eps = 1.0e-5 : f64} : (tensor<3x8xf32>, none) -> tensor<3x8xf32>
  %p3 = "tcc.matmul"(%n3, %a3) : (tensor<3x8xf32>, tensor<8x16xf32>) -> tensor<3x16xf32>
  %g3 = "tcc.gelu"(%p3) {approximate = "tanh"} : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %t3 = "tcc.tanh"(%g3) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %e3 = "tcc.exp"(%t3) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %m3 = "tcc.mul"(%e3, %p3) : (tensor<3x16xf32>, tensor<3x16xf32>) -> tensor<3x16xf32>
  %o3 = "tcc.softmax"(%m3) {axis = 1 : i64} : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %q3 = "tcc.matmul"(%o3, %b3) : (tensor<3x16xf32>, tensor<16x8xf32>) -> tensor<3x8xf32>
  %h3 = "tcc.add"(%h2, %q3) : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  %s = "tcc.mul"(%h3, %h3) : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  %l = "tcc.reduce"(%s) {kind = "sum", axes = array<i64: 0, 1>} : (tensor<3x8xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
