// RUN: tcc-opt --split-input-file --tcc-split-volumes --target=x86 %s | FileCheck %s
// RUN: sed '/^\/\/ -----/,$d' %s > %t.pools.mlir && sed '1,/^\/\/ -----/d' %s > %t.convs.mlir
// RUN: tcc-run --random=1 --dim=D=7 --dim=W=9 --compare=interp %t.pools.mlir | FileCheck %s --check-prefix=SAME
// RUN: tcc-run --random=1 --dim=N=2 --dim=D=5 --dim=H=9 --rtol=1e-4 --atol=1e-4 --compare=interp %t.convs.mlir | FileCheck %s --check-prefix=CLOSE
// RUN: tcc-run --target=x86,x86-64-v3 --random=1 --dim=N=1 --dim=D=3 --dim=H=4 --compare=interp %t.convs.mlir | FileCheck %s --check-prefix=CLOSE
// CLOSE: match the interpreter
// SAME: ok: {{[0-9]+}} kernels match the interpreter

// Planes first, then along the depth, with strides, paddings, dilations and sizes that are not known; means of f32 as well, whether they count their padding or not. Means of
// f16, which would be rounded in between, and windows over two axes stay what they are.
// CHECK: %[[P:.*]] = "tcc.pool"({{.*}}) {ceil_mode = true, dilations = array<i64: 1, 2>, kernel = array<i64: 3, 2>, kind = "max", pads = array<i64: 1, 0, 0, 1>, strides = array<i64: 1, 2>} : (tensor<2x?x8x?xf32, [2, "3*D", 8, "W"]>) -> tensor<2x?x7x?xf32, [2, "3*D", 7, "{{.*}}"]>
// CHECK: %[[R:.*]] = "tcc.reshape"(%[[P]]) : {{.*}} -> tensor<2x3x?x?xf32
// CHECK: "tcc.pool"(%[[R]]) {ceil_mode = true, dilations = array<i64: 1, 1>, kernel = array<i64: 2, 1>, kind = "max", pads = array<i64: 0, 0, 1, 0>, strides = array<i64: 2, 1>}
// CHECK: "tcc.pool"({{.*}}) {ceil_mode = false, count_include_pad = true, dilations = array<i64: 1, 1>, kernel = array<i64: 2, 3>, kind = "avg", pads = array<i64: 0, 1, 0, 1>, strides = array<i64: 2, 2>} : (tensor<1x8x6x5xf32>)
// CHECK: "tcc.pool"({{.*}}) {ceil_mode = false, count_include_pad = true, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 1>, kind = "avg", pads = array<i64: 1, 0, 1, 0>, strides = array<i64: 2, 1>} : (tensor<1x2x4x9xf32>)
// CHECK: "tcc.pool"({{.*}}) {ceil_mode = true, dilations = array<i64: 1, 1>, kernel = array<i64: 2, 3>, kind = "avg"
// CHECK: "tcc.pool"({{.*}}) {ceil_mode = true, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 1>, kind = "avg"
// CHECK: "tcc.pool"({{.*}}kind = "avg"{{.*}}tensor<1x2x4x6x5xf16>
// CHECK: "tcc.pool"({{.*}}kind = "max"{{.*}}tensor<1x2x6x5xf32>
func.func @main(%x: tensor<2x3x?x8x?xf32, [2, 3, "D", 8, "W"]>, %y: tensor<1x2x4x6x5xf32>, %z: tensor<1x2x6x5xf32>) -> (tensor<2x3x?x7x?xf32, [2, 3, "floordiv(D + 1, 2)", 7, "floordiv(W + 1, 2)"]>, tensor<1x2x2x3x3xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x3x3xf32>, tensor<1x2x2x3x3xf16>) {
  %0 = "tcc.pool"(%x) {kind = "max", kernel = array<i64: 2, 3, 2>, strides = array<i64: 2, 1, 2>, pads = array<i64: 0, 1, 0, 1, 0, 1>, dilations = array<i64: 1, 1, 2>, ceil_mode = true} : (tensor<2x3x?x8x?xf32, [2, 3, "D", 8, "W"]>) -> tensor<2x3x?x7x?xf32, [2, 3, "floordiv(D + 1, 2)", 7, "floordiv(W + 1, 2)"]>
  %1 = "tcc.pool"(%y) {kind = "avg", kernel = array<i64: 3, 2, 3>, strides = array<i64: 2, 2, 2>, pads = array<i64: 1, 0, 1, 1, 0, 1>, dilations = array<i64: 1, 1, 1>, count_include_pad = true} : (tensor<1x2x4x6x5xf32>) -> tensor<1x2x2x3x3xf32>
  %3 = "tcc.pool"(%y) {kind = "avg", kernel = array<i64: 3, 2, 3>, strides = array<i64: 2, 2, 2>, pads = array<i64: 1, 0, 1, 1, 0, 1>, dilations = array<i64: 1, 1, 1>, ceil_mode = true} : (tensor<1x2x4x6x5xf32>) -> tensor<1x2x3x3x3xf32>
  %4 = "tcc.convert"(%y) : (tensor<1x2x4x6x5xf32>) -> tensor<1x2x4x6x5xf16>
  %5 = "tcc.pool"(%4) {kind = "avg", kernel = array<i64: 3, 2, 3>, strides = array<i64: 2, 2, 2>, pads = array<i64: 1, 0, 1, 1, 0, 1>, dilations = array<i64: 1, 1, 1>} : (tensor<1x2x4x6x5xf16>) -> tensor<1x2x2x3x3xf16>
  %2 = "tcc.pool"(%z) {kind = "max", kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x6x5xf32>) -> tensor<1x2x3x2xf32>
  return %0, %1, %2, %3, %5 : tensor<2x3x?x7x?xf32, [2, 3, "floordiv(D + 1, 2)", 7, "floordiv(W + 1, 2)"]>, tensor<1x2x2x3x3xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x3x3xf32>, tensor<1x2x2x3x3xf16>
}

