// RUN: tcc-opt --split-input-file --verify-each --target=nvptx,sm_90a --tcc-dual-products %s | FileCheck %s
// RUN: tcc-opt --split-input-file --target=nvptx,sm_80 --tcc-dual-products %s | FileCheck --check-prefix=SYNC %s

// The product that the other one alone reads is computed in its epilogue; what nobody calls any more is gone.
// CHECK-NOT: @plain
// CHECK-LABEL: func.func private @gate_dual(
// CHECK-SAME: %[[X:.*]]: tensor<32x96xf16>, %[[V:.*]]: tensor<96x128xf16>, %[[W:.*]]: tensor<96x128xf16>) -> tensor<32x128xf16> attributes {tcc.kernel = "contract"
// CHECK: %[[U:.*]] = "tcc.dot_general"(%[[X]], %[[V]])
// CHECK: %[[G:.*]] = "tcc.dot_general"(%[[X]], %[[W]])
// CHECK: %[[T:.*]] = "tcc.tanh"(%[[G]])
// CHECK: "tcc.mul"(%[[T]], %[[U]])
// CHECK-NOT: @gate(
// CHECK-LABEL: func.func @main
// CHECK-NEXT: call @gate_dual(%arg0, %arg2, %arg3) {tcc.why = ["that"]}
// CHECK-NEXT: return
// SYNC: call @gate_dual(
func.func private @plain(%x: tensor<32x96xf16>, %w: tensor<96x128xf16>) -> tensor<32x128xf16> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<32x96xf16>, tensor<96x128xf16>) -> tensor<32x128xf16>
  return %0 : tensor<32x128xf16>
}
func.func private @gate(%x: tensor<32x96xf16>, %w: tensor<96x128xf16>, %u: tensor<32x128xf16>) -> tensor<32x128xf16> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<32x96xf16>, tensor<96x128xf16>) -> tensor<32x128xf16>
  %1 = "tcc.tanh"(%0) : (tensor<32x128xf16>) -> tensor<32x128xf16>
  %2 = "tcc.mul"(%1, %u) : (tensor<32x128xf16>, tensor<32x128xf16>) -> tensor<32x128xf16>
  return %2 : tensor<32x128xf16>
}
func.func @main(%x: tensor<32x96xf16>, %y: tensor<32x96xf16>, %v: tensor<96x128xf16>, %w: tensor<96x128xf16>) -> tensor<32x128xf16> {
  %0 = func.call @plain(%x, %v) : (tensor<32x96xf16>, tensor<96x128xf16>) -> tensor<32x128xf16>
  %1 = func.call @gate(%x, %w, %0) {tcc.why = ["that"]} : (tensor<32x96xf16>, tensor<96x128xf16>, tensor<32x128xf16>) -> tensor<32x128xf16>
  return %1 : tensor<32x128xf16>
}

// -----

// One weight for both, and rows whose number is not known.
// CHECK: func.func private @gate_dual(%arg0: tensor<?x96xf16, ["M", 96]>, %arg1: tensor<96x128xf16>)
// CHECK: call @gate_dual(%arg0, %arg1)
// SYNC: call @gate_dual(
func.func private @plain(%x: tensor<?x96xf16, ["M", 96]>, %w: tensor<96x128xf16>) -> tensor<?x128xf16, ["M", 128]> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x96xf16, ["M", 96]>, tensor<96x128xf16>) -> tensor<?x128xf16, ["M", 128]>
  return %0 : tensor<?x128xf16, ["M", 128]>
}
func.func private @gate(%x: tensor<?x96xf16, ["M", 96]>, %w: tensor<96x128xf16>, %u: tensor<?x128xf16, ["M", 128]>) -> tensor<?x128xf16, ["M", 128]> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x96xf16, ["M", 96]>, tensor<96x128xf16>) -> tensor<?x128xf16, ["M", 128]>
  %1 = "tcc.tanh"(%0) : (tensor<?x128xf16, ["M", 128]>) -> tensor<?x128xf16, ["M", 128]>
  %2 = "tcc.mul"(%1, %u) : (tensor<?x128xf16, ["M", 128]>, tensor<?x128xf16, ["M", 128]>) -> tensor<?x128xf16, ["M", 128]>
  return %2 : tensor<?x128xf16, ["M", 128]>
}
func.func @main(%x: tensor<?x96xf16, ["M", 96]>, %v: tensor<96x128xf16>) -> tensor<?x128xf16, ["M", 128]> {
  %0 = func.call @plain(%x, %v) : (tensor<?x96xf16, ["M", 96]>, tensor<96x128xf16>) -> tensor<?x128xf16, ["M", 128]>
  %1 = func.call @gate(%x, %v, %0) {tcc.why = ["that"]} : (tensor<?x96xf16, ["M", 96]>, tensor<96x128xf16>, tensor<?x128xf16, ["M", 128]>) -> tensor<?x128xf16, ["M", 128]>
  return %1 : tensor<?x128xf16, ["M", 128]>
}

