// Two kernels that differ in integers of the model, which may be 2^63 and more, are one that reads them from its sizes; a number that is divided there is no index, whose
// divisor, where it is told, becomes a reciprocal.
// RUN: tcc-compile %s --target=x86,avx2,cores=1 --no-cache -o %t.so && llvm-nm -D %t.so | grep -c " k_" | FileCheck %s
// RUN: tcc-run %s --target=x86,avx2 --random=1 --compare=interp
// RUN: rm -rf %t.d && tcc-run %s --target=x86,avx2 --random=1 --save=%t.d && tcc-run %s --target=reference --random=1 --data=%t.d --check
// REQUIRES: avx2
// CHECK: {{^ *1$}}
func.func @main(%x: tensor<4x64xui64>, %y: tensor<3x256xui64>) -> (tensor<4xui64>, tensor<3xui64>) {
  %c = "tcc.constant"() {value = dense<18446744073709550000> : tensor<ui64>} : () -> tensor<ui64>
  %3 = "tcc.constant"() {value = dense<3> : tensor<ui64>} : () -> tensor<ui64>
  %5 = "tcc.constant"() {value = dense<7> : tensor<ui64>} : () -> tensor<ui64>
  %s = "tcc.reduce"(%x) {kind = "sum", axes = array<i64: 1>, keepdims = false} : (tensor<4x64xui64>) -> tensor<4xui64>
  %t = "tcc.add"(%s, %c) : (tensor<4xui64>, tensor<ui64>) -> tensor<4xui64>
  %u = "tcc.div"(%t, %3) : (tensor<4xui64>, tensor<ui64>) -> tensor<4xui64>
  %v = "tcc.reduce"(%y) {kind = "sum", axes = array<i64: 1>, keepdims = false} : (tensor<3x256xui64>) -> tensor<3xui64>
  %w = "tcc.add"(%v, %c) : (tensor<3xui64>, tensor<ui64>) -> tensor<3xui64>
  %z = "tcc.div"(%w, %5) : (tensor<3xui64>, tensor<ui64>) -> tensor<3xui64>
  return %u, %z : tensor<4xui64>, tensor<3xui64>
}
