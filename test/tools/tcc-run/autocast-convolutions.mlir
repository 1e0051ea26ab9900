// --autocast of a model that is not trained: its convolutions are of bf16, in blocks from one to the next; a transposed one stays f32, and so do all on
// a machine without products of bf16.
// RUN: rm -rf %t && mkdir -p %t
// RUN: tcc-compile %s --autocast=bf16 --target=x86,cooperlake -o %t/pairs.so && llvm-objdump -d %t/pairs.so | FileCheck %s --check-prefix=PAIRS
// RUN: tcc-compile %s --autocast=bf16 --target=x86,sapphirerapids -o %t/tiles.so && llvm-objdump -d %t/tiles.so | FileCheck %s --check-prefix=TILES
// RUN: tcc-compile %s --autocast=bf16 --target=x86,cascadelake -o %t/wide.so && llvm-objdump -d %t/wide.so | FileCheck %s --check-prefix=WIDE
// RUN: tcc-run %s --random=3 --target=reference --save=%t/f32
// RUN: tcc-run %s --random=3 --target=x86,avx2 --autocast=bf16 --data=%t/f32 --check
// RUN: %if amx %{ tcc-run %s --random=3 --target=x86,sapphirerapids --autocast=bf16 --data=%t/f32 --check --rtol=2e-2 --atol=2e-1 %}
// RUN: %if amx %{ not tcc-run %s --random=3 --target=x86,sapphirerapids --autocast=bf16 --data=%t/f32 --check --rtol=1e-5 --atol=1e-5 %}
// REQUIRES: avx2
// PAIRS: vdpbf16ps
// TILES: tdpbf16ps
// WIDE-NOT: dpbf16ps
// WIDE: vfmadd231ps
// WIDE-NOT: dpbf16ps
func.func @main(%x: tensor<1x16x9x9xf32>, %w: tensor<32x16x3x3xf32>, %s: tensor<32xf32>, %v: tensor<16x32x1x1xf32>, %t: tensor<16x16x2x2xf32>) -> tensor<1x16x18x18xf32> {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x16x9x9xf32>, tensor<32x16x3x3xf32>, none) -> tensor<1x32x9x9xf32>
  %1 = "tcc.relu"(%0) : (tensor<1x32x9x9xf32>) -> tensor<1x32x9x9xf32>
  %2 = "tcc.conv"(%1, %v, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x32x9x9xf32>, tensor<16x32x1x1xf32>, none) -> tensor<1x16x9x9xf32>
  %3 = "tcc.conv_transpose"(%2, %t, %none) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 0>, groups = 1 : i64} : (tensor<1x16x9x9xf32>, tensor<16x16x2x2xf32>, none) -> tensor<1x16x18x18xf32>
  return %3 : tensor<1x16x18x18xf32>
}
