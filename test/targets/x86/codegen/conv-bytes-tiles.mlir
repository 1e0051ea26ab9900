// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=H=5 --dim=W=37 --save=%t
// RUN: %if optimised %{ env LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --dim=H=5 --dim=W=37 --target=x86,sapphirerapids --data=%t --check %}
// RUN: %if amx %{ tcc-run %s --random=1 --dim=H=5 --dim=W=37 --target=x86,sapphirerapids --data=%t --check --threads=2 %}
// RUN: %if optimised %{ bash -c 'for w in 1 2 8 9 15 16 31 32 33 64; do rm -rf %t; tcc-run %s --random=1 --dim=H=3 --dim=W=$w --target=x86,cascadelake --save=%t && LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --dim=H=3 --dim=W=$w --target=x86,sapphirerapids --data=%t --check || exit 1; done' %}
// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=H=5 --dim=W=37 --save=%t
// RUN: sh -c 'for i in 0 1 4 9; do tcc-opt --target=x86,sapphirerapids --pass-pipeline="import,tcc-block-layout,tcc-decompose,tcc-simplify,tcc-sink-reshapes,tcc-fuse,tcc-dedup-kernels,tcc-variants{count=15},tcc-select{candidate=$i}" %s -o %t/$i.mlir || exit 1; done'
// RUN: %if optimised %{ sh -c 'for i in 0 1 4 9; do LD_PRELOAD=%build/test/emulate.so tcc-run %t/$i.mlir --no-cache --random=1 --dim=H=5 --dim=W=37 --target=x86,sapphirerapids --data=%t --check || exit 1; done' %}
// RUN: tcc-opt --pipeline=default --target=x86,sapphirerapids %s | FileCheck %s
// RUN: tcc-opt --pipeline=default --target=x86,sapphirerapids %s | tcc-translate --to-asm --target=x86,sapphirerapids - | FileCheck %s --check-prefix=CODE
// REQUIRES: avx512vnni

