// Packers and prefetches of products that differ in numbers alone are one, which reads its own from a table that its callers pass.
// RUN: tcc-opt %s --pipeline=default --target=x86,avx2,cores=1 | tcc-translate --to-llvm --target=x86,avx2,cores=1 - > %t
// RUN: grep -o "llvm.func hidden @[a-z_]*_[0-9a-f]*(" %t | sort -u | FileCheck %s
// RUN: tcc-run %s --target=x86,avx2 --random=1 --compare=interp
// REQUIRES: avx2
// CHECK-COUNT-1: pack_rows
// CHECK-NOT: pack_rows
// CHECK-COUNT-1: prefetch
// CHECK-NOT: prefetch
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
