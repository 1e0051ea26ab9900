// Indices along axes of sizes that are known at run-time only: no division for an element, but a multiplication by a word that the host computes
// once, ceil(2^62 / size), and a correction by one.
// RUN: tcc-translate --to-ptx --target=nvptx,sm_80 %s | FileCheck %s --implicit-check-not=div. --implicit-check-not=rem.
// RUN: tcc-opt --tcc-kernels-to-gpu --target=nvptx,sm_80 %s | FileCheck %s --check-prefix=SIZES
// CHECK: .visible .entry k_{{[0-9a-f]+}}_transpose_add
// CHECK: mul.hi.u64
// CHECK: st.global
// SIZES: "tcc.sizes"() {values = {{.*}}ceildiv(4611686018427387904, max(
func.func private @k0_transpose_add(%x: tensor<?x?xf32, ["M", "N"]>, %y: tensor<?x?xf32, ["N", "M"]>) -> tensor<?x?xf32, ["N", "M"]> attributes {tcc.kernel = "map"} {
  %0 = "tcc.transpose"(%x) {perm = array<i64: 1, 0>} : (tensor<?x?xf32, ["M", "N"]>) -> tensor<?x?xf32, ["N", "M"]>
  %1 = "tcc.add"(%0, %y) : (tensor<?x?xf32, ["N", "M"]>, tensor<?x?xf32, ["N", "M"]>) -> tensor<?x?xf32, ["N", "M"]>
  return %1 : tensor<?x?xf32, ["N", "M"]>
}

// Rows of two axes, what a reshape takes apart, and a pad that wraps around.
// CHECK: .visible .entry k_{{[0-9a-f]+}}_reduce
// CHECK: mul.hi.u64
func.func private @k1_reduce(%x: tensor<?x8x?xf32, ["M", 8, "N"]>) -> tensor<8xf32> attributes {tcc.kernel = "row"} {
  %0 = "tcc.transpose"(%x) {perm = array<i64: 1, 0, 2>} : (tensor<?x8x?xf32, ["M", 8, "N"]>) -> tensor<8x?x?xf32, [8, "M", "N"]>
  %1 = "tcc.reduce"(%0) {axes = array<i64: 1, 2>, kind = "sum", keepdims = false} : (tensor<8x?x?xf32, [8, "M", "N"]>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK: .visible .entry k_{{[0-9a-f]+}}_pad
// CHECK: mul.hi.u64
func.func private @k2_pad(%x: tensor<?xf32, ["N"]>) -> tensor<?xf32, ["N + 10"]> attributes {tcc.kernel = "map"} {
  %0 = "tcc.none"() : () -> none
  %1 = "tcc.pad"(%x, %0) {low = [4], high = [6], mode = "wrap"} : (tensor<?xf32, ["N"]>, none) -> tensor<?xf32, ["N + 10"]>
  return %1 : tensor<?xf32, ["N + 10"]>
}
