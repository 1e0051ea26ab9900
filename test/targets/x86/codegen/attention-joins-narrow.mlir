// RUN: rm -rf %t && tcc-run %s --random=1 --dim=T=9 --save=%t && tcc-run %s --target=reference --random=1 --dim=T=9 --data=%t --check --rtol=5e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=T=37 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --dim=T=37 --data=%t --check --rtol=5e-3 --atol=1e-4
// RUN: tcc-run %s --random --dim=T=1 --profile | FileCheck %s
// REQUIRES: avx2

// Heads of one element, alone and in groups: the joined keys are written by the attention that reads them, whose axis of one place has no stride.
// CHECK-NOT: {{reference|loops}}
// CHECK-COUNT-2: x86.attention {{.*}}_attention_
func.func @main(%q: tensor<2x6x1x1xf32>, %pk: tensor<2x2x?x1xf32, [2, 2, "T", 1]>, %nk: tensor<2x2x1x1xf32>, %pv: tensor<2x2x?x1xf32, [2, 2, "T", 1]>, %nv: tensor<2x2x1x1xf32>, %q1: tensor<2x2x1x1xf32>) -> (tensor<2x6x1x1xf32>, tensor<2x2x1x1xf32>, tensor<2x2x?x1xf32, [2, 2, "T + 1", 1]>, tensor<2x2x?x1xf32, [2, 2, "T + 1", 1]>, tensor<2x2x?x1xf32, [2, 2, "T + 1", 1]>, tensor<2x2x?x1xf32, [2, 2, "T + 1", 1]>) {
  %none = "tcc.none"() : () -> none
  %k = "tcc.concat"(%pk, %nk) {axis = 2 : i64} : (tensor<2x2x?x1xf32, [2, 2, "T", 1]>, tensor<2x2x1x1xf32>) -> tensor<2x2x?x1xf32, [2, 2, "T + 1", 1]>
  %v = "tcc.concat"(%pv, %nv) {axis = 2 : i64} : (tensor<2x2x?x1xf32, [2, 2, "T", 1]>, tensor<2x2x1x1xf32>) -> tensor<2x2x?x1xf32, [2, 2, "T + 1", 1]>
  %r = "tcc.attention"(%q, %k, %v, %none) {scale = 0.3 : f64, causal = true, offset = ["T"]} : (tensor<2x6x1x1xf32>, tensor<2x2x?x1xf32, [2, 2, "T + 1", 1]>, tensor<2x2x?x1xf32, [2, 2, "T + 1", 1]>, none) -> tensor<2x6x1x1xf32>
  %k1 = "tcc.concat"(%pv, %nk) {axis = 2 : i64} : (tensor<2x2x?x1xf32, [2, 2, "T", 1]>, tensor<2x2x1x1xf32>) -> tensor<2x2x?x1xf32, [2, 2, "T + 1", 1]>
  %v1 = "tcc.concat"(%pk, %nv) {axis = 2 : i64} : (tensor<2x2x?x1xf32, [2, 2, "T", 1]>, tensor<2x2x1x1xf32>) -> tensor<2x2x?x1xf32, [2, 2, "T + 1", 1]>
  %r1 = "tcc.attention"(%q1, %k1, %v1, %none) {scale = 0.3 : f64} : (tensor<2x2x1x1xf32>, tensor<2x2x?x1xf32, [2, 2, "T + 1", 1]>, tensor<2x2x?x1xf32, [2, 2, "T + 1", 1]>, none) -> tensor<2x2x1x1xf32>
  return %r, %r1, %k, %v, %k1, %v1 : tensor<2x6x1x1xf32>, tensor<2x2x1x1xf32>, tensor<2x2x?x1xf32, [2, 2, "T + 1", 1]>, tensor<2x2x?x1xf32, [2, 2, "T + 1", 1]>, tensor<2x2x?x1xf32, [2, 2, "T + 1", 1]>, tensor<2x2x?x1xf32, [2, 2, "T + 1", 1]>
}
