// RUN: rm -rf %t && tcc-run %s --save=%t && tcc-interp %s --data=%t --check
// RUN: rm -rf %t && tcc-run %s --target=x86,avx2 --save=%t && tcc-interp %s --data=%t --check
// RUN: rm -rf %t && tcc-run %s --target=reference --save=%t && tcc-interp %s --data=%t --check
// RUN: tcc-compile %s -o %t.so && llvm-nm -D --undefined-only %t.so | FileCheck %s --allow-empty --implicit-check-not=U
// RUN: tcc-compile %s --target=x86,avx2 -o %t.so && llvm-nm -D --undefined-only %t.so | FileCheck %s --allow-empty --implicit-check-not=U
// REQUIRES: avx2

// bf16 and f16 against the interpreter. Their conversions are library calls in LLVM unless written otherwise: kernels call nothing.
func.func @main() -> (tensor<9x19xbf16>, tensor<9x19xbf16>, tensor<9x19xbf16>, tensor<9x19xbf16>, tensor<9x19xbf16>, tensor<9x19xf64>, tensor<9x19xi8>, tensor<9x19xi1>, tensor<9x19xf16>, tensor<9x19xbf16>, tensor<9x19xbf16>, tensor<19xbf16>, tensor<9x19xbf16>, tensor<9x19xf16>, tensor<9x19xf16>, tensor<9x19xf16>, tensor<9x19xf16>, tensor<9x19xf16>, tensor<9x19xf64>, tensor<9x19xi8>, tensor<9x19xi1>, tensor<9x19xbf16>, tensor<9x19xf16>, tensor<9x19xf16>, tensor<19xf16>, tensor<9x19xf16>) {
  %1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<9x19xi64>
  %2 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %3 = "tcc.sub"(%1, %2) : (tensor<9x19xi64>, tensor<i64>) -> tensor<9x19xi64>
  %4 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<9x19xi64>
  %5 = "tcc.convert"(%3) {saturate = true} : (tensor<9x19xi64>) -> tensor<9x19xbf16>
  %6 = "tcc.convert"(%4) {saturate = true} : (tensor<9x19xi64>) -> tensor<9x19xbf16>
  %7 = "tcc.mul"(%5, %6) : (tensor<9x19xbf16>, tensor<9x19xbf16>) -> tensor<9x19xbf16>
  %8 = "tcc.constant"() {value = dense<0.125> : tensor<bf16>} : () -> tensor<bf16>
  %9 = "tcc.mul"(%7, %8) : (tensor<9x19xbf16>, tensor<bf16>) -> tensor<9x19xbf16>
  %10 = "tcc.tanh"(%9) : (tensor<9x19xbf16>) -> tensor<9x19xbf16>
  %11 = "tcc.sin"(%9) : (tensor<9x19xbf16>) -> tensor<9x19xbf16>
  %12 = "tcc.atan"(%9) : (tensor<9x19xbf16>) -> tensor<9x19xbf16>
  %13 = "tcc.floor"(%9) : (tensor<9x19xbf16>) -> tensor<9x19xbf16>
  %14 = "tcc.constant"() {value = dense<0.75> : tensor<bf16>} : () -> tensor<bf16>
  %15 = "tcc.fmod"(%9, %14) : (tensor<9x19xbf16>, tensor<bf16>) -> tensor<9x19xbf16>
  %16 = "tcc.convert"(%9) {saturate = true} : (tensor<9x19xbf16>) -> tensor<9x19xf64>
  %17 = "tcc.convert"(%9) {saturate = true} : (tensor<9x19xbf16>) -> tensor<9x19xi8>
  %18 = "tcc.convert"(%9) {saturate = true} : (tensor<9x19xbf16>) -> tensor<9x19xi1>
  %19 = "tcc.convert"(%9) {saturate = true} : (tensor<9x19xbf16>) -> tensor<9x19xf16>
  %20 = "tcc.convert"(%9) {saturate = true} : (tensor<9x19xbf16>) -> tensor<9x19xf64>
  %21 = "tcc.convert"(%20) {saturate = true} : (tensor<9x19xf64>) -> tensor<9x19xbf16>
  %22 = "tcc.softmax"(%9) {axis = 1 : i64} : (tensor<9x19xbf16>) -> tensor<9x19xbf16>
  %23 = "tcc.reduce"(%9) {kind = "max", axes = array<i64: 0>, keepdims = false} : (tensor<9x19xbf16>) -> tensor<19xbf16>
  %24 = "tcc.cumulative"(%9) {kind = "sum", axis = 1 : i64, exclusive = false, reverse = false} : (tensor<9x19xbf16>) -> tensor<9x19xbf16>
  %25 = "tcc.convert"(%3) {saturate = true} : (tensor<9x19xi64>) -> tensor<9x19xf16>
  %26 = "tcc.convert"(%4) {saturate = true} : (tensor<9x19xi64>) -> tensor<9x19xf16>
  %27 = "tcc.mul"(%25, %26) : (tensor<9x19xf16>, tensor<9x19xf16>) -> tensor<9x19xf16>
  %28 = "tcc.constant"() {value = dense<0.125> : tensor<f16>} : () -> tensor<f16>
  %29 = "tcc.mul"(%27, %28) : (tensor<9x19xf16>, tensor<f16>) -> tensor<9x19xf16>
  %30 = "tcc.tanh"(%29) : (tensor<9x19xf16>) -> tensor<9x19xf16>
  %31 = "tcc.sin"(%29) : (tensor<9x19xf16>) -> tensor<9x19xf16>
  %32 = "tcc.atan"(%29) : (tensor<9x19xf16>) -> tensor<9x19xf16>
  %33 = "tcc.floor"(%29) : (tensor<9x19xf16>) -> tensor<9x19xf16>
  %34 = "tcc.constant"() {value = dense<0.75> : tensor<f16>} : () -> tensor<f16>
  %35 = "tcc.fmod"(%29, %34) : (tensor<9x19xf16>, tensor<f16>) -> tensor<9x19xf16>
  %36 = "tcc.convert"(%29) {saturate = true} : (tensor<9x19xf16>) -> tensor<9x19xf64>
  %37 = "tcc.convert"(%29) {saturate = true} : (tensor<9x19xf16>) -> tensor<9x19xi8>
  %38 = "tcc.convert"(%29) {saturate = true} : (tensor<9x19xf16>) -> tensor<9x19xi1>
  %39 = "tcc.convert"(%29) {saturate = true} : (tensor<9x19xf16>) -> tensor<9x19xbf16>
  %40 = "tcc.convert"(%29) {saturate = true} : (tensor<9x19xf16>) -> tensor<9x19xf64>
  %41 = "tcc.convert"(%40) {saturate = true} : (tensor<9x19xf64>) -> tensor<9x19xf16>
  %42 = "tcc.softmax"(%29) {axis = 1 : i64} : (tensor<9x19xf16>) -> tensor<9x19xf16>
  %43 = "tcc.reduce"(%29) {kind = "max", axes = array<i64: 0>, keepdims = false} : (tensor<9x19xf16>) -> tensor<19xf16>
  %44 = "tcc.cumulative"(%29) {kind = "sum", axis = 1 : i64, exclusive = false, reverse = false} : (tensor<9x19xf16>) -> tensor<9x19xf16>
  return %10, %11, %12, %13, %15, %16, %17, %18, %19, %21, %22, %23, %24, %30, %31, %32, %33, %35, %36, %37, %38, %39, %41, %42, %43, %44 : tensor<9x19xbf16>, tensor<9x19xbf16>, tensor<9x19xbf16>, tensor<9x19xbf16>, tensor<9x19xbf16>, tensor<9x19xf64>, tensor<9x19xi8>, tensor<9x19xi1>, tensor<9x19xf16>, tensor<9x19xbf16>, tensor<9x19xbf16>, tensor<19xbf16>, tensor<9x19xbf16>, tensor<9x19xf16>, tensor<9x19xf16>, tensor<9x19xf16>, tensor<9x19xf16>, tensor<9x19xf16>, tensor<9x19xf64>, tensor<9x19xi8>, tensor<9x19xi1>, tensor<9x19xbf16>, tensor<9x19xf16>, tensor<9x19xf16>, tensor<19xf16>, tensor<9x19xf16>
}
