// RUN: tcc-run %s --random --compare=interp --target=x86,avx2,cores=2 --threads=2
// RUN: tcc-run %s --random --compare=interp --target=x86,avx2,cores=2 --threads=3
// RUN: %if avx512 %{ tcc-run %s --random --compare=interp --target=x86,avx512,cores=2 --threads=2 %}
// RUN: tcc-opt --pipeline=default --target=x86,avx2,cores=2 %s | tcc-translate --to-llvm --target=x86,avx2,cores=2 | FileCheck %s
// REQUIRES: avx2

// What is contracted lies in runs of 16 of the left operand, the elements of each 33 apart. A thread's share of the depth begins within a
// run: a vector read from there on ends with it.
func.func @main(%b: tensor<33x16x18xf32>, %a: tensor<1x16x33xf32>) -> tensor<1x18xf32> {
  %0 = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64>, lhs_contract = array<i64: 2, 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 0, 1>} : (tensor<1x16x33xf32>, tensor<33x16x18xf32>) -> tensor<1x18xf32>
  return %0 : tensor<1x18xf32>
}
// CHECK: llvm.func hidden @pack_rows
// CHECK: [[IN:%[0-9]+]] = llvm.urem {{.*}} : i64
// CHECK: llvm.sub {{%[0-9]+}}, [[IN]] : i64
