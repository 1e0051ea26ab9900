// A line that is read at one index, as labels are, has its gradient by a comparison: nothing is filled with zeros and written to. Indices that are fewer
// than lines, or several of a line, have it by a scatter.
// RUN: tcc-opt %s --split-input-file --pass-pipeline=tcc-verify,tcc-grad,tcc-simplify,tcc-verify | FileCheck %s
// CHECK: @main(%{{.*}}: tensor<3x50257xf32>
// CHECK: %[[PLACES:.*]] = "tcc.iota"() {{.*}}-> tensor<1x50257xi32>
// CHECK: %[[HERE:.*]] = "tcc.compare"(%[[PLACES]], %{{.*}}) {predicate = "eq"} {{.*}}-> tensor<3x50257xi1>
// CHECK: "tcc.select"(%[[HERE]], {{.*}}-> tensor<3x50257xf32>
// CHECK-NOT: tcc.scatter_elements
func.func @main(%x: tensor<3x50257xf32>, %i: tensor<3x1xi64>) -> (tensor<f32> {tcc.name = "loss"}) {
  %0 = "tcc.gather_elements"(%x, %i) {axis = 1 : i64} : (tensor<3x50257xf32>, tensor<3x1xi64>) -> tensor<3x1xf32>
  %1 = "tcc.mul"(%0, %0) : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  %2 = "tcc.reduce"(%1) {axes = array<i64: 0, 1>, keepdims = false, kind = "sum"} : (tensor<3x1xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----
// CHECK: @main(%{{.*}}: tensor<3x50xf32>
// CHECK: tcc.scatter_elements
func.func @main(%x: tensor<3x50xf32>, %i: tensor<2x1xi64>) -> (tensor<f32> {tcc.name = "loss"}) {
  %0 = "tcc.gather_elements"(%x, %i) {axis = 1 : i64} : (tensor<3x50xf32>, tensor<2x1xi64>) -> tensor<2x1xf32>
  %2 = "tcc.reduce"(%0) {axes = array<i64: 0, 1>, keepdims = false, kind = "sum"} : (tensor<2x1xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----
// CHECK: @main(%{{.*}}: tensor<3x50xf32>
// CHECK: tcc.scatter_elements
func.func @main(%x: tensor<3x50xf32>, %i: tensor<3x2xi64>) -> (tensor<f32> {tcc.name = "loss"}) {
  %0 = "tcc.gather_elements"(%x, %i) {axis = 1 : i64} : (tensor<3x50xf32>, tensor<3x2xi64>) -> tensor<3x2xf32>
  %2 = "tcc.reduce"(%0) {axes = array<i64: 0, 1>, keepdims = false, kind = "sum"} : (tensor<3x2xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}
