// RUN: bash -c 'for t in x86 x86,avx2; do rm -rf %t; tcc-run %s --random=1 --target=$t --threads=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check || exit 1; done'
// RUN: tcc-compile %s --target=x86,avx2 -o %t.so && tcc-explain %t.so --plan | FileCheck %s
// REQUIRES: avx2

// Strides and pads may be any numbers of 31 bits where few windows are left: no line of scratch memory is as long as they are.
// CHECK-COUNT-5: scratch {{[0-9]?[0-9]?[0-9]?[0-9]?[0-9]$}}
func.func @main(%x: tensor<2x6x9x11xf32>) -> (tensor<2x6x1x1xf32>, tensor<2x6x1x1xf32>, tensor<2x6x1x1xf32>, tensor<2x6x8x1xf32>, tensor<2x6x8x10xf32>) {
  %0 = "tcc.pool"(%x) {kind = "avg", kernel = array<i64: 2, 3>, strides = array<i64: 2147483647, 2147483647>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<2x6x9x11xf32>) -> tensor<2x6x1x1xf32>
  %1 = "tcc.pool"(%x) {kind = "max", kernel = array<i64: 2, 3>, strides = array<i64: 2147483647, 2147483647>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<2x6x9x11xf32>) -> tensor<2x6x1x1xf32>
  %2 = "tcc.pool"(%x) {kind = "sum", kernel = array<i64: 2, 3>, strides = array<i64: 2147483647, 1000000>, pads = array<i64: 0, 1, 0, 2>, dilations = array<i64: 1, 1>} : (tensor<2x6x9x11xf32>) -> tensor<2x6x1x1xf32>
  %3 = "tcc.pool"(%x) {kind = "sum", kernel = array<i64: 2, 2>, strides = array<i64: 1, 100000>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 5>} : (tensor<2x6x9x11xf32>) -> tensor<2x6x8x1xf32>
  %4 = "tcc.pool"(%x) {kind = "sum", kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 1000000000, 0, -1000000000>, dilations = array<i64: 1, 1>} : (tensor<2x6x9x11xf32>) -> tensor<2x6x8x10xf32>
  return %0, %1, %2, %3, %4 : tensor<2x6x1x1xf32>, tensor<2x6x1x1xf32>, tensor<2x6x1x1xf32>, tensor<2x6x8x1xf32>, tensor<2x6x8x10xf32>
}
