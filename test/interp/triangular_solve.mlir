// RUN: tcc-interp %s | FileCheck %s

// Substitution in the lower and the upper triangle: what else the matrices hold, 9, is not read, nor is the diagonal with unit.
func.func @main() -> (tensor<1x3x2xf32>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<0x2xf32>) {
  %a = "tcc.constant"() {value = dense<[[[2.0, 9.0, 9.0], [1.0, 4.0, 9.0], [-1.0, 2.0, 0.5]]]> : tensor<1x3x3xf32>} : () -> tensor<1x3x3xf32>
  %b = "tcc.constant"() {value = dense<[[[4.0, 2.0], [6.0, -3.0], [1.0, 0.0]]]> : tensor<1x3x2xf32>} : () -> tensor<1x3x2xf32>
  %0 = "tcc.triangular_solve"(%a, %b) : (tensor<1x3x3xf32>, tensor<1x3x2xf32>) -> tensor<1x3x2xf32>
  // CHECK: output 0: 1x3x2xf32 = 2 1 1 -1 2 6{{$}}
  %c = "tcc.constant"() {value = dense<[[2.0, 1.0, -1.0], [9.0, 4.0, 2.0], [9.0, 9.0, 0.5]]> : tensor<3x3xf64>} : () -> tensor<3x3xf64>
  %d = "tcc.constant"() {value = dense<[[1.0], [6.0], [1.0]]> : tensor<3x1xf64>} : () -> tensor<3x1xf64>
  %1 = "tcc.triangular_solve"(%c, %d) {upper = true} : (tensor<3x3xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
  // CHECK: output 1: 3x1xf64 = 1.25 0.5 2{{$}}
  %2 = "tcc.triangular_solve"(%c, %d) {upper = true, unit = true} : (tensor<3x3xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
  // CHECK: output 2: 3x1xf64 = -2 4 1{{$}}
  %e = "tcc.constant"() {value = dense<> : tensor<0x0xf32>} : () -> tensor<0x0xf32>
  %f = "tcc.constant"() {value = dense<> : tensor<0x2xf32>} : () -> tensor<0x2xf32>
  %3 = "tcc.triangular_solve"(%e, %f) : (tensor<0x0xf32>, tensor<0x2xf32>) -> tensor<0x2xf32>
  // CHECK: output 3: 0x2xf32
  return %0, %1, %2, %3 : tensor<1x3x2xf32>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<0x2xf32>
}
