// A product that nobody reads, in a module that nothing has tidied: its kernel has no result, and is no product to the target.
// RUN: tcc-opt --target=nvptx,sm_90a --pass-pipeline=tcc-infer-shapes,tcc-fuse,tcc-fuse-weight-dequant,tcc-variants %s | FileCheck %s
// CHECK: return %arg2
func.func @main(%x: tensor<?x127xf32, ["M", 127]>, %w: tensor<127x70xf32>, %y: tensor<?x70xf32, ["M", 70]>) -> tensor<?x70xf32, ["M", 70]> {
  %1 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x127xf32, ["M", 127]>, tensor<127x70xf32>) -> tensor<?x70xf32, ["M", 70]>
  return %y : tensor<?x70xf32, ["M", 70]>
}
