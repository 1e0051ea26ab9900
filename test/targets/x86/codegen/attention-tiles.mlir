// RUN: bash -c 'for s in 2 16 17 50 131; do for t in 0 1 7 32 33 130 260; do rm -rf %t; tcc-run %s --random=1 --dim=S=$s --dim=T=$t --target=x86,avx2 --save=%t && LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --dim=S=$s --dim=T=$t --target=x86,sapphirerapids --data=%t --check --rtol=2e-2 --atol=1e-2 || exit 1; done; done'
// RUN: %if amx %{ bash -c 'for s in 2 50 131; do for t in 0 1 33 260; do rm -rf %t; tcc-run %s --random=1 --dim=S=$s --dim=T=$t --target=x86,avx2 --save=%t && tcc-run %s --random=1 --dim=S=$s --dim=T=$t --target=x86,sapphirerapids --data=%t --check --rtol=2e-2 --atol=1e-2 || exit 1; done; done' %}
// RUN: tcc-opt --pipeline=default --target=x86,sapphirerapids %s | tcc-translate --to-asm --target=x86,sapphirerapids - | FileCheck %s
// RUN: tcc-opt --pipeline=default --target=x86,sapphirerapids %s | tcc-opt --target=x86,sapphirerapids --tcc-variants - | FileCheck %s --check-prefix=VARIANTS
// REQUIRES: avx512, optimised

// Attention of bf16 in AMX's tiles against fused multiply-adds: heads that fill no tile, grouped heads, masks, causality with keys that
// nobody sees, softcap, folded transposes; the number of keys is no multiple of 32, and less than that.
// CHECK: ldtilecfg
// CHECK: tdpbf16ps
// CHECK: tilerelease
// VARIANTS: tcc.variants = [{{.*}}rows = 32 : i64
func.func @main(%x0: tensor<2x4x?x20xbf16, [2, 4, "S", 20]>, %x1: tensor<2x2x?x20xbf16, [2, 2, "T", 20]>, %x2: tensor<2x2x?x33xbf16, [2, 2, "T", 33]>, %x3: tensor<2x1x1x?xi1, [2, 1, 1, "T"]>, %x4: tensor<?x?xbf16, ["S", "T"]>, %x5: tensor<1x?x3x16xbf16, [1, "S", 3, 16]>, %x6: tensor<1x?x3x16xbf16, [1, "T", 3, 16]>, %x7: tensor<1x?x3x16xbf16, [1, "T", 3, 16]>, %x8: tensor<1x3x?x?xi1, [1, 3, "S", "T"]>) -> (tensor<2x4x?x33xbf16, [2, 4, "S", 33]>, tensor<2x4x?x33xbf16, [2, 4, "S", 33]>, tensor<2x4x?x33xbf16, [2, 4, "S", 33]>, tensor<2x4x?x33xbf16, [2, 4, "S", 33]>, tensor<1x?x3x16xbf16, [1, "S", 3, 16]>) {
  %1 = "tcc.none"() : () -> none
  %2 = "tcc.attention"(%x0, %x1, %x2, %1) {scale = 0.3 : f64} : (tensor<2x4x?x20xbf16, [2, 4, "S", 20]>, tensor<2x2x?x20xbf16, [2, 2, "T", 20]>, tensor<2x2x?x33xbf16, [2, 2, "T", 33]>, none) -> tensor<2x4x?x33xbf16, [2, 4, "S", 33]>
  %3 = "tcc.none"() : () -> none
  %4 = "tcc.attention"(%x0, %x1, %x2, %3) {scale = 0.3 : f64, causal = true, offset = [3]} : (tensor<2x4x?x20xbf16, [2, 4, "S", 20]>, tensor<2x2x?x20xbf16, [2, 2, "T", 20]>, tensor<2x2x?x33xbf16, [2, 2, "T", 33]>, none) -> tensor<2x4x?x33xbf16, [2, 4, "S", 33]>
  %5 = "tcc.attention"(%x0, %x1, %x2, %x3) {scale = 0.3 : f64, zero_masked = true} : (tensor<2x4x?x20xbf16, [2, 4, "S", 20]>, tensor<2x2x?x20xbf16, [2, 2, "T", 20]>, tensor<2x2x?x33xbf16, [2, 2, "T", 33]>, tensor<2x1x1x?xi1, [2, 1, 1, "T"]>) -> tensor<2x4x?x33xbf16, [2, 4, "S", 33]>
  %6 = "tcc.attention"(%x0, %x1, %x2, %x4) {scale = 0.3 : f64, softcap = 5.0 : f64} : (tensor<2x4x?x20xbf16, [2, 4, "S", 20]>, tensor<2x2x?x20xbf16, [2, 2, "T", 20]>, tensor<2x2x?x33xbf16, [2, 2, "T", 33]>, tensor<?x?xbf16, ["S", "T"]>) -> tensor<2x4x?x33xbf16, [2, 4, "S", 33]>
  %7 = "tcc.transpose"(%x5) {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x?x3x16xbf16, [1, "S", 3, 16]>) -> tensor<1x3x?x16xbf16, [1, 3, "S", 16]>
  %8 = "tcc.transpose"(%x6) {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x?x3x16xbf16, [1, "T", 3, 16]>) -> tensor<1x3x?x16xbf16, [1, 3, "T", 16]>
  %9 = "tcc.transpose"(%x7) {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x?x3x16xbf16, [1, "T", 3, 16]>) -> tensor<1x3x?x16xbf16, [1, 3, "T", 16]>
  %10 = "tcc.attention"(%7, %8, %9, %x8) {scale = 0.3 : f64, causal = true, zero_masked = true} : (tensor<1x3x?x16xbf16, [1, 3, "S", 16]>, tensor<1x3x?x16xbf16, [1, 3, "T", 16]>, tensor<1x3x?x16xbf16, [1, 3, "T", 16]>, tensor<1x3x?x?xi1, [1, 3, "S", "T"]>) -> tensor<1x3x?x16xbf16, [1, 3, "S", 16]>
  %11 = "tcc.transpose"(%10) {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x3x?x16xbf16, [1, 3, "S", 16]>) -> tensor<1x?x3x16xbf16, [1, "S", 3, 16]>
  return %2, %4, %5, %6, %11 : tensor<2x4x?x33xbf16, [2, 4, "S", 33]>, tensor<2x4x?x33xbf16, [2, 4, "S", 33]>, tensor<2x4x?x33xbf16, [2, 4, "S", 33]>, tensor<2x4x?x33xbf16, [2, 4, "S", 33]>, tensor<1x?x3x16xbf16, [1, "S", 3, 16]>
}
