// Transposed convolutions of weights that a call may change, and over three axes.
// RUN: tcc-opt --tcc-spread-windows --target=x86 %s | FileCheck %s
// RUN: tcc-opt --pipeline=default --target=x86,x86-64-v3 %s | FileCheck %s --check-prefix=KERNELS
// RUN: tcc-run --random=1 --rtol=1e-4 --atol=1e-4 --compare=interp %s | FileCheck %s --check-prefix=CLOSE
// RUN: tcc-run --target=x86,x86-64-v3 --random=1 --rtol=1e-4 --atol=1e-4 --threads=2 --compare=interp %s | FileCheck %s --check-prefix=CLOSE
// CLOSE: match the interpreter

// In groups, with dilations and a stride of 1: the turned window; the bias is added behind it.
// CHECK: %[[X:.*]] = "tcc.slice"({{.*}}tensor<6x4x3x3xf32>
// CHECK: %[[C:.*]] = "tcc.conv"(%{{.*}}, %{{.*}}, %{{.*}}) {dilations = array<i64: 2, 2>, groups = 2 : i64, pads = array<i64: 4, 3, 3, 4>, strides = array<i64: 1, 1>}
// CHECK: "tcc.add"(%[[C]],
// One channel a group, a stride of 2: a convolution for each remainder, of the taps that it sees.
// CHECK: "tcc.conv"({{.*}}groups = 6 : i64{{.*}}tensor<6x1x1x1xf32>
// CHECK: "tcc.conv"({{.*}}groups = 6 : i64{{.*}}tensor<6x1x1x2xf32>
// CHECK: "tcc.conv"({{.*}}groups = 6 : i64{{.*}}tensor<6x1x2x1xf32>
// CHECK: "tcc.conv"({{.*}}groups = 6 : i64{{.*}}tensor<6x1x2x2xf32>
// Where remainders see no tap there are zeros.
// CHECK: "tcc.conv"({{.*}}tensor<9x16x1x1xf32>
// CHECK-NOT: "tcc.conv"
// CHECK: "tcc.pad"
// Phases of an image in blocks of channels, and phases that are channels, stay; of few places weights are not packed.
// CHECK: "tcc.conv_transpose"({{.*}}tensor<16x12x4x4xf32>
// CHECK: "tcc.conv_transpose"({{.*}}tensor<16x3x4x4xf32>
// CHECK-COUNT-4: "tcc.conv"({{.*}}tensor<12x16x2x2xf32>
// Along one axis, into few channels: those of an image of one row.
// CHECK: "tcc.conv_transpose"({{.*}}tensor<16x2x1x10xf32>
// Over three axes; windows as long as their strides stay.
// CHECK: "tcc.conv"({{.*}}tensor<6x8x1x1x1xf32>
// CHECK-COUNT-6: "tcc.conv"
// CHECK: "tcc.conv"({{.*}}tensor<6x8x2x2x2xf32>
// CHECK: "tcc.conv_transpose"({{.*}}tensor<8x5x2x2x2xf32>
// Dilations and strides: remainders see the taps whose places have theirs, nearer to each other by what both share.
// CHECK: "tcc.conv"({{.*}} {dilations = array<i64: 1, 1>, groups = 1 : i64, {{.*}}tensor<6x12x3x3xf32>
// CHECK-NOT: "tcc.conv"
// CHECK: "tcc.pad"
// CHECK: "tcc.conv"({{.*}} {dilations = array<i64: 1, 3>, groups = 2 : i64, {{.*}}tensor<6x4x1x2xf32>
// CHECK-COUNT-5: "tcc.conv"
// So do weights that no call changes.
// CHECK: "tcc.conv_transpose"({{.*}}tensor<16x6x2x4xf32>
// KERNELS-NOT: tcc.conv_transpose
func.func @main(%x0: tensor<2x8x9x7xf32>, %w0: tensor<8x3x3x3xf32>, %b0: tensor<6xf32>, %x1: tensor<1x6x5x6xf32>, %w1: tensor<6x1x3x3xf32>, %x2: tensor<1x16x6x5xf32>, %w2: tensor<16x9x1x1xf32>, %x3: tensor<2x16x9x8xf32>, %w3: tensor<16x12x4x4xf32>, %b3: tensor<12xf32>, %x4: tensor<2x16x9x8xf32>, %w4: tensor<16x3x4x4xf32>, %b4: tensor<3xf32>, %x5: tensor<1x16x5x6xf32>, %w5: tensor<16x12x4x4xf32>, %b5: tensor<12xf32>, %x6: tensor<2x16x70xf32>, %w6: tensor<16x2x10xf32>, %x7: tensor<1x8x3x4x5xf32>, %w7: tensor<8x6x3x3x3xf32>, %b7: tensor<6xf32>, %x8: tensor<2x8x3x5x6xf32>, %w8: tensor<8x5x2x2x2xf32>, %x9: tensor<1x12x7x8xf32>, %w9: tensor<12x6x3x3xf32>, %x10: tensor<1x8x6x5xf32>, %w10: tensor<8x3x3x4xf32>, %y: tensor<1x16x5x6xf32>) -> (tensor<2x6x12x10xf32>, tensor<1x6x10x11xf32>, tensor<1x9x12x9xf32>, tensor<2x12x18x16xf32>, tensor<2x3x18x16xf32>, tensor<1x12x10x12xf32>, tensor<2x2x351xf32>, tensor<1x6x6x8x9xf32>, tensor<2x5x6x10x12xf32>, tensor<1x6x14x16xf32>, tensor<1x6x21x16xf32>, tensor<1x6x10x12xf32>) {
  %none = "tcc.none"() : () -> none
  %r0 = "tcc.conv_transpose"(%x0, %w0, %b0) {strides = array<i64: 1, 1>, pads = array<i64: 0, 1, 1, 0>, dilations = array<i64: 2, 2>, groups = 2 : i64, output_padding = array<i64: 0, 0>} : (tensor<2x8x9x7xf32>, tensor<8x3x3x3xf32>, tensor<6xf32>) -> tensor<2x6x12x10xf32>
  %r1 = "tcc.conv_transpose"(%x1, %w1, %none) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 6 : i64, output_padding = array<i64: 1, 0>} : (tensor<1x6x5x6xf32>, tensor<6x1x3x3xf32>, none) -> tensor<1x6x10x11xf32>
  %r2 = "tcc.conv_transpose"(%x2, %w2, %none) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 1, 0>} : (tensor<1x16x6x5xf32>, tensor<16x9x1x1xf32>, none) -> tensor<1x9x12x9xf32>
  %r3 = "tcc.conv_transpose"(%x3, %w3, %b3) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<2x16x9x8xf32>, tensor<16x12x4x4xf32>, tensor<12xf32>) -> tensor<2x12x18x16xf32>
  %r4 = "tcc.conv_transpose"(%x4, %w4, %b4) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<2x16x9x8xf32>, tensor<16x3x4x4xf32>, tensor<3xf32>) -> tensor<2x3x18x16xf32>
  %r5 = "tcc.conv_transpose"(%x5, %w5, %b5) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x16x5x6xf32>, tensor<16x12x4x4xf32>, tensor<12xf32>) -> tensor<1x12x10x12xf32>
  %r6 = "tcc.conv_transpose"(%x6, %w6, %none) {strides = array<i64: 5>, pads = array<i64: 2, 2>, dilations = array<i64: 1>, groups = 1 : i64, output_padding = array<i64: 0>} : (tensor<2x16x70xf32>, tensor<16x2x10xf32>, none) -> tensor<2x2x351xf32>
  %r7 = "tcc.conv_transpose"(%x7, %w7, %b7) {strides = array<i64: 2, 2, 2>, pads = array<i64: 1, 1, 1, 1, 1, 1>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64, output_padding = array<i64: 1, 1, 0>} : (tensor<1x8x3x4x5xf32>, tensor<8x6x3x3x3xf32>, tensor<6xf32>) -> tensor<1x6x6x8x9xf32>
  %r8 = "tcc.conv_transpose"(%x8, %w8, %none) {strides = array<i64: 2, 2, 2>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0, 0>} : (tensor<2x8x3x5x6xf32>, tensor<8x5x2x2x2xf32>, none) -> tensor<2x5x6x10x12xf32>
  %r9 = "tcc.conv_transpose"(%x9, %w9, %none) {strides = array<i64: 2, 2>, pads = array<i64: 2, 2, 2, 1>, dilations = array<i64: 2, 2>, groups = 1 : i64, output_padding = array<i64: 1, 0>} : (tensor<1x12x7x8xf32>, tensor<12x6x3x3xf32>, none) -> tensor<1x6x14x16xf32>
  %r10 = "tcc.conv_transpose"(%x10, %w10, %none) {strides = array<i64: 3, 2>, pads = array<i64: 0, 1, 1, 2>, dilations = array<i64: 2, 3>, groups = 2 : i64, output_padding = array<i64: 2, 1>} : (tensor<1x8x6x5xf32>, tensor<8x3x3x4xf32>, none) -> tensor<1x6x21x16xf32>
  %i = "tcc.iota"() {axis = 0 : i64} : () -> tensor<768xf32>
  %s = "tcc.sin"(%i) : (tensor<768xf32>) -> tensor<768xf32>
  %v = "tcc.reshape"(%s) : (tensor<768xf32>) -> tensor<16x6x2x4xf32>
  %c = "tcc.conv_transpose"(%y, %v, %none) {strides = array<i64: 2, 2>, pads = array<i64: 0, 1, 0, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x16x5x6xf32>, tensor<16x6x2x4xf32>, none) -> tensor<1x6x10x12xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %c : tensor<2x6x12x10xf32>, tensor<1x6x10x11xf32>, tensor<1x9x12x9xf32>, tensor<2x12x18x16xf32>, tensor<2x3x18x16xf32>, tensor<1x12x10x12xf32>, tensor<2x2x351xf32>, tensor<1x6x6x8x9xf32>, tensor<2x5x6x10x12xf32>, tensor<1x6x14x16xf32>, tensor<1x6x21x16xf32>, tensor<1x6x10x12xf32>
}
