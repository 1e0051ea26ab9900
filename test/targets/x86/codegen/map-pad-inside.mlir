// A padded row is read without a mask where a block lies inside as a whole; bounds are compared as scalars, and become a mask of 32-bit lanes.
// RUN: tcc-opt --pipeline=default %s --target=x86,avx2 | tcc-translate --to-llvm --target=x86,avx2 | FileCheck %s
// RUN: bash %S/Inputs/sizes.sh %s %t "1 6 8 9 21 56" 0
// REQUIRES: avx2
// CHECK: llvm.cond_br
// CHECK: llvm.load {{.*}} vector<8xf32>
// CHECK: masked.load
// CHECK-NOT: icmp {{.*}} vector<8xi64>
func.func @main(%a: tensor<3x9x?xf32, [3, 9, "N"]>, %b: tensor<5x37xf32>, %c: tensor<4x?xi8, [4, "N"]>, %v: tensor<f32>) -> (tensor<3x12x?xf32, [3, 12, "N + 3"]>, tensor<7x41xf32>, tensor<4x?xi8, [4, "N + 10"]>, tensor<3x9x?xf32, [3, 9, "N + 20"]>) {
  %zero = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %two = "tcc.constant"() {value = dense<2> : tensor<i8>} : () -> tensor<i8>
  %0 = "tcc.pad"(%a, %zero) {low = [0, 1, 1], high = [0, 2, 2], mode = "constant"} : (tensor<3x9x?xf32, [3, 9, "N"]>, tensor<f32>) -> tensor<3x12x?xf32, [3, 12, "N + 3"]>
  %1 = "tcc.pad"(%b, %zero) {low = [1, 2], high = [1, 2], mode = "constant"} : (tensor<5x37xf32>, tensor<f32>) -> tensor<7x41xf32>
  %2 = "tcc.pad"(%c, %two) {low = [0, 9], high = [0, 1], mode = "constant"} : (tensor<4x?xi8, [4, "N"]>, tensor<i8>) -> tensor<4x?xi8, [4, "N + 10"]>
  %3 = "tcc.pad"(%a, %v) {low = [0, 0, 17], high = [0, 0, 3], mode = "constant"} : (tensor<3x9x?xf32, [3, 9, "N"]>, tensor<f32>) -> tensor<3x9x?xf32, [3, 9, "N + 20"]>
  return %0, %1, %2, %3 : tensor<3x12x?xf32, [3, 12, "N + 3"]>, tensor<7x41xf32>, tensor<4x?xi8, [4, "N + 10"]>, tensor<3x9x?xf32, [3, 9, "N + 20"]>
}
