// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --save=%t && tcc-run %s --random=1 --data=%t --check
// RUN: tcc-run %s --random=1 --data=%t --check --target=x86,avx2
// RUN: tcc-opt --pipeline=default --target=x86,avx2 %s | FileCheck %s --implicit-check-not=tcc.gather
// REQUIRES: avx2

// Nearest elements of images whose rows are stretched by a whole number are views: each is written so many times, vectors at a time.
// CHECK-COUNT-4: tcc.broadcast
// CHECK-NOT: tcc.broadcast
func.func @main(%x0: tensor<2x3x6x19xf32>, %x1: tensor<1x2x3x40xf32>, %x2: tensor<2x1x4x5xf32>, %x3: tensor<1x2x5x33xf32>) -> (tensor<2x3x12x38xf32>, tensor<1x2x9x160xf32>, tensor<2x1x8x10xf32>, tensor<1x2x5x99xf32>) {
  %0 = "tcc.resize"(%x0) {mode = "nearest", coordinates = "asymmetric", nearest = "floor", scales = dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf64>, roi = dense<> : tensor<0xf64>, cubic_coeff = -0.75 : f64, exclude_outside = false, extrapolation = 0.0 : f64, antialias = false} : (tensor<2x3x6x19xf32>) -> tensor<2x3x12x38xf32>
  %1 = "tcc.resize"(%x1) {mode = "nearest", coordinates = "half_pixel", nearest = "round_prefer_floor", scales = dense<[1.0, 1.0, 3.0, 4.0]> : tensor<4xf64>, roi = dense<> : tensor<0xf64>, cubic_coeff = -0.75 : f64, exclude_outside = false, extrapolation = 0.0 : f64, antialias = false} : (tensor<1x2x3x40xf32>) -> tensor<1x2x9x160xf32>
  %2 = "tcc.resize"(%x2) {mode = "nearest", coordinates = "asymmetric", nearest = "floor", scales = dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf64>, roi = dense<> : tensor<0xf64>, cubic_coeff = -0.75 : f64, exclude_outside = false, extrapolation = 0.0 : f64, antialias = false} : (tensor<2x1x4x5xf32>) -> tensor<2x1x8x10xf32>
  %3 = "tcc.resize"(%x3) {mode = "nearest", coordinates = "half_pixel", nearest = "round_prefer_floor", scales = dense<[1.0, 1.0, 1.0, 3.0]> : tensor<4xf64>, roi = dense<> : tensor<0xf64>, cubic_coeff = -0.75 : f64, exclude_outside = false, extrapolation = 0.0 : f64, antialias = false} : (tensor<1x2x5x33xf32>) -> tensor<1x2x5x99xf32>
  return %0, %1, %2, %3 : tensor<2x3x12x38xf32>, tensor<1x2x9x160xf32>, tensor<2x1x8x10xf32>, tensor<1x2x5x99xf32>
}
