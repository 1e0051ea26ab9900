// RUN: tcc-interp %s | FileCheck %s
// RUN: tcc-interp %s --pipeline tcc-decompose | FileCheck %s

// Reductions and what runs along an axis.
func.func @main() -> (tensor<2x2xf32>, tensor<1x2x1xf32>, tensor<2x2xf32>, tensor<1x2x1xf32>, tensor<2x2xf32>, tensor<1x2x1xf32>, tensor<2x2xf32>, tensor<1x2x1xf32>, tensor<f32>, tensor<i8>, tensor<i32>, tensor<2xi1>, tensor<2xi1>, tensor<2xf32>, tensor<1xi32>, tensor<2xi64>, tensor<2x1xi64>, tensor<3xi64>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi64>, tensor<1x3xf32>, tensor<1x3xi64>) {
  %c1 = "tcc.constant"() {value = dense<[[[1.0, -2.0], [3.0, 4.0]], [[5.0, 0.5], [-7.0, 8.0]]]> : tensor<2x2x2xf32>} : () -> tensor<2x2x2xf32>
  %r2 = "tcc.reduce"(%c1) {kind = "sum", axes = array<i64: 1>} : (tensor<2x2x2xf32>) -> tensor<2x2xf32>
  // CHECK: output 0: 2x2xf32 = 4 2 -2 8.5{{$}}
  %c3 = "tcc.constant"() {value = dense<[[[1.0, -2.0], [3.0, 4.0]], [[5.0, 0.5], [-7.0, 8.0]]]> : tensor<2x2x2xf32>} : () -> tensor<2x2x2xf32>
  %r4 = "tcc.reduce"(%c3) {kind = "sum", axes = array<i64: 0, 2>, keepdims = true} : (tensor<2x2x2xf32>) -> tensor<1x2x1xf32>
  // CHECK: output 1: 1x2x1xf32 = 4.5 8{{$}}
  %c5 = "tcc.constant"() {value = dense<[[[1.0, -2.0], [3.0, 4.0]], [[5.0, 0.5], [-7.0, 8.0]]]> : tensor<2x2x2xf32>} : () -> tensor<2x2x2xf32>
  %r6 = "tcc.reduce"(%c5) {kind = "prod", axes = array<i64: 1>} : (tensor<2x2x2xf32>) -> tensor<2x2xf32>
  // CHECK: output 2: 2x2xf32 = 3 -8 -35 4{{$}}
  %c7 = "tcc.constant"() {value = dense<[[[1.0, -2.0], [3.0, 4.0]], [[5.0, 0.5], [-7.0, 8.0]]]> : tensor<2x2x2xf32>} : () -> tensor<2x2x2xf32>
  %r8 = "tcc.reduce"(%c7) {kind = "prod", axes = array<i64: 0, 2>, keepdims = true} : (tensor<2x2x2xf32>) -> tensor<1x2x1xf32>
  // CHECK: output 3: 1x2x1xf32 = -5 -672{{$}}
  %c9 = "tcc.constant"() {value = dense<[[[1.0, -2.0], [3.0, 4.0]], [[5.0, 0.5], [-7.0, 8.0]]]> : tensor<2x2x2xf32>} : () -> tensor<2x2x2xf32>
  %r10 = "tcc.reduce"(%c9) {kind = "max", axes = array<i64: 1>} : (tensor<2x2x2xf32>) -> tensor<2x2xf32>
  // CHECK: output 4: 2x2xf32 = 3 4 5 8{{$}}
  %c11 = "tcc.constant"() {value = dense<[[[1.0, -2.0], [3.0, 4.0]], [[5.0, 0.5], [-7.0, 8.0]]]> : tensor<2x2x2xf32>} : () -> tensor<2x2x2xf32>
  %r12 = "tcc.reduce"(%c11) {kind = "max", axes = array<i64: 0, 2>, keepdims = true} : (tensor<2x2x2xf32>) -> tensor<1x2x1xf32>
  // CHECK: output 5: 1x2x1xf32 = 5 8{{$}}
  %c13 = "tcc.constant"() {value = dense<[[[1.0, -2.0], [3.0, 4.0]], [[5.0, 0.5], [-7.0, 8.0]]]> : tensor<2x2x2xf32>} : () -> tensor<2x2x2xf32>
  %r14 = "tcc.reduce"(%c13) {kind = "min", axes = array<i64: 1>} : (tensor<2x2x2xf32>) -> tensor<2x2xf32>
  // CHECK: output 6: 2x2xf32 = 1 -2 -7 0.5{{$}}
  %c15 = "tcc.constant"() {value = dense<[[[1.0, -2.0], [3.0, 4.0]], [[5.0, 0.5], [-7.0, 8.0]]]> : tensor<2x2x2xf32>} : () -> tensor<2x2x2xf32>
  %r16 = "tcc.reduce"(%c15) {kind = "min", axes = array<i64: 0, 2>, keepdims = true} : (tensor<2x2x2xf32>) -> tensor<1x2x1xf32>
  // CHECK: output 7: 1x2x1xf32 = -2 -7{{$}}
  %c17 = "tcc.constant"() {value = dense<[1.0, 0x7FC00000, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %r18 = "tcc.reduce"(%c17) {kind = "max", axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<f32>
  // CHECK: output 8: f32 = nan{{$}}
  %c19 = "tcc.constant"() {value = dense<[100, 100]> : tensor<2xi8>} : () -> tensor<2xi8>
  %r20 = "tcc.reduce"(%c19) {kind = "sum", axes = array<i64: 0>} : (tensor<2xi8>) -> tensor<i8>
  // CHECK: output 9: i8 = -56{{$}}
  %c21 = "tcc.constant"() {value = dense<[-5, -3]> : tensor<2xi32>} : () -> tensor<2xi32>
  %r22 = "tcc.reduce"(%c21) {kind = "max", axes = array<i64: 0>} : (tensor<2xi32>) -> tensor<i32>
  // CHECK: output 10: i32 = -3{{$}}
  %c23 = "tcc.constant"() {value = dense<[[true, false], [true, true]]> : tensor<2x2xi1>} : () -> tensor<2x2xi1>
  %r24 = "tcc.reduce"(%c23) {kind = "and", axes = array<i64: 1>} : (tensor<2x2xi1>) -> tensor<2xi1>
  // CHECK: output 11: 2xi1 = 0 1{{$}}
  %c25 = "tcc.constant"() {value = dense<[[true, false], [true, true]]> : tensor<2x2xi1>} : () -> tensor<2x2xi1>
  %r26 = "tcc.reduce"(%c25) {kind = "or", axes = array<i64: 0>} : (tensor<2x2xi1>) -> tensor<2xi1>
  // CHECK: output 12: 2xi1 = 1 1{{$}}
  %c27 = "tcc.constant"() {value = dense<[[[1.0, -2.0], [3.0, 4.0]], [[5.0, 0.5], [-7.0, 8.0]]]> : tensor<2x2x2xf32>} : () -> tensor<2x2x2xf32>
  %r28 = "tcc.mean"(%c27) {axes = array<i64: 0, 2>} : (tensor<2x2x2xf32>) -> tensor<2xf32>
  // CHECK: output 13: 2xf32 = 1.125 2{{$}}
  %c29 = "tcc.constant"() {value = dense<[7, 4]> : tensor<2xi32>} : () -> tensor<2xi32>
  %r30 = "tcc.mean"(%c29) {axes = array<i64: 0>, keepdims = true} : (tensor<2xi32>) -> tensor<1xi32>
  // CHECK: output 14: 1xi32 = 5{{$}}
  %c31 = "tcc.constant"() {value = dense<[[1.0, 3.0, 3.0], [2.0, 0.0, 0.0]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %r32 = "tcc.arg_reduce"(%c31) {kind = "max", axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2xi64>
  // CHECK: output 15: 2xi64 = 1 0{{$}}
  %c33 = "tcc.constant"() {value = dense<[[1.0, 3.0, 3.0], [2.0, 0.0, 0.0]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %r34 = "tcc.arg_reduce"(%c33) {kind = "max", axis = 1 : i64, last = true, keepdims = true} : (tensor<2x3xf32>) -> tensor<2x1xi64>
  // CHECK: output 16: 2x1xi64 = 2 0{{$}}
  %c35 = "tcc.constant"() {value = dense<[[1.0, 3.0, 3.0], [2.0, 0.0, 0.0]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %r36 = "tcc.arg_reduce"(%c35) {kind = "min", axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<3xi64>
  // CHECK: output 17: 3xi64 = 0 1 1{{$}}
  %c37 = "tcc.constant"() {value = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %r38 = "tcc.cumulative"(%c37) {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: output 18: 2x3xf32 = 1 3 6 4 9 15{{$}}
  %c39 = "tcc.constant"() {value = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %r40 = "tcc.cumulative"(%c39) {axis = 1 : i64, exclusive = true} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: output 19: 2x3xf32 = 0 1 3 0 4 9{{$}}
  %c41 = "tcc.constant"() {value = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %r42 = "tcc.cumulative"(%c41) {axis = 1 : i64, reverse = true} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: output 20: 2x3xf32 = 6 5 3 15 11 6{{$}}
  %c43 = "tcc.constant"() {value = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %r44 = "tcc.cumulative"(%c43) {axis = 0 : i64, kind = "prod"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: output 21: 2x3xf32 = 1 2 3 4 10 18{{$}}
  %c45 = "tcc.constant"() {value = dense<[1.0, 3.0, 2.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %r46 = "tcc.cumulative"(%c45) {axis = 0 : i64, kind = "max"} : (tensor<3xf32>) -> tensor<3xf32>
  // CHECK: output 22: 3xf32 = 1 3 3{{$}}
  %c47 = "tcc.constant"() {value = dense<[3.0, 1.0, 3.0, 2.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  // equal elements: lower index first
  %r48:2 = "tcc.topk"(%c47) {k = [3], axis = 0 : i64} : (tensor<4xf32>) -> (tensor<3xf32>, tensor<3xi64>)
  // CHECK: output 23: 3xf32 = 3 3 2{{$}}
  // CHECK: output 24: 3xi64 = 0 2 3{{$}}
  %c49 = "tcc.constant"() {value = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %r50:2 = "tcc.topk"(%c49) {k = [1], axis = 0 : i64, largest = false} : (tensor<2x3xf32>) -> (tensor<1x3xf32>, tensor<1x3xi64>)
  // CHECK: output 25: 1x3xf32 = 1 2 3{{$}}
  // CHECK: output 26: 1x3xi64 = 0 0 0{{$}}
  return %r2, %r4, %r6, %r8, %r10, %r12, %r14, %r16, %r18, %r20, %r22, %r24, %r26, %r28, %r30, %r32, %r34, %r36, %r38, %r40, %r42, %r44, %r46, %r48#0, %r48#1, %r50#0, %r50#1 : tensor<2x2xf32>, tensor<1x2x1xf32>, tensor<2x2xf32>, tensor<1x2x1xf32>, tensor<2x2xf32>, tensor<1x2x1xf32>, tensor<2x2xf32>, tensor<1x2x1xf32>, tensor<f32>, tensor<i8>, tensor<i32>, tensor<2xi1>, tensor<2xi1>, tensor<2xf32>, tensor<1xi32>, tensor<2xi64>, tensor<2x1xi64>, tensor<3xi64>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi64>, tensor<1x3xf32>, tensor<1x3xi64>
}
