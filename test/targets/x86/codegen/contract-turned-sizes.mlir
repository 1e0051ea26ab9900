// RUN: tcc-opt --pipeline=default --target=x86,x86-64-v3 %s | tcc-translate --to-asm --target=x86,x86-64-v3 --kernel=k0_dot_general_transpose - | FileCheck %s --check-prefix=TURNED
// RUN: tcc-opt --pipeline=default --target=x86,x86-64-v3 %s | tcc-translate --to-asm --target=x86,x86-64-v3 --kernel=k1_dot_general_transpose - | FileCheck %s --check-prefix=DEPTH
// RUN: bash -c 'for m in 1 2 3 5 12 13 31; do tcc-run %s --no-cache --target=x86,x86-64-v3 --threads=3 --random=1 --dim=M=$m --dim=N=45 --compare=interp || exit 1; done'
// RUN: bash -c 'for m in 1 4 30; do tcc-run %s --no-cache --random=1 --dim=M=$m --dim=N=72 --compare=interp || exit 1; done'
// REQUIRES: avx2, optimised

// The result of symbolic sizes is stored transposed, so that B^T A^T is computed. Few rows of A meet B as it lies: one or two row by row, some more a
// register tile of them at a time.
// TURNED-DAG: row_straight_{{[0-9a-f]+}}:
// TURNED-DAG: row_tile_{{[0-9a-f]+}}:
// TURNED-DAG: pack_rows_{{[0-9a-f]+}}:
// Where B's depth is contiguous, rows of the turned product are read where they lie, and only one or two rows of A go the other way.
// DEPTH-NOT: row_tile_
// DEPTH: row_straight_{{[0-9a-f]+}}:
// DEPTH-NOT: row_tile_
// The third has a transposed left operand of a symbolic number of rows, which are packed a register tile of them at each k.
func.func @main(%x: tensor<3x?x37xf32, [3, "M", 37]>, %y: tensor<3x37x?xf32, [3, 37, "N"]>, %v: tensor<3x?x300xf32, [3, "M", 300]>, %w: tensor<3x?x300xf32, [3, "N", 300]>, %u: tensor<3x37x?xf32, [3, 37, "M"]>) -> (tensor<3x?x?xf32, [3, "N", "M"]>, tensor<3x?x?xf32, [3, "N", "M"]>, tensor<3x?x?xf32, [3, "M", "N"]>) {
  %0 = "tcc.dot_general"(%x, %y) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<3x?x37xf32, [3, "M", 37]>, tensor<3x37x?xf32, [3, 37, "N"]>) -> tensor<3x?x?xf32, [3, "M", "N"]>
  %1 = "tcc.transpose"(%0) {perm = array<i64: 0, 2, 1>} : (tensor<3x?x?xf32, [3, "M", "N"]>) -> tensor<3x?x?xf32, [3, "N", "M"]>
  %2 = "tcc.dot_general"(%v, %w) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 2>} : (tensor<3x?x300xf32, [3, "M", 300]>, tensor<3x?x300xf32, [3, "N", 300]>) -> tensor<3x?x?xf32, [3, "M", "N"]>
  %3 = "tcc.transpose"(%2) {perm = array<i64: 0, 2, 1>} : (tensor<3x?x?xf32, [3, "M", "N"]>) -> tensor<3x?x?xf32, [3, "N", "M"]>
  %4 = "tcc.dot_general"(%u, %y) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<3x37x?xf32, [3, 37, "M"]>, tensor<3x37x?xf32, [3, 37, "N"]>) -> tensor<3x?x?xf32, [3, "M", "N"]>
  return %1, %3, %4 : tensor<3x?x?xf32, [3, "N", "M"]>, tensor<3x?x?xf32, [3, "N", "M"]>, tensor<3x?x?xf32, [3, "M", "N"]>
}
