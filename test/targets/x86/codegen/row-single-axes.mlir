// Reductions over axes that differ in axes of one place alone are one kernel: a softmax over the last axis and a norm over the last two of [N, 1, D]. A result may
// have such an axis where another one drops it.
// RUN: rm -rf %t && mkdir %t && tcc-run --target=reference --no-cache --random=1 --save=%t %s
// RUN: tcc-run --no-cache --random=1 --data=%t --check %s
// RUN: tcc-run --target=x86,avx2 --no-cache --random=1 --data=%t --check %s
// RUN: tcc-run --target=nvptx,sm_90a --emulate --no-cache --random=1 --data=%t --check %s
// RUN: tcc-explain --target=x86,avx2 %s | FileCheck %s
// REQUIRES: avx2
// CHECK: 4 kernel functions, 0 of them by the reference target
func.func @main(%x: tensor<5x1x7xf32>, %w: tensor<1x6x7xf32>, %z: tensor<1x9x1xf32>) -> (tensor<5x1x7xf32>, tensor<5x1x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<5x1xi64>, tensor<5x1x7xf32>, tensor<1x6xi64>, tensor<1x6x1xf32>) {
  %0 = "tcc.reduce"(%x) {axes = array<i64: 2>, keepdims = true, kind = "max"} : (tensor<5x1x7xf32>) -> tensor<5x1x1xf32>
  %1 = "tcc.sub"(%x, %0) : (tensor<5x1x7xf32>, tensor<5x1x1xf32>) -> tensor<5x1x7xf32>
  %2 = "tcc.reduce"(%1) {axes = array<i64: 1, 2>, keepdims = true, kind = "sum"} : (tensor<5x1x7xf32>) -> tensor<5x1x1xf32>
  %3 = "tcc.sub"(%1, %2) : (tensor<5x1x7xf32>, tensor<5x1x1xf32>) -> tensor<5x1x7xf32>
  %4 = "tcc.reduce"(%z) {axes = array<i64: 0, 1>, keepdims = false, kind = "sum"} : (tensor<1x9x1xf32>) -> tensor<1xf32>
  %5 = "tcc.reduce"(%z) {axes = array<i64: 1, 2>, keepdims = false, kind = "max"} : (tensor<1x9x1xf32>) -> tensor<1xf32>
  %6 = "tcc.arg_reduce"(%3) {axis = 2 : i64, keepdims = false, kind = "max", last = false} : (tensor<5x1x7xf32>) -> tensor<5x1xi64>
  %7 = "tcc.reduce"(%3) {axes = array<i64: 1, 2>, keepdims = true, kind = "sum"} : (tensor<5x1x7xf32>) -> tensor<5x1x1xf32>
  %8 = "tcc.add"(%3, %7) : (tensor<5x1x7xf32>, tensor<5x1x1xf32>) -> tensor<5x1x7xf32>
  %9 = "tcc.reduce"(%w) {axes = array<i64: 0, 2>, keepdims = true, kind = "sum"} : (tensor<1x6x7xf32>) -> tensor<1x6x1xf32>
  %10 = "tcc.sub"(%w, %9) : (tensor<1x6x7xf32>, tensor<1x6x1xf32>) -> tensor<1x6x7xf32>
  %11 = "tcc.arg_reduce"(%10) {axis = 2 : i64, keepdims = false, kind = "max", last = false} : (tensor<1x6x7xf32>) -> tensor<1x6xi64>
  return %3, %2, %4, %5, %6, %8, %11, %9 : tensor<5x1x7xf32>, tensor<5x1x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<5x1xi64>, tensor<5x1x7xf32>, tensor<1x6xi64>, tensor<1x6x1xf32>
}
