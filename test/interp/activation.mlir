// RUN: tcc-interp %s | FileCheck %s
// RUN: tcc-interp %s --pipeline tcc-decompose | FileCheck %s

// Elementwise composites, directly and through their expansions; large arguments of both signs.
func.func @main() -> (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<2x2xf32>, tensor<2xi32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi32>) {
  %c1 = "tcc.constant"() {value = dense<[-200.0, -2.0, -0.5, 0.0, 0.5, 3.0, 200.0]> : tensor<7xf32>} : () -> tensor<7xf32>
  %r2 = "tcc.relu"(%c1) : (tensor<7xf32>) -> tensor<7xf32>
  // CHECK: output 0: 7xf32 = 0 0 0 0 0.5 3 200{{$}}
  %c3 = "tcc.constant"() {value = dense<[-200.0, -2.0, -0.5, 0.0, 0.5, 3.0, 200.0]> : tensor<7xf32>} : () -> tensor<7xf32>
  %r4 = "tcc.leaky_relu"(%c3) {alpha = 0.1 : f64} : (tensor<7xf32>) -> tensor<7xf32>
  // CHECK: output 1: 7xf32 = -20 -0.2 -0.05 0 0.5 3 200{{$}}
  %c5 = "tcc.constant"() {value = dense<[-200.0, -2.0, -0.5, 0.0, 0.5, 3.0, 200.0]> : tensor<7xf32>} : () -> tensor<7xf32>
  %r6 = "tcc.elu"(%c5) {alpha = 1.5 : f64} : (tensor<7xf32>) -> tensor<7xf32>
  // CHECK: output 2: 7xf32 = -1.5 -1.297 -0.590204 0 0.5 3 200{{$}}
  %c7 = "tcc.constant"() {value = dense<[-200.0, -2.0, -0.5, 0.0, 0.5, 3.0, 200.0]> : tensor<7xf32>} : () -> tensor<7xf32>
  %r8 = "tcc.selu"(%c7) {alpha = 1.5 : f64, gamma = 2.0 : f64} : (tensor<7xf32>) -> tensor<7xf32>
  // CHECK: output 3: 7xf32 = -3 -2.59399 -1.18041 0 1 6 400{{$}}
  %c9 = "tcc.constant"() {value = dense<[-200.0, -2.0, -0.5, 0.0, 0.5, 3.0, 200.0]> : tensor<7xf32>} : () -> tensor<7xf32>
  %r10 = "tcc.celu"(%c9) {alpha = 2.0 : f64} : (tensor<7xf32>) -> tensor<7xf32>
  // CHECK: output 4: 7xf32 = -2 -1.26424 -0.442398 0 0.5 3 200{{$}}
  %c11 = "tcc.constant"() {value = dense<[-200.0, -2.0, -0.5, 0.0, 0.5, 3.0, 200.0]> : tensor<7xf32>} : () -> tensor<7xf32>
  %r12 = "tcc.hard_sigmoid"(%c11) {alpha = 0.2 : f64, beta = 0.5 : f64} : (tensor<7xf32>) -> tensor<7xf32>
  // CHECK: output 5: 7xf32 = 0 0.1 0.4 0.5 0.6 1 1{{$}}
  %c13 = "tcc.constant"() {value = dense<[-200.0, -2.0, -0.5, 0.0, 0.5, 3.0, 200.0]> : tensor<7xf32>} : () -> tensor<7xf32>
  %r14 = "tcc.hard_swish"(%c13) : (tensor<7xf32>) -> tensor<7xf32>
  // CHECK: output 6: 7xf32 = -0 -0.333333 -0.208333 0 0.291667 3 200{{$}}
  %c15 = "tcc.constant"() {value = dense<[-200.0, -2.0, -0.5, 0.0, 0.5, 3.0, 200.0]> : tensor<7xf32>} : () -> tensor<7xf32>
  %r16 = "tcc.swish"(%c15) : (tensor<7xf32>) -> tensor<7xf32>
  // CHECK: output 7: 7xf32 = -0 -0.238406 -0.18877 0 0.31123 2.85772 200{{$}}
  %c17 = "tcc.constant"() {value = dense<[-200.0, -2.0, -0.5, 0.0, 0.5, 3.0, 200.0]> : tensor<7xf32>} : () -> tensor<7xf32>
  %r18 = "tcc.swish"(%c17) {alpha = 2.0 : f64} : (tensor<7xf32>) -> tensor<7xf32>
  // CHECK: output 8: 7xf32 = -0 -0.0359724 -0.134471 0 0.365529 2.99258 200{{$}}
  %c19 = "tcc.constant"() {value = dense<[-200.0, -2.0, -0.5, 0.0, 0.5, 3.0, 200.0]> : tensor<7xf32>} : () -> tensor<7xf32>
  %r20 = "tcc.softsign"(%c19) : (tensor<7xf32>) -> tensor<7xf32>
  // CHECK: output 9: 7xf32 = -0.995025 -0.666667 -0.333333 0 0.333333 0.75 0.995025{{$}}
  %c21 = "tcc.constant"() {value = dense<[-200.0, -2.0, -0.5, 0.0, 0.5, 3.0, 200.0]> : tensor<7xf32>} : () -> tensor<7xf32>
  %r22 = "tcc.gelu"(%c21) : (tensor<7xf32>) -> tensor<7xf32>
  // CHECK: output 10: 7xf32 = -0 -0.0455003 -0.154269 0 0.345731 2.99595 200{{$}}
  %c23 = "tcc.constant"() {value = dense<[-200.0, -2.0, -0.5, 0.0, 0.5, 3.0, 200.0]> : tensor<7xf32>} : () -> tensor<7xf32>
  %r24 = "tcc.gelu"(%c23) {approximate = "tanh"} : (tensor<7xf32>) -> tensor<7xf32>
  // CHECK: output 11: 7xf32 = -0 -0.0454023 -0.154286 0 0.345714 2.99636 200{{$}}
  %c25 = "tcc.constant"() {value = dense<[-20.0, -2.0, -0.5, 0.0, 0.5, 3.0, 200.0]> : tensor<7xf32>} : () -> tensor<7xf32>
  %r26 = "tcc.sigmoid"(%c25) : (tensor<7xf32>) -> tensor<7xf32>
  // CHECK: output 12: 7xf32 = 2.06115e-09 0.119203 0.377541 0.5 0.622459 0.952574 1{{$}}
  %c27 = "tcc.constant"() {value = dense<[-20.0, -2.0, -0.5, 0.0, 0.5, 3.0, 200.0]> : tensor<7xf32>} : () -> tensor<7xf32>
  %r28 = "tcc.softplus"(%c27) : (tensor<7xf32>) -> tensor<7xf32>
  // CHECK: output 13: 7xf32 = 2.06115e-09 0.126928 0.474077 0.693147 0.974077 3.04859 200{{$}}
  %c29 = "tcc.constant"() {value = dense<[-20.0, -2.0, -0.5, 0.0, 0.5, 3.0, 200.0]> : tensor<7xf32>} : () -> tensor<7xf32>
  %r30 = "tcc.mish"(%c29) : (tensor<7xf32>) -> tensor<7xf32>
  // CHECK: output 14: 7xf32 = -4.12231e-08 -0.252501 -0.220744 0 0.375245 2.98654 200{{$}}
  %c31 = "tcc.constant"() {value = dense<[[-2.0, 3.0], [-4.0, 5.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
  %c32 = "tcc.constant"() {value = dense<[0.5, 0.25]> : tensor<2xf32>} : () -> tensor<2xf32>
  %r33 = "tcc.prelu"(%c31, %c32) : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  // CHECK: output 15: 2x2xf32 = -1 3 -2 5{{$}}
  %c34 = "tcc.constant"() {value = dense<[-3, 4]> : tensor<2xi32>} : () -> tensor<2xi32>
  %r35 = "tcc.relu"(%c34) : (tensor<2xi32>) -> tensor<2xi32>
  // CHECK: output 16: 2xi32 = 0 4{{$}}
  %c36 = "tcc.constant"() {value = dense<[-3.0, 0.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %c37 = "tcc.constant"() {value = dense<-1.0> : tensor<f32>} : () -> tensor<f32>
  %c38 = "tcc.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %r39 = "tcc.clamp"(%c36, %c37, %c38) : (tensor<3xf32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
  // CHECK: output 17: 3xf32 = -1 0 2{{$}}
  %c40 = "tcc.constant"() {value = dense<[-3.0, 0.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %n41 = "tcc.none"() : () -> none
  %c42 = "tcc.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %r43 = "tcc.clamp"(%c40, %n41, %c42) : (tensor<3xf32>, none, tensor<f32>) -> tensor<3xf32>
  // CHECK: output 18: 3xf32 = -3 0 2{{$}}
  %c44 = "tcc.constant"() {value = dense<[-3, 0, 3]> : tensor<3xi32>} : () -> tensor<3xi32>
  %c45 = "tcc.constant"() {value = dense<-1> : tensor<i32>} : () -> tensor<i32>
  %n46 = "tcc.none"() : () -> none
  %r47 = "tcc.clamp"(%c44, %c45, %n46) : (tensor<3xi32>, tensor<i32>, none) -> tensor<3xi32>
  // CHECK: output 19: 3xi32 = -1 0 3{{$}}
  return %r2, %r4, %r6, %r8, %r10, %r12, %r14, %r16, %r18, %r20, %r22, %r24, %r26, %r28, %r30, %r33, %r35, %r39, %r43, %r47 : tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<2x2xf32>, tensor<2xi32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi32>
}
