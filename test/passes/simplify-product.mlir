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

// A matrix times a vector, of each batch, too: a row times a matrix. Not what has columns of its own, nor an inner product.
// CHECK-LABEL: func.func @vector
// CHECK: "tcc.dot_general"(%arg1, %arg0) {lhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_batch = array<i64>, rhs_contract = array<i64: 1>} : (tensor<64xf32>, tensor<48x64xf32>) -> tensor<48xf32>
// CHECK: "tcc.dot_general"(%arg3, %arg2) {lhs_batch = array<i64: 1>, lhs_contract = array<i64: 0>, rhs_batch = array<i64: 0>, rhs_contract = array<i64: 2>} : (tensor<64x3xf32>, tensor<3x48x64xf32>) -> tensor<3x48xf32>
// CHECK: "tcc.dot_general"(%arg0, %arg4) {{.*}} : (tensor<48x64xf32>, tensor<64x1xf32>)
// CHECK: "tcc.dot_general"(%arg1, %arg1)
func.func @vector(%a: tensor<48x64xf32>, %x: tensor<64xf32>, %b: tensor<3x48x64xf32>, %y: tensor<64x3xf32>, %c: tensor<64x1xf32>) -> (tensor<48xf32>, tensor<3x48xf32>, tensor<48x1xf32>, tensor<f32>) {
  %0 = "tcc.dot_general"(%a, %x) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<48x64xf32>, tensor<64xf32>) -> tensor<48xf32>
  %1 = "tcc.dot_general"(%b, %y) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 1>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 0>} : (tensor<3x48x64xf32>, tensor<64x3xf32>) -> tensor<3x48xf32>
  %2 = "tcc.dot_general"(%a, %c) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<48x64xf32>, tensor<64x1xf32>) -> tensor<48x1xf32>
  %3 = "tcc.dot_general"(%x, %x) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 0>} : (tensor<64xf32>, tensor<64xf32>) -> tensor<f32>
  return %0, %1, %2, %3 : tensor<48xf32>, tensor<3x48xf32>, tensor<48x1xf32>, tensor<f32>
}
