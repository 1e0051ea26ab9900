// RUN: tcc-opt --pipeline=default --target=x86,avx512 %s | tcc-translate --to-llvm --target=x86,avx512 | FileCheck %s
// RUN: rm -rf %t && tcc-run %s --random=1 --target=x86,avx512 --threads=2 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-3
// REQUIRES: avx512

// Layers of equal windows share what walks them, whatever the sizes of their images; each has its own loops around it.
// CHECK: llvm.func hidden @[[WINDOWS:windows_[0-9a-f]+]](
// CHECK: llvm.func @k_{{[0-9a-f]+}}_pool(
// CHECK: llvm.call @[[WINDOWS]](
// CHECK: llvm.func hidden @[[WINDOWS]](
// CHECK: llvm.func @k_{{[0-9a-f]+}}_pool(
// CHECK: llvm.call @[[WINDOWS]](
func.func @main(%x0: tensor<1x3x12x11x16xf32>, %x1: tensor<2x5x21x33x16xf32>) -> (tensor<1x3x6x6x16xf32>, tensor<2x5x11x17x16xf32>) {
  %0 = "tcc.pool"(%x0) {kernel = array<i64: 3, 3, 1>, strides = array<i64: 2, 2, 1>, pads = array<i64: 1, 1, 0, 1, 1, 0>, dilations = array<i64: 1, 1, 1>, ceil_mode = false, kind = "max", count_include_pad = false} : (tensor<1x3x12x11x16xf32>) -> tensor<1x3x6x6x16xf32>
  %1 = "tcc.pool"(%x1) {kernel = array<i64: 3, 3, 1>, strides = array<i64: 2, 2, 1>, pads = array<i64: 1, 1, 0, 1, 1, 0>, dilations = array<i64: 1, 1, 1>, ceil_mode = false, kind = "max", count_include_pad = false} : (tensor<2x5x21x33x16xf32>) -> tensor<2x5x11x17x16xf32>
  return %0, %1 : tensor<1x3x6x6x16xf32>, tensor<2x5x11x17x16xf32>
}
