// RUN: tcc-interp %s | FileCheck %s

// What lies above the diagonal, 9, is not read; the second matrix has a leading minor of order 2 that is negative.
func.func @main() -> (tensor<3x3xf32>, tensor<i32>, tensor<2xi32>) {
  %a = "tcc.constant"() {value = dense<[[4.0, 9.0, 9.0], [2.0, 10.0, 9.0], [-2.0, 5.0, 6.0]]> : tensor<3x3xf32>} : () -> tensor<3x3xf32>
  %0:2 = "tcc.cholesky"(%a) : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)
  // CHECK: output 0: 3x3xf32 = 2 0 0 1 3 0 -1 2 1{{$}}
  // CHECK: output 1: i32 = 0{{$}}
  %b = "tcc.constant"() {value = dense<[[[1.0, 0.0], [2.0, 4.5]], [[1.0, 0.0], [2.0, 3.0]]]> : tensor<2x2x2xf64>} : () -> tensor<2x2x2xf64>
  %1:2 = "tcc.cholesky"(%b) : (tensor<2x2x2xf64>) -> (tensor<2x2x2xf64>, tensor<2xi32>)
  // CHECK: output 2: 2xi32 = 0 2{{$}}
  return %0#0, %0#1, %1#1 : tensor<3x3xf32>, tensor<i32>, tensor<2xi32>
}
