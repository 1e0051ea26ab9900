// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --save=%t
// RUN: %if optimised %{ env LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --target=x86,sapphirerapids --data=%t --check %}
// RUN: %if amx %{ tcc-run %s --random=1 --target=x86,sapphirerapids --data=%t --check --threads=2 %}
// RUN: tcc-run %s --random=1 --target=x86,cascadelake --data=%t --check
// RUN: tcc-opt --pipeline=default --target=x86,sapphirerapids %s | tcc-translate --to-asm --target=x86,sapphirerapids - | FileCheck %s
// REQUIRES: avx512vnni

// What a convolution of bytes gives is quantised in its epilogue, four pixels at once, whose bytes are one vector: rows of whole fours and of one, two and
// three pixels more, unsigned and signed bytes, zero points, a relu's, sums that are too large, and a residual that is added between two quantisations.
// CHECK-DAG: vpackssdw
// CHECK-DAG: vpackuswb
// CHECK-DAG: vpacksswb
func.func @main(%x0: tensor<1x64x3x28xui8>, %x1: tensor<1x64x3x14xui8>, %x2: tensor<1x64x7x7xui8>, %x3: tensor<1x128x4x13xui8>, %x4: tensor<1x64x4x15xui8>, %x5: tensor<1x64x2x9xui8>, %x6: tensor<1x64x5x14xui8>, %y6: tensor<1x64x5x14xui8>, %x7: tensor<1x64x2x3xui8>) -> (tensor<1x64x3x28xui8>, tensor<1x48x3x14xui8>, tensor<1x64x7x7xui8>, tensor<1x32x4x13xi8>, tensor<1x32x4x15xi8>, tensor<1x32x2x9xui8>, tensor<1x64x5x14xui8>, tensor<1x32x2x3xui8>) {
  %seven = "tcc.constant"() {value = dense<7> : tensor<i32>} : () -> tensor<i32>
  %eleven = "tcc.constant"() {value = dense<11> : tensor<i32>} : () -> tensor<i32>
  %modulus = "tcc.constant"() {value = dense<199> : tensor<i32>} : () -> tensor<i32>
  %middle = "tcc.constant"() {value = dense<99> : tensor<i32>} : () -> tensor<i32>
  %none = "tcc.none"() : () -> none
  %i0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64x64x1x1xi32>
  %j0 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<64x64x1x1xi32>
  %mi0 = "tcc.mul"(%i0, %seven) : (tensor<64x64x1x1xi32>, tensor<i32>) -> tensor<64x64x1x1xi32>
  %mj0 = "tcc.mul"(%j0, %eleven) : (tensor<64x64x1x1xi32>, tensor<i32>) -> tensor<64x64x1x1xi32>
  %a0 = "tcc.add"(%mi0, %mj0) : (tensor<64x64x1x1xi32>, tensor<64x64x1x1xi32>) -> tensor<64x64x1x1xi32>
  %e0 = "tcc.mod"(%a0, %modulus) : (tensor<64x64x1x1xi32>, tensor<i32>) -> tensor<64x64x1x1xi32>
  %d0 = "tcc.sub"(%e0, %middle) : (tensor<64x64x1x1xi32>, tensor<i32>) -> tensor<64x64x1x1xi32>
  %w0 = "tcc.convert"(%d0) : (tensor<64x64x1x1xi32>) -> tensor<64x64x1x1xi8>
  %c0 = "tcc.conv"(%x0, %w0, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x3x28xui8>, tensor<64x64x1x1xi8>, none) -> tensor<1x64x3x28xi32>
  %f0 = "tcc.convert"(%c0) : (tensor<1x64x3x28xi32>) -> tensor<1x64x3x28xf32>
  %s0 = "tcc.constant"() {value = dense<5.0e-1> : tensor<f32>} : () -> tensor<f32>
  %m0 = "tcc.mul"(%f0, %s0) : (tensor<1x64x3x28xf32>, tensor<f32>) -> tensor<1x64x3x28xf32>
  %z0 = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %lo0 = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %hi0 = "tcc.constant"() {value = dense<255.0> : tensor<f32>} : () -> tensor<f32>
  %rd0 = "tcc.round"(%m0) : (tensor<1x64x3x28xf32>) -> tensor<1x64x3x28xf32>
  %sh0 = "tcc.add"(%rd0, %z0) : (tensor<1x64x3x28xf32>, tensor<f32>) -> tensor<1x64x3x28xf32>
  %mx0 = "tcc.max"(%sh0, %lo0) : (tensor<1x64x3x28xf32>, tensor<f32>) -> tensor<1x64x3x28xf32>
  %mn0 = "tcc.min"(%mx0, %hi0) : (tensor<1x64x3x28xf32>, tensor<f32>) -> tensor<1x64x3x28xf32>
  %q0 = "tcc.convert"(%mn0) : (tensor<1x64x3x28xf32>) -> tensor<1x64x3x28xui8>
  %i1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<48x64x1x1xi32>
  %j1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<48x64x1x1xi32>
  %mi1 = "tcc.mul"(%i1, %seven) : (tensor<48x64x1x1xi32>, tensor<i32>) -> tensor<48x64x1x1xi32>
  %mj1 = "tcc.mul"(%j1, %eleven) : (tensor<48x64x1x1xi32>, tensor<i32>) -> tensor<48x64x1x1xi32>
  %a1 = "tcc.add"(%mi1, %mj1) : (tensor<48x64x1x1xi32>, tensor<48x64x1x1xi32>) -> tensor<48x64x1x1xi32>
  %e1 = "tcc.mod"(%a1, %modulus) : (tensor<48x64x1x1xi32>, tensor<i32>) -> tensor<48x64x1x1xi32>
  %d1 = "tcc.sub"(%e1, %middle) : (tensor<48x64x1x1xi32>, tensor<i32>) -> tensor<48x64x1x1xi32>
  %w1 = "tcc.convert"(%d1) : (tensor<48x64x1x1xi32>) -> tensor<48x64x1x1xi8>
  %c1 = "tcc.conv"(%x1, %w1, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x3x14xui8>, tensor<48x64x1x1xi8>, none) -> tensor<1x48x3x14xi32>
  %f1 = "tcc.convert"(%c1) : (tensor<1x48x3x14xi32>) -> tensor<1x48x3x14xf32>
  %s1 = "tcc.constant"() {value = dense<5.0e-1> : tensor<f32>} : () -> tensor<f32>
  %m1 = "tcc.mul"(%f1, %s1) : (tensor<1x48x3x14xf32>, tensor<f32>) -> tensor<1x48x3x14xf32>
  %z1 = "tcc.constant"() {value = dense<9.0> : tensor<f32>} : () -> tensor<f32>
  %lo1 = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %hi1 = "tcc.constant"() {value = dense<255.0> : tensor<f32>} : () -> tensor<f32>
  %rd1 = "tcc.round"(%m1) : (tensor<1x48x3x14xf32>) -> tensor<1x48x3x14xf32>
  %sh1 = "tcc.add"(%rd1, %z1) : (tensor<1x48x3x14xf32>, tensor<f32>) -> tensor<1x48x3x14xf32>
  %mx1 = "tcc.max"(%sh1, %lo1) : (tensor<1x48x3x14xf32>, tensor<f32>) -> tensor<1x48x3x14xf32>
  %mn1 = "tcc.min"(%mx1, %hi1) : (tensor<1x48x3x14xf32>, tensor<f32>) -> tensor<1x48x3x14xf32>
  %q1 = "tcc.convert"(%mn1) : (tensor<1x48x3x14xf32>) -> tensor<1x48x3x14xui8>
  %i2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64x64x3x3xi32>
  %j2 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<64x64x3x3xi32>
  %mi2 = "tcc.mul"(%i2, %seven) : (tensor<64x64x3x3xi32>, tensor<i32>) -> tensor<64x64x3x3xi32>
  %mj2 = "tcc.mul"(%j2, %eleven) : (tensor<64x64x3x3xi32>, tensor<i32>) -> tensor<64x64x3x3xi32>
  %a2 = "tcc.add"(%mi2, %mj2) : (tensor<64x64x3x3xi32>, tensor<64x64x3x3xi32>) -> tensor<64x64x3x3xi32>
  %e2 = "tcc.mod"(%a2, %modulus) : (tensor<64x64x3x3xi32>, tensor<i32>) -> tensor<64x64x3x3xi32>
  %d2 = "tcc.sub"(%e2, %middle) : (tensor<64x64x3x3xi32>, tensor<i32>) -> tensor<64x64x3x3xi32>
  %w2 = "tcc.convert"(%d2) : (tensor<64x64x3x3xi32>) -> tensor<64x64x3x3xi8>
  %c2 = "tcc.conv"(%x2, %w2, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x7x7xui8>, tensor<64x64x3x3xi8>, none) -> tensor<1x64x7x7xi32>
  %f2 = "tcc.convert"(%c2) : (tensor<1x64x7x7xi32>) -> tensor<1x64x7x7xf32>
  %s2 = "tcc.constant"() {value = dense<5.0e-1> : tensor<f32>} : () -> tensor<f32>
  %m2 = "tcc.mul"(%f2, %s2) : (tensor<1x64x7x7xf32>, tensor<f32>) -> tensor<1x64x7x7xf32>
  %z2 = "tcc.constant"() {value = dense<128.0> : tensor<f32>} : () -> tensor<f32>
  %lo2 = "tcc.constant"() {value = dense<128.0> : tensor<f32>} : () -> tensor<f32>
  %hi2 = "tcc.constant"() {value = dense<255.0> : tensor<f32>} : () -> tensor<f32>
  %rd2 = "tcc.round"(%m2) : (tensor<1x64x7x7xf32>) -> tensor<1x64x7x7xf32>
  %sh2 = "tcc.add"(%rd2, %z2) : (tensor<1x64x7x7xf32>, tensor<f32>) -> tensor<1x64x7x7xf32>
  %mx2 = "tcc.max"(%sh2, %lo2) : (tensor<1x64x7x7xf32>, tensor<f32>) -> tensor<1x64x7x7xf32>
  %mn2 = "tcc.min"(%mx2, %hi2) : (tensor<1x64x7x7xf32>, tensor<f32>) -> tensor<1x64x7x7xf32>
  %q2 = "tcc.convert"(%mn2) : (tensor<1x64x7x7xf32>) -> tensor<1x64x7x7xui8>
  %i3 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<32x128x1x1xi32>
  %j3 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<32x128x1x1xi32>
  %mi3 = "tcc.mul"(%i3, %seven) : (tensor<32x128x1x1xi32>, tensor<i32>) -> tensor<32x128x1x1xi32>
  %mj3 = "tcc.mul"(%j3, %eleven) : (tensor<32x128x1x1xi32>, tensor<i32>) -> tensor<32x128x1x1xi32>
  %a3 = "tcc.add"(%mi3, %mj3) : (tensor<32x128x1x1xi32>, tensor<32x128x1x1xi32>) -> tensor<32x128x1x1xi32>
  %e3 = "tcc.mod"(%a3, %modulus) : (tensor<32x128x1x1xi32>, tensor<i32>) -> tensor<32x128x1x1xi32>
  %d3 = "tcc.sub"(%e3, %middle) : (tensor<32x128x1x1xi32>, tensor<i32>) -> tensor<32x128x1x1xi32>
  %w3 = "tcc.convert"(%d3) : (tensor<32x128x1x1xi32>) -> tensor<32x128x1x1xi8>
  %c3 = "tcc.conv"(%x3, %w3, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x128x4x13xui8>, tensor<32x128x1x1xi8>, none) -> tensor<1x32x4x13xi32>
  %f3 = "tcc.convert"(%c3) : (tensor<1x32x4x13xi32>) -> tensor<1x32x4x13xf32>
  %s3 = "tcc.constant"() {value = dense<5.0e-1> : tensor<f32>} : () -> tensor<f32>
  %m3 = "tcc.mul"(%f3, %s3) : (tensor<1x32x4x13xf32>, tensor<f32>) -> tensor<1x32x4x13xf32>
  %z3 = "tcc.constant"() {value = dense<5.0> : tensor<f32>} : () -> tensor<f32>
  %lo3 = "tcc.constant"() {value = dense<-128.0> : tensor<f32>} : () -> tensor<f32>
  %hi3 = "tcc.constant"() {value = dense<127.0> : tensor<f32>} : () -> tensor<f32>
  %rd3 = "tcc.round"(%m3) : (tensor<1x32x4x13xf32>) -> tensor<1x32x4x13xf32>
  %sh3 = "tcc.add"(%rd3, %z3) : (tensor<1x32x4x13xf32>, tensor<f32>) -> tensor<1x32x4x13xf32>
  %mx3 = "tcc.max"(%sh3, %lo3) : (tensor<1x32x4x13xf32>, tensor<f32>) -> tensor<1x32x4x13xf32>
  %mn3 = "tcc.min"(%mx3, %hi3) : (tensor<1x32x4x13xf32>, tensor<f32>) -> tensor<1x32x4x13xf32>
  %q3 = "tcc.convert"(%mn3) : (tensor<1x32x4x13xf32>) -> tensor<1x32x4x13xi8>
  %i4 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<32x64x1x1xi32>
  %j4 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<32x64x1x1xi32>
  %mi4 = "tcc.mul"(%i4, %seven) : (tensor<32x64x1x1xi32>, tensor<i32>) -> tensor<32x64x1x1xi32>
  %mj4 = "tcc.mul"(%j4, %eleven) : (tensor<32x64x1x1xi32>, tensor<i32>) -> tensor<32x64x1x1xi32>
  %a4 = "tcc.add"(%mi4, %mj4) : (tensor<32x64x1x1xi32>, tensor<32x64x1x1xi32>) -> tensor<32x64x1x1xi32>
  %e4 = "tcc.mod"(%a4, %modulus) : (tensor<32x64x1x1xi32>, tensor<i32>) -> tensor<32x64x1x1xi32>
  %d4 = "tcc.sub"(%e4, %middle) : (tensor<32x64x1x1xi32>, tensor<i32>) -> tensor<32x64x1x1xi32>
  %w4 = "tcc.convert"(%d4) : (tensor<32x64x1x1xi32>) -> tensor<32x64x1x1xi8>
  %c4 = "tcc.conv"(%x4, %w4, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x4x15xui8>, tensor<32x64x1x1xi8>, none) -> tensor<1x32x4x15xi32>
  %f4 = "tcc.convert"(%c4) : (tensor<1x32x4x15xi32>) -> tensor<1x32x4x15xf32>
  %s4 = "tcc.constant"() {value = dense<5.0e-1> : tensor<f32>} : () -> tensor<f32>
  %m4 = "tcc.mul"(%f4, %s4) : (tensor<1x32x4x15xf32>, tensor<f32>) -> tensor<1x32x4x15xf32>
  %z4 = "tcc.constant"() {value = dense<-7.0> : tensor<f32>} : () -> tensor<f32>
  %lo4 = "tcc.constant"() {value = dense<-128.0> : tensor<f32>} : () -> tensor<f32>
  %hi4 = "tcc.constant"() {value = dense<127.0> : tensor<f32>} : () -> tensor<f32>
  %rd4 = "tcc.round"(%m4) : (tensor<1x32x4x15xf32>) -> tensor<1x32x4x15xf32>
  %sh4 = "tcc.add"(%rd4, %z4) : (tensor<1x32x4x15xf32>, tensor<f32>) -> tensor<1x32x4x15xf32>
  %mx4 = "tcc.max"(%sh4, %lo4) : (tensor<1x32x4x15xf32>, tensor<f32>) -> tensor<1x32x4x15xf32>
  %mn4 = "tcc.min"(%mx4, %hi4) : (tensor<1x32x4x15xf32>, tensor<f32>) -> tensor<1x32x4x15xf32>
  %q4 = "tcc.convert"(%mn4) : (tensor<1x32x4x15xf32>) -> tensor<1x32x4x15xi8>
  %i5 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<32x64x1x1xi32>
  %j5 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<32x64x1x1xi32>
  %mi5 = "tcc.mul"(%i5, %seven) : (tensor<32x64x1x1xi32>, tensor<i32>) -> tensor<32x64x1x1xi32>
  %mj5 = "tcc.mul"(%j5, %eleven) : (tensor<32x64x1x1xi32>, tensor<i32>) -> tensor<32x64x1x1xi32>
  %a5 = "tcc.add"(%mi5, %mj5) : (tensor<32x64x1x1xi32>, tensor<32x64x1x1xi32>) -> tensor<32x64x1x1xi32>
  %e5 = "tcc.mod"(%a5, %modulus) : (tensor<32x64x1x1xi32>, tensor<i32>) -> tensor<32x64x1x1xi32>
  %d5 = "tcc.sub"(%e5, %middle) : (tensor<32x64x1x1xi32>, tensor<i32>) -> tensor<32x64x1x1xi32>
  %w5 = "tcc.convert"(%d5) : (tensor<32x64x1x1xi32>) -> tensor<32x64x1x1xi8>
  %c5 = "tcc.conv"(%x5, %w5, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x2x9xui8>, tensor<32x64x1x1xi8>, none) -> tensor<1x32x2x9xi32>
  %f5 = "tcc.convert"(%c5) : (tensor<1x32x2x9xi32>) -> tensor<1x32x2x9xf32>
  %s5 = "tcc.constant"() {value = dense<3.0e+30> : tensor<f32>} : () -> tensor<f32>
  %m5 = "tcc.mul"(%f5, %s5) : (tensor<1x32x2x9xf32>, tensor<f32>) -> tensor<1x32x2x9xf32>
  %z5 = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %lo5 = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %hi5 = "tcc.constant"() {value = dense<255.0> : tensor<f32>} : () -> tensor<f32>
  %rd5 = "tcc.round"(%m5) : (tensor<1x32x2x9xf32>) -> tensor<1x32x2x9xf32>
  %sh5 = "tcc.add"(%rd5, %z5) : (tensor<1x32x2x9xf32>, tensor<f32>) -> tensor<1x32x2x9xf32>
  %mx5 = "tcc.max"(%sh5, %lo5) : (tensor<1x32x2x9xf32>, tensor<f32>) -> tensor<1x32x2x9xf32>
  %mn5 = "tcc.min"(%mx5, %hi5) : (tensor<1x32x2x9xf32>, tensor<f32>) -> tensor<1x32x2x9xf32>
  %q5 = "tcc.convert"(%mn5) : (tensor<1x32x2x9xf32>) -> tensor<1x32x2x9xui8>
  %i6 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64x64x1x1xi32>
  %j6 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<64x64x1x1xi32>
  %mi6 = "tcc.mul"(%i6, %seven) : (tensor<64x64x1x1xi32>, tensor<i32>) -> tensor<64x64x1x1xi32>
  %mj6 = "tcc.mul"(%j6, %eleven) : (tensor<64x64x1x1xi32>, tensor<i32>) -> tensor<64x64x1x1xi32>
  %a6 = "tcc.add"(%mi6, %mj6) : (tensor<64x64x1x1xi32>, tensor<64x64x1x1xi32>) -> tensor<64x64x1x1xi32>
  %e6 = "tcc.mod"(%a6, %modulus) : (tensor<64x64x1x1xi32>, tensor<i32>) -> tensor<64x64x1x1xi32>
  %d6 = "tcc.sub"(%e6, %middle) : (tensor<64x64x1x1xi32>, tensor<i32>) -> tensor<64x64x1x1xi32>
  %w6 = "tcc.convert"(%d6) : (tensor<64x64x1x1xi32>) -> tensor<64x64x1x1xi8>
  %c6 = "tcc.conv"(%x6, %w6, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x5x14xui8>, tensor<64x64x1x1xi8>, none) -> tensor<1x64x5x14xi32>
  %f6 = "tcc.convert"(%c6) : (tensor<1x64x5x14xi32>) -> tensor<1x64x5x14xf32>
  %s6 = "tcc.constant"() {value = dense<5.0e-1> : tensor<f32>} : () -> tensor<f32>
  %m6 = "tcc.mul"(%f6, %s6) : (tensor<1x64x5x14xf32>, tensor<f32>) -> tensor<1x64x5x14xf32>
  %z6_ = "tcc.constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %lo6_ = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %hi6_ = "tcc.constant"() {value = dense<255.0> : tensor<f32>} : () -> tensor<f32>
  %rd6_ = "tcc.round"(%m6) : (tensor<1x64x5x14xf32>) -> tensor<1x64x5x14xf32>
  %sh6_ = "tcc.add"(%rd6_, %z6_) : (tensor<1x64x5x14xf32>, tensor<f32>) -> tensor<1x64x5x14xf32>
  %mx6_ = "tcc.max"(%sh6_, %lo6_) : (tensor<1x64x5x14xf32>, tensor<f32>) -> tensor<1x64x5x14xf32>
  %mn6_ = "tcc.min"(%mx6_, %hi6_) : (tensor<1x64x5x14xf32>, tensor<f32>) -> tensor<1x64x5x14xf32>
  %q6_ = "tcc.convert"(%mn6_) : (tensor<1x64x5x14xf32>) -> tensor<1x64x5x14xui8>
  %b6 = "tcc.convert"(%q6_) : (tensor<1x64x5x14xui8>) -> tensor<1x64x5x14xf32>
  %yf6 = "tcc.convert"(%y6) : (tensor<1x64x5x14xui8>) -> tensor<1x64x5x14xf32>
  %g6 = "tcc.mul"(%yf6, %s6) : (tensor<1x64x5x14xf32>, tensor<f32>) -> tensor<1x64x5x14xf32>
  %h6 = "tcc.sub"(%b6, %g6) : (tensor<1x64x5x14xf32>, tensor<1x64x5x14xf32>) -> tensor<1x64x5x14xf32>
  %z6 = "tcc.constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %lo6 = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %hi6 = "tcc.constant"() {value = dense<255.0> : tensor<f32>} : () -> tensor<f32>
  %rd6 = "tcc.round"(%h6) : (tensor<1x64x5x14xf32>) -> tensor<1x64x5x14xf32>
  %sh6 = "tcc.add"(%rd6, %z6) : (tensor<1x64x5x14xf32>, tensor<f32>) -> tensor<1x64x5x14xf32>
  %mx6 = "tcc.max"(%sh6, %lo6) : (tensor<1x64x5x14xf32>, tensor<f32>) -> tensor<1x64x5x14xf32>
  %mn6 = "tcc.min"(%mx6, %hi6) : (tensor<1x64x5x14xf32>, tensor<f32>) -> tensor<1x64x5x14xf32>
  %q6 = "tcc.convert"(%mn6) : (tensor<1x64x5x14xf32>) -> tensor<1x64x5x14xui8>
  %i7 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<32x64x1x1xi32>
  %j7 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<32x64x1x1xi32>
  %mi7 = "tcc.mul"(%i7, %seven) : (tensor<32x64x1x1xi32>, tensor<i32>) -> tensor<32x64x1x1xi32>
  %mj7 = "tcc.mul"(%j7, %eleven) : (tensor<32x64x1x1xi32>, tensor<i32>) -> tensor<32x64x1x1xi32>
  %a7 = "tcc.add"(%mi7, %mj7) : (tensor<32x64x1x1xi32>, tensor<32x64x1x1xi32>) -> tensor<32x64x1x1xi32>
  %e7 = "tcc.mod"(%a7, %modulus) : (tensor<32x64x1x1xi32>, tensor<i32>) -> tensor<32x64x1x1xi32>
  %d7 = "tcc.sub"(%e7, %middle) : (tensor<32x64x1x1xi32>, tensor<i32>) -> tensor<32x64x1x1xi32>
  %w7 = "tcc.convert"(%d7) : (tensor<32x64x1x1xi32>) -> tensor<32x64x1x1xi8>
  %c7 = "tcc.conv"(%x7, %w7, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x2x3xui8>, tensor<32x64x1x1xi8>, none) -> tensor<1x32x2x3xi32>
  %f7 = "tcc.convert"(%c7) : (tensor<1x32x2x3xi32>) -> tensor<1x32x2x3xf32>
  %s7 = "tcc.constant"() {value = dense<5.0e-1> : tensor<f32>} : () -> tensor<f32>
  %m7 = "tcc.mul"(%f7, %s7) : (tensor<1x32x2x3xf32>, tensor<f32>) -> tensor<1x32x2x3xf32>
  %z7 = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %lo7 = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %hi7 = "tcc.constant"() {value = dense<200.0> : tensor<f32>} : () -> tensor<f32>
  %rd7 = "tcc.round"(%m7) : (tensor<1x32x2x3xf32>) -> tensor<1x32x2x3xf32>
  %sh7 = "tcc.add"(%rd7, %z7) : (tensor<1x32x2x3xf32>, tensor<f32>) -> tensor<1x32x2x3xf32>
  %mx7 = "tcc.max"(%sh7, %lo7) : (tensor<1x32x2x3xf32>, tensor<f32>) -> tensor<1x32x2x3xf32>
  %mn7 = "tcc.min"(%mx7, %hi7) : (tensor<1x32x2x3xf32>, tensor<f32>) -> tensor<1x32x2x3xf32>
  %q7 = "tcc.convert"(%mn7) : (tensor<1x32x2x3xf32>) -> tensor<1x32x2x3xui8>
  return %q0, %q1, %q2, %q3, %q4, %q5, %q6, %q7 : tensor<1x64x3x28xui8>, tensor<1x48x3x14xui8>, tensor<1x64x7x7xui8>, tensor<1x32x4x13xi8>, tensor<1x32x4x15xi8>, tensor<1x32x2x9xui8>, tensor<1x64x5x14xui8>, tensor<1x32x2x3xui8>
}
