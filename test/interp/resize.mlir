// RUN: tcc-interp %s --digits 5 | FileCheck %s
// RUN: tcc-interp %s --pipeline tcc-decompose --digits 5 | FileCheck %s

// Resize, directly and through its expansion: each coordinate mode, nearest rounding, linear, cubic, antialias, crop.
func.func @main() -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<6x8xf32>, tensor<2x3xf32>, tensor<6x6xf32>, tensor<1x6xf32>, tensor<4x5xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<3x3xf32>, tensor<1x4xf32>, tensor<5x3xf32>) {
  %c1 = "tcc.constant"() {value = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 13.0]]> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
  %r2 = "tcc.resize"(%c1) {mode = "nearest", coordinates = "half_pixel", nearest = "round_prefer_floor", scales = dense<> : tensor<0xf32>, roi = dense<> : tensor<0xf32>} : (tensor<3x4xf32>) -> tensor<4x6xf32>
  // CHECK: output 0: 4x6xf32 = 1 1 2 3 3 4 5 5 6 7 7 8 5 5 6 7 7 8 9 9 10 11 11 13{{$}}
  %c3 = "tcc.constant"() {value = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 13.0]]> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
  %r4 = "tcc.resize"(%c3) {mode = "nearest", coordinates = "half_pixel", nearest = "round_prefer_ceil", scales = dense<> : tensor<0xf32>, roi = dense<> : tensor<0xf32>} : (tensor<3x4xf32>) -> tensor<4x6xf32>
  // CHECK: output 1: 4x6xf32 = 1 2 2 3 4 4 5 6 6 7 8 8 5 6 6 7 8 8 9 10 10 11 13 13{{$}}
  %c5 = "tcc.constant"() {value = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 13.0]]> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
  %r6 = "tcc.resize"(%c5) {mode = "nearest", coordinates = "half_pixel", nearest = "floor", scales = dense<> : tensor<0xf32>, roi = dense<> : tensor<0xf32>} : (tensor<3x4xf32>) -> tensor<4x6xf32>
  // CHECK: output 2: 4x6xf32 = 1 1 2 2 3 4 1 1 2 2 3 4 5 5 6 6 7 8 9 9 10 10 11 13{{$}}
  %c7 = "tcc.constant"() {value = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 13.0]]> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
  %r8 = "tcc.resize"(%c7) {mode = "nearest", coordinates = "half_pixel", nearest = "ceil", scales = dense<> : tensor<0xf32>, roi = dense<> : tensor<0xf32>} : (tensor<3x4xf32>) -> tensor<4x6xf32>
  // CHECK: output 3: 4x6xf32 = 1 2 3 3 4 4 5 6 7 7 8 8 9 10 11 11 13 13 9 10 11 11 13 13{{$}}
  %c9 = "tcc.constant"() {value = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 13.0]]> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
  %r10 = "tcc.resize"(%c9) {mode = "nearest", coordinates = "asymmetric", nearest = "floor", scales = dense<[2.0, 2.0]> : tensor<2xf32>, roi = dense<> : tensor<0xf32>} : (tensor<3x4xf32>) -> tensor<6x8xf32>
  // CHECK: output 4: 6x8xf32 = 1 1 2 2 3 3 4 4 1 1 2 2 3 3 4 4 5 5 6 6 7 7 8 8 5 5 6 6 7 7 8 8 9 9 10 10 11 11 13 13 9 9 10 10 11 11 13 13{{$}}
  %c11 = "tcc.constant"() {value = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 13.0]]> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
  %r12 = "tcc.resize"(%c11) {mode = "linear", coordinates = "half_pixel", nearest = "round_prefer_floor", scales = dense<> : tensor<0xf32>, roi = dense<> : tensor<0xf32>} : (tensor<3x4xf32>) -> tensor<2x3xf32>
  // CHECK: output 5: 2x3xf32 = 2.1667 3.5 4.8333 8.1667 9.5 11.458{{$}}
  %c13 = "tcc.constant"() {value = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 13.0]]> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
  %r14 = "tcc.resize"(%c13) {mode = "linear", coordinates = "align_corners", nearest = "round_prefer_floor", scales = dense<> : tensor<0xf32>, roi = dense<> : tensor<0xf32>} : (tensor<3x4xf32>) -> tensor<6x6xf32>
  // CHECK: output 6: 6x6xf32 = 1 1.6 2.2 2.8 3.4 4 2.6 3.2 3.8 4.4 5 5.6 4.2 4.8 5.4 6 6.6 7.2 5.8 6.4 7 7.6 8.28 9 7.4 8 8.6 9.2 10.04 11 9 9.6 10.2 10.8 11.8 13{{$}}
  %c15 = "tcc.constant"() {value = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 13.0]]> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
  %r16 = "tcc.resize"(%c15) {mode = "linear", coordinates = "pytorch_half_pixel", nearest = "round_prefer_floor", scales = dense<> : tensor<0xf32>, roi = dense<> : tensor<0xf32>} : (tensor<3x4xf32>) -> tensor<1x6xf32>
  // CHECK: output 7: 1x6xf32 = 1 1.5 2.1667 2.8333 3.5 4{{$}}
  %c17 = "tcc.constant"() {value = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 13.0]]> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
  %r18 = "tcc.resize"(%c17) {mode = "linear", coordinates = "asymmetric", nearest = "round_prefer_floor", scales = dense<> : tensor<0xf32>, roi = dense<> : tensor<0xf32>} : (tensor<3x4xf32>) -> tensor<4x5xf32>
  // CHECK: output 8: 4x5xf32 = 1 1.8 2.6 3.4 4 4 4.8 5.6 6.4 7 7 7.8 8.6 9.6 10.5 9 9.8 10.6 11.8 13{{$}}
  %c19 = "tcc.constant"() {value = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 13.0]]> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
  %r20 = "tcc.resize"(%c19) {mode = "linear", coordinates = "half_pixel_symmetric", nearest = "round_prefer_floor", scales = dense<[1.5, 1.600000023841858]> : tensor<2xf32>, roi = dense<> : tensor<0xf32>} : (tensor<3x4xf32>) -> tensor<4x6xf32>
  // CHECK: output 9: 4x6xf32 = 1 1.5625 2.1875 2.8125 3.4375 4 3.6667 4.2292 4.8542 5.4792 6.1042 6.6667 6.3333 6.8958 7.5208 8.1458 8.9167 9.6667 9 9.5625 10.188 10.812 11.875 13{{$}}
  %c21 = "tcc.constant"() {value = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 13.0]]> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
  %r22 = "tcc.resize"(%c21) {mode = "cubic", coordinates = "half_pixel", nearest = "round_prefer_floor", scales = dense<> : tensor<0xf32>, roi = dense<> : tensor<0xf32>} : (tensor<3x4xf32>) -> tensor<4x6xf32>
  // CHECK: output 10: 4x6xf32 = 0.62609 1.1191 1.9259 2.4999 3.3066 3.7997 3.0323 3.5254 4.334 4.9157 5.658 6.0865 6.7941 7.2871 8.0876 8.6366 9.6548 10.359 9.2003 9.6934 10.481 10.981 12.417 13.539{{$}}
  %c23 = "tcc.constant"() {value = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 13.0]]> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
  %r24 = "tcc.resize"(%c23) {mode = "cubic", coordinates = "half_pixel", nearest = "round_prefer_floor", scales = dense<> : tensor<0xf32>, roi = dense<> : tensor<0xf32>, exclude_outside = true, cubic_coeff = -0.5 : f64} : (tensor<3x4xf32>) -> tensor<4x6xf32>
  // CHECK: output 11: 4x6xf32 = 0.72526 1.2028 1.9577 2.6244 3.3793 3.8568 3.1606 3.6381 4.3939 5.0638 5.7775 6.2174 6.7078 7.1854 7.936 8.5854 9.5595 10.237 9.1432 9.6207 10.363 10.981 12.354 13.396{{$}}
  %c25 = "tcc.constant"() {value = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 13.0]]> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
  %r26 = "tcc.resize"(%c25) {mode = "linear", coordinates = "half_pixel", nearest = "round_prefer_floor", scales = dense<[0.6000000238418579, 0.5]> : tensor<2xf32>, roi = dense<> : tensor<0xf32>, antialias = true} : (tensor<3x4xf32>) -> tensor<1x2xf32>
  // CHECK: output 12: 1x2xf32 = 3.125 4.875{{$}}
  %c27 = "tcc.constant"() {value = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 13.0]]> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
  %r28 = "tcc.resize"(%c27) {mode = "cubic", coordinates = "half_pixel", nearest = "round_prefer_floor", scales = dense<[0.6000000238418579, 0.5]> : tensor<2xf32>, roi = dense<> : tensor<0xf32>, antialias = true} : (tensor<3x4xf32>) -> tensor<1x2xf32>
  // CHECK: output 13: 1x2xf32 = 2.8812 4.876{{$}}
  %c29 = "tcc.constant"() {value = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 13.0]]> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
  %r30 = "tcc.resize"(%c29) {mode = "linear", coordinates = "tf_crop_and_resize", nearest = "round_prefer_floor", scales = dense<> : tensor<0xf32>, roi = dense<[0.4000000059604645, 0.6000000238418579, 0.8999999761581421, 1.7000000476837158]> : tensor<4xf32>, extrapolation = 10.0 : f64} : (tensor<3x4xf32>) -> tensor<3x3xf32>
  // CHECK: output 14: 3x3xf32 = 6 10 10 8 10 10 10 10 10{{$}}
  // pytorch_half_pixel puts a result of one element at 0, also where scale and size do not give 1 exactly.
  %r32 = "tcc.resize"(%c29) {mode = "cubic", coordinates = "pytorch_half_pixel", nearest = "round_prefer_floor", scales = dense<[0.4000000059604645, 1.0]> : tensor<2xf32>, roi = dense<> : tensor<0xf32>} : (tensor<3x4xf32>) -> tensor<1x4xf32>
  // CHECK: output 15: 1x4xf32 = 1 2 3 4{{$}}
  %r33 = "tcc.resize"(%c29) {mode = "nearest", coordinates = "tf_half_pixel_for_nn", nearest = "floor", scales = dense<> : tensor<0xf32>, roi = dense<> : tensor<0xf32>} : (tensor<3x4xf32>) -> tensor<5x3xf32>
  // CHECK: output 16: 5x3xf32 = 1 3 4 1 3 4 5 7 8 9 11 13 9 11 13{{$}}
  return %r2, %r4, %r6, %r8, %r10, %r12, %r14, %r16, %r18, %r20, %r22, %r24, %r26, %r28, %r30, %r32, %r33 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<6x8xf32>, tensor<2x3xf32>, tensor<6x6xf32>, tensor<1x6xf32>, tensor<4x5xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<3x3xf32>, tensor<1x4xf32>, tensor<5x3xf32>
}
