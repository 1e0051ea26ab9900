// RUN: tcc-interp %s | FileCheck %s

// Windows: convolutions with groups, strides, pads, dilations; their adjoint; pools with ceil_mode and counted pads.
func.func @main() -> (tensor<1x2x4x4xf32>, tensor<1x2x2x3xf32>, tensor<1x4x2x2xf32>, tensor<1x2x4x4xf32>, tensor<1x2x3x3xf32>, tensor<1x1x2xf32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>, tensor<1x1x2xf32>, tensor<1x1x5xf32>, tensor<1x2x1x1xi64>, tensor<1x2x1x1xi64>) {
  %c1 = "tcc.constant"() {value = dense<[[[[-2.0, 1.0, 2.0, -2.0], [-1.0, 2.0, 1.0, 0.0], [1.0, 0.0, 3.0, 2.0], [-3.0, -2.0, 0.0, 2.0]], [[-3.0, 1.0, 2.0, 2.0], [3.0, -2.0, 0.0, 2.0], [-1.0, -2.0, 0.0, -3.0], [-2.0, 2.0, 1.0, 3.0]]]]> : tensor<1x2x4x4xf32>} : () -> tensor<1x2x4x4xf32>
  %c2 = "tcc.constant"() {value = dense<[[[[2.0, 2.0, -1.0], [0.0, 1.0, -1.0], [2.0, -2.0, 2.0]], [[1.0, -1.0, 1.0], [0.0, 2.0, 2.0], [-1.0, 0.0, -1.0]]], [[[1.0, 1.0, 2.0], [2.0, 2.0, 2.0], [2.0, -2.0, -2.0]], [[0.0, -1.0, 2.0], [1.0, 0.0, 0.0], [0.0, 2.0, -2.0]]]]> : tensor<2x2x3x3xf32>} : () -> tensor<2x2x3x3xf32>
  %c3 = "tcc.constant"() {value = dense<[1.0, -1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %r4 = "tcc.conv"(%c1, %c2, %c3) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x3x3xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  // CHECK: output 0: 1x2x4x4xf32 = 2 -1 15 5 -1 1 18 7 -13 -1 -3 -8 1 5 6 22 5 -14 0 7 6 4 0 -5 -1 11 2 10 -13 -4 2 12{{$}}
  %c5 = "tcc.constant"() {value = dense<[[[[-2.0, 1.0, 2.0, -2.0], [-1.0, 2.0, 1.0, 0.0], [1.0, 0.0, 3.0, 2.0], [-3.0, -2.0, 0.0, 2.0]], [[-3.0, 1.0, 2.0, 2.0], [3.0, -2.0, 0.0, 2.0], [-1.0, -2.0, 0.0, -3.0], [-2.0, 2.0, 1.0, 3.0]]]]> : tensor<1x2x4x4xf32>} : () -> tensor<1x2x4x4xf32>
  %c6 = "tcc.constant"() {value = dense<[[[[2.0, 2.0, -1.0], [0.0, 1.0, -1.0], [2.0, -2.0, 2.0]], [[1.0, -1.0, 1.0], [0.0, 2.0, 2.0], [-1.0, 0.0, -1.0]]], [[[1.0, 1.0, 2.0], [2.0, 2.0, 2.0], [2.0, -2.0, -2.0]], [[0.0, -1.0, 2.0], [1.0, 0.0, 0.0], [0.0, 2.0, -2.0]]]]> : tensor<2x2x3x3xf32>} : () -> tensor<2x2x3x3xf32>
  %n7 = "tcc.none"() : () -> none
  %r8 = "tcc.conv"(%c5, %c6, %n7) {strides = array<i64: 2, 1>, pads = array<i64: 0, 1, 1, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x3x3xf32>, none) -> tensor<1x2x2x3xf32>
  // CHECK: output 1: 1x2x2x3xf32 = -2 0 17 0 4 5 7 5 1 -12 -3 3{{$}}
  %c9 = "tcc.constant"() {value = dense<[[[[-2.0, 1.0, 2.0, -2.0], [-1.0, 2.0, 1.0, 0.0], [1.0, 0.0, 3.0, 2.0], [-3.0, -2.0, 0.0, 2.0]], [[-3.0, 1.0, 2.0, 2.0], [3.0, -2.0, 0.0, 2.0], [-1.0, -2.0, 0.0, -3.0], [-2.0, 2.0, 1.0, 3.0]]]]> : tensor<1x2x4x4xf32>} : () -> tensor<1x2x4x4xf32>
  %c10 = "tcc.constant"() {value = dense<[[[[0.0, 1.0], [0.0, 2.0]]], [[[2.0, 2.0], [0.0, 2.0]]], [[[-2.0, 1.0], [-1.0, -1.0]]], [[[1.0, 1.0], [2.0, -1.0]]]]> : tensor<4x1x2x2xf32>} : () -> tensor<4x1x2x2xf32>
  %n11 = "tcc.none"() : () -> none
  %r12 = "tcc.conv"(%c9, %c10, %n11) {strides = array<i64: 1, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 2, 1>, groups = 2 : i64} : (tensor<1x2x4x4xf32>, tensor<4x1x2x2xf32>, none) -> tensor<1x4x2x2xf32>
  // CHECK: output 2: 1x4x2x2xf32 = 1 2 -2 4 -2 4 -2 6 10 1 -8 -2 -2 7 -5 1{{$}}
  %c13 = "tcc.constant"() {value = dense<[[[[3.0, 2.0], [-1.0, -3.0]], [[2.0, 2.0], [0.0, -2.0]]]]> : tensor<1x2x2x2xf32>} : () -> tensor<1x2x2x2xf32>
  %c14 = "tcc.constant"() {value = dense<[[[[2.0, 2.0, -1.0], [0.0, 1.0, -1.0], [2.0, -2.0, 2.0]], [[1.0, -1.0, 1.0], [0.0, 2.0, 2.0], [-1.0, 0.0, -1.0]]], [[[1.0, 1.0, 2.0], [2.0, 2.0, 2.0], [2.0, -2.0, -2.0]], [[0.0, -1.0, 2.0], [1.0, 0.0, 0.0], [0.0, 2.0, -2.0]]]]> : tensor<2x2x3x3xf32>} : () -> tensor<2x2x3x3xf32>
  %c15 = "tcc.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %r16 = "tcc.conv_transpose"(%c13, %c14, %c15) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 1, 1>} : (tensor<1x2x2x2xf32>, tensor<2x2x3x3xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  // CHECK: output 3: 1x2x4x4xf32 = 8 6 7 3 -11 4 -15 0 0 -2 -6 0 3 -11 11 -1 8 10 6 6 7 -11 11 -11 0 -2 -4 -4 2 6 -2 9{{$}}
  %c17 = "tcc.constant"() {value = dense<[[[[3.0, 2.0], [-1.0, -3.0]], [[2.0, 2.0], [0.0, -2.0]]]]> : tensor<1x2x2x2xf32>} : () -> tensor<1x2x2x2xf32>
  %c18 = "tcc.constant"() {value = dense<[[[[0.0, 1.0], [0.0, 2.0]]], [[[2.0, 2.0], [0.0, 2.0]]]]> : tensor<2x1x2x2xf32>} : () -> tensor<2x1x2x2xf32>
  %n19 = "tcc.none"() : () -> none
  %r20 = "tcc.conv_transpose"(%c17, %c18, %n19) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64, output_padding = array<i64: 0, 0>} : (tensor<1x2x2x2xf32>, tensor<2x1x2x2xf32>, none) -> tensor<1x2x3x3xf32>
  // CHECK: output 4: 1x2x3x3xf32 = 0 3 2 0 5 1 0 -2 -6 4 8 4 0 0 0 0 0 -4{{$}}
  %c21 = "tcc.constant"() {value = dense<[[[1.0, 2.0, 3.0, 4.0, 5.0]]]> : tensor<1x1x5xf32>} : () -> tensor<1x1x5xf32>
  %r22 = "tcc.pool"(%c21) {kind = "max", kernel = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x1x5xf32>) -> tensor<1x1x2xf32>
  // CHECK: output 5: 1x1x2xf32 = 2 4{{$}}
  %c23 = "tcc.constant"() {value = dense<[[[1.0, 2.0, 3.0, 4.0, 5.0]]]> : tensor<1x1x5xf32>} : () -> tensor<1x1x5xf32>
  %r24 = "tcc.pool"(%c23) {kind = "max", ceil_mode = true, kernel = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x1x5xf32>) -> tensor<1x1x3xf32>
  // CHECK: output 6: 1x1x3xf32 = 2 4 5{{$}}
  %c25 = "tcc.constant"() {value = dense<[[[1.0, 2.0, 3.0, 4.0, 5.0]]]> : tensor<1x1x5xf32>} : () -> tensor<1x1x5xf32>
  %r26 = "tcc.pool"(%c25) {kind = "max", kernel = array<i64: 2>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 2>} : (tensor<1x1x5xf32>) -> tensor<1x1x3xf32>
  // CHECK: output 7: 1x1x3xf32 = 3 4 5{{$}}
  %c27 = "tcc.constant"() {value = dense<[[[1.0, 2.0, 3.0, 4.0, 5.0]]]> : tensor<1x1x5xf32>} : () -> tensor<1x1x5xf32>
  %r28 = "tcc.pool"(%c27) {kind = "avg", kernel = array<i64: 3>, strides = array<i64: 2>, pads = array<i64: 1, 1>, dilations = array<i64: 1>} : (tensor<1x1x5xf32>) -> tensor<1x1x3xf32>
  // CHECK: output 8: 1x1x3xf32 = 1.5 3 4.5{{$}}
  %c29 = "tcc.constant"() {value = dense<[[[1.0, 2.0, 3.0, 4.0, 5.0]]]> : tensor<1x1x5xf32>} : () -> tensor<1x1x5xf32>
  %r30 = "tcc.pool"(%c29) {kind = "avg", count_include_pad = true, kernel = array<i64: 3>, strides = array<i64: 2>, pads = array<i64: 1, 1>, dilations = array<i64: 1>} : (tensor<1x1x5xf32>) -> tensor<1x1x3xf32>
  // CHECK: output 9: 1x1x3xf32 = 1 3 3{{$}}
  %c31 = "tcc.constant"() {value = dense<[[[1.0, 2.0, 3.0, 4.0, 5.0]]]> : tensor<1x1x5xf32>} : () -> tensor<1x1x5xf32>
  // the last window hangs over the padded image: what is beyond does not count
  %r32 = "tcc.pool"(%c31) {kind = "avg", ceil_mode = true, count_include_pad = true, kernel = array<i64: 4>, strides = array<i64: 4>, pads = array<i64: 1, 1>, dilations = array<i64: 1>} : (tensor<1x1x5xf32>) -> tensor<1x1x2xf32>
  // CHECK: output 10: 1x1x2xf32 = 1.5 3{{$}}
  %c33 = "tcc.constant"() {value = dense<[[[1.0, 2.0, 3.0, 4.0, 5.0]]]> : tensor<1x1x5xf32>} : () -> tensor<1x1x5xf32>
  %r34 = "tcc.pool"(%c33) {kind = "sum", kernel = array<i64: 3>, strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>} : (tensor<1x1x5xf32>) -> tensor<1x1x5xf32>
  // CHECK: output 11: 1x1x5xf32 = 3 6 9 12 9{{$}}
  %c35 = "tcc.constant"() {value = dense<[[[[1.0, 9.0], [3.0, 4.0]], [[5.0, 6.0], [8.0, 7.0]]]]> : tensor<1x2x2x2xf32>} : () -> tensor<1x2x2x2xf32>
  %r36 = "tcc.pool_index"(%c35) {kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x2x2xf32>) -> tensor<1x2x1x1xi64>
  // CHECK: output 12: 1x2x1x1xi64 = 1 6{{$}}
  %c37 = "tcc.constant"() {value = dense<[[[[1.0, 9.0], [3.0, 4.0]], [[5.0, 6.0], [8.0, 7.0]]]]> : tensor<1x2x2x2xf32>} : () -> tensor<1x2x2x2xf32>
  %r38 = "tcc.pool_index"(%c37) {kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, column_major = true} : (tensor<1x2x2x2xf32>) -> tensor<1x2x1x1xi64>
  // CHECK: output 13: 1x2x1x1xi64 = 2 5{{$}}
  return %r4, %r8, %r12, %r16, %r20, %r22, %r24, %r26, %r28, %r30, %r32, %r34, %r36, %r38 : tensor<1x2x4x4xf32>, tensor<1x2x2x3xf32>, tensor<1x4x2x2xf32>, tensor<1x2x4x4xf32>, tensor<1x2x3x3xf32>, tensor<1x1x2xf32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>, tensor<1x1x2xf32>, tensor<1x1x5xf32>, tensor<1x2x1x1xi64>, tensor<1x2x1x1xi64>
}
