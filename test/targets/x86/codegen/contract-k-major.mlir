// RUN: rm -rf %t && tcc-run %s --random=1 --target=reference --save=%t && tcc-run %s --random=1 --data=%t --check --rtol=1e-3 --atol=1e-3 --threads=2
// RUN: tcc-run %s --random=1 --data=%t --check --rtol=1e-3 --atol=1e-3 --target=x86,avx2 --threads=1
// RUN: tcc-explain %s --no-cache --target=x86,avx512 | FileCheck %s
// RUN: tcc-opt --pipeline=default %s --target=x86,avx2 | tcc-translate --to-llvm --target=x86,avx2 | FileCheck %s --check-prefix=AVX2
// REQUIRES: avx2

// Left operands given as [K, M]: a register tile's rows lie side by side at each k and are packed so, never gathered along k. Rows that fill no
// tile, several blocks of k, a k that fills no group, two contracted axes, a batch, f64 and f16; rows of which only one axis lies side by
// side are packed along k.
// Without mask registers whole register tiles are copied in pieces of powers of two.
// AVX2: llvm.func {{.*}}@pack_rows
// AVX2: llvm.icmp "sge"
// AVX2: llvm.load {{.*}} vector<4xf32>
// AVX2-NOT: masked
// AVX2: llvm.br
// CHECK-COUNT-5: k_major=1
// CHECK-NOT: k_major=1
func.func @main(%a: tensor<300x203xf32>, %b: tensor<300x50xf32>, %c: tensor<3x211x96xf32>, %d: tensor<3x211x70xf32>, %e: tensor<2x37x100xf32>, %f: tensor<2x37x60xf32>,
                %g: tensor<50x41xf64>, %h: tensor<50x30xf64>, %i: tensor<50x41xf16>, %j: tensor<50x30xf16>, %k: tensor<6x20x9x13xf32>, %l: tensor<20x13x48xf32>)
    -> (tensor<203x50xf32>, tensor<96x70xf32>, tensor<2x100x60xf32>, tensor<41x30xf64>, tensor<41x30xf16>, tensor<6x9x48xf32>) {
  %0 = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 0>} : (tensor<300x203xf32>, tensor<300x50xf32>) -> tensor<203x50xf32>
  %1 = "tcc.dot_general"(%c, %d) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0, 1>, rhs_contract = array<i64: 0, 1>} : (tensor<3x211x96xf32>, tensor<3x211x70xf32>) -> tensor<96x70xf32>
  %2 = "tcc.dot_general"(%e, %f) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<2x37x100xf32>, tensor<2x37x60xf32>) -> tensor<2x100x60xf32>
  %3 = "tcc.dot_general"(%g, %h) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 0>} : (tensor<50x41xf64>, tensor<50x30xf64>) -> tensor<41x30xf64>
  %4 = "tcc.dot_general"(%i, %j) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 0>} : (tensor<50x41xf16>, tensor<50x30xf16>) -> tensor<41x30xf16>
  %5 = "tcc.dot_general"(%k, %l) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1, 3>, rhs_contract = array<i64: 0, 1>} : (tensor<6x20x9x13xf32>, tensor<20x13x48xf32>) -> tensor<6x9x48xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<203x50xf32>, tensor<96x70xf32>, tensor<2x100x60xf32>, tensor<41x30xf64>, tensor<41x30xf16>, tensor<6x9x48xf32>
}
