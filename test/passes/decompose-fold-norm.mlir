// RUN: tcc-opt %s --pass-pipeline="tcc-decompose{only=batch_norm}" --split-input-file --verify-each | FileCheck %s

// A norm of batches behind a convolution goes into its weights and its bias, by channels of the result.
// CHECK-LABEL: func.func @folded
// CHECK-DAG: %[[W:.*]] = "tcc.weight"() {{.*}} : () -> tensor<6x2x3x3xf32>
// CHECK-DAG: %[[R:.*]] = "tcc.rsqrt"
// CHECK: %[[F:.*]] = "tcc.mul"(%{{.*}}, %[[R]]) : (tensor<6xf32>, tensor<6xf32>)
// CHECK: %[[G:.*]] = "tcc.sub"
// CHECK: %[[C:.*]] = "tcc.reshape"(%[[F]]) : (tensor<6xf32>) -> tensor<6x1x1x1xf32>
// CHECK: %[[V:.*]] = "tcc.mul"(%[[W]], %[[C]])
// CHECK: %[[H:.*]] = "tcc.mul"(%{{.*}}, %[[F]])
// CHECK: %[[B:.*]] = "tcc.add"(%[[H]], %[[G]])
// CHECK: %[[Y:.*]] = "tcc.conv"(%arg0, %[[V]], %[[B]])
// CHECK-NEXT: return %[[Y]]
func.func @folded(%x: tensor<1x4x5x5xf32>) -> tensor<1x6x3x3xf32> {
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 432 : i64} : () -> tensor<6x2x3x3xf32>
  %s = "tcc.weight"() {name = "s", source = 0 : i64, offset = 1024 : i64, length = 24 : i64} : () -> tensor<6xf32>
  %m = "tcc.weight"() {name = "m", source = 0 : i64, offset = 2048 : i64, length = 24 : i64} : () -> tensor<6xf32>
  %0 = "tcc.conv"(%x, %w, %s) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x4x5x5xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<1x6x3x3xf32>
  %1 = "tcc.batch_norm"(%0, %s, %s, %m, %s) {eps = 1.0e-5} : (tensor<1x6x3x3xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<1x6x3x3xf32>
  return %1 : tensor<1x6x3x3xf32>
}

// -----

// Not where somebody else reads the convolution, where weights or statistics are given with each call, and where half a float would round
// the weights once more.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-4: "tcc.conv"({{.*}} none) ->
// CHECK: return
func.func @others(%x: tensor<1x4x5x5xf32>, %v: tensor<6x4x3x3xf32>, %t: tensor<6xf32>, %h: tensor<1x4x5x5xf16>) -> (tensor<1x6x3x3xf32>, tensor<1x6x3x3xf32>, tensor<1x6x3x3xf32>, tensor<1x6x3x3xf32>, tensor<1x6x3x3xf16>) {
  %none = "tcc.none"() : () -> none
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 864 : i64} : () -> tensor<6x4x3x3xf32>
  %s = "tcc.weight"() {name = "s", source = 0 : i64, offset = 1024 : i64, length = 24 : i64} : () -> tensor<6xf32>
  %w16 = "tcc.weight"() {name = "w16", source = 0 : i64, offset = 2048 : i64, length = 432 : i64} : () -> tensor<6x4x3x3xf16>
  %s16 = "tcc.weight"() {name = "s16", source = 0 : i64, offset = 4096 : i64, length = 12 : i64} : () -> tensor<6xf16>
  %0 = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x4x5x5xf32>, tensor<6x4x3x3xf32>, none) -> tensor<1x6x3x3xf32>
  %1 = "tcc.batch_norm"(%0, %s, %s, %s, %s) {eps = 1.0e-5} : (tensor<1x6x3x3xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<1x6x3x3xf32>
  %2 = "tcc.conv"(%x, %v, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x4x5x5xf32>, tensor<6x4x3x3xf32>, none) -> tensor<1x6x3x3xf32>
  %3 = "tcc.batch_norm"(%2, %s, %s, %s, %s) {eps = 1.0e-5} : (tensor<1x6x3x3xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<1x6x3x3xf32>
  %4 = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x4x5x5xf32>, tensor<6x4x3x3xf32>, none) -> tensor<1x6x3x3xf32>
  %5 = "tcc.batch_norm"(%4, %s, %s, %t, %s) {eps = 1.0e-5} : (tensor<1x6x3x3xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<1x6x3x3xf32>
  %6 = "tcc.conv"(%h, %w16, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x4x5x5xf16>, tensor<6x4x3x3xf16>, none) -> tensor<1x6x3x3xf16>
  %7 = "tcc.batch_norm"(%6, %s16, %s16, %s16, %s16) {eps = 1.0e-5} : (tensor<1x6x3x3xf16>, tensor<6xf16>, tensor<6xf16>, tensor<6xf16>, tensor<6xf16>) -> tensor<1x6x3x3xf16>
  return %0, %1, %3, %5, %7 : tensor<1x6x3x3xf32>, tensor<1x6x3x3xf32>, tensor<1x6x3x3xf32>, tensor<1x6x3x3xf32>, tensor<1x6x3x3xf16>
}

// -----

// Nor where each op rounds by itself.
// CHECK-LABEL: func.func @eager
// CHECK: "tcc.conv"(%arg0, {{.*}} none) ->
module attributes {tcc.numerics = "eager"} {
  func.func @eager(%x: tensor<1x4x5x5xf32>) -> tensor<1x6x3x3xf32> {
    %none = "tcc.none"() : () -> none
    %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 864 : i64} : () -> tensor<6x4x3x3xf32>
    %s = "tcc.weight"() {name = "s", source = 0 : i64, offset = 1024 : i64, length = 24 : i64} : () -> tensor<6xf32>
    %0 = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x4x5x5xf32>, tensor<6x4x3x3xf32>, none) -> tensor<1x6x3x3xf32>
    %1 = "tcc.batch_norm"(%0, %s, %s, %s, %s) {eps = 1.0e-5} : (tensor<1x6x3x3xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<1x6x3x3xf32>
    return %1 : tensor<1x6x3x3xf32>
  }
}
