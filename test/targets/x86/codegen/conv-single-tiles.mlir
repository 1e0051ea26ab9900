// RUN: rm -rf %t && tcc-run %s --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=4e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=4e-3
// REQUIRES: avx2

// Against the reference target: windows of one channel a group over rows of a single tile, whose columns beside the image are left out
// (padding that differs from side to side, strides, dilations, an image narrower than the window); a single pixel, which fetches the
// weights that it is about to read; images that fetch the next panel's; pixels at a stride, copied side by side.
// RUN: tcc-explain %s --no-cache --target=x86,avx512 | FileCheck %s
// CHECK: slice
func.func @main(%x0: tensor<2x32x7x7xf32>, %x1: tensor<1x48x14x14xf32>, %x2: tensor<1x20x9x9xf32>, %x3: tensor<1x16x6x3xf32>, %x4: tensor<2x576x1x1xf32>, %x5: tensor<1x144x1x1xf32>, %x6: tensor<1x96x7x7xf32>, %x7: tensor<1x64x14x14xf32>, %x8: tensor<1x512x13x13xf32>) -> (tensor<2x32x7x7xf32>, tensor<1x48x7x7xf32>, tensor<1x20x9x9xf32>, tensor<1x16x6x3xf32>, tensor<2x144x1x1xf32>, tensor<1x576x1x1xf32>, tensor<1x576x7x7xf32>, tensor<1x288x14x14xf32>, tensor<1x512x7x7xf32>) {
  %i0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<800xf32>
  %s0 = "tcc.sin"(%i0) : (tensor<800xf32>) -> tensor<800xf32>
  %w0 = "tcc.reshape"(%s0) : (tensor<800xf32>) -> tensor<32x1x5x5xf32>
  %j0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<32xf32>
  %b0 = "tcc.sin"(%j0) : (tensor<32xf32>) -> tensor<32xf32>
  %c0 = "tcc.conv"(%x0, %w0, %b0) {strides = array<i64: 1, 1>, pads = array<i64: 2, 2, 2, 2>, dilations = array<i64: 1, 1>, groups = 32 : i64} : (tensor<2x32x7x7xf32>, tensor<32x1x5x5xf32>, tensor<32xf32>) -> tensor<2x32x7x7xf32>
  %r0 = "tcc.relu"(%c0) : (tensor<2x32x7x7xf32>) -> tensor<2x32x7x7xf32>
  %i1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<1200xf32>
  %s1 = "tcc.sin"(%i1) : (tensor<1200xf32>) -> tensor<1200xf32>
  %w1 = "tcc.reshape"(%s1) : (tensor<1200xf32>) -> tensor<48x1x5x5xf32>
  %j1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<48xf32>
  %b1 = "tcc.sin"(%j1) : (tensor<48xf32>) -> tensor<48xf32>
  %c1 = "tcc.conv"(%x1, %w1, %b1) {strides = array<i64: 2, 2>, pads = array<i64: 1, 2, 2, 1>, dilations = array<i64: 1, 1>, groups = 48 : i64} : (tensor<1x48x14x14xf32>, tensor<48x1x5x5xf32>, tensor<48xf32>) -> tensor<1x48x7x7xf32>
  %r1 = "tcc.relu"(%c1) : (tensor<1x48x7x7xf32>) -> tensor<1x48x7x7xf32>
  %i2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<180xf32>
  %s2 = "tcc.sin"(%i2) : (tensor<180xf32>) -> tensor<180xf32>
  %w2 = "tcc.reshape"(%s2) : (tensor<180xf32>) -> tensor<20x1x3x3xf32>
  %j2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<20xf32>
  %b2 = "tcc.sin"(%j2) : (tensor<20xf32>) -> tensor<20xf32>
  %c2 = "tcc.conv"(%x2, %w2, %b2) {strides = array<i64: 1, 1>, pads = array<i64: 2, 2, 2, 2>, dilations = array<i64: 2, 2>, groups = 20 : i64} : (tensor<1x20x9x9xf32>, tensor<20x1x3x3xf32>, tensor<20xf32>) -> tensor<1x20x9x9xf32>
  %r2 = "tcc.relu"(%c2) : (tensor<1x20x9x9xf32>) -> tensor<1x20x9x9xf32>
  %i3 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<336xf32>
  %s3 = "tcc.sin"(%i3) : (tensor<336xf32>) -> tensor<336xf32>
  %w3 = "tcc.reshape"(%s3) : (tensor<336xf32>) -> tensor<16x1x3x7xf32>
  %j3 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<16xf32>
  %b3 = "tcc.sin"(%j3) : (tensor<16xf32>) -> tensor<16xf32>
  %c3 = "tcc.conv"(%x3, %w3, %b3) {strides = array<i64: 1, 1>, pads = array<i64: 1, 3, 1, 3>, dilations = array<i64: 1, 1>, groups = 16 : i64} : (tensor<1x16x6x3xf32>, tensor<16x1x3x7xf32>, tensor<16xf32>) -> tensor<1x16x6x3xf32>
  %r3 = "tcc.relu"(%c3) : (tensor<1x16x6x3xf32>) -> tensor<1x16x6x3xf32>
  %i4 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<82944xf32>
  %s4 = "tcc.sin"(%i4) : (tensor<82944xf32>) -> tensor<82944xf32>
  %w4 = "tcc.reshape"(%s4) : (tensor<82944xf32>) -> tensor<144x576x1x1xf32>
  %j4 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<144xf32>
  %b4 = "tcc.sin"(%j4) : (tensor<144xf32>) -> tensor<144xf32>
  %c4 = "tcc.conv"(%x4, %w4, %b4) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x576x1x1xf32>, tensor<144x576x1x1xf32>, tensor<144xf32>) -> tensor<2x144x1x1xf32>
  %r4 = "tcc.relu"(%c4) : (tensor<2x144x1x1xf32>) -> tensor<2x144x1x1xf32>
  %i5 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<82944xf32>
  %s5 = "tcc.sin"(%i5) : (tensor<82944xf32>) -> tensor<82944xf32>
  %w5 = "tcc.reshape"(%s5) : (tensor<82944xf32>) -> tensor<576x144x1x1xf32>
  %j5 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<576xf32>
  %b5 = "tcc.sin"(%j5) : (tensor<576xf32>) -> tensor<576xf32>
  %c5 = "tcc.conv"(%x5, %w5, %b5) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x144x1x1xf32>, tensor<576x144x1x1xf32>, tensor<576xf32>) -> tensor<1x576x1x1xf32>
  %r5 = "tcc.relu"(%c5) : (tensor<1x576x1x1xf32>) -> tensor<1x576x1x1xf32>
  %i6 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<55296xf32>
  %s6 = "tcc.sin"(%i6) : (tensor<55296xf32>) -> tensor<55296xf32>
  %w6 = "tcc.reshape"(%s6) : (tensor<55296xf32>) -> tensor<576x96x1x1xf32>
  %j6 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<576xf32>
  %b6 = "tcc.sin"(%j6) : (tensor<576xf32>) -> tensor<576xf32>
  %c6 = "tcc.conv"(%x6, %w6, %b6) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x96x7x7xf32>, tensor<576x96x1x1xf32>, tensor<576xf32>) -> tensor<1x576x7x7xf32>
  %r6 = "tcc.relu"(%c6) : (tensor<1x576x7x7xf32>) -> tensor<1x576x7x7xf32>
  %i7 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<18432xf32>
  %s7 = "tcc.sin"(%i7) : (tensor<18432xf32>) -> tensor<18432xf32>
  %w7 = "tcc.reshape"(%s7) : (tensor<18432xf32>) -> tensor<288x64x1x1xf32>
  %j7 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<288xf32>
  %b7 = "tcc.sin"(%j7) : (tensor<288xf32>) -> tensor<288xf32>
  %c7 = "tcc.conv"(%x7, %w7, %b7) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x14x14xf32>, tensor<288x64x1x1xf32>, tensor<288xf32>) -> tensor<1x288x14x14xf32>
  %r7 = "tcc.relu"(%c7) : (tensor<1x288x14x14xf32>) -> tensor<1x288x14x14xf32>
  %i8 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<262144xf32>
  %s8 = "tcc.sin"(%i8) : (tensor<262144xf32>) -> tensor<262144xf32>
  %w8 = "tcc.reshape"(%s8) : (tensor<262144xf32>) -> tensor<512x512x1x1xf32>
  %j8 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<512xf32>
  %b8 = "tcc.sin"(%j8) : (tensor<512xf32>) -> tensor<512xf32>
  %c8 = "tcc.conv"(%x8, %w8, %b8) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x512x13x13xf32>, tensor<512x512x1x1xf32>, tensor<512xf32>) -> tensor<1x512x7x7xf32>
  %r8 = "tcc.relu"(%c8) : (tensor<1x512x7x7xf32>) -> tensor<1x512x7x7xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8 : tensor<2x32x7x7xf32>, tensor<1x48x7x7xf32>, tensor<1x20x9x9xf32>, tensor<1x16x6x3xf32>, tensor<2x144x1x1xf32>, tensor<1x576x1x1xf32>, tensor<1x576x7x7xf32>, tensor<1x288x14x14xf32>, tensor<1x512x7x7xf32>
}
