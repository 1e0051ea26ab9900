// REQUIRES: python, avx2
// Sums of long columns that are few: 32 slices of each, which add up in one order; eight reads of a thread are under way together. Fewer elements than
// that leave the loop to the last ones.
// RUN: tcc-translate --to-ptx --target=nvptx,sm_80 %s | FileCheck %s
// RUN: tcc-explain --target=nvptx,sm_80 %S/Inputs/columns.mlir | FileCheck --check-prefix=EXPLAIN %s
// EXPLAIN-COUNT-3: 32 rows, 32 slices across, 0 held, pieces of 1
// DEFINE: %{parts} = bash %S/Inputs/parts.sh %python %t %S/Inputs/columns.mlir 3
// RUN: %{parts} N=3 | FileCheck --check-prefix=CLOSE %s
// RUN: %{parts} N=300 | FileCheck --check-prefix=CLOSE %s
// RUN: %{parts} N=1500 | FileCheck --check-prefix=CLOSE %s
// CLOSE: the same bits
// CLOSE-COUNT-3: close

// CHECK: .visible .entry k_{{[0-9a-f]+}}_reduce(
// CHECK-COUNT-8: ld.global.nc.b32
// CHECK-NEXT: add.f32
// CHECK: bra
// CHECK: ld.global.nc.b32
// CHECK-NEXT: add.f32
func.func private @k0_reduce(%x: tensor<1300x70xf32>) -> tensor<70xf32> attributes {tcc.kernel = "row"} {
  %0 = "tcc.reduce"(%x) {axes = array<i64: 0>, keepdims = false, kind = "sum"} : (tensor<1300x70xf32>) -> tensor<70xf32>
  return %0 : tensor<70xf32>
}
