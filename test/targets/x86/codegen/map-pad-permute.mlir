// A block at an end of a reflected or repeated row that is as long as a vector is one load, whose lanes are put in another order. Rows that are shorter than
// that, blocks across both ends and pads of more than a vector are runs under masks.
// RUN: tcc-opt --pipeline=default --target=x86,avx2 %s | tcc-translate --to-llvm --target=x86,avx2 | FileCheck %s
// RUN: bash %S/Inputs/sizes.sh %s %t "18 19 20 23 24 25 39 40 57 66" 0
// REQUIRES: avx2
// CHECK: llvm.x86.avx2.permps
func.func @main(%a: tensor<3x?xf32, [3, "N"]>, %b: tensor<3x?xi32, [3, "N"]>, %c: tensor<2x5xf32>, %d: tensor<2x9xf32>) -> (tensor<3x?xf32, [3, "N + 2"]>, tensor<3x?xf32, [3, "N + 10"]>, tensor<3x?xi32, [3, "N + 14"]>, tensor<3x?xf32, [3, "N + 34"]>, tensor<3x?xi32, [3, "N + 26"]>, tensor<2x9xf32>, tensor<2x25xf32>) {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.pad"(%a, %none) {mode = "reflect", low = [0, 1], high = [0, 1]} : (tensor<3x?xf32, [3, "N"]>, none) -> tensor<3x?xf32, [3, "N + 2"]>
  %1 = "tcc.pad"(%a, %none) {mode = "edge", low = [0, 7], high = [0, 3]} : (tensor<3x?xf32, [3, "N"]>, none) -> tensor<3x?xf32, [3, "N + 10"]>
  %2 = "tcc.pad"(%b, %none) {mode = "reflect", low = [0, 6], high = [0, 8]} : (tensor<3x?xi32, [3, "N"]>, none) -> tensor<3x?xi32, [3, "N + 14"]>
  %3 = "tcc.pad"(%a, %none) {mode = "reflect", low = [0, 17], high = [0, 17]} : (tensor<3x?xf32, [3, "N"]>, none) -> tensor<3x?xf32, [3, "N + 34"]>
  %4 = "tcc.pad"(%b, %none) {mode = "edge", low = [0, 9], high = [0, 17]} : (tensor<3x?xi32, [3, "N"]>, none) -> tensor<3x?xi32, [3, "N + 26"]>
  %5 = "tcc.pad"(%c, %none) {mode = "reflect", low = [0, 2], high = [0, 2]} : (tensor<2x5xf32>, none) -> tensor<2x9xf32>
  %6 = "tcc.pad"(%d, %none) {mode = "reflect", low = [0, 8], high = [0, 8]} : (tensor<2x9xf32>, none) -> tensor<2x25xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<3x?xf32, [3, "N + 2"]>, tensor<3x?xf32, [3, "N + 10"]>, tensor<3x?xi32, [3, "N + 14"]>, tensor<3x?xf32, [3, "N + 34"]>, tensor<3x?xi32, [3, "N + 26"]>, tensor<2x9xf32>, tensor<2x25xf32>
}
