// RUN: tcc-opt --target=x86,avx2 --pass-pipeline=tcc-infer-shapes,kernels,tcc-variants,tcc-select %s | FileCheck %s

// Reshapes of a size that is not known, beside one that is, in a pipeline that does not ask for it: nothing can be said of their quotient.
// CHECK: tcc.reshape
func.func @stays(%x: tensor<?x16x64xf32, ["?", 16, 64]>, %w: tensor<64x128xf32>, %b: tensor<32x128xf32>, %y: tensor<32x64xf32>)
    -> (tensor<32x128xf32>, tensor<?x16x4x32xf32, ["?", 16, 4, 32]>, tensor<?x16x128xf32, ["?", 16, 128]>, tensor<?x16x128xf32, ["?", 16, 128]>, tensor<?x16x128xf32, ["?", 16, 128]>, tensor<?x16x128xf32, ["?", 16, 128]>) {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.reshape"(%x) : (tensor<?x16x64xf32, ["?", 16, 64]>) -> tensor<32x64xf32>
  %1 = "tcc.matmul"(%0, %w) : (tensor<32x64xf32>, tensor<64x128xf32>) -> tensor<32x128xf32>
  %4 = "tcc.matmul"(%y, %w) : (tensor<32x64xf32>, tensor<64x128xf32>) -> tensor<32x128xf32>
  %6 = "tcc.linear"(%0, %w, %b) {transposed = false} : (tensor<32x64xf32>, tensor<64x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
  %8 = "tcc.linear"(%0, %w, %none) {transposed = false} : (tensor<32x64xf32>, tensor<64x128xf32>, none) -> tensor<32x128xf32>
  %9 = "tcc.sub"(%8, %b) : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
  %11 = "tcc.reshape"(%x) : (tensor<?x16x64xf32, ["?", 16, 64]>) -> tensor<64x32xf32>
  %12 = "tcc.dot_general"(%11, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 0>} : (tensor<64x32xf32>, tensor<64x128xf32>) -> tensor<32x128xf32>
  %2 = "tcc.reshape"(%1) : (tensor<32x128xf32>) -> tensor<?x16x4x32xf32, ["?", 16, 4, 32]>
  %5 = "tcc.reshape"(%4) : (tensor<32x128xf32>) -> tensor<?x16x128xf32, ["?", 16, 128]>
  %7 = "tcc.reshape"(%6) : (tensor<32x128xf32>) -> tensor<?x16x128xf32, ["?", 16, 128]>
  %10 = "tcc.reshape"(%9) : (tensor<32x128xf32>) -> tensor<?x16x128xf32, ["?", 16, 128]>
  %13 = "tcc.reshape"(%12) : (tensor<32x128xf32>) -> tensor<?x16x128xf32, ["?", 16, 128]>
  return %1, %2, %5, %7, %10, %13 : tensor<32x128xf32>, tensor<?x16x4x32xf32, ["?", 16, 4, 32]>, tensor<?x16x128xf32, ["?", 16, 128]>, tensor<?x16x128xf32, ["?", 16, 128]>, tensor<?x16x128xf32, ["?", 16, 128]>, tensor<?x16x128xf32, ["?", 16, 128]>
}
