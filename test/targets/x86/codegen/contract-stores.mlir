// RUN: tcc-opt --pipeline=default --target=x86,x86-64-v3 %s | tcc-translate --to-asm --target=x86,x86-64-v3 --kernel=k0_dot_general - | FileCheck %s --check-prefix=ALL --implicit-check-not=epilogue_
// RUN: tcc-opt --pipeline=default --target=x86,x86-64-v3 %s | tcc-translate --to-asm --target=x86,x86-64-v3 --kernel=k1_dot_general - | FileCheck %s --check-prefix=WHOLE
// RUN: tcc-opt --pipeline=default --target=x86,x86-64-v3 %s | tcc-translate --to-asm --target=x86,x86-64-v3 --kernel=k3_dot_general_max - | FileCheck %s --check-prefix=NONE
// RUN: bash -c 'for m in 1 5 12 50; do tcc-run %s --random=1 --dim=M=$m --compare=interp && tcc-run %s --target=x86,x86-64-v3 --threads=3 --random=1 --dim=M=$m --compare=interp || exit 1; done'
// REQUIRES: avx2, optimised

// A product without an epilogue, whose tiles of six rows by sixteen columns are all whole, stores each of its rows of 512 bytes from the
// registers into the result: there is no epilogue at all.
// ALL-DAG: vmovups %ymm2, 512(%rdx)
// ALL-DAG: vmovups %ymm11, 2592(%rdx)
// Rows of a symbolic number, and 75 columns: tiles that are whole do so, the others go through the scratch and the epilogue.
// WHOLE-DAG: vmovups %ymm{{[0-9]+}}, 300(%rdx)
// WHOLE-DAG: epilogue_{{[0-9a-f]+}}:
// WHOLE-DAG: cmov
// With a relu behind it, sums lie in the scratch, a panel's width apart.
// NONE-DAG: vmovups %ymm2, 64(%rdx)
// NONE-DAG: epilogue_{{[0-9a-f]+}}:
func.func @main(%x: tensor<8x96x32xf32>, %y: tensor<8x32x128xf32>, %p: tensor<2x?x40xf32, [2, "M", 40]>, %q: tensor<2x40x75xf32>) -> (tensor<8x96x128xf32>, tensor<2x?x75xf32, [2, "M", 75]>, tensor<8x96x128xf32>) {
  %0 = "tcc.dot_general"(%x, %y) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<8x96x32xf32>, tensor<8x32x128xf32>) -> tensor<8x96x128xf32>
  %1 = "tcc.dot_general"(%p, %q) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<2x?x40xf32, [2, "M", 40]>, tensor<2x40x75xf32>) -> tensor<2x?x75xf32, [2, "M", 75]>
  %n = "tcc.neg"(%x) : (tensor<8x96x32xf32>) -> tensor<8x96x32xf32>
  %2 = "tcc.dot_general"(%n, %y) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<8x96x32xf32>, tensor<8x32x128xf32>) -> tensor<8x96x128xf32>
  %3 = "tcc.relu"(%2) : (tensor<8x96x128xf32>) -> tensor<8x96x128xf32>
  return %0, %1, %3 : tensor<8x96x128xf32>, tensor<2x?x75xf32, [2, "M", 75]>, tensor<8x96x128xf32>
}
