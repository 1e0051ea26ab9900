// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=N=7 --save=%t && tcc-run %s --random=1 --dim=N=7 --threads=2 --data=%t --check
// RUN: tcc-run %s --random=1 --dim=N=7 --target=x86,haswell --data=%t --check
// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=N=0 --save=%t && tcc-run %s --random=1 --dim=N=0 --data=%t --check
// RUN: tcc-translate --to-llvm --target=x86,avx512 --kernel=k0 %s | FileCheck %s
// RUN: tcc-translate --to-llvm --target=x86,avx512 --kernel=k1 %s | FileCheck %s --check-prefix=HALVES
// RUN: tcc-translate --to-llvm --target=x86,avx512 --kernel=k3 %s | FileCheck %s --check-prefix=SHORT
// RUN: tcc-translate --to-llvm --target=x86,haswell --kernel=k0 %s | FileCheck %s --check-prefix=AVX2
// REQUIRES: avx512

// Rows of bytes and halves that are joined or padded fill their registers where bytes are read under a mask, and masks are compared in bytes.
// CHECK: llvm.icmp "slt" {{.*}} : vector<64xi8>
// CHECK: llvm.intr.masked.load {{.*}} -> vector<64xi8>
// AVX2-NOT: vector<64xi8>
// HALVES: llvm.intr.masked.load {{.*}} -> vector<32xf16>
// SHORT-NOT: vector<64xi8>
func.func private @k0(%x: tensor<?x37xui8, ["N", 37]>, %y: tensor<?x150xui8, ["N", 150]>, %z: tensor<?x1xui8, ["N", 1]>) -> tensor<?x188xui8, ["N", 188]> attributes {tcc.kernel = "map"} {
  %0 = "tcc.concat"(%x, %y) {axis = 1 : i64} : (tensor<?x37xui8, ["N", 37]>, tensor<?x150xui8, ["N", 150]>) -> tensor<?x187xui8, ["N", 187]>
  %1 = "tcc.concat"(%0, %z) {axis = 1 : i64} : (tensor<?x187xui8, ["N", 187]>, tensor<?x1xui8, ["N", 1]>) -> tensor<?x188xui8, ["N", 188]>
  return %1 : tensor<?x188xui8, ["N", 188]>
}
func.func private @k1(%x: tensor<6x9x70xf16>) -> tensor<6x12x75xf16> attributes {tcc.kernel = "map"} {
  %c = "tcc.constant"() {value = dense<1.5> : tensor<f16>} : () -> tensor<f16>
  %r = "tcc.pad"(%x, %c) {low = [0, 1, 2], high = [0, 2, 3], mode = "constant"} : (tensor<6x9x70xf16>, tensor<f16>) -> tensor<6x12x75xf16>
  return %r : tensor<6x12x75xf16>
}
func.func private @k2(%x: tensor<5x64xi1>, %y: tensor<5x33xi1>) -> tensor<5x97xi1> attributes {tcc.kernel = "map"} {
  %0 = "tcc.concat"(%x, %y) {axis = 1 : i64} : (tensor<5x64xi1>, tensor<5x33xi1>) -> tensor<5x97xi1>
  return %0 : tensor<5x97xi1>
}
func.func private @k3(%x: tensor<5x20xi8>, %y: tensor<5x30xi8>) -> tensor<5x50xi8> attributes {tcc.kernel = "map"} {
  %0 = "tcc.concat"(%x, %y) {axis = 1 : i64} : (tensor<5x20xi8>, tensor<5x30xi8>) -> tensor<5x50xi8>
  return %0 : tensor<5x50xi8>
}
func.func @main(%x: tensor<?x37xui8, ["N", 37]>, %y: tensor<?x150xui8, ["N", 150]>, %z: tensor<?x1xui8, ["N", 1]>, %h: tensor<6x9x70xf16>, %a: tensor<5x64xi1>, %b: tensor<5x33xi1>, %c: tensor<5x20xi8>, %d: tensor<5x30xi8>) -> (tensor<?x188xui8, ["N", 188]>, tensor<6x12x75xf16>, tensor<5x97xi1>, tensor<5x50xi8>) {
  %0 = call @k0(%x, %y, %z) : (tensor<?x37xui8, ["N", 37]>, tensor<?x150xui8, ["N", 150]>, tensor<?x1xui8, ["N", 1]>) -> tensor<?x188xui8, ["N", 188]>
  %1 = call @k1(%h) : (tensor<6x9x70xf16>) -> tensor<6x12x75xf16>
  %2 = call @k2(%a, %b) : (tensor<5x64xi1>, tensor<5x33xi1>) -> tensor<5x97xi1>
  %3 = call @k3(%c, %d) : (tensor<5x20xi8>, tensor<5x30xi8>) -> tensor<5x50xi8>
  return %0, %1, %2, %3 : tensor<?x188xui8, ["N", 188]>, tensor<6x12x75xf16>, tensor<5x97xi1>, tensor<5x50xi8>
}
