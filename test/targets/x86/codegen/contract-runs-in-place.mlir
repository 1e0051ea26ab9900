// A depth of several axes, as images and pixels of the gradient of a 1x1 convolution's weights: blocks of k that do not cross from one run to the next have
// their rows read where they lie. Of two operands that lie so the one with more rows is the left one: 40x72 is computed as 72x40: in panels of 48 columns, one of them. Runs that are no
// blocks (196) are copied.
// RUN: tcc-explain %s --target=x86,avx512,l2=2M,cores=2 | FileCheck %s
// RUN: tcc-run %s --target=x86,avx2,l2=2M,cores=2 --threads=2 --random=1 --compare=interp
// RUN: tcc-run %s --target=x86,avx2,l2=1M,cores=1 --threads=1 --random=1 --compare=interp
// RUN: tcc-run %s --target=x86,avx2,l2=64K,cores=2 --threads=2 --random=1 --compare=interp
// REQUIRES: avx2
// CHECK: schedule: x86.contract/{{.*}} kc=576 mb=40 nb=48 {{.*}}in_place=1
// CHECK: schedule: x86.contract/{{.*}} kc=576 mb=40 nb=48 {{.*}}in_place=1
// CHECK: schedule: x86.contract/{{.*}} in_place=0
func.func @main(%a: tensor<3x40x576xf32>, %b: tensor<3x72x576xf32>, %c: tensor<3x77x576xf32>, %d: tensor<8x40x196xf32>, %e: tensor<8x72x196xf32>) -> (tensor<40x72xf32>, tensor<77x40xf32>, tensor<40x72xf32>) {
  %0 = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0, 2>, rhs_contract = array<i64: 0, 2>} : (tensor<3x40x576xf32>, tensor<3x72x576xf32>) -> tensor<40x72xf32>
  %1 = "tcc.dot_general"(%c, %a) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0, 2>, rhs_contract = array<i64: 0, 2>} : (tensor<3x77x576xf32>, tensor<3x40x576xf32>) -> tensor<77x40xf32>
  %2 = "tcc.dot_general"(%d, %e) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0, 2>, rhs_contract = array<i64: 0, 2>} : (tensor<8x40x196xf32>, tensor<8x72x196xf32>) -> tensor<40x72xf32>
  return %0, %1, %2 : tensor<40x72xf32>, tensor<77x40xf32>, tensor<40x72xf32>
}
