// RUN: tcc-opt --tcc-grad=wrt=q,k --tcc-simplify --tcc-verify %s -o %t.mlir && FileCheck %s < %t.mlir
// RUN: tcc-opt --tcc-grad=wrt=q,k,m --tcc-simplify --tcc-verify %s -o %t.whole.mlir && FileCheck %s --check-prefix=WHOLE < %t.whole.mlir
// RUN: rm -rf %t.data && tcc-run %t.whole.mlir --no-cache --random=1 --dim=S=300 --dim=T=270 --save=%t.data && rm %t.data/output_3.npy && tcc-run %t.mlir --no-cache --random=1 --dim=S=300 --dim=T=270 --data=%t.data --check --rtol=1e-5
// RUN: rm -rf %t.data && tcc-run %t.whole.mlir --no-cache --random=1 --dim=S=5 --dim=T=7 --save=%t.data && rm %t.data/output_3.npy && tcc-run %t.mlir --no-cache --random=1 --dim=S=5 --dim=T=7 --data=%t.data --check --rtol=1e-5
// RUN: tcc-run %t.mlir --no-cache --random=1 --dim=S=0 --dim=T=7
// RUN: sed 's/f32/bf16/g; s/x?xbf16, \[2, 4, "S"\]/x?xf32, [2, 4, "S"]/g; s/tensor<bf16>/tensor<f32>/g' %s | tcc-opt --tcc-grad=wrt=q,k --verify-each - -o %t.narrow.mlir && FileCheck %s --check-prefix=NARROW < %t.narrow.mlir
// RUN: tcc-run %t.narrow.mlir --no-cache --random=1 --dim=S=20 --dim=T=30 --compare=interp --rtol=0.02 --atol=0.02
// REQUIRES: avx2

// The derivative of the logarithms of an attention's sums goes by blocks of queries as that of attention does, also where their number is a symbol; behind
// the last query the logarithms are infinite. Scores of 16 bits are not rounded, as those are not.
// CHECK-LABEL: func.func @main
// CHECK: %[[INF:.*]] = "tcc.constant"() {value = dense<0x7F800000> : tensor<f32>}
// CHECK: "tcc.pad"(%{{.*}}, %[[INF]])
// CHECK: call @attention_bwd({{.*}}tcc.trips = ["ceildiv(S, min(max(S, 1), 128))"]
// CHECK-LABEL: func.func private @attention_bwd
// CHECK: "tcc.exp"
// CHECK-COUNT-2: "tcc.dot_general"
// CHECK-NOT: "tcc.dot_general"
// WHOLE-NOT: attention_bwd
// NARROW: "tcc.dot_general"{{.*}}wide = true{{.*}} -> tensor<{{.*}}xf32
func.func @main(%q: tensor<2x4x?x6xf32, [2, 4, "S", 6]> {tcc.name = "q"}, %k: tensor<2x2x?x6xf32, [2, 2, "T", 6]> {tcc.name = "k"}, %m: tensor<1x?x?xf32, [1, "S", "T"]> {tcc.name = "m"}) -> (tensor<f32> {tcc.name = "loss"}) {
  %0 = "tcc.attention_logsumexp"(%q, %k, %m) {scale = 0.35 : f64, causal = true, offset = [3], softcap = 2.0 : f64} : (tensor<2x4x?x6xf32, [2, 4, "S", 6]>, tensor<2x2x?x6xf32, [2, 2, "T", 6]>, tensor<1x?x?xf32, [1, "S", "T"]>) -> tensor<2x4x?xf32, [2, 4, "S"]>
  %1 = "tcc.sin"(%0) : (tensor<2x4x?xf32, [2, 4, "S"]>) -> tensor<2x4x?xf32, [2, 4, "S"]>
  %2 = "tcc.reduce"(%1) {kind = "sum", axes = array<i64: 0, 1, 2>} : (tensor<2x4x?xf32, [2, 4, "S"]>) -> tensor<f32>
  return %2 : tensor<f32>
}
