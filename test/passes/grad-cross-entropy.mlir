// The gradient of a cross-entropy is made of the logits, where it is read and in their place, and of two numbers for each line: neither the logarithms nor
// the weights of the softmax are in memory, in either direction.
// RUN: tcc-opt %s --split-input-file --pass-pipeline=tcc-verify,tcc-grad,tcc-simplify,tcc-verify | FileCheck %s
// RUN: tcc-opt %s --split-input-file --pass-pipeline=tcc-grad,tcc-simplify -o %t.mlir
// RUN: tcc-opt %t.mlir --split-input-file --target=x86,avx2 --pipeline=default | FileCheck %s --check-prefix=KERNELS
// CHECK: @main(
// CHECK: %[[X:.*]] = "tcc.dot_general"
// CHECK: %[[MOST:.*]] = "tcc.reduce"(%[[X]]) {{.*}}kind = "max"}
// CHECK: %[[LOG:.*]] = "tcc.log"
// CHECK-DAG: "tcc.barrier"(%[[X]])
// CHECK-DAG: "tcc.barrier"(%[[MOST]])
// CHECK-DAG: "tcc.barrier"(%[[LOG]])
// The sum of its cotangent, which is at one label of each line, is that number: no reduction of what has all words.
// CHECK-NOT: "tcc.reduce"({{.*}}(tensor<64x1000xf32>)
// CHECK: "tcc.dot_general"
// KERNELS: tcc.reduce
// KERNELS: return %{{.*}} : tensor<64x1xf32>, tensor<64x1xf32>, tensor<64x1xf32>
// KERNELS: call @k{{.*}}gather_elements
// KERNELS: call @{{.*}}reduce_sub_exp_reduce{{.*}} -> (tensor<64x1xf32>, tensor<64x1xf32>, tensor<64x1xf32>)
// KERNELS: call @{{.*}}compare_select_sub{{.*}}tcc.inplace = {{.*}} -> tensor<64x1000xf32>
func.func @main(%h: tensor<64x96xf32>, %w: tensor<96x1000xf32>, %i: tensor<64x1xi64>) -> (tensor<f32> {tcc.name = "loss"}) {
  %x = "tcc.dot_general"(%h, %w) {lhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 0>} : (tensor<64x96xf32>, tensor<96x1000xf32>) -> tensor<64x1000xf32>
  %l = "tcc.log_softmax"(%x) {axis = 1 : i64} : (tensor<64x1000xf32>) -> tensor<64x1000xf32>
  %0 = "tcc.gather_elements"(%l, %i) {axis = 1 : i64, valid = "unsigned"} : (tensor<64x1000xf32>, tensor<64x1xi64>) -> tensor<64x1xf32>
  %1 = "tcc.neg"(%0) : (tensor<64x1xf32>) -> tensor<64x1xf32>
  %2 = "tcc.reduce"(%1) {axes = array<i64: 0, 1>, keepdims = false, kind = "sum"} : (tensor<64x1xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----
// Weights of classes that are given, here of labels by a comparison that the model itself has: a label may be out of range, so its sum is taken.
// CHECK: @main(
// CHECK: tcc.barrier
// CHECK: "tcc.reduce"({{.*}}kind = "sum"} : (tensor<3x50xf32>) -> tensor<3x1xf32>
// CHECK: "tcc.mul"
func.func @main(%x: tensor<3x50xf32>, %i: tensor<3x1xi32>) -> (tensor<f32> {tcc.name = "loss"}) {
  %l = "tcc.log_softmax"(%x) {axis = 1 : i64} : (tensor<3x50xf32>) -> tensor<3x50xf32>
  %p = "tcc.iota"() {axis = 1 : i64} : () -> tensor<1x50xi32>
  %c = "tcc.compare"(%p, %i) {predicate = "eq"} : (tensor<1x50xi32>, tensor<3x1xi32>) -> tensor<3x50xi1>
  %z = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %s = "tcc.select"(%c, %l, %z) : (tensor<3x50xi1>, tensor<3x50xf32>, tensor<f32>) -> tensor<3x50xf32>
  %2 = "tcc.reduce"(%s) {axes = array<i64: 0, 1>, keepdims = false, kind = "sum"} : (tensor<3x50xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}
