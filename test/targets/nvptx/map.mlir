// Pointwise ops and views: one thread per element, guarded by the number of elements.
// RUN: tcc-translate --to-ptx --target=nvptx,sm_80 %s | FileCheck %s
// RUN: tcc-translate --to-llvm --target=nvptx,sm_80 %s | FileCheck --check-prefix=LLVM %s

// LLVM: gpu.module @kernels
// LLVM: llvm.func @k_{{[0-9a-f]+}}_transpose_add(
// LLVM-SAME: %1: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}
// LLVM: nvvm.kernel

// CHECK: .target sm_80
// CHECK: .visible .entry k_{{[0-9a-f]+}}_transpose_add
// CHECK: mov.u32 {{.*}}, %ctaid.x
// CHECK: setp
// CHECK: ld.global
// CHECK: add.{{(rn.)?}}f32
// CHECK: st.global
func.func private @k0_transpose_add(%x: tensor<?x8xf32, ["S", 8]>, %y: tensor<8x?xf32, [8, "S"]>) -> tensor<8x?xf32, [8, "S"]> attributes {tcc.kernel = "map"} {
  %0 = "tcc.transpose"(%x) {perm = array<i64: 1, 0>} : (tensor<?x8xf32, ["S", 8]>) -> tensor<8x?xf32, [8, "S"]>
  %1 = "tcc.add"(%0, %y) : (tensor<8x?xf32, [8, "S"]>, tensor<8x?xf32, [8, "S"]>) -> tensor<8x?xf32, [8, "S"]>
  return %1 : tensor<8x?xf32, [8, "S"]>
}
