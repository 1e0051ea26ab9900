// How kernels are started stands beside their code, over the sizes of the model; what the chip has says how many blocks fit. A plan has the
// same, and its values lie on the device.
// RUN: tcc-opt --pipeline=default --target=nvptx,sm_80 %s | tcc-translate --to-ptx --target=nvptx,sm_80 | FileCheck %s
// RUN: tcc-opt --pipeline=default --target=nvptx,sm_75 %s | tcc-translate --to-llvm --target=nvptx,sm_75 | FileCheck --check-prefix=SMALL %s
// RUN: tcc-explain --target=nvptx,sm_90 --plan --no-cache %s | FileCheck --check-prefix=PLAN %s

// CHECK: // launch of k_{{.*}}_dot_general: grid [2*floordiv(B + 63, 64), 1, 1] block [128, 1, 1] cluster [1, 1, 1] shared 24576 + 0; at most 6 blocks on each of 108 multiprocessors, with 85 registers a thread
// SMALL: // launch of k_{{.*}}; at most 4 blocks on each of 72 multiprocessors, with 64 registers a thread
// PLAN: by nvptx.contract
// PLAN: launch: grid [2*floordiv(B + 63, 64), 1, 1] block [128, 1, 1]
// PLAN: 1 kernel functions, {{.*}}, 0 objects from the cache
// PLAN: call k0_dot_general contract {{.*}} launch grid [2*floordiv(B + 63, 64), 1, 1] block [128, 1, 1] cluster [1, 1, 1] shared 24576 + 0
// PLAN: %2: f32[Bx80] on the device
func.func @main(%x: tensor<?x16xf32, ["B", 16]>, %w: tensor<16x80xf32>) -> tensor<?x80xf32, ["B", 80]> {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x16xf32, ["B", 16]>, tensor<16x80xf32>) -> tensor<?x80xf32, ["B", 80]>
  return %0 : tensor<?x80xf32, ["B", 80]>
}