// Convolutions of bytes in tile registers: blocks of channels are joined by up to four, the last of them not whole; rows of one tile of pixels and of two,
// strides, padding, dilations, several images, sizes that are not known; images of up to four channels, a row of whose window is a row of a tile. So
// do the candidates of the tuner, the heuristic first. Tiles run in software (test/emulate), and where the CPU has them, there too.
// CHECK-DAG: tensor<1x1x3x3x8x64x4xi8>
// CHECK-DAG: tensor<1x4x3x3x16x64x4xi8>
// CHECK-DAG: tensor<1x1x7x7x1x64x4xi8>
// CODE: tdpbusd
// CODE: tilerelease
func.func @main(%x0: tensor<2x32x9x17xui8>, %x1: tensor<2x48x7x33xui8>, %x2: tensor<2x64x5x40xui8>, %x3: tensor<2x96x9x14xui8>, %x4: tensor<2x130x4x28xui8>, %x5: tensor<2x64x8x15xui8>, %x6: tensor<2x64x12x21xui8>, %x7: tensor<2x208x7x7xui8>, %xa: tensor<2x3x17x37xui8>, %xb: tensor<2x4x9x33xui8>, %xc: tensor<2x1x12x50xui8>, %xd: tensor<2x2x6x18xui8>, %xe: tensor<2x3x15x31xui8>, %z: tensor<1x3x?x?xui8, [1, 3, "H", "W"]>, %y: tensor<1x70x?x?xui8, [1, 70, "H", "W"]>) -> (tensor<2x64x9x17xi32>, tensor<2x80x7x33xi32>, tensor<2x64x5x40xi32>, tensor<2x32x5x7xi32>, tensor<2x48x4x28xi32>, tensor<2x128x4x8xi32>, tensor<2x16x8x21xi32>, tensor<2x64x7x7xi32>, tensor<2x64x9x19xi32>, tensor<2x24x9x33xi32>, tensor<2x40x12x50xi32>, tensor<2x16x6x18xi32>, tensor<2x32x7x15xi32>, tensor<1x32x?x?xi32, [1, 32, "H", "W"]>, tensor<1x40x?x?xi32, [1, 40, "H", "W"]>) {
  %seven = "tcc.constant"() {value = dense<7> : tensor<i32>} : () -> tensor<i32>
  %eleven = "tcc.constant"() {value = dense<11> : tensor<i32>} : () -> tensor<i32>
  %thirteen = "tcc.constant"() {value = dense<13> : tensor<i32>} : () -> tensor<i32>
  %modulus = "tcc.constant"() {value = dense<199> : tensor<i32>} : () -> tensor<i32>
  %middle = "tcc.constant"() {value = dense<99> : tensor<i32>} : () -> tensor<i32>
  %none = "tcc.none"() : () -> none
  %i0_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64x32x3x3xi32>
  %i0_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<64x32x3x3xi32>
  %i0_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<64x32x3x3xi32>
  %i0_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<64x32x3x3xi32>
  %m0_0 = "tcc.mul"(%i0_0, %seven) : (tensor<64x32x3x3xi32>, tensor<i32>) -> tensor<64x32x3x3xi32>
  %m0_1 = "tcc.mul"(%i0_1, %eleven) : (tensor<64x32x3x3xi32>, tensor<i32>) -> tensor<64x32x3x3xi32>
  %m0_2 = "tcc.mul"(%i0_2, %thirteen) : (tensor<64x32x3x3xi32>, tensor<i32>) -> tensor<64x32x3x3xi32>
  %a0_0 = "tcc.add"(%m0_0, %m0_1) : (tensor<64x32x3x3xi32>, tensor<64x32x3x3xi32>) -> tensor<64x32x3x3xi32>
  %a0_1 = "tcc.add"(%m0_2, %i0_3) : (tensor<64x32x3x3xi32>, tensor<64x32x3x3xi32>) -> tensor<64x32x3x3xi32>
  %a0 = "tcc.add"(%a0_0, %a0_1) : (tensor<64x32x3x3xi32>, tensor<64x32x3x3xi32>) -> tensor<64x32x3x3xi32>
  %e0 = "tcc.mod"(%a0, %modulus) : (tensor<64x32x3x3xi32>, tensor<i32>) -> tensor<64x32x3x3xi32>
  %s0 = "tcc.sub"(%e0, %middle) : (tensor<64x32x3x3xi32>, tensor<i32>) -> tensor<64x32x3x3xi32>
  %w0 = "tcc.convert"(%s0) : (tensor<64x32x3x3xi32>) -> tensor<64x32x3x3xi8>
  %r0 = "tcc.conv"(%x0, %w0, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x32x9x17xui8>, tensor<64x32x3x3xi8>, none) -> tensor<2x64x9x17xi32>
  %i1_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<80x48x1x1xi32>
  %i1_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<80x48x1x1xi32>
  %i1_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<80x48x1x1xi32>
  %i1_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<80x48x1x1xi32>
  %m1_0 = "tcc.mul"(%i1_0, %seven) : (tensor<80x48x1x1xi32>, tensor<i32>) -> tensor<80x48x1x1xi32>
  %m1_1 = "tcc.mul"(%i1_1, %eleven) : (tensor<80x48x1x1xi32>, tensor<i32>) -> tensor<80x48x1x1xi32>
  %m1_2 = "tcc.mul"(%i1_2, %thirteen) : (tensor<80x48x1x1xi32>, tensor<i32>) -> tensor<80x48x1x1xi32>
  %a1_0 = "tcc.add"(%m1_0, %m1_1) : (tensor<80x48x1x1xi32>, tensor<80x48x1x1xi32>) -> tensor<80x48x1x1xi32>
  %a1_1 = "tcc.add"(%m1_2, %i1_3) : (tensor<80x48x1x1xi32>, tensor<80x48x1x1xi32>) -> tensor<80x48x1x1xi32>
  %a1 = "tcc.add"(%a1_0, %a1_1) : (tensor<80x48x1x1xi32>, tensor<80x48x1x1xi32>) -> tensor<80x48x1x1xi32>
  %e1 = "tcc.mod"(%a1, %modulus) : (tensor<80x48x1x1xi32>, tensor<i32>) -> tensor<80x48x1x1xi32>
  %s1 = "tcc.sub"(%e1, %middle) : (tensor<80x48x1x1xi32>, tensor<i32>) -> tensor<80x48x1x1xi32>
  %w1 = "tcc.convert"(%s1) : (tensor<80x48x1x1xi32>) -> tensor<80x48x1x1xi8>
  %r1 = "tcc.conv"(%x1, %w1, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x48x7x33xui8>, tensor<80x48x1x1xi8>, none) -> tensor<2x80x7x33xi32>
  %i2_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64x64x3x3xi32>
  %i2_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<64x64x3x3xi32>
  %i2_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<64x64x3x3xi32>
  %i2_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<64x64x3x3xi32>
  %m2_0 = "tcc.mul"(%i2_0, %seven) : (tensor<64x64x3x3xi32>, tensor<i32>) -> tensor<64x64x3x3xi32>
  %m2_1 = "tcc.mul"(%i2_1, %eleven) : (tensor<64x64x3x3xi32>, tensor<i32>) -> tensor<64x64x3x3xi32>
  %m2_2 = "tcc.mul"(%i2_2, %thirteen) : (tensor<64x64x3x3xi32>, tensor<i32>) -> tensor<64x64x3x3xi32>
  %a2_0 = "tcc.add"(%m2_0, %m2_1) : (tensor<64x64x3x3xi32>, tensor<64x64x3x3xi32>) -> tensor<64x64x3x3xi32>
  %a2_1 = "tcc.add"(%m2_2, %i2_3) : (tensor<64x64x3x3xi32>, tensor<64x64x3x3xi32>) -> tensor<64x64x3x3xi32>
  %a2 = "tcc.add"(%a2_0, %a2_1) : (tensor<64x64x3x3xi32>, tensor<64x64x3x3xi32>) -> tensor<64x64x3x3xi32>
  %e2 = "tcc.mod"(%a2, %modulus) : (tensor<64x64x3x3xi32>, tensor<i32>) -> tensor<64x64x3x3xi32>
  %s2 = "tcc.sub"(%e2, %middle) : (tensor<64x64x3x3xi32>, tensor<i32>) -> tensor<64x64x3x3xi32>
  %w2 = "tcc.convert"(%s2) : (tensor<64x64x3x3xi32>) -> tensor<64x64x3x3xi8>
  %r2 = "tcc.conv"(%x2, %w2, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x64x5x40xui8>, tensor<64x64x3x3xi8>, none) -> tensor<2x64x5x40xi32>
  %i3_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<32x96x3x3xi32>
  %i3_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<32x96x3x3xi32>
  %i3_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<32x96x3x3xi32>
  %i3_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<32x96x3x3xi32>
  %m3_0 = "tcc.mul"(%i3_0, %seven) : (tensor<32x96x3x3xi32>, tensor<i32>) -> tensor<32x96x3x3xi32>
  %m3_1 = "tcc.mul"(%i3_1, %eleven) : (tensor<32x96x3x3xi32>, tensor<i32>) -> tensor<32x96x3x3xi32>
  %m3_2 = "tcc.mul"(%i3_2, %thirteen) : (tensor<32x96x3x3xi32>, tensor<i32>) -> tensor<32x96x3x3xi32>
  %a3_0 = "tcc.add"(%m3_0, %m3_1) : (tensor<32x96x3x3xi32>, tensor<32x96x3x3xi32>) -> tensor<32x96x3x3xi32>
  %a3_1 = "tcc.add"(%m3_2, %i3_3) : (tensor<32x96x3x3xi32>, tensor<32x96x3x3xi32>) -> tensor<32x96x3x3xi32>
  %a3 = "tcc.add"(%a3_0, %a3_1) : (tensor<32x96x3x3xi32>, tensor<32x96x3x3xi32>) -> tensor<32x96x3x3xi32>
  %e3 = "tcc.mod"(%a3, %modulus) : (tensor<32x96x3x3xi32>, tensor<i32>) -> tensor<32x96x3x3xi32>
  %s3 = "tcc.sub"(%e3, %middle) : (tensor<32x96x3x3xi32>, tensor<i32>) -> tensor<32x96x3x3xi32>
  %w3 = "tcc.convert"(%s3) : (tensor<32x96x3x3xi32>) -> tensor<32x96x3x3xi8>
  %r3 = "tcc.conv"(%x3, %w3, %none) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x96x9x14xui8>, tensor<32x96x3x3xi8>, none) -> tensor<2x32x5x7xi32>
  %i4_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<48x130x1x1xi32>
  %i4_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<48x130x1x1xi32>
  %i4_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<48x130x1x1xi32>
  %i4_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<48x130x1x1xi32>
  %m4_0 = "tcc.mul"(%i4_0, %seven) : (tensor<48x130x1x1xi32>, tensor<i32>) -> tensor<48x130x1x1xi32>
  %m4_1 = "tcc.mul"(%i4_1, %eleven) : (tensor<48x130x1x1xi32>, tensor<i32>) -> tensor<48x130x1x1xi32>
  %m4_2 = "tcc.mul"(%i4_2, %thirteen) : (tensor<48x130x1x1xi32>, tensor<i32>) -> tensor<48x130x1x1xi32>
  %a4_0 = "tcc.add"(%m4_0, %m4_1) : (tensor<48x130x1x1xi32>, tensor<48x130x1x1xi32>) -> tensor<48x130x1x1xi32>
  %a4_1 = "tcc.add"(%m4_2, %i4_3) : (tensor<48x130x1x1xi32>, tensor<48x130x1x1xi32>) -> tensor<48x130x1x1xi32>
  %a4 = "tcc.add"(%a4_0, %a4_1) : (tensor<48x130x1x1xi32>, tensor<48x130x1x1xi32>) -> tensor<48x130x1x1xi32>
  %e4 = "tcc.mod"(%a4, %modulus) : (tensor<48x130x1x1xi32>, tensor<i32>) -> tensor<48x130x1x1xi32>
  %s4 = "tcc.sub"(%e4, %middle) : (tensor<48x130x1x1xi32>, tensor<i32>) -> tensor<48x130x1x1xi32>
  %w4 = "tcc.convert"(%s4) : (tensor<48x130x1x1xi32>) -> tensor<48x130x1x1xi8>
  %r4 = "tcc.conv"(%x4, %w4, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x130x4x28xui8>, tensor<48x130x1x1xi8>, none) -> tensor<2x48x4x28xi32>
  %i5_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<128x64x1x1xi32>
  %i5_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<128x64x1x1xi32>
  %i5_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<128x64x1x1xi32>
  %i5_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<128x64x1x1xi32>
  %m5_0 = "tcc.mul"(%i5_0, %seven) : (tensor<128x64x1x1xi32>, tensor<i32>) -> tensor<128x64x1x1xi32>
  %m5_1 = "tcc.mul"(%i5_1, %eleven) : (tensor<128x64x1x1xi32>, tensor<i32>) -> tensor<128x64x1x1xi32>
  %m5_2 = "tcc.mul"(%i5_2, %thirteen) : (tensor<128x64x1x1xi32>, tensor<i32>) -> tensor<128x64x1x1xi32>
  %a5_0 = "tcc.add"(%m5_0, %m5_1) : (tensor<128x64x1x1xi32>, tensor<128x64x1x1xi32>) -> tensor<128x64x1x1xi32>
  %a5_1 = "tcc.add"(%m5_2, %i5_3) : (tensor<128x64x1x1xi32>, tensor<128x64x1x1xi32>) -> tensor<128x64x1x1xi32>
  %a5 = "tcc.add"(%a5_0, %a5_1) : (tensor<128x64x1x1xi32>, tensor<128x64x1x1xi32>) -> tensor<128x64x1x1xi32>
  %e5 = "tcc.mod"(%a5, %modulus) : (tensor<128x64x1x1xi32>, tensor<i32>) -> tensor<128x64x1x1xi32>
  %s5 = "tcc.sub"(%e5, %middle) : (tensor<128x64x1x1xi32>, tensor<i32>) -> tensor<128x64x1x1xi32>
  %w5 = "tcc.convert"(%s5) : (tensor<128x64x1x1xi32>) -> tensor<128x64x1x1xi8>
  %r5 = "tcc.conv"(%x5, %w5, %none) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x64x8x15xui8>, tensor<128x64x1x1xi8>, none) -> tensor<2x128x4x8xi32>
  %i6_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<16x64x5x3xi32>
  %i6_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<16x64x5x3xi32>
  %i6_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<16x64x5x3xi32>
  %i6_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<16x64x5x3xi32>
  %m6_0 = "tcc.mul"(%i6_0, %seven) : (tensor<16x64x5x3xi32>, tensor<i32>) -> tensor<16x64x5x3xi32>
  %m6_1 = "tcc.mul"(%i6_1, %eleven) : (tensor<16x64x5x3xi32>, tensor<i32>) -> tensor<16x64x5x3xi32>
  %m6_2 = "tcc.mul"(%i6_2, %thirteen) : (tensor<16x64x5x3xi32>, tensor<i32>) -> tensor<16x64x5x3xi32>
  %a6_0 = "tcc.add"(%m6_0, %m6_1) : (tensor<16x64x5x3xi32>, tensor<16x64x5x3xi32>) -> tensor<16x64x5x3xi32>
  %a6_1 = "tcc.add"(%m6_2, %i6_3) : (tensor<16x64x5x3xi32>, tensor<16x64x5x3xi32>) -> tensor<16x64x5x3xi32>
  %a6 = "tcc.add"(%a6_0, %a6_1) : (tensor<16x64x5x3xi32>, tensor<16x64x5x3xi32>) -> tensor<16x64x5x3xi32>
  %e6 = "tcc.mod"(%a6, %modulus) : (tensor<16x64x5x3xi32>, tensor<i32>) -> tensor<16x64x5x3xi32>
  %s6 = "tcc.sub"(%e6, %middle) : (tensor<16x64x5x3xi32>, tensor<i32>) -> tensor<16x64x5x3xi32>
  %w6 = "tcc.convert"(%s6) : (tensor<16x64x5x3xi32>) -> tensor<16x64x5x3xi8>
  %r6 = "tcc.conv"(%x6, %w6, %none) {strides = array<i64: 1, 1>, pads = array<i64: 2, 2, 2, 2>, dilations = array<i64: 2, 2>, groups = 1 : i64} : (tensor<2x64x12x21xui8>, tensor<16x64x5x3xi8>, none) -> tensor<2x16x8x21xi32>
  %i7_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64x208x3x3xi32>
  %i7_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<64x208x3x3xi32>
  %i7_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<64x208x3x3xi32>
  %i7_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<64x208x3x3xi32>
  %m7_0 = "tcc.mul"(%i7_0, %seven) : (tensor<64x208x3x3xi32>, tensor<i32>) -> tensor<64x208x3x3xi32>
  %m7_1 = "tcc.mul"(%i7_1, %eleven) : (tensor<64x208x3x3xi32>, tensor<i32>) -> tensor<64x208x3x3xi32>
  %m7_2 = "tcc.mul"(%i7_2, %thirteen) : (tensor<64x208x3x3xi32>, tensor<i32>) -> tensor<64x208x3x3xi32>
  %a7_0 = "tcc.add"(%m7_0, %m7_1) : (tensor<64x208x3x3xi32>, tensor<64x208x3x3xi32>) -> tensor<64x208x3x3xi32>
  %a7_1 = "tcc.add"(%m7_2, %i7_3) : (tensor<64x208x3x3xi32>, tensor<64x208x3x3xi32>) -> tensor<64x208x3x3xi32>
  %a7 = "tcc.add"(%a7_0, %a7_1) : (tensor<64x208x3x3xi32>, tensor<64x208x3x3xi32>) -> tensor<64x208x3x3xi32>
  %e7 = "tcc.mod"(%a7, %modulus) : (tensor<64x208x3x3xi32>, tensor<i32>) -> tensor<64x208x3x3xi32>
  %s7 = "tcc.sub"(%e7, %middle) : (tensor<64x208x3x3xi32>, tensor<i32>) -> tensor<64x208x3x3xi32>
  %w7 = "tcc.convert"(%s7) : (tensor<64x208x3x3xi32>) -> tensor<64x208x3x3xi8>
  %r7 = "tcc.conv"(%x7, %w7, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x208x7x7xui8>, tensor<64x208x3x3xi8>, none) -> tensor<2x64x7x7xi32>
  %iy_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<40x70x3x3xi32>
  %iy_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<40x70x3x3xi32>
  %iy_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<40x70x3x3xi32>
  %iy_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<40x70x3x3xi32>
  %my_0 = "tcc.mul"(%iy_0, %seven) : (tensor<40x70x3x3xi32>, tensor<i32>) -> tensor<40x70x3x3xi32>
  %my_1 = "tcc.mul"(%iy_1, %eleven) : (tensor<40x70x3x3xi32>, tensor<i32>) -> tensor<40x70x3x3xi32>
  %my_2 = "tcc.mul"(%iy_2, %thirteen) : (tensor<40x70x3x3xi32>, tensor<i32>) -> tensor<40x70x3x3xi32>
  %ay_0 = "tcc.add"(%my_0, %my_1) : (tensor<40x70x3x3xi32>, tensor<40x70x3x3xi32>) -> tensor<40x70x3x3xi32>
  %ay_1 = "tcc.add"(%my_2, %iy_3) : (tensor<40x70x3x3xi32>, tensor<40x70x3x3xi32>) -> tensor<40x70x3x3xi32>
  %ay = "tcc.add"(%ay_0, %ay_1) : (tensor<40x70x3x3xi32>, tensor<40x70x3x3xi32>) -> tensor<40x70x3x3xi32>
  %ey = "tcc.mod"(%ay, %modulus) : (tensor<40x70x3x3xi32>, tensor<i32>) -> tensor<40x70x3x3xi32>
  %sy = "tcc.sub"(%ey, %middle) : (tensor<40x70x3x3xi32>, tensor<i32>) -> tensor<40x70x3x3xi32>
  %wy = "tcc.convert"(%sy) : (tensor<40x70x3x3xi32>) -> tensor<40x70x3x3xi8>
  %ry = "tcc.conv"(%y, %wy, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x70x?x?xui8, [1, 70, "H", "W"]>, tensor<40x70x3x3xi8>, none) -> tensor<1x40x?x?xi32, [1, 40, "H", "W"]>
  %ia_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64x3x7x7xi32>
  %ia_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<64x3x7x7xi32>
  %ia_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<64x3x7x7xi32>
  %ia_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<64x3x7x7xi32>
  %ma_0 = "tcc.mul"(%ia_0, %seven) : (tensor<64x3x7x7xi32>, tensor<i32>) -> tensor<64x3x7x7xi32>
  %ma_1 = "tcc.mul"(%ia_1, %eleven) : (tensor<64x3x7x7xi32>, tensor<i32>) -> tensor<64x3x7x7xi32>
  %ma_2 = "tcc.mul"(%ia_2, %thirteen) : (tensor<64x3x7x7xi32>, tensor<i32>) -> tensor<64x3x7x7xi32>
  %aa_0 = "tcc.add"(%ma_0, %ma_1) : (tensor<64x3x7x7xi32>, tensor<64x3x7x7xi32>) -> tensor<64x3x7x7xi32>
  %aa_1 = "tcc.add"(%ma_2, %ia_3) : (tensor<64x3x7x7xi32>, tensor<64x3x7x7xi32>) -> tensor<64x3x7x7xi32>
  %aa = "tcc.add"(%aa_0, %aa_1) : (tensor<64x3x7x7xi32>, tensor<64x3x7x7xi32>) -> tensor<64x3x7x7xi32>
  %ea = "tcc.mod"(%aa, %modulus) : (tensor<64x3x7x7xi32>, tensor<i32>) -> tensor<64x3x7x7xi32>
  %sa = "tcc.sub"(%ea, %middle) : (tensor<64x3x7x7xi32>, tensor<i32>) -> tensor<64x3x7x7xi32>
  %wa = "tcc.convert"(%sa) : (tensor<64x3x7x7xi32>) -> tensor<64x3x7x7xi8>
  %ra = "tcc.conv"(%xa, %wa, %none) {strides = array<i64: 2, 2>, pads = array<i64: 3, 3, 3, 3>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x3x17x37xui8>, tensor<64x3x7x7xi8>, none) -> tensor<2x64x9x19xi32>
  %ib_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<24x4x3x3xi32>
  %ib_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<24x4x3x3xi32>
  %ib_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<24x4x3x3xi32>
  %ib_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<24x4x3x3xi32>
  %mb_0 = "tcc.mul"(%ib_0, %seven) : (tensor<24x4x3x3xi32>, tensor<i32>) -> tensor<24x4x3x3xi32>
  %mb_1 = "tcc.mul"(%ib_1, %eleven) : (tensor<24x4x3x3xi32>, tensor<i32>) -> tensor<24x4x3x3xi32>
  %mb_2 = "tcc.mul"(%ib_2, %thirteen) : (tensor<24x4x3x3xi32>, tensor<i32>) -> tensor<24x4x3x3xi32>
  %ab_0 = "tcc.add"(%mb_0, %mb_1) : (tensor<24x4x3x3xi32>, tensor<24x4x3x3xi32>) -> tensor<24x4x3x3xi32>
  %ab_1 = "tcc.add"(%mb_2, %ib_3) : (tensor<24x4x3x3xi32>, tensor<24x4x3x3xi32>) -> tensor<24x4x3x3xi32>
  %ab = "tcc.add"(%ab_0, %ab_1) : (tensor<24x4x3x3xi32>, tensor<24x4x3x3xi32>) -> tensor<24x4x3x3xi32>
  %eb = "tcc.mod"(%ab, %modulus) : (tensor<24x4x3x3xi32>, tensor<i32>) -> tensor<24x4x3x3xi32>
  %sb = "tcc.sub"(%eb, %middle) : (tensor<24x4x3x3xi32>, tensor<i32>) -> tensor<24x4x3x3xi32>
  %wb = "tcc.convert"(%sb) : (tensor<24x4x3x3xi32>) -> tensor<24x4x3x3xi8>
  %rb = "tcc.conv"(%xb, %wb, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x4x9x33xui8>, tensor<24x4x3x3xi8>, none) -> tensor<2x24x9x33xi32>
  %ic_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<40x1x5x5xi32>
  %ic_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<40x1x5x5xi32>
  %ic_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<40x1x5x5xi32>
  %ic_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<40x1x5x5xi32>
  %mc_0 = "tcc.mul"(%ic_0, %seven) : (tensor<40x1x5x5xi32>, tensor<i32>) -> tensor<40x1x5x5xi32>
  %mc_1 = "tcc.mul"(%ic_1, %eleven) : (tensor<40x1x5x5xi32>, tensor<i32>) -> tensor<40x1x5x5xi32>
  %mc_2 = "tcc.mul"(%ic_2, %thirteen) : (tensor<40x1x5x5xi32>, tensor<i32>) -> tensor<40x1x5x5xi32>
  %ac_0 = "tcc.add"(%mc_0, %mc_1) : (tensor<40x1x5x5xi32>, tensor<40x1x5x5xi32>) -> tensor<40x1x5x5xi32>
  %ac_1 = "tcc.add"(%mc_2, %ic_3) : (tensor<40x1x5x5xi32>, tensor<40x1x5x5xi32>) -> tensor<40x1x5x5xi32>
  %ac = "tcc.add"(%ac_0, %ac_1) : (tensor<40x1x5x5xi32>, tensor<40x1x5x5xi32>) -> tensor<40x1x5x5xi32>
  %ec = "tcc.mod"(%ac, %modulus) : (tensor<40x1x5x5xi32>, tensor<i32>) -> tensor<40x1x5x5xi32>
  %sc = "tcc.sub"(%ec, %middle) : (tensor<40x1x5x5xi32>, tensor<i32>) -> tensor<40x1x5x5xi32>
  %wc = "tcc.convert"(%sc) : (tensor<40x1x5x5xi32>) -> tensor<40x1x5x5xi8>
  %rc = "tcc.conv"(%xc, %wc, %none) {strides = array<i64: 1, 1>, pads = array<i64: 2, 2, 2, 2>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x1x12x50xui8>, tensor<40x1x5x5xi8>, none) -> tensor<2x40x12x50xi32>
  %id_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<16x2x1x1xi32>
  %id_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<16x2x1x1xi32>
  %id_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<16x2x1x1xi32>
  %id_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<16x2x1x1xi32>
  %md_0 = "tcc.mul"(%id_0, %seven) : (tensor<16x2x1x1xi32>, tensor<i32>) -> tensor<16x2x1x1xi32>
  %md_1 = "tcc.mul"(%id_1, %eleven) : (tensor<16x2x1x1xi32>, tensor<i32>) -> tensor<16x2x1x1xi32>
  %md_2 = "tcc.mul"(%id_2, %thirteen) : (tensor<16x2x1x1xi32>, tensor<i32>) -> tensor<16x2x1x1xi32>
  %ad_0 = "tcc.add"(%md_0, %md_1) : (tensor<16x2x1x1xi32>, tensor<16x2x1x1xi32>) -> tensor<16x2x1x1xi32>
  %ad_1 = "tcc.add"(%md_2, %id_3) : (tensor<16x2x1x1xi32>, tensor<16x2x1x1xi32>) -> tensor<16x2x1x1xi32>
  %ad = "tcc.add"(%ad_0, %ad_1) : (tensor<16x2x1x1xi32>, tensor<16x2x1x1xi32>) -> tensor<16x2x1x1xi32>
  %ed = "tcc.mod"(%ad, %modulus) : (tensor<16x2x1x1xi32>, tensor<i32>) -> tensor<16x2x1x1xi32>
  %sd = "tcc.sub"(%ed, %middle) : (tensor<16x2x1x1xi32>, tensor<i32>) -> tensor<16x2x1x1xi32>
  %wd = "tcc.convert"(%sd) : (tensor<16x2x1x1xi32>) -> tensor<16x2x1x1xi8>
  %rd = "tcc.conv"(%xd, %wd, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x2x6x18xui8>, tensor<16x2x1x1xi8>, none) -> tensor<2x16x6x18xi32>
  %ie_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<32x3x3x3xi32>
  %ie_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<32x3x3x3xi32>
  %ie_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<32x3x3x3xi32>
  %ie_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<32x3x3x3xi32>
  %me_0 = "tcc.mul"(%ie_0, %seven) : (tensor<32x3x3x3xi32>, tensor<i32>) -> tensor<32x3x3x3xi32>
  %me_1 = "tcc.mul"(%ie_1, %eleven) : (tensor<32x3x3x3xi32>, tensor<i32>) -> tensor<32x3x3x3xi32>
  %me_2 = "tcc.mul"(%ie_2, %thirteen) : (tensor<32x3x3x3xi32>, tensor<i32>) -> tensor<32x3x3x3xi32>
  %ae_0 = "tcc.add"(%me_0, %me_1) : (tensor<32x3x3x3xi32>, tensor<32x3x3x3xi32>) -> tensor<32x3x3x3xi32>
  %ae_1 = "tcc.add"(%me_2, %ie_3) : (tensor<32x3x3x3xi32>, tensor<32x3x3x3xi32>) -> tensor<32x3x3x3xi32>
  %ae = "tcc.add"(%ae_0, %ae_1) : (tensor<32x3x3x3xi32>, tensor<32x3x3x3xi32>) -> tensor<32x3x3x3xi32>
  %ee = "tcc.mod"(%ae, %modulus) : (tensor<32x3x3x3xi32>, tensor<i32>) -> tensor<32x3x3x3xi32>
  %se = "tcc.sub"(%ee, %middle) : (tensor<32x3x3x3xi32>, tensor<i32>) -> tensor<32x3x3x3xi32>
  %we = "tcc.convert"(%se) : (tensor<32x3x3x3xi32>) -> tensor<32x3x3x3xi8>
  %re = "tcc.conv"(%xe, %we, %none) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x3x15x31xui8>, tensor<32x3x3x3xi8>, none) -> tensor<2x32x7x15xi32>
  %rz = "tcc.conv"(%z, %we, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x?x?xui8, [1, 3, "H", "W"]>, tensor<32x3x3x3xi8>, none) -> tensor<1x32x?x?xi32, [1, 32, "H", "W"]>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %ra, %rb, %rc, %rd, %re, %rz, %ry : tensor<2x64x9x17xi32>, tensor<2x80x7x33xi32>, tensor<2x64x5x40xi32>, tensor<2x32x5x7xi32>, tensor<2x48x4x28xi32>, tensor<2x128x4x8xi32>, tensor<2x16x8x21xi32>, tensor<2x64x7x7xi32>, tensor<2x64x9x19xi32>, tensor<2x24x9x33xi32>, tensor<2x40x12x50xi32>, tensor<2x16x6x18xi32>, tensor<2x32x7x15xi32>, tensor<1x32x?x?xi32, [1, 32, "H", "W"]>, tensor<1x40x?x?xi32, [1, 40, "H", "W"]>
}
