// RUN: rm -rf %t && tcc-run %s --threads=1 --save=%t && tcc-interp %s --data=%t --check
// RUN: rm -rf %t && tcc-run %s --threads=2 --save=%t && tcc-interp %s --data=%t --check
// RUN: rm -rf %t && tcc-run %s --threads=3 --save=%t && tcc-interp %s --data=%t --check
// RUN: rm -rf %t && tcc-run %s --threads=2 --save=%t && tcc-run %s --threads=2 --save=%t.again && cmp %t/output_0.npy %t.again/output_0.npy && cmp %t/output_1.npy %t.again/output_1.npy
// RUN: tcc-explain %s --no-cache --target=x86,cascadelake | FileCheck %s
// REQUIRES: avx512

// Tiles of the depth of a mebibyte and more, of which each fourth is cut into smaller ones: f32 with steps left over, bytes with
// whole groups and steps left over. The same number of threads gives the same bits, whoever took which tile.
// CHECK: schedule: x86.gemv/{{[0-9]+}} along=columns unroll
// CHECK: schedule: x86.gemv/{{[0-9]+}} along=columns in integers
func.func @main() -> (tensor<1x1920xf32>, tensor<1x2052xf32>, tensor<4109x2052xi8>, tensor<2052xf32>, tensor<1x4109xf32>) {
  %1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<1109x1920xf32>
  %2 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<1109x1920xf32>
  %3 = "tcc.constant"() {value = dense<7.0> : tensor<f32>} : () -> tensor<f32>
  %4 = "tcc.constant"() {value = dense<31.0> : tensor<f32>} : () -> tensor<f32>
  %5 = "tcc.mul"(%1, %3) : (tensor<1109x1920xf32>, tensor<f32>) -> tensor<1109x1920xf32>
  %6 = "tcc.add"(%5, %2) : (tensor<1109x1920xf32>, tensor<1109x1920xf32>) -> tensor<1109x1920xf32>
  %7 = "tcc.mod"(%6, %4) : (tensor<1109x1920xf32>, tensor<f32>) -> tensor<1109x1920xf32>
  %8 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<1x1109xf32>
  %9 = "tcc.constant"() {value = dense<13.0> : tensor<f32>} : () -> tensor<f32>
  %10 = "tcc.mod"(%8, %9) : (tensor<1x1109xf32>, tensor<f32>) -> tensor<1x1109xf32>
  %11 = "tcc.sub"(%10, %3) : (tensor<1x1109xf32>, tensor<f32>) -> tensor<1x1109xf32>
  %12 = "tcc.dot_general"(%11, %7) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<1x1109xf32>, tensor<1109x1920xf32>) -> tensor<1x1920xf32>
  %20 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<4109x2052xi32>
  %21 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<4109x2052xi32>
  %22 = "tcc.constant"() {value = dense<37> : tensor<i32>} : () -> tensor<i32>
  %23 = "tcc.constant"() {value = dense<255> : tensor<i32>} : () -> tensor<i32>
  %24 = "tcc.constant"() {value = dense<127> : tensor<i32>} : () -> tensor<i32>
  %25 = "tcc.mul"(%20, %22) : (tensor<4109x2052xi32>, tensor<i32>) -> tensor<4109x2052xi32>
  %26 = "tcc.add"(%25, %21) : (tensor<4109x2052xi32>, tensor<4109x2052xi32>) -> tensor<4109x2052xi32>
  %27 = "tcc.mod"(%26, %23) : (tensor<4109x2052xi32>, tensor<i32>) -> tensor<4109x2052xi32>
  %28 = "tcc.sub"(%27, %24) : (tensor<4109x2052xi32>, tensor<i32>) -> tensor<4109x2052xi32>
  %29 = "tcc.convert"(%28) {saturate = true} : (tensor<4109x2052xi32>) -> tensor<4109x2052xi8>
  %30 = "tcc.convert"(%29) : (tensor<4109x2052xi8>) -> tensor<4109x2052xf32>
  %31 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<2052xf32>
  %32 = "tcc.mod"(%31, %4) : (tensor<2052xf32>, tensor<f32>) -> tensor<2052xf32>
  %33 = "tcc.mul"(%30, %32) : (tensor<4109x2052xf32>, tensor<2052xf32>) -> tensor<4109x2052xf32>
  %34 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<1x4109xf32>
  %35 = "tcc.mod"(%34, %9) : (tensor<1x4109xf32>, tensor<f32>) -> tensor<1x4109xf32>
  %36 = "tcc.sub"(%35, %3) : (tensor<1x4109xf32>, tensor<f32>) -> tensor<1x4109xf32>
  %37 = "tcc.dot_general"(%36, %33) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<1x4109xf32>, tensor<4109x2052xf32>) -> tensor<1x2052xf32>
  return %12, %37, %29, %32, %36 : tensor<1x1920xf32>, tensor<1x2052xf32>, tensor<4109x2052xi8>, tensor<2052xf32>, tensor<1x4109xf32>
}
