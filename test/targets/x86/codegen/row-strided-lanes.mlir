// RUN: tcc-explain %s --no-cache --target=x86,avx2 | FileCheck %s
// RUN: rm -rf %t && tcc-run %s --target=x86 --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-5 --atol=1e-5
// REQUIRES: avx2

// A norm over tokens of channels that lie side by side, stored with tokens side by side: the operand is read twice and the result written once, so that
// lanes are channels.
// CHECK: k0_reduce
// CHECK: along = rows
func.func @main(%a: tensor<1x50x96xf32>) -> tensor<1x3x32x50xf32> {
  %0 = "tcc.reshape"(%a) : (tensor<1x50x96xf32>) -> tensor<1x50x3x32xf32>
  %1 = "tcc.transpose"(%0) {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x50x3x32xf32>) -> tensor<1x3x32x50xf32>
  %2 = "tcc.mul"(%1, %1) : (tensor<1x3x32x50xf32>, tensor<1x3x32x50xf32>) -> tensor<1x3x32x50xf32>
  %3 = "tcc.reduce"(%2) {axes = array<i64: 3>, keepdims = true, kind = "sum"} : (tensor<1x3x32x50xf32>) -> tensor<1x3x32x1xf32>
  %4 = "tcc.sqrt"(%3) : (tensor<1x3x32x1xf32>) -> tensor<1x3x32x1xf32>
  %5 = "tcc.div"(%1, %4) : (tensor<1x3x32x50xf32>, tensor<1x3x32x1xf32>) -> tensor<1x3x32x50xf32>
  func.return %5 : tensor<1x3x32x50xf32>
}
