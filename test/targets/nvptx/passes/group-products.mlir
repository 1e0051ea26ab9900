// Products of one left operand that leave multiprocessors idle are one kernel; where the others stood nothing is left but its results.
// RUN: tcc-opt %s --split-input-file --target=nvptx,sm_90a --tcc-group-products --verify-each | FileCheck %s
// RUN: tcc-opt %s --split-input-file --target=nvptx,sm_90a --tcc-group-products | tcc-opt --split-input-file --target=nvptx,sm_90a --tcc-group-products | FileCheck %s

// Three with biases of their own; the reshape of a weight moves up, what each is known by stays; a product of something else stays.
// CHECK: func.func private @linear_x3(%[[X:.*]]: tensor<32x64xf16>, %[[A:.*]]: tensor<64x64xf16>, %[[B:.*]]: tensor<64xf16>, %[[C:.*]]: tensor<64x64xf16>, %[[D:.*]]: tensor<64xf16>, %[[E:.*]]: tensor<64x64xf16>) -> (tensor<32x64xf16>, tensor<32x64xf16>, tensor<32x64xf16>) attributes {tcc.kernel = "contract", tcc.numerics = "direct"}
// CHECK-NEXT: %[[P:.*]] = "tcc.dot_general"(%[[X]], %[[A]])
// CHECK-NEXT: %[[Q:.*]] = "tcc.add"(%[[P]], %[[B]])
// CHECK-NEXT: %[[R:.*]] = "tcc.dot_general"(%[[X]], %[[C]])
// CHECK-NEXT: %[[S:.*]] = "tcc.add"(%[[R]], %[[D]])
// CHECK-NEXT: %[[T:.*]] = "tcc.dot_general"(%[[X]], %[[E]])
// CHECK-NEXT: %[[U:.*]] = "tcc.add"(%[[T]], %[[B]])
// CHECK-NEXT: return %[[Q]], %[[S]], %[[U]]
// CHECK: func.func private @linear(
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[W:.*]] = "tcc.reshape"(%arg7)
// CHECK-NEXT: %[[G:.*]]:3 = call @linear_x3(%arg0, %arg2, %arg3, %arg4, %arg5, %[[W]]) {tcc.why = ["one", "two", "three"]}
// CHECK-NEXT: "tcc.reshape"(%[[G]]#0)
// CHECK-NEXT: call @linear(%arg1, %arg2, %arg3)
// CHECK-NEXT: "tcc.reshape"(%[[G]]#1)
// CHECK-NEXT: return {{.*}}%[[G]]#2
func.func private @linear(%x: tensor<32x64xf16>, %w: tensor<64x64xf16>, %b: tensor<64xf16>) -> tensor<32x64xf16> attributes {tcc.kernel = "contract", tcc.numerics = "direct"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<32x64xf16>, tensor<64x64xf16>) -> tensor<32x64xf16>
  %1 = "tcc.add"(%0, %b) : (tensor<32x64xf16>, tensor<64xf16>) -> tensor<32x64xf16>
  return %1 : tensor<32x64xf16>
}
func.func @main(%x: tensor<32x64xf16>, %y: tensor<32x64xf16>, %w0: tensor<64x64xf16>, %b0: tensor<64xf16>, %w1: tensor<64x64xf16>, %b1: tensor<64xf16>, %z: tensor<64xf16>, %w2: tensor<4096xf16>) -> (tensor<8x4x64xf16>, tensor<32x64xf16>, tensor<8x4x64xf16>, tensor<32x64xf16>) {
  %0 = func.call @linear(%x, %w0, %b0) {tcc.why = ["one"]} : (tensor<32x64xf16>, tensor<64x64xf16>, tensor<64xf16>) -> tensor<32x64xf16>
  %1 = "tcc.reshape"(%0) : (tensor<32x64xf16>) -> tensor<8x4x64xf16>
  %2 = func.call @linear(%y, %w0, %b0) {tcc.why = ["other"]} : (tensor<32x64xf16>, tensor<64x64xf16>, tensor<64xf16>) -> tensor<32x64xf16>
  %3 = func.call @linear(%x, %w1, %b1) {tcc.why = ["two"]} : (tensor<32x64xf16>, tensor<64x64xf16>, tensor<64xf16>) -> tensor<32x64xf16>
  %4 = "tcc.reshape"(%3) : (tensor<32x64xf16>) -> tensor<8x4x64xf16>
  %5 = "tcc.reshape"(%w2) : (tensor<4096xf16>) -> tensor<64x64xf16>
  %6 = func.call @linear(%x, %5, %b0) {tcc.why = ["three"]} : (tensor<32x64xf16>, tensor<64x64xf16>, tensor<64xf16>) -> tensor<32x64xf16>
  return %1, %2, %4, %6 : tensor<8x4x64xf16>, tensor<32x64xf16>, tensor<8x4x64xf16>, tensor<32x64xf16>
}

// -----

