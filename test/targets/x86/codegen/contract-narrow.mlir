// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=1 --save=%t && tcc-run %s --target=reference --random=1 --dim=M=1 --data=%t --check --rtol=1e-2 --atol=1e-2
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=2 --save=%t && tcc-run %s --target=reference --random=1 --dim=M=2 --data=%t --check --rtol=1e-2 --atol=1e-2
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=9 --save=%t && tcc-run %s --target=reference --random=1 --dim=M=9 --data=%t --check --rtol=1e-2 --atol=1e-2
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=17 --save=%t && tcc-run %s --target=reference --random=1 --dim=M=17 --data=%t --check --rtol=1e-2 --atol=1e-2
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=130 --save=%t && tcc-run %s --target=reference --random=1 --dim=M=130 --data=%t --check --rtol=1e-2 --atol=1e-2
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=17 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --dim=M=17 --data=%t --check --rtol=1e-2 --atol=1e-2
// RUN: tcc-opt --pipeline=default %s --target=x86,avx512 | FileCheck %s
// REQUIRES: avx2

// Weights of 16 bits are packed in 16 bits: panels are widened before rows meet them, single rows widen as they read.
// CHECK: func.func private @pack0(%{{.*}}: tensor<165x131xf16>) -> tensor<1x{{.*}}xf16>
func.func @main(%x0: tensor<?x165xf16, ["M", 165]>) -> (tensor<?x131xf16, ["M", 131]>, tensor<?x70xf16, ["M", 70]>) {
  %1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<165x131xi64>
  %2 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %3 = "tcc.mul"(%1, %2) : (tensor<165x131xi64>, tensor<i64>) -> tensor<165x131xi64>
  %4 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<165x131xi64>
  %5 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %6 = "tcc.mul"(%4, %5) : (tensor<165x131xi64>, tensor<i64>) -> tensor<165x131xi64>
  %7 = "tcc.add"(%3, %6) : (tensor<165x131xi64>, tensor<165x131xi64>) -> tensor<165x131xi64>
  %8 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %9 = "tcc.mod"(%7, %8) : (tensor<165x131xi64>, tensor<i64>) -> tensor<165x131xi64>
  %10 = "tcc.constant"() {value = dense<6> : tensor<i64>} : () -> tensor<i64>
  %11 = "tcc.sub"(%9, %10) : (tensor<165x131xi64>, tensor<i64>) -> tensor<165x131xi64>
  %12 = "tcc.convert"(%11) {saturate = true} : (tensor<165x131xi64>) -> tensor<165x131xf16>
  %13 = "tcc.dot_general"(%x0, %12) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x165xf16, ["M", 165]>, tensor<165x131xf16>) -> tensor<?x131xf16, ["M", 131]>
  %14 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<70x165xi64>
  %15 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %16 = "tcc.mul"(%14, %15) : (tensor<70x165xi64>, tensor<i64>) -> tensor<70x165xi64>
  %17 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<70x165xi64>
  %18 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %19 = "tcc.mul"(%17, %18) : (tensor<70x165xi64>, tensor<i64>) -> tensor<70x165xi64>
  %20 = "tcc.add"(%16, %19) : (tensor<70x165xi64>, tensor<70x165xi64>) -> tensor<70x165xi64>
  %21 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %22 = "tcc.mod"(%20, %21) : (tensor<70x165xi64>, tensor<i64>) -> tensor<70x165xi64>
  %23 = "tcc.constant"() {value = dense<6> : tensor<i64>} : () -> tensor<i64>
  %24 = "tcc.sub"(%22, %23) : (tensor<70x165xi64>, tensor<i64>) -> tensor<70x165xi64>
  %25 = "tcc.convert"(%24) {saturate = true} : (tensor<70x165xi64>) -> tensor<70x165xf16>
  %26 = "tcc.dot_general"(%x0, %25) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<?x165xf16, ["M", 165]>, tensor<70x165xf16>) -> tensor<?x70xf16, ["M", 70]>
  return %13, %26 : tensor<?x131xf16, ["M", 131]>, tensor<?x70xf16, ["M", 70]>
}
