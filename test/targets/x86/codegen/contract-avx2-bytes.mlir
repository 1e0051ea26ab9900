// RUN: tcc-opt --tcc-fuse %s | tcc-translate --to-asm --target=x86,x86-64-v3 | FileCheck %s
// RUN: tcc-opt --tcc-fuse %s | tcc-translate --to-asm --target=x86,skylake-avx512 | FileCheck %s --check-prefix=WIDE
// RUN: rm -rf %t && tcc-run %s --random=1 --target=x86,x86-64-v3 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=0 --atol=0
// REQUIRES: avx2

// Pairs of widened bytes where the machine has no vpdpwssd: a product goes through a register of its own, no sum through memory.
// CHECK: tile_{{[0-9a-f]+}}:
// CHECK: vpmaddwd %ymm12, %ymm14, %ymm15
// CHECK-NEXT: vpaddd %ymm0, %ymm15, %ymm0
// CHECK: vpmaddwd 64(%rsi), %ymm14, %ymm15
// CHECK-NEXT: vpaddd %ymm2, %ymm15, %ymm2
// WIDE: vpmaddwd %zmm{{[0-9]+}}, %zmm{{[0-9]+}}, %zmm31
func.func @main(%x: tensor<128x300xi8>, %w: tensor<300x384xi8>) -> tensor<128x384xi32> {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<128x300xi8>, tensor<300x384xi8>) -> tensor<128x384xi32>
  return %0 : tensor<128x384xi32>
}