// One that reads another one's result stays behind it, and one whose operand is made between them; five are four and one.
// CHECK: func.func private @sum_x4(
// CHECK: func.func private @sum(
// CHECK-NOT: func.func private @plain(
// CHECK: func.func private @plain_x4(
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[A:.*]] = call @sum(%arg0, %arg1, %arg1)
// CHECK-NEXT: %[[G:.*]]:4 = call @sum_x4(%arg0, %arg1, %[[A]], %arg2, %arg3)
// CHECK-NEXT: call @sum(%arg0, %arg4, %[[G]]#0)
// CHECK-LABEL: func.func private @region
// CHECK-NEXT: call @plain_x4(%arg0, %arg1, %arg2, %arg3, %arg4)
// CHECK-NEXT: return
func.func private @sum(%x: tensor<32x32xf32>, %w: tensor<32x32xf32>, %y: tensor<32x32xf32>) -> tensor<32x32xf32> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = "tcc.add"(%0, %y) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %1 : tensor<32x32xf32>
}
func.func private @plain(%x: tensor<32x32xf32>, %w: tensor<32x32xf32>) -> tensor<32x32xf32> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}
func.func @main(%x: tensor<32x32xf32>, %a: tensor<32x32xf32>, %b: tensor<32x32xf32>, %c: tensor<32x32xf32>, %d: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) {
  %0 = func.call @sum(%x, %a, %a) : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = func.call @sum(%x, %a, %0) : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %2 = func.call @sum(%x, %b, %0) : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %3 = func.call @sum(%x, %c, %0) : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %4 = func.call @sum(%x, %c, %a) : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %5 = func.call @sum(%x, %d, %1) : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %1, %2, %3, %4, %5 : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
}
func.func private @region(%x: tensor<32x32xf32>, %a: tensor<32x32xf32>, %b: tensor<32x32xf32>, %c: tensor<32x32xf32>, %d: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) {
  %0 = func.call @plain(%x, %a) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = func.call @plain(%x, %b) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %2 = func.call @plain(%x, %c) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %3 = func.call @plain(%x, %d) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0, %1, %2, %3 : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
}

// -----

// Each with a tile for all multiprocessors; a size that is not known is what it is likely to be, and rows that are indices are checked.
// CHECK-NOT: _x2
func.func private @large(%x: tensor<1536x32xf16>, %w: tensor<32x1536xf16>) -> tensor<1536x1536xf16> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<1536x32xf16>, tensor<32x1536xf16>) -> tensor<1536x1536xf16>
  return %0 : tensor<1536x1536xf16>
}
func.func private @rows(%x: tensor<?x32xf16, ["M", 32]>, %w: tensor<32x8192xf16>) -> tensor<?x8192xf16, ["M", 8192]> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x32xf16, ["M", 32]>, tensor<32x8192xf16>) -> tensor<?x8192xf16, ["M", 8192]>
  return %0 : tensor<?x8192xf16, ["M", 8192]>
}
func.func private @gathered(%x: tensor<32x32xf16>, %t: tensor<9x32xf16>, %i: tensor<32xi64>) -> tensor<32x32xf16> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.gather"(%t, %i) {axis = 0 : i64, valid = "signed"} : (tensor<9x32xf16>, tensor<32xi64>) -> tensor<32x32xf16>
  %1 = "tcc.dot_general"(%x, %0) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  return %1 : tensor<32x32xf16>
}
func.func @main(%x: tensor<1536x32xf16>, %w: tensor<32x1536xf16>, %v: tensor<32x1536xf16>, %y: tensor<?x32xf16, ["M", 32]>, %c: tensor<32x8192xf16>, %d: tensor<32x8192xf16>, %z: tensor<32x32xf16>, %t: tensor<9x32xf16>, %i: tensor<32xi64>, %j: tensor<32xi64>) -> (tensor<1536x1536xf16>, tensor<1536x1536xf16>, tensor<?x8192xf16, ["M", 8192]>, tensor<?x8192xf16, ["M", 8192]>, tensor<32x32xf16>, tensor<32x32xf16>) {
  %0 = func.call @large(%x, %w) : (tensor<1536x32xf16>, tensor<32x1536xf16>) -> tensor<1536x1536xf16>
  %1 = func.call @large(%x, %v) : (tensor<1536x32xf16>, tensor<32x1536xf16>) -> tensor<1536x1536xf16>
  %2 = func.call @rows(%y, %c) : (tensor<?x32xf16, ["M", 32]>, tensor<32x8192xf16>) -> tensor<?x8192xf16, ["M", 8192]>
  %3 = func.call @rows(%y, %d) : (tensor<?x32xf16, ["M", 32]>, tensor<32x8192xf16>) -> tensor<?x8192xf16, ["M", 8192]>
  %4 = func.call @gathered(%z, %t, %i) : (tensor<32x32xf16>, tensor<9x32xf16>, tensor<32xi64>) -> tensor<32x32xf16>
  %5 = func.call @gathered(%z, %t, %j) : (tensor<32x32xf16>, tensor<9x32xf16>, tensor<32xi64>) -> tensor<32x32xf16>
  return %0, %1, %2, %3, %4, %5 : tensor<1536x1536xf16>, tensor<1536x1536xf16>, tensor<?x8192xf16, ["M", 8192]>, tensor<?x8192xf16, ["M", 8192]>, tensor<32x32xf16>, tensor<32x32xf16>
}

