// Register tiles are bytes: assembly has them as instructions, and they lie where code may run.
// RUN: tcc-opt --tcc-fuse %s | tcc-translate --to-asm --target=x86,avx512 | FileCheck %s
// RUN: tcc-opt --tcc-fuse %s | tcc-translate --to-object --target=x86,avx512 -o %t.o && llvm-objdump -h %t.o | FileCheck %s --check-prefix=SECTION
// RUN: tcc-opt --tcc-fuse %s | tcc-translate --to-asm --target=x86,avx2 | FileCheck %s --check-prefix=AVX2
// SECTION: .text.code {{.*}} TEXT
// CHECK: .section .text.code,"ax",@progbits
// CHECK: tile_[[DIGEST:[0-9a-f]+]]:
// CHECK: vpxord %zmm0, %zmm0, %zmm0
// CHECK: vbroadcastss {{.*}}(%rdi), %zmm
// CHECK: vfmadd231ps {{.*}}, %zmm0
// CHECK: prefetcht1 (%r9
// CHECK: jb
// CHECK: vaddps (%rdx), %zmm0, %zmm0
// CHECK: vmovups %zmm0, (%rdx)
// CHECK: vzeroupper
// CHECK: callq tile_[[DIGEST]]
// AVX2: vfmadd231ps {{.*}}, %ymm0
// AVX2-NOT: zmm
func.func @main(%x: tensor<64x96xf32>, %w: tensor<96x128xf32>) -> tensor<64x128xf32> {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x96xf32>, tensor<96x128xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}
