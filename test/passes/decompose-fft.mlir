// A target without a function for them gets products: of 12 parts of 20, two, of 40 as 5 x 8, of a symbol one; x86 keeps the op.
// RUN: tcc-opt %s --target=reference --tcc-decompose --verify-each | FileCheck %s
// RUN: tcc-opt %s --target=x86 --tcc-decompose | FileCheck %s --check-prefix=KEPT
// RUN: tcc-run %s --no-cache --random=3 --dim=N=37 --compare=interp
// RUN: tcc-run %s --no-cache --target=reference --random=3 --dim=N=36 --compare=interp
// RUN: tcc-opt %s --target=reference --tcc-decompose -o %t.mlir && tcc-run %t.mlir --no-cache --random=3 --dim=N=1 --compare=interp
// KEPT: tcc.fft
// KEPT-NOT: tcc.dot_general

// CHECK-LABEL: @short
// CHECK-COUNT-2: tcc.dot_general
// CHECK-NOT: tcc.dot_general
func.func private @short(%x: tensor<3x20xf32>) -> (tensor<3x11xf32>, tensor<3x11xf32>) {
  %n = "tcc.none"() : () -> none
  %a, %b = "tcc.fft"(%x, %n) {axis = 1 : i64, half = true} : (tensor<3x20xf32>, none) -> (tensor<3x11xf32>, tensor<3x11xf32>)
  return %a, %b : tensor<3x11xf32>, tensor<3x11xf32>
}

// CHECK-LABEL: @factors
// CHECK-COUNT-4: tensor<5x5xf32>) -> tensor<
// CHECK-NOT: tensor<40x40xf32>
// CHECK-COUNT-4: tensor<8x8xf32>) -> tensor<
// CHECK: return
func.func private @factors(%x: tensor<3x40xf32>, %y: tensor<3x40xf32>) -> (tensor<3x40xf32>, tensor<3x40xf32>) {
  %a, %b = "tcc.fft"(%x, %y) {axis = 1 : i64, inverse = true} : (tensor<3x40xf32>, tensor<3x40xf32>) -> (tensor<3x40xf32>, tensor<3x40xf32>)
  return %a, %b : tensor<3x40xf32>, tensor<3x40xf32>
}

// CHECK-LABEL: @main
// CHECK-NOT: tcc.fft
// CHECK-NOT: tcc.irfft
// CHECK-COUNT-4: tensor<?x?xf64, ["N", "N"]>) -> tensor<3x2x?xf64
func.func @main(%x: tensor<3x?x2xf64, [3, "N", 2]>, %y: tensor<3x?x2xf64, [3, "N", 2]>, %z: tensor<3x20xf32>, %u: tensor<3x40xf32>, %v: tensor<3x40xf32>, %long: tensor<2x401xf32>, %odd: tensor<2x301xf32>)
  -> (tensor<3x?x2xf64, [3, "N", 2]>, tensor<3x?x2xf64, [3, "N", 2]>, tensor<3x?x2xf64, [3, "2*N - 1", 2]>, tensor<3x11xf32>, tensor<3x11xf32>, tensor<3x40xf32>, tensor<3x40xf32>, tensor<2x800xf32>, tensor<2x601xf32>) {
  %n = "tcc.none"() : () -> none
  %0, %1 = "tcc.fft"(%x, %y) {axis = 1 : i64} : (tensor<3x?x2xf64, [3, "N", 2]>, tensor<3x?x2xf64, [3, "N", 2]>) -> (tensor<3x?x2xf64, [3, "N", 2]>, tensor<3x?x2xf64, [3, "N", 2]>)
  %2 = "tcc.irfft"(%x, %y) {axis = 1 : i64, size = ["2*N - 1"]} : (tensor<3x?x2xf64, [3, "N", 2]>, tensor<3x?x2xf64, [3, "N", 2]>) -> tensor<3x?x2xf64, [3, "2*N - 1", 2]>
  %3, %4 = func.call @short(%z) : (tensor<3x20xf32>) -> (tensor<3x11xf32>, tensor<3x11xf32>)
  %5, %6 = func.call @factors(%u, %v) : (tensor<3x40xf32>, tensor<3x40xf32>) -> (tensor<3x40xf32>, tensor<3x40xf32>)
  %7 = "tcc.irfft"(%long, %n) {axis = 1 : i64, size = [800]} : (tensor<2x401xf32>, none) -> tensor<2x800xf32>
  %8 = "tcc.irfft"(%odd, %odd) {axis = 1 : i64, size = [601]} : (tensor<2x301xf32>, tensor<2x301xf32>) -> tensor<2x601xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<3x?x2xf64, [3, "N", 2]>, tensor<3x?x2xf64, [3, "N", 2]>, tensor<3x?x2xf64, [3, "2*N - 1", 2]>, tensor<3x11xf32>, tensor<3x11xf32>, tensor<3x40xf32>, tensor<3x40xf32>, tensor<2x800xf32>, tensor<2x601xf32>
}
