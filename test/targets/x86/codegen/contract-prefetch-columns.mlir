// What is packed in the call is prefetched meanwhile, where columns are runs along k: all of k, one run of memory, of which each of two row
// tiles asks for half, three lines an iteration; k in blocks, sixteen row tiles, and two lines of each column's piece.
// RUN: tcc-opt --tcc-fuse %s | tcc-translate --to-asm --target=x86,avx512,l1=48K,l2=1M | FileCheck %s
// RUN: rm -rf %t && tcc-run %s --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-4
// REQUIRES: avx512
// CHECK: tile_{{.*}}:
// CHECK: prefetcht1 (%r9)
// CHECK: prefetcht1 64(%r9)
// CHECK: prefetcht1 128(%r9)
// CHECK-NOT: prefetcht1
// CHECK: vzeroupper
// The panel behind the one that was packed: 48 columns of 2 KB.
// CHECK: _dot_general:
// CHECK: callq pack_panel_
// CHECK: addq $1, %rax
// CHECK-NEXT: imulq $48, %rax, %rax
// CHECK-NEXT: shlq $9, %rax
// CHECK: tile_{{.*}}:
// CHECK: imulq $9216, %r10, %r10
// CHECK: prefetcht1 (%r9,%r10)
// CHECK: prefetcht1 64(%r9,%r10)
// CHECK-NOT: prefetcht1
// CHECK: vzeroupper
func.func @main(%x: tensor<16x512xf32>, %w: tensor<192x512xf32>, %y: tensor<128x2304xf32>, %v: tensor<192x2304xf32>) -> (tensor<16x192xf32>, tensor<128x192xf32>) {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<16x512xf32>, tensor<192x512xf32>) -> tensor<16x192xf32>
  %1 = "tcc.dot_general"(%y, %v) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<128x2304xf32>, tensor<192x2304xf32>) -> tensor<128x192xf32>
  return %0, %1 : tensor<16x192xf32>, tensor<128x192xf32>
}
