// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --save=%t
// RUN: %if optimised %{ env LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --target=x86,sapphirerapids --data=%t --check %}
// RUN: tcc-opt --pipeline=default --target=x86,sapphirerapids %s | FileCheck %s
// RUN: tcc-explain --no-cache --target=x86,sapphirerapids %s | FileCheck %s --check-prefix=MADE '--implicit-check-not=tensor<2x16x8x12x16xui8>'
// REQUIRES: avx512vnni

// Blocks of a network whose bytes have channels last are one function that is given such bytes and gives such: views of them are their readers', and nothing
// is turned between two blocks.
// CHECK: func.func private @region0({{.*}}tensor<2x8x12x256xui8>{{.*}}) -> {{.*}}tensor<2x8x12x256xui8>
// MADE: conv_blocked
func.func @main(%x: tensor<2x64x8x12xui8>) -> (tensor<2x64x8x12xi32>) {
  %seven = "tcc.constant"() {value = dense<7> : tensor<i32>} : () -> tensor<i32>
  %eleven = "tcc.constant"() {value = dense<11> : tensor<i32>} : () -> tensor<i32>
  %thirteen = "tcc.constant"() {value = dense<13> : tensor<i32>} : () -> tensor<i32>
  %modulus = "tcc.constant"() {value = dense<199> : tensor<i32>} : () -> tensor<i32>
  %middle = "tcc.constant"() {value = dense<99> : tensor<i32>} : () -> tensor<i32>
  %low = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %high = "tcc.constant"() {value = dense<255.0> : tensor<f32>} : () -> tensor<f32>
  %fine = "tcc.constant"() {value = dense<3.90625e-3> : tensor<f32>} : () -> tensor<f32>
  %half = "tcc.constant"() {value = dense<5.0e-1> : tensor<f32>} : () -> tensor<f32>
  %finer = "tcc.constant"() {value = dense<9.765625e-4> : tensor<f32>} : () -> tensor<f32>
  %none = "tcc.none"() : () -> none
  %i0_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<256x64x1x1xi32>
  %i0_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<256x64x1x1xi32>
  %i0_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<256x64x1x1xi32>
  %i0_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<256x64x1x1xi32>
  %m0_0 = "tcc.mul"(%i0_0, %seven) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %m0_1 = "tcc.mul"(%i0_1, %eleven) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %m0_2 = "tcc.mul"(%i0_2, %thirteen) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %a0_0 = "tcc.add"(%m0_0, %m0_1) : (tensor<256x64x1x1xi32>, tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi32>
  %a0_1 = "tcc.add"(%m0_2, %i0_3) : (tensor<256x64x1x1xi32>, tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi32>
  %a0 = "tcc.add"(%a0_0, %a0_1) : (tensor<256x64x1x1xi32>, tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi32>
  %e0 = "tcc.mod"(%a0, %modulus) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %s0 = "tcc.sub"(%e0, %middle) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %w0 = "tcc.convert"(%s0) : (tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi8>
  %c0 = "tcc.conv"(%x, %w0, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x64x8x12xui8>, tensor<256x64x1x1xi8>, none) -> tensor<2x256x8x12xi32>
  %f0_1 = "tcc.convert"(%c0) : (tensor<2x256x8x12xi32>) -> tensor<2x256x8x12xf32>
  %f0 = "tcc.mul"(%f0_1, %fine) : (tensor<2x256x8x12xf32>, tensor<f32>) -> tensor<2x256x8x12xf32>
  %q0_1 = "tcc.round"(%f0) : (tensor<2x256x8x12xf32>) -> tensor<2x256x8x12xf32>
  %q0_2 = "tcc.max"(%q0_1, %low) : (tensor<2x256x8x12xf32>, tensor<f32>) -> tensor<2x256x8x12xf32>
  %q0_3 = "tcc.min"(%q0_2, %high) : (tensor<2x256x8x12xf32>, tensor<f32>) -> tensor<2x256x8x12xf32>
  %q0 = "tcc.convert"(%q0_3) : (tensor<2x256x8x12xf32>) -> tensor<2x256x8x12xui8>
  %i1_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64x256x1x1xi32>
  %i1_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<64x256x1x1xi32>
  %i1_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<64x256x1x1xi32>
  %i1_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<64x256x1x1xi32>
  %m1_0 = "tcc.mul"(%i1_0, %seven) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %m1_1 = "tcc.mul"(%i1_1, %eleven) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %m1_2 = "tcc.mul"(%i1_2, %thirteen) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %a1_0 = "tcc.add"(%m1_0, %m1_1) : (tensor<64x256x1x1xi32>, tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi32>
  %a1_1 = "tcc.add"(%m1_2, %i1_3) : (tensor<64x256x1x1xi32>, tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi32>
  %a1 = "tcc.add"(%a1_0, %a1_1) : (tensor<64x256x1x1xi32>, tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi32>
  %e1 = "tcc.mod"(%a1, %modulus) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %s1 = "tcc.sub"(%e1, %middle) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %w1 = "tcc.convert"(%s1) : (tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi8>
  %c1 = "tcc.conv"(%q0, %w1, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x256x8x12xui8>, tensor<64x256x1x1xi8>, none) -> tensor<2x64x8x12xi32>
  %f1_1 = "tcc.convert"(%c1) : (tensor<2x64x8x12xi32>) -> tensor<2x64x8x12xf32>
  %f1 = "tcc.mul"(%f1_1, %finer) : (tensor<2x64x8x12xf32>, tensor<f32>) -> tensor<2x64x8x12xf32>
  %q1_1 = "tcc.round"(%f1) : (tensor<2x64x8x12xf32>) -> tensor<2x64x8x12xf32>
  %q1_2 = "tcc.max"(%q1_1, %low) : (tensor<2x64x8x12xf32>, tensor<f32>) -> tensor<2x64x8x12xf32>
  %q1_3 = "tcc.min"(%q1_2, %high) : (tensor<2x64x8x12xf32>, tensor<f32>) -> tensor<2x64x8x12xf32>
  %q1 = "tcc.convert"(%q1_3) : (tensor<2x64x8x12xf32>) -> tensor<2x64x8x12xui8>
  %i2_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<256x64x1x1xi32>
  %i2_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<256x64x1x1xi32>
  %i2_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<256x64x1x1xi32>
  %i2_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<256x64x1x1xi32>
  %m2_0 = "tcc.mul"(%i2_0, %seven) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %m2_1 = "tcc.mul"(%i2_1, %eleven) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %m2_2 = "tcc.mul"(%i2_2, %thirteen) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %a2_0 = "tcc.add"(%m2_0, %m2_1) : (tensor<256x64x1x1xi32>, tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi32>
  %a2_1 = "tcc.add"(%m2_2, %i2_3) : (tensor<256x64x1x1xi32>, tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi32>
  %a2 = "tcc.add"(%a2_0, %a2_1) : (tensor<256x64x1x1xi32>, tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi32>
  %e2 = "tcc.mod"(%a2, %modulus) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %s2 = "tcc.sub"(%e2, %middle) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %w2 = "tcc.convert"(%s2) : (tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi8>
  %c2 = "tcc.conv"(%q1, %w2, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x64x8x12xui8>, tensor<256x64x1x1xi8>, none) -> tensor<2x256x8x12xi32>
  %f2_1 = "tcc.convert"(%c2) : (tensor<2x256x8x12xi32>) -> tensor<2x256x8x12xf32>
  %f2 = "tcc.mul"(%f2_1, %fine) : (tensor<2x256x8x12xf32>, tensor<f32>) -> tensor<2x256x8x12xf32>
  %d0_1 = "tcc.convert"(%q0) : (tensor<2x256x8x12xui8>) -> tensor<2x256x8x12xf32>
  %d0_2 = "tcc.mul"(%d0_1, %half) : (tensor<2x256x8x12xf32>, tensor<f32>) -> tensor<2x256x8x12xf32>
  %d0 = "tcc.add"(%f2, %d0_2) : (tensor<2x256x8x12xf32>, tensor<2x256x8x12xf32>) -> tensor<2x256x8x12xf32>
  %q2_1 = "tcc.round"(%d0) : (tensor<2x256x8x12xf32>) -> tensor<2x256x8x12xf32>
  %q2_2 = "tcc.max"(%q2_1, %low) : (tensor<2x256x8x12xf32>, tensor<f32>) -> tensor<2x256x8x12xf32>
  %q2_3 = "tcc.min"(%q2_2, %high) : (tensor<2x256x8x12xf32>, tensor<f32>) -> tensor<2x256x8x12xf32>
  %q2 = "tcc.convert"(%q2_3) : (tensor<2x256x8x12xf32>) -> tensor<2x256x8x12xui8>
  %i3_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64x256x1x1xi32>
  %i3_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<64x256x1x1xi32>
  %i3_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<64x256x1x1xi32>
  %i3_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<64x256x1x1xi32>
  %m3_0 = "tcc.mul"(%i3_0, %seven) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %m3_1 = "tcc.mul"(%i3_1, %eleven) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %m3_2 = "tcc.mul"(%i3_2, %thirteen) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %a3_0 = "tcc.add"(%m3_0, %m3_1) : (tensor<64x256x1x1xi32>, tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi32>
  %a3_1 = "tcc.add"(%m3_2, %i3_3) : (tensor<64x256x1x1xi32>, tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi32>
  %a3 = "tcc.add"(%a3_0, %a3_1) : (tensor<64x256x1x1xi32>, tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi32>
  %e3 = "tcc.mod"(%a3, %modulus) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %s3 = "tcc.sub"(%e3, %middle) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %w3 = "tcc.convert"(%s3) : (tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi8>
  %c3 = "tcc.conv"(%q2, %w3, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x256x8x12xui8>, tensor<64x256x1x1xi8>, none) -> tensor<2x64x8x12xi32>
  %f3_1 = "tcc.convert"(%c3) : (tensor<2x64x8x12xi32>) -> tensor<2x64x8x12xf32>
  %f3 = "tcc.mul"(%f3_1, %finer) : (tensor<2x64x8x12xf32>, tensor<f32>) -> tensor<2x64x8x12xf32>
  %q3_1 = "tcc.round"(%f3) : (tensor<2x64x8x12xf32>) -> tensor<2x64x8x12xf32>
  %q3_2 = "tcc.max"(%q3_1, %low) : (tensor<2x64x8x12xf32>, tensor<f32>) -> tensor<2x64x8x12xf32>
  %q3_3 = "tcc.min"(%q3_2, %high) : (tensor<2x64x8x12xf32>, tensor<f32>) -> tensor<2x64x8x12xf32>
  %q3 = "tcc.convert"(%q3_3) : (tensor<2x64x8x12xf32>) -> tensor<2x64x8x12xui8>
  %i4_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<256x64x1x1xi32>
  %i4_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<256x64x1x1xi32>
  %i4_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<256x64x1x1xi32>
  %i4_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<256x64x1x1xi32>
  %m4_0 = "tcc.mul"(%i4_0, %seven) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %m4_1 = "tcc.mul"(%i4_1, %eleven) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %m4_2 = "tcc.mul"(%i4_2, %thirteen) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %a4_0 = "tcc.add"(%m4_0, %m4_1) : (tensor<256x64x1x1xi32>, tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi32>
  %a4_1 = "tcc.add"(%m4_2, %i4_3) : (tensor<256x64x1x1xi32>, tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi32>
  %a4 = "tcc.add"(%a4_0, %a4_1) : (tensor<256x64x1x1xi32>, tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi32>
  %e4 = "tcc.mod"(%a4, %modulus) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %s4 = "tcc.sub"(%e4, %middle) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %w4 = "tcc.convert"(%s4) : (tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi8>
  %c4 = "tcc.conv"(%q3, %w4, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x64x8x12xui8>, tensor<256x64x1x1xi8>, none) -> tensor<2x256x8x12xi32>
  %f4_1 = "tcc.convert"(%c4) : (tensor<2x256x8x12xi32>) -> tensor<2x256x8x12xf32>
  %f4 = "tcc.mul"(%f4_1, %fine) : (tensor<2x256x8x12xf32>, tensor<f32>) -> tensor<2x256x8x12xf32>
  %d1_1 = "tcc.convert"(%q2) : (tensor<2x256x8x12xui8>) -> tensor<2x256x8x12xf32>
  %d1_2 = "tcc.mul"(%d1_1, %half) : (tensor<2x256x8x12xf32>, tensor<f32>) -> tensor<2x256x8x12xf32>
  %d1 = "tcc.add"(%f4, %d1_2) : (tensor<2x256x8x12xf32>, tensor<2x256x8x12xf32>) -> tensor<2x256x8x12xf32>
  %q4_1 = "tcc.round"(%d1) : (tensor<2x256x8x12xf32>) -> tensor<2x256x8x12xf32>
  %q4_2 = "tcc.max"(%q4_1, %low) : (tensor<2x256x8x12xf32>, tensor<f32>) -> tensor<2x256x8x12xf32>
  %q4_3 = "tcc.min"(%q4_2, %high) : (tensor<2x256x8x12xf32>, tensor<f32>) -> tensor<2x256x8x12xf32>
  %q4 = "tcc.convert"(%q4_3) : (tensor<2x256x8x12xf32>) -> tensor<2x256x8x12xui8>
  %i5_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64x256x1x1xi32>
  %i5_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<64x256x1x1xi32>
  %i5_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<64x256x1x1xi32>
  %i5_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<64x256x1x1xi32>
  %m5_0 = "tcc.mul"(%i5_0, %seven) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %m5_1 = "tcc.mul"(%i5_1, %eleven) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %m5_2 = "tcc.mul"(%i5_2, %thirteen) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %a5_0 = "tcc.add"(%m5_0, %m5_1) : (tensor<64x256x1x1xi32>, tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi32>
  %a5_1 = "tcc.add"(%m5_2, %i5_3) : (tensor<64x256x1x1xi32>, tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi32>
  %a5 = "tcc.add"(%a5_0, %a5_1) : (tensor<64x256x1x1xi32>, tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi32>
  %e5 = "tcc.mod"(%a5, %modulus) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %s5 = "tcc.sub"(%e5, %middle) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %w5 = "tcc.convert"(%s5) : (tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi8>
  %c5 = "tcc.conv"(%q4, %w5, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x256x8x12xui8>, tensor<64x256x1x1xi8>, none) -> tensor<2x64x8x12xi32>
  %f5_1 = "tcc.convert"(%c5) : (tensor<2x64x8x12xi32>) -> tensor<2x64x8x12xf32>
  %f5 = "tcc.mul"(%f5_1, %finer) : (tensor<2x64x8x12xf32>, tensor<f32>) -> tensor<2x64x8x12xf32>
  %q5_1 = "tcc.round"(%f5) : (tensor<2x64x8x12xf32>) -> tensor<2x64x8x12xf32>
  %q5_2 = "tcc.max"(%q5_1, %low) : (tensor<2x64x8x12xf32>, tensor<f32>) -> tensor<2x64x8x12xf32>
  %q5_3 = "tcc.min"(%q5_2, %high) : (tensor<2x64x8x12xf32>, tensor<f32>) -> tensor<2x64x8x12xf32>
  %q5 = "tcc.convert"(%q5_3) : (tensor<2x64x8x12xf32>) -> tensor<2x64x8x12xui8>
  %i6_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<256x64x1x1xi32>
  %i6_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<256x64x1x1xi32>
  %i6_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<256x64x1x1xi32>
  %i6_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<256x64x1x1xi32>
  %m6_0 = "tcc.mul"(%i6_0, %seven) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %m6_1 = "tcc.mul"(%i6_1, %eleven) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %m6_2 = "tcc.mul"(%i6_2, %thirteen) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %a6_0 = "tcc.add"(%m6_0, %m6_1) : (tensor<256x64x1x1xi32>, tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi32>
  %a6_1 = "tcc.add"(%m6_2, %i6_3) : (tensor<256x64x1x1xi32>, tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi32>
  %a6 = "tcc.add"(%a6_0, %a6_1) : (tensor<256x64x1x1xi32>, tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi32>
  %e6 = "tcc.mod"(%a6, %modulus) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %s6 = "tcc.sub"(%e6, %middle) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %w6 = "tcc.convert"(%s6) : (tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi8>
  %c6 = "tcc.conv"(%q5, %w6, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x64x8x12xui8>, tensor<256x64x1x1xi8>, none) -> tensor<2x256x8x12xi32>
  %f6_1 = "tcc.convert"(%c6) : (tensor<2x256x8x12xi32>) -> tensor<2x256x8x12xf32>
  %f6 = "tcc.mul"(%f6_1, %fine) : (tensor<2x256x8x12xf32>, tensor<f32>) -> tensor<2x256x8x12xf32>
  %d2_1 = "tcc.convert"(%q4) : (tensor<2x256x8x12xui8>) -> tensor<2x256x8x12xf32>
  %d2_2 = "tcc.mul"(%d2_1, %half) : (tensor<2x256x8x12xf32>, tensor<f32>) -> tensor<2x256x8x12xf32>
  %d2 = "tcc.add"(%f6, %d2_2) : (tensor<2x256x8x12xf32>, tensor<2x256x8x12xf32>) -> tensor<2x256x8x12xf32>
  %q6_1 = "tcc.round"(%d2) : (tensor<2x256x8x12xf32>) -> tensor<2x256x8x12xf32>
  %q6_2 = "tcc.max"(%q6_1, %low) : (tensor<2x256x8x12xf32>, tensor<f32>) -> tensor<2x256x8x12xf32>
  %q6_3 = "tcc.min"(%q6_2, %high) : (tensor<2x256x8x12xf32>, tensor<f32>) -> tensor<2x256x8x12xf32>
  %q6 = "tcc.convert"(%q6_3) : (tensor<2x256x8x12xf32>) -> tensor<2x256x8x12xui8>
  %i9_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64x256x1x1xi32>
  %i9_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<64x256x1x1xi32>
  %i9_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<64x256x1x1xi32>
  %i9_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<64x256x1x1xi32>
  %m9_0 = "tcc.mul"(%i9_0, %seven) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %m9_1 = "tcc.mul"(%i9_1, %eleven) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %m9_2 = "tcc.mul"(%i9_2, %thirteen) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %a9_0 = "tcc.add"(%m9_0, %m9_1) : (tensor<64x256x1x1xi32>, tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi32>
  %a9_1 = "tcc.add"(%m9_2, %i9_3) : (tensor<64x256x1x1xi32>, tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi32>
  %a9 = "tcc.add"(%a9_0, %a9_1) : (tensor<64x256x1x1xi32>, tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi32>
  %e9 = "tcc.mod"(%a9, %modulus) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %s9 = "tcc.sub"(%e9, %middle) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %w9 = "tcc.convert"(%s9) : (tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi8>
  %c9 = "tcc.conv"(%q6, %w9, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x256x8x12xui8>, tensor<64x256x1x1xi8>, none) -> tensor<2x64x8x12xi32>
  return %c9 : tensor<2x64x8x12xi32>
}
