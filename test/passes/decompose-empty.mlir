// RUN: tcc-opt %s --tcc-decompose | FileCheck %s
// RUN: tcc-run %s --random=1 --no-cache | FileCheck %s --check-prefix=SHAPE
// Of an axis without elements nothing is read, if its result has none either: the others are resized, and no window is laid over it.
// CHECK-LABEL: func.func @main
// CHECK-NOT: {{tcc.resize|tcc.pool}}
// CHECK: "tcc.gather"(%arg0, {{.*}}) {axis = 3 : i64} : (tensor<2x3x0x5xf32>, tensor<15xi64>) -> tensor<2x3x0x15xf32>
// SHAPE-LABEL: output 0 'output_0': f32[2x3x0x15]
// SHAPE-NEXT: output 1 'output_1': f32[4x0]
// SHAPE-NEXT: output 2 'output_2': f32[2x0x9]
// SHAPE-NEXT: output 3 'output_3': f32[2x3x0]
func.func @main(%x: tensor<2x3x0x5xf32>, %y: tensor<2x0xf32>, %z: tensor<2x0x9xf32>, %w: tensor<2x3x0xf32>) -> (tensor<2x3x0x15xf32>, tensor<4x0xf32>, tensor<2x0x9xf32>, tensor<2x3x0xf32>) {
  %0 = "tcc.resize"(%x) {mode = "linear", coordinates = "align_corners", scales = dense<[1.0, 1.0, 3.0, 3.0]> : tensor<4xf64>, roi = dense<0.0> : tensor<8xf64>} : (tensor<2x3x0x5xf32>) -> tensor<2x3x0x15xf32>
  %1 = "tcc.resize"(%y) {mode = "cubic", coordinates = "half_pixel", scales = dense<2.0> : tensor<2xf64>, roi = dense<0.0> : tensor<4xf64>} : (tensor<2x0xf32>) -> tensor<4x0xf32>
  %2 = "tcc.lrn"(%z) {alpha = 0.1, beta = 0.75, bias = 1.0, size = 3 : i64} : (tensor<2x0x9xf32>) -> tensor<2x0x9xf32>
  %3 = "tcc.lrn"(%w) {alpha = 0.1, beta = 0.75, bias = 1.0, size = 5 : i64} : (tensor<2x3x0xf32>) -> tensor<2x3x0xf32>
  return %0, %1, %2, %3 : tensor<2x3x0x15xf32>, tensor<4x0xf32>, tensor<2x0x9xf32>, tensor<2x3x0xf32>
}
