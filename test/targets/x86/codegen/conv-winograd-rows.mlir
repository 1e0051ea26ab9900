// RUN: tcc-run %s --target=x86,avx2 --random=1 --compare=interp --rtol=1e-3 --atol=4e-3
// RUN: tcc-opt --pipeline=default --target=x86,avx2 %s | tcc-translate --to-llvm --target=x86,avx2 - | FileCheck %s
// REQUIRES: avx2

// An epilogue that machine code does not know (SiLU), behind results of 4 x 4: the rows of a tile are iterations of a loop, which has the epilogue once for each
// column.
// CHECK: llvm.func hidden @output_
// CHECK-COUNT-4: llvm.fdiv
// CHECK-NOT: llvm.fdiv
// CHECK: llvm.return
func.func @main(%x: tensor<1x64x30x34xf32>) -> tensor<1x64x30x34xf32> {
  %none = "tcc.none"() : () -> none
  %i = "tcc.iota"() {axis = 0 : i64} : () -> tensor<36864xf32>
  %s = "tcc.sin"(%i) : (tensor<36864xf32>) -> tensor<36864xf32>
  %w = "tcc.reshape"(%s) : (tensor<36864xf32>) -> tensor<64x64x3x3xf32>
  %0 = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x30x34xf32>, tensor<64x64x3x3xf32>, none) -> tensor<1x64x30x34xf32>
  %1 = "tcc.sigmoid"(%0) : (tensor<1x64x30x34xf32>) -> tensor<1x64x30x34xf32>
  %2 = "tcc.mul"(%0, %1) : (tensor<1x64x30x34xf32>, tensor<1x64x30x34xf32>) -> tensor<1x64x30x34xf32>
  return %2 : tensor<1x64x30x34xf32>
}
