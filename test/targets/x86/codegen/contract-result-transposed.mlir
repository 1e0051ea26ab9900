// RUN: tcc-opt --pipeline=default --target=x86,avx2 %s | tcc-translate --to-llvm --target=x86,avx2 --kernel=k0_dot_general_transpose - | FileCheck %s --check-prefix=TURNED
// RUN: tcc-opt --pipeline=default --target=x86,avx512 %s | tcc-translate --to-llvm --target=x86,avx512 --kernel=k0_dot_general_transpose - | FileCheck %s --check-prefix=TURNED
// RUN: tcc-explain %s --no-cache --target=x86,avx2 | FileCheck %s --check-prefix=PLAN
// RUN: bash -c 'for m in 1 7 40; do tcc-run %s --random=1 --dim=M=$m --compare=interp && tcc-run %s --target=x86,avx2 --threads=3 --random=1 --dim=M=$m --compare=interp || exit 1; done'
// REQUIRES: avx2

// (A B)^T is computed as B^T A^T: what would go to the result lane by lane is stored in vectors. The left operand is then [K, M], whose rows are packed
// side by side.
// TURNED-NOT: scatter
// TURNED: llvm.func @{{.*}}_dot_general_transpose
// PLAN: k0_dot_general_transpose
// PLAN: schedule: x86.contract/{{.*}}k_major=1
// With a bias along the columns, which are then rows, and one along the rows; over heads that are interleaved with rows; of other types; and
// with a contracted axis that is the first of the left operand, which turned is read along the depth.
// PLAN: schedule: x86.contract/{{.*}}k_major=1
// Rows of an unknown number, too; what a few of them do is in contract-turned-sizes.mlir.
// PLAN: k7_dot_general_transpose
// PLAN: schedule: x86.contract/{{.*}}k_major=1
func.func @main(%x: tensor<3x50x32xf32>, %y: tensor<3x32x75xf32>, %b: tensor<75xf32>, %c: tensor<50x1xf32>, %q: tensor<40x4x24xf32>, %k: tensor<24x4x56xf32>, %d: tensor<37x41xf64>, %e: tensor<41x30xf64>, %h: tensor<37x41xf16>,
                %i: tensor<41x30xf16>, %l: tensor<19x48xf32>, %r: tensor<19x21xf32>, %p: tensor<2x?x40xf32, [2, "M", 40]>, %s: tensor<2x40x75xf32>)
    -> (tensor<3x75x50xf32>, tensor<3x75x50xf32>, tensor<56x4x40xf32>, tensor<30x37xf64>, tensor<30x37xf16>, tensor<21x48xf32>, tensor<2x75x?xf32, [2, 75, "M"]>) {
  %0 = "tcc.dot_general"(%x, %y) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<3x50x32xf32>, tensor<3x32x75xf32>) -> tensor<3x50x75xf32>
  %1 = "tcc.transpose"(%0) {perm = array<i64: 0, 2, 1>} : (tensor<3x50x75xf32>) -> tensor<3x75x50xf32>
  %n = "tcc.neg"(%x) : (tensor<3x50x32xf32>) -> tensor<3x50x32xf32>
  %2 = "tcc.dot_general"(%n, %y) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<3x50x32xf32>, tensor<3x32x75xf32>) -> tensor<3x50x75xf32>
  %3 = "tcc.add"(%2, %b) : (tensor<3x50x75xf32>, tensor<75xf32>) -> tensor<3x50x75xf32>
  %4 = "tcc.mul"(%3, %c) : (tensor<3x50x75xf32>, tensor<50x1xf32>) -> tensor<3x50x75xf32>
  %5 = "tcc.transpose"(%4) {perm = array<i64: 0, 2, 1>} : (tensor<3x50x75xf32>) -> tensor<3x75x50xf32>
  %6 = "tcc.dot_general"(%q, %k) {lhs_batch = array<i64: 1>, rhs_batch = array<i64: 1>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 0>} : (tensor<40x4x24xf32>, tensor<24x4x56xf32>) -> tensor<4x40x56xf32>
  %7 = "tcc.transpose"(%6) {perm = array<i64: 2, 0, 1>} : (tensor<4x40x56xf32>) -> tensor<56x4x40xf32>
  %8 = "tcc.dot_general"(%d, %e) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<37x41xf64>, tensor<41x30xf64>) -> tensor<37x30xf64>
  %9 = "tcc.transpose"(%8) {perm = array<i64: 1, 0>} : (tensor<37x30xf64>) -> tensor<30x37xf64>
  %10 = "tcc.dot_general"(%h, %i) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<37x41xf16>, tensor<41x30xf16>) -> tensor<37x30xf16>
  %11 = "tcc.transpose"(%10) {perm = array<i64: 1, 0>} : (tensor<37x30xf16>) -> tensor<30x37xf16>
  %12 = "tcc.dot_general"(%l, %r) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 0>} : (tensor<19x48xf32>, tensor<19x21xf32>) -> tensor<48x21xf32>
  %13 = "tcc.transpose"(%12) {perm = array<i64: 1, 0>} : (tensor<48x21xf32>) -> tensor<21x48xf32>
  %14 = "tcc.dot_general"(%p, %s) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<2x?x40xf32, [2, "M", 40]>, tensor<2x40x75xf32>) -> tensor<2x?x75xf32, [2, "M", 75]>
  %15 = "tcc.transpose"(%14) {perm = array<i64: 0, 2, 1>} : (tensor<2x?x75xf32, [2, "M", 75]>) -> tensor<2x75x?xf32, [2, 75, "M"]>
  return %1, %5, %7, %9, %11, %13, %15 : tensor<3x75x50xf32>, tensor<3x75x50xf32>, tensor<56x4x40xf32>, tensor<30x37xf64>, tensor<30x37xf16>, tensor<21x48xf32>, tensor<2x75x?xf32, [2, 75, "M"]>
}
