// RUN: tcc-opt --tcc-grad=wrt=q,k,v --tcc-simplify --tcc-verify %s -o %t.mlir && FileCheck %s < %t.mlir
// RUN: tcc-opt --tcc-grad=wrt=q,k,v,m --tcc-simplify --tcc-verify %s -o %t.whole.mlir && FileCheck %s --check-prefix=WHOLE < %t.whole.mlir
// RUN: rm -rf %t.data && tcc-run %t.whole.mlir --no-cache --random=1 --dim=S=300 --dim=T=270 --save=%t.data && rm %t.data/output_4.npy && tcc-run %t.mlir --no-cache --random=1 --dim=S=300 --dim=T=270 --data=%t.data --check --rtol=1e-5
// RUN: rm -rf %t.data && tcc-run %t.whole.mlir --no-cache --random=1 --dim=S=128 --dim=T=1 --save=%t.data && rm %t.data/output_4.npy && tcc-run %t.mlir --no-cache --random=1 --dim=S=128 --dim=T=1 --data=%t.data --check --rtol=1e-5
// RUN: rm -rf %t.data && tcc-run %t.whole.mlir --no-cache --random=1 --dim=S=5 --dim=T=7 --save=%t.data && rm %t.data/output_4.npy && tcc-run %t.mlir --no-cache --random=1 --dim=S=5 --dim=T=7 --data=%t.data --check --rtol=1e-5
// RUN: tcc-run %t.mlir --no-cache --random=1 --dim=S=0 --dim=T=7
// RUN: rm -rf %t.line && mkdir %t.line && %python -c "import numpy as n; r = n.random.default_rng(0); [n.save(f'%t.line/input_{i}.npy', r.standard_normal(s).astype(n.float32)) for i, s in enumerate([(2, 4, 150, 6), (2, 2, 9, 6), (2, 2, 9, 3)])]; n.save('%t.line/input_3.npy', r.random((1, 150, 9)) < 0.7)"
// RUN: sed '/^func/,$s/tensor<1x?x?xf32, \[1, "S", "T"\]>/tensor<1x?x?xi1, [1, "S", "T"]>/g; s/causal = true/zero_masked = true, &/' %s > %t.flags.mlir && tcc-interp --gradcheck %t.flags.mlir --data %t.line | FileCheck %s --check-prefix=LINE
// LINE: the derivatives agree
// REQUIRES: avx2, python

// Where the number of queries is a symbol an iteration of a loop has a block of them: sums of dk and dv are carried, dq is stacked. A last block that is
// not whole has zeros behind, and its mask the last row again. The gradient of a mask is as large as the scores: there is no loop.
// CHECK-LABEL: func.func @main
// CHECK-NOT: tcc.softmax
// CHECK: call @attention_bwd({{.*}}tcc.trips = ["ceildiv(S, min(max(S, 1), 128))"]
// CHECK-LABEL: func.func private @attention_bwd
// CHECK-COUNT-1: "tcc.softmax"
// CHECK-NOT: "tcc.softmax"
// WHOLE-NOT: attention_bwd
func.func @main(%q: tensor<2x4x?x6xf32, [2, 4, "S", 6]> {tcc.name = "q"}, %k: tensor<2x2x?x6xf32, [2, 2, "T", 6]> {tcc.name = "k"}, %v: tensor<2x2x?x3xf32, [2, 2, "T", 3]> {tcc.name = "v"}, %m: tensor<1x?x?xf32, [1, "S", "T"]> {tcc.name = "m"}) -> (tensor<f32> {tcc.name = "loss"}) {
  %0 = "tcc.attention"(%q, %k, %v, %m) {scale = 0.35 : f64, causal = true, offset = [3], softcap = 2.0 : f64} : (tensor<2x4x?x6xf32, [2, 4, "S", 6]>, tensor<2x2x?x6xf32, [2, 2, "T", 6]>, tensor<2x2x?x3xf32, [2, 2, "T", 3]>, tensor<1x?x?xf32, [1, "S", "T"]>) -> tensor<2x4x?x3xf32, [2, 4, "S", 3]>
  %1 = "tcc.sin"(%0) : (tensor<2x4x?x3xf32, [2, 4, "S", 3]>) -> tensor<2x4x?x3xf32, [2, 4, "S", 3]>
  %2 = "tcc.mul"(%0, %1) : (tensor<2x4x?x3xf32, [2, 4, "S", 3]>, tensor<2x4x?x3xf32, [2, 4, "S", 3]>) -> tensor<2x4x?x3xf32, [2, 4, "S", 3]>
  %3 = "tcc.reduce"(%2) {kind = "sum", axes = array<i64: 0, 1, 2, 3>} : (tensor<2x4x?x3xf32, [2, 4, "S", 3]>) -> tensor<f32>
  return %3 : tensor<f32>
}
