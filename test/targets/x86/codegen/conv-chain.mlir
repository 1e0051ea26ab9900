// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --save=%t
// RUN: tcc-run %s --numerics=direct --target=x86,avx512 --random=1 --data=%t --check --rtol=2e-6 --atol=0
// RUN: tcc-run %s --numerics=direct --target=x86,avx2 --random=1 --data=%t --check --rtol=2e-6 --atol=0
// RUN: tcc-run %s --numerics=direct --target=x86,avx512,tiles=llvm --random=1 --data=%t --check --rtol=2e-6 --atol=0
// REQUIRES: avx512

// 4,608 products, none of which is negative: one chain of sums would be wrong by three millionths. Passes over the depth are chains of 640 at most, and their sums
// are added; the reference sums in f64. A copied image of few channels is one pass, whatever its window.
func.func @main(%x: tensor<1x512x6x28xf32>, %image: tensor<1x3x64x64xf32>) -> (tensor<1x32x6x28xf32>, tensor<1x32x4x4xf32>) {
  %none = "tcc.none"() : () -> none
  %i = "tcc.iota"() {axis = 0 : i64} : () -> tensor<147456xf32>
  %s = "tcc.sin"(%i) : (tensor<147456xf32>) -> tensor<147456xf32>
  %a = "tcc.abs"(%s) : (tensor<147456xf32>) -> tensor<147456xf32>
  %w = "tcc.reshape"(%a) : (tensor<147456xf32>) -> tensor<32x512x3x3xf32>
  %p = "tcc.abs"(%x) : (tensor<1x512x6x28xf32>) -> tensor<1x512x6x28xf32>
  %c = "tcc.conv"(%p, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x512x6x28xf32>, tensor<32x512x3x3xf32>, none) -> tensor<1x32x6x28xf32>
  %i1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<24576xf32>
  %s1 = "tcc.sin"(%i1) : (tensor<24576xf32>) -> tensor<24576xf32>
  %a1 = "tcc.abs"(%s1) : (tensor<24576xf32>) -> tensor<24576xf32>
  %w1 = "tcc.reshape"(%a1) : (tensor<24576xf32>) -> tensor<32x3x16x16xf32>
  %p1 = "tcc.abs"(%image) : (tensor<1x3x64x64xf32>) -> tensor<1x3x64x64xf32>
  %c1 = "tcc.conv"(%p1, %w1, %none) {strides = array<i64: 16, 16>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x64x64xf32>, tensor<32x3x16x16xf32>, none) -> tensor<1x32x4x4xf32>
  return %c, %c1 : tensor<1x32x6x28xf32>, tensor<1x32x4x4xf32>
}
