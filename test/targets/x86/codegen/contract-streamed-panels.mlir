// RUN: tcc-explain %s --no-cache --target=x86,avx2 | FileCheck %s
// RUN: tcc-explain %s --no-cache --target=x86,avx512 | FileCheck %s --check-prefix=WIDE

// The panel of a wide register tile is read again for each tile of rows. Where half of the first cache holds it, 2 x 4 vectors share 128 columns best;
// a deeper one comes from the second cache, which delivers less than a vector a cycle, and more rows are better. Tiles of more registers
// have enough rows either way.
// CHECK: k0_dot_general
// CHECK: rows=6 vectors=2 tail=0
// CHECK: k1_dot_general
// CHECK: rows=2 vectors=4 tail=0
// WIDE: rows=12 vectors=2 tail=0
// WIDE: rows=12 vectors=2 tail=0
func.func @main(%a: tensor<128x384xf32>, %b: tensor<384x128xf32>, %c: tensor<128x128xf32>, %d: tensor<128x128xf32>) -> (tensor<128x128xf32>, tensor<128x128xf32>) {
  %0 = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 0>} : (tensor<128x384xf32>, tensor<384x128xf32>) -> tensor<128x128xf32>
  %1 = "tcc.dot_general"(%c, %d) {lhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 0>} : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  func.return %0, %1 : tensor<128x128xf32>, tensor<128x128xf32>
}
