// Columns that are whole vectors need no masks, neither in the epilogue nor where the rows that no register tile has are packed; others do. The loops
// around tiles of 40 steps are not optimised by LLVM; what is copied for the last rows of a tile alone, and what is asked for ahead, neither.
// RUN: tcc-opt %s --pipeline=default --target=x86,avx2,cores=1 | tcc-translate --to-llvm --target=x86,avx2,cores=1 --kernel=k0_dot_general_add - | FileCheck %s --check-prefix=WHOLE
// RUN: sed 's/x48xf32/x44xf32/g; s/x40xf32/x38xf32/g; s/<40x/<38x/g' %s | tcc-opt - --pipeline=default --target=x86,avx2,cores=1 | tcc-translate --to-llvm --target=x86,avx2,cores=1 --kernel=k0_dot_general_add - | FileCheck %s --check-prefix=PARTS
// RUN: tcc-run %s --target=x86,avx2 --random=1 --compare=interp
// REQUIRES: avx2

// WHOLE-NOT: masked
// WHOLE: llvm.func {{.*}}@pack_rows{{.*}}optnone
// WHOLE-NOT: masked
// WHOLE: llvm.func {{.*}}@epilogue
// WHOLE-NOT: masked
// WHOLE: llvm.func {{.*}}@prefetch{{.*}}optnone
// WHOLE-NOT: masked
// WHOLE: llvm.func @k_{{.*}}dot_general_add{{.*}}optnone
// WHOLE: llvm.call @epilogue
// PARTS: llvm.func {{.*}}@pack_rows
// PARTS: masked
// PARTS: llvm.func {{.*}}@epilogue
// PARTS: masked
func.func @main(%x: tensor<50x40xf32>, %w: tensor<40x48xf32>, %y: tensor<50x48xf32>) -> tensor<50x48xf32> {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<50x40xf32>, tensor<40x48xf32>) -> tensor<50x48xf32>
  %1 = "tcc.add"(%0, %y) : (tensor<50x48xf32>, tensor<50x48xf32>) -> tensor<50x48xf32>
  return %1 : tensor<50x48xf32>
}
