// RUN: tcc-run --random=1 --compare=interp %s
// RUN: tcc-run --random=1 --compare=interp --target=x86,x86-64-v3 %s
// RUN: tcc-explain --no-cache --target=x86,x86-64-v3 %s | FileCheck %s

// Where an image shrinks, each pixel is a sum of a few rows, which an index picks, along an axis of taps. The innermost axis, and one with few channels
// behind it, is turned to the front meanwhile. Where taps are a good part of the axis it is a product with a matrix.
// CHECK: fused: gather mul reduce
// CHECK-NEXT: for
// CHECK-NEXT: schedule: lanes = 32
// CHECK: apart from {{.*}}: cost: its reader picks more elements of it than it has, which a copy has side by side
// CHECK: fused: gather mul reduce
// CHECK-NEXT: for
// CHECK-NEXT: schedule: lanes = 32
// CHECK: fused: gather mul reduce
// CHECK-NEXT: for
// CHECK-NEXT: schedule: lanes = 32
// CHECK: fused: gather mul reduce
// CHECK-NEXT: for
// CHECK-NEXT: schedule: lanes = 32
// CHECK: fused: {{.*}} dot_general
// CHECK-NOT: fused: {{.*}}gather
func.func @main(%x: tensor<2x3x96x80xf32>, %y: tensor<1x90x100x3xf32>, %z: tensor<2x24x20xf32>) -> (tensor<2x3x40x30xf32>, tensor<1x30x40x3xf32>, tensor<2x6x20xf32>) {
  %0 = "tcc.resize"(%x) {mode = "linear", coordinates = "half_pixel", nearest = "floor", scales = dense<> : tensor<0xf64>, roi = dense<> : tensor<0xf64>, cubic_coeff = -0.75 : f64, exclude_outside = false, extrapolation = 0.0 : f64, antialias = true} : (tensor<2x3x96x80xf32>) -> tensor<2x3x40x30xf32>
  %1 = "tcc.resize"(%y) {mode = "cubic", coordinates = "half_pixel", nearest = "floor", scales = dense<> : tensor<0xf64>, roi = dense<> : tensor<0xf64>, cubic_coeff = -0.5 : f64, exclude_outside = true, extrapolation = 0.0 : f64, antialias = true} : (tensor<1x90x100x3xf32>) -> tensor<1x30x40x3xf32>
  %2 = "tcc.resize"(%z) {mode = "linear", coordinates = "half_pixel", nearest = "floor", scales = dense<> : tensor<0xf64>, roi = dense<> : tensor<0xf64>, cubic_coeff = -0.75 : f64, exclude_outside = false, extrapolation = 0.0 : f64, antialias = true} : (tensor<2x24x20xf32>) -> tensor<2x6x20xf32>
  return %0, %1, %2 : tensor<2x3x40x30xf32>, tensor<1x30x40x3xf32>, tensor<2x6x20xf32>
}
