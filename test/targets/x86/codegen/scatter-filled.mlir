// RUN: rm -rf %t && tcc-run %s --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-5 --atol=1e-6
// RUN: tcc-run %s --target=x86,avx2 --random=1 --data=%t --check --rtol=1e-5 --atol=1e-6
// RUN: tcc-run %s --random=1 --compare=interp
// RUN: tcc-compile %s --no-cache --target=x86,avx2 -o %t.so && tcc-explain %t.so | FileCheck %s
// REQUIRES: avx2

// The kernel of a scatter into a constant of equal elements has the number: none of those 2 MB are in the artifact. A constant that is indices, too,
// is read.
// CHECK: bytes, of which the plan is {{[0-9]+}} and constants {{[0-9]?[0-9]?[0-9]$}}
func.func @main(%i: tensor<40x1xi64>, %u: tensor<40x1xf32>, %j: tensor<50x1xi64>, %v: tensor<50x600xf32>, %w: tensor<4xi64>, %z: tensor<4xi64>, %m: tensor<1x1xf16>) -> (tensor<40x9999xf32>, tensor<99x600xf32>, tensor<70xi64>, tensor<9xi64>, tensor<33x3xf16>) {
  %c = "tcc.constant"() {value = dense<2.5> : tensor<40x9999xf32>} : () -> tensor<40x9999xf32>
  %d = "tcc.constant"() {value = dense<0.0> : tensor<99x600xf32>} : () -> tensor<99x600xf32>
  %k = "tcc.constant"() {value = dense<3> : tensor<70xi64>} : () -> tensor<70xi64>
  %s = "tcc.constant"() {value = dense<4> : tensor<9xi64>} : () -> tensor<9xi64>
  %h = "tcc.constant"() {value = dense<1.0> : tensor<33x3xf16>} : () -> tensor<33x3xf16>
  %n = "tcc.constant"() {value = dense<[[-1]]> : tensor<1x1xi64>} : () -> tensor<1x1xi64>
  %0 = "tcc.scatter_elements"(%c, %i, %u) {axis = 1 : i64, reduction = "add"} : (tensor<40x9999xf32>, tensor<40x1xi64>, tensor<40x1xf32>) -> tensor<40x9999xf32>
  %1 = "tcc.scatter_nd"(%d, %j, %v) {reduction = "add"} : (tensor<99x600xf32>, tensor<50x1xi64>, tensor<50x600xf32>) -> tensor<99x600xf32>
  %2 = "tcc.scatter_elements"(%k, %w, %z) {axis = 0 : i64, reduction = "none"} : (tensor<70xi64>, tensor<4xi64>, tensor<4xi64>) -> tensor<70xi64>
  %3 = "tcc.scatter_elements"(%s, %s, %s) {axis = 0 : i64, reduction = "add"} : (tensor<9xi64>, tensor<9xi64>, tensor<9xi64>) -> tensor<9xi64>
  %4 = "tcc.scatter_elements"(%h, %n, %m) {axis = 0 : i64, reduction = "max"} : (tensor<33x3xf16>, tensor<1x1xi64>, tensor<1x1xf16>) -> tensor<33x3xf16>
  return %0, %1, %2, %3, %4 : tensor<40x9999xf32>, tensor<99x600xf32>, tensor<70xi64>, tensor<9xi64>, tensor<33x3xf16>
}
