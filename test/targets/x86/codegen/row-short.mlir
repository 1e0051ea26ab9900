// RUN: rm -rf %t && tcc-run %s --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-5 --atol=1e-5
// RUN: rm -rf %t && tcc-run %s --target=x86,avx2 --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-5 --atol=1e-5

// Rows shorter than the registers that a loop takes side by side, with and without a rest; rows that begin anywhere in a line, of one reduced
// dim and of two joined ones, of sums, norms and a softmax, with results of their own shape or of one element.
func.func @main(%x: tensor<7x33xf32>, %y: tensor<5x771xf32>, %z: tensor<3x4x63x63xf32>, %s: tensor<4xf32>, %g: tensor<771xf32>, %h: tensor<6x17xbf16>, %w: tensor<9x1xf32>, %q: tensor<5x240xf32>) -> (tensor<7xf32>, tensor<7xf32>, tensor<7xi64>, tensor<7xi64>, tensor<5x771xf32>, tensor<5xf32>, tensor<3x4x63x63xf32>, tensor<6xbf16>, tensor<9xf32>, tensor<5x240xf32>, tensor<5x771xf32>) {
  %0 = "tcc.reduce"(%x) {kind = "sum", axes = array<i64: 1>, keepdims = false} : (tensor<7x33xf32>) -> tensor<7xf32>
  %1 = "tcc.reduce"(%x) {kind = "max", axes = array<i64: 1>, keepdims = false} : (tensor<7x33xf32>) -> tensor<7xf32>
  %2 = "tcc.arg_reduce"(%x) {kind = "max", axis = 1 : i64, keepdims = false, last = false} : (tensor<7x33xf32>) -> tensor<7xi64>
  %3 = "tcc.arg_reduce"(%x) {kind = "min", axis = 1 : i64, keepdims = false, last = true} : (tensor<7x33xf32>) -> tensor<7xi64>
  %4 = "tcc.layer_norm"(%y, %g, %g) {axis = 1 : i64, eps = 1.0e-5 : f64} : (tensor<5x771xf32>, tensor<771xf32>, tensor<771xf32>) -> tensor<5x771xf32>
  %5 = "tcc.reduce"(%y) {kind = "max", axes = array<i64: 1>, keepdims = false} : (tensor<5x771xf32>) -> tensor<5xf32>
  %6 = "tcc.group_norm"(%z, %s, %s) {groups = 4 : i64, eps = 1.0e-5 : f64} : (tensor<3x4x63x63xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<3x4x63x63xf32>
  %7 = "tcc.reduce"(%h) {kind = "sum", axes = array<i64: 1>, keepdims = false} : (tensor<6x17xbf16>) -> tensor<6xbf16>
  %8 = "tcc.reduce"(%w) {kind = "sum", axes = array<i64: 1>, keepdims = false} : (tensor<9x1xf32>) -> tensor<9xf32>
  %9 = "tcc.softmax"(%q) {axis = 1 : i64} : (tensor<5x240xf32>) -> tensor<5x240xf32>
  %10 = "tcc.softmax"(%y) {axis = 1 : i64} : (tensor<5x771xf32>) -> tensor<5x771xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : tensor<7xf32>, tensor<7xf32>, tensor<7xi64>, tensor<7xi64>, tensor<5x771xf32>, tensor<5xf32>, tensor<3x4x63x63xf32>, tensor<6xbf16>, tensor<9xf32>, tensor<5x240xf32>, tensor<5x771xf32>
}
