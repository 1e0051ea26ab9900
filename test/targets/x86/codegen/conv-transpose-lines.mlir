// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --save=%t && tcc-run %s --random=1 --data=%t --check --rtol=1e-3 --atol=1e-3
// RUN: tcc-run %s --random=1 --data=%t --check --target=x86,avx2 --rtol=1e-3 --atol=1e-3
// RUN: tcc-opt --pipeline=default --target=x86,avx2 %s | FileCheck %s --implicit-check-not='"tcc.conv_transpose"'
// REQUIRES: avx2

// Transposed convolutions along one axis are those of an image with one row, in phases: strides of 8 and 2, channels that fill no block,
// an end that is padded.
// CHECK-COUNT-3: "tcc.conv_blocked"
func.func @main(%x0: tensor<2x24x37xf32>, %x1: tensor<1x16x50xf32>, %x2: tensor<1x9x21xf32>) -> (tensor<2x20x296xf32>, tensor<1x16x100xf32>, tensor<1x17x42xf32>) {
  %none = "tcc.none"() : () -> none
  %i0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<7680xf32>
  %j0 = "tcc.sin"(%i0) : (tensor<7680xf32>) -> tensor<7680xf32>
  %w0 = "tcc.reshape"(%j0) : (tensor<7680xf32>) -> tensor<24x20x16xf32>
  %0 = "tcc.conv_transpose"(%x0, %w0, %none) {strides = array<i64: 8>, pads = array<i64: 4, 4>, dilations = array<i64: 1>, output_padding = array<i64: 0>, groups = 1 : i64} : (tensor<2x24x37xf32>, tensor<24x20x16xf32>, none) -> tensor<2x20x296xf32>
  %i1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<1024xf32>
  %j1 = "tcc.sin"(%i1) : (tensor<1024xf32>) -> tensor<1024xf32>
  %w1 = "tcc.reshape"(%j1) : (tensor<1024xf32>) -> tensor<16x16x4xf32>
  %1 = "tcc.conv_transpose"(%x1, %w1, %none) {strides = array<i64: 2>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, output_padding = array<i64: 0>, groups = 1 : i64} : (tensor<1x16x50xf32>, tensor<16x16x4xf32>, none) -> tensor<1x16x100xf32>
  %i2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<459xf32>
  %j2 = "tcc.sin"(%i2) : (tensor<459xf32>) -> tensor<459xf32>
  %w2 = "tcc.reshape"(%j2) : (tensor<459xf32>) -> tensor<9x17x3xf32>
  %2 = "tcc.conv_transpose"(%x2, %w2, %none) {strides = array<i64: 2>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, output_padding = array<i64: 1>, groups = 1 : i64} : (tensor<1x9x21xf32>, tensor<9x17x3xf32>, none) -> tensor<1x17x42xf32>
  return %0, %1, %2 : tensor<2x20x296xf32>, tensor<1x16x100xf32>, tensor<1x17x42xf32>
}
