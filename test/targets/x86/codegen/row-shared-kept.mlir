// A softmax of a log_softmax along an axis that is not the last is one kernel of four reductions. The logarithm of a sum is dear and read by
// several of its loops, but all elements of a row share it: it is computed before each loop, not kept for each element.
// RUN: tcc-opt --pipeline=default --target=x86,x86-64-v4 %s | FileCheck %s
// RUN: tcc-run --target=x86,x86-64-v3 --random --compare=interp %s | FileCheck %s --check-prefix=RIGHT
// RUN: tcc-run --random --compare=interp %s | FileCheck %s --check-prefix=RIGHT
// CHECK: tcc.kernel = "row"
// CHECK-NOT: tcc.kernel
// CHECK: func.func @main
// RIGHT: ok: 1 kernel matches the interpreter
func.func @main(%x: tensor<16x3xf32>) -> tensor<16x3xf32> {
  %0 = "tcc.log_softmax"(%x) {axis = 0 : i64} : (tensor<16x3xf32>) -> tensor<16x3xf32>
  %1 = "tcc.softmax"(%0) {axis = 0 : i64} : (tensor<16x3xf32>) -> tensor<16x3xf32>
  return %1 : tensor<16x3xf32>
}