// -----

// A result of the model as well.
// CHECK-NOT: _dual
// SYNC-NOT: _dual
func.func private @plain(%x: tensor<32x96xf16>, %w: tensor<96x128xf16>) -> tensor<32x128xf16> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<32x96xf16>, tensor<96x128xf16>) -> tensor<32x128xf16>
  return %0 : tensor<32x128xf16>
}
func.func private @gate(%x: tensor<32x96xf16>, %w: tensor<96x128xf16>, %u: tensor<32x128xf16>) -> tensor<32x128xf16> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<32x96xf16>, tensor<96x128xf16>) -> tensor<32x128xf16>
  %1 = "tcc.tanh"(%0) : (tensor<32x128xf16>) -> tensor<32x128xf16>
  %2 = "tcc.mul"(%1, %u) : (tensor<32x128xf16>, tensor<32x128xf16>) -> tensor<32x128xf16>
  return %2 : tensor<32x128xf16>
}
func.func @main(%x: tensor<32x96xf16>, %y: tensor<32x96xf16>, %v: tensor<96x128xf16>, %w: tensor<96x128xf16>) -> (tensor<32x128xf16>, tensor<32x128xf16>) {
  %0 = func.call @plain(%x, %v) : (tensor<32x96xf16>, tensor<96x128xf16>) -> tensor<32x128xf16>
  %1 = func.call @gate(%x, %w, %0) {tcc.why = ["that"]} : (tensor<32x96xf16>, tensor<96x128xf16>, tensor<32x128xf16>) -> tensor<32x128xf16>
  return %1, %0 : tensor<32x128xf16>, tensor<32x128xf16>
}

// -----

// Another left operand.
// CHECK-NOT: _dual
// SYNC-NOT: _dual
func.func private @plain(%x: tensor<32x96xf16>, %w: tensor<96x128xf16>) -> tensor<32x128xf16> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<32x96xf16>, tensor<96x128xf16>) -> tensor<32x128xf16>
  return %0 : tensor<32x128xf16>
}
func.func private @gate(%x: tensor<32x96xf16>, %w: tensor<96x128xf16>, %u: tensor<32x128xf16>) -> tensor<32x128xf16> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<32x96xf16>, tensor<96x128xf16>) -> tensor<32x128xf16>
  %1 = "tcc.tanh"(%0) : (tensor<32x128xf16>) -> tensor<32x128xf16>
  %2 = "tcc.mul"(%1, %u) : (tensor<32x128xf16>, tensor<32x128xf16>) -> tensor<32x128xf16>
  return %2 : tensor<32x128xf16>
}
func.func @main(%x: tensor<32x96xf16>, %y: tensor<32x96xf16>, %v: tensor<96x128xf16>, %w: tensor<96x128xf16>) -> tensor<32x128xf16> {
  %0 = func.call @plain(%x, %v) : (tensor<32x96xf16>, tensor<96x128xf16>) -> tensor<32x128xf16>
  %1 = func.call @gate(%y, %w, %0) {tcc.why = ["that"]} : (tensor<32x96xf16>, tensor<96x128xf16>, tensor<32x128xf16>) -> tensor<32x128xf16>
  return %1 : tensor<32x128xf16>
}

