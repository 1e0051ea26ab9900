// Rows of one vector that come from several operands, or are 0: the parts are boxes in a table, whatever axes they are cut along. Other values beside an image, and
// what is read backwards, or rows of another length, are code.
// RUN: tcc-explain %s --target=x86,avx2 | grep -c "schedule: boxes" | FileCheck %s --check-prefix=COUNT
// COUNT: {{^7$}}
// RUN: tcc-run %s --random=1 --target=x86,avx2 --no-cache --threads=2 --compare=interp | FileCheck %s --check-prefix=SAME
// RUN: tcc-run %s --random=1 --no-cache --threads=2 --compare=interp | FileCheck %s --check-prefix=SAME
// SAME: ok: {{[0-9]+}} kernels match the interpreter
// REQUIRES: avx2
func.func @main(%a: tensor<7x600x5xf32>, %b: tensor<7x600x3xf32>, %c: tensor<2x3x4x5x6xi32>, %d: tensor<2x3x4x5x3xi32>, %e: tensor<7x600x8xf32>)
    -> (tensor<9x603x8xf32>, tensor<7x601x8xf32>, tensor<7x1203x8xf32>, tensor<2x3x4x11x8xi32>, tensor<9x603x8xf32>, tensor<7x600x8xf32>, tensor<7x600x2xf32>) {
  %zero = "tcc.none"() : () -> none
  %one = "tcc.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.pad"(%a, %zero) {low = [2, 1, 3], high = [0, 2, 0], mode = "constant"} : (tensor<7x600x5xf32>, none) -> tensor<9x603x8xf32>
  %1 = "tcc.concat"(%a, %b) {axis = 2 : i64} : (tensor<7x600x5xf32>, tensor<7x600x3xf32>) -> tensor<7x600x8xf32>
  %2 = "tcc.pad"(%1, %zero) {low = [0, 1, 0], high = [0, 0, 0], mode = "constant"} : (tensor<7x600x8xf32>, none) -> tensor<7x601x8xf32>
  %3 = "tcc.slice"(%e) {starts = [0, 7, 0], steps = array<i64: 1, 1, 1>} : (tensor<7x600x8xf32>) -> tensor<7x300x8xf32>
  %4 = "tcc.concat"(%3, %e) {axis = 1 : i64} : (tensor<7x300x8xf32>, tensor<7x600x8xf32>) -> tensor<7x900x8xf32>
  %5 = "tcc.concat"(%4, %3) {axis = 1 : i64} : (tensor<7x900x8xf32>, tensor<7x300x8xf32>) -> tensor<7x1200x8xf32>
  %6 = "tcc.pad"(%5, %zero) {low = [0, 3, 0], high = [0, 0, 0], mode = "constant"} : (tensor<7x1200x8xf32>, none) -> tensor<7x1203x8xf32>
  %7 = "tcc.slice"(%c) {starts = [0, 0, 0, 0, 1], steps = array<i64: 1, 1, 1, 1, 1>} : (tensor<2x3x4x5x6xi32>) -> tensor<2x3x4x5x5xi32>
  %8 = "tcc.concat"(%7, %d) {axis = 4 : i64} : (tensor<2x3x4x5x5xi32>, tensor<2x3x4x5x3xi32>) -> tensor<2x3x4x5x8xi32>
  %9 = "tcc.pad"(%8, %zero) {low = [0, 0, 0, 2, 0], high = [0, 0, 0, 4, 0], mode = "constant"} : (tensor<2x3x4x5x8xi32>, none) -> tensor<2x3x4x11x8xi32>
  %10 = "tcc.pad"(%a, %one) {low = [2, 1, 3], high = [0, 2, 0], mode = "constant"} : (tensor<7x600x5xf32>, tensor<f32>) -> tensor<9x603x8xf32>
  %11 = "tcc.slice"(%b) {starts = [6, 0, 2], steps = array<i64: -1, 1, -1>} : (tensor<7x600x3xf32>) -> tensor<7x600x3xf32>
  %12 = "tcc.concat"(%a, %11) {axis = 2 : i64} : (tensor<7x600x5xf32>, tensor<7x600x3xf32>) -> tensor<7x600x8xf32>
  %left = "tcc.slice"(%a) {starts = [0, 0, 4], steps = array<i64: 1, 1, 1>} : (tensor<7x600x5xf32>) -> tensor<7x600x1xf32>
  %right = "tcc.slice"(%b) {starts = [0, 0, 1], steps = array<i64: 1, 1, 1>} : (tensor<7x600x3xf32>) -> tensor<7x600x1xf32>
  %13 = "tcc.concat"(%left, %right) {axis = 2 : i64} : (tensor<7x600x1xf32>, tensor<7x600x1xf32>) -> tensor<7x600x2xf32>
  return %0, %2, %6, %9, %10, %12, %13 : tensor<9x603x8xf32>, tensor<7x601x8xf32>, tensor<7x1203x8xf32>, tensor<2x3x4x11x8xi32>, tensor<9x603x8xf32>, tensor<7x600x8xf32>, tensor<7x600x2xf32>
}
