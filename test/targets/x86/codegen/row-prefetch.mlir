// RUN: rm -rf %t && tcc-run %s --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-5 --atol=1e-6
// RUN: tcc-opt --pipeline=default %s --target=x86,avx512,l1=48K,l2=1M | tcc-translate --to-llvm --target=x86,avx512,l1=48K,l2=1M | FileCheck %s
// REQUIRES: avx512

// Rows that come from memory: the next ones are prefetched, lines of results are prefetched before they are written. A softmax keeps its
// exponentials in its result: also where that is the operand's own memory. What fits the second
// cache is not asked for.
// CHECK-LABEL: _reduce_mul_div_add(
// CHECK-NOT: llvm.intr.prefetch
// CHECK-LABEL: _reduce_mul_div_add(
// CHECK: llvm.intr.prefetch{{.*}}rw = 0
// CHECK: llvm.intr.prefetch{{.*}}rw = 1
// CHECK-LABEL: _reduce_add_sub_exp(
// CHECK: llvm.intr.prefetch{{.*}}rw = 0
// CHECK: llvm.intr.prefetch{{.*}}rw = 1
// Maxima of columns, whose places lie in pages of their own: more of a row at a time, and places further down are prefetched.
// CHECK-LABEL: _reduce(
// CHECK: llvm.intr.prefetch{{.*}}rw = 0
func.func @main(%x: tensor<600x519xf32>, %m: tensor<519xf32>, %g: tensor<519xf32>, %few: tensor<9x519xf32>, %c: tensor<9x300x1024xf32>) -> (tensor<9x519xf32>, tensor<600x519xf32>, tensor<600x519xf32>, tensor<600x519xf32>, tensor<600x519xf32>, tensor<9x1024xf32>) {
  %masked = "tcc.add"(%x, %m) : (tensor<600x519xf32>, tensor<519xf32>) -> tensor<600x519xf32>
  %columns = "tcc.softmax"(%x) {axis = 0 : i64} : (tensor<600x519xf32>) -> tensor<600x519xf32>
  %near = "tcc.rms_norm"(%few, %g) {axis = 1 : i64, eps = 1.0e-5 : f64} : (tensor<9x519xf32>, tensor<519xf32>) -> tensor<9x519xf32>
  %0 = "tcc.softmax"(%masked) {axis = 1 : i64} : (tensor<600x519xf32>) -> tensor<600x519xf32>
  %1 = "tcc.rms_norm"(%x, %g) {axis = 1 : i64, eps = 1.0e-5 : f64} : (tensor<600x519xf32>, tensor<519xf32>) -> tensor<600x519xf32>
  %2 = "tcc.layer_norm"(%x, %g, %m) {axis = 1 : i64, eps = 1.0e-5 : f64} : (tensor<600x519xf32>, tensor<519xf32>, tensor<519xf32>) -> tensor<600x519xf32>
  %3 = "tcc.softmax"(%columns) {axis = 1 : i64} : (tensor<600x519xf32>) -> tensor<600x519xf32>
  %4 = "tcc.reduce"(%c) {kind = "max", axes = array<i64: 1>, keepdims = false} : (tensor<9x300x1024xf32>) -> tensor<9x1024xf32>
  return %near, %0, %1, %2, %3, %4 : tensor<9x519xf32>, tensor<600x519xf32>, tensor<600x519xf32>, tensor<600x519xf32>, tensor<600x519xf32>, tensor<9x1024xf32>
}
