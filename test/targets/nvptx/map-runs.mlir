// REQUIRES: avx2
// A thread has the elements of 16 bytes where all that is read lies side by side or is one element: accesses are of 128 bits, and a request has no
// sector more than it needs. Where rows are no multiples of 16 bytes, or a transpose moves them apart, each thread has one element.
// RUN: tcc-translate --to-ptx --target=nvptx,sm_80 %s | FileCheck %s
// RUN: tcc-explain --target=nvptx,sm_80 %S/Inputs/map.mlir | FileCheck --check-prefix=EXPLAIN %s
// EXPLAIN: schedule: elements of a thread = 8
// RUN: env TCC_EMULATE_COUNTERS=%t tcc-run --target=nvptx,sm_80 --emulate --no-cache --random %S/Inputs/map.mlir
// RUN: bash %S/Inputs/counters.sh %t | FileCheck --check-prefix=COUNTERS %s
// COUNTERS: divide64 0 sectors {{10[0-5]}}%

// CHECK: .visible .entry k_{{[0-9a-f]+}}_mul_add(
// CHECK: ld.global.nc.v4.b32
// CHECK: ld.global.nc.b16
// CHECK: st.global.v4.b32
// CHECK-NOT: st.global
func.func private @k0_mul_add(%x: tensor<6x64xf16>, %y: tensor<64xf16>, %z: tensor<6x1xf16>) -> tensor<6x64xf16> attributes {tcc.kernel = "map"} {
  %0 = "tcc.mul"(%x, %y) : (tensor<6x64xf16>, tensor<64xf16>) -> tensor<6x64xf16>
  %1 = "tcc.add"(%0, %z) : (tensor<6x64xf16>, tensor<6x1xf16>) -> tensor<6x64xf16>
  return %1 : tensor<6x64xf16>
}

// CHECK: .visible .entry k_{{[0-9a-f]+}}_exp_add(
// CHECK: ld.global{{(.nc)?}}.v2.b32
// CHECK: st.global.v2.b32
func.func private @k1_exp_add(%x: tensor<?x6xf32, ["N", 6]>, %y: tensor<6xf32>) -> tensor<?x6xf32, ["N", 6]> attributes {tcc.kernel = "map"} {
  %0 = "tcc.exp"(%y) : (tensor<6xf32>) -> tensor<6xf32>
  %1 = "tcc.add"(%x, %0) : (tensor<?x6xf32, ["N", 6]>, tensor<6xf32>) -> tensor<?x6xf32, ["N", 6]>
  return %1 : tensor<?x6xf32, ["N", 6]>
}

// CHECK: .visible .entry k_{{[0-9a-f]+}}_add(
// CHECK-NOT: .v{{[24]}}
func.func private @k2_add(%x: tensor<6x7xf16>, %y: tensor<7xf16>) -> tensor<6x7xf16> attributes {tcc.kernel = "map"} {
  %0 = "tcc.add"(%x, %y) : (tensor<6x7xf16>, tensor<7xf16>) -> tensor<6x7xf16>
  return %0 : tensor<6x7xf16>
}

// CHECK: .visible .entry k_{{[0-9a-f]+}}_transpose(
// CHECK-NOT: .v{{[24]}}
func.func private @k3_transpose(%x: tensor<8x64xf16>) -> tensor<64x8xf16> attributes {tcc.kernel = "map"} {
  %0 = "tcc.transpose"(%x) {perm = array<i64: 1, 0>} : (tensor<8x64xf16>) -> tensor<64x8xf16>
  return %0 : tensor<64x8xf16>
}

// Results of one shape are those of one thread, which reads all before it stores any: a result may lie where an operand does.
// CHECK: .visible .entry k_{{[0-9a-f]+}}_mul_add(
// CHECK-COUNT-2: ld.global{{.*}}v4
// CHECK-NOT: ld.global
// CHECK-COUNT-2: st.global{{.*}}v4
// CHECK-NOT: {{(ld|st)}}.global
func.func private @k4_mul_add(%x: tensor<6x64xf32>, %y: tensor<6x64xf32>) -> (tensor<6x64xf32>, tensor<6x64xf32>) attributes {tcc.kernel = "map"} {
  %0 = "tcc.mul"(%x, %y) : (tensor<6x64xf32>, tensor<6x64xf32>) -> tensor<6x64xf32>
  %1 = "tcc.add"(%0, %x) : (tensor<6x64xf32>, tensor<6x64xf32>) -> tensor<6x64xf32>
  return %0, %1 : tensor<6x64xf32>, tensor<6x64xf32>
}
