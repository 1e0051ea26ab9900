// RUN: tcc-opt %s --split-input-file --tcc-block-layout=lanes=8 --verify-each | FileCheck %s

// One reorder on the way in, one on the way out; the gate of a channel and the mean stay in blocks.
// CHECK-LABEL: @gate
// CHECK: "tcc.transpose"(%{{.*}}) {perm = array<i64: 0, 1, 3, 4, 2>} : (tensor<?x2x8x5x6xf32, ["N", 2, 8, 5, 6]>)
// CHECK: %[[A:.*]] = "tcc.conv_blocked"({{.*}}tensor<1x2x1x1x8x16xf32>, tensor<16xf32>) -> tensor<?x2x5x6x8xf32, ["N", 2, 5, 6, 8]>
// CHECK: %[[M:.*]] = "tcc.mean"(%[[A]]) {{.*}} -> tensor<?x2x1x1x8xf32, ["N", 2, 1, 1, 8]>
// CHECK: %[[P:.*]] = "tcc.mul"(%[[A]], %[[M]])
// CHECK: %[[T:.*]] = "tcc.transpose"(%[[P]]) {perm = array<i64: 0, 1, 4, 2, 3>}
// CHECK: %[[R:.*]] = "tcc.reshape"(%[[T]])
// CHECK: %[[S:.*]] = "tcc.slice"(%[[R]])
// CHECK: return %[[S]]
func.func @gate(%x: tensor<?x16x5x6xf32, ["N", 16, 5, 6]>) -> tensor<?x12x5x6xf32, ["N", 12, 5, 6]> {
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 768 : i64} : () -> tensor<12x16x1x1xf32>
  %b = "tcc.weight"() {name = "b", source = 0 : i64, offset = 768 : i64, length = 48 : i64} : () -> tensor<12xf32>
  %0 = "tcc.conv"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x16x5x6xf32, ["N", 16, 5, 6]>, tensor<12x16x1x1xf32>, tensor<12xf32>) -> tensor<?x12x5x6xf32, ["N", 12, 5, 6]>
  %1 = "tcc.mean"(%0) {axes = array<i64: 2, 3>, keepdims = true} : (tensor<?x12x5x6xf32, ["N", 12, 5, 6]>) -> tensor<?x12x1x1xf32, ["N", 12, 1, 1]>
  %2 = "tcc.mul"(%0, %1) : (tensor<?x12x5x6xf32, ["N", 12, 5, 6]>, tensor<?x12x1x1xf32, ["N", 12, 1, 1]>) -> tensor<?x12x5x6xf32, ["N", 12, 5, 6]>
  return %2 : tensor<?x12x5x6xf32, ["N", 12, 5, 6]>
}

// -----

// A number for each image (stochastic depth) stays one in blocks.
// CHECK-LABEL: @per_image
// CHECK: %[[A:.*]] = "tcc.conv_blocked"
// CHECK: %[[M:.*]] = "tcc.reshape"(%arg1) : (tensor<?x1x1x1xf32, ["N", 1, 1, 1]>) -> tensor<?x1x1x1x1xf32, ["N", 1, 1, 1, 1]>
// CHECK: "tcc.mul"(%[[A]], %[[M]])
func.func @per_image(%x: tensor<?x16x9x7xf32, ["N", 16, 9, 7]>, %m: tensor<?x1x1x1xf32, ["N", 1, 1, 1]>) -> tensor<?x16x9x7xf32, ["N", 16, 9, 7]> {
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 9216 : i64} : () -> tensor<16x16x3x3xf32>
  %b = "tcc.none"() : () -> none
  %0 = "tcc.conv"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x16x9x7xf32, ["N", 16, 9, 7]>, tensor<16x16x3x3xf32>, none) -> tensor<?x16x9x7xf32, ["N", 16, 9, 7]>
  %1 = "tcc.mul"(%0, %m) : (tensor<?x16x9x7xf32, ["N", 16, 9, 7]>, tensor<?x1x1x1xf32, ["N", 1, 1, 1]>) -> tensor<?x16x9x7xf32, ["N", 16, 9, 7]>
  return %1 : tensor<?x16x9x7xf32, ["N", 16, 9, 7]>
}

// -----

// Weights that a call may change are packed in each call, which few positions do not pay for: 30 of one tap,
// CHECK-LABEL: @general
// CHECK-NOT: conv_blocked
func.func @general(%x: tensor<1x16x5x6xf32>, %w: tensor<16x16x1x1xf32>) -> tensor<1x16x5x6xf32> {
  %b = "tcc.none"() : () -> none
  %0 = "tcc.conv"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x16x5x6xf32>, tensor<16x16x1x1xf32>, none) -> tensor<1x16x5x6xf32>
  return %0 : tensor<1x16x5x6xf32>
}

