// RUN: rm -rf %t && tcc-run %s --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-5 --atol=1e-7
// RUN: rm -rf %t && tcc-run %s --random=1 --save=%t --target=x86,avx2 && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-5 --atol=1e-7
// RUN: tcc-opt --pipeline=default %s --target=x86,avx512 | tcc-translate --to-llvm --target=x86,avx512 | FileCheck %s
// REQUIRES: avx512

// Softmax of rows with NaN (roots of what is below 0), of rows at the ends of the range and of exponents far below 0; the
// second loop over a row fetches the next one.
// CHECK: llvm.intr.prefetch
func.func @main(%x: tensor<37x100xf32>, %s: tensor<37x1xf32>) -> (tensor<37x100xf32>, tensor<37x100xf32>, tensor<37x100xf32>, tensor<37x100xf32>, tensor<37x100xf16>) {
  %huge = "tcc.constant"() {value = dense<3.4e38> : tensor<f32>} : () -> tensor<f32>
  %wide = "tcc.constant"() {value = dense<60.0> : tensor<f32>} : () -> tensor<f32>
  %root = "tcc.sqrt"(%s) : (tensor<37x1xf32>) -> tensor<37x1xf32>
  %some = "tcc.add"(%x, %root) : (tensor<37x100xf32>, tensor<37x1xf32>) -> tensor<37x100xf32>
  %same = "tcc.mul"(%s, %huge) : (tensor<37x1xf32>, tensor<f32>) -> tensor<37x1xf32>
  %ends = "tcc.add"(%x, %same) : (tensor<37x100xf32>, tensor<37x1xf32>) -> tensor<37x100xf32>
  %far = "tcc.mul"(%x, %wide) : (tensor<37x100xf32>, tensor<f32>) -> tensor<37x100xf32>
  %half = "tcc.convert"(%x) : (tensor<37x100xf32>) -> tensor<37x100xf16>
  %0 = "tcc.softmax"(%x) {axis = 1 : i64} : (tensor<37x100xf32>) -> tensor<37x100xf32>
  %1 = "tcc.softmax"(%some) {axis = 1 : i64} : (tensor<37x100xf32>) -> tensor<37x100xf32>
  %2 = "tcc.softmax"(%ends) {axis = 1 : i64} : (tensor<37x100xf32>) -> tensor<37x100xf32>
  %3 = "tcc.softmax"(%far) {axis = 1 : i64} : (tensor<37x100xf32>) -> tensor<37x100xf32>
  %4 = "tcc.softmax"(%half) {axis = 1 : i64} : (tensor<37x100xf16>) -> tensor<37x100xf16>
  return %0, %1, %2, %3, %4 : tensor<37x100xf32>, tensor<37x100xf32>, tensor<37x100xf32>, tensor<37x100xf32>, tensor<37x100xf16>
}
