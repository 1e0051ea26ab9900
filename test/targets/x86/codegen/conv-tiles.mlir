// RUN: rm -rf %t && tcc-run %s --numerics=direct --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=4e-3
// RUN: rm -rf %t && tcc-run %s --numerics=direct --random=1 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=4e-3
// RUN: tcc-explain %s --no-cache --numerics=direct --target=x86,avx512 | FileCheck %s
// RUN: tcc-explain %s --no-cache --numerics=direct --target=x86,avx2 | FileCheck %s --check-prefix=NARROW
// REQUIRES: avx2

// Register tiles of every kind against the reference target: widths that tiles do not divide, panels of 2 to 5 vectors, partly
// empty ones, weights read from memory by their multiply-adds, more pixels beside the image than pointers fit into registers,
// channels that fill no block, several blocks of channels with fetching ahead, plain images.
// CHECK-DAG: pixels=7 vectors=4
// CHECK-DAG: pixels=13 vectors=2
// CHECK-DAG: pixels=8 vectors=3
// CHECK-DAG: pixels=4 vectors=5
// Weights beyond the first cache: the tile that asks for fewer lines of them.
// CHECK-DAG: pixels=14 vectors=2 panels=4 depth=30 rows=3 by-panel
// CHECK-DAG: pixels=10 vectors=2 panels=2 depth=3
// With sixteen registers the depth is divided, so that a panel's weights stay in the first cache, also where a tile of work has all panels.
// Tiles of few pixels, which ask for a line of far weights every two cycles, give way to taller ones.
// NARROW-DAG: pixels=6 vectors=2 panels=5 depth=3 rows=9,
// NARROW-DAG: pixels=3 vectors=4 panels=4 depth=2 rows=13,
// NARROW-DAG: pixels=4 vectors=3 panels=1 depth=3 rows=7,
// NARROW-DAG: pixels=6 vectors=2 panels=7 depth=30 rows=3 by-panel
func.func @main(%x0: tensor<1x32x5x64xf32>, %x1: tensor<2x48x9x32xf32>, %x2: tensor<1x17x6x17xf32>, %x3: tensor<1x480x3x14xf32>, %x4: tensor<1x64x13x13xf32>, %x5: tensor<1x16x7x7xf32>, %x6: tensor<1x16x14x14xf32>, %x7: tensor<2x40x5x35xf32>, %x8: tensor<1x32x16x16xf32>, %x9: tensor<1x32x9x12xf32>, %x10: tensor<1x600x7x7xf32>, %x11: tensor<1x3x40x40xf32>, %x12: tensor<1x3x20x20xf32>, %x13: tensor<1x48x5x12xf32>) -> (tensor<1x48x5x64xf32>, tensor<2x80x9x32xf32>, tensor<1x112x6x17xf32>, tensor<1x112x3x14xf32>, tensor<1x128x13x13xf32>, tensor<1x64x7x7xf32>, tensor<1x32x14x14xf32>, tensor<2x64x5x35xf32>, tensor<1x32x8x8xf32>, tensor<1x64x9x12xf32>, tensor<1x64x7x7xf32>, tensor<1x64x20x20xf32>, tensor<1x24x20x20xf32>, tensor<1x80x5x12xf32>) {
  %i0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<13824xf32>
  %s0 = "tcc.sin"(%i0) : (tensor<13824xf32>) -> tensor<13824xf32>
  %w0 = "tcc.reshape"(%s0) : (tensor<13824xf32>) -> tensor<48x32x3x3xf32>
  %j0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<48xf32>
  %b0 = "tcc.sin"(%j0) : (tensor<48xf32>) -> tensor<48xf32>
  %c0 = "tcc.conv"(%x0, %w0, %b0) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x32x5x64xf32>, tensor<48x32x3x3xf32>, tensor<48xf32>) -> tensor<1x48x5x64xf32>
  %r0 = "tcc.relu"(%c0) : (tensor<1x48x5x64xf32>) -> tensor<1x48x5x64xf32>
  %i1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<34560xf32>
  %s1 = "tcc.sin"(%i1) : (tensor<34560xf32>) -> tensor<34560xf32>
  %w1 = "tcc.reshape"(%s1) : (tensor<34560xf32>) -> tensor<80x48x3x3xf32>
  %j1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<80xf32>
  %b1 = "tcc.sin"(%j1) : (tensor<80xf32>) -> tensor<80xf32>
  %c1 = "tcc.conv"(%x1, %w1, %b1) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x48x9x32xf32>, tensor<80x48x3x3xf32>, tensor<80xf32>) -> tensor<2x80x9x32xf32>
  %r1 = "tcc.relu"(%c1) : (tensor<2x80x9x32xf32>) -> tensor<2x80x9x32xf32>
  %i2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<17136xf32>
  %s2 = "tcc.sin"(%i2) : (tensor<17136xf32>) -> tensor<17136xf32>
  %w2 = "tcc.reshape"(%s2) : (tensor<17136xf32>) -> tensor<112x17x3x3xf32>
  %j2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<112xf32>
  %b2 = "tcc.sin"(%j2) : (tensor<112xf32>) -> tensor<112xf32>
  %c2 = "tcc.conv"(%x2, %w2, %b2) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x17x6x17xf32>, tensor<112x17x3x3xf32>, tensor<112xf32>) -> tensor<1x112x6x17xf32>
  %r2 = "tcc.relu"(%c2) : (tensor<1x112x6x17xf32>) -> tensor<1x112x6x17xf32>
  %i3 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<53760xf32>
  %s3 = "tcc.sin"(%i3) : (tensor<53760xf32>) -> tensor<53760xf32>
  %w3 = "tcc.reshape"(%s3) : (tensor<53760xf32>) -> tensor<112x480x1x1xf32>
  %j3 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<112xf32>
  %b3 = "tcc.sin"(%j3) : (tensor<112xf32>) -> tensor<112xf32>
  %c3 = "tcc.conv"(%x3, %w3, %b3) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x480x3x14xf32>, tensor<112x480x1x1xf32>, tensor<112xf32>) -> tensor<1x112x3x14xf32>
  %r3 = "tcc.relu"(%c3) : (tensor<1x112x3x14xf32>) -> tensor<1x112x3x14xf32>
  %i4 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<73728xf32>
  %s4 = "tcc.sin"(%i4) : (tensor<73728xf32>) -> tensor<73728xf32>
  %w4 = "tcc.reshape"(%s4) : (tensor<73728xf32>) -> tensor<128x64x3x3xf32>
  %j4 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<128xf32>
  %b4 = "tcc.sin"(%j4) : (tensor<128xf32>) -> tensor<128xf32>
  %c4 = "tcc.conv"(%x4, %w4, %b4) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x13x13xf32>, tensor<128x64x3x3xf32>, tensor<128xf32>) -> tensor<1x128x13x13xf32>
  %r4 = "tcc.relu"(%c4) : (tensor<1x128x13x13xf32>) -> tensor<1x128x13x13xf32>
  %i5 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<50176xf32>
  %s5 = "tcc.sin"(%i5) : (tensor<50176xf32>) -> tensor<50176xf32>
  %w5 = "tcc.reshape"(%s5) : (tensor<50176xf32>) -> tensor<64x16x7x7xf32>
  %j5 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64xf32>
  %b5 = "tcc.sin"(%j5) : (tensor<64xf32>) -> tensor<64xf32>
  %c5 = "tcc.conv"(%x5, %w5, %b5) {strides = array<i64: 1, 1>, pads = array<i64: 3, 3, 3, 3>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x16x7x7xf32>, tensor<64x16x7x7xf32>, tensor<64xf32>) -> tensor<1x64x7x7xf32>
  %r5 = "tcc.relu"(%c5) : (tensor<1x64x7x7xf32>) -> tensor<1x64x7x7xf32>
  %i6 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<25088xf32>
  %s6 = "tcc.sin"(%i6) : (tensor<25088xf32>) -> tensor<25088xf32>
  %w6 = "tcc.reshape"(%s6) : (tensor<25088xf32>) -> tensor<32x16x7x7xf32>
  %j6 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<32xf32>
  %b6 = "tcc.sin"(%j6) : (tensor<32xf32>) -> tensor<32xf32>
  %c6 = "tcc.conv"(%x6, %w6, %b6) {strides = array<i64: 1, 1>, pads = array<i64: 3, 3, 3, 3>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x16x14x14xf32>, tensor<32x16x7x7xf32>, tensor<32xf32>) -> tensor<1x32x14x14xf32>
  %r6 = "tcc.relu"(%c6) : (tensor<1x32x14x14xf32>) -> tensor<1x32x14x14xf32>
  %i7 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<2560xf32>
  %s7 = "tcc.sin"(%i7) : (tensor<2560xf32>) -> tensor<2560xf32>
  %w7 = "tcc.reshape"(%s7) : (tensor<2560xf32>) -> tensor<64x40x1x1xf32>
  %j7 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64xf32>
  %b7 = "tcc.sin"(%j7) : (tensor<64xf32>) -> tensor<64xf32>
  %c7 = "tcc.conv"(%x7, %w7, %b7) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x40x5x35xf32>, tensor<64x40x1x1xf32>, tensor<64xf32>) -> tensor<2x64x5x35xf32>
  %r7 = "tcc.relu"(%c7) : (tensor<2x64x5x35xf32>) -> tensor<2x64x5x35xf32>
  %i8 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<25600xf32>
  %s8 = "tcc.sin"(%i8) : (tensor<25600xf32>) -> tensor<25600xf32>
  %w8 = "tcc.reshape"(%s8) : (tensor<25600xf32>) -> tensor<32x32x5x5xf32>
  %j8 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<32xf32>
  %b8 = "tcc.sin"(%j8) : (tensor<32xf32>) -> tensor<32xf32>
  %c8 = "tcc.conv"(%x8, %w8, %b8) {strides = array<i64: 2, 2>, pads = array<i64: 2, 2, 2, 2>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x32x16x16xf32>, tensor<32x32x5x5xf32>, tensor<32xf32>) -> tensor<1x32x8x8xf32>
  %r8 = "tcc.relu"(%c8) : (tensor<1x32x8x8xf32>) -> tensor<1x32x8x8xf32>
  %i9 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<18432xf32>
  %s9 = "tcc.sin"(%i9) : (tensor<18432xf32>) -> tensor<18432xf32>
  %w9 = "tcc.reshape"(%s9) : (tensor<18432xf32>) -> tensor<64x32x3x3xf32>
  %j9 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64xf32>
  %b9 = "tcc.sin"(%j9) : (tensor<64xf32>) -> tensor<64xf32>
  %c9 = "tcc.conv"(%x9, %w9, %b9) {strides = array<i64: 1, 1>, pads = array<i64: 2, 2, 2, 2>, dilations = array<i64: 2, 2>, groups = 1 : i64} : (tensor<1x32x9x12xf32>, tensor<64x32x3x3xf32>, tensor<64xf32>) -> tensor<1x64x9x12xf32>
  %r9 = "tcc.relu"(%c9) : (tensor<1x64x9x12xf32>) -> tensor<1x64x9x12xf32>
  %i10 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<345600xf32>
  %s10 = "tcc.sin"(%i10) : (tensor<345600xf32>) -> tensor<345600xf32>
  %w10 = "tcc.reshape"(%s10) : (tensor<345600xf32>) -> tensor<64x600x3x3xf32>
  %j10 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64xf32>
  %b10 = "tcc.sin"(%j10) : (tensor<64xf32>) -> tensor<64xf32>
  %c10 = "tcc.conv"(%x10, %w10, %b10) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x600x7x7xf32>, tensor<64x600x3x3xf32>, tensor<64xf32>) -> tensor<1x64x7x7xf32>
  %r10 = "tcc.relu"(%c10) : (tensor<1x64x7x7xf32>) -> tensor<1x64x7x7xf32>
  %i11 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<9408xf32>
  %s11 = "tcc.sin"(%i11) : (tensor<9408xf32>) -> tensor<9408xf32>
  %w11 = "tcc.reshape"(%s11) : (tensor<9408xf32>) -> tensor<64x3x7x7xf32>
  %j11 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64xf32>
  %b11 = "tcc.sin"(%j11) : (tensor<64xf32>) -> tensor<64xf32>
  %c11 = "tcc.conv"(%x11, %w11, %b11) {strides = array<i64: 2, 2>, pads = array<i64: 3, 3, 3, 3>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x40x40xf32>, tensor<64x3x7x7xf32>, tensor<64xf32>) -> tensor<1x64x20x20xf32>
  %r11 = "tcc.relu"(%c11) : (tensor<1x64x20x20xf32>) -> tensor<1x64x20x20xf32>
  %i12 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<648xf32>
  %s12 = "tcc.sin"(%i12) : (tensor<648xf32>) -> tensor<648xf32>
  %w12 = "tcc.reshape"(%s12) : (tensor<648xf32>) -> tensor<24x3x3x3xf32>
  %j12 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<24xf32>
  %b12 = "tcc.sin"(%j12) : (tensor<24xf32>) -> tensor<24xf32>
  %c12 = "tcc.conv"(%x12, %w12, %b12) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x20x20xf32>, tensor<24x3x3x3xf32>, tensor<24xf32>) -> tensor<1x24x20x20xf32>
  %r12 = "tcc.relu"(%c12) : (tensor<1x24x20x20xf32>) -> tensor<1x24x20x20xf32>
  %i13 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<3840xf32>
  %s13 = "tcc.sin"(%i13) : (tensor<3840xf32>) -> tensor<3840xf32>
  %w13 = "tcc.reshape"(%s13) : (tensor<3840xf32>) -> tensor<80x48x1x1xf32>
  %j13 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<80xf32>
  %b13 = "tcc.sin"(%j13) : (tensor<80xf32>) -> tensor<80xf32>
  %c13 = "tcc.conv"(%x13, %w13, %b13) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x48x5x12xf32>, tensor<80x48x1x1xf32>, tensor<80xf32>) -> tensor<1x80x5x12xf32>
  %r13 = "tcc.relu"(%c13) : (tensor<1x80x5x12xf32>) -> tensor<1x80x5x12xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13 : tensor<1x48x5x64xf32>, tensor<2x80x9x32xf32>, tensor<1x112x6x17xf32>, tensor<1x112x3x14xf32>, tensor<1x128x13x13xf32>, tensor<1x64x7x7xf32>, tensor<1x32x14x14xf32>, tensor<2x64x5x35xf32>, tensor<1x32x8x8xf32>, tensor<1x64x9x12xf32>, tensor<1x64x7x7xf32>, tensor<1x64x20x20xf32>, tensor<1x24x20x20xf32>, tensor<1x80x5x12xf32>
}
