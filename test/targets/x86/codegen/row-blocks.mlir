// RUN: rm -rf %t && tcc-run %s --target=x86,avx512 --random=1 --dim=N=20000 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=20000 --data=%t --check --rtol=1e-5 --atol=1e-9
// RUN: rm -rf %t && tcc-run %s --target=x86,avx512 --random=1 --dim=N=9 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=9 --data=%t --check --rtol=1e-5 --atol=1e-9
// RUN: tcc-opt --pipeline=default --target=x86,avx512 %s | tcc-translate --to-llvm --target=x86,avx512 | FileCheck %s
// REQUIRES: avx512
// RUN: tcc-opt --pipeline=default --target=x86,avx512,l1=48K %s | tcc-translate --to-llvm --target=x86,avx512,l1=48K | FileCheck %s --check-prefix=HELD
// HELD-NOT: 0xFF7FFFFF

// Softmax of rows that the first cache does not hold goes by blocks: rows that rise, rows whose first blocks, or all, are -inf, rows with
// a NaN, far exponents, a length that is not known, a result that takes the operand's place. Rows begin at any place of a line. The greatest value starts at the least finite one.
// CHECK: 0xFF7FFFFF
func.func @main(%x: tensor<3x9001xf32>, %some: tensor<3x1xf32>, %d: tensor<2x?xf32, [2, "N"]>) -> (tensor<3x9001xf32>, tensor<3x9001xf32>, tensor<3x9001xf32>, tensor<3x9001xf32>, tensor<3x9001xf32>, tensor<3x9001xf32>, tensor<2x?xf32, [2, "N"]>, tensor<3x9001xf32>) {
  %place = "tcc.iota"() {axis = 0 : i64} : () -> tensor<9001xf32>
  %wide = "tcc.constant"() {value = dense<60.0> : tensor<f32>} : () -> tensor<f32>
  %slope = "tcc.constant"() {value = dense<0.003> : tensor<f32>} : () -> tensor<f32>
  %huge = "tcc.constant"() {value = dense<1.0e38> : tensor<f32>} : () -> tensor<f32>
  %border = "tcc.constant"() {value = dense<3000.0> : tensor<f32>} : () -> tensor<f32>
  %none = "tcc.constant"() {value = dense<0xFF800000> : tensor<f32>} : () -> tensor<f32>
  %zero = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %rise = "tcc.mul"(%place, %slope) : (tensor<9001xf32>, tensor<f32>) -> tensor<9001xf32>
  %early = "tcc.compare"(%place, %border) {predicate = "lt"} : (tensor<9001xf32>, tensor<f32>) -> tensor<9001xi1>
  %mask = "tcc.select"(%early, %none, %zero) : (tensor<9001xi1>, tensor<f32>, tensor<f32>) -> tensor<9001xf32>
  %rising = "tcc.add"(%x, %rise) : (tensor<3x9001xf32>, tensor<9001xf32>) -> tensor<3x9001xf32>
  %masked = "tcc.add"(%x, %mask) : (tensor<3x9001xf32>, tensor<9001xf32>) -> tensor<3x9001xf32>
  %far = "tcc.mul"(%x, %wide) : (tensor<3x9001xf32>, tensor<f32>) -> tensor<3x9001xf32>
  %root = "tcc.sqrt"(%some) : (tensor<3x1xf32>) -> tensor<3x1xf32>
  %odd = "tcc.add"(%x, %root) : (tensor<3x9001xf32>, tensor<3x1xf32>) -> tensor<3x9001xf32>
  %all = "tcc.add"(%x, %none) : (tensor<3x9001xf32>, tensor<f32>) -> tensor<3x9001xf32>
  %0 = "tcc.softmax"(%x) {axis = 1 : i64} : (tensor<3x9001xf32>) -> tensor<3x9001xf32>
  %1 = "tcc.softmax"(%rising) {axis = 1 : i64} : (tensor<3x9001xf32>) -> tensor<3x9001xf32>
  %2 = "tcc.softmax"(%masked) {axis = 1 : i64} : (tensor<3x9001xf32>) -> tensor<3x9001xf32>
  %3 = "tcc.softmax"(%far) {axis = 1 : i64} : (tensor<3x9001xf32>) -> tensor<3x9001xf32>
  %4 = "tcc.softmax"(%odd) {axis = 1 : i64} : (tensor<3x9001xf32>) -> tensor<3x9001xf32>
  %5 = "tcc.softmax"(%all) {axis = 1 : i64} : (tensor<3x9001xf32>) -> tensor<3x9001xf32>
  %6 = "tcc.softmax"(%d) {axis = 1 : i64} : (tensor<2x?xf32, [2, "N"]>) -> tensor<2x?xf32, [2, "N"]>
  %columns = "tcc.softmax"(%x) {axis = 0 : i64} : (tensor<3x9001xf32>) -> tensor<3x9001xf32>
  %7 = "tcc.softmax"(%columns) {axis = 1 : i64} : (tensor<3x9001xf32>) -> tensor<3x9001xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<3x9001xf32>, tensor<3x9001xf32>, tensor<3x9001xf32>, tensor<3x9001xf32>, tensor<3x9001xf32>, tensor<3x9001xf32>, tensor<2x?xf32, [2, "N"]>, tensor<3x9001xf32>
}
