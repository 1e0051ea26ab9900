// A block of lines of a scan that has all of them is walked without masks, which would take more instructions than the sums.
// RUN: tcc-opt --pipeline=default --target=x86,avx2 %s | tcc-translate --to-llvm --target=x86,avx2 | FileCheck %s
// RUN: bash %S/Inputs/sizes.sh %s %t "1 9" 1e-6
// REQUIRES: avx2
// CHECK-NOT: masked
// CHECK: vector<32xf32>
// CHECK-NOT: masked
func.func @main(%a: tensor<?x64xf32, ["N", 64]>, %b: tensor<3x?x96xf32, [3, "N", 96]>) -> (tensor<?x64xf32, ["N", 64]>, tensor<3x?x96xf32, [3, "N", 96]>) {
  %0 = "tcc.cumulative"(%a) {kind = "sum", axis = 0 : i64, exclusive = false, reverse = false} : (tensor<?x64xf32, ["N", 64]>) -> tensor<?x64xf32, ["N", 64]>
  %1 = "tcc.cumulative"(%b) {kind = "prod", axis = 1 : i64, exclusive = true, reverse = true} : (tensor<3x?x96xf32, [3, "N", 96]>) -> tensor<3x?x96xf32, [3, "N", 96]>
  return %0, %1 : tensor<?x64xf32, ["N", 64]>, tensor<3x?x96xf32, [3, "N", 96]>
}
