// RUN: tcc-opt --tcc-grad %s | FileCheck %s
// RUN: tcc-opt --tcc-grad %s -o %t.mlir && tcc-run %t.mlir --random=1 --target=x86 --compare=interp --rtol=1e-5 --atol=1e-5

// A convolution for each remainder modulo the stride would be thousands of them: the gradient of the image is one transposed convolution.
// CHECK: "tcc.conv_transpose"
func.func @main(%x: tensor<1x1x20003xf32>, %w: tensor<1x1x3xf32>) -> tensor<f32> {
  %b = "tcc.none"() : () -> none
  %0 = "tcc.conv"(%x, %w, %b) {strides = array<i64: 10000>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x1x20003xf32>, tensor<1x1x3xf32>, none) -> tensor<1x1x3xf32>
  %1 = "tcc.reduce"(%0) {axes = array<i64: 0, 1, 2>, keepdims = false, kind = "sum"} : (tensor<1x1x3xf32>) -> tensor<f32>
  func.return %1 : tensor<f32>
}
