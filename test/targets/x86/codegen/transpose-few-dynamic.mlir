// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=W=3 --dim=H=2 --save=%t && tcc-run %s --random=1 --dim=W=3 --dim=H=2 --data=%t --check && tcc-run %s --random=1 --dim=W=3 --dim=H=2 --data=%t --check --target=x86,avx2
// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=W=32 --dim=H=3 --save=%t && tcc-run %s --random=1 --dim=W=32 --dim=H=3 --data=%t --check && tcc-run %s --random=1 --dim=W=32 --dim=H=3 --data=%t --check --target=x86,avx2
// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=W=2085 --dim=H=1 --save=%t && tcc-run %s --random=1 --dim=W=2085 --dim=H=1 --data=%t --check && tcc-run %s --random=1 --dim=W=2085 --dim=H=1 --data=%t --check --target=x86,avx2
// RUN: tcc-opt --pipeline=default --target=x86,avx2 %s | FileCheck %s --implicit-check-not=tcc.gather
// RUN: tcc-opt --pipeline=default --target=x86,avx2 %s | tcc-translate --to-llvm --target=x86,avx2 | FileCheck %s --check-prefix=CODE --implicit-check-not=masked.gather --implicit-check-not=masked.scatter
// REQUIRES: avx2

// Images of dynamic size, stretched by whole numbers, and two to four long rows that become a short axis, or the other way: whole vectors
// go through registers, what is left of a row is masked.
// CHECK-COUNT-3: tcc.broadcast
// CHECK-NOT: tcc.broadcast
// CODE: llvm.shufflevector
func.func @main(%x0: tensor<1x3x?x?xf32, [1, 3, "H", "W"]>, %x1: tensor<1x2x3x?xf32, [1, 2, 3, "W"]>, %x2: tensor<1x2x?x?xui8, [1, 2, "H", "W"]>, %x3: tensor<2x2x3x?x?xf32, [2, 2, 3, "H", "W"]>, %x5: tensor<3x?x4xi16, [3, "W", 4]>, %x6: tensor<3x?xf64, [3, "W"]>, %x7: tensor<?x3xui8, ["W", 3]>) -> (tensor<1x3x?x?xf32, [1, 3, "2*H", "2*W"]>, tensor<1x2x9x?xf32, [1, 2, 9, "4*W"]>, tensor<1x2x?x?xui8, [1, 2, "2*H", "3*W"]>, tensor<3x?x2x?x2xf32, [3, "H", 2, "W", 2]>, tensor<3x4x?xi16, [3, 4, "W"]>, tensor<?x3xf64, ["W", 3]>, tensor<3x?xui8, [3, "W"]>) {
  %0 = "tcc.resize"(%x0) {mode = "nearest", coordinates = "asymmetric", nearest = "floor", scales = dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf64>, roi = dense<> : tensor<0xf64>, cubic_coeff = -0.75 : f64, exclude_outside = false, extrapolation = 0.0 : f64, antialias = false} : (tensor<1x3x?x?xf32, [1, 3, "H", "W"]>) -> tensor<1x3x?x?xf32, [1, 3, "2*H", "2*W"]>
  %1 = "tcc.resize"(%x1) {mode = "nearest", coordinates = "half_pixel", nearest = "round_prefer_floor", scales = dense<[1.0, 1.0, 3.0, 4.0]> : tensor<4xf64>, roi = dense<> : tensor<0xf64>, cubic_coeff = -0.75 : f64, exclude_outside = false, extrapolation = 0.0 : f64, antialias = false} : (tensor<1x2x3x?xf32, [1, 2, 3, "W"]>) -> tensor<1x2x9x?xf32, [1, 2, 9, "4*W"]>
  %2 = "tcc.resize"(%x2) {mode = "nearest", coordinates = "half_pixel", nearest = "round_prefer_floor", scales = dense<[1.0, 1.0, 2.0, 3.0]> : tensor<4xf64>, roi = dense<> : tensor<0xf64>, cubic_coeff = -0.75 : f64, exclude_outside = false, extrapolation = 0.0 : f64, antialias = false} : (tensor<1x2x?x?xui8, [1, 2, "H", "W"]>) -> tensor<1x2x?x?xui8, [1, 2, "2*H", "3*W"]>
  %3 = "tcc.transpose"(%x3) {perm = array<i64: 2, 3, 0, 4, 1>} : (tensor<2x2x3x?x?xf32, [2, 2, 3, "H", "W"]>) -> tensor<3x?x2x?x2xf32, [3, "H", 2, "W", 2]>
  %5 = "tcc.transpose"(%x5) {perm = array<i64: 0, 2, 1>} : (tensor<3x?x4xi16, [3, "W", 4]>) -> tensor<3x4x?xi16, [3, 4, "W"]>
  %6 = "tcc.transpose"(%x6) {perm = array<i64: 1, 0>} : (tensor<3x?xf64, [3, "W"]>) -> tensor<?x3xf64, ["W", 3]>
  %7 = "tcc.transpose"(%x7) {perm = array<i64: 1, 0>} : (tensor<?x3xui8, ["W", 3]>) -> tensor<3x?xui8, [3, "W"]>
  return %0, %1, %2, %3, %5, %6, %7 : tensor<1x3x?x?xf32, [1, 3, "2*H", "2*W"]>, tensor<1x2x9x?xf32, [1, 2, 9, "4*W"]>, tensor<1x2x?x?xui8, [1, 2, "2*H", "3*W"]>, tensor<3x?x2x?x2xf32, [3, "H", 2, "W", 2]>, tensor<3x4x?xi16, [3, 4, "W"]>, tensor<?x3xf64, ["W", 3]>, tensor<3x?xui8, [3, "W"]>
}
