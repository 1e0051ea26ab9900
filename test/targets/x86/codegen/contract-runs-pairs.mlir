// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --save=%t
// RUN: %if optimised %{ env LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --target=x86,sapphirerapids --data=%t --check %}
// RUN: %if optimised %{ env LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --target=x86,cooperlake --data=%t --check %}
// RUN: tcc-run %s --random=1 --target=x86,cascadelake --data=%t --check
// RUN: tcc-opt --pipeline=default --target=x86,sapphirerapids %s | tcc-translate --to-asm --target=x86,sapphirerapids - | FileCheck %s --check-prefix=CODE
// REQUIRES: avx512

// Gradients of weights of convolutions in bf16: products whose columns lie along k in runs. Pairs of runs of even length are words, which are transposed;
// those of odd length and of every other element are brought one by one.
// CODE: vmovdqu16 {{.*}}, %zmm{{.*}}{z}
// CODE: vpermt2d
func.func @main(%x0: tensor<2x24x9x14xbf16>, %g0: tensor<2x32x9x14xbf16>, %x1: tensor<2x20x7x7xbf16>, %g1: tensor<2x40x7x7xbf16>, %x2: tensor<2x16x12x36xbf16>, %g2: tensor<2x48x6x18xbf16>, %x3: tensor<3x16x5x40xbf16>, %g3: tensor<3x33x5x40xbf16>) -> (tensor<32x24x3x3xbf16>, tensor<40x20x3x3xbf16>, tensor<48x16x3x3xbf16>, tensor<33x16x1x1xbf16>) {
  %r0 = "tcc.conv_filter_grad"(%x0, %g0) {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x24x9x14xbf16>, tensor<2x32x9x14xbf16>) -> tensor<32x24x3x3xbf16>
  %r1 = "tcc.conv_filter_grad"(%x1, %g1) {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x20x7x7xbf16>, tensor<2x40x7x7xbf16>) -> tensor<40x20x3x3xbf16>
  %r2 = "tcc.conv_filter_grad"(%x2, %g2) {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x16x12x36xbf16>, tensor<2x48x6x18xbf16>) -> tensor<48x16x3x3xbf16>
  %r3 = "tcc.conv_filter_grad"(%x3, %g3) {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<3x16x5x40xbf16>, tensor<3x33x5x40xbf16>) -> tensor<33x16x1x1xbf16>
  return %r0, %r1, %r2, %r3 : tensor<32x24x3x3xbf16>, tensor<40x20x3x3xbf16>, tensor<48x16x3x3xbf16>, tensor<33x16x1x1xbf16>
}
