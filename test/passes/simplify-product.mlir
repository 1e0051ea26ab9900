// RUN: tcc-opt --tcc-simplify --verify-each --split-input-file %s | FileCheck %s

// A reshape that splits the leading axes of a product goes before it, where the one that joined them stands: neither is left.
// CHECK-LABEL: func.func @linear
// CHECK-NEXT: %[[R:.*]] = "tcc.linear"(%arg0, %arg1, %arg2) {transposed = true} : (tensor<2x?x64xf32, [2, "S", 64]>, tensor<128x64xf32>, tensor<128xf32>) -> tensor<2x?x128xf32, [2, "S", 128]>
// CHECK-NEXT: return %[[R]]
func.func @linear(%x: tensor<2x?x64xf32, [2, "S", 64]>, %w: tensor<128x64xf32>, %b: tensor<128xf32>) -> tensor<2x?x128xf32, [2, "S", 128]> {
  %0 = "tcc.reshape"(%x) : (tensor<2x?x64xf32, [2, "S", 64]>) -> tensor<?x64xf32, ["2*S", 64]>
  %1 = "tcc.linear"(%0, %w, %b) {transposed = true} : (tensor<?x64xf32, ["2*S", 64]>, tensor<128x64xf32>, tensor<128xf32>) -> tensor<?x128xf32, ["2*S", 128]>
  %2 = "tcc.reshape"(%1) : (tensor<?x128xf32, ["2*S", 128]>) -> tensor<2x?x128xf32, [2, "S", 128]>
  return %2 : tensor<2x?x128xf32, [2, "S", 128]>
}

// -----

// Elementwise ops between the product and the reshape move along, with what they read in that shape or along the last axis; the left
// operand's reshape that joins other axes stays one.
// CHECK-LABEL: func.func @chain
// CHECK: %[[X:.*]] = "tcc.reshape"(%arg0) : (tensor<2x16x4x16xf32>) -> tensor<2x16x64xf32>
// CHECK: %[[P:.*]] = "tcc.matmul"(%[[X]], %arg1) : (tensor<2x16x64xf32>, tensor<64x128xf32>) -> tensor<2x16x128xf32>
// CHECK: %[[B:.*]] = "tcc.add"(%[[P]], %arg2) : (tensor<2x16x128xf32>, tensor<128xf32>) -> tensor<2x16x128xf32>
// CHECK: %[[C:.*]] = "tcc.convert"(%[[B]]) : (tensor<2x16x128xf32>) -> tensor<2x16x128xbf16>
// CHECK: %[[S:.*]] = "tcc.add"(%[[C]], %arg3) : (tensor<2x16x128xbf16>, tensor<2x16x128xbf16>)
// CHECK: return %[[S]]
func.func @chain(%x: tensor<2x16x4x16xf32>, %w: tensor<64x128xf32>, %b: tensor<128xf32>, %y: tensor<2x16x128xbf16>) -> tensor<2x16x128xbf16> {
  %0 = "tcc.reshape"(%x) : (tensor<2x16x4x16xf32>) -> tensor<32x64xf32>
  %1 = "tcc.matmul"(%0, %w) : (tensor<32x64xf32>, tensor<64x128xf32>) -> tensor<32x128xf32>
  %2 = "tcc.add"(%1, %b) : (tensor<32x128xf32>, tensor<128xf32>) -> tensor<32x128xf32>
  %3 = "tcc.convert"(%2) : (tensor<32x128xf32>) -> tensor<32x128xbf16>
  %4 = "tcc.reshape"(%y) : (tensor<2x16x128xbf16>) -> tensor<32x128xbf16>
  %5 = "tcc.add"(%3, %4) : (tensor<32x128xbf16>, tensor<32x128xbf16>) -> tensor<32x128xbf16>
  %6 = "tcc.reshape"(%5) : (tensor<32x128xbf16>) -> tensor<2x16x128xbf16>
  return %6 : tensor<2x16x128xbf16>
}

// -----

