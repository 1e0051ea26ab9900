// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --save=%t
// RUN: %if optimised %{ env LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --target=x86,sapphirerapids --data=%t --check %}
// RUN: %if optimised %{ env LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --target=x86,sapphirerapids --data=%t --check --threads=3 %}
// RUN: %if amx %{ tcc-run %s --random=1 --target=x86,sapphirerapids --data=%t --check --threads=2 %}
// RUN: tcc-opt --pipeline=default --target=x86,sapphirerapids %s | tcc-translate --to-asm --target=x86,sapphirerapids --kernel=k2_conv_blocked - | FileCheck %s
// REQUIRES: avx512vnni

// Rows of a result that are too narrow for a tile register of pixels are tiles of their own, where a stride lets them not follow each other in one: two rows
// meet each weight that is loaded. Seven rows of seven (one is left over), of more channels than a panel has, and of 14; with a dilation; a result that goes
// through an epilogue. Each of the two passes of two vectors of the panel asks for its half of the next panel's lines.
// CHECK: tileloadd {{.*}}%tmm4
// CHECK: tileloadd {{.*}}%tmm5
// CHECK: tdpbusd %tmm6, %tmm4, %tmm0
// CHECK: tdpbusd %tmm6, %tmm5, %tmm2
// CHECK: tilestored
// CHECK: prefetcht1
// CHECK: tdpbusd %tmm6, %tmm4, %tmm0
// CHECK: tilestored
func.func @main(%x0: tensor<2x64x14x14xui8>, %x1: tensor<1x64x28x28xui8>, %x2: tensor<1x64x18x16xui8>, %x3: tensor<1x128x13x13xui8>) -> (tensor<2x128x7x7xi32>, tensor<1x64x14x14xi32>, tensor<1x64x14x12xi32>, tensor<1x96x7x7xf32>) {
  %seven = "tcc.constant"() {value = dense<7> : tensor<i32>} : () -> tensor<i32>
  %eleven = "tcc.constant"() {value = dense<11> : tensor<i32>} : () -> tensor<i32>
  %modulus = "tcc.constant"() {value = dense<199> : tensor<i32>} : () -> tensor<i32>
  %middle = "tcc.constant"() {value = dense<99> : tensor<i32>} : () -> tensor<i32>
  %none = "tcc.none"() : () -> none
  %i0_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<128x64x3x3xi32>
  %i0_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<128x64x3x3xi32>
  %i0_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<128x64x3x3xi32>
  %i0_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<128x64x3x3xi32>
  %m0_0 = "tcc.mul"(%i0_0, %seven) : (tensor<128x64x3x3xi32>, tensor<i32>) -> tensor<128x64x3x3xi32>
  %m0_1 = "tcc.mul"(%i0_1, %eleven) : (tensor<128x64x3x3xi32>, tensor<i32>) -> tensor<128x64x3x3xi32>
  %m0_2 = "tcc.mul"(%i0_2, %middle) : (tensor<128x64x3x3xi32>, tensor<i32>) -> tensor<128x64x3x3xi32>
  %a0_0 = "tcc.add"(%m0_0, %m0_1) : (tensor<128x64x3x3xi32>, tensor<128x64x3x3xi32>) -> tensor<128x64x3x3xi32>
  %a0_1 = "tcc.add"(%m0_2, %i0_3) : (tensor<128x64x3x3xi32>, tensor<128x64x3x3xi32>) -> tensor<128x64x3x3xi32>
  %a0 = "tcc.add"(%a0_0, %a0_1) : (tensor<128x64x3x3xi32>, tensor<128x64x3x3xi32>) -> tensor<128x64x3x3xi32>
  %e0 = "tcc.mod"(%a0, %modulus) : (tensor<128x64x3x3xi32>, tensor<i32>) -> tensor<128x64x3x3xi32>
  %s0 = "tcc.sub"(%e0, %middle) : (tensor<128x64x3x3xi32>, tensor<i32>) -> tensor<128x64x3x3xi32>
  %w0 = "tcc.convert"(%s0) : (tensor<128x64x3x3xi32>) -> tensor<128x64x3x3xi8>
  %r0 = "tcc.conv"(%x0, %w0, %none) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x64x14x14xui8>, tensor<128x64x3x3xi8>, none) -> tensor<2x128x7x7xi32>
  %i1_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64x64x3x3xi32>
  %i1_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<64x64x3x3xi32>
  %i1_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<64x64x3x3xi32>
  %i1_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<64x64x3x3xi32>
  %m1_0 = "tcc.mul"(%i1_0, %seven) : (tensor<64x64x3x3xi32>, tensor<i32>) -> tensor<64x64x3x3xi32>
  %m1_1 = "tcc.mul"(%i1_1, %eleven) : (tensor<64x64x3x3xi32>, tensor<i32>) -> tensor<64x64x3x3xi32>
  %m1_2 = "tcc.mul"(%i1_2, %middle) : (tensor<64x64x3x3xi32>, tensor<i32>) -> tensor<64x64x3x3xi32>
  %a1_0 = "tcc.add"(%m1_0, %m1_1) : (tensor<64x64x3x3xi32>, tensor<64x64x3x3xi32>) -> tensor<64x64x3x3xi32>
  %a1_1 = "tcc.add"(%m1_2, %i1_3) : (tensor<64x64x3x3xi32>, tensor<64x64x3x3xi32>) -> tensor<64x64x3x3xi32>
  %a1 = "tcc.add"(%a1_0, %a1_1) : (tensor<64x64x3x3xi32>, tensor<64x64x3x3xi32>) -> tensor<64x64x3x3xi32>
  %e1 = "tcc.mod"(%a1, %modulus) : (tensor<64x64x3x3xi32>, tensor<i32>) -> tensor<64x64x3x3xi32>
  %s1 = "tcc.sub"(%e1, %middle) : (tensor<64x64x3x3xi32>, tensor<i32>) -> tensor<64x64x3x3xi32>
  %w1 = "tcc.convert"(%s1) : (tensor<64x64x3x3xi32>) -> tensor<64x64x3x3xi8>
  %r1 = "tcc.conv"(%x1, %w1, %none) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x28x28xui8>, tensor<64x64x3x3xi8>, none) -> tensor<1x64x14x14xi32>
  %i2_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64x64x3x3xi32>
  %i2_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<64x64x3x3xi32>
  %i2_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<64x64x3x3xi32>
  %i2_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<64x64x3x3xi32>
  %m2_0 = "tcc.mul"(%i2_0, %seven) : (tensor<64x64x3x3xi32>, tensor<i32>) -> tensor<64x64x3x3xi32>
  %m2_1 = "tcc.mul"(%i2_1, %eleven) : (tensor<64x64x3x3xi32>, tensor<i32>) -> tensor<64x64x3x3xi32>
  %m2_2 = "tcc.mul"(%i2_2, %middle) : (tensor<64x64x3x3xi32>, tensor<i32>) -> tensor<64x64x3x3xi32>
  %a2_0 = "tcc.add"(%m2_0, %m2_1) : (tensor<64x64x3x3xi32>, tensor<64x64x3x3xi32>) -> tensor<64x64x3x3xi32>
  %a2_1 = "tcc.add"(%m2_2, %i2_3) : (tensor<64x64x3x3xi32>, tensor<64x64x3x3xi32>) -> tensor<64x64x3x3xi32>
  %a2 = "tcc.add"(%a2_0, %a2_1) : (tensor<64x64x3x3xi32>, tensor<64x64x3x3xi32>) -> tensor<64x64x3x3xi32>
  %e2 = "tcc.mod"(%a2, %modulus) : (tensor<64x64x3x3xi32>, tensor<i32>) -> tensor<64x64x3x3xi32>
  %s2 = "tcc.sub"(%e2, %middle) : (tensor<64x64x3x3xi32>, tensor<i32>) -> tensor<64x64x3x3xi32>
  %w2 = "tcc.convert"(%s2) : (tensor<64x64x3x3xi32>) -> tensor<64x64x3x3xi8>
  %r2 = "tcc.conv"(%x2, %w2, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 2, 2>, groups = 1 : i64} : (tensor<1x64x18x16xui8>, tensor<64x64x3x3xi8>, none) -> tensor<1x64x14x12xi32>
  %i3_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<96x128x3x3xi32>
  %i3_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<96x128x3x3xi32>
  %i3_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<96x128x3x3xi32>
  %i3_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<96x128x3x3xi32>
  %m3_0 = "tcc.mul"(%i3_0, %seven) : (tensor<96x128x3x3xi32>, tensor<i32>) -> tensor<96x128x3x3xi32>
  %m3_1 = "tcc.mul"(%i3_1, %eleven) : (tensor<96x128x3x3xi32>, tensor<i32>) -> tensor<96x128x3x3xi32>
  %m3_2 = "tcc.mul"(%i3_2, %middle) : (tensor<96x128x3x3xi32>, tensor<i32>) -> tensor<96x128x3x3xi32>
  %a3_0 = "tcc.add"(%m3_0, %m3_1) : (tensor<96x128x3x3xi32>, tensor<96x128x3x3xi32>) -> tensor<96x128x3x3xi32>
  %a3_1 = "tcc.add"(%m3_2, %i3_3) : (tensor<96x128x3x3xi32>, tensor<96x128x3x3xi32>) -> tensor<96x128x3x3xi32>
  %a3 = "tcc.add"(%a3_0, %a3_1) : (tensor<96x128x3x3xi32>, tensor<96x128x3x3xi32>) -> tensor<96x128x3x3xi32>
  %e3 = "tcc.mod"(%a3, %modulus) : (tensor<96x128x3x3xi32>, tensor<i32>) -> tensor<96x128x3x3xi32>
  %s3 = "tcc.sub"(%e3, %middle) : (tensor<96x128x3x3xi32>, tensor<i32>) -> tensor<96x128x3x3xi32>
  %w3 = "tcc.convert"(%s3) : (tensor<96x128x3x3xi32>) -> tensor<96x128x3x3xi8>
  %r3 = "tcc.conv"(%x3, %w3, %none) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x128x13x13xui8>, tensor<96x128x3x3xi8>, none) -> tensor<1x96x7x7xi32>
  %f3 = "tcc.convert"(%r3) : (tensor<1x96x7x7xi32>) -> tensor<1x96x7x7xf32>
  %scale = "tcc.constant"() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %y3 = "tcc.mul"(%f3, %scale) : (tensor<1x96x7x7xf32>, tensor<f32>) -> tensor<1x96x7x7xf32>
  return %r0, %r1, %r2, %y3 : tensor<2x128x7x7xi32>, tensor<1x64x14x14xi32>, tensor<1x64x14x12xi32>, tensor<1x96x7x7xf32>
}
