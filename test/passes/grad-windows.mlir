// RUN: tcc-opt --split-input-file --tcc-verify --tcc-grad --tcc-simplify --tcc-verify %s | FileCheck %s

// The adjoint of a convolution by its image is a convolution of stride 1 by the turned kernel, its channels exchanged, group by group.
// CHECK-LABEL: @main
// CHECK-NOT: tcc.conv_transpose
// CHECK: "tcc.transpose"({{.*}}) {perm = array<i64: 0, 2, 1, 3, 4>}
// CHECK: "tcc.slice"({{.*}}) {starts = [0, 0, 2, 2], steps = array<i64: 1, 1, -1, -1>}
// CHECK: "tcc.conv"({{.*}}) {dilations = array<i64: 2, 1>, groups = 2 : i64, pads = array<i64: 3, 1, 3, 1>, strides = array<i64: 1, 1>}
// CHECK-SAME: -> tensor<?x6x9x?xf32, ["N", 6, 9, "W"]>
func.func @main(%x: tensor<?x6x9x?xf32, ["N", 6, 9, "W"]> {tcc.name = "x"}, %w: tensor<4x3x3x3xf32> {tcc.name = "w"}) -> (tensor<f32> {tcc.name = "loss"}) {
  %none = "tcc.none"() : () -> none
  %r = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 2, 1>, groups = 2 : i64} : (tensor<?x6x9x?xf32, ["N", 6, 9, "W"]>, tensor<4x3x3x3xf32>, none) -> tensor<?x4x7x?xf32, ["N", 4, 7, "W"]>
  %l = "tcc.reduce"(%r) {kind = "sum", axes = array<i64: 0, 1, 2, 3>, keepdims = false} : (tensor<?x4x7x?xf32, ["N", 4, 7, "W"]>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// With strides each remainder of a place has a part of the kernel: here taps 1 and taps 0, 2 of three, and their results interleave.
// CHECK-LABEL: @main
// CHECK-NOT: tcc.conv_transpose
// CHECK: %[[EVEN:.*]] = "tcc.slice"(%{{.*}}) {starts = [0, 0, 1], steps = array<i64: 1, 1, 1>} : (tensor<3x4x3xf32>) -> tensor<3x4x1xf32>
// CHECK: "tcc.conv"(%{{.*}}, %[[EVEN]], %{{.*}}) {{.*}}pads = array<i64: 0, 0>, strides = array<i64: 1>
// CHECK: %[[ODD:.*]] = "tcc.slice"(%{{.*}}) {starts = [0, 0, 2], steps = array<i64: 1, 1, -2>} : (tensor<3x4x3xf32>) -> tensor<3x4x2xf32>
// CHECK: "tcc.conv"(%{{.*}}, %[[ODD]], %{{.*}}) {{.*}}pads = array<i64: 0, 1>, strides = array<i64: 1>
// CHECK: "tcc.concat"
// CHECK-SAME: -> tensor<?x3x4x2xf32
func.func @main(%x: tensor<?x3x8xf32, ["N", 3, 8]> {tcc.name = "x"}, %w: tensor<4x3x3xf32> {tcc.name = "w"}) -> (tensor<f32> {tcc.name = "loss"}) {
  %none = "tcc.none"() : () -> none
  %r = "tcc.conv"(%x, %w, %none) {strides = array<i64: 2>, pads = array<i64: 1, 1>, dilations = array<i64: 1>} : (tensor<?x3x8xf32, ["N", 3, 8]>, tensor<4x3x3xf32>, none) -> tensor<?x4x4xf32, ["N", 4, 4]>
  %s = "tcc.mul"(%r, %r) : (tensor<?x4x4xf32, ["N", 4, 4]>, tensor<?x4x4xf32, ["N", 4, 4]>) -> tensor<?x4x4xf32, ["N", 4, 4]>
  %l = "tcc.reduce"(%s) {kind = "sum", axes = array<i64: 0, 1, 2>, keepdims = false} : (tensor<?x4x4xf32, ["N", 4, 4]>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// One tap: places without one are zeros, by a padding.
// CHECK-LABEL: @main
// CHECK-NOT: tcc.conv_transpose
// CHECK-NOT: tcc.concat
// CHECK: "tcc.pad"(%{{.*}}) {high = [0, 0, 0, 2]
// CHECK: "tcc.slice"(%{{.*}}) {starts = [0, 0, 0], steps = array<i64: 1, 1, 1>} : (tensor<?x3x9xf32
// CHECK-SAME: -> tensor<?x3x8xf32
func.func @main(%x: tensor<?x3x8xf32, ["N", 3, 8]> {tcc.name = "x"}, %w: tensor<4x3x1xf32> {tcc.name = "w"}) -> (tensor<f32> {tcc.name = "loss"}) {
  %none = "tcc.none"() : () -> none
  %r = "tcc.conv"(%x, %w, %none) {strides = array<i64: 3>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<?x3x8xf32, ["N", 3, 8]>, tensor<4x3x1xf32>, none) -> tensor<?x4x3xf32, ["N", 4, 3]>
  %s = "tcc.mul"(%r, %r) : (tensor<?x4x3xf32, ["N", 4, 3]>, tensor<?x4x3xf32, ["N", 4, 3]>) -> tensor<?x4x3xf32, ["N", 4, 3]>
  %l = "tcc.reduce"(%s) {kind = "sum", axes = array<i64: 0, 1, 2>, keepdims = false} : (tensor<?x4x3xf32, ["N", 4, 3]>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// Sizes that are symbols, with strides.
// CHECK-LABEL: @main
// CHECK: "tcc.conv_transpose"
func.func @main(%x: tensor<?x3x?xf32, ["N", 3, "W"]> {tcc.name = "x"}, %w: tensor<4x3x1xf32> {tcc.name = "w"}) -> (tensor<f32> {tcc.name = "loss"}) {
  %none = "tcc.none"() : () -> none
  %r = "tcc.conv"(%x, %w, %none) {strides = array<i64: 3>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<?x3x?xf32, ["N", 3, "W"]>, tensor<4x3x1xf32>, none) -> tensor<?x4x?xf32, ["N", 4, "floordiv(W + 2, 3)"]>
  %l = "tcc.reduce"(%r) {kind = "sum", axes = array<i64: 0, 1, 2>, keepdims = false} : (tensor<?x4x?xf32, ["N", 4, "floordiv(W + 2, 3)"]>) -> tensor<f32>
  return %l : tensor<f32>
}
