// RUN: tcc-opt --tcc-fuse --tcc-pack-weights --target=x86,avx2 %s | FileCheck %s
// RUN: tcc-opt --tcc-fuse --tcc-pack-weights --target=x86,avx512 %s | FileCheck %s
// RUN: bash -c 'for m in 1 2 3 5 6; do tcc-run %s --no-cache --random=1 --dim=M=$m --compare=interp && tcc-run %s --no-cache --target=x86,avx2 --threads=3 --random=1 --dim=M=$m --compare=interp || exit 1; done'
// REQUIRES: avx2

// One row reads a weight as it lies, two meet panels.
// CHECK: tensor<1x600xf32>{{.*}}-> tensor<1x96xf32>
// CHECK-NOT: tcc.packed
// CHECK: tensor<2x600xf32>{{.*}}-> tensor<2x96xf32> {{.*}}tcc.packed
// CHECK: tensor<5x600xf32>{{.*}}-> tensor<5x96xf32> {{.*}}tcc.packed
func.func @main(%x: tensor<1x600xf32>, %y: tensor<2x600xf32>, %z: tensor<5x600xf32>, %d: tensor<?x600xf32, ["M", 600]>)
    -> (tensor<1x96xf32>, tensor<2x96xf32>, tensor<5x96xf32>, tensor<?x96xf32, ["M", 96]>) {
  %a = "tcc.constant"() {value = dense<0.25> : tensor<600x96xf32>} : () -> tensor<600x96xf32>
  %b = "tcc.constant"() {value = dense<0.5> : tensor<600x96xf32>} : () -> tensor<600x96xf32>
  %c = "tcc.constant"() {value = dense<0.75> : tensor<600x96xf32>} : () -> tensor<600x96xf32>
  %e = "tcc.constant"() {value = dense<0.125> : tensor<600x96xf32>} : () -> tensor<600x96xf32>
  %0 = "tcc.dot_general"(%x, %a) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<1x600xf32>, tensor<600x96xf32>) -> tensor<1x96xf32>
  %1 = "tcc.dot_general"(%y, %b) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x600xf32>, tensor<600x96xf32>) -> tensor<2x96xf32>
  %2 = "tcc.dot_general"(%z, %c) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<5x600xf32>, tensor<600x96xf32>) -> tensor<5x96xf32>
  %3 = "tcc.dot_general"(%d, %e) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x600xf32, ["M", 600]>, tensor<600x96xf32>) -> tensor<?x96xf32, ["M", 96]>
  return %0, %1, %2, %3 : tensor<1x96xf32>, tensor<2x96xf32>, tensor<5x96xf32>, tensor<?x96xf32, ["M", 96]>
}
