// RUN: tcc-run %s --random=1 --dim=N=2 --dim=D=3 --compare=interp | FileCheck %s
// RUN: tcc-run --target=x86,x86-64-v3 %s --random=1 --dim=N=1 --dim=D=1 --compare=interp | FileCheck %s
// RUN: tcc-opt --pipeline=default --target=x86 %s | FileCheck %s --check-prefix=NONE
// CHECK: match the interpreter
// NONE-NOT: tcc.conv_transpose

// Transposed convolutions over three axes whose windows are as long as their strides: a convolution by 1x1 into all places of a window.
func.func @main(%x0: tensor<?x6x?x4x5xf32, ["N", 6, "D", 4, 5]>, %x1: tensor<2x4x3x4x5xf32>) -> (tensor<?x10x?x8x15xf32, ["N", 10, "2*D", 8, 15]>, tensor<2x6x3x8x10xf32>) {
  %none = "tcc.none"() : () -> none
  %b = "tcc.iota"() {axis = 0 : i64} : () -> tensor<10xf32>
  %i0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<720xf32>
  %s0 = "tcc.sin"(%i0) : (tensor<720xf32>) -> tensor<720xf32>
  %w0 = "tcc.reshape"(%s0) : (tensor<720xf32>) -> tensor<6x10x2x2x3xf32>
  %r0 = "tcc.conv_transpose"(%x0, %w0, %b) {strides = array<i64: 2, 2, 3>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0, 0>} : (tensor<?x6x?x4x5xf32, ["N", 6, "D", 4, 5]>, tensor<6x10x2x2x3xf32>, tensor<10xf32>) -> tensor<?x10x?x8x15xf32, ["N", 10, "2*D", 8, 15]>
  %i1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<48xf32>
  %s1 = "tcc.sin"(%i1) : (tensor<48xf32>) -> tensor<48xf32>
  %w1 = "tcc.reshape"(%s1) : (tensor<48xf32>) -> tensor<4x3x1x2x2xf32>
  %r1 = "tcc.conv_transpose"(%x1, %w1, %none) {strides = array<i64: 1, 2, 2>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 2 : i64, output_padding = array<i64: 0, 0, 0>} : (tensor<2x4x3x4x5xf32>, tensor<4x3x1x2x2xf32>, none) -> tensor<2x6x3x8x10xf32>
  return %r0, %r1 : tensor<?x10x?x8x15xf32, ["N", 10, "2*D", 8, 15]>, tensor<2x6x3x8x10xf32>
}
