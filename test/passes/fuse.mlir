// RUN: tcc-opt %s --split-input-file --tcc-fuse --verify-each | FileCheck %s

// A contraction takes the elementwise ops that follow it; constants go inside, weights come from outside.
// CHECK: func.func private @[[K:[a-z0-9_]*]](%{{.*}}: tensor<32x64xf32>, %{{.*}}: tensor<64x16xf32>, %{{.*}}: tensor<16xf32>) -> tensor<32x16xf32> attributes {tcc.kernel = "contract"}
// CHECK: tcc.constant
// CHECK: tcc.dot_general
// CHECK: tcc.add
// CHECK: tcc.max
// CHECK: func.func @linear
// CHECK: %[[W:.*]] = "tcc.weight"
// CHECK-NEXT: call @[[K]](%arg0, %[[W]], %arg1)
// CHECK-NEXT: return
func.func @linear(%x: tensor<32x64xf32>, %b: tensor<16xf32>) -> tensor<32x16xf32> {
  %w = "tcc.weight"() {name = "w", source = 0, offset = 0, length = 4096} : () -> tensor<64x16xf32>
  %z = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<32x64xf32>, tensor<64x16xf32>) -> tensor<32x16xf32>
  %1 = "tcc.add"(%0, %b) : (tensor<32x16xf32>, tensor<16xf32>) -> tensor<32x16xf32>
  %2 = "tcc.max"(%1, %z) : (tensor<32x16xf32>, tensor<f32>) -> tensor<32x16xf32>
  return %2 : tensor<32x16xf32>
}

// -----

// Reductions over the same axes and what lies between them are one row kernel, for any number of rows.
// CHECK: attributes {tcc.kernel = "row"}
// CHECK: kind = "max"
// CHECK: kind = "sum"
// CHECK: func.func @softmax
// CHECK-NEXT: call
// CHECK-NEXT: return
func.func @softmax(%x: tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]> {
  %0 = "tcc.reduce"(%x) {kind = "max", axes = array<i64: 1>, keepdims = true} : (tensor<?x64xf32, ["B", 64]>) -> tensor<?x1xf32, ["B", 1]>
  %1 = "tcc.sub"(%x, %0) : (tensor<?x64xf32, ["B", 64]>, tensor<?x1xf32, ["B", 1]>) -> tensor<?x64xf32, ["B", 64]>
  %2 = "tcc.exp"(%1) : (tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]>
  %3 = "tcc.reduce"(%2) {kind = "sum", axes = array<i64: 1>, keepdims = true} : (tensor<?x64xf32, ["B", 64]>) -> tensor<?x1xf32, ["B", 1]>
  %4 = "tcc.div"(%2, %3) : (tensor<?x64xf32, ["B", 64]>, tensor<?x1xf32, ["B", 1]>) -> tensor<?x64xf32, ["B", 64]>
  return %4 : tensor<?x64xf32, ["B", 64]>
}

// -----

// A value with two readers that are not one kernel is stored, here by the one that reads it as it lies; the other computes its own views.
// CHECK: func.func private @[[ADD:[a-z0-9_]*]]({{.*}}tcc.kernel = "map"
// CHECK-NEXT: tcc.add
// CHECK-NEXT: tcc.exp
// CHECK: func.func private @[[FLIP:[a-z0-9_]*]]({{.*}}tcc.kernel = "map"
// CHECK-NEXT: tcc.transpose
// CHECK-NEXT: tcc.neg
// CHECK: func.func @two_readers
// CHECK: %[[SUM:.*]]:2 = call @[[ADD]](
// CHECK: call @[[FLIP]](%[[SUM]]#0)
func.func @two_readers(%x: tensor<32x64xf32>, %y: tensor<32x64xf32>) -> (tensor<32x64xf32>, tensor<64x32xf32>) {
  %0 = "tcc.add"(%x, %y) : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
  %1 = "tcc.exp"(%0) : (tensor<32x64xf32>) -> tensor<32x64xf32>
  %2 = "tcc.transpose"(%0) {perm = array<i64: 1, 0>} : (tensor<32x64xf32>) -> tensor<64x32xf32>
  %3 = "tcc.neg"(%2) : (tensor<64x32xf32>) -> tensor<64x32xf32>
  return %1, %3 : tensor<32x64xf32>, tensor<64x32xf32>
}

// -----

