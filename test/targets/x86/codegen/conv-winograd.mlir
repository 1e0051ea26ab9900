// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=N=3 --save=%t
// RUN: tcc-run %s --random=1 --dim=N=3 --data=%t --check --rtol=1e-3 --atol=4e-3
// RUN: tcc-run %s --random=1 --dim=N=3 --threads=3 --data=%t --check --rtol=1e-3 --atol=4e-3
// RUN: tcc-run %s --random=1 --dim=N=3 --target=x86,avx2 --data=%t --check --rtol=1e-3 --atol=4e-3
// RUN: tcc-explain %s --no-cache --target=x86,avx512 | FileCheck %s
// RUN: tcc-opt --pipeline=default --target=x86,avx512 %s | tcc-translate --to-llvm --target=x86,avx512 | FileCheck %s --check-prefix=CODE --implicit-check-not="func hidden @output_"
// RUN: tcc-opt --pipeline=default --target=x86,avx2 %s | tcc-translate --to-llvm --target=x86,avx2 | FileCheck %s --check-prefix=CODE --implicit-check-not="func hidden @output_"
// REQUIRES: avx512

// Winograd's filtering against the reference target: odd sizes, a row of tiles that is cut, padding of none, one side and two, panels
// that are not full, batches of a size that is known when the model runs, bias and residual.
// CODE-COUNT-6: constant @output_
// CHECK-COUNT-6: x86.conv_winograd/1 outputs={{2x2|4x4}}
func.func @main(%x0: tensor<1x64x56x56xf32>, %x1: tensor<?x32x15x13xf32, ["N", 32, 15, 13]>, %x2: tensor<2x64x9x300xf32>, %x3: tensor<?x128x14x14xf32, ["N", 128, 14, 14]>, %x4: tensor<1x32x20x20xf32>, %x5: tensor<5x48x23x7xf32>) -> (tensor<1x64x56x56xf32>, tensor<?x80x15x13xf32, ["N", 80, 15, 13]>, tensor<2x72x8x299xf32>, tensor<?x128x14x14xf32, ["N", 128, 14, 14]>, tensor<1x24x22x22xf32>, tensor<5x48x21x5xf32>) {
  %i0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<36864xf32>
  %s0 = "tcc.sin"(%i0) : (tensor<36864xf32>) -> tensor<36864xf32>
  %w0 = "tcc.reshape"(%s0) : (tensor<36864xf32>) -> tensor<64x64x3x3xf32>
  %bi0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64xf32>
  %b0 = "tcc.cos"(%bi0) : (tensor<64xf32>) -> tensor<64xf32>
  %r0 = "tcc.conv"(%x0, %w0, %b0) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>) -> tensor<1x64x56x56xf32>
  %a0 = "tcc.add"(%r0, %x0) : (tensor<1x64x56x56xf32>, tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32>
  %q0 = "tcc.relu"(%a0) : (tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32>
  %i1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<23040xf32>
  %s1 = "tcc.sin"(%i1) : (tensor<23040xf32>) -> tensor<23040xf32>
  %w1 = "tcc.reshape"(%s1) : (tensor<23040xf32>) -> tensor<80x32x3x3xf32>
  %bi1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<80xf32>
  %b1 = "tcc.cos"(%bi1) : (tensor<80xf32>) -> tensor<80xf32>
  %r1 = "tcc.conv"(%x1, %w1, %b1) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x32x15x13xf32, ["N", 32, 15, 13]>, tensor<80x32x3x3xf32>, tensor<80xf32>) -> tensor<?x80x15x13xf32, ["N", 80, 15, 13]>
  %q1 = "tcc.relu"(%r1) : (tensor<?x80x15x13xf32, ["N", 80, 15, 13]>) -> tensor<?x80x15x13xf32, ["N", 80, 15, 13]>
  %i2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<41472xf32>
  %s2 = "tcc.sin"(%i2) : (tensor<41472xf32>) -> tensor<41472xf32>
  %w2 = "tcc.reshape"(%s2) : (tensor<41472xf32>) -> tensor<72x64x3x3xf32>
  %b2 = "tcc.none"() : () -> none
  %r2 = "tcc.conv"(%x2, %w2, %b2) {strides = array<i64: 1, 1>, pads = array<i64: 0, 1, 1, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x64x9x300xf32>, tensor<72x64x3x3xf32>, none) -> tensor<2x72x8x299xf32>
  %i3 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<147456xf32>
  %s3 = "tcc.sin"(%i3) : (tensor<147456xf32>) -> tensor<147456xf32>
  %w3 = "tcc.reshape"(%s3) : (tensor<147456xf32>) -> tensor<128x128x3x3xf32>
  %bi3 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<128xf32>
  %b3 = "tcc.cos"(%bi3) : (tensor<128xf32>) -> tensor<128xf32>
  %r3 = "tcc.conv"(%x3, %w3, %b3) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x128x14x14xf32, ["N", 128, 14, 14]>, tensor<128x128x3x3xf32>, tensor<128xf32>) -> tensor<?x128x14x14xf32, ["N", 128, 14, 14]>
  %a3 = "tcc.add"(%r3, %x3) : (tensor<?x128x14x14xf32, ["N", 128, 14, 14]>, tensor<?x128x14x14xf32, ["N", 128, 14, 14]>) -> tensor<?x128x14x14xf32, ["N", 128, 14, 14]>
  %q3 = "tcc.relu"(%a3) : (tensor<?x128x14x14xf32, ["N", 128, 14, 14]>) -> tensor<?x128x14x14xf32, ["N", 128, 14, 14]>
  %i4 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<6912xf32>
  %s4 = "tcc.sin"(%i4) : (tensor<6912xf32>) -> tensor<6912xf32>
  %w4 = "tcc.reshape"(%s4) : (tensor<6912xf32>) -> tensor<24x32x3x3xf32>
  %bi4 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<24xf32>
  %b4 = "tcc.cos"(%bi4) : (tensor<24xf32>) -> tensor<24xf32>
  %r4 = "tcc.conv"(%x4, %w4, %b4) {strides = array<i64: 1, 1>, pads = array<i64: 2, 2, 2, 2>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x32x20x20xf32>, tensor<24x32x3x3xf32>, tensor<24xf32>) -> tensor<1x24x22x22xf32>
  %i5 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<20736xf32>
  %s5 = "tcc.sin"(%i5) : (tensor<20736xf32>) -> tensor<20736xf32>
  %w5 = "tcc.reshape"(%s5) : (tensor<20736xf32>) -> tensor<48x48x3x3xf32>
  %b5 = "tcc.none"() : () -> none
  %r5 = "tcc.conv"(%x5, %w5, %b5) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<5x48x23x7xf32>, tensor<48x48x3x3xf32>, none) -> tensor<5x48x21x5xf32>
  %q5 = "tcc.relu"(%r5) : (tensor<5x48x21x5xf32>) -> tensor<5x48x21x5xf32>
  func.return %q0, %q1, %r2, %q3, %r4, %q5 : tensor<1x64x56x56xf32>, tensor<?x80x15x13xf32, ["N", 80, 15, 13]>, tensor<2x72x8x299xf32>, tensor<?x128x14x14xf32, ["N", 128, 14, 14]>, tensor<1x24x22x22xf32>, tensor<5x48x21x5xf32>
}
