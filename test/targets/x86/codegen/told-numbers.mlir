// Functions that differ in numbers alone are one. Packers and prefetches of products read theirs from a table that their callers pass. A norm has its width, count and
// epsilon in sizes[] where another norm has the same code by that; one of 24 elements, whose loops have another number of rounds, stays as it is, as it would alone.
// RUN: tcc-opt %s --pipeline=default --target=x86,avx2,cores=1 | tcc-translate --to-llvm --target=x86,avx2,cores=1 - > %t
// RUN: grep -o "llvm.func hidden @[a-z_]*_[0-9a-f]*(" %t | sort -u | FileCheck %s
// RUN: tcc-compile %s --target=x86,avx2,cores=1 --no-cache -o %t.so && llvm-nm -D %t.so | grep -o "k_[0-9a-f]*_reduce[a-z_]*" | wc -l | FileCheck %s --check-prefix=NORMS
// RUN: tcc-run %s --target=x86,avx2 --random=1 --compare=interp
// RUN: rm -rf %t.d && tcc-run %s --target=x86,avx2 --random=1 --threads=1 --save=%t.d && tcc-run %s --target=reference --random=1 --data=%t.d --check
// REQUIRES: avx2
// CHECK-COUNT-1: pack_rows
// CHECK-NOT: pack_rows
// CHECK-COUNT-1: prefetch
// CHECK-NOT: prefetch
// NORMS: {{^ *2$}}
func.func @main(%x: tensor<40x64xf32>, %y: tensor<9x256xf32>, %z: tensor<9x24xf32>, %g: tensor<64xf32>, %h: tensor<256xf32>, %i: tensor<24xf32>,
                %p: tensor<3x160x72xf32>, %q: tensor<3x160x48xf32>, %r: tensor<3x72x48xf32>, %s: tensor<5x192x96xf32>, %t: tensor<5x192x96xf32>, %u: tensor<5x96x96xf32>)
    -> (tensor<40x64xf32>, tensor<9x256xf32>, tensor<9x24xf32>, tensor<3x72x48xf32>, tensor<5x96x96xf32>) {
  %0 = "tcc.layer_norm"(%x, %g, %g) {axis = 1 : i64, eps = 1.0e-5 : f64} : (tensor<40x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<40x64xf32>
  %1 = "tcc.layer_norm"(%y, %h, %h) {axis = 1 : i64, eps = 1.0e-6 : f64} : (tensor<9x256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<9x256xf32>
  %2 = "tcc.layer_norm"(%z, %i, %i) {axis = 1 : i64, eps = 1.0e-6 : f64} : (tensor<9x24xf32>, tensor<24xf32>, tensor<24xf32>) -> tensor<9x24xf32>
  %3 = "tcc.dot_general"(%p, %q) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<3x160x72xf32>, tensor<3x160x48xf32>) -> tensor<3x72x48xf32>
  %4 = "tcc.add"(%3, %r) : (tensor<3x72x48xf32>, tensor<3x72x48xf32>) -> tensor<3x72x48xf32>
  %5 = "tcc.dot_general"(%s, %t) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<5x192x96xf32>, tensor<5x192x96xf32>) -> tensor<5x96x96xf32>
  %6 = "tcc.add"(%5, %u) : (tensor<5x96x96xf32>, tensor<5x96x96xf32>) -> tensor<5x96x96xf32>
  return %0, %1, %2, %4, %6 : tensor<40x64xf32>, tensor<9x256xf32>, tensor<9x24xf32>, tensor<3x72x48xf32>, tensor<5x96x96xf32>
}
