// RUN: tcc-run --random=1 --compare=interp --rtol=1e-6 %s | FileCheck %s

// A power of f64 behind a product compares with numbers above 2^62: a function that is told its numbers has them as they are.
// CHECK: ok: {{[0-9]+}} kernel
func.func @main(%x: tensor<2x46x40x21xf64>, %g: tensor<2x23x20x11xf64>, %y: tensor<23x46x1x3xf64>) -> tensor<23x46x1x3xf64> {
  %s = "tcc.constant"() {value = dense<1.000000e-03> : tensor<f64>} : () -> tensor<f64>
  %0 = "tcc.conv_filter_grad"(%x, %g) {kernel = array<i64: 1, 3>, strides = array<i64: 2, 2>, pads = array<i64: 0, 1, 0, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x46x40x21xf64>, tensor<2x23x20x11xf64>) -> tensor<23x46x1x3xf64>
  %1 = "tcc.mul"(%0, %s) : (tensor<23x46x1x3xf64>, tensor<f64>) -> tensor<23x46x1x3xf64>
  %2 = "tcc.abs"(%y) : (tensor<23x46x1x3xf64>) -> tensor<23x46x1x3xf64>
  %3 = "tcc.pow"(%2, %1) : (tensor<23x46x1x3xf64>, tensor<23x46x1x3xf64>) -> tensor<23x46x1x3xf64>
  return %3 : tensor<23x46x1x3xf64>
}
