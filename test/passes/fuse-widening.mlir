// Floats of 16 bits are converted by whoever reads them: in an epilogue, and by each of several kernels.
// RUN: tcc-opt %s --split-input-file --target=x86,x86-64-v3 --tcc-fuse --verify-each | FileCheck %s

// A bias of a product, one of a convolution's residual sum, behind a view.
// CHECK-COUNT-2: tcc.kernel =
// CHECK-NOT: tcc.kernel =
// CHECK-LABEL: func.func @epilogues
// CHECK-NEXT: call @{{.*}}(%arg0, %arg1, %arg2) : (tensor<32x64xbf16>, tensor<64x16xbf16>, tensor<16xbf16>) -> tensor<32x16xbf16>
// CHECK: call @{{.*}}(%arg3, %arg4, {{(%[0-9a-z]+, )?}}%arg5) : ({{.*}}, tensor<8x1x8x8xf16>) -> tensor<1x8x8x8xf32>
// CHECK-NEXT: return
func.func @epilogues(%x: tensor<32x64xbf16>, %w: tensor<64x16xbf16>, %b: tensor<16xbf16>, %i: tensor<1x8x8x8xf32>, %f: tensor<8x8x1x1xf32>, %r: tensor<8x1x8x8xf16>) -> (tensor<32x16xbf16>, tensor<1x8x8x8xf32>) {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>, wide = true} : (tensor<32x64xbf16>, tensor<64x16xbf16>) -> tensor<32x16xf32>
  %1 = "tcc.convert"(%b) : (tensor<16xbf16>) -> tensor<16xf32>
  %2 = "tcc.add"(%0, %1) : (tensor<32x16xf32>, tensor<16xf32>) -> tensor<32x16xf32>
  %3 = "tcc.convert"(%2) : (tensor<32x16xf32>) -> tensor<32x16xbf16>
  %none = "tcc.none"() : () -> none
  %4 = "tcc.conv"(%i, %f, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x8x8xf32>, tensor<8x8x1x1xf32>, none) -> tensor<1x8x8x8xf32>
  %5 = "tcc.transpose"(%r) {perm = array<i64: 1, 0, 2, 3>} : (tensor<8x1x8x8xf16>) -> tensor<1x8x8x8xf16>
  %6 = "tcc.convert"(%5) : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf32>
  %7 = "tcc.add"(%4, %6) : (tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  return %3, %7 : tensor<32x16xbf16>, tensor<1x8x8x8xf32>
}

// -----

// Two kernels read %x in 16 bits; a product's operand is computed once and stored, as is what is computed before it is converted.
// CHECK-LABEL: func.func @readers
// CHECK-NEXT: call @{{.*}}reduce{{.*}}(%arg0) : (tensor<64x64xbf16>)
// CHECK-NEXT: call @{{.*}}(%arg0, %arg1) : (tensor<64x64xbf16>, tensor<64x64xf32>)
// CHECK-NEXT: %[[W:.*]] = call @{{.*}}convert(%arg2) : (tensor<64x64xf16>) -> tensor<64x64xf32>
// CHECK-NEXT: %[[S:.*]] = call @{{.*}}add{{.*}} -> tensor<64xf16>
// CHECK-NEXT: call @{{.*}}dot_general{{.*}}(%arg1, %[[W]], %[[S]])
// CHECK-NEXT: return
func.func @readers(%x: tensor<64x64xbf16>, %y: tensor<64x64xf32>, %w: tensor<64x64xf16>, %c: tensor<64xf16>) -> (tensor<64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = "tcc.convert"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xf32>
  %1 = "tcc.reduce"(%0) {kind = "sum", axes = array<i64: 1>, keepdims = false} : (tensor<64x64xf32>) -> tensor<64xf32>
  %2 = "tcc.mul"(%0, %y) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = "tcc.convert"(%w) : (tensor<64x64xf16>) -> tensor<64x64xf32>
  %4 = "tcc.dot_general"(%y, %3) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %5 = "tcc.add"(%c, %c) : (tensor<64xf16>, tensor<64xf16>) -> tensor<64xf16>
  %6 = "tcc.convert"(%5) : (tensor<64xf16>) -> tensor<64xf32>
  %7 = "tcc.add"(%4, %6) : (tensor<64x64xf32>, tensor<64xf32>) -> tensor<64x64xf32>
  return %1, %2, %7 : tensor<64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}
