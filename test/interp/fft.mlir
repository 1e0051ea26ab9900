// RUN: tcc-interp %s | FileCheck %s

// Sums of the definition: of an impulse, both ways; of real numbers half of the frequencies, and back; of the first and the last frequency the imaginary
// part, 9, is not read.
func.func @main() -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<3xf32>, tensor<3xf32>, tensor<4xf32>, tensor<3x2xf64>, tensor<3xf64>) {
  %n = "tcc.none"() : () -> none
  %x = "tcc.constant"() {value = dense<[0.0, 1.0, 0.0, 0.0]> : tensor<4xf64>} : () -> tensor<4xf64>
  %y = "tcc.constant"() {value = dense<[0.0, 0.0, 0.0, 2.0]> : tensor<4xf64>} : () -> tensor<4xf64>
  %0, %1 = "tcc.fft"(%x, %y) {axis = 0 : i64} : (tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
  // e^(-i pi k / 2) + 2 i e^(i pi k / 2)
  // CHECK: output 0: 4xf64 = 1 -2 -1 2{{$}}
  // CHECK: output 1: 4xf64 = 2 -1 -2 1{{$}}
  %2, %3 = "tcc.fft"(%x, %n) {axis = 0 : i64, inverse = true} : (tensor<4xf64>, none) -> (tensor<4xf64>, tensor<4xf64>)
  // CHECK: output 2: 4xf64 = 0 1 {{[-0-9e.]+}} -1{{$}}
  %z = "tcc.constant"() {value = dense<[1.0, 2.0, 4.0, 8.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %4, %5 = "tcc.fft"(%z, %n) {axis = 0 : i64, half = true} : (tensor<4xf32>, none) -> (tensor<3xf32>, tensor<3xf32>)
  // CHECK: output 3: 3xf32 = 15 -3 -5{{$}}
  // CHECK: output 4: 3xf32 = 0 6 {{[-0-9e.]+}}{{$}}
  %a = "tcc.constant"() {value = dense<[15.0, -3.0, -5.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %b = "tcc.constant"() {value = dense<[9.0, 6.0, 9.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %6 = "tcc.irfft"(%a, %b) {axis = 0 : i64, size = [4]} : (tensor<3xf32>, tensor<3xf32>) -> tensor<4xf32>
  // CHECK: output 5: 4xf32 = 4 8 16 32{{$}}
  %c = "tcc.constant"() {value = dense<[[3.0, 1.0], [1.0, -1.0]]> : tensor<2x2xf64>} : () -> tensor<2x2xf64>
  %7 = "tcc.irfft"(%c, %n) {axis = 0 : i64, size = [3]} : (tensor<2x2xf64>, none) -> tensor<3x2xf64>
  // CHECK: output 6: 3x2xf64 = 5 -1 2 2 2 2{{$}}
  %d = "tcc.constant"() {value = dense<[[3.0], [1.0], [2.0]]> : tensor<3x1xf64>} : () -> tensor<3x1xf64>
  %8, %9 = "tcc.fft"(%d, %n) {axis = 1 : i64} : (tensor<3x1xf64>, none) -> (tensor<3x1xf64>, tensor<3x1xf64>)
  %10 = "tcc.reshape"(%8) : (tensor<3x1xf64>) -> tensor<3xf64>
  // CHECK: output 7: 3xf64 = 3 1 2{{$}}
  return %0, %1, %3, %4, %5, %6, %7, %10 : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<3xf32>, tensor<3xf32>, tensor<4xf32>, tensor<3x2xf64>, tensor<3xf64>
}