// CHECK-LABEL: func.func @dot
// CHECK: "tcc.dot_general"(%arg0, %arg1) {{.*}} : (tensor<2x16x64xf32>, tensor<128x64xf32>) -> tensor<2x16x128xf32>
// CHECK-NOT: tcc.reshape
func.func @dot(%x: tensor<2x16x64xf32>, %w: tensor<128x64xf32>) -> tensor<2x16x128xf32> {
  %0 = "tcc.reshape"(%x) : (tensor<2x16x64xf32>) -> tensor<32x64xf32>
  %1 = "tcc.dot_general"(%0, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<32x64xf32>, tensor<128x64xf32>) -> tensor<32x128xf32>
  %2 = "tcc.reshape"(%1) : (tensor<32x128xf32>) -> tensor<2x16x128xf32>
  return %2 : tensor<2x16x128xf32>
}

// -----

// Not where the last axis is split, the product is read in its own shape as well, nothing was joined before it, the bias or what is added
// to it has leading axes, or the contracted axis is not the last.
// CHECK-LABEL: func.func @stays
// CHECK-NOT: -> tensor<2x16x128xf32>
// CHECK: "tcc.matmul"({{.*}}) : (tensor<32x64xf32>, tensor<64x128xf32>) -> tensor<32x128xf32>
// CHECK: "tcc.matmul"({{.*}}) : (tensor<32x64xf32>, tensor<64x128xf32>) -> tensor<32x128xf32>
// CHECK: "tcc.linear"({{.*}}) {{.*}} : (tensor<32x64xf32>, tensor<64x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
// CHECK: "tcc.linear"({{.*}}) {{.*}} : (tensor<32x64xf32>, tensor<64x128xf32>, none) -> tensor<32x128xf32>
// CHECK: "tcc.dot_general"({{.*}}) {{.*}} : (tensor<64x32xf32>, tensor<64x128xf32>) -> tensor<32x128xf32>
func.func @stays(%x: tensor<2x16x64xf32>, %w: tensor<64x128xf32>, %b: tensor<32x128xf32>, %y: tensor<32x64xf32>)
    -> (tensor<32x128xf32>, tensor<2x16x4x32xf32>, tensor<2x16x128xf32>, tensor<2x16x128xf32>, tensor<2x16x128xf32>, tensor<2x16x128xf32>) {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.reshape"(%x) : (tensor<2x16x64xf32>) -> tensor<32x64xf32>
  %1 = "tcc.matmul"(%0, %w) : (tensor<32x64xf32>, tensor<64x128xf32>) -> tensor<32x128xf32>
  %4 = "tcc.matmul"(%y, %w) : (tensor<32x64xf32>, tensor<64x128xf32>) -> tensor<32x128xf32>
  %6 = "tcc.linear"(%0, %w, %b) {transposed = false} : (tensor<32x64xf32>, tensor<64x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
  %8 = "tcc.linear"(%0, %w, %none) {transposed = false} : (tensor<32x64xf32>, tensor<64x128xf32>, none) -> tensor<32x128xf32>
  %9 = "tcc.sub"(%8, %b) : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
  %11 = "tcc.reshape"(%x) : (tensor<2x16x64xf32>) -> tensor<64x32xf32>
  %12 = "tcc.dot_general"(%11, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 0>} : (tensor<64x32xf32>, tensor<64x128xf32>) -> tensor<32x128xf32>
  %2 = "tcc.reshape"(%1) : (tensor<32x128xf32>) -> tensor<2x16x4x32xf32>
  %5 = "tcc.reshape"(%4) : (tensor<32x128xf32>) -> tensor<2x16x128xf32>
  %7 = "tcc.reshape"(%6) : (tensor<32x128xf32>) -> tensor<2x16x128xf32>
  %10 = "tcc.reshape"(%9) : (tensor<32x128xf32>) -> tensor<2x16x128xf32>
  %13 = "tcc.reshape"(%12) : (tensor<32x128xf32>) -> tensor<2x16x128xf32>
  return %1, %2, %5, %7, %10, %13 : tensor<32x128xf32>, tensor<2x16x4x32xf32>, tensor<2x16x128xf32>, tensor<2x16x128xf32>, tensor<2x16x128xf32>, tensor<2x16x128xf32>
}

// -----

// A reshape of nothing may have other leading axes.
// CHECK-LABEL: func.func @empty
// CHECK: "tcc.reshape"({{.*}}) : (tensor<3x0xf32>) -> tensor<5x0xf32>
func.func @empty(%x: tensor<3x1x64xf32>, %w: tensor<64x0xf32>) -> tensor<5x0xf32> {
  %0 = "tcc.reshape"(%x) : (tensor<3x1x64xf32>) -> tensor<3x64xf32>
  %1 = "tcc.matmul"(%0, %w) : (tensor<3x64xf32>, tensor<64x0xf32>) -> tensor<3x0xf32>
  %2 = "tcc.reshape"(%1) : (tensor<3x0xf32>) -> tensor<5x0xf32>
  return %2 : tensor<5x0xf32>
}

// -----

// A matrix times a vector, of each batch, too: a row times a matrix. Not what has columns of its own. An inner product is a sum of products.
// CHECK-LABEL: func.func @vector
// CHECK: "tcc.dot_general"(%arg1, %arg0) {lhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_batch = array<i64>, rhs_contract = array<i64: 1>} : (tensor<64xf32>, tensor<48x64xf32>) -> tensor<48xf32>
// CHECK: "tcc.dot_general"(%arg3, %arg2) {lhs_batch = array<i64: 1>, lhs_contract = array<i64: 0>, rhs_batch = array<i64: 0>, rhs_contract = array<i64: 2>} : (tensor<64x3xf32>, tensor<3x48x64xf32>) -> tensor<3x48xf32>
// CHECK: "tcc.dot_general"(%arg0, %arg4) {{.*}} : (tensor<48x64xf32>, tensor<64x1xf32>)
// CHECK: %[[M:.*]] = "tcc.mul"(%arg1, %arg1)
// CHECK: "tcc.reduce"(%[[M]]) {axes = array<i64: 0>, keepdims = false, kind = "sum"} : (tensor<64xf32>) -> tensor<f32>
func.func @vector(%a: tensor<48x64xf32>, %x: tensor<64xf32>, %b: tensor<3x48x64xf32>, %y: tensor<64x3xf32>, %c: tensor<64x1xf32>) -> (tensor<48xf32>, tensor<3x48xf32>, tensor<48x1xf32>, tensor<f32>) {
  %0 = "tcc.dot_general"(%a, %x) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<48x64xf32>, tensor<64xf32>) -> tensor<48xf32>
  %1 = "tcc.dot_general"(%b, %y) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 1>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 0>} : (tensor<3x48x64xf32>, tensor<64x3xf32>) -> tensor<3x48xf32>
  %2 = "tcc.dot_general"(%a, %c) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<48x64xf32>, tensor<64x1xf32>) -> tensor<48x1xf32>
  %3 = "tcc.dot_general"(%x, %x) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 0>} : (tensor<64xf32>, tensor<64xf32>) -> tensor<f32>
  return %0, %1, %2, %3 : tensor<48xf32>, tensor<3x48xf32>, tensor<48x1xf32>, tensor<f32>
}

