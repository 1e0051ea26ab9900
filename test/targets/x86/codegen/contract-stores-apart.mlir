// RUN: tcc-opt --pipeline=default --target=x86,x86-64-v3 %s | tcc-translate --to-asm --target=x86,x86-64-v3 --kernel=k0_dot_general - | FileCheck %s --check-prefix=APART
// RUN: tcc-opt --pipeline=default --target=x86,x86-64-v3 %s | tcc-translate --to-asm --target=x86,x86-64-v3 --kernel=k3_dot_general_max - | FileCheck %s --check-prefix=NONE
// RUN: bash -c 'for m in 1 7 50; do for n in 16 23 72; do tcc-run %s --no-cache --target=x86,x86-64-v3 --threads=3 --random=1 --dim=M=$m --dim=N=$n --compare=interp || exit 1; done; done'
// RUN: tcc-run %s --no-cache --random=1 --dim=M=50 --dim=N=41 --compare=interp
// REQUIRES: avx2, optimised

// A symbolic number of columns, and no epilogue: a register tile that is whole is told how far apart the result's rows lie, one of fewer whole vectors,
// too. The stride is in %rcx behind the loop, the row's place in %r10.
// APART: shrq $8, %rcx
// APART: movq %rdx, %r10
// APART: vmovups %ymm{{[0-9]+}}, (%r10)
// APART: addq %rcx, %r10
// APART: vmovups %ymm{{[0-9]+}}, (%r10)
// APART-DAG: epilogue_{{[0-9a-f]+}}:
// With a relu behind it, sums lie in the scratch, a panel's width apart.
// NONE-NOT: shrq $8, %rcx
func.func @main(%x: tensor<3x?x36xf32, [3, "M", 36]>, %y: tensor<3x36x?xf32, [3, 36, "N"]>, %w: tensor<3x?x600xf32, [3, "M", 600]>, %v: tensor<3x?x600xf32, [3, "N", 600]>) -> (tensor<3x?x?xf32, [3, "M", "N"]>, tensor<3x?x?xf32, [3, "M", "N"]>, tensor<3x?x?xf32, [3, "M", "N"]>) {
  %0 = "tcc.dot_general"(%x, %y) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<3x?x36xf32, [3, "M", 36]>, tensor<3x36x?xf32, [3, 36, "N"]>) -> tensor<3x?x?xf32, [3, "M", "N"]>
  %1 = "tcc.dot_general"(%w, %v) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 2>} : (tensor<3x?x600xf32, [3, "M", 600]>, tensor<3x?x600xf32, [3, "N", 600]>) -> tensor<3x?x?xf32, [3, "M", "N"]>
  %n = "tcc.neg"(%x) : (tensor<3x?x36xf32, [3, "M", 36]>) -> tensor<3x?x36xf32, [3, "M", 36]>
  %2 = "tcc.dot_general"(%n, %y) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<3x?x36xf32, [3, "M", 36]>, tensor<3x36x?xf32, [3, 36, "N"]>) -> tensor<3x?x?xf32, [3, "M", "N"]>
  %3 = "tcc.relu"(%2) : (tensor<3x?x?xf32, [3, "M", "N"]>) -> tensor<3x?x?xf32, [3, "M", "N"]>
  return %0, %1, %3 : tensor<3x?x?xf32, [3, "M", "N"]>, tensor<3x?x?xf32, [3, "M", "N"]>, tensor<3x?x?xf32, [3, "M", "N"]>
}
