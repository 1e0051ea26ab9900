// Rows that are packed in the call are shared by the threads where they are more than the columns; else panels are.
// RUN: tcc-explain %s --target=x86,avx512,cores=2 | FileCheck %s
// RUN: tcc-explain %s --target=x86,avx512,cores=1 | FileCheck %s --check-prefix=ONE
// RUN: tcc-run %s --target=x86,avx2,cores=2 --threads=2 --random=1 --compare=interp
// REQUIRES: avx2
// CHECK: schedule: x86.contract/{{.*}} mb=132 {{.*}}in_place=0
// CHECK: schedule: x86.contract/{{.*}} mb=96 {{.*}}in_place=0
// ONE: schedule: x86.contract/{{.*}} mb=264 {{.*}}in_place=0
func.func @main(%a: tensor<500x256xf32>, %b: tensor<500x64xf32>, %c: tensor<300x96xf32>, %d: tensor<300x200xf32>) -> (tensor<256x64xf32>, tensor<96x200xf32>) {
  %0 = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 0>} : (tensor<500x256xf32>, tensor<500x64xf32>) -> tensor<256x64xf32>
  %1 = "tcc.dot_general"(%c, %d) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 0>} : (tensor<300x96xf32>, tensor<300x200xf32>) -> tensor<96x200xf32>
  return %0, %1 : tensor<256x64xf32>, tensor<96x200xf32>
}
