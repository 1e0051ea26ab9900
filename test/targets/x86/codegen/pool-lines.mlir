// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --save=%t && tcc-run %s --random=1 --data=%t --check --rtol=1e-5 --atol=1e-5
// RUN: tcc-run %s --random=1 --data=%t --check --target=x86,avx2 --rtol=1e-5 --atol=1e-5
// RUN: tcc-run %s --random=1 --data=%t --check --threads=3 --rtol=1e-5 --atol=1e-5
// RUN: tcc-explain %s --target=x86,avx2 --no-cache | FileCheck %s
// RUN: tcc-run %S/Inputs/pool-nan.mlir --no-cache --target=x86,avx2 --save=%t/nan && mkdir %t/want && tcc-interp %S/Inputs/pool-nan.mlir --save=%t/want | FileCheck %s --check-prefix=NAN && cmp %t/nan/output_0.npy %t/want/output_0.npy
// REQUIRES: avx2

// Pools an axis at a time: strides of 1, 2 and more, windows over the edges, of more rows than are straight code, with gaps; one axis; averages that
// count padding or what is inside; 32 and 64 bits. NaN stays in each window that has it.
// CHECK-COUNT-8: schedule: x86.pool/1 {{.*}} lines
// NAN: 1x1x1x5xf32 = 2 nan nan nan 6
func.func @main(%x0: tensor<2x3x9x35xf32>, %x1: tensor<1x3x11x67xf32>, %x2: tensor<1x3x11x67xf32>, %x3: tensor<2x2x30x30xf32>, %x4: tensor<2x5x41xf32>, %x5: tensor<1x3x7x19xi32>, %x6: tensor<1x3x7x19xf64>, %x7: tensor<1x1x1x300xf32>) -> (tensor<2x3x9x35xf32>, tensor<1x3x6x34xf32>, tensor<1x3x6x23xf32>, tensor<2x2x30x13xf32>, tensor<2x5x11xf32>, tensor<1x3x4x10xi32>, tensor<1x3x3x9xf64>, tensor<1x1x1x300xf32>) {
  %0 = "tcc.pool"(%x0) {kind = "max", kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, ceil_mode = false, count_include_pad = false} : (tensor<2x3x9x35xf32>) -> tensor<2x3x9x35xf32>
  %1 = "tcc.pool"(%x1) {kind = "avg", kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, ceil_mode = true, count_include_pad = false} : (tensor<1x3x11x67xf32>) -> tensor<1x3x6x34xf32>
  %2 = "tcc.pool"(%x2) {kind = "avg", kernel = array<i64: 2, 4>, strides = array<i64: 2, 3>, pads = array<i64: 1, 2, 0, 1>, dilations = array<i64: 1, 1>, ceil_mode = true, count_include_pad = true} : (tensor<1x3x11x67xf32>) -> tensor<1x3x6x23xf32>
  %3 = "tcc.pool"(%x3) {kind = "sum", kernel = array<i64: 9, 5>, strides = array<i64: 1, 2>, pads = array<i64: 4, 2, 4, 2>, dilations = array<i64: 1, 2>, ceil_mode = false, count_include_pad = false} : (tensor<2x2x30x30xf32>) -> tensor<2x2x30x13xf32>
  %4 = "tcc.pool"(%x4) {kind = "max", kernel = array<i64: 5>, strides = array<i64: 4>, pads = array<i64: 2, 2>, dilations = array<i64: 1>, ceil_mode = false, count_include_pad = false} : (tensor<2x5x41xf32>) -> tensor<2x5x11xf32>
  %5 = "tcc.pool"(%x5) {kind = "avg", kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, ceil_mode = false, count_include_pad = false} : (tensor<1x3x7x19xi32>) -> tensor<1x3x4x10xi32>
  %6 = "tcc.pool"(%x6) {kind = "avg", kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceil_mode = false, count_include_pad = false} : (tensor<1x3x7x19xf64>) -> tensor<1x3x3x9xf64>
  %7 = "tcc.pool"(%x7) {kind = "max", kernel = array<i64: 1, 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 1>, dilations = array<i64: 1, 1>, ceil_mode = false, count_include_pad = false} : (tensor<1x1x1x300xf32>) -> tensor<1x1x1x300xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<2x3x9x35xf32>, tensor<1x3x6x34xf32>, tensor<1x3x6x23xf32>, tensor<2x2x30x13xf32>, tensor<2x5x11xf32>, tensor<1x3x4x10xi32>, tensor<1x3x3x9xf64>, tensor<1x1x1x300xf32>
}
