// RUN: tcc-interp %s | FileCheck %s
// RUN: tcc-interp %s --pipeline tcc-decompose | FileCheck %s

// Rows 0 to 2 are group 0, group 1 has none, row 3 is group 2, row 4 none.
func.func @main() -> (tensor<5x2xf32>, tensor<3x2x2xf32>, tensor<2x1xf32>) {
  %a = "tcc.constant"() {value = dense<[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 3.0], [4.0, 4.0]]> : tensor<5x2xf32>} : () -> tensor<5x2xf32>
  %b = "tcc.constant"() {value = dense<[[[1.0, 2.0], [3.0, 4.0]], [[100.0, 100.0], [100.0, 100.0]], [[-1.0, 1.0], [2.0, 0.0]]]> : tensor<3x2x2xf32>} : () -> tensor<3x2x2xf32>
  %ends = "tcc.constant"() {value = dense<[3, 3, 4]> : tensor<3xi32>} : () -> tensor<3xi32>
  %r = "tcc.ragged_dot"(%a, %b, %ends) : (tensor<5x2xf32>, tensor<3x2x2xf32>, tensor<3xi32>) -> tensor<5x2xf32>
  // CHECK: output 0: 5x2xf32 = 1 2 3 4 4 6 4 2 0 0{{$}}
  %t = "tcc.transpose"(%a) {perm = array<i64: 1, 0>} : (tensor<5x2xf32>) -> tensor<2x5xf32>
  %s = "tcc.ragged_dot"(%t, %r, %ends) {ragged = "depth"} : (tensor<2x5xf32>, tensor<5x2xf32>, tensor<3xi32>) -> tensor<3x2x2xf32>
  // CHECK: output 1: 3x2x2xf32 = 5 8 7 10 0 0 0 0 8 4 12 6{{$}}
  // As many groups as rows: each row is a block.
  %x = "tcc.constant"() {value = dense<[[3.0], [5.0]]> : tensor<2x1xf32>} : () -> tensor<2x1xf32>
  %w = "tcc.constant"() {value = dense<[[[7.0]], [[11.0]]]> : tensor<2x1x1xf32>} : () -> tensor<2x1x1xf32>
  %last = "tcc.constant"() {value = dense<[0, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  %y = "tcc.ragged_dot"(%x, %w, %last) : (tensor<2x1xf32>, tensor<2x1x1xf32>, tensor<2xi64>) -> tensor<2x1xf32>
  // CHECK: output 2: 2x1xf32 = 33 55{{$}}
  return %r, %s, %y : tensor<5x2xf32>, tensor<3x2x2xf32>, tensor<2x1xf32>
}
