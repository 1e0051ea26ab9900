// Channels side by side from convolution to convolution; what the module is given, gives back, or a kernel reads that goes through memory in one order alone
// keeps its layout, and a convolution gets a copy.
// RUN: tcc-opt %s --split-input-file --target=nvptx,sm_90a --tcc-channels-last --verify-each | FileCheck %s
// RUN: tcc-opt %s --split-input-file --target=nvptx,sm_75 --tcc-channels-last | FileCheck %s --check-prefix=OTHER
// OTHER-NOT: last

// An input is copied, weights of one place stay, those of nine are turned; sums in between and what is added to them follow; the result stays.
// CHECK: func.func private @[[TURN:channels_last[0-9]]](%arg0: tensor<2x64x8x8xf16>) -> tensor<2x8x8x64xf16>
// CHECK: func.func private @[[ONE:one_last[0-9]]](%{{.*}}: tensor<2x8x8x64xf16>, %{{.*}}: tensor<64x64x1x1xf16>) -> tensor<2x8x8x64xf16>
// CHECK-DAG: "tcc.transpose"(%{{.*}}) {perm = array<i64: 0, 3, 1, 2>}
// CHECK: "tcc.conv"
// CHECK-NEXT: "tcc.transpose"(%{{.*}}) {perm = array<i64: 0, 2, 3, 1>}
// CHECK-NOT: @one(
// CHECK: @sum_last{{[0-9]}}(%arg0: tensor<2x8x8x64xf16>, %arg1: tensor<64x3x3x64xf16>, %arg2: tensor<2x8x8x64xf16>) -> tensor<2x8x8x64xf16>
// CHECK: @sum_last{{[0-9]}}(%arg0: tensor<2x8x8x64xf16>, %arg1: tensor<64x3x3x64xf16>, %arg2: tensor<2x8x8x64xf16>) -> tensor<2x64x8x8xf16>
// CHECK: func.func private @layer(%arg0: tensor<2x8x8x64xf16>, %{{.*}}: tensor<64x64x3x3xf16>) -> tensor<2x8x8x64xf16>
// CHECK: call @channels_last{{[0-9]}}(%{{.*}}) {tcc.why = ["channels side by side, as they are copied"]} : (tensor<64x64x3x3xf16>) -> tensor<64x3x3x64xf16>
// CHECK: func.func @main(%arg0: tensor<2x64x8x8xf16>
// CHECK: %[[X:.*]] = call @[[TURN:channels_last[0-9]]](%arg0)
// CHECK: %[[A:.*]] = call @[[ONE]](%[[X]], %arg1)
// CHECK: %[[L:.*]] = call @layer(%[[A]], %arg2) : (tensor<2x8x8x64xf16>, tensor<64x64x3x3xf16>) -> tensor<2x8x8x64xf16>
// CHECK: call @sum_last{{[0-9]}}(%[[L]], %{{.*}}, %[[L]]) : ({{.*}}) -> tensor<2x64x8x8xf16>
func.func private @one(%x: tensor<2x64x8x8xf16>, %w: tensor<64x64x1x1xf16>) -> tensor<2x64x8x8xf16> attributes {tcc.kernel = "conv"} {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x64x8x8xf16>, tensor<64x64x1x1xf16>, none) -> tensor<2x64x8x8xf16>
  return %0 : tensor<2x64x8x8xf16>
}
func.func private @sum(%x: tensor<2x64x8x8xf16>, %w: tensor<64x64x3x3xf16>, %y: tensor<2x64x8x8xf16>) -> tensor<2x64x8x8xf16> attributes {tcc.kernel = "conv"} {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x64x8x8xf16>, tensor<64x64x3x3xf16>, none) -> tensor<2x64x8x8xf16>
  %1 = "tcc.add"(%0, %y) : (tensor<2x64x8x8xf16>, tensor<2x64x8x8xf16>) -> tensor<2x64x8x8xf16>
  return %1 : tensor<2x64x8x8xf16>
}
func.func private @layer(%x: tensor<2x64x8x8xf16>, %w: tensor<64x64x3x3xf16>) -> tensor<2x64x8x8xf16> {
  %0 = call @sum(%x, %w, %x) : (tensor<2x64x8x8xf16>, tensor<64x64x3x3xf16>, tensor<2x64x8x8xf16>) -> tensor<2x64x8x8xf16>
  return %0 : tensor<2x64x8x8xf16>
}
func.func @main(%x: tensor<2x64x8x8xf16>, %v: tensor<64x64x1x1xf16>, %w: tensor<64x64x3x3xf16>) -> tensor<2x64x8x8xf16> {
  %0 = call @one(%x, %v) : (tensor<2x64x8x8xf16>, tensor<64x64x1x1xf16>) -> tensor<2x64x8x8xf16>
  %1 = call @layer(%0, %w) : (tensor<2x64x8x8xf16>, tensor<64x64x3x3xf16>) -> tensor<2x64x8x8xf16>
  %2 = call @sum(%1, %w, %1) : (tensor<2x64x8x8xf16>, tensor<64x64x3x3xf16>, tensor<2x64x8x8xf16>) -> tensor<2x64x8x8xf16>
  return %2 : tensor<2x64x8x8xf16>
}

