// More than 2^31 elements: no index is cut to 32 bits, of a map, a row, a product, a gather, attention by warps and by warpgroups, whose copies have
// coordinates of 32 bits for each axis. An axis of more has no tensor map. Fewer elements: positions are taken apart in 32 bits.
// RUN: tcc-translate --to-llvm --target=nvptx,sm_90a %s | FileCheck %s

// CHECK: llvm.func @k_{{[0-9a-f]+}}_add_map
// CHECK-NOT: llvm.trunc
func.func private @k0_add_map(%x: tensor<70000x3x20001xf16>, %y: tensor<3x1xf16>) -> tensor<70000x3x20001xf16> attributes {tcc.kernel = "map"} {
  %0 = "tcc.add"(%x, %y) : (tensor<70000x3x20001xf16>, tensor<3x1xf16>) -> tensor<70000x3x20001xf16>
  return %0 : tensor<70000x3x20001xf16>
}

// CHECK: llvm.func @k_{{[0-9a-f]+}}_reduce_row
// CHECK-NOT: llvm.trunc
func.func private @k1_reduce_row(%x: tensor<1500000x3x500xf32>) -> tensor<1500000x3x500xf32> attributes {tcc.kernel = "row"} {
  %0 = "tcc.reduce"(%x) {kind = "sum", axes = array<i64: 2>, keepdims = true} : (tensor<1500000x3x500xf32>) -> tensor<1500000x3x1xf32>
  %1 = "tcc.sub"(%x, %0) : (tensor<1500000x3x500xf32>, tensor<1500000x3x1xf32>) -> tensor<1500000x3x500xf32>
  return %1 : tensor<1500000x3x500xf32>
}

// Blocks are counted in 32 bits, and so are the bytes of a copy that exist.
// CHECK: llvm.func @k_{{[0-9a-f]+}}_dot_general
// CHECK-NOT: llvm.getelementptr {{.*}}(!llvm.ptr, i32)
func.func private @k2_dot_general(%x: tensor<70000x33333xf32>, %y: tensor<33333x40000xf32>) -> tensor<70000x40000xf32> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %y) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<70000x33333xf32>, tensor<33333x40000xf32>) -> tensor<70000x40000xf32>
  return %0 : tensor<70000x40000xf32>
}

// CHECK: llvm.func @k_{{[0-9a-f]+}}_gather
// CHECK-NOT: llvm.trunc
func.func private @k3_gather(%x: tensor<1000000x3000xf16>, %i: tensor<900000xi32>) -> tensor<900000x3000xf16> attributes {tcc.kernel = "map"} {
  %0 = "tcc.gather"(%x, %i) {axis = 0 : i64} : (tensor<1000000x3000xf16>, tensor<900000xi32>) -> tensor<900000x3000xf16>
  return %0 : tensor<900000x3000xf16>
}

// CHECK: llvm.func @k_{{[0-9a-f]+}}_add_small
// CHECK: llvm.trunc %{{.*}} : i64 to i32
// CHECK: llvm.urem %{{.*}} : i32
// CHECK-NOT: llvm.urem %{{.*}} : i64
func.func private @k4_add_small(%x: tensor<700x3x20000xf16>, %y: tensor<3x1xf16>) -> tensor<700x3x20000xf16> attributes {tcc.kernel = "map"} {
  %0 = "tcc.add"(%x, %y) : (tensor<700x3x20000xf16>, tensor<3x1xf16>) -> tensor<700x3x20000xf16>
  return %0 : tensor<700x3x20000xf16>
}

// CHECK: llvm.func @k_{{[0-9a-f]+}}_attention_groups
// CHECK: cp.async.bulk.tensor
// CHECK-NOT: llvm.getelementptr {{.*}}(!llvm.ptr, i32)
func.func private @k5_attention_groups(%q: tensor<1x70000x300x128xf16>, %k: tensor<1x70000x300x128xf16>, %v: tensor<1x70000x300x128xf16>) -> tensor<1x70000x300x128xf16> attributes {tcc.kernel = "attention"} {
  %m = "tcc.none"() : () -> none
  %0 = "tcc.attention"(%q, %k, %v, %m) {scale = 0.125 : f64} : (tensor<1x70000x300x128xf16>, tensor<1x70000x300x128xf16>, tensor<1x70000x300x128xf16>, none) -> tensor<1x70000x300x128xf16>
  return %0 : tensor<1x70000x300x128xf16>
}

// CHECK: llvm.func @k_{{[0-9a-f]+}}_attention_warps
// CHECK-NOT: cp.async.bulk.tensor
// CHECK-NOT: llvm.getelementptr {{.*}}(!llvm.ptr, i32)
func.func private @k6_attention_warps(%q: tensor<1x70000x30x128xf16>, %k: tensor<1x70000x300x128xf16>, %v: tensor<1x70000x300x128xf16>) -> tensor<1x70000x30x128xf16> attributes {tcc.kernel = "attention"} {
  %m = "tcc.none"() : () -> none
  %0 = "tcc.attention"(%q, %k, %v, %m) {scale = 0.125 : f64} : (tensor<1x70000x30x128xf16>, tensor<1x70000x300x128xf16>, tensor<1x70000x300x128xf16>, none) -> tensor<1x70000x30x128xf16>
  return %0 : tensor<1x70000x30x128xf16>
}

// CHECK: llvm.func @k_{{[0-9a-f]+}}_dot_general_rows
// CHECK-NOT: cp.async.bulk.tensor
// CHECK: wgmma.mma_async
func.func private @k7_dot_general_rows(%x: tensor<3000000000x64xf16>, %y: tensor<64x64xf16>) -> tensor<3000000000x64xf16> attributes {tcc.kernel = "contract"} {
  %0 = "tcc.dot_general"(%x, %y) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<3000000000x64xf16>, tensor<64x64xf16>) -> tensor<3000000000x64xf16>
  return %0 : tensor<3000000000x64xf16>
}
