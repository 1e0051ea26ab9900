// RUN: tcc-opt --target=x86,sapphirerapids --pass-pipeline="import,tcc-block-layout" %s | FileCheck %s
// RUN: tcc-opt --target=x86,cooperlake --pass-pipeline="import,tcc-block-layout" %s | FileCheck %s --check-prefix=DOT
// RUN: tcc-opt --target=x86,cascadelake --pass-pipeline="import,tcc-block-layout" %s | FileCheck %s --check-prefix=WIDE

// A network of bf16 stays in blocks, and in bf16, from end to end: the plain image, a relu, a pool, one channel a group, a residual and a mean between
// convolutions. Without tile registers the plain image, whose channels are odd, and without AVX512-BF16 all of it stay as they are.
// CHECK: tcc.convert{{.*}}(tensor<32xbf16>) -> tensor<32xf32>
// CHECK: tcc.conv_blocked{{.*}}(tensor<1x3x16x16xbf16>, tensor<1x1x3x3x2x32x2xbf16>, tensor<32xf32>) -> tensor<1x2x16x16x16xbf16>
// CHECK-NEXT: tcc.relu{{.*}}tensor<1x2x16x16x16xbf16>
// CHECK-NEXT: tcc.pool{{.*}}tensor<1x2x8x8x16xbf16>
// CHECK: tcc.convert{{.*}}(tensor<32x1x3x3xbf16>) -> tensor<32x1x3x3xf32>
// CHECK: tcc.conv_blocked{{.*}}(tensor<1x2x8x8x16xbf16>, tensor<2x3x3x16xf32>, none) -> tensor<1x2x8x8x16xbf16>
// CHECK: tcc.conv_blocked{{.*}}(tensor<1x2x8x8x16xbf16>, tensor<1x1x1x1x16x32x2xbf16>, none) -> tensor<1x2x8x8x16xbf16>
// CHECK-NEXT: tcc.add{{.*}}tensor<1x2x8x8x16xbf16>
// CHECK-NEXT: tcc.mean{{.*}}tensor<1x2x1x1x16xbf16>
// DOT: tcc.conv{{.*}}tensor<1x3x16x16xbf16>
// DOT: tcc.conv_blocked{{.*}}tensor<2x3x3x16xf32>
// DOT: tcc.conv_blocked{{.*}}tensor<1x2x1x1x8x32x2xbf16>
// WIDE-NOT: tcc.conv_blocked
func.func @main(%x: tensor<1x3x16x16xbf16>) -> tensor<1x32x1x1xbf16> {
  %w0 = "tcc.weight"() {name = "w0", source = 0 : i64, offset = 0 : i64, length = 1728 : i64} : () -> tensor<32x3x3x3xbf16>
  %w1 = "tcc.weight"() {name = "w1", source = 0 : i64, offset = 2048 : i64, length = 576 : i64} : () -> tensor<32x1x3x3xbf16>
  %w2 = "tcc.weight"() {name = "w2", source = 0 : i64, offset = 4096 : i64, length = 2048 : i64} : () -> tensor<32x32x1x1xbf16>
  %b0 = "tcc.weight"() {name = "b0", source = 0 : i64, offset = 8192 : i64, length = 64 : i64} : () -> tensor<32xbf16>
  %none = "tcc.none"() : () -> none
  %c0 = "tcc.conv"(%x, %w0, %b0) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x16x16xbf16>, tensor<32x3x3x3xbf16>, tensor<32xbf16>) -> tensor<1x32x16x16xbf16>
  %r0 = "tcc.relu"(%c0) : (tensor<1x32x16x16xbf16>) -> tensor<1x32x16x16xbf16>
  %p0 = "tcc.pool"(%r0) {kind = "max", kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x32x16x16xbf16>) -> tensor<1x32x8x8xbf16>
  %c1 = "tcc.conv"(%p0, %w1, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 32 : i64} : (tensor<1x32x8x8xbf16>, tensor<32x1x3x3xbf16>, none) -> tensor<1x32x8x8xbf16>
  %c2 = "tcc.conv"(%c1, %w2, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x32x8x8xbf16>, tensor<32x32x1x1xbf16>, none) -> tensor<1x32x8x8xbf16>
  %a = "tcc.add"(%c2, %p0) : (tensor<1x32x8x8xbf16>, tensor<1x32x8x8xbf16>) -> tensor<1x32x8x8xbf16>
  %m = "tcc.mean"(%a) {axes = array<i64: 2, 3>, keepdims = true} : (tensor<1x32x8x8xbf16>) -> tensor<1x32x1x1xbf16>
  return %m : tensor<1x32x1x1xbf16>
}
