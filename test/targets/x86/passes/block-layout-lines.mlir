// RUN: tcc-opt %s --split-input-file --tcc-block-layout=lanes=8 --verify-each | FileCheck %s

// Two convolutions of a line with an activation between them: one reorder on the way in, one on the way out.
// CHECK-LABEL: @line
// CHECK: "tcc.conv_blocked"({{.*}}) -> tensor<1x2x1x?x8xf32, [1, 2, 1, "W", 8]>
// CHECK-NOT: transpose
// CHECK: "tcc.relu"({{.*}}tensor<1x2x1x?x8xf32, [1, 2, 1, "W", 8]>
// CHECK-NOT: perm = array<i64: 0, 1, 3, 4, 2>
// CHECK: "tcc.conv_blocked"({{.*}}) -> tensor<1x2x1x?x8xf32, [1, 2, 1, "W", 8]>
func.func @line(%x: tensor<1x16x?xf32, [1, 16, "W"]>) -> tensor<1x16x?xf32, [1, 16, "W"]> {
  %b = "tcc.none"() : () -> none
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 3072 : i64} : () -> tensor<16x16x3xf32>
  %0 = "tcc.conv"(%x, %w, %b) {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x16x?xf32, [1, 16, "W"]>, tensor<16x16x3xf32>, none) -> tensor<1x16x?xf32, [1, 16, "W"]>
  %1 = "tcc.relu"(%0) : (tensor<1x16x?xf32, [1, 16, "W"]>) -> tensor<1x16x?xf32, [1, 16, "W"]>
  %2 = "tcc.conv"(%1, %w, %b) {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x16x?xf32, [1, 16, "W"]>, tensor<16x16x3xf32>, none) -> tensor<1x16x?xf32, [1, 16, "W"]>
  return %2 : tensor<1x16x?xf32, [1, 16, "W"]>
}

// -----

// An image of one column is one of one row.
// CHECK-LABEL: @column
// CHECK: "tcc.conv_blocked"({{.*}}pads = array<i64: 0, 0, 0, 4>{{.*}}) -> tensor<1x2x1x90x8xf32>
func.func @column(%x: tensor<1x16x90x1xf32>) -> tensor<1x16x90x1xf32> {
  %b = "tcc.none"() : () -> none
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 5120 : i64} : () -> tensor<16x16x5x1xf32>
  %0 = "tcc.conv"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 4, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x16x90x1xf32>, tensor<16x16x5x1xf32>, none) -> tensor<1x16x90x1xf32>
  return %0 : tensor<1x16x90x1xf32>
}

// -----

// Eight neighbours of a result with one channel: a window of 9 + 7 * 2 numbers every 16.
// CHECK-LABEL: @narrow
// CHECK: "tcc.conv_blocked"({{.*}}pads = array<i64: 0, 4, 0, 18>, strides = array<i64: 1, 16>{{.*}}tensor<1x1x1x23x1x8xf32>{{.*}}) -> tensor<1x1x1x63x8xf32>
// CHECK: "tcc.slice"
func.func @narrow(%x: tensor<1x1x1000xf32>) -> tensor<1x1x500xf32> {
  %b = "tcc.none"() : () -> none
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 36 : i64} : () -> tensor<1x1x9xf32>
  %0 = "tcc.conv"(%x, %w, %b) {strides = array<i64: 2>, pads = array<i64: 4, 4>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x1x1000xf32>, tensor<1x1x9xf32>, none) -> tensor<1x1x500xf32>
  return %0 : tensor<1x1x500xf32>
}
