// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --save=%t && tcc-run %s --random=1 --data=%t --check
// REQUIRES: avx2

// Rounded up, an image that is smaller than the window has one: 3 from 2 in steps of 2, 9 from 7 in steps of 3.
func.func @main(%x: tensor<1x32x2x5xf32>, %y: tensor<2x3x7xf32>) -> (tensor<1x32x1x2xf32>, tensor<1x32x1x2xf32>, tensor<2x3x1xf32>) {
  %0 = "tcc.pool"(%x) {kind = "max", ceil_mode = true, kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x32x2x5xf32>) -> tensor<1x32x1x2xf32>
  %1 = "tcc.pool"(%x) {kind = "avg", ceil_mode = true, count_include_pad = true, kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x32x2x5xf32>) -> tensor<1x32x1x2xf32>
  %2 = "tcc.pool"(%y) {kind = "avg", ceil_mode = true, kernel = array<i64: 9>, strides = array<i64: 3>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<2x3x7xf32>) -> tensor<2x3x1xf32>
  return %0, %1, %2 : tensor<1x32x1x2xf32>, tensor<1x32x1x2xf32>, tensor<2x3x1xf32>
}
