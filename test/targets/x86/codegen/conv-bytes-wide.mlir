// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --save=%t && tcc-run %s --random=1 --target=x86,avx2 --data=%t --check --rtol=0 --atol=0
// RUN: %if avx512 %{ tcc-run %s --random=1 --target=x86,skylake-avx512 --data=%t --check --rtol=0 --atol=0 %}
// RUN: tcc-run %s --random=1 --target=x86,avx2 --compare=interp
// RUN: tcc-opt --pipeline=default --target=x86,avx2 %s | FileCheck %s
// RUN: tcc-opt --pipeline=default --target=x86,avx2 %s | tcc-translate --to-asm --target=x86,avx2 | FileCheck %s --check-prefix=ASM
// RUN: tcc-opt --pipeline=default --target=x86,skylake-avx512 %s | tcc-translate --to-asm --target=x86,skylake-avx512 | FileCheck %s --check-prefix=WIDE
// REQUIRES: avx2

// Bytes at their ends, whose pairs of products are beyond 16 bits: sums are exact, where vpmaddubsw would saturate. Weights stay bytes, which a load widens;
// channels are no whole blocks. Convolutions of one image read it once widened.
// CHECK-COUNT-1: "tcc.convert"({{.*}}: (tensor<4x5x5x7x8xui8>) -> tensor<4x5x5x7x8xi16>
// CHECK-NOT: "tcc.convert"({{.*}}: (tensor<4x5x5x7x8xui8>) -> tensor<4x5x5x7x8xi16>
// CHECK: "tcc.conv_blocked"({{.*}}: (tensor<4x5x5x7x8xi16>, tensor<{{.*}}x2xi8>, none) -> tensor<4x3x5x7x8xi32>
// ASM: vpmovsxbw (%rsi), %ymm
// ASM: vpmaddwd %ymm
// ASM-NEXT: vpaddd %ymm
// WIDE: vpmovsxbw (%rsi), %zmm
// WIDE: vpmaddwd %zmm
// WIDE-NEXT: vpmaddwd %zmm
// WIDE-NEXT: vpaddd %zmm
// WIDE-NEXT: vpaddd %zmm
func.func @main(%x0: tensor<4x40x5x7xui8>, %y0: tensor<8x24x6x6xui8>, %w0: tensor<24x40x3x3xi8>, %p0: tensor<40x24x1x1xi8>) -> (tensor<4x24x5x7xi32>, tensor<4x24x5x7xi32>, tensor<8x40x6x6xi32>, tensor<4x24x5x7xi32>) {
  %most = "tcc.constant"() {value = dense<255> : tensor<ui8>} : () -> tensor<ui8>
  %high = "tcc.constant"() {value = dense<127> : tensor<i8>} : () -> tensor<i8>
  %low = "tcc.constant"() {value = dense<-128> : tensor<i8>} : () -> tensor<i8>
  %none = "tcc.none"() : () -> none
  %x = "tcc.max"(%x0, %most) : (tensor<4x40x5x7xui8>, tensor<ui8>) -> tensor<4x40x5x7xui8>
  %y = "tcc.max"(%y0, %most) : (tensor<8x24x6x6xui8>, tensor<ui8>) -> tensor<8x24x6x6xui8>
  %w1 = "tcc.min"(%w0, %low) : (tensor<24x40x3x3xi8>, tensor<i8>) -> tensor<24x40x3x3xi8>
  %w2 = "tcc.max"(%w0, %high) : (tensor<24x40x3x3xi8>, tensor<i8>) -> tensor<24x40x3x3xi8>
  %p1 = "tcc.min"(%p0, %low) : (tensor<40x24x1x1xi8>, tensor<i8>) -> tensor<40x24x1x1xi8>
  %r0 = "tcc.conv"(%x, %w1, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<4x40x5x7xui8>, tensor<24x40x3x3xi8>, none) -> tensor<4x24x5x7xi32>
  %r1 = "tcc.conv"(%x, %w2, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<4x40x5x7xui8>, tensor<24x40x3x3xi8>, none) -> tensor<4x24x5x7xi32>
  %r2 = "tcc.conv"(%y, %p1, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<8x24x6x6xui8>, tensor<40x24x1x1xi8>, none) -> tensor<8x40x6x6xi32>
  %r3 = "tcc.conv"(%x, %w0, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<4x40x5x7xui8>, tensor<24x40x3x3xi8>, none) -> tensor<4x24x5x7xi32>
  return %r0, %r1, %r2, %r3 : tensor<4x24x5x7xi32>, tensor<4x24x5x7xi32>, tensor<8x40x6x6xi32>, tensor<4x24x5x7xi32>
}
