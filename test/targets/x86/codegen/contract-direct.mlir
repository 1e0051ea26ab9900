// RUN: tcc-opt --pipeline=default --target=x86,x86-64-v4 %s | tcc-translate --to-asm --target=x86,x86-64-v4 - | FileCheck %s
// RUN: tcc-opt --pipeline=default --target=x86,x86-64-v3 %s | tcc-translate --to-asm --target=x86,x86-64-v3 - | FileCheck %s --check-prefixes=CHECK,YMM
// RUN: bash -c 'for m in 1 2 3; do for n in 1 7 24 50; do tcc-run %s --random=1 --dim=M=$m --dim=N=$n --dim=K=1100 --compare=interp || exit 1; done; done'
// RUN: bash -c 'for m in 1 2 3; do for n in 1 7 24 50; do tcc-run %s --target=x86,x86-64-v3 --random=1 --dim=M=$m --dim=N=$n --dim=K=13 --compare=interp || exit 1; done; done'
// REQUIRES: avx2, optimised

// A number of rows that is not known until the model runs, against a right operand that is no weight: one or two rows read it where it
// lies, along columns or along the depth (whose sums of eight columns are added up by one tree of shuffles), also of f64 and in blocks of a depth that
// is not known. More rows meet packed panels. With known rows, and where panels are packed ahead, there is no such loop.
// CHECK-DAG: row_direct_{{[0-9a-f]+}}:
// YMM-DAG: vhaddps {{.*}}%ymm
// CHECK-DAG: pack_panel_{{[0-9a-f]+}}:
module {
  func.func @main(%x: tensor<2x?x40xf32, [2, "M", 40]>, %y: tensor<2x40x?xf32, [2, 40, "N"]>, %z: tensor<2x?x40xf32, [2, "N", 40]>, %d: tensor<2x?x?xf32, [2, "M", "K"]>, %t: tensor<2x?x?xf32, [2, "N", "K"]>, %u: tensor<2x?x?xf32, [2, "K", "N"]>, %p: tensor<3x?x20xf64, [3, "M", 20]>, %q: tensor<3x?x20xf64, [3, "N", 20]>) -> (tensor<2x?x?xf32, [2, "M", "N"]>, tensor<2x?x?xf32, [2, "M", "N"]>, tensor<2x?x?xf32, [2, "M", "N"]>, tensor<2x?x?xf32, [2, "M", "N"]>, tensor<3x?x?xf64, [3, "M", "N"]>) {
    %0 = "tcc.dot_general"(%x, %y) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<2x?x40xf32, [2, "M", 40]>, tensor<2x40x?xf32, [2, 40, "N"]>) -> tensor<2x?x?xf32, [2, "M", "N"]>
    %1 = "tcc.dot_general"(%x, %z) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 2>} : (tensor<2x?x40xf32, [2, "M", 40]>, tensor<2x?x40xf32, [2, "N", 40]>) -> tensor<2x?x?xf32, [2, "M", "N"]>
    %2 = "tcc.dot_general"(%d, %t) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 2>} : (tensor<2x?x?xf32, [2, "M", "K"]>, tensor<2x?x?xf32, [2, "N", "K"]>) -> tensor<2x?x?xf32, [2, "M", "N"]>
    %3 = "tcc.dot_general"(%d, %u) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<2x?x?xf32, [2, "M", "K"]>, tensor<2x?x?xf32, [2, "K", "N"]>) -> tensor<2x?x?xf32, [2, "M", "N"]>
    %4 = "tcc.dot_general"(%p, %q) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 2>} : (tensor<3x?x20xf64, [3, "M", 20]>, tensor<3x?x20xf64, [3, "N", 20]>) -> tensor<3x?x?xf64, [3, "M", "N"]>
    return %0, %1, %2, %3, %4 : tensor<2x?x?xf32, [2, "M", "N"]>, tensor<2x?x?xf32, [2, "M", "N"]>, tensor<2x?x?xf32, [2, "M", "N"]>, tensor<2x?x?xf32, [2, "M", "N"]>, tensor<3x?x?xf64, [3, "M", "N"]>
  }
}
