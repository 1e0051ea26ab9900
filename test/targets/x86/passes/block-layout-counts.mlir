// What counts a size stays, though nobody reads where it found something; what nobody reads of other ops goes.
// RUN: tcc-opt --tcc-block-layout=lanes=16 --target=x86,avx512 %s | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: "tcc.nonzero"
// CHECK-NOT: "tcc.exp"
// CHECK: "tcc.conv"
func.func @main(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x3x3xf32>, %b: tensor<16xf32>, %f: tensor<9xi1>) -> (tensor<1x16x8x8xf32>, tensor<?xf32, ["nz0"]>) {
  %n = "tcc.nonzero"(%f) {size = "nz0"} : (tensor<9xi1>) -> tensor<1x?xi64, [1, "nz0"]>
  %i = "tcc.iota"() {axis = 0 : i64} : () -> tensor<?xf32, ["nz0"]>
  %e = "tcc.exp"(%x) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %y = "tcc.conv"(%x, %w, %b) {groups = 1 : i64, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32>, tensor<16xf32>) -> tensor<1x16x8x8xf32>
  return %y, %i : tensor<1x16x8x8xf32>, tensor<?xf32, ["nz0"]>
}
