// RUN: rm -rf %t && mkdir %t && %python -c "import numpy as np; f = np.float32; g = np.ones((3, 4, 9, 10), f); g[1, 2, 0, 0] = np.inf; r = np.full((4, 5), 270, f); r[2] = np.inf; np.save('%t/input_0.npy', np.ones((3, 5, 9, 10), f)); np.save('%t/input_1.npy', g); np.save('%t/output_0.npy', r)"
// RUN: tcc-run %s --target=x86,avx2 --data=%t --check --atol=0 --rtol=0
// RUN: tcc-run %s --data=%t --check --atol=0 --rtol=0
// RUN: tcc-opt --pipeline=default --target=x86,avx2 %s | tcc-translate --to-llvm --target=x86,avx2 | FileCheck %s
// REQUIRES: python, avx2

// Blocks of 90 steps are no whole vectors. Where the last vector of a block ends, rows have what the next block begins with, here an
// infinity, and behind the last block what nobody wrote: none of it is multiplied with the zeros that stand there for columns.
func.func @main(%x: tensor<3x5x9x10xf32>, %g: tensor<3x4x9x10xf32>) -> tensor<4x5xf32> {
  %0 = "tcc.dot_general"(%g, %x) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0, 2, 3>, rhs_contract = array<i64: 0, 2, 3>} : (tensor<3x4x9x10xf32>, tensor<3x5x9x10xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
// CHECK: llvm.func hidden @columns
// CHECK: [[X:%[0-9]+]] = llvm.load {{.*}} -> vector<8xf32>
// CHECK-NEXT: [[THERE:%[0-9]+]] = llvm.select {{%[0-9]+}}, [[X]], {{.*}} : vector<8xi1>, vector<8xf32>
// CHECK: llvm.intr.fma([[THERE]],
