// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=1 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=1 --data=%t --check
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=3 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=3 --data=%t --check
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=35 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=35 --data=%t --check
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=35 --save=%t --target=x86,avx2 && tcc-run %s --target=reference --random=1 --dim=N=35 --data=%t --check
// RUN: tcc-run %s --random --dim=N=2 --profile | FileCheck %s
// REQUIRES: avx2

// Gathers of whole rows, whose index all lanes share, and concatenations and pads that choose one side for a block of lanes.
// CHECK: x86.map
// CHECK-NOT: {{reference|loops}}
func.func @main(%x0: tensor<?xi64, ["N"]>, %x1: tensor<3x?xi32, [3, "N"]>, %x2: tensor<5x64xf32>, %x3: tensor<5x33xf32>, %x4: tensor<5x48xf16>, %x5: tensor<5x64xi8>, %x6: tensor<5x70xi8>, %x7: tensor<1xi64>, %x8: tensor<7x40xf32>, %x9: tensor<?x40xf32, ["N", 40]>, %x10: tensor<4x6x32xf32>, %x11: tensor<?x32xf32, ["N", 32]>, %x12: tensor<?x16xf32, ["N", 16]>, %x13: tensor<?x9xf32, ["N", 9]>, %x14: tensor<3x?x20xf32, [3, "N", 20]>, %x15: tensor<3x2x20xf32>, %x16: tensor<6x64xi8>, %x17: tensor<6x128xi8>, %x18: tensor<4x40xf32>) -> (tensor<?x64xf32, ["N", 64]>, tensor<?x33xf32, ["N", 33]>, tensor<?x48xf16, ["N", 48]>, tensor<?x64xi8, ["N", 64]>, tensor<?x70xi8, ["N", 70]>, tensor<?x40xf32, ["N", 40]>, tensor<4x3x?x32xf32, [4, 3, "N", 32]>, tensor<?xf32, ["N"]>, tensor<?x48xf32, ["N", 48]>, tensor<?x41xf32, ["N", 41]>, tensor<3x?x20xf32, [3, "N + 2", 20]>, tensor<3x?x20xf32, [3, "N + 2", 20]>, tensor<?x57xf32, ["N", 57]>, tensor<6x192xi8>, tensor<?x40xf32, ["N + 4", 40]>, tensor<?x40xf32, ["N + 4", 40]>, tensor<?x64xf32, ["N + 3", 64]>, tensor<?x39xf32, ["N", 39]>) {
  %1 = "tcc.gather"(%x2, %x0) {axis = 0 : i64} : (tensor<5x64xf32>, tensor<?xi64, ["N"]>) -> tensor<?x64xf32, ["N", 64]>
  %2 = "tcc.gather"(%x3, %x0) {axis = 0 : i64} : (tensor<5x33xf32>, tensor<?xi64, ["N"]>) -> tensor<?x33xf32, ["N", 33]>
  %3 = "tcc.gather"(%x4, %x0) {axis = 0 : i64} : (tensor<5x48xf16>, tensor<?xi64, ["N"]>) -> tensor<?x48xf16, ["N", 48]>
  %4 = "tcc.gather"(%x5, %x0) {axis = 0 : i64} : (tensor<5x64xi8>, tensor<?xi64, ["N"]>) -> tensor<?x64xi8, ["N", 64]>
  %5 = "tcc.gather"(%x6, %x0) {axis = 0 : i64} : (tensor<5x70xi8>, tensor<?xi64, ["N"]>) -> tensor<?x70xi8, ["N", 70]>
  %6 = "tcc.sub"(%x0, %x7) {} : (tensor<?xi64, ["N"]>, tensor<1xi64>) -> tensor<?xi64, ["N"]>
  %7 = "tcc.gather"(%x8, %6) {axis = 0 : i64} : (tensor<7x40xf32>, tensor<?xi64, ["N"]>) -> tensor<?x40xf32, ["N", 40]>
  %8 = "tcc.add"(%7, %x9) {} : (tensor<?x40xf32, ["N", 40]>, tensor<?x40xf32, ["N", 40]>) -> tensor<?x40xf32, ["N", 40]>
  %9 = "tcc.gather"(%x10, %x1) {axis = 1 : i64} : (tensor<4x6x32xf32>, tensor<3x?xi32, [3, "N"]>) -> tensor<4x3x?x32xf32, [4, 3, "N", 32]>
  %10 = "tcc.gather"(%x8, %x0) {axis = 0 : i64} : (tensor<7x40xf32>, tensor<?xi64, ["N"]>) -> tensor<?x40xf32, ["N", 40]>
  %11 = "tcc.reduce"(%10) {kind = "sum", axes = array<i64: 1>, keepdims = false} : (tensor<?x40xf32, ["N", 40]>) -> tensor<?xf32, ["N"]>
  %12 = "tcc.concat"(%x11, %x12) {axis = 1 : i64} : (tensor<?x32xf32, ["N", 32]>, tensor<?x16xf32, ["N", 16]>) -> tensor<?x48xf32, ["N", 48]>
  %13 = "tcc.concat"(%x11, %x13) {axis = 1 : i64} : (tensor<?x32xf32, ["N", 32]>, tensor<?x9xf32, ["N", 9]>) -> tensor<?x41xf32, ["N", 41]>
  %14 = "tcc.concat"(%x14, %x15) {axis = 1 : i64} : (tensor<3x?x20xf32, [3, "N", 20]>, tensor<3x2x20xf32>) -> tensor<3x?x20xf32, [3, "N + 2", 20]>
  %15 = "tcc.concat"(%x15, %x14) {axis = 1 : i64} : (tensor<3x2x20xf32>, tensor<3x?x20xf32, [3, "N", 20]>) -> tensor<3x?x20xf32, [3, "N + 2", 20]>
  %16 = "tcc.concat"(%x12, %x13) {axis = 1 : i64} : (tensor<?x16xf32, ["N", 16]>, tensor<?x9xf32, ["N", 9]>) -> tensor<?x25xf32, ["N", 25]>
  %17 = "tcc.concat"(%x11, %16) {axis = 1 : i64} : (tensor<?x32xf32, ["N", 32]>, tensor<?x25xf32, ["N", 25]>) -> tensor<?x57xf32, ["N", 57]>
  %18 = "tcc.concat"(%x16, %x17) {axis = 1 : i64} : (tensor<6x64xi8>, tensor<6x128xi8>) -> tensor<6x192xi8>
  %19 = "tcc.gather"(%x8, %x0) {axis = 0 : i64} : (tensor<7x40xf32>, tensor<?xi64, ["N"]>) -> tensor<?x40xf32, ["N", 40]>
  %20 = "tcc.concat"(%x18, %19) {axis = 0 : i64} : (tensor<4x40xf32>, tensor<?x40xf32, ["N", 40]>) -> tensor<?x40xf32, ["N + 4", 40]>
  %21 = "tcc.concat"(%19, %x18) {axis = 0 : i64} : (tensor<?x40xf32, ["N", 40]>, tensor<4x40xf32>) -> tensor<?x40xf32, ["N + 4", 40]>
  %22 = "tcc.constant"() {value = dense<2.5> : tensor<f32>} : () -> tensor<f32>
  %23 = "tcc.pad"(%x11, %22) {low = [1, 16], high = [2, 16], mode = "constant"} : (tensor<?x32xf32, ["N", 32]>, tensor<f32>) -> tensor<?x64xf32, ["N + 3", 64]>
  %24 = "tcc.constant"() {value = dense<1.5> : tensor<f32>} : () -> tensor<f32>
  %25 = "tcc.pad"(%x11, %24) {low = [0, 3], high = [0, 4], mode = "constant"} : (tensor<?x32xf32, ["N", 32]>, tensor<f32>) -> tensor<?x39xf32, ["N", 39]>
  return %1, %2, %3, %4, %5, %8, %9, %11, %12, %13, %14, %15, %17, %18, %20, %21, %23, %25 : tensor<?x64xf32, ["N", 64]>, tensor<?x33xf32, ["N", 33]>, tensor<?x48xf16, ["N", 48]>, tensor<?x64xi8, ["N", 64]>, tensor<?x70xi8, ["N", 70]>, tensor<?x40xf32, ["N", 40]>, tensor<4x3x?x32xf32, [4, 3, "N", 32]>, tensor<?xf32, ["N"]>, tensor<?x48xf32, ["N", 48]>, tensor<?x41xf32, ["N", 41]>, tensor<3x?x20xf32, [3, "N + 2", 20]>, tensor<3x?x20xf32, [3, "N + 2", 20]>, tensor<?x57xf32, ["N", 57]>, tensor<6x192xi8>, tensor<?x40xf32, ["N + 4", 40]>, tensor<?x40xf32, ["N + 4", 40]>, tensor<?x64xf32, ["N + 3", 64]>, tensor<?x39xf32, ["N", 39]>
}
