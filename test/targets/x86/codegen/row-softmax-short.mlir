// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=1 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=1 --data=%t --check --rtol=1e-5 --atol=1e-7
// RUN: rm -rf %t && tcc-run %s --random=2 --dim=N=37 --save=%t && tcc-run %s --target=reference --random=2 --dim=N=37 --data=%t --check --rtol=1e-5 --atol=1e-7
// RUN: rm -rf %t && tcc-run %s --random=3 --dim=N=37 --save=%t --target=x86,avx2 && tcc-run %s --target=reference --random=3 --dim=N=37 --data=%t --check --rtol=1e-5 --atol=1e-7
// RUN: tcc-explain %s --no-cache --target=x86,avx512 | FileCheck %s
// REQUIRES: avx512

// Softmax of rows that registers hold (up to 128 columns: "held"), with and without a rest, and of longer ones; of scaled
// numbers, and of rows of the least number, which masks make: all of their elements weigh the same.
// CHECK-COUNT-7: held = 1
func.func @main(%x1: tensor<?x1xf32, ["N", 1]>, %x5: tensor<?x5xf32, ["N", 5]>, %x16: tensor<?x16xf32, ["N", 16]>, %x64: tensor<?x64xf32, ["N", 64]>, %x100: tensor<?x100xf32, ["N", 100]>, %x128: tensor<?x128xf32, ["N", 128]>, %x129: tensor<?x129xf32, ["N", 129]>) -> (tensor<?x1xf32, ["N", 1]>, tensor<?x5xf32, ["N", 5]>, tensor<?x16xf32, ["N", 16]>, tensor<?x64xf32, ["N", 64]>, tensor<?x100xf32, ["N", 100]>, tensor<?x128xf32, ["N", 128]>, tensor<?x129xf32, ["N", 129]>, tensor<?x100xf32, ["N", 100]>, tensor<?x129xf32, ["N", 129]>, tensor<?x100xf32, ["N", 100]>, tensor<?x129xf32, ["N", 129]>) {
  %s1 = "tcc.softmax"(%x1) {axis = 1 : i64} : (tensor<?x1xf32, ["N", 1]>) -> tensor<?x1xf32, ["N", 1]>
  %s5 = "tcc.softmax"(%x5) {axis = 1 : i64} : (tensor<?x5xf32, ["N", 5]>) -> tensor<?x5xf32, ["N", 5]>
  %s16 = "tcc.softmax"(%x16) {axis = 1 : i64} : (tensor<?x16xf32, ["N", 16]>) -> tensor<?x16xf32, ["N", 16]>
  %s64 = "tcc.softmax"(%x64) {axis = 1 : i64} : (tensor<?x64xf32, ["N", 64]>) -> tensor<?x64xf32, ["N", 64]>
  %s100 = "tcc.softmax"(%x100) {axis = 1 : i64} : (tensor<?x100xf32, ["N", 100]>) -> tensor<?x100xf32, ["N", 100]>
  %s128 = "tcc.softmax"(%x128) {axis = 1 : i64} : (tensor<?x128xf32, ["N", 128]>) -> tensor<?x128xf32, ["N", 128]>
  %s129 = "tcc.softmax"(%x129) {axis = 1 : i64} : (tensor<?x129xf32, ["N", 129]>) -> tensor<?x129xf32, ["N", 129]>
  %ce4_100 = "tcc.constant"() {value = dense<1.0e2> : tensor<f32>} : () -> tensor<f32>
  %me4_100 = "tcc.mul"(%x100, %ce4_100) : (tensor<?x100xf32, ["N", 100]>, tensor<f32>) -> tensor<?x100xf32, ["N", 100]>
  %se4_100 = "tcc.softmax"(%me4_100) {axis = 1 : i64} : (tensor<?x100xf32, ["N", 100]>) -> tensor<?x100xf32, ["N", 100]>
  %ce4_129 = "tcc.constant"() {value = dense<1.0e2> : tensor<f32>} : () -> tensor<f32>
  %me4_129 = "tcc.mul"(%x129, %ce4_129) : (tensor<?x129xf32, ["N", 129]>, tensor<f32>) -> tensor<?x129xf32, ["N", 129]>
  %se4_129 = "tcc.softmax"(%me4_129) {axis = 1 : i64} : (tensor<?x129xf32, ["N", 129]>) -> tensor<?x129xf32, ["N", 129]>
  %low_100 = "tcc.constant"() {value = dense<-3.4028234663852886e+38> : tensor<f32>} : () -> tensor<f32>
  %all_100 = "tcc.add"(%x100, %low_100) : (tensor<?x100xf32, ["N", 100]>, tensor<f32>) -> tensor<?x100xf32, ["N", 100]>
  %slow_100 = "tcc.softmax"(%all_100) {axis = 1 : i64} : (tensor<?x100xf32, ["N", 100]>) -> tensor<?x100xf32, ["N", 100]>
  %low_129 = "tcc.constant"() {value = dense<-3.4028234663852886e+38> : tensor<f32>} : () -> tensor<f32>
  %all_129 = "tcc.add"(%x129, %low_129) : (tensor<?x129xf32, ["N", 129]>, tensor<f32>) -> tensor<?x129xf32, ["N", 129]>
  %slow_129 = "tcc.softmax"(%all_129) {axis = 1 : i64} : (tensor<?x129xf32, ["N", 129]>) -> tensor<?x129xf32, ["N", 129]>
  return %s1, %s5, %s16, %s64, %s100, %s128, %s129, %se4_100, %se4_129, %slow_100, %slow_129 : tensor<?x1xf32, ["N", 1]>, tensor<?x5xf32, ["N", 5]>, tensor<?x16xf32, ["N", 16]>, tensor<?x64xf32, ["N", 64]>, tensor<?x100xf32, ["N", 100]>, tensor<?x128xf32, ["N", 128]>, tensor<?x129xf32, ["N", 129]>, tensor<?x100xf32, ["N", 100]>, tensor<?x129xf32, ["N", 129]>, tensor<?x100xf32, ["N", 100]>, tensor<?x129xf32, ["N", 129]>
}
