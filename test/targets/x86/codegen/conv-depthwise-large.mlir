// RUN: tcc-run %s --random=1 --dim=H=14 --dim=W=19 --compare=interp | FileCheck %s
// RUN: tcc-run %s --random=1 --dim=H=3 --dim=W=70 --target=x86,x86-64-v3 --compare=interp | FileCheck %s
// RUN: tcc-explain --no-cache %s | FileCheck %s --check-prefix=SCHEDULE
// CHECK: ok: {{[0-9]+}} kernels match the interpreter
// SCHEDULE-COUNT-3: schedule: x86.depthwise

// One channel a group in windows of more than 49 taps: vectors side by side go through the window row by row. Images of any size; strides, dilations and two
// channels for one; three axes.
func.func @main(%x0: tensor<2x3x?x?xf32, [2, 3, "H", "W"]>, %x1: tensor<1x4x40x37xf32>, %x2: tensor<1x2x9x8x12xf32>) -> (tensor<2x3x?x?xf32, [2, 3, "H", "W"]>, tensor<1x8x15x10xf32>, tensor<1x2x9x8x12xf32>) {
  %none = "tcc.none"() : () -> none
  %i0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<363xf32>
  %s0 = "tcc.sin"(%i0) : (tensor<363xf32>) -> tensor<363xf32>
  %w0 = "tcc.reshape"(%s0) : (tensor<363xf32>) -> tensor<3x1x11x11xf32>
  %c0 = "tcc.conv"(%x0, %w0, %none) {strides = array<i64: 1, 1>, pads = array<i64: 5, 5, 5, 5>, dilations = array<i64: 1, 1>, groups = 3 : i64} : (tensor<2x3x?x?xf32, [2, 3, "H", "W"]>, tensor<3x1x11x11xf32>, none) -> tensor<2x3x?x?xf32, [2, 3, "H", "W"]>
  %r0 = "tcc.relu"(%c0) : (tensor<2x3x?x?xf32, [2, 3, "H", "W"]>) -> tensor<2x3x?x?xf32, [2, 3, "H", "W"]>
  %i1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<720xf32>
  %s1 = "tcc.sin"(%i1) : (tensor<720xf32>) -> tensor<720xf32>
  %w1 = "tcc.reshape"(%s1) : (tensor<720xf32>) -> tensor<8x1x9x10xf32>
  %c1 = "tcc.conv"(%x1, %w1, %none) {strides = array<i64: 2, 3>, pads = array<i64: 2, 0, 3, 0>, dilations = array<i64: 2, 1>, groups = 4 : i64} : (tensor<1x4x40x37xf32>, tensor<8x1x9x10xf32>, none) -> tensor<1x8x15x10xf32>
  %r1 = "tcc.relu"(%c1) : (tensor<1x8x15x10xf32>) -> tensor<1x8x15x10xf32>
  %i2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<210xf32>
  %s2 = "tcc.sin"(%i2) : (tensor<210xf32>) -> tensor<210xf32>
  %w2 = "tcc.reshape"(%s2) : (tensor<210xf32>) -> tensor<2x1x5x3x7xf32>
  %c2 = "tcc.conv"(%x2, %w2, %none) {strides = array<i64: 1, 1, 1>, pads = array<i64: 2, 1, 3, 2, 1, 3>, dilations = array<i64: 1, 1, 1>, groups = 2 : i64} : (tensor<1x2x9x8x12xf32>, tensor<2x1x5x3x7xf32>, none) -> tensor<1x2x9x8x12xf32>
  %r2 = "tcc.relu"(%c2) : (tensor<1x2x9x8x12xf32>) -> tensor<1x2x9x8x12xf32>
  return %r0, %r1, %r2 : tensor<2x3x?x?xf32, [2, 3, "H", "W"]>, tensor<1x8x15x10xf32>, tensor<1x2x9x8x12xf32>
}
