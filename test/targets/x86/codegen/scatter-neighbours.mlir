// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --save=%t && tcc-run %s --random=1 --data=%t --check --rtol=1e-5
// RUN: tcc-run %s --target=x86,avx2 --random=1 --data=%t --check --rtol=1e-5
// RUN: not tcc-run %s --random=1 --input bad=%S/Inputs/index-9.npy 2>&1 | FileCheck %s
// REQUIRES: avx2

// Neighbours behind the axis whose indices are one move as a block: rows wider than a vector and not, rows in which some indices differ, a
// row twice, sums; an index outside is reported with its place.
// CHECK: error: {{.*}}index 9 {{.*}}
func.func @main(%x: tensor<3x8x37xf32>, %i: tensor<3x2x1xi64>, %u: tensor<3x2x37xf32>, %j: tensor<3x2x37xi32>, %y: tensor<2x5x4x5xf16>, %v: tensor<2x3x4x5xf16>, %bad: tensor<1xi64> {tcc.name = "bad"}) -> (tensor<3x8x37xf32>, tensor<3x8x37xf32>, tensor<2x5x4x5xf16>, tensor<2x5x4x5xf16>, tensor<3x8x37xf32>) {
  %all = "tcc.broadcast"(%i) : (tensor<3x2x1xi64>) -> tensor<3x2x37xi64>
  %0 = "tcc.scatter_elements"(%x, %all, %u) {axis = 1 : i64} : (tensor<3x8x37xf32>, tensor<3x2x37xi64>, tensor<3x2x37xf32>) -> tensor<3x8x37xf32>
  %1 = "tcc.scatter_elements"(%x, %j, %u) {axis = 1 : i64, reduction = "add"} : (tensor<3x8x37xf32>, tensor<3x2x37xi32>, tensor<3x2x37xf32>) -> tensor<3x8x37xf32>
  %rows = "tcc.constant"() {value = dense<[[[4]], [[-2]], [[4]]]> : tensor<3x1x1xi64>} : () -> tensor<3x1x1xi64>
  %same = "tcc.broadcast"(%rows) : (tensor<3x1x1xi64>) -> tensor<2x3x4x5xi64>
  %2 = "tcc.scatter_elements"(%y, %same, %v) {axis = 1 : i64} : (tensor<2x5x4x5xf16>, tensor<2x3x4x5xi64>, tensor<2x3x4x5xf16>) -> tensor<2x5x4x5xf16>
  %3 = "tcc.scatter_elements"(%y, %same, %v) {axis = 1 : i64, reduction = "mul"} : (tensor<2x5x4x5xf16>, tensor<2x3x4x5xi64>, tensor<2x3x4x5xf16>) -> tensor<2x5x4x5xf16>
  %b = "tcc.broadcast"(%bad) : (tensor<1xi64>) -> tensor<3x2x37xi64>
  %4 = "tcc.scatter_elements"(%x, %b, %u) {axis = 1 : i64, valid = "signed"} : (tensor<3x8x37xf32>, tensor<3x2x37xi64>, tensor<3x2x37xf32>) -> tensor<3x8x37xf32>
  return %0, %1, %2, %3, %4 : tensor<3x8x37xf32>, tensor<3x8x37xf32>, tensor<2x5x4x5xf16>, tensor<2x5x4x5xf16>, tensor<3x8x37xf32>
}