// -----

// Inner products of each batch, with axes of 1 as matmul has them; rows of a batch times its vector, which lie side by side. Rows that do not are the right operand of a
// product. Not what is so short that it is straight code, nor halves, whose products are not rounded.
// CHECK-LABEL: func.func @batches
// CHECK: %[[Y:.*]] = "tcc.reshape"(%arg1) : (tensor<9x64x1xf32>) -> tensor<9x1x64xf32>
// CHECK: %[[M:.*]] = "tcc.mul"(%arg0, %[[Y]])
// CHECK: %[[S:.*]] = "tcc.reduce"(%[[M]]) {axes = array<i64: 2>, keepdims = false, kind = "sum"} : (tensor<9x1x64xf32>) -> tensor<9x1xf32>
// CHECK: "tcc.reshape"(%[[S]]) : (tensor<9x1xf32>) -> tensor<9x1x1xf32>
// CHECK: %[[R:.*]] = "tcc.mul"(%arg2, {{.*}}) : (tensor<9x128x64xf32>, tensor<9x1x64xf32>) -> tensor<9x128x64xf32>
// CHECK: "tcc.reduce"(%[[R]]) {axes = array<i64: 2>, keepdims = false, kind = "sum"}
// CHECK: "tcc.dot_general"(%arg1, %arg3) {lhs_batch = array<i64: 0>, lhs_contract = array<i64: 1>, rhs_batch = array<i64: 0>, rhs_contract = array<i64: 1>} : (tensor<9x64x1xf32>, tensor<9x64x128xf32>) -> tensor<9x1x128xf32>
// CHECK: "tcc.dot_general"(%arg4, %arg5)
// CHECK: "tcc.dot_general"(%arg6, %arg6)
func.func @batches(%a: tensor<9x1x64xf32>, %b: tensor<9x64x1xf32>, %c: tensor<9x128x64xf32>, %d: tensor<9x64x128xf32>, %e: tensor<9x3x3xf32>, %f: tensor<9x3x1xf32>, %h: tensor<9x64xf16>)
    -> (tensor<9x1x1xf32>, tensor<9x128x1xf32>, tensor<9x128x1xf32>, tensor<9x3x1xf32>, tensor<9xf16>) {
  %0 = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<9x1x64xf32>, tensor<9x64x1xf32>) -> tensor<9x1x1xf32>
  %1 = "tcc.dot_general"(%c, %b) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<9x128x64xf32>, tensor<9x64x1xf32>) -> tensor<9x128x1xf32>
  %2 = "tcc.dot_general"(%d, %b) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<9x64x128xf32>, tensor<9x64x1xf32>) -> tensor<9x128x1xf32>
  %3 = "tcc.dot_general"(%e, %f) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<9x3x3xf32>, tensor<9x3x1xf32>) -> tensor<9x3x1xf32>
  %4 = "tcc.dot_general"(%h, %h) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<9x64xf16>, tensor<9x64xf16>) -> tensor<9xf16>
  return %0, %1, %2, %3, %4 : tensor<9x1x1xf32>, tensor<9x128x1xf32>, tensor<9x128x1xf32>, tensor<9x3x1xf32>, tensor<9xf16>
}

