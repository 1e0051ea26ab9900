// Gradients of weights over three axes, by those over two of the planes of each window.
// RUN: tcc-opt --tcc-split-volumes --target=x86 %s | FileCheck %s
// RUN: tcc-run --random=1 --dim=N=2 --dim=D=5 --rtol=1e-4 --atol=1e-4 --compare=interp %s | FileCheck %s --check-prefix=CLOSE
// RUN: tcc-run --target=x86,x86-64-v3 --random=1 --dim=N=1 --dim=D=8 --rtol=1e-4 --atol=1e-4 --compare=interp %s | FileCheck %s --check-prefix=CLOSE
// CLOSE: match the interpreter

// Strides and paddings of the depth are the planes'; planes that no window reads are left out.
// CHECK: "tcc.unfold"({{.*}}kernel = array<i64: 3, 1>, strides = array<i64: 2, 1>
// CHECK: "tcc.conv_filter_grad"({{.*}}kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 2>} : (tensor<6x24x7x9xf32>, tensor<6x12x7x5xf32>) -> tensor<12x24x3x3xf32>
// CHECK: "tcc.reshape"({{.*}}-> tensor<12x8x3x3x3xf32>
// In groups; columns, which are rows of an image; one channel a group.
// CHECK: "tcc.conv_filter_grad"({{.*}}groups = 2 : i64{{.*}}tensor<5x6x6x5xf32>) -> tensor<6x8x3x1xf32>
// CHECK: "tcc.conv_filter_grad"({{.*}}(tensor<2x5x8x24xf32>, tensor<2x7x3x24xf32>) -> tensor<7x5x3x1xf32>
// CHECK: "tcc.conv_filter_grad"({{.*}}groups = 6 : i64{{.*}}tensor<10x6x8x7xf32>) -> tensor<6x3x3x3xf32>
// CHECK: "tcc.conv_filter_grad"({{.*}}(tensor<2x4x5x6xf32>, tensor<2x3x3x3xf32>) -> tensor<3x4x1x1xf32>
// Sizes that are not known, if planes are so many more than windows as a number says.
// CHECK: "tcc.conv_filter_grad"({{.*}}tensor<?x12x5x6xf32
// CHECK: "tcc.conv_filter_grad"({{.*}}tensor<?x4x?x5x6xf32
func.func @main(%x0: tensor<2x8x6x7x9xf32>, %g0: tensor<2x12x3x7x5xf32>, %x1: tensor<1x8x7x6x5xf32>, %g1: tensor<1x6x5x6x5xf32>, %x2: tensor<2x5x8x4x6xf32>, %g2: tensor<2x7x3x4x6xf32>, %x3: tensor<2x6x5x8x7xf32>, %g3: tensor<2x6x5x8x7xf32>, %x4: tensor<1x4x4x5x6xf32>, %g4: tensor<1x3x2x3x3xf32>, %x: tensor<?x4x?x5x6xf32, ["N", 4, "D", 5, 6]>, %g: tensor<?x3x?x5x6xf32, ["N", 3, "D", 5, 6]>) -> (tensor<12x8x3x3x3xf32>, tensor<6x4x2x3x1xf32>, tensor<7x5x3x1x1xf32>, tensor<6x1x3x3x3xf32>, tensor<3x4x1x1x1xf32>, tensor<3x4x3x3x3xf32>) {
  %r0 = "tcc.conv_filter_grad"(%x0, %g0) {kernel = array<i64: 3, 3, 3>, strides = array<i64: 2, 1, 2>, pads = array<i64: 1, 1, 1, 1, 1, 1>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64} : (tensor<2x8x6x7x9xf32>, tensor<2x12x3x7x5xf32>) -> tensor<12x8x3x3x3xf32>
  %r1 = "tcc.conv_filter_grad"(%x1, %g1) {kernel = array<i64: 2, 3, 1>, strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 1, 0, 0, 1, 0>, dilations = array<i64: 2, 1, 1>, groups = 2 : i64} : (tensor<1x8x7x6x5xf32>, tensor<1x6x5x6x5xf32>) -> tensor<6x4x2x3x1xf32>
  %r2 = "tcc.conv_filter_grad"(%x2, %g2) {kernel = array<i64: 3, 1, 1>, strides = array<i64: 2, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64} : (tensor<2x5x8x4x6xf32>, tensor<2x7x3x4x6xf32>) -> tensor<7x5x3x1x1xf32>
  %r3 = "tcc.conv_filter_grad"(%x3, %g3) {kernel = array<i64: 3, 3, 3>, strides = array<i64: 1, 1, 1>, pads = array<i64: 1, 1, 1, 1, 1, 1>, dilations = array<i64: 1, 1, 1>, groups = 6 : i64} : (tensor<2x6x5x8x7xf32>, tensor<2x6x5x8x7xf32>) -> tensor<6x1x3x3x3xf32>
  %r4 = "tcc.conv_filter_grad"(%x4, %g4) {kernel = array<i64: 1, 1, 1>, strides = array<i64: 2, 2, 2>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64} : (tensor<1x4x4x5x6xf32>, tensor<1x3x2x3x3xf32>) -> tensor<3x4x1x1x1xf32>
  %s = "tcc.conv_filter_grad"(%x, %g) {kernel = array<i64: 3, 3, 3>, pads = array<i64: 1, 1, 1, 1, 1, 1>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64, strides = array<i64: 1, 1, 1>} : (tensor<?x4x?x5x6xf32, ["N", 4, "D", 5, 6]>, tensor<?x3x?x5x6xf32, ["N", 3, "D", 5, 6]>) -> tensor<3x4x3x3x3xf32>
  return %r0, %r1, %r2, %r3, %r4, %s : tensor<12x8x3x3x3xf32>, tensor<6x4x2x3x1xf32>, tensor<7x5x3x1x1xf32>, tensor<6x1x3x3x3xf32>, tensor<3x4x1x1x1xf32>, tensor<3x4x3x3x3xf32>
}
func.func @strided(%x: tensor<?x4x?x5x6xf32, ["N", 4, "D", 5, 6]>, %h: tensor<?x3x?x5x6xf32, ["N", 3, "floordiv(D + 1, 2)", 5, 6]>) -> tensor<3x4x3x3x3xf32> {
  %t = "tcc.conv_filter_grad"(%x, %h) {kernel = array<i64: 3, 3, 3>, pads = array<i64: 1, 1, 1, 1, 1, 1>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64, strides = array<i64: 2, 1, 1>} : (tensor<?x4x?x5x6xf32, ["N", 4, "D", 5, 6]>, tensor<?x3x?x5x6xf32, ["N", 3, "floordiv(D + 1, 2)", 5, 6]>) -> tensor<3x4x3x3x3xf32>
  return %t : tensor<3x4x3x3x3xf32>
}
