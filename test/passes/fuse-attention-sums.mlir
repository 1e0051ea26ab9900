// RUN: tcc-opt --split-input-file --tcc-fuse --target=x86,avx2 %s | FileCheck %s
// RUN: tcc-opt --split-input-file --tcc-decompose --tcc-fuse --target=nvptx,sm_90 %s | FileCheck %s --check-prefix=GPU

// An attention and the logarithms of the sums of its rows are one kernel, which computes the scores once, in whatever order they stand.
// CHECK-LABEL: func.func private @k0_attention
// CHECK-SAME: -> (tensor<1x2x16xf32>, tensor<1x2x16x8xf32>)
// CHECK: "tcc.attention_logsumexp"
// CHECK: "tcc.attention"
// CHECK-LABEL: func.func @main
// CHECK-COUNT-1: call
// CHECK-NOT: call
// A target whose kernels have no such result computes the sums by themselves, in blocks of rows where there are many.
// GPU-LABEL: func.func private @k0_attention
// GPU-SAME: -> tensor<1x2x16x8xf32>
// GPU: "tcc.dot_general"
// GPU-NOT: attention_logsumexp
func.func @main(%q: tensor<1x2x16x8xf32>, %k: tensor<1x2x20x8xf32>, %v: tensor<1x2x20x8xf32>, %m: tensor<16x20xf32>) -> (tensor<1x2x16xf32>, tensor<1x2x16x8xf32>) {
  %l = "tcc.attention_logsumexp"(%q, %k, %m) {scale = 0.5 : f64} : (tensor<1x2x16x8xf32>, tensor<1x2x20x8xf32>, tensor<16x20xf32>) -> tensor<1x2x16xf32>
  %r = "tcc.attention"(%q, %k, %v, %m) {scale = 0.5 : f64, zero_masked = true} : (tensor<1x2x16x8xf32>, tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>, tensor<16x20xf32>) -> tensor<1x2x16x8xf32>
  return %l, %r : tensor<1x2x16xf32>, tensor<1x2x16x8xf32>
}

// -----

// Not those of other scores: another scale, another mask, causal, other keys; and not where something has to run in between.
// CHECK-LABEL: func.func private @k0_attention
// CHECK-SAME: -> tensor<1x2x16x8xf32>
// CHECK-LABEL: func.func @main
// CHECK-COUNT-7: call {{.*}}attention
func.func @main(%q: tensor<1x2x16x8xf32>, %k: tensor<1x2x16x8xf32>, %v: tensor<1x2x16x8xf32>, %m: tensor<16x16xf32>) -> (tensor<1x2x16x8xf32>, tensor<1x2x16xf32>, tensor<1x2x16xf32>, tensor<1x2x16xf32>, tensor<1x2x16xf32>, tensor<1x2x16x8xf32>) {
  %n = "tcc.none"() : () -> none
  %r = "tcc.attention"(%q, %k, %v, %n) {scale = 0.5 : f64} : (tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>, none) -> tensor<1x2x16x8xf32>
  %l0 = "tcc.attention_logsumexp"(%q, %k, %n) {scale = 0.25 : f64} : (tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>, none) -> tensor<1x2x16xf32>
  %l1 = "tcc.attention_logsumexp"(%q, %k, %m) {scale = 0.5 : f64} : (tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>, tensor<16x16xf32>) -> tensor<1x2x16xf32>
  %l2 = "tcc.attention_logsumexp"(%q, %k, %n) {scale = 0.5 : f64, causal = true} : (tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>, none) -> tensor<1x2x16xf32>
  %l3 = "tcc.attention_logsumexp"(%q, %v, %n) {scale = 0.5 : f64} : (tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>, none) -> tensor<1x2x16xf32>
  %l4 = "tcc.attention_logsumexp"(%k, %q, %n) {scale = 0.5 : f64} : (tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>, none) -> tensor<1x2x16xf32>
  %s = "tcc.reduce"(%l4) {axes = array<i64: 0, 1>, keepdims = false, kind = "sum"} : (tensor<1x2x16xf32>) -> tensor<16xf32>
  %c = "tcc.reshape"(%s) : (tensor<16xf32>) -> tensor<16x1xf32>
  %w = "tcc.mul"(%v, %c) : (tensor<1x2x16x8xf32>, tensor<16x1xf32>) -> tensor<1x2x16x8xf32>
  %t = "tcc.attention"(%k, %q, %w, %n) {scale = 0.5 : f64} : (tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>, none) -> tensor<1x2x16x8xf32>
  return %r, %l0, %l1, %l2, %l3, %t : tensor<1x2x16x8xf32>, tensor<1x2x16xf32>, tensor<1x2x16xf32>, tensor<1x2x16xf32>, tensor<1x2x16xf32>, tensor<1x2x16x8xf32>
}