// -----

// or 121 of nine taps;
// CHECK-LABEL: @window
// CHECK-NOT: conv_blocked
func.func @window(%x: tensor<1x16x11x11xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<1x16x11x11xf32> {
  %b = "tcc.none"() : () -> none
  %0 = "tcc.conv"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x16x11x11xf32>, tensor<16x16x3x3xf32>, none) -> tensor<1x16x11x11xf32>
  return %0 : tensor<1x16x11x11xf32>
}

// -----

// more of them do.
// CHECK-LABEL: @pixels
// CHECK: "tcc.conv_blocked"
func.func @pixels(%x: tensor<1x16x4x8xf32>, %w: tensor<16x16x1x1xf32>) -> tensor<1x16x4x8xf32> {
  %b = "tcc.none"() : () -> none
  %0 = "tcc.conv"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x16x4x8xf32>, tensor<16x16x1x1xf32>, none) -> tensor<1x16x4x8xf32>
  return %0 : tensor<1x16x4x8xf32>
}

// -----

// CHECK-LABEL: @windows
// CHECK: "tcc.conv_blocked"
func.func @windows(%x: tensor<1x16x12x11xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<1x16x12x11xf32> {
  %b = "tcc.none"() : () -> none
  %0 = "tcc.conv"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x16x12x11xf32>, tensor<16x16x3x3xf32>, none) -> tensor<1x16x12x11xf32>
  return %0 : tensor<1x16x12x11xf32>
}

// -----

// An image of any height; a transposed convolution whose rows are a number more than the image's. A phase has two of the kernel's four
// rows and columns: its window has no third one of zeros, but the second phase's begins a row, a column further on.
// CHECK-LABEL: @dynamic
// CHECK: "tcc.conv_blocked"({{.*}}) -> tensor<1x2x?x6x8xf32, [1, 2, "H", 6, 8]>
// CHECK: "tcc.conv_blocked"({{.*}}pads = array<i64: 1, 1, 0, 0>, phases_h = 2 : i64, phases_w = 2 : i64, shift_h = 1 : i64, shift_w = 1 : i64{{.*}}tensor<4x2x2x2x8x16xf32>{{.*}}) -> tensor<1x2x?x12x8xf32, [1, 2, "2*H", 12, 8]>
func.func @dynamic(%y: tensor<1x16x?x6xf32, [1, 16, "H", 6]>) -> tensor<1x16x?x12xf32, [1, 16, "2*H", 12]> {
  %b = "tcc.none"() : () -> none
  %v = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 1024 : i64} : () -> tensor<16x16x1x1xf32>
  %u = "tcc.weight"() {name = "u", source = 0 : i64, offset = 1024 : i64, length = 16384 : i64} : () -> tensor<16x16x4x4xf32>
  %0 = "tcc.conv"(%y, %v, %b) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x16x?x6xf32, [1, 16, "H", 6]>, tensor<16x16x1x1xf32>, none) -> tensor<1x16x?x6xf32, [1, 16, "H", 6]>
  %1 = "tcc.conv_transpose"(%0, %u, %b) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x16x?x6xf32, [1, 16, "H", 6]>, tensor<16x16x4x4xf32>, none) -> tensor<1x16x?x12xf32, [1, 16, "2*H", 12]>
  return %1 : tensor<1x16x?x12xf32, [1, 16, "2*H", 12]>
}

// -----

