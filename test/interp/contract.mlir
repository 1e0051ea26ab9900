// RUN: tcc-interp %s | FileCheck %s
// RUN: tcc-interp %s --pipeline tcc-decompose | FileCheck %s

// Contractions, directly and through their expansions: shared and broadcast batches, vectors, 8-bit integers into i32.
func.func @main() -> (tensor<2x2x2xf32>, tensor<2x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<f32>, tensor<2x2x2x2xf32>, tensor<1x1xi32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>) {
  %c1 = "tcc.constant"() {value = dense<[[[2.0, 3.0, -3.0], [2.0, -1.0, 0.0]], [[3.0, -2.0, 2.0], [-2.0, -1.0, 3.0]]]> : tensor<2x2x3xf32>} : () -> tensor<2x2x3xf32>
  %c2 = "tcc.constant"() {value = dense<[[[-1.0, 0.0], [-1.0, -3.0], [-1.0, 1.0]], [[0.0, 2.0], [-1.0, 1.0], [2.0, 3.0]]]> : tensor<2x3x2xf32>} : () -> tensor<2x3x2xf32>
  %r3 = "tcc.dot_general"(%c1, %c2) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<2x2x3xf32>, tensor<2x3x2xf32>) -> tensor<2x2x2xf32>
  // CHECK: output 0: 2x2x2xf32 = -2 -12 -1 3 6 10 7 4{{$}}
  %c4 = "tcc.constant"() {value = dense<[[[2.0, 3.0, -3.0], [2.0, -1.0, 0.0]], [[3.0, -2.0, 2.0], [-2.0, -1.0, 3.0]]]> : tensor<2x2x3xf32>} : () -> tensor<2x2x3xf32>
  %c5 = "tcc.constant"() {value = dense<[[[-1.0, 0.0], [-1.0, -3.0], [-1.0, 1.0]], [[0.0, 2.0], [-1.0, 1.0], [2.0, 3.0]]]> : tensor<2x3x2xf32>} : () -> tensor<2x3x2xf32>
  %r6 = "tcc.dot_general"(%c4, %c5) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 2, 0>, rhs_contract = array<i64: 1, 0>} : (tensor<2x2x3xf32>, tensor<2x3x2xf32>) -> tensor<2x2xf32>
  // CHECK: output 1: 2x2xf32 = 4 -2 6 7{{$}}
  %c7 = "tcc.constant"() {value = dense<[[[2.0, 3.0, -3.0], [2.0, -1.0, 0.0]], [[3.0, -2.0, 2.0], [-2.0, -1.0, 3.0]]]> : tensor<2x2x3xf32>} : () -> tensor<2x2x3xf32>
  %c8 = "tcc.constant"() {value = dense<[[[-1.0, 0.0], [-1.0, -3.0], [-1.0, 1.0]], [[0.0, 2.0], [-1.0, 1.0], [2.0, 3.0]]]> : tensor<2x3x2xf32>} : () -> tensor<2x3x2xf32>
  %r9 = "tcc.matmul"(%c7, %c8) : (tensor<2x2x3xf32>, tensor<2x3x2xf32>) -> tensor<2x2x2xf32>
  // CHECK: output 2: 2x2x2xf32 = -2 -12 -1 3 6 10 7 4{{$}}
  %c10 = "tcc.constant"() {value = dense<[[[2.0, 3.0, -3.0], [2.0, -1.0, 0.0]], [[3.0, -2.0, 2.0], [-2.0, -1.0, 3.0]]]> : tensor<2x2x3xf32>} : () -> tensor<2x2x3xf32>
  %c11 = "tcc.constant"() {value = dense<[[-1.0, 0.0], [-1.0, -3.0], [-1.0, 1.0]]> : tensor<3x2xf32>} : () -> tensor<3x2xf32>
  %r12 = "tcc.matmul"(%c10, %c11) : (tensor<2x2x3xf32>, tensor<3x2xf32>) -> tensor<2x2x2xf32>
  // CHECK: output 3: 2x2x2xf32 = -2 -12 -1 3 -3 8 0 6{{$}}
  %c13 = "tcc.constant"() {value = dense<[[2.0, 3.0, -3.0], [2.0, -1.0, 0.0]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %c14 = "tcc.constant"() {value = dense<[[[-1.0, 0.0], [-1.0, -3.0], [-1.0, 1.0]], [[0.0, 2.0], [-1.0, 1.0], [2.0, 3.0]]]> : tensor<2x3x2xf32>} : () -> tensor<2x3x2xf32>
  %r15 = "tcc.matmul"(%c13, %c14) : (tensor<2x3xf32>, tensor<2x3x2xf32>) -> tensor<2x2x2xf32>
  // CHECK: output 4: 2x2x2xf32 = -2 -12 -1 3 -9 -2 1 3{{$}}
  %c16 = "tcc.constant"() {value = dense<[[[2.0, 3.0, -3.0], [2.0, -1.0, 0.0]], [[3.0, -2.0, 2.0], [-2.0, -1.0, 3.0]]]> : tensor<2x2x3xf32>} : () -> tensor<2x2x3xf32>
  %c17 = "tcc.constant"() {value = dense<[-1.0, -1.0, -1.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %r18 = "tcc.matmul"(%c16, %c17) : (tensor<2x2x3xf32>, tensor<3xf32>) -> tensor<2x2xf32>
  // CHECK: output 5: 2x2xf32 = -2 -1 -3 0{{$}}
  %c19 = "tcc.constant"() {value = dense<[2.0, 3.0, -3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %c20 = "tcc.constant"() {value = dense<[[[-1.0, 0.0], [-1.0, -3.0], [-1.0, 1.0]], [[0.0, 2.0], [-1.0, 1.0], [2.0, 3.0]]]> : tensor<2x3x2xf32>} : () -> tensor<2x3x2xf32>
  %r21 = "tcc.matmul"(%c19, %c20) : (tensor<3xf32>, tensor<2x3x2xf32>) -> tensor<2x2xf32>
  // CHECK: output 6: 2x2xf32 = -2 -12 -9 -2{{$}}
  %c22 = "tcc.constant"() {value = dense<[2.0, 3.0, -3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %c23 = "tcc.constant"() {value = dense<[-2.0, -1.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %r24 = "tcc.matmul"(%c22, %c23) : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  // CHECK: output 7: f32 = -16{{$}}
  %c25 = "tcc.constant"() {value = dense<[[[[2.0, 3.0, -3.0], [2.0, -1.0, 0.0]]], [[[3.0, -2.0, 2.0], [-2.0, -1.0, 3.0]]]]> : tensor<2x1x2x3xf32>} : () -> tensor<2x1x2x3xf32>
  %c26 = "tcc.constant"() {value = dense<[[[[-1.0, 0.0], [-1.0, -3.0], [-1.0, 1.0]], [[0.0, 2.0], [-1.0, 1.0], [2.0, 3.0]]]]> : tensor<1x2x3x2xf32>} : () -> tensor<1x2x3x2xf32>
  %r27 = "tcc.matmul"(%c25, %c26) : (tensor<2x1x2x3xf32>, tensor<1x2x3x2xf32>) -> tensor<2x2x2x2xf32>
  // CHECK: output 8: 2x2x2x2xf32 = -2 -12 -1 3 -9 -2 1 3 -3 8 0 6 6 10 7 4{{$}}
  %c28 = "tcc.constant"() {value = dense<[[127, -128, 1]]> : tensor<1x3xi8>} : () -> tensor<1x3xi8>
  %c29 = "tcc.constant"() {value = dense<[[255], [255], [3]]> : tensor<3x1xui8>} : () -> tensor<3x1xui8>
  %r30 = "tcc.matmul"(%c28, %c29) : (tensor<1x3xi8>, tensor<3x1xui8>) -> tensor<1x1xi32>
  // CHECK: output 9: 1x1xi32 = -252{{$}}
  %c31 = "tcc.constant"() {value = dense<[[[2.0, 3.0, -3.0], [2.0, -1.0, 0.0]], [[3.0, -2.0, 2.0], [-2.0, -1.0, 3.0]]]> : tensor<2x2x3xf32>} : () -> tensor<2x2x3xf32>
  %c32 = "tcc.constant"() {value = dense<[[-1.0, -3.0, 2.0], [0.0, 3.0, 0.0], [-1.0, -3.0, 0.0], [1.0, 2.0, 2.0]]> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
  %c33 = "tcc.constant"() {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %r34 = "tcc.linear"(%c31, %c32, %c33) : (tensor<2x2x3xf32>, tensor<4x3xf32>, tensor<4xf32>) -> tensor<2x2x4xf32>
  // CHECK: output 10: 2x2x4xf32 = -16 11 -8 6 2 -1 4 4 8 -4 6 7 12 -1 8 6{{$}}
  %c35 = "tcc.constant"() {value = dense<[[[2.0, 3.0, -3.0], [2.0, -1.0, 0.0]], [[3.0, -2.0, 2.0], [-2.0, -1.0, 3.0]]]> : tensor<2x2x3xf32>} : () -> tensor<2x2x3xf32>
  %c36 = "tcc.constant"() {value = dense<[[-1.0, 0.0, -1.0, 1.0], [-3.0, 3.0, -3.0, 2.0], [2.0, 0.0, 0.0, 2.0]]> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
  %n37 = "tcc.none"() : () -> none
  %r38 = "tcc.linear"(%c35, %c36, %n37) {transposed = false} : (tensor<2x2x3xf32>, tensor<3x4xf32>, none) -> tensor<2x2x4xf32>
  // CHECK: output 11: 2x2x4xf32 = -17 9 -11 2 1 -3 1 0 7 -6 3 3 11 -3 5 2{{$}}
  return %r3, %r6, %r9, %r12, %r15, %r18, %r21, %r24, %r27, %r30, %r34, %r38 : tensor<2x2x2xf32>, tensor<2x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<f32>, tensor<2x2x2x2xf32>, tensor<1x1xi32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>
}
