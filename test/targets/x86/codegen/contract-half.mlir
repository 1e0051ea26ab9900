// RUN: bash -c 'for m in 0 1 2 3 4 5 8 11 12 13 27; do tcc-run %s --no-cache --random=1 --dim=M=$m --compare=interp || exit 1; done'
// RUN: bash -c 'for m in 3 4 11 13; do tcc-run %s --no-cache --threads=3 --target=x86,haswell --random=1 --dim=M=$m --compare=interp || exit 1; done'
// RUN: tcc-opt --pipeline=default --target=x86,avx512 %s | tcc-translate --target=x86,avx512 --to-llvm | FileCheck %s --implicit-check-not=tile_half
// REQUIRES: avx512

// The last rows of an unknown number meet a body of half a register tile where they are no more: packed weights, read as they lie and copied; an operand
// that is packed in the call, whose last panel has columns that are missing; bytes; not where the number of columns is unknown, too.
// CHECK-COUNT-6: @tile_half
func.func @main(%x: tensor<?x300xf32, ["M", 300]>, %y: tensor<300x?xf32, [300, "M"]>, %z: tensor<300x150xf32>, %b: tensor<150xf32>, %u: tensor<?x300xui8, ["M", 300]>, %v: tensor<300x150xi8>)
    -> (tensor<?x160xf32, ["M", 160]>, tensor<?x150xf32, ["M", 150]>, tensor<?x150xi32, ["M", 150]>, tensor<?x?xf32, ["M", "M"]>) {
  %w0 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<300x160xf32>
  %w = "tcc.sin"(%w0) : (tensor<300x160xf32>) -> tensor<300x160xf32>
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x300xf32, ["M", 300]>, tensor<300x160xf32>) -> tensor<?x160xf32, ["M", 160]>
  %1 = "tcc.dot_general"(%x, %z) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x300xf32, ["M", 300]>, tensor<300x150xf32>) -> tensor<?x150xf32, ["M", 150]>
  %2 = "tcc.add"(%1, %b) : (tensor<?x150xf32, ["M", 150]>, tensor<150xf32>) -> tensor<?x150xf32, ["M", 150]>
  %3 = "tcc.dot_general"(%u, %v) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x300xui8, ["M", 300]>, tensor<300x150xi8>) -> tensor<?x150xi32, ["M", 150]>
  %4 = "tcc.dot_general"(%x, %y) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x300xf32, ["M", 300]>, tensor<300x?xf32, [300, "M"]>) -> tensor<?x?xf32, ["M", "M"]>
  return %0, %2, %3, %4 : tensor<?x160xf32, ["M", 160]>, tensor<?x150xf32, ["M", 150]>, tensor<?x150xi32, ["M", 150]>, tensor<?x?xf32, ["M", "M"]>
}