// A reshape of a stored value is an alias and no kernel.
// CHECK: func.func @views
// CHECK-NEXT: %[[R:.*]] = call
// CHECK-NEXT: "tcc.reshape"(%[[R]])
func.func @views(%x: tensor<2x16x64xf32>) -> tensor<32x64xf32> {
  %0 = "tcc.relu"(%x) : (tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
  %1 = "tcc.reshape"(%0) : (tensor<2x16x64xf32>) -> tensor<32x64xf32>
  return %1 : tensor<32x64xf32>
}

// -----

// What depends on weights alone is not mixed with what does not: it is computed once.
// CHECK: func.func @weights_apart
// CHECK: %[[W:.*]] = "tcc.weight"
// CHECK-NEXT: %[[E:.*]] = call @{{.*}}exp(%[[W]])
// CHECK-NEXT: call @{{.*}}add(%[[E]], %arg0)
func.func @weights_apart(%x: tensor<64xf32>) -> tensor<64xf32> {
  %w = "tcc.weight"() {name = "w", source = 0, offset = 0, length = 256} : () -> tensor<64xf32>
  %0 = "tcc.exp"(%w) : (tensor<64xf32>) -> tensor<64xf32>
  %1 = "tcc.add"(%0, %x) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}

// -----

// Ops that are C functions of the run-time fuse with nothing.
// CHECK: func.func private @[[TOPK:[a-z0-9_]*]]({{.*}}tcc.kernel = "builtin"
// CHECK-NEXT: tcc.topk
// CHECK-NEXT: return
// CHECK: func.func @builtins
// CHECK-NEXT: %[[N:.*]] = call
// CHECK-NEXT: call @[[TOPK]](%[[N]])
func.func @builtins(%x: tensor<4x64xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>) {
  %0 = "tcc.neg"(%x) : (tensor<4x64xf32>) -> tensor<4x64xf32>
  %1:2 = "tcc.topk"(%0) {axis = 1, k = [3], largest = true} : (tensor<4x64xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
  return %1#0, %1#1 : tensor<4x3xf32>, tensor<4x3xi64>
}

// -----

// A decoder's step writes the keys and values that it joins, in the attention that reads them, but where a prompt of many queries comes.
// CHECK: func.func private @[[STEP:[a-z0-9_]*]]({{.*}}-> (tensor<1x2x5x16xf32>, tensor<1x2x5x16xf32>, tensor<1x4x1x16xf32>) attributes {tcc.kernel = "attention"}
// CHECK: func.func @step
// CHECK: :3 = call @[[STEP]](
// CHECK-NEXT: return
// CHECK: func.func @prompt
// CHECK: call @{{.*}}_concat(
// CHECK: call @{{.*}}_concat(
// CHECK: call @{{.*}}_attention(
func.func @step(%q: tensor<1x4x1x16xf32>, %pk: tensor<1x2x4x16xf32>, %nk: tensor<1x2x1x16xf32>, %pv: tensor<1x2x4x16xf32>, %nv: tensor<1x2x1x16xf32>) -> (tensor<1x4x1x16xf32>, tensor<1x2x5x16xf32>, tensor<1x2x5x16xf32>) {
  %none = "tcc.none"() : () -> none
  %k = "tcc.concat"(%pk, %nk) {axis = 2 : i64} : (tensor<1x2x4x16xf32>, tensor<1x2x1x16xf32>) -> tensor<1x2x5x16xf32>
  %v = "tcc.concat"(%pv, %nv) {axis = 2 : i64} : (tensor<1x2x4x16xf32>, tensor<1x2x1x16xf32>) -> tensor<1x2x5x16xf32>
  %r = "tcc.attention"(%q, %k, %v, %none) {scale = 0.25 : f64} : (tensor<1x4x1x16xf32>, tensor<1x2x5x16xf32>, tensor<1x2x5x16xf32>, none) -> tensor<1x4x1x16xf32>
  return %r, %k, %v : tensor<1x4x1x16xf32>, tensor<1x2x5x16xf32>, tensor<1x2x5x16xf32>
}
func.func @prompt(%q: tensor<1x4x3x16xf32>, %pk: tensor<1x2x4x16xf32>, %nk: tensor<1x2x3x16xf32>, %pv: tensor<1x2x4x16xf32>, %nv: tensor<1x2x3x16xf32>) -> (tensor<1x4x3x16xf32>, tensor<1x2x7x16xf32>, tensor<1x2x7x16xf32>) {
  %none = "tcc.none"() : () -> none
  %k = "tcc.concat"(%pk, %nk) {axis = 2 : i64} : (tensor<1x2x4x16xf32>, tensor<1x2x3x16xf32>) -> tensor<1x2x7x16xf32>
  %v = "tcc.concat"(%pv, %nv) {axis = 2 : i64} : (tensor<1x2x4x16xf32>, tensor<1x2x3x16xf32>) -> tensor<1x2x7x16xf32>
  %r = "tcc.attention"(%q, %k, %v, %none) {scale = 0.25 : f64} : (tensor<1x4x3x16xf32>, tensor<1x2x7x16xf32>, tensor<1x2x7x16xf32>, none) -> tensor<1x4x3x16xf32>
  return %r, %k, %v : tensor<1x4x3x16xf32>, tensor<1x2x7x16xf32>, tensor<1x2x7x16xf32>
}
