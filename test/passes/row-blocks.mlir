// RUN: rm -rf %t && split-file %s %t && mkdir %t/data
// RUN: tcc-opt %t/head.mlir --tcc-row-blocks=rows=4 --verify-each | FileCheck %s
// RUN: tcc-opt %t/head.mlir --tcc-row-blocks=rows=6 --verify-each | FileCheck %s --check-prefix=WHOLE
// RUN: tcc-opt %t/others.mlir --split-input-file --tcc-row-blocks=rows=4 --verify-each | FileCheck %s --check-prefix=OTHERS
// RUN: tcc-opt %t/head.mlir --pass-pipeline='tcc-row-blocks{rows=4},tcc-grad{wrt=h,w recompute=1000000},tcc-simplify,tcc-verify' -o %t/blocks.mlir
// RUN: FileCheck %s --check-prefix=GRAD < %t/blocks.mlir

// Gradients are those of the whole, to the last bit but for the sums of blocks.
// REQUIRES: python
// RUN: %python -c "import numpy as np; r = np.random.default_rng(0); [np.save('%t/data/input_%%d.npy' %% i, v) for i, v in enumerate((r.standard_normal((2, 5, 6)).astype('f'), r.standard_normal((6, 7)).astype('f'), r.integers(0, 7, (10, 1))))]"
// RUN: tcc-opt %t/head.mlir --tcc-grad=wrt=h,w -o %t/whole.mlir
// RUN: tcc-interp %t/whole.mlir --data %t/data --save %t/data
// RUN: tcc-interp %t/blocks.mlir --data %t/data --check
// RUN: tcc-run %t/blocks.mlir --data %t/data --check --rtol 1e-5

// Blocks of 4, 4 and 2 rows, each with its logits, of one barrier.
// CHECK-LABEL: func.func @main
// CHECK: %[[B:.*]] = "tcc.barrier"(%arg0)
// CHECK: %[[ROWS:.*]] = "tcc.reshape"(%[[B]]) : (tensor<2x5x6xf32>) -> tensor<10x6xf32>
// CHECK: %[[X0:.*]] = "tcc.slice"(%[[ROWS]]) {starts = [0, 0]
// CHECK: %[[Z0:.*]] = "tcc.matmul"(%[[X0]], %arg1) {{.*}} -> tensor<4x7xf32>
// CHECK: %[[L0:.*]] = "tcc.log_softmax"(%[[Z0]])
// CHECK: %[[I0:.*]] = "tcc.slice"(%arg2) {starts = [0, 0]
// CHECK: %[[Y0:.*]] = "tcc.gather_elements"(%[[L0]], %[[I0]]) {axis = 1 : i64, valid = "unsigned"}
// CHECK: "tcc.slice"(%[[ROWS]]) {starts = [4, 0]
// CHECK: "tcc.slice"(%[[ROWS]]) {starts = [8, 0]
// CHECK: -> tensor<2x7xf32>
// CHECK: "tcc.concat"
// CHECK-NOT: 10x7
// CHECK: return

// Fewer than two blocks stay whole.
// WHOLE-NOT: tcc.barrier
// WHOLE: tensor<2x5x7xf32>

// Each block's logits are made in front of its gradient, the last block's first; none is made twice, whatever a byte costs. The gradient of the
// weight is added up as it is made, that of the rows put together.
// GRAD-LABEL: func.func @main
// GRAD: "tcc.dot_general"({{.*}} -> tensor<2x7xf32>
// GRAD: "tcc.gather_elements"
// GRAD: %[[W2:.*]] = "tcc.dot_general"({{.*}} : (tensor<2x6xf32>, tensor<2x7xf32>) -> tensor<6x7xf32>
// GRAD: "tcc.dot_general"({{.*}} -> tensor<4x7xf32>
// GRAD: %[[W1:.*]] = "tcc.dot_general"({{.*}} : (tensor<4x6xf32>, tensor<4x7xf32>) -> tensor<6x7xf32>
// GRAD: %[[P2:.*]] = "tcc.barrier"(%[[W2]])
// GRAD: %[[S1:.*]] = "tcc.add"(%[[W1]], %[[P2]])
// GRAD: "tcc.dot_general"({{.*}} -> tensor<4x7xf32>
// GRAD: %[[P1:.*]] = "tcc.barrier"(%[[S1]])
// GRAD: "tcc.add"(%{{.*}}, %[[P1]])
// GRAD-NOT: tcc.pad
// GRAD: "tcc.concat"({{.*}} -> tensor<10x6xf32>
// GRAD-NOT: -> tensor<4x7xf32>