// -----

// One channel, groups, f32 whose products must be exact: nothing moves.
// CHECK: @single(
// CHECK: @grouped(
// CHECK: @floats(
// CHECK: @main(
// CHECK: call @single
// CHECK-NEXT: call @grouped
// CHECK-NEXT: call @floats
func.func private @single(%x: tensor<2x1x8x8xf16>, %w: tensor<64x1x3x3xf16>) -> tensor<2x64x8x8xf16> attributes {tcc.kernel = "conv"} {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x1x8x8xf16>, tensor<64x1x3x3xf16>, none) -> tensor<2x64x8x8xf16>
  return %0 : tensor<2x64x8x8xf16>
}
func.func private @grouped(%x: tensor<2x64x8x8xf16>, %w: tensor<64x8x3x3xf16>) -> tensor<2x64x8x8xf16> attributes {tcc.kernel = "conv"} {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 8 : i64} : (tensor<2x64x8x8xf16>, tensor<64x8x3x3xf16>, none) -> tensor<2x64x8x8xf16>
  return %0 : tensor<2x64x8x8xf16>
}
func.func private @floats(%x: tensor<2x64x8x8xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<2x64x8x8xf32> attributes {tcc.kernel = "conv", tcc.numerics = "direct"} {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x64x8x8xf32>, tensor<64x64x3x3xf32>, none) -> tensor<2x64x8x8xf32>
  return %0 : tensor<2x64x8x8xf32>
}
func.func @main(%x: tensor<2x1x8x8xf16>, %w: tensor<64x1x3x3xf16>, %v: tensor<64x8x3x3xf16>, %y: tensor<2x64x8x8xf32>, %u: tensor<64x64x3x3xf32>) -> (tensor<2x64x8x8xf16>, tensor<2x64x8x8xf32>) {
  %0 = call @single(%x, %w) : (tensor<2x1x8x8xf16>, tensor<64x1x3x3xf16>) -> tensor<2x64x8x8xf16>
  %1 = call @grouped(%0, %v) : (tensor<2x64x8x8xf16>, tensor<64x8x3x3xf16>) -> tensor<2x64x8x8xf16>
  %2 = call @floats(%y, %u) : (tensor<2x64x8x8xf32>, tensor<64x64x3x3xf32>) -> tensor<2x64x8x8xf32>
  return %1, %2 : tensor<2x64x8x8xf16>, tensor<2x64x8x8xf32>
}

// -----

// Three channels get zeros behind them: five of 16 bits, one of 32.
// CHECK: func.func private @[[X:channels_last[0-9]]](%arg0: tensor<2x3x8x8xf16>) -> tensor<2x8x8x8xf16>
// CHECK: "tcc.pad"
// CHECK-NEXT: "tcc.transpose"
// CHECK: @[[W:channels_last[0-9]]](%arg0: tensor<64x3x3x3xf16>) -> tensor<64x3x3x8xf16>
// CHECK: @[[K:three_last[0-9]]](%arg0: tensor<2x8x8x8xf16>, %arg1: tensor<64x3x3x8xf16>) -> tensor<2x64x8x8xf16>
// CHECK: "tcc.conv"(%{{.*}}) {{.*}} : (tensor<2x8x8x8xf16>, tensor<64x8x3x3xf16>, none) -> tensor<2x64x8x8xf16>
// CHECK: -> tensor<2x8x8x4xf32>
// CHECK: @floats_last{{[0-9]}}(%arg0: tensor<2x8x8x4xf32>, %arg1: tensor<64x3x3x4xf32>) -> tensor<2x64x8x8xf32>
// CHECK: call @[[K]](
func.func private @three(%x: tensor<2x3x8x8xf16>, %w: tensor<64x3x3x3xf16>) -> tensor<2x64x8x8xf16> attributes {tcc.kernel = "conv"} {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x3x8x8xf16>, tensor<64x3x3x3xf16>, none) -> tensor<2x64x8x8xf16>
  return %0 : tensor<2x64x8x8xf16>
}
func.func private @floats(%x: tensor<2x3x8x8xf32>, %w: tensor<64x3x3x3xf32>) -> tensor<2x64x8x8xf32> attributes {tcc.kernel = "conv"} {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x3x8x8xf32>, tensor<64x3x3x3xf32>, none) -> tensor<2x64x8x8xf32>
  return %0 : tensor<2x64x8x8xf32>
}
func.func @main(%x: tensor<2x3x8x8xf16>, %w: tensor<64x3x3x3xf16>, %y: tensor<2x3x8x8xf32>, %u: tensor<64x3x3x3xf32>) -> (tensor<2x64x8x8xf16>, tensor<2x64x8x8xf32>) {
  %0 = call @three(%x, %w) : (tensor<2x3x8x8xf16>, tensor<64x3x3x3xf16>) -> tensor<2x64x8x8xf16>
  %1 = call @floats(%y, %u) : (tensor<2x3x8x8xf32>, tensor<64x3x3x3xf32>) -> tensor<2x64x8x8xf32>
  return %0, %1 : tensor<2x64x8x8xf16>, tensor<2x64x8x8xf32>
}
