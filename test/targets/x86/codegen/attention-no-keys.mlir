// RUN: bash -c 'for t in x86 x86,avx2; do rm -rf %t; tcc-run %s --random=1 --target=$t --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check || exit 1; done'
// RUN: %if optimised %{ %if avx512 %{ rm -rf %t && env LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --target=x86,sapphirerapids --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check %} %}
// REQUIRES: avx2

// Attention whose number of keys is known to be 0: zeros. Panels of queries, with a mask; one query; one for each head of a group; a result
// that is transposed; bf16, in AMX's tiles where there are some; a head of no numbers.
func.func @main(%q: tensor<1x2x70x64xf16>, %k: tensor<1x2x0x64xf16>, %m: tensor<1x2x70x0xf16>, %q1: tensor<1x8x1x64xf32>, %k1: tensor<1x2x0x64xf32>, %k8: tensor<1x8x0x64xf32>, %qb: tensor<1x2x70x64xbf16>, %kb: tensor<1x2x0x64xbf16>, %q0: tensor<1x2x7x0xf32>, %k0: tensor<1x2x0x0xf32>, %v0: tensor<1x2x0x5xf32>) -> (tensor<1x2x70x64xf16>, tensor<1x70x2x64xf16>, tensor<1x8x1x64xf32>, tensor<1x8x1x64xf32>, tensor<1x2x70x64xbf16>, tensor<1x2x7x5xf32>) {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.attention"(%q, %k, %k, %m) {scale = 0.125 : f64} : (tensor<1x2x70x64xf16>, tensor<1x2x0x64xf16>, tensor<1x2x0x64xf16>, tensor<1x2x70x0xf16>) -> tensor<1x2x70x64xf16>
  %1 = "tcc.attention"(%q, %k, %k, %none) {scale = 0.125 : f64, causal = true, offset = [0]} : (tensor<1x2x70x64xf16>, tensor<1x2x0x64xf16>, tensor<1x2x0x64xf16>, none) -> tensor<1x2x70x64xf16>
  %2 = "tcc.transpose"(%1) {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x2x70x64xf16>) -> tensor<1x70x2x64xf16>
  %3 = "tcc.attention"(%q1, %k1, %k1, %none) {scale = 0.125 : f64, softcap = 2.0 : f64} : (tensor<1x8x1x64xf32>, tensor<1x2x0x64xf32>, tensor<1x2x0x64xf32>, none) -> tensor<1x8x1x64xf32>
  %4 = "tcc.attention"(%q1, %k8, %k8, %none) {scale = 0.125 : f64} : (tensor<1x8x1x64xf32>, tensor<1x8x0x64xf32>, tensor<1x8x0x64xf32>, none) -> tensor<1x8x1x64xf32>
  %5 = "tcc.attention"(%qb, %kb, %kb, %none) {scale = 0.125 : f64} : (tensor<1x2x70x64xbf16>, tensor<1x2x0x64xbf16>, tensor<1x2x0x64xbf16>, none) -> tensor<1x2x70x64xbf16>
  %6 = "tcc.attention"(%q0, %k0, %v0, %none) {scale = 1.0 : f64} : (tensor<1x2x7x0xf32>, tensor<1x2x0x0xf32>, tensor<1x2x0x5xf32>, none) -> tensor<1x2x7x5xf32>
  return %0, %2, %3, %4, %5, %6 : tensor<1x2x70x64xf16>, tensor<1x70x2x64xf16>, tensor<1x8x1x64xf32>, tensor<1x8x1x64xf32>, tensor<1x2x70x64xbf16>, tensor<1x2x7x5xf32>
}
