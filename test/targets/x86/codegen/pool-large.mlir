// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --save=%t && tcc-run %s --random=1 --data=%t --check
// RUN: tcc-run %s --random=1 --data=%t --check --target=x86,avx2
// REQUIRES: avx2

// Windows that are larger than the image, in several forms: of positions outside of it only those are walked that another lane has inside.
func.func @main(%x: tensor<2x3x9x21xf32>, %y: tensor<1x2x50xi32>) -> (tensor<2x3x9x21xf32>, tensor<2x3x7x10xf32>, tensor<2x3x9x1xf32>, tensor<2x3x9x21xf32>, tensor<2x3x7x10xf32>, tensor<2x3x9x1xf32>, tensor<2x3x9x21xf32>, tensor<2x3x7x10xf32>, tensor<2x3x9x1xf32>, tensor<2x3x9x21xf32>, tensor<2x3x8x11xf32>, tensor<2x3x9x2xf32>, tensor<2x3x9x21xf32>, tensor<2x3x7x10xf32>, tensor<2x3x9x1xf32>, tensor<2x3x9x21xi64>, tensor<1x2x50xi32>, tensor<1x2x25xi32>) {
  %0 = "tcc.pool"(%x) {kind = "max", kernel = array<i64: 41, 37>, strides = array<i64: 1, 1>, pads = array<i64: 20, 18, 20, 18>, dilations = array<i64: 1, 1>} : (tensor<2x3x9x21xf32>) -> tensor<2x3x9x21xf32>
  %1 = "tcc.pool"(%x) {kind = "max", kernel = array<i64: 14, 13>, strides = array<i64: 2, 3>, pads = array<i64: 13, 12, 5, 9>, dilations = array<i64: 1, 1>} : (tensor<2x3x9x21xf32>) -> tensor<2x3x7x10xf32>
  %2 = "tcc.pool"(%x) {kind = "max", kernel = array<i64: 16, 20>, strides = array<i64: 1, 2>, pads = array<i64: 15, 19, 15, 19>, dilations = array<i64: 2, 3>} : (tensor<2x3x9x21xf32>) -> tensor<2x3x9x1xf32>
  %3 = "tcc.pool"(%x) {kind = "avg", kernel = array<i64: 41, 37>, strides = array<i64: 1, 1>, pads = array<i64: 20, 18, 20, 18>, dilations = array<i64: 1, 1>} : (tensor<2x3x9x21xf32>) -> tensor<2x3x9x21xf32>
  %4 = "tcc.pool"(%x) {kind = "avg", kernel = array<i64: 14, 13>, strides = array<i64: 2, 3>, pads = array<i64: 13, 12, 5, 9>, dilations = array<i64: 1, 1>} : (tensor<2x3x9x21xf32>) -> tensor<2x3x7x10xf32>
  %5 = "tcc.pool"(%x) {kind = "avg", kernel = array<i64: 16, 20>, strides = array<i64: 1, 2>, pads = array<i64: 15, 19, 15, 19>, dilations = array<i64: 2, 3>} : (tensor<2x3x9x21xf32>) -> tensor<2x3x9x1xf32>
  %6 = "tcc.pool"(%x) {kind = "avg", count_include_pad = true, kernel = array<i64: 41, 37>, strides = array<i64: 1, 1>, pads = array<i64: 20, 18, 20, 18>, dilations = array<i64: 1, 1>} : (tensor<2x3x9x21xf32>) -> tensor<2x3x9x21xf32>
  %7 = "tcc.pool"(%x) {kind = "avg", count_include_pad = true, kernel = array<i64: 14, 13>, strides = array<i64: 2, 3>, pads = array<i64: 13, 12, 5, 9>, dilations = array<i64: 1, 1>} : (tensor<2x3x9x21xf32>) -> tensor<2x3x7x10xf32>
  %8 = "tcc.pool"(%x) {kind = "avg", count_include_pad = true, kernel = array<i64: 16, 20>, strides = array<i64: 1, 2>, pads = array<i64: 15, 19, 15, 19>, dilations = array<i64: 2, 3>} : (tensor<2x3x9x21xf32>) -> tensor<2x3x9x1xf32>
  %9 = "tcc.pool"(%x) {kind = "avg", ceil_mode = true, count_include_pad = true, kernel = array<i64: 41, 37>, strides = array<i64: 1, 1>, pads = array<i64: 20, 18, 20, 18>, dilations = array<i64: 1, 1>} : (tensor<2x3x9x21xf32>) -> tensor<2x3x9x21xf32>
  %10 = "tcc.pool"(%x) {kind = "avg", ceil_mode = true, count_include_pad = true, kernel = array<i64: 14, 13>, strides = array<i64: 2, 3>, pads = array<i64: 13, 12, 5, 9>, dilations = array<i64: 1, 1>} : (tensor<2x3x9x21xf32>) -> tensor<2x3x8x11xf32>
  %11 = "tcc.pool"(%x) {kind = "avg", ceil_mode = true, count_include_pad = true, kernel = array<i64: 16, 20>, strides = array<i64: 1, 2>, pads = array<i64: 15, 19, 15, 19>, dilations = array<i64: 2, 3>} : (tensor<2x3x9x21xf32>) -> tensor<2x3x9x2xf32>
  %12 = "tcc.pool"(%x) {kind = "sum", kernel = array<i64: 41, 37>, strides = array<i64: 1, 1>, pads = array<i64: 20, 18, 20, 18>, dilations = array<i64: 1, 1>} : (tensor<2x3x9x21xf32>) -> tensor<2x3x9x21xf32>
  %13 = "tcc.pool"(%x) {kind = "sum", kernel = array<i64: 14, 13>, strides = array<i64: 2, 3>, pads = array<i64: 13, 12, 5, 9>, dilations = array<i64: 1, 1>} : (tensor<2x3x9x21xf32>) -> tensor<2x3x7x10xf32>
  %14 = "tcc.pool"(%x) {kind = "sum", kernel = array<i64: 16, 20>, strides = array<i64: 1, 2>, pads = array<i64: 15, 19, 15, 19>, dilations = array<i64: 2, 3>} : (tensor<2x3x9x21xf32>) -> tensor<2x3x9x1xf32>
  %15 = "tcc.pool_index"(%x) {kernel = array<i64: 41, 37>, strides = array<i64: 1, 1>, pads = array<i64: 20, 18, 20, 18>, dilations = array<i64: 1, 1>} : (tensor<2x3x9x21xf32>) -> tensor<2x3x9x21xi64>
  %16 = "tcc.pool"(%y) {kind = "max", kernel = array<i64: 301>, strides = array<i64: 1>, pads = array<i64: 150, 150>, dilations = array<i64: 1>} : (tensor<1x2x50xi32>) -> tensor<1x2x50xi32>
  %17 = "tcc.pool"(%y) {kind = "avg", kernel = array<i64: 301>, strides = array<i64: 2>, pads = array<i64: 150, 150>, dilations = array<i64: 1>} : (tensor<1x2x50xi32>) -> tensor<1x2x25xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17 : tensor<2x3x9x21xf32>, tensor<2x3x7x10xf32>, tensor<2x3x9x1xf32>, tensor<2x3x9x21xf32>, tensor<2x3x7x10xf32>, tensor<2x3x9x1xf32>, tensor<2x3x9x21xf32>, tensor<2x3x7x10xf32>, tensor<2x3x9x1xf32>, tensor<2x3x9x21xf32>, tensor<2x3x8x11xf32>, tensor<2x3x9x2xf32>, tensor<2x3x9x21xf32>, tensor<2x3x7x10xf32>, tensor<2x3x9x1xf32>, tensor<2x3x9x21xi64>, tensor<1x2x50xi32>, tensor<1x2x25xi32>
}
