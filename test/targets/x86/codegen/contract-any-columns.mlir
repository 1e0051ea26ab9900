// RUN: tcc-opt --pipeline=default --target=x86,x86-64-v4 %s | tcc-translate --to-asm --target=x86,x86-64-v4 - | FileCheck %s
// RUN: tcc-opt --pipeline=default --target=x86,x86-64-v3 %s | tcc-translate --to-asm --target=x86,x86-64-v3 - | FileCheck %s
// RUN: bash -c 'for n in 1 7 8 9 16 17 32 33 48 49 80 97; do tcc-run %s --random=1 --dim=M=13 --dim=N=$n --compare=interp || exit 1; done'
// RUN: bash -c 'for n in 1 16 17 33 49; do tcc-run %s --random=1 --dim=M=1 --dim=N=$n --compare=interp || exit 1; done'
// RUN: bash -c 'for n in 9 17 48 49; do tcc-run %s --target=x86,x86-64-v3 --random=1 --dim=M=13 --dim=N=$n --compare=interp || exit 1; done'
// REQUIRES: avx512, optimised

// A number of columns that is not known until the model runs: the last panel takes a register tile of as many vectors as it fills.
// CHECK-DAG: tile_tail_1_{{[0-9a-f]+}}:
// CHECK-DAG: {{^}}tile_{{[0-9a-f]+}}:
func.func @main(%x: tensor<2x?x40xf32, [2, "M", 40]>, %y: tensor<2x40x?xf32, [2, 40, "N"]>, %z: tensor<2x?x40xf32, [2, "N", 40]>) -> (tensor<2x?x?xf32, [2, "M", "N"]>, tensor<2x?x?xf32, [2, "M", "N"]>) {
  %0 = "tcc.dot_general"(%x, %y) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<2x?x40xf32, [2, "M", 40]>, tensor<2x40x?xf32, [2, 40, "N"]>) -> tensor<2x?x?xf32, [2, "M", "N"]>
  %1 = "tcc.dot_general"(%x, %z) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 2>} : (tensor<2x?x40xf32, [2, "M", 40]>, tensor<2x?x40xf32, [2, "N", 40]>) -> tensor<2x?x?xf32, [2, "M", "N"]>
  return %0, %1 : tensor<2x?x?xf32, [2, "M", "N"]>, tensor<2x?x?xf32, [2, "M", "N"]>
}
