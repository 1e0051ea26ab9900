// The sums of an attention's rows go through blocks of queries where sizes are known, so that of the scores no more than a block's is in memory: with causal
// these are the keys alone that the block's queries see.
// RUN: tcc-opt %s --target=reference --tcc-decompose --tcc-simplify --verify-each | FileCheck %s
// RUN: rm -rf %t && tcc-run %s --no-cache --random=1 --dim=S=300 --save=%t && tcc-run %s --no-cache --target=reference --random=1 --dim=S=300 --data=%t --check --rtol=1e-4 --atol=1e-5
// RUN: tcc-run %s --no-cache --random=3 --dim=S=140 --compare=interp
// RUN: tcc-opt %s --target=reference --tcc-decompose -o %t.mlir && tcc-run %t.mlir --no-cache --random=3 --dim=S=140 --compare=interp

// CHECK-NOT: x300x300x
// CHECK-NOT: x300x330x
// CHECK: tensor<1x4x128x158xf32>
// CHECK: tensor<1x4x128x286xf32>
// CHECK: tensor<1x4x44x330xf32>
// CHECK: "tcc.concat"({{.*}}) {axis = 2 : i64} : {{.*}} -> tensor<1x4x300xf32>
// CHECK: "tcc.concat"({{.*}}) {axis = 2 : i64} : {{.*}} -> tensor<1x4x300xf32>
// CHECK-NOT: "tcc.concat"
func.func @main(%q: tensor<1x4x300x8xf32>, %k: tensor<1x2x330x8xf32>, %h: tensor<1x4x300x8xf16>, %g: tensor<1x4x300x8xf16>, %m: tensor<4x1x300xi1>, %y: tensor<1x4x?x8xf32, [1, 4, "S", 8]>) -> (tensor<1x4x300xf32>, tensor<1x4x300xf32>, tensor<1x4x?xf32, [1, 4, "S"]>) {
  %n = "tcc.none"() : () -> none
  %0 = "tcc.attention_logsumexp"(%q, %k, %n) {scale = 0.35 : f64, causal = true, offset = [30], softcap = 2.0 : f64} : (tensor<1x4x300x8xf32>, tensor<1x2x330x8xf32>, none) -> tensor<1x4x300xf32>
  %1 = "tcc.attention_logsumexp"(%h, %g, %m) {scale = 0.35 : f64} : (tensor<1x4x300x8xf16>, tensor<1x4x300x8xf16>, tensor<4x1x300xi1>) -> tensor<1x4x300xf32>
  %2 = "tcc.attention_logsumexp"(%y, %y, %n) {scale = 0.35 : f64, causal = true} : (tensor<1x4x?x8xf32, [1, 4, "S", 8]>, tensor<1x4x?x8xf32, [1, 4, "S", 8]>, none) -> tensor<1x4x?xf32, [1, 4, "S"]>
  return %0, %1, %2 : tensor<1x4x300xf32>, tensor<1x4x300xf32>, tensor<1x4x?xf32, [1, 4, "S"]>
}
