// Panels of what is packed in the call are packed several together for some 100 rows as well, where they stay in the second cache: of 100 columns
// seven do, of 768 columns eight that a cache of 1 MB does not hold; 64 rows meet one after the other.
// RUN: tcc-explain %s --target=x86,avx512,l2=2M,cores=1 | FileCheck %s
// RUN: tcc-explain %s --target=x86,avx512,l2=1M,cores=1 | FileCheck %s --check-prefix=SMALL
// RUN: tcc-run %s --target=x86,avx2,l2=2M,cores=2 --threads=2 --random=1 --compare=interp
// RUN: tcc-run %s --target=x86,avx2,l2=2M,cores=1 --threads=1 --random=1 --compare=interp
// REQUIRES: avx2
// CHECK: schedule: x86.contract/{{.*}} in_place=0 together=7,
// CHECK: schedule: x86.contract/{{.*}} in_place=1 together=8,
// CHECK: schedule: x86.contract/{{.*}} in_place=1,
// SMALL: schedule: x86.contract/{{.*}} in_place=0 together=7,
// SMALL: schedule: x86.contract/{{.*}} in_place=1,
// SMALL: schedule: x86.contract/{{.*}} in_place=1,
func.func @main(%a: tensor<125x301xf32>, %b: tensor<301x100xf32>, %c: tensor<128x768xf32>, %d: tensor<768x768xf32>, %e: tensor<64x768xf32>) -> (tensor<125x100xf32>, tensor<128x768xf32>, tensor<64x768xf32>) {
  %0 = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<125x301xf32>, tensor<301x100xf32>) -> tensor<125x100xf32>
  %1 = "tcc.dot_general"(%c, %d) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<128x768xf32>, tensor<768x768xf32>) -> tensor<128x768xf32>
  %2 = "tcc.dot_general"(%e, %d) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x768xf32>, tensor<768x768xf32>) -> tensor<64x768xf32>
  return %0, %1, %2 : tensor<125x100xf32>, tensor<128x768xf32>, tensor<64x768xf32>
}