// A transposed convolution of stride 2 is four products whose results are interleaved where they are stored; with a window of
// three and padding one it has two taps a phase, the last of which first, and a row and a column too many, which are cut off.
// CHECK-LABEL: @transposed
// CHECK: %[[A:.*]] = "tcc.conv_blocked"({{.*}}pads = array<i64: 0, 0, 0, 0>, phases_h = 2 : i64, phases_w = 2 : i64, {{.*}}tensor<4x2x1x1x8x16xf32>, {{.*}}) -> tensor<1x2x10x12x8xf32>
// CHECK: "tcc.slice"({{.*}}) {starts = [0, 0, 0, 0, 1, 0, 1, 0], steps = array<i64: 1, 1, 1, 1, -1, 1, -1, 1>}
// CHECK: %[[B:.*]] = "tcc.conv_blocked"({{.*}}pads = array<i64: 0, 0, 1, 1>, phases_h = 2 : i64, phases_w = 2 : i64, {{.*}}tensor<4x2x2x2x8x16xf32>, {{.*}}) -> tensor<1x2x20x24x8xf32>
// CHECK: %[[C:.*]] = "tcc.slice"(%[[B]]) {{.*}} -> tensor<1x2x19x23x8xf32>
// CHECK-NOT: tcc.conv_transpose
func.func @transposed(%x: tensor<1x16x5x6xf32>) -> tensor<1x16x19x23xf32> {
  %b = "tcc.none"() : () -> none
  %v = "tcc.weight"() {name = "v", source = 0 : i64, offset = 0 : i64, length = 4096 : i64} : () -> tensor<16x16x2x2xf32>
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 9216 : i64} : () -> tensor<16x16x3x3xf32>
  %0 = "tcc.conv_transpose"(%x, %v, %b) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 0>, groups = 1 : i64} : (tensor<1x16x5x6xf32>, tensor<16x16x2x2xf32>, none) -> tensor<1x16x10x12xf32>
  %1 = "tcc.conv_transpose"(%0, %w, %b) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 0>, groups = 1 : i64} : (tensor<1x16x10x12xf32>, tensor<16x16x3x3xf32>, none) -> tensor<1x16x19x23xf32>
  return %1 : tensor<1x16x19x23xf32>
}

// -----

// A transposed convolution into one channel: its four phases are channels of a convolution, of which one block is made.
// CHECK-LABEL: @phases
// CHECK: "tcc.conv_blocked"({{.*}}out_channels = 4 : i64{{.*}}) -> tensor<1x1x6x7x8xf32>
// CHECK: "tcc.transpose"({{.*}}) {perm = array<i64: 0, 1, 4, 2, 5, 3>} : (tensor<1x1x2x2x6x7xf32>) -> tensor<1x1x6x2x7x2xf32>
// CHECK: "tcc.sigmoid"({{.*}}) : (tensor<1x1x12x14xf32>)
func.func @phases(%x: tensor<1x16x6x7xf32>) -> tensor<1x1x12x14xf32> {
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 256 : i64} : () -> tensor<16x1x2x2xf32>
  %b = "tcc.none"() : () -> none
  %0 = "tcc.conv_transpose"(%x, %w, %b) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x16x6x7xf32>, tensor<16x1x2x2xf32>, none) -> tensor<1x1x12x14xf32>
  %1 = "tcc.sigmoid"(%0) : (tensor<1x1x12x14xf32>) -> tensor<1x1x12x14xf32>
  return %1 : tensor<1x1x12x14xf32>
}

// -----

// The phases of each group are channels of its own.
// CHECK-LABEL: @phases_of_groups
// CHECK: "tcc.conv_blocked"({{.*}}groups = 2 : i64{{.*}}out_channels = 32 : i64{{.*}}tensor<2x1x1x1x8x16xf32>
// CHECK: "tcc.transpose"({{.*}}) {perm = array<i64: 0, 1, 4, 2, 5, 3>} : (tensor<1x8x2x2x6x7xf32>) -> tensor<1x8x6x2x7x2xf32>
func.func @phases_of_groups(%x: tensor<1x16x6x7xf32>) -> tensor<1x8x12x14xf32> {
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 512 : i64} : () -> tensor<16x2x2x2xf32>
  %b = "tcc.none"() : () -> none
  %0 = "tcc.conv_transpose"(%x, %w, %b) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 4 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x16x6x7xf32>, tensor<16x2x2x2xf32>, none) -> tensor<1x8x12x14xf32>
  return %0 : tensor<1x8x12x14xf32>
}

// -----

