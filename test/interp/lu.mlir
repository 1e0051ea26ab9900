// RUN: tcc-interp %s | FileCheck %s

// The largest element of each column moves up; a pivot of 0 is told and its column left as it is; more rows than columns, and none.
func.func @main() -> (tensor<2x3x3xf32>, tensor<2x3xi32>, tensor<2xi32>, tensor<2x3xi64>, tensor<3x2xf64>, tensor<2xi32>, tensor<3xi64>, tensor<0x0xf32>, tensor<0xi32>, tensor<i32>) {
  %a = "tcc.constant"() {value = dense<[[[1.0, 2.0, 4.0], [4.0, 4.0, 8.0], [2.0, 8.0, 2.0]], [[0.0, 1.0, 2.0], [0.0, 3.0, 4.0], [0.0, 6.0, 1.0]]]> : tensor<2x3x3xf32>} : () -> tensor<2x3x3xf32>
  %0:3 = "tcc.lu"(%a) : (tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2x3xi32>, tensor<2xi32>)
  %1 = "tcc.pivots_to_permutation"(%0#1) {size = [3]} : (tensor<2x3xi32>) -> tensor<2x3xi64>
  // CHECK: output 0: 2x3x3xf32 = 4 4 8 0.5 6 -2 0.25 0.1666{{[0-9]*}} 2.333{{[0-9]*}} 0 1 2 0 6 1 0 0.5 3.5{{$}}
  // CHECK: output 1: 2x3xi32 = 2 3 3 1 3 3{{$}}
  // CHECK: output 2: 2xi32 = 0 1{{$}}
  // CHECK: output 3: 2x3xi64 = 1 2 0 0 2 1{{$}}
  %b = "tcc.constant"() {value = dense<[[1.0, 2.0], [-2.0, 3.0], [4.0, 8.0]]> : tensor<3x2xf64>} : () -> tensor<3x2xf64>
  %2:3 = "tcc.lu"(%b) : (tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xi32>, tensor<i32>)
  // CHECK: output 4: 3x2xf64 = 4 8 -0.5 7 0.25 0{{$}}
  // CHECK: output 5: 2xi32 = 3 2{{$}}
  %3 = "tcc.pivots_to_permutation"(%2#1) {size = [3]} : (tensor<2xi32>) -> tensor<3xi64>
  // CHECK: output 6: 3xi64 = 2 1 0{{$}}
  %c = "tcc.constant"() {value = dense<> : tensor<0x0xf32>} : () -> tensor<0x0xf32>
  %4:3 = "tcc.lu"(%c) : (tensor<0x0xf32>) -> (tensor<0x0xf32>, tensor<0xi32>, tensor<i32>)
  // CHECK: output 9: i32 = 0{{$}}
  return %0#0, %0#1, %0#2, %1, %2#0, %2#1, %3, %4#0, %4#1, %4#2 : tensor<2x3x3xf32>, tensor<2x3xi32>, tensor<2xi32>, tensor<2x3xi64>, tensor<3x2xf64>, tensor<2xi32>, tensor<3xi64>, tensor<0x0xf32>, tensor<0xi32>, tensor<i32>
}
