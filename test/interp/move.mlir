// RUN: tcc-interp %s | FileCheck %s
// RUN: tcc-interp %s --pipeline tcc-decompose | FileCheck %s

// Ops that move elements.
func.func @main() -> (tensor<4x6xi32>, tensor<4x2x3xi32>, tensor<2x2x3xi32>, tensor<2x2x2xi32>, tensor<1x2x2xi32>, tensor<7xf32>, tensor<4xf32>, tensor<7xf32>, tensor<9xf32>, tensor<7xf32>, tensor<2x2x2x4xi32>, tensor<1x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x3xf32>, tensor<2xf32>, tensor<2x3xi64>, tensor<4x4xi32>, tensor<3x5xi32>, tensor<2x4xi32>) {
  %c1 = "tcc.constant"() {value = dense<[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]> : tensor<2x3x4xi32>} : () -> tensor<2x3x4xi32>
  %r2 = "tcc.reshape"(%c1) : (tensor<2x3x4xi32>) -> tensor<4x6xi32>
  // CHECK: output 0: 4x6xi32 = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23{{$}}
  %c3 = "tcc.constant"() {value = dense<[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]> : tensor<2x3x4xi32>} : () -> tensor<2x3x4xi32>
  %r4 = "tcc.transpose"(%c3) {perm = array<i64: 2, 0, 1>} : (tensor<2x3x4xi32>) -> tensor<4x2x3xi32>
  // CHECK: output 1: 4x2x3xi32 = 0 4 8 12 16 20 1 5 9 13 17 21 2 6 10 14 18 22 3 7 11 15 19 23{{$}}
  %c5 = "tcc.constant"() {value = dense<[[1], [2]]> : tensor<2x1xi32>} : () -> tensor<2x1xi32>
  %r6 = "tcc.broadcast"(%c5) : (tensor<2x1xi32>) -> tensor<2x2x3xi32>
  // CHECK: output 2: 2x2x3xi32 = 1 1 1 2 2 2 1 1 1 2 2 2{{$}}
  %c7 = "tcc.constant"() {value = dense<[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]> : tensor<2x3x4xi32>} : () -> tensor<2x3x4xi32>
  %r8 = "tcc.slice"(%c7) {starts = [0, 2, 1], steps = array<i64: 1, -2, 2>} : (tensor<2x3x4xi32>) -> tensor<2x2x2xi32>
  // CHECK: output 3: 2x2x2xi32 = 9 11 1 3 21 23 13 15{{$}}
  %c9 = "tcc.constant"() {value = dense<[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]> : tensor<2x3x4xi32>} : () -> tensor<2x3x4xi32>
  %c10 = "tcc.constant"() {value = dense<[1, 5, -3]> : tensor<3xi64>} : () -> tensor<3xi64>
  // starts are clamped
  %r11 = "tcc.dynamic_slice"(%c9, %c10) : (tensor<2x3x4xi32>, tensor<3xi64>) -> tensor<1x2x2xi32>
  // CHECK: output 4: 1x2x2xi32 = 16 17 20 21{{$}}
  %c12 = "tcc.constant"() {value = dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %c13 = "tcc.constant"() {value = dense<9.0> : tensor<f32>} : () -> tensor<f32>
  %r14 = "tcc.pad"(%c12, %c13) {low = [1], high = [2], mode = "constant"} : (tensor<4xf32>, tensor<f32>) -> tensor<7xf32>
  // CHECK: output 5: 7xf32 = 9 0 1 2 3 9 9{{$}}
  %c15 = "tcc.constant"() {value = dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %n16 = "tcc.none"() : () -> none
  // a negative pad crops
  %r17 = "tcc.pad"(%c15, %n16) {low = [-1], high = [1], mode = "constant"} : (tensor<4xf32>, none) -> tensor<4xf32>
  // CHECK: output 6: 4xf32 = 1 2 3 0{{$}}
  %c18 = "tcc.constant"() {value = dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %n19 = "tcc.none"() : () -> none
  %r20 = "tcc.pad"(%c18, %n19) {low = [2], high = [1], mode = "edge"} : (tensor<4xf32>, none) -> tensor<7xf32>
  // CHECK: output 7: 7xf32 = 0 0 0 1 2 3 3{{$}}
  %c21 = "tcc.constant"() {value = dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %n22 = "tcc.none"() : () -> none
  %r23 = "tcc.pad"(%c21, %n22) {low = [2], high = [3], mode = "reflect"} : (tensor<4xf32>, none) -> tensor<9xf32>
  // CHECK: output 8: 9xf32 = 2 1 0 1 2 3 2 1 0{{$}}
  %c24 = "tcc.constant"() {value = dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %n25 = "tcc.none"() : () -> none
  %r26 = "tcc.pad"(%c24, %n25) {low = [2], high = [1], mode = "wrap"} : (tensor<4xf32>, none) -> tensor<7xf32>
  // CHECK: output 9: 7xf32 = 2 3 0 1 2 3 0{{$}}
  %c27 = "tcc.constant"() {value = dense<[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]> : tensor<2x3x4xi32>} : () -> tensor<2x3x4xi32>
  %c28 = "tcc.constant"() {value = dense<[[0, -1], [1, 0]]> : tensor<2x2xi64>} : () -> tensor<2x2xi64>
  %r29 = "tcc.gather"(%c27, %c28) {axis = 1 : i64} : (tensor<2x3x4xi32>, tensor<2x2xi64>) -> tensor<2x2x2x4xi32>
  // CHECK: output 10: 2x2x2x4xi32 = 0 1 2 3 8 9 10 11 4 5 6 7 0 1 2 3 12 13 14 15 20 21 22 23 16 17 18 19 12 13 14 15{{$}}
  %c30 = "tcc.constant"() {value = dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xi32>} : () -> tensor<3x4xi32>
  %c31 = "tcc.constant"() {value = dense<[[0, 2, 1, -1]]> : tensor<1x4xi64>} : () -> tensor<1x4xi64>
  %r32 = "tcc.gather_elements"(%c30, %c31) {axis = 0 : i64} : (tensor<3x4xi32>, tensor<1x4xi64>) -> tensor<1x4xi32>
  // CHECK: output 11: 1x4xi32 = 0 9 6 11{{$}}
  %c33 = "tcc.constant"() {value = dense<[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]> : tensor<2x3x4xi32>} : () -> tensor<2x3x4xi32>
  %c34 = "tcc.constant"() {value = dense<[[0, 1], [1, -1]]> : tensor<2x2xi64>} : () -> tensor<2x2xi64>
  %r35 = "tcc.gather_nd"(%c33, %c34) : (tensor<2x3x4xi32>, tensor<2x2xi64>) -> tensor<2x4xi32>
  // CHECK: output 12: 2x4xi32 = 4 5 6 7 20 21 22 23{{$}}
  %c36 = "tcc.constant"() {value = dense<[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]> : tensor<2x3x4xi32>} : () -> tensor<2x3x4xi32>
  %c37 = "tcc.constant"() {value = dense<[[1], [0]]> : tensor<2x1xi64>} : () -> tensor<2x1xi64>
  %r38 = "tcc.gather_nd"(%c36, %c37) {batch_dims = 1 : i64} : (tensor<2x3x4xi32>, tensor<2x1xi64>) -> tensor<2x4xi32>
  // CHECK: output 13: 2x4xi32 = 4 5 6 7 12 13 14 15{{$}}
  %c39 = "tcc.constant"() {value = dense<[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]> : tensor<3x3xf32>} : () -> tensor<3x3xf32>
  %c40 = "tcc.constant"() {value = dense<[[1, 0, 2]]> : tensor<1x3xi64>} : () -> tensor<1x3xi64>
  %c41 = "tcc.constant"() {value = dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>} : () -> tensor<1x3xf32>
  %r42 = "tcc.scatter_elements"(%c39, %c40, %c41) {axis = 0 : i64} : (tensor<3x3xf32>, tensor<1x3xi64>, tensor<1x3xf32>) -> tensor<3x3xf32>
  // CHECK: output 14: 3x3xf32 = 0 2 0 1 0 0 0 0 3{{$}}
  %c43 = "tcc.constant"() {value = dense<[0.0, 0.0, 0.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %c44 = "tcc.constant"() {value = dense<[0, 1, 0]> : tensor<3xi64>} : () -> tensor<3xi64>
  %c45 = "tcc.constant"() {value = dense<[1.0, 1.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %r46 = "tcc.scatter_elements"(%c43, %c44, %c45) {axis = 0 : i64, reduction = "add"} : (tensor<3xf32>, tensor<3xi64>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK: output 15: 3xf32 = 4 1 0{{$}}
  %c47 = "tcc.constant"() {value = dense<[0.0, 0.0, 0.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %c48 = "tcc.constant"() {value = dense<[0, 1, 0]> : tensor<3xi64>} : () -> tensor<3xi64>
  %c49 = "tcc.constant"() {value = dense<[1.0, 1.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %r50 = "tcc.scatter_elements"(%c47, %c48, %c49) {axis = 0 : i64, reduction = "mul"} : (tensor<3xf32>, tensor<3xi64>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK: output 16: 3xf32 = 0 0 0{{$}}
  %c51 = "tcc.constant"() {value = dense<[0.0, 0.0, 0.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %c52 = "tcc.constant"() {value = dense<[0, 1, 0]> : tensor<3xi64>} : () -> tensor<3xi64>
  %c53 = "tcc.constant"() {value = dense<[1.0, 1.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %r54 = "tcc.scatter_elements"(%c51, %c52, %c53) {axis = 0 : i64, reduction = "max"} : (tensor<3xf32>, tensor<3xi64>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK: output 17: 3xf32 = 3 1 0{{$}}
  %c55 = "tcc.constant"() {value = dense<[0.0, 0.0, 0.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %c56 = "tcc.constant"() {value = dense<[0, 1, 0]> : tensor<3xi64>} : () -> tensor<3xi64>
  %c57 = "tcc.constant"() {value = dense<[1.0, 1.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %r58 = "tcc.scatter_elements"(%c55, %c56, %c57) {axis = 0 : i64, reduction = "min"} : (tensor<3xf32>, tensor<3xi64>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK: output 18: 3xf32 = 0 0 0{{$}}
  %c59 = "tcc.constant"() {value = dense<[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]> : tensor<3x3xf32>} : () -> tensor<3x3xf32>
  %c60 = "tcc.constant"() {value = dense<[[2], [0]]> : tensor<2x1xi64>} : () -> tensor<2x1xi64>
  %c61 = "tcc.constant"() {value = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %r62 = "tcc.scatter_nd"(%c59, %c60, %c61) : (tensor<3x3xf32>, tensor<2x1xi64>, tensor<2x3xf32>) -> tensor<3x3xf32>
  // CHECK: output 19: 3x3xf32 = 4 5 6 0 0 0 1 2 3{{$}}
  %c63 = "tcc.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %c64 = "tcc.constant"() {value = dense<[[1], [1]]> : tensor<2x1xi64>} : () -> tensor<2x1xi64>
  %c65 = "tcc.constant"() {value = dense<[3.0, 4.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %r66 = "tcc.scatter_nd"(%c63, %c64, %c65) {reduction = "add"} : (tensor<2xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK: output 20: 2xf32 = 1 9{{$}}
  %r67 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<2x3xi64>
  // CHECK: output 21: 2x3xi64 = 0 1 2 0 1 2{{$}}
  %c68 = "tcc.constant"() {value = dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xi32>} : () -> tensor<3x4xi32>
  %c69 = "tcc.constant"() {value = dense<[[12, 13, 14, 15]]> : tensor<1x4xi32>} : () -> tensor<1x4xi32>
  %r70 = "tcc.concat"(%c68, %c69) {axis = 0 : i64} : (tensor<3x4xi32>, tensor<1x4xi32>) -> tensor<4x4xi32>
  // CHECK: output 22: 4x4xi32 = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15{{$}}
  %c71 = "tcc.constant"() {value = dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xi32>} : () -> tensor<3x4xi32>
  %c72 = "tcc.constant"() {value = dense<[[12], [16], [20]]> : tensor<3x1xi32>} : () -> tensor<3x1xi32>
  %r73 = "tcc.concat"(%c71, %c72) {axis = 1 : i64} : (tensor<3x4xi32>, tensor<3x1xi32>) -> tensor<3x5xi32>
  // CHECK: output 23: 3x5xi32 = 0 1 2 3 12 4 5 6 7 16 8 9 10 11 20{{$}}
  %c74 = "tcc.constant"() {value = dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xi32>} : () -> tensor<3x4xi32>
  %c75 = "tcc.constant"() {value = dense<[2, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
  %r76 = "tcc.embedding"(%c74, %c75) : (tensor<3x4xi32>, tensor<2xi64>) -> tensor<2x4xi32>
  // CHECK: output 24: 2x4xi32 = 8 9 10 11 0 1 2 3{{$}}
  return %r2, %r4, %r6, %r8, %r11, %r14, %r17, %r20, %r23, %r26, %r29, %r32, %r35, %r38, %r42, %r46, %r50, %r54, %r58, %r62, %r66, %r67, %r70, %r73, %r76 : tensor<4x6xi32>, tensor<4x2x3xi32>, tensor<2x2x3xi32>, tensor<2x2x2xi32>, tensor<1x2x2xi32>, tensor<7xf32>, tensor<4xf32>, tensor<7xf32>, tensor<9xf32>, tensor<7xf32>, tensor<2x2x2x4xi32>, tensor<1x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x3xf32>, tensor<2xf32>, tensor<2x3xi64>, tensor<4x4xi32>, tensor<3x5xi32>, tensor<2x4xi32>
}
