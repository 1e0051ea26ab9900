// RUN: tcc-opt --tcc-fuse --target=x86,avx2 %s | FileCheck %s
// RUN: tcc-run %s --target=x86,avx2 --random=1 --compare=interp
// RUN: tcc-run %s --random=1 --threads=3 --compare=interp
// REQUIRES: avx2

// Reductions of the same rows that are made of one tensor are one kernel: a pass over it makes both, and what reads both joins them. So the gradient of a norm reads
// both of its tensors once from memory, and nothing between is as large as they are.
// CHECK-LABEL: func.func private @k0_reduce
// CHECK-SAME: -> tensor<64x32xf32>
// CHECK-COUNT-2: "tcc.reduce"
// CHECK-NOT: "tcc.reduce"
// Not: over other axes, of another tensor, or where a product between has to run in front of the second one.
// CHECK-LABEL: func.func private @k1_reduce
// CHECK-COUNT-1: "tcc.reduce"
// CHECK-NOT: "tcc.reduce"
// CHECK-LABEL: func.func private @k2_reduce
// CHECK-COUNT-1: "tcc.reduce"
// CHECK-NOT: "tcc.reduce"
// CHECK-LABEL: func.func @main
// CHECK-COUNT-3: call @k2_reduce
func.func @main(%g: tensor<64x32xf32>, %x: tensor<64x32xf32>, %m: tensor<64x1xf32>, %y: tensor<64x32xf32>, %q: tensor<64x32xf32>, %k: tensor<1x32xf32>) -> (tensor<64x32xf32>, tensor<32xf32>, tensor<64x1xf32>, tensor<64x1xf32>) {
  %d = "tcc.sub"(%x, %m) : (tensor<64x32xf32>, tensor<64x1xf32>) -> tensor<64x32xf32>
  %gd = "tcc.mul"(%g, %d) : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  %s = "tcc.reduce"(%g) {axes = array<i64: 1>, keepdims = true, kind = "sum"} : (tensor<64x32xf32>) -> tensor<64x1xf32>
  %t = "tcc.reduce"(%gd) {axes = array<i64: 1>, keepdims = true, kind = "sum"} : (tensor<64x32xf32>) -> tensor<64x1xf32>
  %u = "tcc.mul"(%d, %t) : (tensor<64x32xf32>, tensor<64x1xf32>) -> tensor<64x32xf32>
  %v = "tcc.sub"(%g, %s) : (tensor<64x32xf32>, tensor<64x1xf32>) -> tensor<64x32xf32>
  %w = "tcc.sub"(%v, %u) : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  %o = "tcc.reduce"(%g) {axes = array<i64: 0>, keepdims = false, kind = "sum"} : (tensor<64x32xf32>) -> tensor<32xf32>
  %z = "tcc.reduce"(%y) {axes = array<i64: 1>, keepdims = true, kind = "max"} : (tensor<64x32xf32>) -> tensor<64x1xf32>
  %a = "tcc.reduce"(%q) {axes = array<i64: 1>, keepdims = true, kind = "max"} : (tensor<64x32xf32>) -> tensor<64x1xf32>
  %p = "tcc.dot_general"(%a, %k) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x1xf32>, tensor<1x32xf32>) -> tensor<64x32xf32>
  %b = "tcc.mul"(%q, %p) : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  %c = "tcc.reduce"(%b) {axes = array<i64: 1>, keepdims = true, kind = "max"} : (tensor<64x32xf32>) -> tensor<64x1xf32>
  return %w, %o, %z, %c : tensor<64x32xf32>, tensor<32xf32>, tensor<64x1xf32>, tensor<64x1xf32>
}
