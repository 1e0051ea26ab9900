// Each way to transform a line: side by side (a small size, a prime up to 61), as a matrix (8 x 9, 20 x 20, 32 x 32), as a convolution (67, 2 x 101,
// 1009); alone and three side by side, one and two real lines at a time. A result that nobody wants is not written.
// RUN: split-file %s %t
// RUN: tcc-run %t/f32.mlir --random=1 --dim=N=1 --compare=interp
// RUN: tcc-run %t/f32.mlir --random=2 --dim=N=2 --compare=interp
// RUN: tcc-run %t/f32.mlir --random=3 --dim=N=3 --compare=interp
// RUN: tcc-run %t/f32.mlir --random=7 --dim=N=7 --compare=interp
// RUN: tcc-run %t/f32.mlir --random=61 --dim=N=61 --compare=interp
// RUN: tcc-run %t/f32.mlir --random=67 --dim=N=67 --compare=interp
// RUN: tcc-run %t/f32.mlir --random=72 --dim=N=72 --compare=interp
// RUN: tcc-run %t/f32.mlir --random=202 --dim=N=202 --compare=interp
// RUN: tcc-run %t/f32.mlir --random=400 --dim=N=400 --compare=interp
// RUN: tcc-run %t/f64.mlir --random=1 --dim=N=1 --threads=3 --compare=interp
// RUN: tcc-run %t/f64.mlir --random=5 --dim=N=5 --threads=3 --compare=interp
// RUN: tcc-run %t/f64.mlir --random=64 --dim=N=64 --threads=3 --compare=interp
// RUN: tcc-run %t/f64.mlir --random=131 --dim=N=131 --threads=3 --compare=interp
// RUN: tcc-run %t/f64.mlir --random=1009 --dim=N=1009 --threads=3 --compare=interp
// RUN: tcc-run %t/f64.mlir --random=1024 --dim=N=1024 --threads=3 --compare=interp
// A size that the compiler knows asks for no more scratch than that size needs.
// RUN: tcc-run %t/fixed.mlir --random=1 --compare=interp
// RUN: tcc-run %t/fixed.mlir --random=1 --profile | FileCheck %s
// CHECK: GFLOP/s{{.*}} fft builtin
//--- fixed.mlir
func.func @main(%x: tensor<5x256x9xf32>, %y: tensor<40x1000xf32>, %z: tensor<3x1009xf64>) -> (tensor<5x256x9xf32>, tensor<5x256x9xf32>, tensor<40x501xf32>, tensor<40x501xf32>, tensor<40x1000xf32>, tensor<3x1009xf64>) {
  %n = "tcc.none"() : () -> none
  %0, %1 = "tcc.fft"(%x, %x) {axis = 1 : i64} : (tensor<5x256x9xf32>, tensor<5x256x9xf32>) -> (tensor<5x256x9xf32>, tensor<5x256x9xf32>)
  %2, %3 = "tcc.fft"(%y, %n) {axis = 1 : i64, half = true} : (tensor<40x1000xf32>, none) -> (tensor<40x501xf32>, tensor<40x501xf32>)
  %4 = "tcc.irfft"(%2, %3) {axis = 1 : i64, size = [1000]} : (tensor<40x501xf32>, tensor<40x501xf32>) -> tensor<40x1000xf32>
  %5, %6 = "tcc.fft"(%z, %n) {axis = 1 : i64} : (tensor<3x1009xf64>, none) -> (tensor<3x1009xf64>, tensor<3x1009xf64>)
  return %0, %1, %2, %3, %4, %5 : tensor<5x256x9xf32>, tensor<5x256x9xf32>, tensor<40x501xf32>, tensor<40x501xf32>, tensor<40x1000xf32>, tensor<3x1009xf64>
}
//--- f32.mlir
func.func @main(%x: tensor<5x?x3xf32, [5, "N", 3]>, %y: tensor<5x?x3xf32, [5, "N", 3]>, %z: tensor<7x?xf32, [7, "N"]>) -> (tensor<5x?x3xf32, [5, "N", 3]>, tensor<5x?x3xf32, [5, "N", 3]>, tensor<7x?xf32, [7, "floordiv(N, 2) + 1"]>, tensor<7x?xf32, [7, "floordiv(N, 2) + 1"]>, tensor<7x?xf32, [7, "N"]>, tensor<5x?x3xf32, [5, "2*N - 1", 3]>, tensor<7x?xf32, [7, "N"]>, tensor<7x?xf32, [7, "floordiv(N, 2) + 1"]>) {
  %n = "tcc.none"() : () -> none
  %0, %1 = "tcc.fft"(%x, %y) {axis = 1 : i64, inverse = true} : (tensor<5x?x3xf32, [5, "N", 3]>, tensor<5x?x3xf32, [5, "N", 3]>) -> (tensor<5x?x3xf32, [5, "N", 3]>, tensor<5x?x3xf32, [5, "N", 3]>)
  %2, %3 = "tcc.fft"(%z, %n) {axis = 1 : i64, half = true} : (tensor<7x?xf32, [7, "N"]>, none) -> (tensor<7x?xf32, [7, "floordiv(N, 2) + 1"]>, tensor<7x?xf32, [7, "floordiv(N, 2) + 1"]>)
  %4 = "tcc.irfft"(%2, %3) {axis = 1 : i64, size = ["N"]} : (tensor<7x?xf32, [7, "floordiv(N, 2) + 1"]>, tensor<7x?xf32, [7, "floordiv(N, 2) + 1"]>) -> tensor<7x?xf32, [7, "N"]>
  %5 = "tcc.irfft"(%x, %y) {axis = 1 : i64, size = ["2*N - 1"]} : (tensor<5x?x3xf32, [5, "N", 3]>, tensor<5x?x3xf32, [5, "N", 3]>) -> tensor<5x?x3xf32, [5, "2*N - 1", 3]>
  %6, %7 = "tcc.fft"(%z, %z) {axis = 1 : i64} : (tensor<7x?xf32, [7, "N"]>, tensor<7x?xf32, [7, "N"]>) -> (tensor<7x?xf32, [7, "N"]>, tensor<7x?xf32, [7, "N"]>)
  %8, %9 = "tcc.fft"(%z, %n) {axis = 1 : i64, half = true, inverse = true} : (tensor<7x?xf32, [7, "N"]>, none) -> (tensor<7x?xf32, [7, "floordiv(N, 2) + 1"]>, tensor<7x?xf32, [7, "floordiv(N, 2) + 1"]>)
  return %0, %1, %2, %3, %4, %5, %7, %9 : tensor<5x?x3xf32, [5, "N", 3]>, tensor<5x?x3xf32, [5, "N", 3]>, tensor<7x?xf32, [7, "floordiv(N, 2) + 1"]>, tensor<7x?xf32, [7, "floordiv(N, 2) + 1"]>, tensor<7x?xf32, [7, "N"]>, tensor<5x?x3xf32, [5, "2*N - 1", 3]>, tensor<7x?xf32, [7, "N"]>, tensor<7x?xf32, [7, "floordiv(N, 2) + 1"]>
}
//--- f64.mlir
func.func @main(%x: tensor<5x?x3xf64, [5, "N", 3]>, %y: tensor<5x?x3xf64, [5, "N", 3]>, %z: tensor<7x?xf64, [7, "N"]>) -> (tensor<5x?x3xf64, [5, "N", 3]>, tensor<5x?x3xf64, [5, "N", 3]>, tensor<7x?xf64, [7, "floordiv(N, 2) + 1"]>, tensor<7x?xf64, [7, "floordiv(N, 2) + 1"]>, tensor<7x?xf64, [7, "N"]>, tensor<5x?x3xf64, [5, "2*N - 1", 3]>, tensor<7x?xf64, [7, "N"]>, tensor<7x?xf64, [7, "floordiv(N, 2) + 1"]>) {
  %n = "tcc.none"() : () -> none
  %0, %1 = "tcc.fft"(%x, %y) {axis = 1 : i64, inverse = true} : (tensor<5x?x3xf64, [5, "N", 3]>, tensor<5x?x3xf64, [5, "N", 3]>) -> (tensor<5x?x3xf64, [5, "N", 3]>, tensor<5x?x3xf64, [5, "N", 3]>)
  %2, %3 = "tcc.fft"(%z, %n) {axis = 1 : i64, half = true} : (tensor<7x?xf64, [7, "N"]>, none) -> (tensor<7x?xf64, [7, "floordiv(N, 2) + 1"]>, tensor<7x?xf64, [7, "floordiv(N, 2) + 1"]>)
  %4 = "tcc.irfft"(%2, %3) {axis = 1 : i64, size = ["N"]} : (tensor<7x?xf64, [7, "floordiv(N, 2) + 1"]>, tensor<7x?xf64, [7, "floordiv(N, 2) + 1"]>) -> tensor<7x?xf64, [7, "N"]>
  %5 = "tcc.irfft"(%x, %y) {axis = 1 : i64, size = ["2*N - 1"]} : (tensor<5x?x3xf64, [5, "N", 3]>, tensor<5x?x3xf64, [5, "N", 3]>) -> tensor<5x?x3xf64, [5, "2*N - 1", 3]>
  %6, %7 = "tcc.fft"(%z, %z) {axis = 1 : i64} : (tensor<7x?xf64, [7, "N"]>, tensor<7x?xf64, [7, "N"]>) -> (tensor<7x?xf64, [7, "N"]>, tensor<7x?xf64, [7, "N"]>)
  %8, %9 = "tcc.fft"(%z, %n) {axis = 1 : i64, half = true, inverse = true} : (tensor<7x?xf64, [7, "N"]>, none) -> (tensor<7x?xf64, [7, "floordiv(N, 2) + 1"]>, tensor<7x?xf64, [7, "floordiv(N, 2) + 1"]>)
  return %0, %1, %2, %3, %4, %5, %7, %9 : tensor<5x?x3xf64, [5, "N", 3]>, tensor<5x?x3xf64, [5, "N", 3]>, tensor<7x?xf64, [7, "floordiv(N, 2) + 1"]>, tensor<7x?xf64, [7, "floordiv(N, 2) + 1"]>, tensor<7x?xf64, [7, "N"]>, tensor<5x?x3xf64, [5, "2*N - 1", 3]>, tensor<7x?xf64, [7, "N"]>, tensor<7x?xf64, [7, "floordiv(N, 2) + 1"]>
}
