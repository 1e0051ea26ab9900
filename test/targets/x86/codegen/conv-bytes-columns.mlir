// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=H=6 --dim=W=37 --save=%t
// RUN: tcc-run %s --random=1 --dim=H=6 --dim=W=37 --target=x86,cascadelake --data=%t --check --threads=2
// RUN: %if amx %{ tcc-run %s --random=1 --dim=H=6 --dim=W=37 --target=x86,sapphirerapids --data=%t --check %}
// RUN: tcc-run %s --random=1 --dim=H=6 --dim=W=37 --target=x86,cascadelake --compare=interp
// RUN: bash -c 'for w in 1 2 3 4 5 13 14 15 16 29; do rm -rf %t; tcc-run %s --random=1 --dim=H=3 --dim=W=$w --target=reference --save=%t && tcc-run %s --random=1 --dim=H=3 --dim=W=$w --target=x86,cascadelake --data=%t --check || exit 1; done'
// RUN: tcc-opt --pipeline=default --target=x86,sapphirerapids %s | FileCheck %s
// RUN: tcc-opt --pipeline=default --target=x86,sapphirerapids %s | tcc-translate --to-asm --target=x86,sapphirerapids - | FileCheck %s --check-prefix=CODE
// REQUIRES: avx512vnni

// Convolutions of bytes with one channel a group: windows of three to seven columns, strides, dilations, padding, blocks that are not whole, several
// images, sizes that are not known, sums and quantised results. Four columns of the window are one product, whose bytes a shuffle puts side by side.
// CHECK-DAG: tensor<1x3x3x16xi8>
// CHECK-DAG: tensor<2x5x5x16xi8>
// CHECK-DAG: tensor<2x3x7x16xi8>
// CHECK-NOT: xf32>, tensor<{{.*}}xf32>, none) -> tensor<{{.*}}x16xf32>
// CODE-DAG: {{vpermb|vpshufb}}
// CODE-DAG: vpdpbusd
// CODE-DAG: vpackuswb
func.func @main(%x0: tensor<2x16x5x14xui8>, %x1: tensor<1x24x9x29xui8>, %x2: tensor<1x32x6x7xui8>, %x3: tensor<1x32x9x19xui8>, %x4: tensor<1x32x8x20xui8>, %x5: tensor<2x16x8x9xui8>, %x6: tensor<1x48x6x17xui8>, %x7: tensor<1x16x4x3xui8>, %xh: tensor<1x16x?x?xui8, [1, 16, "H", "W"]>, %xw: tensor<1x24x?x?xui8, [1, 24, "H", "W"]>) -> (tensor<2x16x5x14xi32>, tensor<1x24x9x29xui8>, tensor<1x32x6x7xui8>, tensor<1x32x5x10xui8>, tensor<1x32x8x20xi32>, tensor<2x16x8x9xui8>, tensor<1x48x3x8xi32>, tensor<1x16x4x3xui8>, tensor<1x16x?x?xi32, [1, 16, "H", "W"]>, tensor<1x24x?x?xui8, [1, 24, "floordiv(H + 1, 2)", "floordiv(W + 1, 2)"]>) {
  %seven = "tcc.constant"() {value = dense<7> : tensor<i32>} : () -> tensor<i32>
  %eleven = "tcc.constant"() {value = dense<11> : tensor<i32>} : () -> tensor<i32>
  %thirteen = "tcc.constant"() {value = dense<13> : tensor<i32>} : () -> tensor<i32>
  %modulus = "tcc.constant"() {value = dense<199> : tensor<i32>} : () -> tensor<i32>
  %middle = "tcc.constant"() {value = dense<99> : tensor<i32>} : () -> tensor<i32>
  %scale = "tcc.constant"() {value = dense<7.5e-01> : tensor<f32>} : () -> tensor<f32>
  %zero = "tcc.constant"() {value = dense<1.2e+01> : tensor<f32>} : () -> tensor<f32>
  %low = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %high = "tcc.constant"() {value = dense<2.55e+02> : tensor<f32>} : () -> tensor<f32>
  %none = "tcc.none"() : () -> none
  %a0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<16x1x3x3xi32>
  %b0 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<16x1x3x3xi32>
  %c0 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<16x1x3x3xi32>
  %d0 = "tcc.mul"(%a0, %eleven) : (tensor<16x1x3x3xi32>, tensor<i32>) -> tensor<16x1x3x3xi32>
  %e0 = "tcc.mul"(%b0, %seven) : (tensor<16x1x3x3xi32>, tensor<i32>) -> tensor<16x1x3x3xi32>
  %f0 = "tcc.mul"(%c0, %thirteen) : (tensor<16x1x3x3xi32>, tensor<i32>) -> tensor<16x1x3x3xi32>
  %g0 = "tcc.add"(%d0, %e0) : (tensor<16x1x3x3xi32>, tensor<16x1x3x3xi32>) -> tensor<16x1x3x3xi32>
  %i0 = "tcc.add"(%g0, %f0) : (tensor<16x1x3x3xi32>, tensor<16x1x3x3xi32>) -> tensor<16x1x3x3xi32>
  %j0 = "tcc.mod"(%i0, %modulus) : (tensor<16x1x3x3xi32>, tensor<i32>) -> tensor<16x1x3x3xi32>
  %k0 = "tcc.sub"(%j0, %middle) : (tensor<16x1x3x3xi32>, tensor<i32>) -> tensor<16x1x3x3xi32>
  %w0 = "tcc.convert"(%k0) : (tensor<16x1x3x3xi32>) -> tensor<16x1x3x3xi8>
  %r0 = "tcc.conv"(%x0, %w0, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 16 : i64} : (tensor<2x16x5x14xui8>, tensor<16x1x3x3xi8>, none) -> tensor<2x16x5x14xi32>
  %a1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<24x1x5x5xi32>
  %b1 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<24x1x5x5xi32>
  %c1 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<24x1x5x5xi32>
  %d1 = "tcc.mul"(%a1, %eleven) : (tensor<24x1x5x5xi32>, tensor<i32>) -> tensor<24x1x5x5xi32>
  %e1 = "tcc.mul"(%b1, %seven) : (tensor<24x1x5x5xi32>, tensor<i32>) -> tensor<24x1x5x5xi32>
  %f1 = "tcc.mul"(%c1, %thirteen) : (tensor<24x1x5x5xi32>, tensor<i32>) -> tensor<24x1x5x5xi32>
  %g1 = "tcc.add"(%d1, %e1) : (tensor<24x1x5x5xi32>, tensor<24x1x5x5xi32>) -> tensor<24x1x5x5xi32>
  %i1 = "tcc.add"(%g1, %f1) : (tensor<24x1x5x5xi32>, tensor<24x1x5x5xi32>) -> tensor<24x1x5x5xi32>
  %j1 = "tcc.mod"(%i1, %modulus) : (tensor<24x1x5x5xi32>, tensor<i32>) -> tensor<24x1x5x5xi32>
  %k1 = "tcc.sub"(%j1, %middle) : (tensor<24x1x5x5xi32>, tensor<i32>) -> tensor<24x1x5x5xi32>
  %w1 = "tcc.convert"(%k1) : (tensor<24x1x5x5xi32>) -> tensor<24x1x5x5xi8>
  %r1 = "tcc.conv"(%x1, %w1, %none) {strides = array<i64: 1, 1>, pads = array<i64: 2, 2, 2, 2>, dilations = array<i64: 1, 1>, groups = 24 : i64} : (tensor<1x24x9x29xui8>, tensor<24x1x5x5xi8>, none) -> tensor<1x24x9x29xi32>
  %s1 = "tcc.convert"(%r1) : (tensor<1x24x9x29xi32>) -> tensor<1x24x9x29xf32>
  %t1 = "tcc.mul"(%s1, %scale) : (tensor<1x24x9x29xf32>, tensor<f32>) -> tensor<1x24x9x29xf32>
  %u1 = "tcc.round"(%t1) : (tensor<1x24x9x29xf32>) -> tensor<1x24x9x29xf32>
  %v1 = "tcc.add"(%u1, %zero) : (tensor<1x24x9x29xf32>, tensor<f32>) -> tensor<1x24x9x29xf32>
  %y1 = "tcc.max"(%v1, %low) : (tensor<1x24x9x29xf32>, tensor<f32>) -> tensor<1x24x9x29xf32>
  %z1 = "tcc.min"(%y1, %high) : (tensor<1x24x9x29xf32>, tensor<f32>) -> tensor<1x24x9x29xf32>
  %q1 = "tcc.convert"(%z1) : (tensor<1x24x9x29xf32>) -> tensor<1x24x9x29xui8>
  %a2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<32x1x3x3xi32>
  %b2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<32x1x3x3xi32>
  %c2 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<32x1x3x3xi32>
  %d2 = "tcc.mul"(%a2, %eleven) : (tensor<32x1x3x3xi32>, tensor<i32>) -> tensor<32x1x3x3xi32>
  %e2 = "tcc.mul"(%b2, %seven) : (tensor<32x1x3x3xi32>, tensor<i32>) -> tensor<32x1x3x3xi32>
  %f2 = "tcc.mul"(%c2, %thirteen) : (tensor<32x1x3x3xi32>, tensor<i32>) -> tensor<32x1x3x3xi32>
  %g2 = "tcc.add"(%d2, %e2) : (tensor<32x1x3x3xi32>, tensor<32x1x3x3xi32>) -> tensor<32x1x3x3xi32>
  %i2 = "tcc.add"(%g2, %f2) : (tensor<32x1x3x3xi32>, tensor<32x1x3x3xi32>) -> tensor<32x1x3x3xi32>
  %j2 = "tcc.mod"(%i2, %modulus) : (tensor<32x1x3x3xi32>, tensor<i32>) -> tensor<32x1x3x3xi32>
  %k2 = "tcc.sub"(%j2, %middle) : (tensor<32x1x3x3xi32>, tensor<i32>) -> tensor<32x1x3x3xi32>
  %w2 = "tcc.convert"(%k2) : (tensor<32x1x3x3xi32>) -> tensor<32x1x3x3xi8>
  %r2 = "tcc.conv"(%x2, %w2, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 32 : i64} : (tensor<1x32x6x7xui8>, tensor<32x1x3x3xi8>, none) -> tensor<1x32x6x7xi32>
  %s2 = "tcc.convert"(%r2) : (tensor<1x32x6x7xi32>) -> tensor<1x32x6x7xf32>
  %t2 = "tcc.mul"(%s2, %scale) : (tensor<1x32x6x7xf32>, tensor<f32>) -> tensor<1x32x6x7xf32>
  %u2 = "tcc.round"(%t2) : (tensor<1x32x6x7xf32>) -> tensor<1x32x6x7xf32>
  %v2 = "tcc.add"(%u2, %zero) : (tensor<1x32x6x7xf32>, tensor<f32>) -> tensor<1x32x6x7xf32>
  %y2 = "tcc.max"(%v2, %low) : (tensor<1x32x6x7xf32>, tensor<f32>) -> tensor<1x32x6x7xf32>
  %z2 = "tcc.min"(%y2, %high) : (tensor<1x32x6x7xf32>, tensor<f32>) -> tensor<1x32x6x7xf32>
  %q2 = "tcc.convert"(%z2) : (tensor<1x32x6x7xf32>) -> tensor<1x32x6x7xui8>
  %a3 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<32x1x3x3xi32>
  %b3 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<32x1x3x3xi32>
  %c3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<32x1x3x3xi32>
  %d3 = "tcc.mul"(%a3, %eleven) : (tensor<32x1x3x3xi32>, tensor<i32>) -> tensor<32x1x3x3xi32>
  %e3 = "tcc.mul"(%b3, %seven) : (tensor<32x1x3x3xi32>, tensor<i32>) -> tensor<32x1x3x3xi32>
  %f3 = "tcc.mul"(%c3, %thirteen) : (tensor<32x1x3x3xi32>, tensor<i32>) -> tensor<32x1x3x3xi32>
  %g3 = "tcc.add"(%d3, %e3) : (tensor<32x1x3x3xi32>, tensor<32x1x3x3xi32>) -> tensor<32x1x3x3xi32>
  %i3 = "tcc.add"(%g3, %f3) : (tensor<32x1x3x3xi32>, tensor<32x1x3x3xi32>) -> tensor<32x1x3x3xi32>
  %j3 = "tcc.mod"(%i3, %modulus) : (tensor<32x1x3x3xi32>, tensor<i32>) -> tensor<32x1x3x3xi32>
  %k3 = "tcc.sub"(%j3, %middle) : (tensor<32x1x3x3xi32>, tensor<i32>) -> tensor<32x1x3x3xi32>
  %w3 = "tcc.convert"(%k3) : (tensor<32x1x3x3xi32>) -> tensor<32x1x3x3xi8>
  %r3 = "tcc.conv"(%x3, %w3, %none) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 32 : i64} : (tensor<1x32x9x19xui8>, tensor<32x1x3x3xi8>, none) -> tensor<1x32x5x10xi32>
  %s3 = "tcc.convert"(%r3) : (tensor<1x32x5x10xi32>) -> tensor<1x32x5x10xf32>
  %t3 = "tcc.mul"(%s3, %scale) : (tensor<1x32x5x10xf32>, tensor<f32>) -> tensor<1x32x5x10xf32>
  %u3 = "tcc.round"(%t3) : (tensor<1x32x5x10xf32>) -> tensor<1x32x5x10xf32>
  %v3 = "tcc.add"(%u3, %zero) : (tensor<1x32x5x10xf32>, tensor<f32>) -> tensor<1x32x5x10xf32>
  %y3 = "tcc.max"(%v3, %low) : (tensor<1x32x5x10xf32>, tensor<f32>) -> tensor<1x32x5x10xf32>
  %z3 = "tcc.min"(%y3, %high) : (tensor<1x32x5x10xf32>, tensor<f32>) -> tensor<1x32x5x10xf32>
  %q3 = "tcc.convert"(%z3) : (tensor<1x32x5x10xf32>) -> tensor<1x32x5x10xui8>
  %a4 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<32x1x3x7xi32>
  %b4 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<32x1x3x7xi32>
  %c4 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<32x1x3x7xi32>
  %d4 = "tcc.mul"(%a4, %eleven) : (tensor<32x1x3x7xi32>, tensor<i32>) -> tensor<32x1x3x7xi32>
  %e4 = "tcc.mul"(%b4, %seven) : (tensor<32x1x3x7xi32>, tensor<i32>) -> tensor<32x1x3x7xi32>
  %f4 = "tcc.mul"(%c4, %thirteen) : (tensor<32x1x3x7xi32>, tensor<i32>) -> tensor<32x1x3x7xi32>
  %g4 = "tcc.add"(%d4, %e4) : (tensor<32x1x3x7xi32>, tensor<32x1x3x7xi32>) -> tensor<32x1x3x7xi32>
  %i4 = "tcc.add"(%g4, %f4) : (tensor<32x1x3x7xi32>, tensor<32x1x3x7xi32>) -> tensor<32x1x3x7xi32>
  %j4 = "tcc.mod"(%i4, %modulus) : (tensor<32x1x3x7xi32>, tensor<i32>) -> tensor<32x1x3x7xi32>
  %k4 = "tcc.sub"(%j4, %middle) : (tensor<32x1x3x7xi32>, tensor<i32>) -> tensor<32x1x3x7xi32>
  %w4 = "tcc.convert"(%k4) : (tensor<32x1x3x7xi32>) -> tensor<32x1x3x7xi8>
  %r4 = "tcc.conv"(%x4, %w4, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 3, 1, 3>, dilations = array<i64: 1, 1>, groups = 32 : i64} : (tensor<1x32x8x20xui8>, tensor<32x1x3x7xi8>, none) -> tensor<1x32x8x20xi32>
  %a5 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<16x1x3x3xi32>
  %b5 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<16x1x3x3xi32>
  %c5 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<16x1x3x3xi32>
  %d5 = "tcc.mul"(%a5, %eleven) : (tensor<16x1x3x3xi32>, tensor<i32>) -> tensor<16x1x3x3xi32>
  %e5 = "tcc.mul"(%b5, %seven) : (tensor<16x1x3x3xi32>, tensor<i32>) -> tensor<16x1x3x3xi32>
  %f5 = "tcc.mul"(%c5, %thirteen) : (tensor<16x1x3x3xi32>, tensor<i32>) -> tensor<16x1x3x3xi32>
  %g5 = "tcc.add"(%d5, %e5) : (tensor<16x1x3x3xi32>, tensor<16x1x3x3xi32>) -> tensor<16x1x3x3xi32>
  %i5 = "tcc.add"(%g5, %f5) : (tensor<16x1x3x3xi32>, tensor<16x1x3x3xi32>) -> tensor<16x1x3x3xi32>
  %j5 = "tcc.mod"(%i5, %modulus) : (tensor<16x1x3x3xi32>, tensor<i32>) -> tensor<16x1x3x3xi32>
  %k5 = "tcc.sub"(%j5, %middle) : (tensor<16x1x3x3xi32>, tensor<i32>) -> tensor<16x1x3x3xi32>
  %w5 = "tcc.convert"(%k5) : (tensor<16x1x3x3xi32>) -> tensor<16x1x3x3xi8>
  %r5 = "tcc.conv"(%x5, %w5, %none) {strides = array<i64: 1, 1>, pads = array<i64: 2, 2, 2, 2>, dilations = array<i64: 2, 2>, groups = 16 : i64} : (tensor<2x16x8x9xui8>, tensor<16x1x3x3xi8>, none) -> tensor<2x16x8x9xi32>
  %s5 = "tcc.convert"(%r5) : (tensor<2x16x8x9xi32>) -> tensor<2x16x8x9xf32>
  %t5 = "tcc.mul"(%s5, %scale) : (tensor<2x16x8x9xf32>, tensor<f32>) -> tensor<2x16x8x9xf32>
  %u5 = "tcc.round"(%t5) : (tensor<2x16x8x9xf32>) -> tensor<2x16x8x9xf32>
  %v5 = "tcc.add"(%u5, %zero) : (tensor<2x16x8x9xf32>, tensor<f32>) -> tensor<2x16x8x9xf32>
  %y5 = "tcc.max"(%v5, %low) : (tensor<2x16x8x9xf32>, tensor<f32>) -> tensor<2x16x8x9xf32>
  %z5 = "tcc.min"(%y5, %high) : (tensor<2x16x8x9xf32>, tensor<f32>) -> tensor<2x16x8x9xf32>
  %q5 = "tcc.convert"(%z5) : (tensor<2x16x8x9xf32>) -> tensor<2x16x8x9xui8>
  %a6 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<48x1x3x3xi32>
  %b6 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<48x1x3x3xi32>
  %c6 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<48x1x3x3xi32>
  %d6 = "tcc.mul"(%a6, %eleven) : (tensor<48x1x3x3xi32>, tensor<i32>) -> tensor<48x1x3x3xi32>
  %e6 = "tcc.mul"(%b6, %seven) : (tensor<48x1x3x3xi32>, tensor<i32>) -> tensor<48x1x3x3xi32>
  %f6 = "tcc.mul"(%c6, %thirteen) : (tensor<48x1x3x3xi32>, tensor<i32>) -> tensor<48x1x3x3xi32>
  %g6 = "tcc.add"(%d6, %e6) : (tensor<48x1x3x3xi32>, tensor<48x1x3x3xi32>) -> tensor<48x1x3x3xi32>
  %i6 = "tcc.add"(%g6, %f6) : (tensor<48x1x3x3xi32>, tensor<48x1x3x3xi32>) -> tensor<48x1x3x3xi32>
  %j6 = "tcc.mod"(%i6, %modulus) : (tensor<48x1x3x3xi32>, tensor<i32>) -> tensor<48x1x3x3xi32>
  %k6 = "tcc.sub"(%j6, %middle) : (tensor<48x1x3x3xi32>, tensor<i32>) -> tensor<48x1x3x3xi32>
  %w6 = "tcc.convert"(%k6) : (tensor<48x1x3x3xi32>) -> tensor<48x1x3x3xi8>
  %r6 = "tcc.conv"(%x6, %w6, %none) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 1, 1>, dilations = array<i64: 1, 1>, groups = 48 : i64} : (tensor<1x48x6x17xui8>, tensor<48x1x3x3xi8>, none) -> tensor<1x48x3x8xi32>
  %a7 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<16x1x1x4xi32>
  %b7 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<16x1x1x4xi32>
  %c7 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<16x1x1x4xi32>
  %d7 = "tcc.mul"(%a7, %eleven) : (tensor<16x1x1x4xi32>, tensor<i32>) -> tensor<16x1x1x4xi32>
  %e7 = "tcc.mul"(%b7, %seven) : (tensor<16x1x1x4xi32>, tensor<i32>) -> tensor<16x1x1x4xi32>
  %f7 = "tcc.mul"(%c7, %thirteen) : (tensor<16x1x1x4xi32>, tensor<i32>) -> tensor<16x1x1x4xi32>
  %g7 = "tcc.add"(%d7, %e7) : (tensor<16x1x1x4xi32>, tensor<16x1x1x4xi32>) -> tensor<16x1x1x4xi32>
  %i7 = "tcc.add"(%g7, %f7) : (tensor<16x1x1x4xi32>, tensor<16x1x1x4xi32>) -> tensor<16x1x1x4xi32>
  %j7 = "tcc.mod"(%i7, %modulus) : (tensor<16x1x1x4xi32>, tensor<i32>) -> tensor<16x1x1x4xi32>
  %k7 = "tcc.sub"(%j7, %middle) : (tensor<16x1x1x4xi32>, tensor<i32>) -> tensor<16x1x1x4xi32>
  %w7 = "tcc.convert"(%k7) : (tensor<16x1x1x4xi32>) -> tensor<16x1x1x4xi8>
  %r7 = "tcc.conv"(%x7, %w7, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 2, 0, 1>, dilations = array<i64: 1, 1>, groups = 16 : i64} : (tensor<1x16x4x3xui8>, tensor<16x1x1x4xi8>, none) -> tensor<1x16x4x3xi32>
  %s7 = "tcc.convert"(%r7) : (tensor<1x16x4x3xi32>) -> tensor<1x16x4x3xf32>
  %t7 = "tcc.mul"(%s7, %scale) : (tensor<1x16x4x3xf32>, tensor<f32>) -> tensor<1x16x4x3xf32>
  %u7 = "tcc.round"(%t7) : (tensor<1x16x4x3xf32>) -> tensor<1x16x4x3xf32>
  %v7 = "tcc.add"(%u7, %zero) : (tensor<1x16x4x3xf32>, tensor<f32>) -> tensor<1x16x4x3xf32>
  %y7 = "tcc.max"(%v7, %low) : (tensor<1x16x4x3xf32>, tensor<f32>) -> tensor<1x16x4x3xf32>
  %z7 = "tcc.min"(%y7, %high) : (tensor<1x16x4x3xf32>, tensor<f32>) -> tensor<1x16x4x3xf32>
  %q7 = "tcc.convert"(%z7) : (tensor<1x16x4x3xf32>) -> tensor<1x16x4x3xui8>
  %ah = "tcc.iota"() {axis = 0 : i64} : () -> tensor<16x1x3x3xi32>
  %bh = "tcc.iota"() {axis = 2 : i64} : () -> tensor<16x1x3x3xi32>
  %ch = "tcc.iota"() {axis = 3 : i64} : () -> tensor<16x1x3x3xi32>
  %dh = "tcc.mul"(%ah, %eleven) : (tensor<16x1x3x3xi32>, tensor<i32>) -> tensor<16x1x3x3xi32>
  %eh = "tcc.mul"(%bh, %seven) : (tensor<16x1x3x3xi32>, tensor<i32>) -> tensor<16x1x3x3xi32>
  %fh = "tcc.mul"(%ch, %thirteen) : (tensor<16x1x3x3xi32>, tensor<i32>) -> tensor<16x1x3x3xi32>
  %gh = "tcc.add"(%dh, %eh) : (tensor<16x1x3x3xi32>, tensor<16x1x3x3xi32>) -> tensor<16x1x3x3xi32>
  %ih = "tcc.add"(%gh, %fh) : (tensor<16x1x3x3xi32>, tensor<16x1x3x3xi32>) -> tensor<16x1x3x3xi32>
  %jh = "tcc.mod"(%ih, %modulus) : (tensor<16x1x3x3xi32>, tensor<i32>) -> tensor<16x1x3x3xi32>
  %kh = "tcc.sub"(%jh, %middle) : (tensor<16x1x3x3xi32>, tensor<i32>) -> tensor<16x1x3x3xi32>
  %wh = "tcc.convert"(%kh) : (tensor<16x1x3x3xi32>) -> tensor<16x1x3x3xi8>
  %rh = "tcc.conv"(%xh, %wh, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 16 : i64} : (tensor<1x16x?x?xui8, [1, 16, "H", "W"]>, tensor<16x1x3x3xi8>, none) -> tensor<1x16x?x?xi32, [1, 16, "H", "W"]>
  %aw = "tcc.iota"() {axis = 0 : i64} : () -> tensor<24x1x5x5xi32>
  %bw = "tcc.iota"() {axis = 2 : i64} : () -> tensor<24x1x5x5xi32>
  %cw = "tcc.iota"() {axis = 3 : i64} : () -> tensor<24x1x5x5xi32>
  %dw = "tcc.mul"(%aw, %eleven) : (tensor<24x1x5x5xi32>, tensor<i32>) -> tensor<24x1x5x5xi32>
  %ew = "tcc.mul"(%bw, %seven) : (tensor<24x1x5x5xi32>, tensor<i32>) -> tensor<24x1x5x5xi32>
  %fw = "tcc.mul"(%cw, %thirteen) : (tensor<24x1x5x5xi32>, tensor<i32>) -> tensor<24x1x5x5xi32>
  %gw = "tcc.add"(%dw, %ew) : (tensor<24x1x5x5xi32>, tensor<24x1x5x5xi32>) -> tensor<24x1x5x5xi32>
  %iw = "tcc.add"(%gw, %fw) : (tensor<24x1x5x5xi32>, tensor<24x1x5x5xi32>) -> tensor<24x1x5x5xi32>
  %jw = "tcc.mod"(%iw, %modulus) : (tensor<24x1x5x5xi32>, tensor<i32>) -> tensor<24x1x5x5xi32>
  %kw = "tcc.sub"(%jw, %middle) : (tensor<24x1x5x5xi32>, tensor<i32>) -> tensor<24x1x5x5xi32>
  %ww = "tcc.convert"(%kw) : (tensor<24x1x5x5xi32>) -> tensor<24x1x5x5xi8>
  %rw = "tcc.conv"(%xw, %ww, %none) {strides = array<i64: 2, 2>, pads = array<i64: 2, 2, 2, 2>, dilations = array<i64: 1, 1>, groups = 24 : i64} : (tensor<1x24x?x?xui8, [1, 24, "H", "W"]>, tensor<24x1x5x5xi8>, none) -> tensor<1x24x?x?xi32, [1, 24, "floordiv(H + 1, 2)", "floordiv(W + 1, 2)"]>
  %sw = "tcc.convert"(%rw) : (tensor<1x24x?x?xi32, [1, 24, "floordiv(H + 1, 2)", "floordiv(W + 1, 2)"]>) -> tensor<1x24x?x?xf32, [1, 24, "floordiv(H + 1, 2)", "floordiv(W + 1, 2)"]>
  %tw = "tcc.mul"(%sw, %scale) : (tensor<1x24x?x?xf32, [1, 24, "floordiv(H + 1, 2)", "floordiv(W + 1, 2)"]>, tensor<f32>) -> tensor<1x24x?x?xf32, [1, 24, "floordiv(H + 1, 2)", "floordiv(W + 1, 2)"]>
  %uw = "tcc.round"(%tw) : (tensor<1x24x?x?xf32, [1, 24, "floordiv(H + 1, 2)", "floordiv(W + 1, 2)"]>) -> tensor<1x24x?x?xf32, [1, 24, "floordiv(H + 1, 2)", "floordiv(W + 1, 2)"]>
  %vw = "tcc.add"(%uw, %zero) : (tensor<1x24x?x?xf32, [1, 24, "floordiv(H + 1, 2)", "floordiv(W + 1, 2)"]>, tensor<f32>) -> tensor<1x24x?x?xf32, [1, 24, "floordiv(H + 1, 2)", "floordiv(W + 1, 2)"]>
  %yw = "tcc.max"(%vw, %low) : (tensor<1x24x?x?xf32, [1, 24, "floordiv(H + 1, 2)", "floordiv(W + 1, 2)"]>, tensor<f32>) -> tensor<1x24x?x?xf32, [1, 24, "floordiv(H + 1, 2)", "floordiv(W + 1, 2)"]>
  %zw = "tcc.min"(%yw, %high) : (tensor<1x24x?x?xf32, [1, 24, "floordiv(H + 1, 2)", "floordiv(W + 1, 2)"]>, tensor<f32>) -> tensor<1x24x?x?xf32, [1, 24, "floordiv(H + 1, 2)", "floordiv(W + 1, 2)"]>
  %qw = "tcc.convert"(%zw) : (tensor<1x24x?x?xf32, [1, 24, "floordiv(H + 1, 2)", "floordiv(W + 1, 2)"]>) -> tensor<1x24x?x?xui8, [1, 24, "floordiv(H + 1, 2)", "floordiv(W + 1, 2)"]>
  return %r0, %q1, %q2, %q3, %r4, %q5, %r6, %q7, %rh, %qw : tensor<2x16x5x14xi32>, tensor<1x24x9x29xui8>, tensor<1x32x6x7xui8>, tensor<1x32x5x10xui8>, tensor<1x32x8x20xi32>, tensor<2x16x8x9xui8>, tensor<1x48x3x8xi32>, tensor<1x16x4x3xui8>, tensor<1x16x?x?xi32, [1, 16, "H", "W"]>, tensor<1x24x?x?xui8, [1, 24, "floordiv(H + 1, 2)", "floordiv(W + 1, 2)"]>
}
