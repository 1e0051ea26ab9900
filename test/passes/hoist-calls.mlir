// RUN: tcc-opt %s --split-input-file --tcc-hoist-calls --verify-each | FileCheck %s

func.func private @gradient(%x: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.exp"(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
func.func private @update(%w: tensor<64x64xf32>, %g: tensor<64x64xf32>, %rate: tensor<f32>) -> tensor<64x64xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.mul"(%g, %rate) : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %1 = "tcc.sub"(%w, %0) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
func.func private @rate(%step: tensor<f32>) -> tensor<f32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.sqrt"(%step) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// Each update moves behind its gradient: what it writes in place takes nothing, and the gradient dies. A small result moves as far as its
// operands allow; that all read it keeps no update back.
// CHECK-LABEL: func.func @updates
// CHECK-NEXT: %[[R:.*]] = call @rate(%arg3)
// CHECK-NEXT: %[[G1:.*]] = call @gradient(%arg0)
// CHECK-NEXT: %[[W1:.*]] = call @update(%arg1, %[[G1]], %[[R]])
// CHECK-NEXT: %[[G2:.*]] = call @gradient(%arg0)
// CHECK-NEXT: %[[W2:.*]] = call @update(%arg2, %[[G2]], %[[R]])
// CHECK-NEXT: return %[[W1]], %[[W2]]
func.func @updates(%x: tensor<64x64xf32>, %w1: tensor<64x64xf32>, %w2: tensor<64x64xf32>, %step: tensor<f32>) -> (tensor<64x64xf32> {tcc.tied = 1 : i64}, tensor<64x64xf32> {tcc.tied = 2 : i64}) {
  %g1 = call @gradient(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %g2 = call @gradient(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = call @rate(%step) : (tensor<f32>) -> tensor<f32>
  %0 = call @update(%w1, %g1, %r) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %1 = call @update(%w2, %g2, %r) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// A parameter that is read further down, or a result that is not tied, is no reason to move.
// CHECK-LABEL: func.func @read_later
// CHECK-NEXT: %[[G1:.*]] = call @gradient(%arg0)
// CHECK-NEXT: %[[G2:.*]] = call @gradient(%arg1)
// CHECK-NEXT: call @update(%arg1, %[[G1]], %arg2)
// CHECK-NEXT: call @update(%arg0, %[[G2]], %arg2)
func.func @read_later(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %r: tensor<f32>) -> (tensor<64x64xf32> {tcc.tied = 1 : i64}, tensor<64x64xf32>) {
  %g1 = call @gradient(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %g2 = call @gradient(%w) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = call @update(%w, %g1, %r) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %1 = call @update(%x, %g2, %r) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// Weights and aliases that the call reads go with it.
// CHECK-LABEL: func.func @with_aliases
// CHECK-NEXT: %[[G1:.*]] = call @gradient(%arg0)
// CHECK-NEXT: %[[A:.*]] = "tcc.reshape"(%[[G1]])
// CHECK-NEXT: %[[B:.*]] = "tcc.reshape"(%[[A]])
// CHECK-NEXT: %[[R:.*]] = "tcc.weight"
// CHECK-NEXT: call @update(%arg1, %[[B]], %[[R]])
// CHECK-NEXT: call @gradient(%arg0)
func.func @with_aliases(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32> {tcc.tied = 1 : i64}, tensor<64x64xf32>) {
  %g1 = call @gradient(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %g2 = call @gradient(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %a = "tcc.reshape"(%g1) : (tensor<64x64xf32>) -> tensor<4096xf32>
  %b = "tcc.reshape"(%a) : (tensor<4096xf32>) -> tensor<64x64xf32>
  %r = "tcc.weight"() {name = "r", source = 0, offset = 0, length = 4} : () -> tensor<f32>
  %0 = call @update(%w, %b, %r) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  return %0, %g2 : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

func.func private @count(%x: tensor<5xi1>) -> tensor<1x?xi64, [1, "n"]> attributes {tcc.kernel = "builtin"} {
  %0 = "tcc.nonzero"(%x) {size = "n"} : (tensor<5xi1>) -> tensor<1x?xi64, [1, "n"]>
  return %0 : tensor<1x?xi64, [1, "n"]>
}
func.func private @sum(%x: tensor<4xf32>) -> tensor<f32> attributes {tcc.kernel = "row"} {
  %0 = "tcc.slice"(%x) {starts = [0], steps = array<i64: 1>} : (tensor<4xf32>) -> tensor<?xf32, ["n"]>
  %1 = "tcc.reduce"(%0) {axes = array<i64: 0>, keepdims = false, kind = "sum"} : (tensor<?xf32, ["n"]>) -> tensor<f32>
  return %1 : tensor<f32>
}

// A small result does not move above what counts the size that its kernel uses.
// CHECK-LABEL: func.func @counted
// CHECK-NEXT: call @count
// CHECK-NEXT: call @sum
func.func @counted(%x: tensor<4xf32>, %m: tensor<5xi1>) -> (tensor<1x?xi64, [1, "n"]>, tensor<f32>) {
  %0 = call @count(%m) : (tensor<5xi1>) -> tensor<1x?xi64, [1, "n"]>
  %1 = call @sum(%x) : (tensor<4xf32>) -> tensor<f32>
  return %0, %1 : tensor<1x?xi64, [1, "n"]>, tensor<f32>
}
