// REQUIRES: python, avx2
// Where rows are multiples of 16 bytes, and all that is read for them is, too, a thread reads and writes pieces of 16 bytes, or shorter ones where
// a warp has not so many: of a row that is held, of one that a loop goes over, beside operands that rows share. A request has no sector more
// than it needs. Else, and where a transpose moves neighbours apart, a piece is one element; requests begin where sectors do, and lanes
// exchange what they got for each other.
// RUN: tcc-translate --to-ptx --target=nvptx,sm_80 %s | FileCheck %s
// RUN: tcc-explain --target=nvptx,sm_80 %S/Inputs/rows.mlir | FileCheck --check-prefix=EXPLAIN %s
// EXPLAIN-DAG: 8 rows, 32 slices, 24 held, pieces of 4
// EXPLAIN-DAG: 1 rows, 96 slices, 32 held, pieces of 8
// EXPLAIN-DAG: 1 rows, 256 slices, 0 held, pieces of 8
// EXPLAIN-DAG: 8 rows, 32 slices, 4 held, pieces of 2
// EXPLAIN-DAG: 8 rows, 32 slices, 32 held, pieces of 4
// EXPLAIN-DAG: 8 rows, 32 slices, 3 held, pieces of 1
// RUN: env TCC_EMULATE_COUNTERS=%t.counters bash %S/Inputs/parts.sh %python %t %S/Inputs/rows.mlir 6 N=5 | FileCheck --check-prefix=CLOSE %s
// CLOSE: N=5: the same bits
// CLOSE-COUNT-6: close
// RUN: bash %S/Inputs/counters.sh %t.counters | sort | FileCheck --check-prefix=COUNTERS %s
// COUNTERS-COUNT-6: divide64 0 sectors 10{{[0-5]}}%

// Held; the weight of each row is read in front of the results.
// CHECK: .visible .entry k_{{[0-9a-f]+}}_reduce_div_mul(
// CHECK-COUNT-6: ld.global.nc.v4.b32
// CHECK-NOT: ld.global
// CHECK: shfl.sync
// CHECK: ld.global.nc.v4.b32
// CHECK: st.global.v4.b32
// CHECK-NOT: {{(ld|st)}}.global{{[.nc]*}}.b
func.func private @k0_reduce_div_mul(%x: tensor<64x768xf32>, %w: tensor<768xf32>) -> tensor<64x768xf32> attributes {tcc.kernel = "row"} {
  %0 = "tcc.reduce"(%x) {kind = "sum", axes = array<i64: 1>, keepdims = true} : (tensor<64x768xf32>) -> tensor<64x1xf32>
  %1 = "tcc.div"(%x, %0) : (tensor<64x768xf32>, tensor<64x1xf32>) -> tensor<64x768xf32>
  %2 = "tcc.mul"(%1, %w) : (tensor<64x768xf32>, tensor<768xf32>) -> tensor<64x768xf32>
  return %2 : tensor<64x768xf32>
}

// Three elements of a lane are in four requests, which are on their way together.
// CHECK: .visible .entry k_{{[0-9a-f]+}}_reduce_sub(
// CHECK-COUNT-4: ld.global.nc.b32
// CHECK-COUNT-3: shfl.sync.idx
// CHECK: shfl.sync.bfly
// CHECK-NOT: ld.global
// CHECK-COUNT-4: st.global.b32
func.func private @k1_reduce_sub(%x: tensor<64x77xf32>) -> tensor<64x77xf32> attributes {tcc.kernel = "row"} {
  %0 = "tcc.reduce"(%x) {kind = "sum", axes = array<i64: 1>, keepdims = true} : (tensor<64x77xf32>) -> tensor<64x1xf32>
  %1 = "tcc.sub"(%x, %0) : (tensor<64x77xf32>, tensor<64x1xf32>) -> tensor<64x77xf32>
  return %1 : tensor<64x77xf32>
}
