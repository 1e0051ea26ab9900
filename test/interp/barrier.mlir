// RUN: tcc-interp %s | FileCheck %s

// CHECK: output 0: 2x2xf32 = 1 2 3 4{{$}}
// CHECK: output 1: 3xi1 = 1 0 1{{$}}
func.func @main() -> (tensor<2x2xf32>, tensor<3xi1>) {
  %0 = "tcc.constant"() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
  %1 = "tcc.barrier"(%0) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = "tcc.constant"() {value = dense<[true, false, true]> : tensor<3xi1>} : () -> tensor<3xi1>
  %3 = "tcc.barrier"(%2) : (tensor<3xi1>) -> tensor<3xi1>
  return %1, %3 : tensor<2x2xf32>, tensor<3xi1>
}
