// A weight [N, K] that is packed in the call is turned in registers, 16 columns at a time, by one function for all products with panels of as many
// columns; the last panel of 176 columns has two groups.
// RUN: tcc-opt --tcc-fuse %s | tcc-translate --to-asm --target=x86,avx512,l1=48K,l2=1M | FileCheck %s --check-prefix=ASM
// RUN: tcc-opt --tcc-fuse %s | tcc-translate --to-asm --target=x86,avx512,tiles=llvm | FileCheck %s --check-prefix=LLVM
// RUN: rm -rf %t && tcc-run %s --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-4
// REQUIRES: avx512
// ASM: transpose_columns_{{.*}}:
// ASM-COUNT-16: prefetcht1
// ASM-COUNT-8: vunpckhps
// ASM-COUNT-8: vunpckhpd
// ASM-COUNT-32: vshuff32x4
// ASM-COUNT-16: vmovups %zmm
// ASM: callq transpose_columns_
// ASM-NOT: vpermt2ps
// LLVM-NOT: transpose_columns_
// LLVM: vpermt2ps

// Rows in two tiles would share eleven panels evenly between two cores, and pack each of them twice.
// RUN: tcc-explain %s --no-cache --target=x86,avx512,l1=48K,l2=1M,cores=2 | FileCheck %s
// CHECK: schedule: x86.contract/{{[0-9]+}} rows=8 vectors=3 {{.*}}mb=128
func.func @main(%x: tensor<128x512xf32>, %w: tensor<512x512xf32>, %v: tensor<176x512xf32>) -> (tensor<128x512xf32>, tensor<128x176xf32>) {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<128x512xf32>, tensor<512x512xf32>) -> tensor<128x512xf32>
  %1 = "tcc.dot_general"(%x, %v) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<128x512xf32>, tensor<176x512xf32>) -> tensor<128x176xf32>
  return %0, %1 : tensor<128x512xf32>, tensor<128x176xf32>
}
