// RUN: tcc-opt --target=x86,avx512 --pass-pipeline="tcc-fuse-depth-first,tcc-verify" %s | FileCheck %s
// REQUIRES: avx512

// A layer that widens, a depthwise one and one that narrows with a residual: one kernel for the two places that have it.
// CHECK: func.func private @wide
// CHECK-NOT: func.func private @narrow
// CHECK: func.func private @depth_first1(%{{.*}}: tensor<1x2x56x56x16xf32>, %[[W:[^:]*]]: tensor<1x2x1x1x16x96xf32>, %[[V:[^:]*]]: tensor<6x3x3x16xf32>, %[[U:[^:]*]]: tensor<1x6x1x1x16x32xf32>, %[[X:[^:]*]]: tensor<1x2x56x56x16xf32>) -> tensor<1x2x56x56x16xf32> attributes {tcc.kernel = "conv", tcc.stable = array<i64: 1, 2, 3>}
// CHECK: tcc.conv_blocked
// CHECK: tcc.relu
// CHECK: tcc.conv_blocked
// CHECK: tcc.relu
// CHECK: %[[C:.*]] = "tcc.conv_blocked"
// CHECK: %[[R:.*]] = "tcc.add"(%[[C]], %[[X]])
// CHECK: return %[[R]]
// CHECK: func.func @main(%[[IN:.*]]: tensor<1x2x56x56x16xf32>,
// CHECK: %[[A:.*]] = call @depth_first1(%[[IN]], %[[W:.*]], %[[V:.*]], %[[U:.*]], %[[IN]])
// CHECK: %[[B:.*]] = call @depth_first1(%[[A]], %[[W]], %[[V]], %[[U]], %[[A]])
// What somebody else reads as well stays.
// CHECK: %[[E:.*]] = call @wide(%[[B]], %[[W]])
// CHECK: %[[D:.*]] = call @deep(%[[E]], %[[V]])
// CHECK: return %[[B]], %[[E]], %[[D]]
module {
  func.func private @wide(%x: tensor<1x2x56x56x16xf32>, %w: tensor<1x2x1x1x16x96xf32>) -> tensor<1x6x56x56x16xf32> attributes {tcc.kernel = "conv", tcc.stable = array<i64: 1>} {
    %none = "tcc.none"() : () -> none
    %0 = "tcc.conv_blocked"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, channels = 32 : i64, out_channels = 96 : i64, groups = 1 : i64, lanes = 16 : i64, phases_h = 1 : i64, phases_w = 1 : i64, winograd = 1 : i64} : (tensor<1x2x56x56x16xf32>, tensor<1x2x1x1x16x96xf32>, none) -> tensor<1x6x56x56x16xf32>
    %1 = "tcc.relu"(%0) : (tensor<1x6x56x56x16xf32>) -> tensor<1x6x56x56x16xf32>
    func.return %1 : tensor<1x6x56x56x16xf32>
  }
  func.func private @deep(%x: tensor<1x6x56x56x16xf32>, %w: tensor<6x3x3x16xf32>) -> tensor<1x6x56x56x16xf32> attributes {tcc.kernel = "conv", tcc.stable = array<i64: 1>} {
    %none = "tcc.none"() : () -> none
    %0 = "tcc.conv_blocked"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 96 : i64, out_channels = 96 : i64, groups = 96 : i64, lanes = 16 : i64, phases_h = 1 : i64, phases_w = 1 : i64, winograd = 1 : i64} : (tensor<1x6x56x56x16xf32>, tensor<6x3x3x16xf32>, none) -> tensor<1x6x56x56x16xf32>
    %1 = "tcc.relu"(%0) : (tensor<1x6x56x56x16xf32>) -> tensor<1x6x56x56x16xf32>
    func.return %1 : tensor<1x6x56x56x16xf32>
  }
  func.func private @narrow(%x: tensor<1x6x56x56x16xf32>, %w: tensor<1x6x1x1x16x32xf32>, %y: tensor<1x2x56x56x16xf32>) -> tensor<1x2x56x56x16xf32> attributes {tcc.kernel = "conv", tcc.stable = array<i64: 1>} {
    %none = "tcc.none"() : () -> none
    %0 = "tcc.conv_blocked"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, channels = 96 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64, phases_h = 1 : i64, phases_w = 1 : i64, winograd = 1 : i64} : (tensor<1x6x56x56x16xf32>, tensor<1x6x1x1x16x32xf32>, none) -> tensor<1x2x56x56x16xf32>
    %1 = "tcc.add"(%0, %y) : (tensor<1x2x56x56x16xf32>, tensor<1x2x56x56x16xf32>) -> tensor<1x2x56x56x16xf32>
    func.return %1 : tensor<1x2x56x56x16xf32>
  }
  func.func @main(%x: tensor<1x2x56x56x16xf32>, %w: tensor<1x2x1x1x16x96xf32>, %v: tensor<6x3x3x16xf32>, %u: tensor<1x6x1x1x16x32xf32>) -> (tensor<1x2x56x56x16xf32>, tensor<1x6x56x56x16xf32>, tensor<1x6x56x56x16xf32>) {
    %0 = func.call @wide(%x, %w) : (tensor<1x2x56x56x16xf32>, tensor<1x2x1x1x16x96xf32>) -> tensor<1x6x56x56x16xf32>
    %1 = func.call @deep(%0, %v) : (tensor<1x6x56x56x16xf32>, tensor<6x3x3x16xf32>) -> tensor<1x6x56x56x16xf32>
    %2 = func.call @narrow(%1, %u, %x) : (tensor<1x6x56x56x16xf32>, tensor<1x6x1x1x16x32xf32>, tensor<1x2x56x56x16xf32>) -> tensor<1x2x56x56x16xf32>
    %3 = func.call @wide(%2, %w) : (tensor<1x2x56x56x16xf32>, tensor<1x2x1x1x16x96xf32>) -> tensor<1x6x56x56x16xf32>
    %4 = func.call @deep(%3, %v) : (tensor<1x6x56x56x16xf32>, tensor<6x3x3x16xf32>) -> tensor<1x6x56x56x16xf32>
    %5 = func.call @narrow(%4, %u, %2) : (tensor<1x6x56x56x16xf32>, tensor<1x6x1x1x16x32xf32>, tensor<1x2x56x56x16xf32>) -> tensor<1x2x56x56x16xf32>
    %6 = func.call @wide(%5, %w) : (tensor<1x2x56x56x16xf32>, tensor<1x2x1x1x16x96xf32>) -> tensor<1x6x56x56x16xf32>
    %7 = func.call @deep(%6, %v) : (tensor<1x6x56x56x16xf32>, tensor<6x3x3x16xf32>) -> tensor<1x6x56x56x16xf32>
    func.return %5, %6, %7 : tensor<1x2x56x56x16xf32>, tensor<1x6x56x56x16xf32>, tensor<1x6x56x56x16xf32>
  }
}
