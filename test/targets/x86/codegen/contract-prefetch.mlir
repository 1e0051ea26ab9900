// What is prefetched follows the number of row tiles of a call: two, three to five, six and more of eight rows; all of them agree with the reference.
// The weight has fewer than 64 K elements: more of them that are equal would be a number in the kernel, not an operand.
// RUN: tcc-opt --tcc-fuse %s | tcc-opt --tcc-pack-weights | tcc-translate --to-asm --target=x86,avx512 | FileCheck %s --check-prefix=ASM
// RUN: tcc-explain %s --no-cache --target=x86,avx512 | FileCheck %s
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=3 --save=%t && tcc-run %s --target=reference --random=1 --dim=M=3 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=29 --save=%t && tcc-run %s --target=reference --random=1 --dim=M=29 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=60 --save=%t && tcc-run %s --target=reference --random=1 --dim=M=60 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=13 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --dim=M=13 --data=%t --check --rtol=1e-3 --atol=1e-4
// REQUIRES: avx512
// CHECK: x86.contract/{{.*}} rows=8 vectors=3 {{.*}} single=1 {{.*}} ahead=1-2-6
// Three loops in one body, each with as many fetches: six, two, one.
// ASM: cmpq $4, %r8
// ASM-COUNT-6: prefetcht1
// ASM: cmpq $2, %r8
// ASM-COUNT-2: prefetcht1
// ASM: jne
// One counter for elements and for what is prefetched, which ends at zero.
// ASM: vbroadcastss {{.*}}(%rdi,%rax), %zmm
// ASM: prefetcht1 (%r9,%rax,8)
// ASM-NOT: prefetcht1
// ASM: vzeroupper
func.func @main(%x: tensor<?x336xf32, ["M", 336]>) -> tensor<?x192xf32, ["M", 192]> {
  %w = "tcc.constant"() {value = dense<0.25> : tensor<336x192xf32>} : () -> tensor<336x192xf32>
  %r = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x336xf32, ["M", 336]>, tensor<336x192xf32>) -> tensor<?x192xf32, ["M", 192]>
  return %r : tensor<?x192xf32, ["M", 192]>
}
