// RUN: tcc-opt %s --split-input-file --target=nvptx,sm_90a --tcc-turn-bytes --verify-each | FileCheck %s
// RUN: tcc-opt %s --split-input-file --target=nvptx,sm_80 --tcc-turn-bytes | FileCheck %s --check-prefix=PLAIN --implicit-check-not=turned

// A weight that two calls read, one of them in a function, is turned; each call gets it as its kernel reads it.
// CHECK-LABEL: func.func private @turned0(%arg0: tensor<64x96xi8>) -> tensor<96x64xi8> attributes {tcc.kernel = "map"}
// CHECK-LABEL: func.func private @k0(%arg0: tensor<70x64xui8>, %arg1: tensor<96x64xi8>)
// CHECK: %[[BACK:.*]] = "tcc.transpose"(%arg1) {perm = array<i64: 1, 0>} : (tensor<96x64xi8>) -> tensor<64x96xi8>
// CHECK: "tcc.dot_general"(%arg0, %[[BACK]])
// CHECK-LABEL: func.func @main
// CHECK: %[[W:.*]] = "tcc.weight"
// CHECK: %[[T:.*]] = call @turned0(%[[W]])
// CHECK: call @k0(%arg0, %[[T]])
// CHECK: call @k0(%arg1, %[[T]])
// PLAIN-LABEL: func.func private @k0(%arg0: tensor<70x64xui8>, %arg1: tensor<64x96xi8>)
func.func private @k0(%x: tensor<70x64xui8>, %w: tensor<64x96xi8>) -> tensor<70x96xi32> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<70x64xui8>, tensor<64x96xi8>) -> tensor<70x96xi32>
  return %0 : tensor<70x96xi32>
}
func.func @main(%x: tensor<70x64xui8>, %y: tensor<70x64xui8>) -> (tensor<70x96xi32>, tensor<70x96xi32>) {
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 6144 : i64} : () -> tensor<64x96xi8>
  %0 = func.call @k0(%x, %w) : (tensor<70x64xui8>, tensor<64x96xi8>) -> tensor<70x96xi32>
  %1 = func.call @k0(%y, %w) : (tensor<70x64xui8>, tensor<64x96xi8>) -> tensor<70x96xi32>
  return %0, %1 : tensor<70x96xi32>, tensor<70x96xi32>
}

// -----

// Left alone: an operand that is no weight; few rows; a depth that is no multiple of 16.
// CHECK-LABEL: func.func private @k0
// CHECK-NOT: turned
// PLAIN-LABEL: func.func private @k0
func.func private @k0(%x: tensor<70x64xui8>, %w: tensor<64x96xi8>) -> tensor<70x96xi32> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<70x64xui8>, tensor<64x96xi8>) -> tensor<70x96xi32>
  return %0 : tensor<70x96xi32>
}
func.func private @k1(%x: tensor<4x64xui8>, %w: tensor<64x96xi8>) -> tensor<4x96xi32> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<4x64xui8>, tensor<64x96xi8>) -> tensor<4x96xi32>
  return %0 : tensor<4x96xi32>
}
func.func private @k2(%x: tensor<70x40xui8>, %w: tensor<40x96xi8>) -> tensor<70x96xi32> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<70x40xui8>, tensor<40x96xi8>) -> tensor<70x96xi32>
  return %0 : tensor<70x96xi32>
}
func.func @main(%x: tensor<70x64xui8>, %y: tensor<4x64xui8>, %z: tensor<70x40xui8>, %v: tensor<64x96xi8>) -> (tensor<70x96xi32>, tensor<4x96xi32>, tensor<70x96xi32>) {
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 6144 : i64} : () -> tensor<64x96xi8>
  %u = "tcc.weight"() {name = "u", source = 0 : i64, offset = 6144 : i64, length = 3840 : i64} : () -> tensor<40x96xi8>
  %0 = func.call @k0(%x, %v) : (tensor<70x64xui8>, tensor<64x96xi8>) -> tensor<70x96xi32>
  %1 = func.call @k1(%y, %w) : (tensor<4x64xui8>, tensor<64x96xi8>) -> tensor<4x96xi32>
  %2 = func.call @k2(%z, %u) : (tensor<70x40xui8>, tensor<40x96xi8>) -> tensor<70x96xi32>
  return %0, %1, %2 : tensor<70x96xi32>, tensor<4x96xi32>, tensor<70x96xi32>
}
