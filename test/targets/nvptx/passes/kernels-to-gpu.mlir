// A kernel function keeps its type and launches a gpu.func: addresses, then sizes; its grid comes from the symbols. Upstream's passes take it from
// there, to the same PTX as the driver's.
// RUN: tcc-opt %s --target=nvptx,sm_90a --tcc-kernels-to-gpu | FileCheck %s
// RUN: tcc-opt %s --target=nvptx,sm_90a --pipeline=gpu | FileCheck %s --check-prefix=NVVM
// RUN: tcc-opt %s --target=nvptx,sm_90a --pipeline=gpu | mlir-opt --allow-unregistered-dialect --gpu-module-to-binary=format=isa | FileCheck %s --check-prefix=PTX
// RUN: tcc-opt %s --target=nvptx,sm_90a --pipeline=ptx | FileCheck %s --check-prefix=PTX
// RUN: not tcc-opt %s --target=x86 --pipeline=gpu 2>&1 | FileCheck %s --check-prefix=OTHER

// CHECK: module attributes {gpu.container_module}
// CHECK: gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_90a"
// CHECK: gpu.func @[[K:k_[0-9a-f]+_exp]](%{{.*}}: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %{{.*}}: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias}, %{{.*}}: i64) kernel attributes {known_block_size = array<i32: 256, 1, 1>
// CHECK: gpu.return
// CHECK: func.func private @k0_exp(%[[X:.*]]: tensor<?x8xf32, ["B", 8]>) -> tensor<?x4xf32, ["B", 4]> attributes {tcc.kernel = "map"}
// CHECK: "tcc.sizes"() {values = ["4*B", "floordiv(B + 63, 64)", "floordiv(B + 63, 64)", 1, 1, 0, "B"]}
// CHECK: %[[P:.*]] = builtin.unrealized_conversion_cast %[[X]] : tensor<?x8xf32, ["B", 8]> to !llvm.ptr
// CHECK: %[[B:.*]] = gpu.alloc  (%{{.*}}) : memref<?x4xf32>
// CHECK: gpu.launch_func  @kernels::@[[K]] blocks in ({{.*}}) threads in ({{.*}}) dynamic_shared_memory_size {{.*}} args(%[[P]] : !llvm.ptr, %{{.*}} : !llvm.ptr, %{{.*}} : i64
// CHECK: return
// NVVM: llvm.func @k_{{.*}}nvvm.kernel{{.*}}nvvm.maxntid = array<i32: 256, 1, 1>
// PTX: gpu.binary @kernels
// PTX-SAME: .target sm_90a
// PTX-SAME: .visible .entry k_{{[0-9a-f]+}}_exp
// PTX-SAME: .maxntid 256
// PTX-SAME: ld.global.nc
// OTHER: pass 'tcc-kernels-to-gpu' belongs to target nvptx, and the target is x86
func.func private @k0_exp(%x: tensor<?x8xf32, ["B", 8]>) -> tensor<?x4xf32, ["B", 4]> attributes {tcc.kernel = "map"} {
  %0 = "tcc.slice"(%x) {starts = [0, 0], steps = array<i64: 1, 2>} : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x4xf32, ["B", 4]>
  %1 = "tcc.exp"(%0) : (tensor<?x4xf32, ["B", 4]>) -> tensor<?x4xf32, ["B", 4]>
  return %1 : tensor<?x4xf32, ["B", 4]>
}

// A launch has scratch behind counters that are 0.
// CHECK: func.func private @k1_dot_general(
// CHECK: "tcc.sizes"() {values = [8, 1, 1, 0, 131072]}
// CHECK: %[[ROOM:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK: %[[SPACE:.*]] = gpu.alloc  (%[[ROOM]]) : memref<?xi8>
// CHECK: gpu.memset  %[[SPACE]], %{{.*}} : memref<?xi8>, i8
// CHECK: %[[COUNTERS:.*]] = builtin.unrealized_conversion_cast %[[SPACE]] : memref<?xi8> to !llvm.ptr
// CHECK: %[[SCRATCH:.*]] = llvm.getelementptr %[[COUNTERS]][1024]
// CHECK: gpu.launch_func {{.*}} args(%{{.*}} : !llvm.ptr, %{{.*}} : !llvm.ptr, %{{.*}} : !llvm.ptr, %[[SCRATCH]] : !llvm.ptr
func.func private @k1_dot_general(%x: tensor<64x2048xf32>, %w: tensor<2048x64xf32>) -> tensor<64x64xf32> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x2048xf32>, tensor<2048x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// Upstream's convert-gpu-to-nvvm refuses llvm.intr.sqrt and its like.
// CHECK: func.func private @k2_sqrt(
// PTX-SAME: .visible .entry k_{{[0-9a-f]+}}_sqrt
func.func private @k2_sqrt(%x: tensor<64xf32>) -> tensor<64xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.abs"(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1 = "tcc.floor"(%0) : (tensor<64xf32>) -> tensor<64xf32>
  %2 = "tcc.sqrt"(%1) : (tensor<64xf32>) -> tensor<64xf32>
  return %2 : tensor<64xf32>
}
func.func @main(%x: tensor<?x8xf32, ["B", 8]>) -> tensor<?x4xf32, ["B", 4]> {
  %0 = call @k0_exp(%x) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x4xf32, ["B", 4]>
  return %0 : tensor<?x4xf32, ["B", 4]>
}
