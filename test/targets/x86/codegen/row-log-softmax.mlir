// The exponentials of a log_softmax are never above 1: they take the function of a softmax, whose maximum may lose a NaN that comes through the sum. Rows
// with NaN (roots of what is below 0), with infinities, at the ends of the range; a logarithm of the sum alone.
// RUN: tcc-opt --pipeline=default %s --target=x86,avx2 | tcc-translate --to-llvm --target=x86,avx2 | FileCheck %s
// RUN: rm -rf %t && tcc-run %s --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-5 --atol=1e-5
// RUN: rm -rf %t && tcc-run %s --random=1 --save=%t --target=x86,avx2 && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-5 --atol=1e-5
// REQUIRES: avx2
// CHECK-NOT: intr.maximum
// 2^n of one factor: n and the bias, which are added as integers.
// CHECK: 1065353216
func.func @main(%x: tensor<37x1000xf32>, %s: tensor<37x1xf32>) -> (tensor<37x1000xf32>, tensor<37x1000xf32>, tensor<37x1000xf32>, tensor<37x1000xf32>, tensor<37x1000xf32>, tensor<37x1000xf16>, tensor<37x1xf32>) {
  %huge = "tcc.constant"() {value = dense<3.4e38> : tensor<f32>} : () -> tensor<f32>
  %wide = "tcc.constant"() {value = dense<60.0> : tensor<f32>} : () -> tensor<f32>
  %zero = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %root = "tcc.sqrt"(%s) : (tensor<37x1xf32>) -> tensor<37x1xf32>
  %some = "tcc.add"(%x, %root) : (tensor<37x1000xf32>, tensor<37x1xf32>) -> tensor<37x1000xf32>
  %roots = "tcc.sqrt"(%x) : (tensor<37x1000xf32>) -> tensor<37x1000xf32>
  %same = "tcc.mul"(%s, %huge) : (tensor<37x1xf32>, tensor<f32>) -> tensor<37x1xf32>
  %ends = "tcc.add"(%x, %same) : (tensor<37x1000xf32>, tensor<37x1xf32>) -> tensor<37x1000xf32>
  %far = "tcc.mul"(%x, %wide) : (tensor<37x1000xf32>, tensor<f32>) -> tensor<37x1000xf32>
  %half = "tcc.convert"(%x) : (tensor<37x1000xf32>) -> tensor<37x1000xf16>
  %0 = "tcc.log_softmax"(%x) {axis = 1 : i64} : (tensor<37x1000xf32>) -> tensor<37x1000xf32>
  %1 = "tcc.log_softmax"(%some) {axis = 1 : i64} : (tensor<37x1000xf32>) -> tensor<37x1000xf32>
  %2 = "tcc.log_softmax"(%roots) {axis = 1 : i64} : (tensor<37x1000xf32>) -> tensor<37x1000xf32>
  %3 = "tcc.log_softmax"(%ends) {axis = 1 : i64} : (tensor<37x1000xf32>) -> tensor<37x1000xf32>
  %4 = "tcc.log_softmax"(%far) {axis = 1 : i64} : (tensor<37x1000xf32>) -> tensor<37x1000xf32>
  %5 = "tcc.log_softmax"(%half) {axis = 1 : i64} : (tensor<37x1000xf16>) -> tensor<37x1000xf16>
  %most = "tcc.reduce"(%x) {kind = "max", axes = array<i64: 1>, keepdims = true} : (tensor<37x1000xf32>) -> tensor<37x1xf32>
  %less = "tcc.sub"(%x, %most) : (tensor<37x1000xf32>, tensor<37x1xf32>) -> tensor<37x1000xf32>
  %power = "tcc.exp"(%less) : (tensor<37x1000xf32>) -> tensor<37x1000xf32>
  %sum = "tcc.reduce"(%power) {kind = "sum", axes = array<i64: 1>, keepdims = true} : (tensor<37x1000xf32>) -> tensor<37x1xf32>
  %log = "tcc.log"(%sum) : (tensor<37x1xf32>) -> tensor<37x1xf32>
  %6 = "tcc.add"(%log, %most) : (tensor<37x1xf32>, tensor<37x1xf32>) -> tensor<37x1xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<37x1000xf32>, tensor<37x1000xf32>, tensor<37x1000xf32>, tensor<37x1000xf32>, tensor<37x1000xf32>, tensor<37x1000xf16>, tensor<37x1xf32>
}