// Logits that somebody else reads, two labels of a row, a softmax along rows: nothing is in blocks.
// OTHERS-NOT: tcc.barrier

//--- head.mlir
func.func @main(%h: tensor<2x5x6xf32> {tcc.name = "h"}, %w: tensor<6x7xf32> {tcc.name = "w"}, %i: tensor<10x1xi64> {tcc.name = "i"}) -> (tensor<f32> {tcc.name = "loss"}) {
  %x = "tcc.matmul"(%h, %w) : (tensor<2x5x6xf32>, tensor<6x7xf32>) -> tensor<2x5x7xf32>
  %z = "tcc.reshape"(%x) : (tensor<2x5x7xf32>) -> tensor<10x7xf32>
  %l = "tcc.log_softmax"(%z) {axis = 1 : i64} : (tensor<10x7xf32>) -> tensor<10x7xf32>
  %0 = "tcc.gather_elements"(%l, %i) {axis = 1 : i64, valid = "unsigned"} : (tensor<10x7xf32>, tensor<10x1xi64>) -> tensor<10x1xf32>
  %1 = "tcc.neg"(%0) : (tensor<10x1xf32>) -> tensor<10x1xf32>
  %2 = "tcc.mean"(%1) {axes = array<i64: 0, 1>, keepdims = false} : (tensor<10x1xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}
//--- others.mlir
func.func @main(%h: tensor<10x6xf32>, %w: tensor<6x7xf32>, %i: tensor<10x1xi64>) -> (tensor<10x1xf32>, tensor<10x7xf32>) {
  %z = "tcc.matmul"(%h, %w) : (tensor<10x6xf32>, tensor<6x7xf32>) -> tensor<10x7xf32>
  %l = "tcc.log_softmax"(%z) {axis = 1 : i64} : (tensor<10x7xf32>) -> tensor<10x7xf32>
  %0 = "tcc.gather_elements"(%l, %i) {axis = 1 : i64} : (tensor<10x7xf32>, tensor<10x1xi64>) -> tensor<10x1xf32>
  return %0, %z : tensor<10x1xf32>, tensor<10x7xf32>
}

// -----
func.func @main(%h: tensor<10x6xf32>, %w: tensor<6x7xf32>, %i: tensor<10x2xi64>) -> tensor<10x2xf32> {
  %z = "tcc.matmul"(%h, %w) : (tensor<10x6xf32>, tensor<6x7xf32>) -> tensor<10x7xf32>
  %l = "tcc.log_softmax"(%z) {axis = 1 : i64} : (tensor<10x7xf32>) -> tensor<10x7xf32>
  %0 = "tcc.gather_elements"(%l, %i) {axis = 1 : i64} : (tensor<10x7xf32>, tensor<10x2xi64>) -> tensor<10x2xf32>
  return %0 : tensor<10x2xf32>
}

// -----
func.func @main(%h: tensor<10x6xf32>, %w: tensor<6x7xf32>, %i: tensor<10x1xi64>) -> tensor<10x1xf32> {
  %z = "tcc.matmul"(%h, %w) : (tensor<10x6xf32>, tensor<6x7xf32>) -> tensor<10x7xf32>
  %l = "tcc.log_softmax"(%z) {axis = 0 : i64} : (tensor<10x7xf32>) -> tensor<10x7xf32>
  %0 = "tcc.gather_elements"(%l, %i) {axis = 1 : i64} : (tensor<10x7xf32>, tensor<10x1xi64>) -> tensor<10x1xf32>
  return %0 : tensor<10x1xf32>
}