// -----

// A product of a depth of 1 is one of a column and a row, of each batch, too. Not where a batch does not come first.
// CHECK-LABEL: func.func @outer
// CHECK: "tcc.mul"(%arg0, {{.*}}) : (tensor<3x32x1xf32>, tensor<3x1x?xf32, [3, 1, "S"]>) -> tensor<3x32x?xf32, [3, 32, "S"]>
// CHECK: "tcc.mul"({{.*}}) : (tensor<64x1xf32>, tensor<1x32xf32>) -> tensor<64x32xf32>
// CHECK: "tcc.dot_general"(%arg0, %arg3)
func.func @outer(%a: tensor<3x32x1xf32>, %b: tensor<3x1x?xf32, [3, 1, "S"]>, %c: tensor<1x64xf32>, %d: tensor<8x1x3xf32>, %e: tensor<32x1xf32>) -> (tensor<3x32x?xf32, [3, 32, "S"]>, tensor<64x32xf32>, tensor<3x32x8xf32>) {
  %0 = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<3x32x1xf32>, tensor<3x1x?xf32, [3, 1, "S"]>) -> tensor<3x32x?xf32, [3, 32, "S"]>
  %1 = "tcc.dot_general"(%c, %e) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 1>} : (tensor<1x64xf32>, tensor<32x1xf32>) -> tensor<64x32xf32>
  %2 = "tcc.dot_general"(%a, %d) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 2>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<3x32x1xf32>, tensor<8x1x3xf32>) -> tensor<3x32x8xf32>
  return %0, %1, %2 : tensor<3x32x?xf32, [3, 32, "S"]>, tensor<64x32xf32>, tensor<3x32x8xf32>
}
