// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=N=3 --save=%t && tcc-run %s --random=1 --dim=N=3 --data=%t --check --rtol=0.016
// RUN: tcc-run %s --random=1 --dim=N=3 --data=%t --check --rtol=0.016 --target=x86,avx2
// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=N=0 --save=%t && tcc-run %s --random=1 --dim=N=0 --data=%t --check --rtol=0.016
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=5 --threads=1 --save=%t && tcc-run %s --random=1 --dim=N=5 --threads=3 --data=%t --check --rtol=0 --atol=0
// RUN: tcc-run %s --random=1 --dim=N=3 --threads=1 --target=x86,avx2 --profile | FileCheck %s
// RUN: tcc-opt --pipeline=default %s --target=x86,avx2 | tcc-translate --to-llvm --target=x86,avx2 | FileCheck %s --check-prefix=STEP2
// REQUIRES: avx2

// filter-grad.mlir in bf16: elements are widened where they are copied or met, sums are of f32 and rounded once. Every fourth column stays a product: there is no
// gather of 16 bits.
// STEP2-COUNT-2: llvm.shufflevector {{.*}} [0, 2, 4, 6, 9, 11, 13, 15]
// CHECK-COUNT-7: filter_grad x86.filter_grad
func.func @main(%x0: tensor<?x40x12x12xbf16, ["N", 40, 12, 12]>, %g0: tensor<?x40x12x12xbf16, ["N", 40, 12, 12]>, %x1: tensor<?x6x29x30xbf16, ["N", 6, 29, 30]>, %g1: tensor<?x6x15x15xbf16, ["N", 6, 15, 15]>, %x2: tensor<?x24x40x37xbf16, ["N", 24, 40, 37]>, %g2: tensor<?x48x38x37xbf16, ["N", 48, 38, 37]>, %x3: tensor<?x4x9x17xbf16, ["N", 4, 9, 17]>, %g3: tensor<?x12x8x4xbf16, ["N", 12, 8, 4]>, %x4: tensor<2x10x13x11xbf16>, %g4: tensor<2x15x6x7xbf16>, %x5: tensor<?x9x33xbf16, ["N", 9, 33]>, %g5: tensor<?x9x31xbf16, ["N", 9, 31]>, %x6: tensor<1x32x7x7xbf16>, %g6: tensor<1x32x7x7xbf16>, %xi: tensor<2x2x4xbf16>, %gi: tensor<2x2x3xbf16>) -> (tensor<40x1x5x5xbf16>, tensor<6x1x3x3xbf16>, tensor<48x4x3x3xbf16>, tensor<12x1x2x4xbf16>, tensor<15x2x3x2xbf16>, tensor<9x3x5xbf16>, tensor<32x16x3x3xbf16>, tensor<2x1x2xbf16>) {
  %0 = "tcc.conv_filter_grad"(%x0, %g0) {kernel = array<i64: 5, 5>, strides = array<i64: 1, 1>, pads = array<i64: 2, 2, 2, 2>, dilations = array<i64: 1, 1>, groups = 40 : i64} : (tensor<?x40x12x12xbf16, ["N", 40, 12, 12]>, tensor<?x40x12x12xbf16, ["N", 40, 12, 12]>) -> tensor<40x1x5x5xbf16>
  %1 = "tcc.conv_filter_grad"(%x1, %g1) {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 6 : i64} : (tensor<?x6x29x30xbf16, ["N", 6, 29, 30]>, tensor<?x6x15x15xbf16, ["N", 6, 15, 15]>) -> tensor<6x1x3x3xbf16>
  %2 = "tcc.conv_filter_grad"(%x2, %g2) {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 2, 1>, groups = 6 : i64} : (tensor<?x24x40x37xbf16, ["N", 24, 40, 37]>, tensor<?x48x38x37xbf16, ["N", 48, 38, 37]>) -> tensor<48x4x3x3xbf16>
  %3 = "tcc.conv_filter_grad"(%x3, %g3) {kernel = array<i64: 2, 4>, strides = array<i64: 1, 4>, pads = array<i64: 0, 1, 0, 1>, dilations = array<i64: 1, 1>, groups = 4 : i64} : (tensor<?x4x9x17xbf16, ["N", 4, 9, 17]>, tensor<?x12x8x4xbf16, ["N", 12, 8, 4]>) -> tensor<12x1x2x4xbf16>
  %4 = "tcc.conv_filter_grad"(%x4, %g4) {kernel = array<i64: 3, 2>, strides = array<i64: 2, 2>, pads = array<i64: 2, 1, 1, 2>, dilations = array<i64: 2, 1>, groups = 5 : i64} : (tensor<2x10x13x11xbf16>, tensor<2x15x6x7xbf16>) -> tensor<15x2x3x2xbf16>
  %5 = "tcc.conv_filter_grad"(%x5, %g5) {kernel = array<i64: 5>, strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 3 : i64} : (tensor<?x9x33xbf16, ["N", 9, 33]>, tensor<?x9x31xbf16, ["N", 9, 31]>) -> tensor<9x3x5xbf16>
  %6 = "tcc.conv_filter_grad"(%x6, %g6) {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x32x7x7xbf16>, tensor<1x32x7x7xbf16>) -> tensor<32x16x3x3xbf16>
  %far = "tcc.constant"() {value = dense<[0.0, 0.0, 0.0, 0x7F80]> : tensor<4xbf16>} : () -> tensor<4xbf16>
  %edge = "tcc.add"(%xi, %far) : (tensor<2x2x4xbf16>, tensor<4xbf16>) -> tensor<2x2x4xbf16>
  %positive = "tcc.abs"(%gi) : (tensor<2x2x3xbf16>) -> tensor<2x2x3xbf16>
  %7 = "tcc.conv_filter_grad"(%edge, %positive) {kernel = array<i64: 2>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 2 : i64} : (tensor<2x2x4xbf16>, tensor<2x2x3xbf16>) -> tensor<2x1x2xbf16>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<40x1x5x5xbf16>, tensor<6x1x3x3xbf16>, tensor<48x4x3x3xbf16>, tensor<12x1x2x4xbf16>, tensor<15x2x3x2xbf16>, tensor<9x3x5xbf16>, tensor<32x16x3x3xbf16>, tensor<2x1x2xbf16>
}
