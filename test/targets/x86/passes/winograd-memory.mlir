// Weights for Winograd's filtering are more than those of the direct form, and where they come from memory its rate decides: a core that reads 9 bytes a cycle
// (znver5) takes them for images of 7x7 and 9x9, one whose rate is not known waits for them. An image of one tile is direct in any case. Tiles of three and four
// vectors read weights faster than the second cache gives them, where 14 by 2 do not.
// RUN: tcc-opt --target=x86,znver5 --pass-pipeline="tcc-winograd,tcc-verify" %s | FileCheck %s --check-prefixes=CHECK,FAST
// RUN: tcc-opt --target=x86,avx512 --pass-pipeline="tcc-winograd,tcc-verify" %s | FileCheck %s --check-prefixes=CHECK,SLOW
// REQUIRES: avx512
// FAST: func.func private @k0(%{{.*}}, %{{.*}}: tensor<16x4x4x32x16x32xf32>
// FAST: winograd = 2
// SLOW: func.func private @k0(%{{.*}}, %{{.*}}: tensor<8x32x3x3x16x64xf32>
// SLOW: winograd = 1
// FAST: func.func private @k1(%{{.*}}, %{{.*}}: tensor<12x4x4x24x16x32xf32>
// FAST: winograd = 2
// SLOW: func.func private @k1(%{{.*}}, %{{.*}}: tensor<6x24x3x3x16x64xf32>
// SLOW: winograd = 1
// CHECK: func.func private @k2(%{{.*}}, %{{.*}}: tensor<8x32x3x3x16x64xf32>
// CHECK: winograd = 1
module {
  func.func private @k0(%x: tensor<1x32x7x7x16xf32>, %w: tensor<8x32x3x3x16x64xf32>) -> tensor<1x32x7x7x16xf32> attributes {tcc.kernel = "conv"} {
    %none = "tcc.none"() : () -> none
    %0 = "tcc.conv_blocked"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 512 : i64, out_channels = 512 : i64, groups = 1 : i64, lanes = 16 : i64, phases_h = 1 : i64, phases_w = 1 : i64, winograd = 1 : i64} : (tensor<1x32x7x7x16xf32>, tensor<8x32x3x3x16x64xf32>, none) -> tensor<1x32x7x7x16xf32>
    func.return %0 : tensor<1x32x7x7x16xf32>
  }
  func.func private @k1(%x: tensor<1x24x9x9x16xf32>, %w: tensor<6x24x3x3x16x64xf32>) -> tensor<1x24x9x9x16xf32> attributes {tcc.kernel = "conv"} {
    %none = "tcc.none"() : () -> none
    %0 = "tcc.conv_blocked"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 384 : i64, out_channels = 384 : i64, groups = 1 : i64, lanes = 16 : i64, phases_h = 1 : i64, phases_w = 1 : i64, winograd = 1 : i64} : (tensor<1x24x9x9x16xf32>, tensor<6x24x3x3x16x64xf32>, none) -> tensor<1x24x9x9x16xf32>
    func.return %0 : tensor<1x24x9x9x16xf32>
  }
  func.func private @k2(%x: tensor<1x32x2x2x16xf32>, %w: tensor<8x32x3x3x16x64xf32>) -> tensor<1x32x2x2x16xf32> attributes {tcc.kernel = "conv"} {
    %none = "tcc.none"() : () -> none
    %0 = "tcc.conv_blocked"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 512 : i64, out_channels = 512 : i64, groups = 1 : i64, lanes = 16 : i64, phases_h = 1 : i64, phases_w = 1 : i64, winograd = 1 : i64} : (tensor<1x32x2x2x16xf32>, tensor<8x32x3x3x16x64xf32>, none) -> tensor<1x32x2x2x16xf32>
    func.return %0 : tensor<1x32x2x2x16xf32>
  }
  func.func @main(%x0: tensor<1x32x7x7x16xf32>, %x1: tensor<1x24x9x9x16xf32>, %x2: tensor<1x32x2x2x16xf32>) -> (tensor<1x32x7x7x16xf32>, tensor<1x24x9x9x16xf32>, tensor<1x32x2x2x16xf32>) {
    %w0 = "tcc.weight"() {name = "w0", source = 0 : i64, offset = 0 : i64, length = 9437184 : i64} : () -> tensor<8x32x3x3x16x64xf32>
    %0 = func.call @k0(%x0, %w0) : (tensor<1x32x7x7x16xf32>, tensor<8x32x3x3x16x64xf32>) -> tensor<1x32x7x7x16xf32>
    %w1 = "tcc.weight"() {name = "w1", source = 0 : i64, offset = 9437184 : i64, length = 5308416 : i64} : () -> tensor<6x24x3x3x16x64xf32>
    %1 = func.call @k1(%x1, %w1) : (tensor<1x24x9x9x16xf32>, tensor<6x24x3x3x16x64xf32>) -> tensor<1x24x9x9x16xf32>
    %w2 = "tcc.weight"() {name = "w2", source = 0 : i64, offset = 14745600 : i64, length = 9437184 : i64} : () -> tensor<8x32x3x3x16x64xf32>
    %2 = func.call @k2(%x2, %w2) : (tensor<1x32x2x2x16xf32>, tensor<8x32x3x3x16x64xf32>) -> tensor<1x32x2x2x16xf32>
    func.return %0, %1, %2 : tensor<1x32x7x7x16xf32>, tensor<1x24x9x9x16xf32>, tensor<1x32x2x2x16xf32>
  }
}
