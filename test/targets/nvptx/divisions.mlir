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