// -----

// Queries of more heads than keys and values have, and what follows them alone; not what lies otherwise in memory, is no multiple of 64 columns wide, or has
// other numerics.
// CHECK-LABEL: func.func private @wide_x3(
// CHECK-SAME: %[[X:.*]]: tensor<32x64xf16>, %[[A:.*]]: tensor<256x64xf16>, %[[B:.*]]: tensor<64x64xf16>, %[[C:.*]]: tensor<64x64xf16>) -> (tensor<4x32x64xf16>, tensor<32x64xf16>, tensor<32x64xf16>) attributes {tcc.kernel = "contract"}
// CHECK-NEXT: %[[P:.*]] = "tcc.dot_general"(%[[X]], %[[A]])
// CHECK-NEXT: %[[Q:.*]] = "tcc.mul"(%[[P]], %[[P]])
// CHECK-NEXT: "tcc.reshape"(%[[Q]])
// CHECK: "tcc.dot_general"(%[[X]], %[[B]])
// CHECK: "tcc.dot_general"(%[[X]], %[[C]])
// CHECK-LABEL: func.func @main
// CHECK-NEXT: call @wide_x3(%arg0, %arg1, %arg2, %arg3)
// CHECK-NEXT: call @across(%arg0, %arg2)
// CHECK-NEXT: call @odd(%arg0, %arg4)
// CHECK-NEXT: call @exact(%arg0, %arg2)
// CHECK-NEXT: return
func.func private @wide(%x: tensor<32x64xf16>, %w: tensor<256x64xf16>) -> tensor<4x32x64xf16> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<32x64xf16>, tensor<256x64xf16>) -> tensor<32x256xf16>
  %1 = "tcc.mul"(%0, %0) : (tensor<32x256xf16>, tensor<32x256xf16>) -> tensor<32x256xf16>
  %2 = "tcc.reshape"(%1) : (tensor<32x256xf16>) -> tensor<32x4x64xf16>
  %3 = "tcc.transpose"(%2) {perm = array<i64: 1, 0, 2>} : (tensor<32x4x64xf16>) -> tensor<4x32x64xf16>
  return %3 : tensor<4x32x64xf16>
}
func.func private @narrow(%x: tensor<32x64xf16>, %w: tensor<64x64xf16>) -> tensor<32x64xf16> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<32x64xf16>, tensor<64x64xf16>) -> tensor<32x64xf16>
  return %0 : tensor<32x64xf16>
}
func.func private @across(%x: tensor<32x64xf16>, %w: tensor<64x64xf16>) -> tensor<32x64xf16> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<32x64xf16>, tensor<64x64xf16>) -> tensor<32x64xf16>
  return %0 : tensor<32x64xf16>
}
func.func private @odd(%x: tensor<32x64xf16>, %w: tensor<72x64xf16>) -> tensor<32x72xf16> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<32x64xf16>, tensor<72x64xf16>) -> tensor<32x72xf16>
  return %0 : tensor<32x72xf16>
}
func.func private @exact(%x: tensor<32x64xf16>, %w: tensor<64x64xf16>) -> tensor<32x64xf16> attributes {tcc.kernel = "contract", tcc.numerics = "direct"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<32x64xf16>, tensor<64x64xf16>) -> tensor<32x64xf16>
  return %0 : tensor<32x64xf16>
}
func.func @main(%x: tensor<32x64xf16>, %q: tensor<256x64xf16>, %k: tensor<64x64xf16>, %v: tensor<64x64xf16>, %o: tensor<72x64xf16>) -> (tensor<4x32x64xf16>, tensor<32x64xf16>, tensor<32x64xf16>, tensor<32x72xf16>, tensor<32x64xf16>, tensor<32x64xf16>) {
  %0 = func.call @wide(%x, %q) : (tensor<32x64xf16>, tensor<256x64xf16>) -> tensor<4x32x64xf16>
  %1 = func.call @narrow(%x, %k) : (tensor<32x64xf16>, tensor<64x64xf16>) -> tensor<32x64xf16>
  %2 = func.call @across(%x, %k) : (tensor<32x64xf16>, tensor<64x64xf16>) -> tensor<32x64xf16>
  %3 = func.call @odd(%x, %o) : (tensor<32x64xf16>, tensor<72x64xf16>) -> tensor<32x72xf16>
  %4 = func.call @exact(%x, %k) : (tensor<32x64xf16>, tensor<64x64xf16>) -> tensor<32x64xf16>
  %5 = func.call @narrow(%x, %v) : (tensor<32x64xf16>, tensor<64x64xf16>) -> tensor<32x64xf16>
  return %0, %1, %2, %3, %4, %5 : tensor<4x32x64xf16>, tensor<32x64xf16>, tensor<32x64xf16>, tensor<32x72xf16>, tensor<32x64xf16>, tensor<32x64xf16>
}
