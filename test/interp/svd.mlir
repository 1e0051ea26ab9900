// RUN: tcc-interp %s | FileCheck %s

// Values descend; more columns than rows; square factors of which the matrix says nothing are orthogonal to the others.
func.func @main() -> (tensor<3x2xf64>, tensor<2xf64>, tensor<2x2xf64>, tensor<2xf32>, tensor<3x3xf32>) {
  %a = "tcc.constant"() {value = dense<[[0.0, 2.0], [0.0, 0.0], [-3.0, 0.0]]> : tensor<3x2xf64>} : () -> tensor<3x2xf64>
  %0:3 = "tcc.svd"(%a) : (tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>, tensor<2x2xf64>)
  // CHECK: output 0: 3x2xf64 = {{-?}}0 1 {{-?}}0 0 -1 0{{$}}
  // CHECK: output 1: 2xf64 = 3 2{{$}}
  // CHECK: output 2: 2x2xf64 = 1 {{-?}}0 0 1{{$}}
  %b = "tcc.constant"() {value = dense<[[0.0, 2.0, 0.0], [-3.0, 0.0, 0.0]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %1:3 = "tcc.svd"(%b) {full = true} : (tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<3x3xf32>)
  // CHECK: output 3: 2xf32 = 3 2{{$}}
  // CHECK: output 4: 3x3xf32 = 1 {{-?}}0 {{-?}}0 {{-?}}0 1 {{-?}}0 {{-?}}0 {{-?}}0 1{{$}}
  return %0#0, %0#1, %0#2, %1#1, %1#2 : tensor<3x2xf64>, tensor<2xf64>, tensor<2x2xf64>, tensor<2xf32>, tensor<3x3xf32>
}
