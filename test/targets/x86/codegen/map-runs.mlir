// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --save=%t && tcc-run %s --random=1 --data=%t --check
// RUN: tcc-run %s --random=1 --data=%t --check --target=x86,avx2
// RUN: tcc-opt --pipeline=default --target=x86,avx2 %S/Inputs/map-step.mlir | tcc-translate --to-llvm --target=x86,avx2 | FileCheck %s
// RUN: tcc-opt --pipeline=default --target=x86,avx2 %S/Inputs/map-pad.mlir | tcc-translate --to-llvm --target=x86,avx2 | FileCheck %s --check-prefix=PAD
// REQUIRES: avx2

// Indices that are runs of memory where a block lies inside: in the middle of reflected, repeated and wrapped rows. Every other element, and
// elements from the back, are vectors in another order. A block across an end of a reflected row joins runs, those outside read backwards.
// CHECK-NOT: masked.gather
// CHECK: llvm.shufflevector
// CHECK-NOT: masked.gather
// PAD: llvm.load {{.*}} -> vector<8xf32>
// PAD-NOT: masked.gather
// PAD: llvm.intr.masked.load
// PAD: llvm.shufflevector {{.*}}[7, 6, 5, 4, 3, 2, 1, 0]
// PAD-NOT: masked.gather
func.func @main(%x: tensor<3x5x37xf32>) -> (tensor<3x11x51xf32>, tensor<4x6x51xf32>, tensor<3x8x78xf32>, tensor<3x5x109xf32>, tensor<3x5x19xf32>, tensor<3x2x18xf32>, tensor<3x5x37xf32>, tensor<3x5x12xf32>, tensor<3x5x18xf32>) {
  %none = "tcc.none"() : () -> none
  %r = "tcc.pad"(%x, %none) {mode = "reflect", low = [0, 2, 3], high = [0, 4, 11]} : (tensor<3x5x37xf32>, none) -> tensor<3x11x51xf32>
  %e = "tcc.pad"(%x, %none) {mode = "edge", low = [1, 0, 5], high = [0, 1, 9]} : (tensor<3x5x37xf32>, none) -> tensor<4x6x51xf32>
  %w = "tcc.pad"(%x, %none) {mode = "wrap", low = [0, 1, 4], high = [0, 2, 37]} : (tensor<3x5x37xf32>, none) -> tensor<3x8x78xf32>
  %one = "tcc.pad"(%x, %none) {mode = "reflect", low = [0, 0, 36], high = [0, 0, 36]} : (tensor<3x5x37xf32>, none) -> tensor<3x5x109xf32>
  %s = "tcc.slice"(%x) {starts = [0, 0, 0], steps = array<i64: 1, 1, 2>} : (tensor<3x5x37xf32>) -> tensor<3x5x19xf32>
  %s1 = "tcc.slice"(%x) {starts = [0, 1, 1], steps = array<i64: 1, 2, 2>} : (tensor<3x5x37xf32>) -> tensor<3x2x18xf32>
  %f = "tcc.slice"(%x) {starts = [0, 0, 36], steps = array<i64: 1, 1, -1>} : (tensor<3x5x37xf32>) -> tensor<3x5x37xf32>
  %s3 = "tcc.slice"(%x) {starts = [0, 0, 2], steps = array<i64: 1, 1, 3>} : (tensor<3x5x37xf32>) -> tensor<3x5x12xf32>
  %f2 = "tcc.slice"(%x) {starts = [2, 0, 35], steps = array<i64: -1, 1, -2>} : (tensor<3x5x37xf32>) -> tensor<3x5x18xf32>
  return %r, %e, %w, %one, %s, %s1, %f, %s3, %f2 : tensor<3x11x51xf32>, tensor<4x6x51xf32>, tensor<3x8x78xf32>, tensor<3x5x109xf32>, tensor<3x5x19xf32>, tensor<3x2x18xf32>, tensor<3x5x37xf32>, tensor<3x5x12xf32>, tensor<3x5x18xf32>
}
