// Products of the backward of an attention in bf16 are of bf16; what is between them is f32, weights and their gradients are rounded for their products.
// RUN: tcc-opt %s --tcc-grad=of=loss --verify-each | FileCheck %s
// RUN: tcc-opt %s --tcc-grad=of=loss -o %t.mlir && tcc-run %t.mlir --no-cache --target=x86,avx2 --random=1 --compare=interp --rtol=0.02 --atol=0.02
// REQUIRES: avx2
// CHECK-LABEL: func.func @main
// CHECK: %[[D:.*]] = "tcc.dot_general"(%{{.*}}, %{{.*}}) {{.*}} : (tensor<2x3x20x8xbf16>, tensor<2x3x24x8xbf16>) -> tensor<2x3x20x24xbf16>
// CHECK: %[[S:.*]] = "tcc.convert"(%[[D]]) : (tensor<2x3x20x24xbf16>) -> tensor<2x3x20x24xf32>
// CHECK: "tcc.softmax"(%{{.*}}) {{.*}} -> tensor<2x3x20x24xf32>
// CHECK-COUNT-4: "tcc.dot_general"({{.*}}bf16>, {{.*}}bf16>) -> {{.*}}bf16>
// CHECK-NOT: "tcc.dot_general"
func.func @main(%q: tensor<2x3x20x8xbf16> {tcc.name = "q", tcc.parameter}, %k: tensor<2x3x24x8xbf16> {tcc.name = "k", tcc.parameter}, %v: tensor<2x3x24x8xbf16> {tcc.name = "v", tcc.parameter}, %w: tensor<2x3x20x8xf32>) -> (tensor<f32> {tcc.name = "loss"}) {
  %n = "tcc.none"() : () -> none
  %0 = "tcc.attention"(%q, %k, %v, %n) {scale = 0.35 : f64} : (tensor<2x3x20x8xbf16>, tensor<2x3x24x8xbf16>, tensor<2x3x24x8xbf16>, none) -> tensor<2x3x20x8xbf16>
  %1 = "tcc.convert"(%0) : (tensor<2x3x20x8xbf16>) -> tensor<2x3x20x8xf32>
  %2 = "tcc.mul"(%1, %w) : (tensor<2x3x20x8xf32>, tensor<2x3x20x8xf32>) -> tensor<2x3x20x8xf32>
  %loss = "tcc.reduce"(%2) {axes = array<i64: 0, 1, 2, 3>, kind = "sum", keepdims = false} : (tensor<2x3x20x8xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
