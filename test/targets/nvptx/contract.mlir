// Matrix products: a ring of tiles in shared memory that tensor cores multiply, with the epilogue on the sums. Operands in plain memory whose
// rows are multiples of 16 bytes come by cp.async, others element by element. f32 is three products of TF32, but with numerics = direct;
// warpgroups of sm_90a multiply 16-bit floats, which tensor maps copy where they can; chips without tensor cores multiply scalars in two tiles between barriers.
// RUN: tcc-translate --to-ptx --target=nvptx,sm_80 %s | FileCheck --check-prefixes=CHECK,SYNC %s
// RUN: tcc-translate --to-ptx --target=nvptx,sm_90 %s | FileCheck --check-prefixes=CHECK,SYNC %s
// RUN: tcc-translate --to-ptx --target=nvptx,sm_90a %s | FileCheck --check-prefixes=CHECK,GROUP %s
// RUN: tcc-translate --to-ptx --target=nvptx,sm_75 %s | FileCheck --check-prefix=SCALAR %s

// SYNC: .target sm_{{[89]}}0{{$}}
// GROUP: .target sm_90a
// CHECK: .visible .entry k_{{[0-9a-f]+}}_dot_general_max
// CHECK: .shared .align {{.*}}_ring
// CHECK: cp.async.wait_group 1
// CHECK: bar{{.*}}.sync
// CHECK: st.shared.b32
// CHECK-NOT: cp.async.cg
// CHECK: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// CHECK: st.shared.v2
// CHECK: bar.warp.sync
// CHECK: st.global
// SCALAR: .visible .entry k_{{[0-9a-f]+}}_dot_general_max
// SCALAR: .shared .align {{.*}}_rows
// SCALAR: .shared .align {{.*}}_columns
// SCALAR: st.shared
// SCALAR: bar.sync
// SCALAR: fma.rn.f32
// SCALAR: bar.sync
// SCALAR: st.global
func.func private @k0_dot_general_max(%x: tensor<?x70xf32, ["M", 70]>, %w: tensor<70x33xf32>) -> tensor<?x33xf32, ["M", 33]> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x70xf32, ["M", 70]>, tensor<70x33xf32>) -> tensor<?x33xf32, ["M", 33]>
  %c = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %1 = "tcc.max"(%0, %c) : (tensor<?x33xf32, ["M", 33]>, tensor<f32>) -> tensor<?x33xf32, ["M", 33]>
  return %1 : tensor<?x33xf32, ["M", 33]>
}

// CHECK: .visible .entry k_{{[0-9a-f]+}}_dot_general(
// SYNC: cp.async.cg.shared.global
// SYNC: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// SYNC: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// SYNC: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// GROUP-DAG: mbarrier.init.shared::cta.b64
// GROUP-DAG: setmaxnreg.dec.sync.aligned.u32 40;
// GROUP-DAG: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
// GROUP-DAG: setmaxnreg.inc.sync.aligned.u32 232;
// GROUP-DAG: wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}, 1, 1, 1, 0, 1; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 1;
// GROUP: st.global.v2.b32
// GROUP-NOT: mma.sync
// SCALAR: .visible .entry k_{{[0-9a-f]+}}_dot_general(
// SCALAR-NOT: mma.sync
func.func private @k1_dot_general(%x: tensor<?x64xbf16, ["M", 64]>, %w: tensor<64x32xbf16>) -> tensor<?x32xbf16, ["M", 32]> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x64xbf16, ["M", 64]>, tensor<64x32xbf16>) -> tensor<?x32xbf16, ["M", 32]>
  return %0 : tensor<?x32xbf16, ["M", 32]>
}

// CHECK: .visible .entry k_{{[0-9a-f]+}}_dot_general(
// CHECK-NOT: mma.sync
// CHECK: fma.rn.f32
func.func private @k2_dot_general(%x: tensor<?x64xf32, ["M", 64]>, %w: tensor<64x32xf32>) -> tensor<?x32xf32, ["M", 32]> attributes {tcc.kernel = "contract", tcc.numerics = "direct"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x64xf32, ["M", 64]>, tensor<64x32xf32>) -> tensor<?x32xf32, ["M", 32]>
  return %0 : tensor<?x32xf32, ["M", 32]>
}

// Tensor maps want rows that are multiples of 16 bytes.
// GROUP: .visible .entry k_{{[0-9a-f]+}}_dot_general(
// GROUP: cp.async.cg.shared.global
// GROUP: wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}, 1, 1, 0, 1;
// GROUP-SAME: wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
// GROUP-NOT: cp.async.bulk
func.func private @k3_dot_general(%x: tensor<?x64xbf16, ["M", 64]>, %w: tensor<64x33xbf16>) -> tensor<?x33xbf16, ["M", 33]> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x64xbf16, ["M", 64]>, tensor<64x33xbf16>) -> tensor<?x33xbf16, ["M", 33]>
  return %0 : tensor<?x33xbf16, ["M", 33]>
}
