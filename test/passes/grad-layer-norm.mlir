// RUN: tcc-opt %s --pass-pipeline="tcc-grad{of=loss wrt=x,s,b}" | tcc-opt --pipeline=default --target=x86,avx2 - | FileCheck %s
// RUN: tcc-opt %s --pass-pipeline="tcc-grad{of=loss wrt=x,s,b}" -o %t.mlir && tcc-run %t.mlir --target=x86,avx2 --random=1 --compare=interp --rtol=1e-4 --atol=1e-4
// REQUIRES: avx2

// The two sums along rows that the gradient of x has are made in one kernel, which writes it.
// CHECK: func.func private @[[BOTH:[a-z0-9_]*]]({{.*}} -> tensor<64x96xf32> attributes {tcc.kernel = "row"}
// CHECK-COUNT-2: "tcc.reduce"({{.*}}axes = array<i64: 1>
// CHECK-NOT: "tcc.reduce"({{.*}}axes = array<i64: 1>
// CHECK: func.func @main
// CHECK: call @[[BOTH]]
func.func @main(%x: tensor<64x96xf32> {tcc.name = "x"}, %s: tensor<96xf32> {tcc.name = "s"}, %b: tensor<96xf32> {tcc.name = "b"}, %y: tensor<64x96xf32> {tcc.name = "y"}) -> (tensor<f32> {tcc.name = "loss"}) {
  %0 = "tcc.layer_norm"(%x, %s, %b) {axis = 1 : i64, eps = 1.0e-5 : f64} : (tensor<64x96xf32>, tensor<96xf32>, tensor<96xf32>) -> tensor<64x96xf32>
  %1 = "tcc.mul"(%0, %y) : (tensor<64x96xf32>, tensor<64x96xf32>) -> tensor<64x96xf32>
  %2 = "tcc.reduce"(%1) {axes = array<i64: 0, 1>, keepdims = false, kind = "sum"} : (tensor<64x96xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}
