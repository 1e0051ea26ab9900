// RUN: rm -rf %t && tcc-run %s --no-cache --save=%t && tcc-interp %s --data=%t --check
// RUN: rm -rf %t && tcc-run %s --no-cache --target=x86,avx2 --save=%t && tcc-interp %s --data=%t --check
// RUN: tcc-explain %s --no-cache | FileCheck %s
// REQUIRES: avx2

// Right operands of 16 bits are read in 16 bits and widened on the way, against the interpreter; all sums are exact.
// CHECK-COUNT-4: by x86.gemv
func.func @main() -> (tensor<2x129xbf16>, tensor<2x31xbf16>, tensor<2x129xf16>, tensor<2x31xf16>) {
  %1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<2x165xi64>
  %2 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %3 = "tcc.mul"(%1, %2) : (tensor<2x165xi64>, tensor<i64>) -> tensor<2x165xi64>
  %4 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<2x165xi64>
  %5 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %6 = "tcc.mul"(%4, %5) : (tensor<2x165xi64>, tensor<i64>) -> tensor<2x165xi64>
  %7 = "tcc.add"(%3, %6) : (tensor<2x165xi64>, tensor<2x165xi64>) -> tensor<2x165xi64>
  %8 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %9 = "tcc.mod"(%7, %8) : (tensor<2x165xi64>, tensor<i64>) -> tensor<2x165xi64>
  %10 = "tcc.constant"() {value = dense<6> : tensor<i64>} : () -> tensor<i64>
  %11 = "tcc.sub"(%9, %10) : (tensor<2x165xi64>, tensor<i64>) -> tensor<2x165xi64>
  %12 = "tcc.convert"(%11) {saturate = true} : (tensor<2x165xi64>) -> tensor<2x165xbf16>
  %13 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<165x129xi64>
  %14 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %15 = "tcc.mul"(%13, %14) : (tensor<165x129xi64>, tensor<i64>) -> tensor<165x129xi64>
  %16 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<165x129xi64>
  %17 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %18 = "tcc.mul"(%16, %17) : (tensor<165x129xi64>, tensor<i64>) -> tensor<165x129xi64>
  %19 = "tcc.add"(%15, %18) : (tensor<165x129xi64>, tensor<165x129xi64>) -> tensor<165x129xi64>
  %20 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %21 = "tcc.mod"(%19, %20) : (tensor<165x129xi64>, tensor<i64>) -> tensor<165x129xi64>
  %22 = "tcc.constant"() {value = dense<6> : tensor<i64>} : () -> tensor<i64>
  %23 = "tcc.sub"(%21, %22) : (tensor<165x129xi64>, tensor<i64>) -> tensor<165x129xi64>
  %24 = "tcc.convert"(%23) {saturate = true} : (tensor<165x129xi64>) -> tensor<165x129xbf16>
  %25 = "tcc.dot_general"(%12, %24) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x165xbf16>, tensor<165x129xbf16>) -> tensor<2x129xbf16>
  %26 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<31x165xi64>
  %27 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %28 = "tcc.mul"(%26, %27) : (tensor<31x165xi64>, tensor<i64>) -> tensor<31x165xi64>
  %29 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<31x165xi64>
  %30 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %31 = "tcc.mul"(%29, %30) : (tensor<31x165xi64>, tensor<i64>) -> tensor<31x165xi64>
  %32 = "tcc.add"(%28, %31) : (tensor<31x165xi64>, tensor<31x165xi64>) -> tensor<31x165xi64>
  %33 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %34 = "tcc.mod"(%32, %33) : (tensor<31x165xi64>, tensor<i64>) -> tensor<31x165xi64>
  %35 = "tcc.constant"() {value = dense<6> : tensor<i64>} : () -> tensor<i64>
  %36 = "tcc.sub"(%34, %35) : (tensor<31x165xi64>, tensor<i64>) -> tensor<31x165xi64>
  %37 = "tcc.convert"(%36) {saturate = true} : (tensor<31x165xi64>) -> tensor<31x165xbf16>
  %38 = "tcc.dot_general"(%12, %37) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<2x165xbf16>, tensor<31x165xbf16>) -> tensor<2x31xbf16>
  %39 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<2x165xi64>
  %40 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %41 = "tcc.mul"(%39, %40) : (tensor<2x165xi64>, tensor<i64>) -> tensor<2x165xi64>
  %42 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<2x165xi64>
  %43 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %44 = "tcc.mul"(%42, %43) : (tensor<2x165xi64>, tensor<i64>) -> tensor<2x165xi64>
  %45 = "tcc.add"(%41, %44) : (tensor<2x165xi64>, tensor<2x165xi64>) -> tensor<2x165xi64>
  %46 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %47 = "tcc.mod"(%45, %46) : (tensor<2x165xi64>, tensor<i64>) -> tensor<2x165xi64>
  %48 = "tcc.constant"() {value = dense<6> : tensor<i64>} : () -> tensor<i64>
  %49 = "tcc.sub"(%47, %48) : (tensor<2x165xi64>, tensor<i64>) -> tensor<2x165xi64>
  %50 = "tcc.convert"(%49) {saturate = true} : (tensor<2x165xi64>) -> tensor<2x165xf16>
  %51 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<165x129xi64>
  %52 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %53 = "tcc.mul"(%51, %52) : (tensor<165x129xi64>, tensor<i64>) -> tensor<165x129xi64>
  %54 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<165x129xi64>
  %55 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %56 = "tcc.mul"(%54, %55) : (tensor<165x129xi64>, tensor<i64>) -> tensor<165x129xi64>
  %57 = "tcc.add"(%53, %56) : (tensor<165x129xi64>, tensor<165x129xi64>) -> tensor<165x129xi64>
  %58 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %59 = "tcc.mod"(%57, %58) : (tensor<165x129xi64>, tensor<i64>) -> tensor<165x129xi64>
  %60 = "tcc.constant"() {value = dense<6> : tensor<i64>} : () -> tensor<i64>
  %61 = "tcc.sub"(%59, %60) : (tensor<165x129xi64>, tensor<i64>) -> tensor<165x129xi64>
  %62 = "tcc.convert"(%61) {saturate = true} : (tensor<165x129xi64>) -> tensor<165x129xf16>
  %63 = "tcc.dot_general"(%50, %62) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x165xf16>, tensor<165x129xf16>) -> tensor<2x129xf16>
  %64 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<31x165xi64>
  %65 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %66 = "tcc.mul"(%64, %65) : (tensor<31x165xi64>, tensor<i64>) -> tensor<31x165xi64>
  %67 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<31x165xi64>
  %68 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %69 = "tcc.mul"(%67, %68) : (tensor<31x165xi64>, tensor<i64>) -> tensor<31x165xi64>
  %70 = "tcc.add"(%66, %69) : (tensor<31x165xi64>, tensor<31x165xi64>) -> tensor<31x165xi64>
  %71 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %72 = "tcc.mod"(%70, %71) : (tensor<31x165xi64>, tensor<i64>) -> tensor<31x165xi64>
  %73 = "tcc.constant"() {value = dense<6> : tensor<i64>} : () -> tensor<i64>
  %74 = "tcc.sub"(%72, %73) : (tensor<31x165xi64>, tensor<i64>) -> tensor<31x165xi64>
  %75 = "tcc.convert"(%74) {saturate = true} : (tensor<31x165xi64>) -> tensor<31x165xf16>
  %76 = "tcc.dot_general"(%50, %75) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<2x165xf16>, tensor<31x165xf16>) -> tensor<2x31xf16>
  return %25, %38, %63, %76 : tensor<2x129xbf16>, tensor<2x31xbf16>, tensor<2x129xf16>, tensor<2x31xf16>
}
