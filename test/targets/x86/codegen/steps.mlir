// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=N=11 --save=%t && tcc-run %s --random=1 --dim=N=11 --data=%t --check
// RUN: tcc-run %s --random=1 --dim=N=11 --data=%t --check --target=x86,avx2 --threads=2
// RUN: tcc-translate --to-llvm --target=x86,avx2 %s | FileCheck %s --check-prefix=APART --implicit-check-not=gather
// RUN: tcc-translate --to-llvm --target=x86,avx512 %s | FileCheck %s --check-prefix=TOGETHER
// REQUIRES: avx2

// Elements at even steps, known or not: LLVM makes single loads of a gather where AVX-512 lacks, at addresses that it puts into vectors first.
// Of the last four columns of 20 there are four loads.
// APART-COUNT-12: llvm.insertelement
// TOGETHER: gather
func.func private @k0(%x: tensor<20x12xi64>, %y: tensor<12x20xi64>) -> tensor<12x20xi64> attributes {tcc.kernel = "map"} {
  %0 = "tcc.transpose"(%x) {perm = array<i64: 1, 0>} : (tensor<20x12xi64>) -> tensor<12x20xi64>
  %1 = "tcc.add"(%0, %y) : (tensor<12x20xi64>, tensor<12x20xi64>) -> tensor<12x20xi64>
  return %1 : tensor<12x20xi64>
}
func.func private @k1(%x: tensor<48x?xf32, [48, "N"]>) -> tensor<?xf32, ["N"]> attributes {tcc.kernel = "row"} {
  %0 = "tcc.mul"(%x, %x) : (tensor<48x?xf32, [48, "N"]>, tensor<48x?xf32, [48, "N"]>) -> tensor<48x?xf32, [48, "N"]>
  %1 = "tcc.transpose"(%0) {perm = array<i64: 1, 0>} : (tensor<48x?xf32, [48, "N"]>) -> tensor<?x48xf32, ["N", 48]>
  %2 = "tcc.reduce"(%1) {kind = "sum", axes = array<i64: 1>, keepdims = false} : (tensor<?x48xf32, ["N", 48]>) -> tensor<?xf32, ["N"]>
  return %2 : tensor<?xf32, ["N"]>
}
func.func @main(%x: tensor<20x12xi64>, %y: tensor<12x20xi64>, %z: tensor<48x?xf32, [48, "N"]>) -> (tensor<12x20xi64>, tensor<?xf32, ["N"]>) {
  %0 = call @k0(%x, %y) : (tensor<20x12xi64>, tensor<12x20xi64>) -> tensor<12x20xi64>
  %1 = call @k1(%z) : (tensor<48x?xf32, [48, "N"]>) -> tensor<?xf32, ["N"]>
  return %0, %1 : tensor<12x20xi64>, tensor<?xf32, ["N"]>
}
