// RUN: tcc-interp %s | FileCheck %s
// RUN: tcc-opt --tcc-decompose %s -o %t.mlir && tcc-interp %t.mlir | FileCheck %s

// Adjoints of convolutions and pools, as they are and as what they expand to: pads, strides, dilations, groups, a channel a group,
// images that windows do not reach the end of, ties. Values are torch.autograd's.
func.func @main() -> (tensor<2x2x3x3xf32>, tensor<2x1x2x3xf32>, tensor<2x2x2x2xf32>, tensor<3x1x2xf32>, tensor<3x2x1x1xf32>, tensor<1x1x2x2xf32>, tensor<1x2x1x2x2xf32>, tensor<4x1x3x3xf32>, tensor<1x1x2xf32>, tensor<1x2x4x4xf32>, tensor<2x1x5xf32>, tensor<1x1x6xf32>, tensor<1x1x4x5xf32>, tensor<1x1x4x5xf32>, tensor<1x1x5x5xf32>, tensor<1x2x5xf32>, tensor<2x1x6xf32>, tensor<1x1x2x2x2x3xf32>) {
  %c2 = "tcc.constant"() {value = dense<[[[[1.0, 0.0, -3.0, -1.0], [-2.0, -1.0, 3.0, 0.0], [1.0, 2.0, -1.0, -3.0], [-2.0, 2.0, -1.0, 1.0]], [[1.0, -1.0, 1.0, -1.0], [3.0, -1.0, 1.0, -1.0], [1.0, 1.0, -2.0, 0.0], [-2.0, 1.0, -2.0, -3.0]]]]> : tensor<1x2x4x4xf32>} : () -> tensor<1x2x4x4xf32>
  %c3 = "tcc.constant"() {value = dense<[[[[0.0, 1.0, -3.0, 2.0], [-2.0, 0.0, 1.0, 2.0], [1.0, 1.0, 2.0, 2.0], [0.0, 3.0, 2.0, 0.0]], [[3.0, -1.0, -2.0, 2.0], [0.0, -2.0, -3.0, 0.0], [-3.0, 0.0, 2.0, 0.0], [0.0, 2.0, 1.0, -2.0]]]]> : tensor<1x2x4x4xf32>} : () -> tensor<1x2x4x4xf32>
  %r3 = "tcc.conv_filter_grad"(%c2, %c3) {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<2x2x3x3xf32>
  // CHECK: output 0: 2x2x3x3xf32 = 3 0 -8 1 13 -4 7 -19 -1 9 -2 -7 2 -16 -8 1 -21 -5 2 30 7 4 -4 -14 6 -8 1 6 -8 -2 3 -2 -11 -2 12 -7{{$}}
  %c6 = "tcc.constant"() {value = dense<[[[[0.0, 2.0, -3.0, 1.0], [-1.0, 3.0, -2.0, 2.0], [-1.0, 0.0, 1.0, -1.0], [3.0, -2.0, -1.0, 1.0], [0.0, 1.0, -1.0, 0.0]]], [[[1.0, 1.0, -2.0, 3.0], [-3.0, 2.0, -2.0, 2.0], [-3.0, -2.0, -3.0, 1.0], [3.0, -1.0, -3.0, -1.0], [1.0, 3.0, -1.0, 1.0]]]]> : tensor<2x1x5x4xf32>} : () -> tensor<2x1x5x4xf32>
  %c7 = "tcc.constant"() {value = dense<[[[[3.0, -3.0, -1.0], [-3.0, 1.0, -1.0], [1.0, 0.0, -1.0]], [[-3.0, -2.0, 3.0], [-2.0, -3.0, -1.0], [-2.0, -3.0, -1.0]]], [[[-1.0, 1.0, 2.0], [-2.0, 1.0, -1.0], [-3.0, 3.0, -3.0]], [[1.0, 0.0, -2.0], [3.0, 0.0, 2.0], [-2.0, 0.0, -3.0]]]]> : tensor<2x2x3x3xf32>} : () -> tensor<2x2x3x3xf32>
  %r7 = "tcc.conv_filter_grad"(%c6, %c7) {kernel = array<i64: 2, 3>, strides = array<i64: 2, 1>, pads = array<i64: 0, 1, 1, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x1x5x4xf32>, tensor<2x2x3x3xf32>) -> tensor<2x1x2x3xf32>
  // CHECK: output 1: 2x1x2x3xf32 = -8 12 5 10 -23 17 -7 -23 -16 -2 -4 0{{$}}
  %c10 = "tcc.constant"() {value = dense<[[[[1.0, -1.0, 2.0], [-1.0, -3.0, -3.0], [1.0, 0.0, 1.0]], [[3.0, 2.0, 2.0], [1.0, 3.0, 1.0], [3.0, 1.0, -3.0]], [[2.0, -3.0, -2.0], [-1.0, 3.0, 3.0], [1.0, -1.0, -2.0]], [[3.0, 1.0, 0.0], [0.0, -2.0, -1.0], [0.0, -3.0, 3.0]]]]> : tensor<1x4x3x3xf32>} : () -> tensor<1x4x3x3xf32>
  %c11 = "tcc.constant"() {value = dense<[[[[-2.0, -1.0], [2.0, 0.0]], [[3.0, -1.0], [-2.0, 3.0]]]]> : tensor<1x2x2x2xf32>} : () -> tensor<1x2x2x2xf32>
  %r11 = "tcc.conv_filter_grad"(%c10, %c11) {kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x4x3x3xf32>, tensor<1x2x2x2xf32>) -> tensor<2x2x2x2xf32>
  // CHECK: output 2: 2x2x2x2xf32 = -3 -6 7 9 -6 0 1 -5 20 -4 -11 2 2 4 -7 10{{$}}
  %c14 = "tcc.constant"() {value = dense<[[[1.0, 2.0, -1.0, -3.0], [3.0, -3.0, 3.0, -3.0], [2.0, -2.0, -1.0, -1.0]], [[-3.0, 0.0, 2.0, 2.0], [3.0, -2.0, 0.0, -3.0], [-2.0, 1.0, 2.0, 3.0]]]> : tensor<2x3x4xf32>} : () -> tensor<2x3x4xf32>
  %c15 = "tcc.constant"() {value = dense<[[[1.0, 1.0, 0.0, 2.0], [0.0, 2.0, 3.0, 2.0], [-3.0, -2.0, 2.0, -2.0]], [[0.0, 1.0, 2.0, 0.0], [1.0, 3.0, 3.0, -1.0], [3.0, -1.0, 1.0, -1.0]]]> : tensor<2x3x4xf32>} : () -> tensor<2x3x4xf32>
  %r15 = "tcc.conv_filter_grad"(%c14, %c15) {kernel = array<i64: 2>, strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 2>, groups = 3 : i64} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<3x1x2xf32>
  // CHECK: output 3: 3x1x2xf32 = -4 7 6 -14 -5 10{{$}}
  %c18 = "tcc.constant"() {value = dense<[[[[-1.0, 2.0, 3.0], [-2.0, -1.0, 0.0]], [[-3.0, 0.0, 1.0], [-2.0, -3.0, 3.0]]], [[[3.0, 3.0, -1.0], [3.0, 3.0, -1.0]], [[3.0, 0.0, -1.0], [3.0, 2.0, -1.0]]]]> : tensor<2x2x2x3xf32>} : () -> tensor<2x2x2x3xf32>
  %c19 = "tcc.constant"() {value = dense<[[[[-3.0, 1.0]], [[-2.0, 0.0]], [[-1.0, 3.0]]], [[[1.0, 1.0]], [[1.0, 1.0]], [[3.0, 0.0]]]]> : tensor<2x3x1x2xf32>} : () -> tensor<2x3x1x2xf32>
  %r19 = "tcc.conv_filter_grad"(%c18, %c19) {kernel = array<i64: 1, 1>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x2x2x3xf32>, tensor<2x3x1x2xf32>) -> tensor<3x2x1x1xf32>
  // CHECK: output 4: 3x2x1x1xf32 = 8 12 4 8 19 15{{$}}
  %c22 = "tcc.constant"() {value = dense<[[[[0.0, 1.0, -2.0, -2.0, -3.0], [-1.0, -1.0, 2.0, -1.0, 0.0], [1.0, -2.0, -1.0, 0.0, -1.0], [1.0, 0.0, -1.0, -1.0, 1.0]]]]> : tensor<1x1x4x5xf32>} : () -> tensor<1x1x4x5xf32>
  %c23 = "tcc.constant"() {value = dense<[[[[-3.0, -2.0, -2.0], [-3.0, -2.0, 0.0]]]]> : tensor<1x1x2x3xf32>} : () -> tensor<1x1x2x3xf32>
  %r23 = "tcc.conv_filter_grad"(%c22, %c23) {kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, pads = array<i64: -1, 0, 0, -1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x1x4x5xf32>, tensor<1x1x2x3xf32>) -> tensor<1x1x2x2xf32>
  // CHECK: output 5: 1x1x2x2xf32 = 2 9 0 10{{$}}
  %c26 = "tcc.constant"() {value = dense<[[[[[2.0, -1.0, 1.0], [-1.0, -2.0, 3.0]], [[2.0, 0.0, 1.0], [-2.0, 0.0, -2.0]]], [[[0.0, 1.0, 1.0], [-2.0, -1.0, 3.0]], [[0.0, 2.0, -2.0], [0.0, -3.0, 1.0]]]]]> : tensor<1x2x2x2x3xf32>} : () -> tensor<1x2x2x2x3xf32>
  %c27 = "tcc.constant"() {value = dense<[[[[[3.0, -3.0]], [[1.0, -1.0]]]]]> : tensor<1x1x2x1x2xf32>} : () -> tensor<1x1x2x1x2xf32>
  %r27 = "tcc.conv_filter_grad"(%c26, %c27) {kernel = array<i64: 1, 2, 2>, strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64} : (tensor<1x2x2x2x3xf32>, tensor<1x1x2x1x2xf32>) -> tensor<1x2x1x2x2xf32>
  // CHECK: output 6: 1x2x1x2x2xf32 = 11 -7 1 -13 -5 4 0 -16{{$}}
  %c30 = "tcc.constant"() {value = dense<[[[[3.0, 1.0, 3.0, 2.0], [-1.0, 2.0, 2.0, -2.0], [-1.0, -3.0, -3.0, 1.0], [-2.0, 0.0, 2.0, 3.0]], [[0.0, 1.0, -3.0, 1.0], [2.0, -3.0, 1.0, 3.0], [-3.0, -1.0, 1.0, 0.0], [2.0, 1.0, -3.0, -2.0]]]]> : tensor<1x2x4x4xf32>} : () -> tensor<1x2x4x4xf32>
  %c31 = "tcc.constant"() {value = dense<[[[[1.0, 3.0, 0.0, 3.0], [1.0, 2.0, -2.0, 0.0], [2.0, 0.0, 2.0, 3.0], [3.0, 3.0, 3.0, 1.0]], [[2.0, 3.0, 3.0, 2.0], [1.0, -1.0, 0.0, -3.0], [-1.0, 0.0, 3.0, 1.0], [3.0, 2.0, 0.0, 1.0]], [[2.0, -1.0, 2.0, -2.0], [-3.0, -1.0, 3.0, -1.0], [3.0, 3.0, 2.0, 0.0], [-1.0, 2.0, 1.0, -1.0]], [[3.0, 3.0, -3.0, 3.0], [1.0, -2.0, -1.0, 2.0], [-3.0, 2.0, -3.0, 2.0], [0.0, -1.0, 2.0, 2.0]]]]> : tensor<1x4x4x4xf32>} : () -> tensor<1x4x4x4xf32>
  %r31 = "tcc.conv_filter_grad"(%c30, %c31) {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x2x4x4xf32>, tensor<1x4x4x4xf32>) -> tensor<4x1x3x3xf32>
  // CHECK: output 7: 4x1x3x3xf32 = -1 -25 -12 -7 9 31 13 7 3 -9 -7 -25 -1 15 27 19 16 13 -2 -10 6 -7 -23 15 -3 19 -9 11 -3 7 -18 21 -13 22 2 -21{{$}}
  %c34 = "tcc.constant"() {value = dense<[[[2.0, -1.0, 3.0, -2.0, 3.0, 3.0, 3.0]]]> : tensor<1x1x7xf32>} : () -> tensor<1x1x7xf32>
  %c35 = "tcc.constant"() {value = dense<[[[-1.0, -2.0]]]> : tensor<1x1x2xf32>} : () -> tensor<1x1x2xf32>
  %r35 = "tcc.conv_filter_grad"(%c34, %c35) {kernel = array<i64: 2>, strides = array<i64: 3>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x1x7xf32>, tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
  // CHECK: output 8: 1x1x2xf32 = 2 -5{{$}}
  %c38 = "tcc.constant"() {value = dense<[[[[0.0, 2.0, 0.0, -3.0], [1.0, -3.0, -1.0, -1.0], [-3.0, -3.0, -1.0, 3.0], [2.0, -1.0, -3.0, 1.0]], [[-1.0, -3.0, 3.0, 0.0], [0.0, 0.0, -2.0, -2.0], [-3.0, 3.0, 2.0, 0.0], [3.0, -2.0, 1.0, -2.0]]]]> : tensor<1x2x4x4xf32>} : () -> tensor<1x2x4x4xf32>
  %c39 = "tcc.constant"() {value = dense<[[[[12.0, 24.0], [24.0, 12.0]], [[-36.0, 36.0], [36.0, -36.0]]]]> : tensor<1x2x2x2xf32>} : () -> tensor<1x2x2x2xf32>
  %r39 = "tcc.pool_grad"(%c38, %c39) {kind = "max", kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x4x4xf32>
  // CHECK: output 9: 1x2x4x4xf32 = 0 36 0 0 0 0 0 0 0 0 0 12 24 0 0 0 0 0 36 0 -36 0 0 0 0 0 0 0 0 0 0 0{{$}}
  %c42 = "tcc.constant"() {value = dense<[[[-1.0, 3.0, 2.0, -3.0, 3.0]], [[1.0, -1.0, 1.0, 1.0, 1.0]]]> : tensor<2x1x5xf32>} : () -> tensor<2x1x5xf32>
  %c43 = "tcc.constant"() {value = dense<[[[-24.0, -36.0, 24.0]], [[-12.0, 12.0, 0.0]]]> : tensor<2x1x3xf32>} : () -> tensor<2x1x3xf32>
  %r43 = "tcc.pool_grad"(%c42, %c43) {kind = "max", kernel = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, ceil_mode = true} : (tensor<2x1x5xf32>, tensor<2x1x3xf32>) -> tensor<2x1x5xf32>
  // CHECK: output 10: 2x1x5xf32 = 0 -24 -36 0 24 -12 0 12 0 0{{$}}
  %c46 = "tcc.constant"() {value = dense<[[[0.0, -3.0, -3.0, -1.0, -1.0, -3.0]]]> : tensor<1x1x6xf32>} : () -> tensor<1x1x6xf32>
  %c47 = "tcc.constant"() {value = dense<[[[-24.0, -36.0, 0.0, 12.0, 24.0, 24.0]]]> : tensor<1x1x6xf32>} : () -> tensor<1x1x6xf32>
  %r47 = "tcc.pool_grad"(%c46, %c47) {kind = "max", kernel = array<i64: 2>, strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 2>} : (tensor<1x1x6xf32>, tensor<1x1x6xf32>) -> tensor<1x1x6xf32>
  // CHECK: output 11: 1x1x6xf32 = -36 -24 0 24 36 0{{$}}
  %c50 = "tcc.constant"() {value = dense<[[[[0.0, -1.0, 2.0, 3.0, -1.0], [0.0, -3.0, 2.0, 0.0, 3.0], [-3.0, 1.0, 2.0, 1.0, -3.0], [-2.0, 0.0, 3.0, 2.0, -3.0]]]]> : tensor<1x1x4x5xf32>} : () -> tensor<1x1x4x5xf32>
  %c51 = "tcc.constant"() {value = dense<[[[[-24.0, 12.0, 12.0], [-36.0, 12.0, 12.0], [0.0, 36.0, 12.0]]]]> : tensor<1x1x3x3xf32>} : () -> tensor<1x1x3x3xf32>
  %r51 = "tcc.pool_grad"(%c50, %c51) {kind = "avg", kernel = array<i64: 2, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x1x4x5xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x4x5xf32>
  // CHECK: output 12: 1x1x4x5xf32 = -12 -8 4 10 6 -9 -7 2 5 3 -9 -7 2 5 3 0 12 12 18 6{{$}}
  %c54 = "tcc.constant"() {value = dense<[[[[0.0, 3.0, 3.0, 3.0, 3.0], [1.0, -1.0, 3.0, -1.0, 1.0], [2.0, -1.0, 2.0, 3.0, 2.0], [-2.0, -3.0, -2.0, -3.0, -3.0]]]]> : tensor<1x1x4x5xf32>} : () -> tensor<1x1x4x5xf32>
  %c55 = "tcc.constant"() {value = dense<[[[[36.0, 12.0, -24.0], [12.0, 12.0, 24.0], [-12.0, -12.0, 0.0]]]]> : tensor<1x1x3x3xf32>} : () -> tensor<1x1x3x3xf32>
  %r55 = "tcc.pool_grad"(%c54, %c55) {kind = "avg", kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, count_include_pad = true} : (tensor<1x1x4x5xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x4x5xf32>
  // CHECK: output 13: 1x1x4x5xf32 = 9 3 3 -6 -6 3 3 3 6 6 3 3 3 6 6 -3 -3 -3 0 0{{$}}
  %c58 = "tcc.constant"() {value = dense<[[[[2.0, 2.0, 0.0, -3.0, -1.0], [-3.0, -3.0, 1.0, -1.0, -3.0], [2.0, 2.0, 0.0, 2.0, -1.0], [-2.0, 0.0, -3.0, 3.0, -3.0], [2.0, -3.0, 3.0, -1.0, 3.0]]]]> : tensor<1x1x5x5xf32>} : () -> tensor<1x1x5x5xf32>
  %c59 = "tcc.constant"() {value = dense<[[[[36.0, 0.0, 0.0], [-24.0, -12.0, 0.0], [12.0, 36.0, -12.0]]]]> : tensor<1x1x3x3xf32>} : () -> tensor<1x1x3x3xf32>
  %r59 = "tcc.pool_grad"(%c58, %c59) {kind = "avg", kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceil_mode = true} : (tensor<1x1x5x5xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x5x5xf32>
  // CHECK: output 14: 1x1x5x5xf32 = 9 9 0 0 0 9 9 0 0 0 -6 -6 -3 -3 0 -6 -6 -3 -3 0 6 6 18 18 -12{{$}}
  %c62 = "tcc.constant"() {value = dense<[[[0.0, 1.0, 3.0, -2.0, 0.0], [3.0, -1.0, -3.0, -1.0, -2.0]]]> : tensor<1x2x5xf32>} : () -> tensor<1x2x5xf32>
  %c63 = "tcc.constant"() {value = dense<[[[12.0, -24.0], [-12.0, -24.0]]]> : tensor<1x2x2xf32>} : () -> tensor<1x2x2xf32>
  %r63 = "tcc.pool_grad"(%c62, %c63) {kind = "avg", kernel = array<i64: 4>, strides = array<i64: 3>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, ceil_mode = true, count_include_pad = true} : (tensor<1x2x5xf32>, tensor<1x2x2xf32>) -> tensor<1x2x5xf32>
  // CHECK: output 15: 1x2x5xf32 = 3 3 -3 -6 -6 -3 -3 -9 -6 -6{{$}}
  %c66 = "tcc.constant"() {value = dense<[[[3.0, -2.0, -1.0, -2.0, -3.0, 2.0]], [[-1.0, 2.0, 1.0, -2.0, 3.0, 1.0]]]> : tensor<2x1x6xf32>} : () -> tensor<2x1x6xf32>
  %c67 = "tcc.constant"() {value = dense<[[[-24.0, 24.0]], [[12.0, 0.0]]]> : tensor<2x1x2xf32>} : () -> tensor<2x1x2xf32>
  %r67 = "tcc.pool_grad"(%c66, %c67) {kind = "avg", kernel = array<i64: 2>, strides = array<i64: 3>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<2x1x6xf32>, tensor<2x1x2xf32>) -> tensor<2x1x6xf32>
  // CHECK: output 16: 2x1x6xf32 = -12 -12 0 12 12 0 6 6 0 0 0 0{{$}}
  %c70 = "tcc.constant"() {value = dense<[[[[0.0, 0.0, 0.0, 0.0, 2.0, 3.0], [3.0, 1.0, -3.0, -2.0, -1.0, 1.0], [-3.0, 3.0, -1.0, -2.0, 1.0, 0.0], [3.0, 2.0, 3.0, -2.0, -2.0, -2.0], [-3.0, 1.0, -1.0, -1.0, 1.0, -3.0]]]]> : tensor<1x1x5x6xf32>} : () -> tensor<1x1x5x6xf32>
  %r70 = "tcc.unfold"(%c70) {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 2, 1>} : (tensor<1x1x5x6xf32>) -> tensor<1x1x2x2x2x3xf32>
  // CHECK: output 17: 1x1x2x2x2x3xf32 = 0 0 2 -3 -1 1 0 0 3 3 -2 0 -3 -1 1 -3 -1 1 3 -2 0 1 -1 -3{{$}}
  return %r3, %r7, %r11, %r15, %r19, %r23, %r27, %r31, %r35, %r39, %r43, %r47, %r51, %r55, %r59, %r63, %r67, %r70 : tensor<2x2x3x3xf32>, tensor<2x1x2x3xf32>, tensor<2x2x2x2xf32>, tensor<3x1x2xf32>, tensor<3x2x1x1xf32>, tensor<1x1x2x2xf32>, tensor<1x2x1x2x2xf32>, tensor<4x1x3x3xf32>, tensor<1x1x2xf32>, tensor<1x2x4x4xf32>, tensor<2x1x5xf32>, tensor<1x1x6xf32>, tensor<1x1x4x5xf32>, tensor<1x1x4x5xf32>, tensor<1x1x5x5xf32>, tensor<1x2x5xf32>, tensor<2x1x6xf32>, tensor<1x1x2x2x2x3xf32>
}
