// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --save=%t && tcc-run %s --random=1 --threads=2 --data=%t --check
// RUN: tcc-run %s --random=1 --target=x86,haswell --data=%t --check
// RUN: tcc-translate --to-llvm --target=x86,avx512 --kernel=k0 %s | FileCheck %s
// REQUIRES: avx512

// A row that is outside of the image is not read under a mask that has no lanes: a branch goes by its loads.
// CHECK: llvm.br ^b{{[0-9]+}}(%{{[0-9]+}} : vector<{{[0-9]+}}xi8>)
// CHECK-NEXT: ^b
// CHECK-NEXT: llvm.cond_br %{{[0-9]+}}, ^[[INSIDE:b[0-9]+]], ^b
// CHECK-NEXT: ^[[INSIDE]]:
// CHECK: llvm.intr.masked.load
func.func private @k0(%x: tensor<3x24x320xui8>) -> tensor<3x64x328xui8> attributes {tcc.kernel = "map"} {
  %c = "tcc.constant"() {value = dense<114> : tensor<ui8>} : () -> tensor<ui8>
  %r = "tcc.pad"(%x, %c) {low = [0, 20, 3], high = [0, 20, 5], mode = "constant"} : (tensor<3x24x320xui8>, tensor<ui8>) -> tensor<3x64x328xui8>
  return %r : tensor<3x64x328xui8>
}
func.func private @k1(%x: tensor<3x24x70xf32>) -> tensor<3x29x170xf32> attributes {tcc.kernel = "map"} {
  %c = "tcc.constant"() {value = dense<1.5> : tensor<f32>} : () -> tensor<f32>
  %r = "tcc.pad"(%x, %c) {low = [0, 2, 40], high = [0, 3, 60], mode = "constant"} : (tensor<3x24x70xf32>, tensor<f32>) -> tensor<3x29x170xf32>
  return %r : tensor<3x29x170xf32>
}
func.func @main(%x: tensor<3x24x320xui8>, %y: tensor<3x24x70xf32>) -> (tensor<3x64x328xui8>, tensor<3x29x170xf32>) {
  %0 = call @k0(%x) : (tensor<3x24x320xui8>) -> tensor<3x64x328xui8>
  %1 = call @k1(%y) : (tensor<3x24x70xf32>) -> tensor<3x29x170xf32>
  return %0, %1 : tensor<3x64x328xui8>, tensor<3x29x170xf32>
}