// -----

// The planes of a window are channels: with paddings, strides and dilations of the depth, a bias, sizes that are not known; in two groups; columns, which
// are rows of an image. One channel a group stays.
// CHECK: "tcc.unfold"({{.*}}) {dilations = array<i64: 2, 1>, kernel = array<i64: 3, 1>, strides = array<i64: 1, 1>}
// CHECK: "tcc.conv"({{.*}}) {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 0, 1, 0>, strides = array<i64: 1, 2>} : ({{.*}}, tensor<16x24x3x1xf32>, tensor<16xf32>)
// CHECK: "tcc.transpose"({{.*}}) {perm = array<i64: 0, 2, 1, 3, 4>} : {{.*}} -> tensor<?x16x?x?x3xf32, ["N", 16, "D - 2", "H", 3]>
// CHECK: "tcc.conv"({{.*}}groups = 2 : i64{{.*}}tensor<6x12x2x2xf32>
// CHECK: "tcc.conv"({{.*}}) {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 0, 1, 0>, strides = array<i64: 2, 1>} : (tensor<?x8x?x?xf32, ["N", 8, "D", "6*H"]>, tensor<5x8x3x1xf32>, none)
// CHECK: "tcc.conv"({{.*}}groups = 8 : i64{{.*}}tensor<8x1x2x2x2xf32>
func.func @main(%x: tensor<?x8x?x?x6xf32, ["N", 8, "D", "H", 6]>) -> (tensor<?x16x?x?x3xf32, ["N", 16, "D - 2", "H", 3]>, tensor<?x6x?x?x5xf32, ["N", 6, "D - 2", "H - 1", 5]>, tensor<?x5x?x?x6xf32, ["N", 5, "floordiv(D + 1, 2)", "H", 6]>, tensor<?x8x?x?x5xf32, ["N", 8, "D - 1", "H - 1", 5]>) {
  %none = "tcc.none"() : () -> none
  %b = "tcc.iota"() {axis = 0 : i64} : () -> tensor<16xf32>
  %i0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<1152xf32>
  %s0 = "tcc.sin"(%i0) : (tensor<1152xf32>) -> tensor<1152xf32>
  %w0 = "tcc.reshape"(%s0) : (tensor<1152xf32>) -> tensor<16x8x3x3x1xf32>
  %r0 = "tcc.conv"(%x, %w0, %b) {strides = array<i64: 1, 1, 2>, pads = array<i64: 1, 1, 0, 1, 1, 0>, dilations = array<i64: 2, 1, 1>, groups = 1 : i64} : (tensor<?x8x?x?x6xf32, ["N", 8, "D", "H", 6]>, tensor<16x8x3x3x1xf32>, tensor<16xf32>) -> tensor<?x16x?x?x3xf32, ["N", 16, "D - 2", "H", 3]>
  %i1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<288xf32>
  %s1 = "tcc.sin"(%i1) : (tensor<288xf32>) -> tensor<288xf32>
  %w1 = "tcc.reshape"(%s1) : (tensor<288xf32>) -> tensor<6x4x3x2x2xf32>
  %r1 = "tcc.conv"(%x, %w1, %none) {strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 2 : i64} : (tensor<?x8x?x?x6xf32, ["N", 8, "D", "H", 6]>, tensor<6x4x3x2x2xf32>, none) -> tensor<?x6x?x?x5xf32, ["N", 6, "D - 2", "H - 1", 5]>
  %i2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<120xf32>
  %s2 = "tcc.sin"(%i2) : (tensor<120xf32>) -> tensor<120xf32>
  %w2 = "tcc.reshape"(%s2) : (tensor<120xf32>) -> tensor<5x8x3x1x1xf32>
  %r2 = "tcc.conv"(%x, %w2, %none) {strides = array<i64: 2, 1, 1>, pads = array<i64: 1, 0, 0, 1, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64} : (tensor<?x8x?x?x6xf32, ["N", 8, "D", "H", 6]>, tensor<5x8x3x1x1xf32>, none) -> tensor<?x5x?x?x6xf32, ["N", 5, "floordiv(D + 1, 2)", "H", 6]>
  %i3 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64xf32>
  %s3 = "tcc.sin"(%i3) : (tensor<64xf32>) -> tensor<64xf32>
  %w3 = "tcc.reshape"(%s3) : (tensor<64xf32>) -> tensor<8x1x2x2x2xf32>
  %r3 = "tcc.conv"(%x, %w3, %none) {strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 8 : i64} : (tensor<?x8x?x?x6xf32, ["N", 8, "D", "H", 6]>, tensor<8x1x2x2x2xf32>, none) -> tensor<?x8x?x?x5xf32, ["N", 8, "D - 1", "H - 1", 5]>
  return %r0, %r1, %r2, %r3 : tensor<?x16x?x?x3xf32, ["N", 16, "D - 2", "H", 3]>, tensor<?x6x?x?x5xf32, ["N", 6, "D - 2", "H - 1", 5]>, tensor<?x5x?x?x6xf32, ["N", 5, "floordiv(D + 1, 2)", "H", 6]>, tensor<?x8x?x?x5xf32, ["N", 8, "D - 1", "H - 1", 5]>
}
