// REQUIRES: python, avx2
// What is read turned goes through a tile of shared memory: whole sectors are read and written, and accesses of it have no bank conflict (of words of 64 bits, which take two turns, none that counts). Sizes that
// are no multiples of tiles, or not known; what is computed of it and beside it; other dims around. Rows of few elements are in a tile as a whole. What is read in both orders
// has no tiles, nor has what is so small that few threads would have work.
// RUN: tcc-translate --to-ptx --target=nvptx,sm_80 %s | FileCheck %s
// RUN: env TCC_EMULATE_COUNTERS=%t.counters bash %S/Inputs/parts.sh %python %t %S/Inputs/turned.mlir 6 N=72 | FileCheck --check-prefix=CLOSE %s
// CLOSE: N=72: the same bits
// CLOSE-COUNT-6: close
// RUN: bash %S/Inputs/counters.sh %t.counters | sort | FileCheck --check-prefix=COUNTERS %s
// COUNTERS-COUNT-5: divide64 0 sectors 100% wavefronts 100%

// CHECK: .visible .entry k_{{[0-9a-f]+}}_transpose(
// CHECK-COUNT-4: ld.global.nc.b32
// CHECK-COUNT-4: st.shared.b32
// CHECK: bar.sync
// CHECK-COUNT-4: st.global.b32
func.func private @k0_transpose(%x: tensor<64x96xf32>) -> tensor<96x64xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.transpose"(%x) {perm = array<i64: 1, 0>} : (tensor<64x96xf32>) -> tensor<96x64xf32>
  return %0 : tensor<96x64xf32>
}

// CHECK: .visible .entry k_{{[0-9a-f]+}}_transpose_add(
// CHECK-NOT: .shared
func.func private @k1_transpose_add(%x: tensor<64x96xf32>, %y: tensor<96x64xf32>) -> tensor<96x64xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.transpose"(%x) {perm = array<i64: 1, 0>} : (tensor<64x96xf32>) -> tensor<96x64xf32>
  %1 = "tcc.add"(%0, %y) : (tensor<96x64xf32>, tensor<96x64xf32>) -> tensor<96x64xf32>
  return %1 : tensor<96x64xf32>
}

// CHECK: .visible .entry k_{{[0-9a-f]+}}_transpose(
// CHECK-COUNT-3: ld.global.nc.b32
// CHECK-COUNT-3: st.shared.b32
// CHECK: bar.sync
// CHECK-COUNT-3: st.global.b32
func.func private @k2_transpose(%x: tensor<3x512xf32>) -> tensor<512x3xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.transpose"(%x) {perm = array<i64: 1, 0>} : (tensor<3x512xf32>) -> tensor<512x3xf32>
  return %0 : tensor<512x3xf32>
}

// CHECK: .visible .entry k_{{[0-9a-f]+}}_transpose(
// CHECK-NOT: .shared
func.func private @k3_transpose(%x: tensor<3x40xf32>) -> tensor<40x3xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.transpose"(%x) {perm = array<i64: 1, 0>} : (tensor<3x40xf32>) -> tensor<40x3xf32>
  return %0 : tensor<40x3xf32>
}
