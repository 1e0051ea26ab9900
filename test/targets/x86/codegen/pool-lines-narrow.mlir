// Rows of bytes and of halves go an axis at a time, too: bytes fill registers where the result is stored as it is, floats of 16 bits are converted. What is left of a
// row is its last vector again.
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=W=70 --threads=2 --save=%t && tcc-run %s --target=reference --random=1 --dim=W=70 --data=%t --check
// RUN: rm -rf %t && tcc-run %s --target=x86,haswell --random=1 --dim=W=9 --save=%t && tcc-run %s --target=reference --random=1 --dim=W=9 --data=%t --check
// RUN: tcc-opt --pipeline=default --target=x86,haswell %s | tcc-translate --to-llvm --target=x86,haswell | FileCheck %s
// REQUIRES: avx2
// CHECK-DAG: llvm.intr.umax{{.*}}vector<32xi8>
// CHECK-DAG: llvm.intr.smax{{.*}}vector<16xi8>
// CHECK-DAG: llvm.fpext {{.*}}vector<8xf16> to vector<8xf32>
func.func @main(%x: tensor<1x3x9x?xui8, [1, 3, 9, "W"]>, %y: tensor<2x2x10x21xi8>, %h: tensor<1x3x9x?xf16, [1, 3, 9, "W"]>)
    -> (tensor<1x3x5x?xui8, [1, 3, 5, "floordiv(W + 1, 2)"]>, tensor<2x2x5x10xi8>, tensor<1x3x9x?xf16, [1, 3, 9, "W"]>) {
  %0 = "tcc.pool"(%x) {kind = "max", kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x3x9x?xui8, [1, 3, 9, "W"]>) -> tensor<1x3x5x?xui8, [1, 3, 5, "floordiv(W + 1, 2)"]>
  %1 = "tcc.pool"(%y) {kind = "max", kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<2x2x10x21xi8>) -> tensor<2x2x5x10xi8>
  %2 = "tcc.pool"(%h) {kind = "avg", kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x3x9x?xf16, [1, 3, 9, "W"]>) -> tensor<1x3x9x?xf16, [1, 3, 9, "W"]>
  return %0, %1, %2 : tensor<1x3x5x?xui8, [1, 3, 5, "floordiv(W + 1, 2)"]>, tensor<2x2x5x10xi8>, tensor<1x3x9x?xf16, [1, 3, 9, "W"]>
}
