// A simple operation on one large operand and small ones is computed by each row kernel and map that reads it, which reads the large operand in its place;
// so is what it was computed from likewise. Of two large operands it is stored, and so are divisions, and what a product reads, too.
// RUN: tcc-opt --pass-pipeline=tcc-fuse --target=x86,avx2 --split-input-file %s | FileCheck %s
// REQUIRES: avx2

// CHECK-LABEL: func.func @norm
// CHECK-COUNT-2: call @
// CHECK-NOT: call @
// CHECK: return
func.func @norm(%x: tensor<64x96xf32>, %m: tensor<64x1xf32>, %f: tensor<64x1xf32>) -> (tensor<64xf32>, tensor<96xf32>) {
  %0 = "tcc.sub"(%x, %m) : (tensor<64x96xf32>, tensor<64x1xf32>) -> tensor<64x96xf32>
  %1 = "tcc.mul"(%0, %f) : (tensor<64x96xf32>, tensor<64x1xf32>) -> tensor<64x96xf32>
  %2 = "tcc.reduce"(%1) {kind = "max", axes = array<i64: 1>, keepdims = false} : (tensor<64x96xf32>) -> tensor<64xf32>
  %3 = "tcc.reduce"(%1) {kind = "sum", axes = array<i64: 0>, keepdims = false} : (tensor<64x96xf32>) -> tensor<96xf32>
  return %2, %3 : tensor<64xf32>, tensor<96xf32>
}

// -----

// CHECK-LABEL: func.func @stored
// CHECK-COUNT-3: call @
// CHECK-NOT: call @
// CHECK: return
func.func @stored(%x: tensor<64x96xf32>, %y: tensor<64x96xf32>) -> (tensor<64xf32>, tensor<96xf32>) {
  %0 = "tcc.sub"(%x, %y) : (tensor<64x96xf32>, tensor<64x96xf32>) -> tensor<64x96xf32>
  %2 = "tcc.reduce"(%0) {kind = "max", axes = array<i64: 1>, keepdims = false} : (tensor<64x96xf32>) -> tensor<64xf32>
  %3 = "tcc.reduce"(%0) {kind = "sum", axes = array<i64: 0>, keepdims = false} : (tensor<64x96xf32>) -> tensor<96xf32>
  return %2, %3 : tensor<64xf32>, tensor<96xf32>
}

// -----

// CHECK-LABEL: func.func @division
// CHECK-COUNT-3: call @
// CHECK-NOT: call @
// CHECK: return
func.func @division(%x: tensor<64x96xf32>, %m: tensor<64x1xf32>) -> (tensor<64xf32>, tensor<96xf32>) {
  %0 = "tcc.div"(%x, %m) : (tensor<64x96xf32>, tensor<64x1xf32>) -> tensor<64x96xf32>
  %2 = "tcc.reduce"(%0) {kind = "max", axes = array<i64: 1>, keepdims = false} : (tensor<64x96xf32>) -> tensor<64xf32>
  %3 = "tcc.reduce"(%0) {kind = "sum", axes = array<i64: 0>, keepdims = false} : (tensor<64x96xf32>) -> tensor<96xf32>
  return %2, %3 : tensor<64xf32>, tensor<96xf32>
}

// -----

// CHECK-LABEL: func.func @product
// CHECK-COUNT-3: call @
// CHECK-NOT: call @
// CHECK: return
func.func @product(%x: tensor<64x96xf32>, %m: tensor<64x1xf32>, %w: tensor<96x40xf32>) -> (tensor<64xf32>, tensor<64x40xf32>) {
  %0 = "tcc.sub"(%x, %m) : (tensor<64x96xf32>, tensor<64x1xf32>) -> tensor<64x96xf32>
  %2 = "tcc.reduce"(%0) {kind = "max", axes = array<i64: 1>, keepdims = false} : (tensor<64x96xf32>) -> tensor<64xf32>
  %3 = "tcc.dot_general"(%0, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x96xf32>, tensor<96x40xf32>) -> tensor<64x40xf32>
  return %2, %3 : tensor<64xf32>, tensor<64x40xf32>
}
