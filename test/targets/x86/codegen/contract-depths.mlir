// A product of few sums and a great depth, of which threads would pack rows or panels again, has parts of the depth as its tiles: each sums them in the
// common scratch, and the last one adds these and does the epilogue. A right operand of many panels, whose rows lie where they are read, stays with panels.
// RUN: tcc-explain %s --target=x86,avx512,cores=2 | FileCheck %s
// RUN: tcc-explain %s --target=x86,avx512,cores=1 | FileCheck %s --check-prefix=ONE
// RUN: tcc-run %s --target=x86,avx2,cores=2 --threads=1 --random=1 --compare=interp
// RUN: tcc-run %s --target=x86,avx2,cores=2 --threads=2 --random=1 --compare=interp
// RUN: tcc-run %s --target=x86,avx2,cores=4 --threads=2 --random=1 --compare=interp
// The same number of threads gives the same bits, whoever of them takes a piece.
// RUN: tcc-run %s --target=x86,avx2,cores=2 --threads=2 --random=1 --save=%t.1 && tcc-run %s --target=x86,avx2,cores=2 --threads=2 --random=1 --save=%t.2
// RUN: cmp %t.1/output_0.npy %t.2/output_0.npy && cmp %t.1/output_2.npy %t.2/output_2.npy
// REQUIRES: avx2
// CHECK: schedule: x86.contract/{{.*}} kc=320 mb=39 nb=112 {{.*}}in_place=0 depths=8,
// CHECK: schedule: x86.contract/{{.*}} in_place=1 depths=8,
// CHECK: schedule: x86.contract/{{.*}} k_major=1 depths=8,
// CHECK: schedule: x86.contract/{{.*}} in_place=1,
// ONE-NOT: depths=
func.func @main(%a: tensor<37x2501xf32>, %b: tensor<2501x100xf32>, %bias: tensor<100xf32>, %c: tensor<20x4096xf32>, %d: tensor<4096x144xf32>, %e: tensor<3001x50xf32>, %f: tensor<3001x48xf32>, %g: tensor<20x2048xf32>, %h: tensor<2048x1024xf32>) -> (tensor<37x100xf32>, tensor<20x144xf32>, tensor<50x48xf32>, tensor<20x1024xf32>) {
  %0 = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<37x2501xf32>, tensor<2501x100xf32>) -> tensor<37x100xf32>
  %1 = "tcc.add"(%0, %bias) : (tensor<37x100xf32>, tensor<100xf32>) -> tensor<37x100xf32>
  %2 = "tcc.relu"(%1) : (tensor<37x100xf32>) -> tensor<37x100xf32>
  %3 = "tcc.dot_general"(%c, %d) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<20x4096xf32>, tensor<4096x144xf32>) -> tensor<20x144xf32>
  %4 = "tcc.dot_general"(%e, %f) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 0>} : (tensor<3001x50xf32>, tensor<3001x48xf32>) -> tensor<50x48xf32>
  %5 = "tcc.dot_general"(%g, %h) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<20x2048xf32>, tensor<2048x1024xf32>) -> tensor<20x1024xf32>
  return %2, %3, %4, %5 : tensor<37x100xf32>, tensor<20x144xf32>, tensor<50x48xf32>, tensor<20x1024xf32>
}
