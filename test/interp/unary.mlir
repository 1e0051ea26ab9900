// RUN: tcc-interp %s | FileCheck %s

// Elementwise ops of one operand, by their scalar definitions; what they do with NaN, infinity, wrap-around.
func.func @main() -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<2xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<6xf32>, tensor<6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<3xf32>, tensor<3xf32>, tensor<6xf32>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<3xui8>, tensor<2xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %c1 = "tcc.constant"() {value = dense<[-2.5, -1.0, -0.0, 0.5, 1.5, 3.0]> : tensor<6xf32>} : () -> tensor<6xf32>
  %r2 = "tcc.neg"(%c1) : (tensor<6xf32>) -> tensor<6xf32>
  // CHECK: output 0: 6xf32 = 2.5 1 0 -0.5 -1.5 -3{{$}}
  %c3 = "tcc.constant"() {value = dense<[-2.5, -1.0, -0.0, 0.5, 1.5, 3.0]> : tensor<6xf32>} : () -> tensor<6xf32>
  %r4 = "tcc.abs"(%c3) : (tensor<6xf32>) -> tensor<6xf32>
  // CHECK: output 1: 6xf32 = 2.5 1 0 0.5 1.5 3{{$}}
  %c5 = "tcc.constant"() {value = dense<[-2.5, -1.0, -0.0, 0.5, 1.5, 3.0]> : tensor<6xf32>} : () -> tensor<6xf32>
  %r6 = "tcc.sign"(%c5) : (tensor<6xf32>) -> tensor<6xf32>
  // CHECK: output 2: 6xf32 = -1 -1 0 1 1 1{{$}}
  %c7 = "tcc.constant"() {value = dense<[0x7FC00000, 0xFF800000]> : tensor<2xf32>} : () -> tensor<2xf32>
  %r8 = "tcc.sign"(%c7) : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: output 3: 2xf32 = nan -1{{$}}
  %c9 = "tcc.constant"() {value = dense<[-2.5, -1.0, -0.0, 0.5, 1.5, 3.0]> : tensor<6xf32>} : () -> tensor<6xf32>
  %r10 = "tcc.floor"(%c9) : (tensor<6xf32>) -> tensor<6xf32>
  // CHECK: output 4: 6xf32 = -3 -1 -0 0 1 3{{$}}
  %c11 = "tcc.constant"() {value = dense<[-2.5, -1.0, -0.0, 0.5, 1.5, 3.0]> : tensor<6xf32>} : () -> tensor<6xf32>
  %r12 = "tcc.ceil"(%c11) : (tensor<6xf32>) -> tensor<6xf32>
  // CHECK: output 5: 6xf32 = -2 -1 -0 1 2 3{{$}}
  %c13 = "tcc.constant"() {value = dense<[-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]> : tensor<6xf32>} : () -> tensor<6xf32>
  %r14 = "tcc.round"(%c13) : (tensor<6xf32>) -> tensor<6xf32>
  // CHECK: output 6: 6xf32 = -2 -2 -0 0 2 2{{$}}
  %c15 = "tcc.constant"() {value = dense<[-2.5, -1.0, -0.0, 0.5, 1.5, 3.0]> : tensor<6xf32>} : () -> tensor<6xf32>
  %r16 = "tcc.trunc"(%c15) : (tensor<6xf32>) -> tensor<6xf32>
  // CHECK: output 7: 6xf32 = -2 -1 -0 0 1 3{{$}}
  %c17 = "tcc.constant"() {value = dense<[0.25, 1.0, 2.0, 9.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %r18 = "tcc.sqrt"(%c17) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: output 8: 4xf32 = 0.5 1 1.41421 3{{$}}
  %c19 = "tcc.constant"() {value = dense<[0.25, 1.0, 2.0, 9.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %r20 = "tcc.rsqrt"(%c19) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: output 9: 4xf32 = 2 1 0.707107 0.333333{{$}}
  %c21 = "tcc.constant"() {value = dense<[0.25, 1.0, 2.0, 9.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %r22 = "tcc.reciprocal"(%c21) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: output 10: 4xf32 = 4 1 0.5 0.111111{{$}}
  %c23 = "tcc.constant"() {value = dense<[-2.5, -1.0, -0.0, 0.5, 1.5, 3.0]> : tensor<6xf32>} : () -> tensor<6xf32>
  %r24 = "tcc.exp"(%c23) : (tensor<6xf32>) -> tensor<6xf32>
  // CHECK: output 11: 6xf32 = 0.082085 0.367879 1 1.64872 4.48169 20.0855{{$}}
  %c25 = "tcc.constant"() {value = dense<[-2.5, -1.0, -0.0, 0.5, 1.5, 3.0]> : tensor<6xf32>} : () -> tensor<6xf32>
  %r26 = "tcc.expm1"(%c25) : (tensor<6xf32>) -> tensor<6xf32>
  // CHECK: output 12: 6xf32 = -0.917915 -0.632121 -0 0.648721 3.48169 19.0855{{$}}
  %c27 = "tcc.constant"() {value = dense<[0.25, 1.0, 2.0, 9.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %r28 = "tcc.log"(%c27) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: output 13: 4xf32 = -1.38629 0 0.693147 2.19722{{$}}
  %c29 = "tcc.constant"() {value = dense<[0.25, 1.0, 2.0, 9.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %r30 = "tcc.log1p"(%c29) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: output 14: 4xf32 = 0.223144 0.693147 1.09861 2.30259{{$}}
  %c31 = "tcc.constant"() {value = dense<[-2.5, -1.0, -0.0, 0.5, 1.5, 3.0]> : tensor<6xf32>} : () -> tensor<6xf32>
  %r32 = "tcc.sin"(%c31) : (tensor<6xf32>) -> tensor<6xf32>
  // CHECK: output 15: 6xf32 = -0.598472 -0.841471 -0 0.479426 0.997495 0.14112{{$}}
  %c33 = "tcc.constant"() {value = dense<[-2.5, -1.0, -0.0, 0.5, 1.5, 3.0]> : tensor<6xf32>} : () -> tensor<6xf32>
  %r34 = "tcc.cos"(%c33) : (tensor<6xf32>) -> tensor<6xf32>
  // CHECK: output 16: 6xf32 = -0.801144 0.540302 1 0.877583 0.0707372 -0.989992{{$}}
  %c35 = "tcc.constant"() {value = dense<[-2.5, -1.0, -0.0, 0.5, 1.5, 3.0]> : tensor<6xf32>} : () -> tensor<6xf32>
  %r36 = "tcc.tan"(%c35) : (tensor<6xf32>) -> tensor<6xf32>
  // CHECK: output 17: 6xf32 = 0.747022 -1.55741 -0 0.546302 14.1014 -0.142547{{$}}
  %c37 = "tcc.constant"() {value = dense<[-1.0, -0.5, 0.0, 0.75]> : tensor<4xf32>} : () -> tensor<4xf32>
  %r38 = "tcc.asin"(%c37) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: output 18: 4xf32 = -1.5708 -0.523599 0 0.848062{{$}}
  %c39 = "tcc.constant"() {value = dense<[-1.0, -0.5, 0.0, 0.75]> : tensor<4xf32>} : () -> tensor<4xf32>
  %r40 = "tcc.acos"(%c39) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: output 19: 4xf32 = 3.14159 2.0944 1.5708 0.722734{{$}}
  %c41 = "tcc.constant"() {value = dense<[-2.5, -1.0, -0.0, 0.5, 1.5, 3.0]> : tensor<6xf32>} : () -> tensor<6xf32>
  %r42 = "tcc.atan"(%c41) : (tensor<6xf32>) -> tensor<6xf32>
  // CHECK: output 20: 6xf32 = -1.19029 -0.785398 -0 0.463648 0.982794 1.24905{{$}}
  %c43 = "tcc.constant"() {value = dense<[-2.5, -1.0, -0.0, 0.5, 1.5, 3.0]> : tensor<6xf32>} : () -> tensor<6xf32>
  %r44 = "tcc.sinh"(%c43) : (tensor<6xf32>) -> tensor<6xf32>
  // CHECK: output 21: 6xf32 = -6.0502 -1.1752 -0 0.521095 2.12928 10.0179{{$}}
  %c45 = "tcc.constant"() {value = dense<[-2.5, -1.0, -0.0, 0.5, 1.5, 3.0]> : tensor<6xf32>} : () -> tensor<6xf32>
  %r46 = "tcc.cosh"(%c45) : (tensor<6xf32>) -> tensor<6xf32>
  // CHECK: output 22: 6xf32 = 6.13229 1.54308 1 1.12763 2.35241 10.0677{{$}}
  %c47 = "tcc.constant"() {value = dense<[-2.5, -1.0, -0.0, 0.5, 1.5, 3.0]> : tensor<6xf32>} : () -> tensor<6xf32>
  %r48 = "tcc.tanh"(%c47) : (tensor<6xf32>) -> tensor<6xf32>
  // CHECK: output 23: 6xf32 = -0.986614 -0.761594 -0 0.462117 0.905148 0.995055{{$}}
  %c49 = "tcc.constant"() {value = dense<[-2.5, -1.0, -0.0, 0.5, 1.5, 3.0]> : tensor<6xf32>} : () -> tensor<6xf32>
  %r50 = "tcc.asinh"(%c49) : (tensor<6xf32>) -> tensor<6xf32>
  // CHECK: output 24: 6xf32 = -1.64723 -0.881374 -0 0.481212 1.19476 1.81845{{$}}
  %c51 = "tcc.constant"() {value = dense<[1.0, 1.5, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %r52 = "tcc.acosh"(%c51) : (tensor<3xf32>) -> tensor<3xf32>
  // CHECK: output 25: 3xf32 = 0 0.962424 1.76275{{$}}
  %c53 = "tcc.constant"() {value = dense<[-0.5, 0.0, 0.75]> : tensor<3xf32>} : () -> tensor<3xf32>
  %r54 = "tcc.atanh"(%c53) : (tensor<3xf32>) -> tensor<3xf32>
  // CHECK: output 26: 3xf32 = -0.549306 0 0.972955{{$}}
  %c55 = "tcc.constant"() {value = dense<[-2.5, -1.0, -0.0, 0.5, 1.5, 3.0]> : tensor<6xf32>} : () -> tensor<6xf32>
  %r56 = "tcc.erf"(%c55) : (tensor<6xf32>) -> tensor<6xf32>
  // CHECK: output 27: 6xf32 = -0.999593 -0.842701 -0 0.5205 0.966105 0.999978{{$}}
  %c57 = "tcc.constant"() {value = dense<[-128, -3, 0, 127]> : tensor<4xi8>} : () -> tensor<4xi8>
  // integers wrap: -(-128) is -128
  %r58 = "tcc.neg"(%c57) : (tensor<4xi8>) -> tensor<4xi8>
  // CHECK: output 28: 4xi8 = -128 3 0 -127{{$}}
  %c59 = "tcc.constant"() {value = dense<[-128, -3, 0, 127]> : tensor<4xi8>} : () -> tensor<4xi8>
  %r60 = "tcc.abs"(%c59) : (tensor<4xi8>) -> tensor<4xi8>
  // CHECK: output 29: 4xi8 = -128 3 0 127{{$}}
  %c61 = "tcc.constant"() {value = dense<[-128, -3, 0, 127]> : tensor<4xi8>} : () -> tensor<4xi8>
  %r62 = "tcc.sign"(%c61) : (tensor<4xi8>) -> tensor<4xi8>
  // CHECK: output 30: 4xi8 = -1 -1 0 1{{$}}
  %c63 = "tcc.constant"() {value = dense<[-128, -3, 0, 127]> : tensor<4xi8>} : () -> tensor<4xi8>
  %r64 = "tcc.not"(%c63) : (tensor<4xi8>) -> tensor<4xi8>
  // CHECK: output 31: 4xi8 = 127 2 -1 -128{{$}}
  %c65 = "tcc.constant"() {value = dense<[1, 0, 255]> : tensor<3xui8>} : () -> tensor<3xui8>
  %r66 = "tcc.neg"(%c65) : (tensor<3xui8>) -> tensor<3xui8>
  // CHECK: output 32: 3xui8 = 255 0 1{{$}}
  %c67 = "tcc.constant"() {value = dense<[true, false]> : tensor<2xi1>} : () -> tensor<2xi1>
  %r68 = "tcc.not"(%c67) : (tensor<2xi1>) -> tensor<2xi1>
  // CHECK: output 33: 2xi1 = 0 1{{$}}
  %c69 = "tcc.constant"() {value = dense<[0x7FC00000, 0x7F800000, 0xFF800000, 1.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %r70 = "tcc.is_nan"(%c69) : (tensor<4xf32>) -> tensor<4xi1>
  // CHECK: output 34: 4xi1 = 1 0 0 0{{$}}
  %c71 = "tcc.constant"() {value = dense<[0x7FC00000, 0x7F800000, 0xFF800000, 1.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %r72 = "tcc.is_inf"(%c71) : (tensor<4xf32>) -> tensor<4xi1>
  // CHECK: output 35: 4xi1 = 0 1 1 0{{$}}
  %c73 = "tcc.constant"() {value = dense<[0x7FC00000, 0x7F800000, 0xFF800000, 1.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %r74 = "tcc.is_inf"(%c73) {negative = false} : (tensor<4xf32>) -> tensor<4xi1>
  // CHECK: output 36: 4xi1 = 0 1 0 0{{$}}
  return %r2, %r4, %r6, %r8, %r10, %r12, %r14, %r16, %r18, %r20, %r22, %r24, %r26, %r28, %r30, %r32, %r34, %r36, %r38, %r40, %r42, %r44, %r46, %r48, %r50, %r52, %r54, %r56, %r58, %r60, %r62, %r64, %r66, %r68, %r70, %r72, %r74 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<2xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<6xf32>, tensor<6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<3xf32>, tensor<3xf32>, tensor<6xf32>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<3xui8>, tensor<2xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}
