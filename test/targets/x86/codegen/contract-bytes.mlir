// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=1 --save=%t && tcc-run %s --target=reference --random=1 --dim=M=1 --data=%t --check --rtol=0 --atol=0
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=3 --save=%t && tcc-run %s --target=reference --random=1 --dim=M=3 --data=%t --check --rtol=0 --atol=0
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=17 --save=%t && tcc-run %s --target=reference --random=1 --dim=M=17 --data=%t --check --rtol=0 --atol=0
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=130 --save=%t && tcc-run %s --target=reference --random=1 --dim=M=130 --data=%t --check --rtol=0 --atol=0
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=17 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --dim=M=17 --data=%t --check --rtol=0 --atol=0
// RUN: tcc-opt --pipeline=default --target=x86,cascadelake %s | FileCheck %s
// RUN: tcc-opt --pipeline=default --target=x86,cascadelake %s | tcc-translate --target=x86,cascadelake --to-asm | FileCheck %s --check-prefix=ASM
// REQUIRES: avx2

// Unsigned times signed bytes, exactly: packed in the call and ahead, whole words of four and not, rows from one to many;
// four bytes a word where the machine has vpdpbusd.
// CHECK: tcc.pack = array<i64: {{[0-9]+}}, 4>
// ASM: vpdpbusd
func.func @main(%x0: tensor<?x131xui8, ["M", 131]>, %x1: tensor<131x70xi8>, %x2: tensor<53x131xi8>) -> (tensor<?x70xi32, ["M", 70]>, tensor<?x70xi32, ["M", 70]>, tensor<?x53xi32, ["M", 53]>, tensor<?x53xi32, ["M", 53]>) {
  %1 = "tcc.dot_general"(%x0, %x1) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x131xui8, ["M", 131]>, tensor<131x70xi8>) -> tensor<?x70xi32, ["M", 70]>
  %2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<131x70xi64>
  %3 = "tcc.constant"() {value = dense<37> : tensor<i64>} : () -> tensor<i64>
  %4 = "tcc.mul"(%2, %3) : (tensor<131x70xi64>, tensor<i64>) -> tensor<131x70xi64>
  %5 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<131x70xi64>
  %6 = "tcc.constant"() {value = dense<91> : tensor<i64>} : () -> tensor<i64>
  %7 = "tcc.mul"(%5, %6) : (tensor<131x70xi64>, tensor<i64>) -> tensor<131x70xi64>
  %8 = "tcc.add"(%4, %7) : (tensor<131x70xi64>, tensor<131x70xi64>) -> tensor<131x70xi64>
  %9 = "tcc.constant"() {value = dense<255> : tensor<i64>} : () -> tensor<i64>
  %10 = "tcc.mod"(%8, %9) : (tensor<131x70xi64>, tensor<i64>) -> tensor<131x70xi64>
  %11 = "tcc.constant"() {value = dense<127> : tensor<i64>} : () -> tensor<i64>
  %12 = "tcc.sub"(%10, %11) : (tensor<131x70xi64>, tensor<i64>) -> tensor<131x70xi64>
  %13 = "tcc.convert"(%12) {saturate = true} : (tensor<131x70xi64>) -> tensor<131x70xi8>
  %14 = "tcc.dot_general"(%x0, %13) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x131xui8, ["M", 131]>, tensor<131x70xi8>) -> tensor<?x70xi32, ["M", 70]>
  %15 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<1x70xi64>
  %16 = "tcc.constant"() {value = dense<37> : tensor<i64>} : () -> tensor<i64>
  %17 = "tcc.mul"(%15, %16) : (tensor<1x70xi64>, tensor<i64>) -> tensor<1x70xi64>
  %18 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<1x70xi64>
  %19 = "tcc.constant"() {value = dense<91> : tensor<i64>} : () -> tensor<i64>
  %20 = "tcc.mul"(%18, %19) : (tensor<1x70xi64>, tensor<i64>) -> tensor<1x70xi64>
  %21 = "tcc.add"(%17, %20) : (tensor<1x70xi64>, tensor<1x70xi64>) -> tensor<1x70xi64>
  %22 = "tcc.constant"() {value = dense<255> : tensor<i64>} : () -> tensor<i64>
  %23 = "tcc.mod"(%21, %22) : (tensor<1x70xi64>, tensor<i64>) -> tensor<1x70xi64>
  %24 = "tcc.constant"() {value = dense<127> : tensor<i64>} : () -> tensor<i64>
  %25 = "tcc.sub"(%23, %24) : (tensor<1x70xi64>, tensor<i64>) -> tensor<1x70xi64>
  %26 = "tcc.convert"(%25) {saturate = true} : (tensor<1x70xi64>) -> tensor<1x70xi32>
  %27 = "tcc.sub"(%14, %26) : (tensor<?x70xi32, ["M", 70]>, tensor<1x70xi32>) -> tensor<?x70xi32, ["M", 70]>
  %28 = "tcc.dot_general"(%x0, %x2) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<?x131xui8, ["M", 131]>, tensor<53x131xi8>) -> tensor<?x53xi32, ["M", 53]>
  %29 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<53x131xi64>
  %30 = "tcc.constant"() {value = dense<37> : tensor<i64>} : () -> tensor<i64>
  %31 = "tcc.mul"(%29, %30) : (tensor<53x131xi64>, tensor<i64>) -> tensor<53x131xi64>
  %32 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<53x131xi64>
  %33 = "tcc.constant"() {value = dense<91> : tensor<i64>} : () -> tensor<i64>
  %34 = "tcc.mul"(%32, %33) : (tensor<53x131xi64>, tensor<i64>) -> tensor<53x131xi64>
  %35 = "tcc.add"(%31, %34) : (tensor<53x131xi64>, tensor<53x131xi64>) -> tensor<53x131xi64>
  %36 = "tcc.constant"() {value = dense<255> : tensor<i64>} : () -> tensor<i64>
  %37 = "tcc.mod"(%35, %36) : (tensor<53x131xi64>, tensor<i64>) -> tensor<53x131xi64>
  %38 = "tcc.constant"() {value = dense<127> : tensor<i64>} : () -> tensor<i64>
  %39 = "tcc.sub"(%37, %38) : (tensor<53x131xi64>, tensor<i64>) -> tensor<53x131xi64>
  %40 = "tcc.convert"(%39) {saturate = true} : (tensor<53x131xi64>) -> tensor<53x131xi8>
  %41 = "tcc.dot_general"(%x0, %40) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<?x131xui8, ["M", 131]>, tensor<53x131xi8>) -> tensor<?x53xi32, ["M", 53]>
  %42 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<1x53xi64>
  %43 = "tcc.constant"() {value = dense<37> : tensor<i64>} : () -> tensor<i64>
  %44 = "tcc.mul"(%42, %43) : (tensor<1x53xi64>, tensor<i64>) -> tensor<1x53xi64>
  %45 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<1x53xi64>
  %46 = "tcc.constant"() {value = dense<91> : tensor<i64>} : () -> tensor<i64>
  %47 = "tcc.mul"(%45, %46) : (tensor<1x53xi64>, tensor<i64>) -> tensor<1x53xi64>
  %48 = "tcc.add"(%44, %47) : (tensor<1x53xi64>, tensor<1x53xi64>) -> tensor<1x53xi64>
  %49 = "tcc.constant"() {value = dense<255> : tensor<i64>} : () -> tensor<i64>
  %50 = "tcc.mod"(%48, %49) : (tensor<1x53xi64>, tensor<i64>) -> tensor<1x53xi64>
  %51 = "tcc.constant"() {value = dense<127> : tensor<i64>} : () -> tensor<i64>
  %52 = "tcc.sub"(%50, %51) : (tensor<1x53xi64>, tensor<i64>) -> tensor<1x53xi64>
  %53 = "tcc.convert"(%52) {saturate = true} : (tensor<1x53xi64>) -> tensor<1x53xi32>
  %54 = "tcc.sub"(%41, %53) : (tensor<?x53xi32, ["M", 53]>, tensor<1x53xi32>) -> tensor<?x53xi32, ["M", 53]>
  return %1, %27, %28, %54 : tensor<?x70xi32, ["M", 70]>, tensor<?x70xi32, ["M", 70]>, tensor<?x53xi32, ["M", 53]>, tensor<?x53xi32, ["M", 53]>
}
