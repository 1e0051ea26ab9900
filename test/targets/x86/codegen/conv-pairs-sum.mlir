// RUN: rm -rf %t && tcc-run %S/Inputs/conv-pairs-sum.mlir --target=reference --random=1 --save=%t
// RUN: %if optimised %{ env LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --target=x86,sapphirerapids --data=%t --check --rtol=1e-5 %}
// RUN: %if optimised %{ env LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --target=x86,cooperlake --data=%t --check --rtol=1e-5 %}
// RUN: %if optimised %{ env LD_PRELOAD=%build/test/emulate.so not tcc-run %s --random=1 --target=x86,sapphirerapids --numerics=eager --data=%t --check --rtol=1e-5 %}
// REQUIRES: avx512

// What converts a convolution's bf16 to f32 reads its sum, unrounded; not where each op rounds.
func.func @main(%x: tensor<1x64x9x14xbf16>, %w: tensor<32x64x3x3xbf16>) -> tensor<1x32x9x14xf32> {
  %none = "tcc.none"() : () -> none
  %c = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x9x14xbf16>, tensor<32x64x3x3xbf16>, none) -> tensor<1x32x9x14xbf16>
  %f = "tcc.convert"(%c) : (tensor<1x32x9x14xbf16>) -> tensor<1x32x9x14xf32>
  return %f : tensor<1x32x9x14xf32>
}