// -----

// Columns that are no multiple of 64.
// CHECK-NOT: _dual
// SYNC-NOT: _dual
func.func private @plain(%x: tensor<32x96xf16>, %w: tensor<96x96xf16>) -> tensor<32x96xf16> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<32x96xf16>, tensor<96x96xf16>) -> tensor<32x96xf16>
  return %0 : tensor<32x96xf16>
}
func.func private @gate(%x: tensor<32x96xf16>, %w: tensor<96x96xf16>, %u: tensor<32x96xf16>) -> tensor<32x96xf16> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<32x96xf16>, tensor<96x96xf16>) -> tensor<32x96xf16>
  %1 = "tcc.tanh"(%0) : (tensor<32x96xf16>) -> tensor<32x96xf16>
  %2 = "tcc.mul"(%1, %u) : (tensor<32x96xf16>, tensor<32x96xf16>) -> tensor<32x96xf16>
  return %2 : tensor<32x96xf16>
}
func.func @main(%x: tensor<32x96xf16>, %y: tensor<32x96xf16>, %v: tensor<96x96xf16>, %w: tensor<96x96xf16>) -> tensor<32x96xf16> {
  %0 = func.call @plain(%x, %v) : (tensor<32x96xf16>, tensor<96x96xf16>) -> tensor<32x96xf16>
  %1 = func.call @gate(%x, %w, %0) {tcc.why = ["that"]} : (tensor<32x96xf16>, tensor<96x96xf16>, tensor<32x96xf16>) -> tensor<32x96xf16>
  return %1 : tensor<32x96xf16>
}

// -----

// Read at another place than it is computed at.
// CHECK-NOT: _dual
// SYNC-NOT: _dual
func.func private @plain(%x: tensor<128x96xf16>, %w: tensor<96x128xf16>) -> tensor<128x128xf16> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<128x96xf16>, tensor<96x128xf16>) -> tensor<128x128xf16>
  return %0 : tensor<128x128xf16>
}
func.func private @gate(%x: tensor<128x96xf16>, %w: tensor<96x128xf16>, %u: tensor<128x128xf16>) -> tensor<128x128xf16> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<128x96xf16>, tensor<96x128xf16>) -> tensor<128x128xf16>
  %1 = "tcc.transpose"(%u) {perm = array<i64: 1, 0>} : (tensor<128x128xf16>) -> tensor<128x128xf16>
  %2 = "tcc.mul"(%0, %1) : (tensor<128x128xf16>, tensor<128x128xf16>) -> tensor<128x128xf16>
  return %2 : tensor<128x128xf16>
}
func.func @main(%x: tensor<128x96xf16>, %y: tensor<128x96xf16>, %v: tensor<96x128xf16>, %w: tensor<96x128xf16>) -> tensor<128x128xf16> {
  %0 = func.call @plain(%x, %v) : (tensor<128x96xf16>, tensor<96x128xf16>) -> tensor<128x128xf16>
  %1 = func.call @gate(%x, %w, %0) {tcc.why = ["that"]} : (tensor<128x96xf16>, tensor<96x128xf16>, tensor<128x128xf16>) -> tensor<128x128xf16>
  return %1 : tensor<128x128xf16>
}

// -----

