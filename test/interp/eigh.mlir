// RUN: tcc-interp %s | FileCheck %s

// Values ascend; what lies above the diagonal, 9, is not read; the first of the large elements of a vector is positive. An element that is not finite makes
// all of its matrix NaN.
func.func @main() -> (tensor<2x2xf64>, tensor<2x2x2xf64>, tensor<3xf32>, tensor<3x3xf32>) {
  %a = "tcc.constant"() {value = dense<[[[2.0, 9.0], [2.0, 5.0]], [[0x7FF0000000000000, 0.0], [0.0, 1.0]]]> : tensor<2x2x2xf64>} : () -> tensor<2x2x2xf64>
  %0:2 = "tcc.eigh"(%a) : (tensor<2x2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2x2xf64>)
  // CHECK: output 0: 2x2xf64 = {{1|0.99999.*|1.0000.*}} {{6|5.99999.*|6.0000.*}} nan nan{{$}}
  // CHECK: output 1: 2x2x2xf64 = 0.8944{{[0-9]*}} 0.4472{{[0-9]*}} -0.4472{{[0-9]*}} 0.8944{{[0-9]*}} nan nan nan nan{{$}}
  %b = "tcc.constant"() {value = dense<[[3.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 2.0]]> : tensor<3x3xf32>} : () -> tensor<3x3xf32>
  %1:2 = "tcc.eigh"(%b) : (tensor<3x3xf32>) -> (tensor<3xf32>, tensor<3x3xf32>)
  // CHECK: output 2: 3xf32 = -1 2 3{{$}}
  // CHECK: output 3: 3x3xf32 = 0 0 1 1 0 0 0 1 0{{$}}
  return %0#0, %0#1, %1#0, %1#1 : tensor<2x2xf64>, tensor<2x2x2xf64>, tensor<3xf32>, tensor<3x3xf32>
}
