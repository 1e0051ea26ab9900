// Two matrix products that differ in what follows: both kernels name the same register tile, and the artifact has it once.
// REQUIRES: avx2
// RUN: tcc-opt --pipeline=default %s | tcc-translate --to-llvm > %t.ll
// RUN: grep -c "constant @tile_" %t.ll | FileCheck %s --check-prefix=COUNT
// RUN: grep -o "constant @tile_[0-9a-f]*" %t.ll | sort -u | wc -l | FileCheck %s --check-prefix=UNIQUE
// COUNT: 2
// UNIQUE: 1
// Which thread makes what does not show.
// RUN: tcc-compile %s --no-cache --threads=1 -o %t.1.so && tcc-compile %s --no-cache --threads=2 -o %t.2.so && cmp %t.1.so %t.2.so
// Parts stay inside.
// RUN: llvm-nm -D %t.1.so | FileCheck %s --check-prefix=SYMBOLS --implicit-check-not=tile
// SYMBOLS: tcc_plan
// RUN: rm -rf %t && tcc-run %s --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-4
func.func @main(%x: tensor<64x96xf32>, %w: tensor<96x128xf32>, %y: tensor<64x96xf32>) -> (tensor<64x128xf32>, tensor<64x128xf32>) {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x96xf32>, tensor<96x128xf32>) -> tensor<64x128xf32>
  %1 = "tcc.exp"(%0) : (tensor<64x128xf32>) -> tensor<64x128xf32>
  %2 = "tcc.dot_general"(%y, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x96xf32>, tensor<96x128xf32>) -> tensor<64x128xf32>
  %3 = "tcc.tanh"(%2) : (tensor<64x128xf32>) -> tensor<64x128xf32>
  return %1, %3 : tensor<64x128xf32>, tensor<64x128xf32>
}
