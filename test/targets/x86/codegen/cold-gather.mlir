// RUN: tcc-translate --to-llvm --target=x86,avx2 %s | FileCheck %s --implicit-check-not="vector<"
// RUN: tcc-translate --to-llvm --target=x86,avx512 %s | FileCheck %s --check-prefix=TOGETHER
// RUN: tcc-run %s --target=x86,avx2 --random=1 --compare=interp
// REQUIRES: avx2

// Elements that a cold kernel picks are code for one of them where there is no gather.
// CHECK: llvm.func @k_
// TOGETHER: gather
func.func private @k0(%x: tensor<300xf32>, %i: tensor<40xi64>) -> tensor<40xf32> attributes {tcc.kernel = "map", tcc.cold} {
  %0 = "tcc.gather"(%x, %i) {axis = 0 : i64} : (tensor<300xf32>, tensor<40xi64>) -> tensor<40xf32>
  %1 = "tcc.neg"(%0) : (tensor<40xf32>) -> tensor<40xf32>
  return %1 : tensor<40xf32>
}
func.func @main(%x: tensor<300xf32>, %i: tensor<40xi64>) -> tensor<40xf32> {
  %0 = call @k0(%x, %i) : (tensor<300xf32>, tensor<40xi64>) -> tensor<40xf32>
  return %0 : tensor<40xf32>
}