// Phases of which each has two taps of a window of three an axis: windows of two, one row and column more, cropped where the phases are
// put beside each other. One tap of two with strides of three. A result of one row keeps the window of three.
// CHECK-LABEL: @phases_cropped
// CHECK: "tcc.conv_blocked"({{.*}}out_channels = 12 : i64, pads = array<i64: 1, 1, 1, 1>{{.*}}tensor<1x2x2x2x8x16xf32>{{.*}}) -> tensor<1x2x?x8x8xf32, [1, 2, "H + 1", 8, 8]>
// CHECK: "tcc.slice"({{.*}}) {starts = [0, 0, 1, 1], steps = array<i64: 1, 1, 1, 1>} : (tensor<1x3x?x16xf32, [1, 3, "2*H + 2", 16]>) -> tensor<1x3x?x14xf32, [1, 3, "2*H", 14]>
// CHECK: "tcc.conv_blocked"({{.*}}out_channels = 9 : i64, pads = array<i64: 0, 0, 0, 0>{{.*}}tensor<1x2x1x1x8x16xf32>{{.*}}) -> tensor<1x2x6x7x8xf32>
// CHECK: "tcc.slice"({{.*}}) {starts = [0, 0, 1, 1], steps = array<i64: 1, 1, 1, 1>} : (tensor<1x1x18x21xf32>) -> tensor<1x1x16x19xf32>
// CHECK: "tcc.conv_blocked"({{.*}}out_channels = 4 : i64, pads = array<i64: 1, 1, 1, 1>{{.*}}tensor<1x2x3x2x8x8xf32>{{.*}}) -> tensor<1x1x1x8x8xf32>
func.func @phases_cropped(%x: tensor<1x16x?x7xf32, [1, 16, "H", 7]>, %y: tensor<1x16x6x7xf32>, %z: tensor<1x16x1x7xf32>) -> (tensor<1x3x?x14xf32, [1, 3, "2*H", 14]>, tensor<1x1x16x19xf32>, tensor<1x1x2x14xf32>) {
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 3072 : i64} : () -> tensor<16x3x4x4xf32>
  %v = "tcc.weight"() {name = "v", source = 0 : i64, offset = 0 : i64, length = 576 : i64} : () -> tensor<16x1x3x3xf32>
  %u = "tcc.weight"() {name = "u", source = 0 : i64, offset = 0 : i64, length = 1024 : i64} : () -> tensor<16x1x4x4xf32>
  %b = "tcc.none"() : () -> none
  %0 = "tcc.conv_transpose"(%x, %w, %b) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x16x?x7xf32, [1, 16, "H", 7]>, tensor<16x3x4x4xf32>, none) -> tensor<1x3x?x14xf32, [1, 3, "2*H", 14]>
  %1 = "tcc.conv_transpose"(%y, %v, %b) {strides = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x16x6x7xf32>, tensor<16x1x3x3xf32>, none) -> tensor<1x1x16x19xf32>
  %2 = "tcc.conv_transpose"(%z, %u, %b) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x16x1x7xf32>, tensor<16x1x4x4xf32>, none) -> tensor<1x1x2x14xf32>
  return %0, %1, %2 : tensor<1x3x?x14xf32, [1, 3, "2*H", 14]>, tensor<1x1x16x19xf32>, tensor<1x1x2x14xf32>
}

// -----

// A resize between convolutions works on blocks; one that only the caller reads is plain.
// CHECK-LABEL: @resized
// CHECK: "tcc.resize"({{.*}}scales = dense<[1.000000e+00, 1.000000e+00, 2.000000e+00, 2.000000e+00, 1.000000e+00]> : tensor<5xf64>{{.*}} : (tensor<1x2x6x7x8xf32>) -> tensor<1x2x12x14x8xf32>
// CHECK: "tcc.relu"({{.*}}) : (tensor<1x2x12x14x8xf32>)
// CHECK: "tcc.resize"({{.*}} : (tensor<1x16x12x14xf32>) -> tensor<1x16x24x28xf32>
func.func @resized(%x: tensor<1x16x6x7xf32>) -> tensor<1x16x24x28xf32> {
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 1024 : i64} : () -> tensor<16x16x1x1xf32>
  %b = "tcc.none"() : () -> none
  %0 = "tcc.conv"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x16x6x7xf32>, tensor<16x16x1x1xf32>, none) -> tensor<1x16x6x7xf32>
  %1 = "tcc.resize"(%0) {mode = "nearest", coordinates = "asymmetric", nearest = "floor", scales = dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf64>, roi = dense<> : tensor<0xf64>} : (tensor<1x16x6x7xf32>) -> tensor<1x16x12x14xf32>
  %2 = "tcc.relu"(%1) : (tensor<1x16x12x14xf32>) -> tensor<1x16x12x14xf32>
  %3 = "tcc.resize"(%2) {mode = "nearest", coordinates = "asymmetric", nearest = "floor", scales = dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf64>, roi = dense<> : tensor<0xf64>} : (tensor<1x16x12x14xf32>) -> tensor<1x16x24x28xf32>
  return %3 : tensor<1x16x24x28xf32>
}

// -----