// f32 of many rows, which sm_90a does as six products of bf16.
// CHECK-NOT: _dual
// SYNC: func.func private @gate_dual(
// SYNC: call @gate_dual(
func.func private @plain(%x: tensor<128x96xf32>, %w: tensor<96x128xf32>) -> tensor<128x128xf32> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<128x96xf32>, tensor<96x128xf32>) -> tensor<128x128xf32>
  return %0 : tensor<128x128xf32>
}
func.func private @gate(%x: tensor<128x96xf32>, %w: tensor<96x128xf32>, %u: tensor<128x128xf32>) -> tensor<128x128xf32> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<128x96xf32>, tensor<96x128xf32>) -> tensor<128x128xf32>
  %1 = "tcc.tanh"(%0) : (tensor<128x128xf32>) -> tensor<128x128xf32>
  %2 = "tcc.mul"(%1, %u) : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  return %2 : tensor<128x128xf32>
}
func.func @main(%x: tensor<128x96xf32>, %y: tensor<128x96xf32>, %v: tensor<96x128xf32>, %w: tensor<96x128xf32>) -> tensor<128x128xf32> {
  %0 = func.call @plain(%x, %v) : (tensor<128x96xf32>, tensor<96x128xf32>) -> tensor<128x128xf32>
  %1 = func.call @gate(%x, %w, %0) {tcc.why = ["that"]} : (tensor<128x96xf32>, tensor<96x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  return %1 : tensor<128x128xf32>
}

// -----

// Rows whose number has no name.
// CHECK-NOT: _dual
// SYNC-NOT: _dual
func.func private @plain(%x: tensor<?x96xf16>, %w: tensor<96x128xf16>) -> tensor<?x128xf16> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x96xf16>, tensor<96x128xf16>) -> tensor<?x128xf16>
  return %0 : tensor<?x128xf16>
}
func.func private @gate(%x: tensor<?x96xf16>, %w: tensor<96x128xf16>, %u: tensor<?x128xf16>) -> tensor<?x128xf16> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x96xf16>, tensor<96x128xf16>) -> tensor<?x128xf16>
  %1 = "tcc.tanh"(%0) : (tensor<?x128xf16>) -> tensor<?x128xf16>
  %2 = "tcc.mul"(%1, %u) : (tensor<?x128xf16>, tensor<?x128xf16>) -> tensor<?x128xf16>
  return %2 : tensor<?x128xf16>
}
func.func @main(%x: tensor<?x96xf16>, %v: tensor<96x128xf16>) -> tensor<?x128xf16> {
  %0 = func.call @plain(%x, %v) : (tensor<?x96xf16>, tensor<96x128xf16>) -> tensor<?x128xf16>
  %1 = func.call @gate(%x, %v, %0) {tcc.why = ["that"]} : (tensor<?x96xf16>, tensor<96x128xf16>, tensor<?x128xf16>) -> tensor<?x128xf16>
  return %1 : tensor<?x128xf16>
}

// -----

// f32 of few rows.
// CHECK: func.func private @gate_dual(
// SYNC: func.func private @gate_dual(
func.func private @plain(%x: tensor<4x96xf32>, %w: tensor<96x128xf32>) -> tensor<4x128xf32> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<4x96xf32>, tensor<96x128xf32>) -> tensor<4x128xf32>
  return %0 : tensor<4x128xf32>
}
func.func private @gate(%x: tensor<4x96xf32>, %w: tensor<96x128xf32>, %u: tensor<4x128xf32>) -> tensor<4x128xf32> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<4x96xf32>, tensor<96x128xf32>) -> tensor<4x128xf32>
  %1 = "tcc.tanh"(%0) : (tensor<4x128xf32>) -> tensor<4x128xf32>
  %2 = "tcc.mul"(%1, %u) : (tensor<4x128xf32>, tensor<4x128xf32>) -> tensor<4x128xf32>
  return %2 : tensor<4x128xf32>
}
func.func @main(%x: tensor<4x96xf32>, %y: tensor<4x96xf32>, %v: tensor<96x128xf32>, %w: tensor<96x128xf32>) -> tensor<4x128xf32> {
  %0 = func.call @plain(%x, %v) : (tensor<4x96xf32>, tensor<96x128xf32>) -> tensor<4x128xf32>
  %1 = func.call @gate(%x, %w, %0) {tcc.why = ["that"]} : (tensor<4x96xf32>, tensor<96x128xf32>, tensor<4x128xf32>) -> tensor<4x128xf32>
  return %1 : tensor<4x128xf32>
}