// Statistics of a batch are taken of blocks.
// CHECK-LABEL: @statistics
// CHECK: %[[A:.*]] = "tcc.conv_blocked"
// CHECK: %[[M:.*]] = "tcc.mean"(%[[A]]) {axes = array<i64: 0, 2, 3>, keepdims = true} : (tensor<4x2x9x8x8xf32>) -> tensor<1x2x1x1x8xf32>
// CHECK: "tcc.sub"(%[[A]], %[[M]])
func.func @statistics(%x: tensor<4x16x9x8xf32>, %w: tensor<16x16x1x1xf32>) -> tensor<4x16x9x8xf32> {
  %b = "tcc.none"() : () -> none
  %0 = "tcc.conv"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<4x16x9x8xf32>, tensor<16x16x1x1xf32>, none) -> tensor<4x16x9x8xf32>
  %1 = "tcc.mean"(%0) {axes = array<i64: 0, 2, 3>, keepdims = true} : (tensor<4x16x9x8xf32>) -> tensor<1x16x1x1xf32>
  %2 = "tcc.sub"(%0, %1) : (tensor<4x16x9x8xf32>, tensor<1x16x1x1xf32>) -> tensor<4x16x9x8xf32>
  return %2 : tensor<4x16x9x8xf32>
}

// -----

// CHECK-LABEL: @statistics_of_lines
// CHECK: %[[A:.*]] = "tcc.conv_blocked"
// CHECK: "tcc.mean"(%[[A]]) {axes = array<i64: 0, 3>, keepdims = true} : (tensor<4x2x1x72x8xf32>) -> tensor<1x2x1x1x8xf32>
func.func @statistics_of_lines(%x: tensor<4x16x72xf32>) -> tensor<1x16x1xf32> {
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 1024 : i64} : () -> tensor<16x16x1xf32>
  %b = "tcc.none"() : () -> none
  %0 = "tcc.conv"(%x, %w, %b) {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<4x16x72xf32>, tensor<16x16x1xf32>, none) -> tensor<4x16x72xf32>
  %1 = "tcc.mean"(%0) {axes = array<i64: 0, 2>, keepdims = true} : (tensor<4x16x72xf32>) -> tensor<1x16x1xf32>
  return %1 : tensor<1x16x1xf32>
}

// -----

// A window that covers the image and has 8192 places is a product, whose sums begin anew; with 4096 it is a convolution on blocks.
// CHECK-LABEL: @deep_place
// CHECK: "tcc.conv_blocked"{{.*}}channels = 512
// CHECK: "tcc.dot_general"(%{{.*}}, %{{.*}}) {{.*}}(tensor<1x8192xf32>, tensor<32x8192xf32>)
func.func @deep_place(%x: tensor<1x512x4x4xf32>, %y: tensor<1x512x2x4xf32>) -> (tensor<1x32x1x1xf32>, tensor<1x32x1x1xf32>) {
  %b = "tcc.none"() : () -> none
  %v = "tcc.weight"() {name = "v", source = 0, offset = 0, length = 524288} : () -> tensor<32x512x2x4xf32>
  %w = "tcc.weight"() {name = "w", source = 0, offset = 524288, length = 1048576} : () -> tensor<32x512x4x4xf32>
  %0 = "tcc.conv"(%y, %v, %b) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x512x2x4xf32>, tensor<32x512x2x4xf32>, none) -> tensor<1x32x1x1xf32>
  %1 = "tcc.conv"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x512x4x4xf32>, tensor<32x512x4x4xf32>, none) -> tensor<1x32x1x1xf32>
  return %0, %1 : tensor<1x32x1x1xf32>, tensor<1x32x1x1xf32>
}

// -----

// A window that covers the whole image is a product, if its weights are not worth packing; with a stride, which there is nothing to step to.
// CHECK-LABEL: @one_place
// CHECK: %[[X:.*]] = "tcc.reshape"(%arg0) : (tensor<8x16x2x3xf32>) -> tensor<8x96xf32>
// CHECK: %[[W:.*]] = "tcc.reshape"(%arg1) : (tensor<12x16x2x3xf32>) -> tensor<12x96xf32>
// CHECK: %[[P:.*]] = "tcc.dot_general"(%[[X]], %[[W]]) {lhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 1>}
// CHECK: %[[B:.*]] = "tcc.add"(%[[P]], %arg2)
// CHECK: %[[R:.*]] = "tcc.reshape"(%[[B]]) : (tensor<8x12xf32>) -> tensor<8x12x1x1xf32>
// CHECK: return %[[R]]
func.func @one_place(%x: tensor<8x16x2x3xf32>, %w: tensor<12x16x2x3xf32>, %b: tensor<12xf32>) -> tensor<8x12x1x1xf32> {
  %0 = "tcc.conv"(%x, %w, %b) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<8x16x2x3xf32>, tensor<12x16x2x3xf32>, tensor<12xf32>) -> tensor<8x12x1x1xf32>
  return %0 : tensor<8x12x1x1xf32>
}
