// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --save=%t
// RUN: %if optimised %{ env LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --target=x86,sapphirerapids --data=%t --check %}
// RUN: %if optimised %{ env LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --target=x86,cooperlake --data=%t --check %}
// RUN: %if optimised %{ env LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --target=x86,sapphirerapids --compare=interp %}
// RUN: %if amx %{ tcc-run %s --random=1 --target=x86,sapphirerapids --data=%t --check --threads=2 %}
// RUN: tcc-run %s --random=1 --target=x86,cascadelake --data=%t --check
// RUN: sh -c 'for i in 0 1 4 9; do tcc-opt --target=x86,sapphirerapids --pass-pipeline="import,tcc-block-layout,tcc-decompose,tcc-simplify,tcc-sink-reshapes,tcc-fuse,tcc-dedup-kernels,tcc-variants{count=15},tcc-select{candidate=$i}" %s -o %t/$i.mlir || exit 1; done'
// RUN: %if optimised %{ sh -c 'for i in 0 1 4 9; do LD_PRELOAD=%build/test/emulate.so tcc-run %t/$i.mlir --no-cache --random=1 --target=x86,sapphirerapids --data=%t --check || exit 1; done' %}
// RUN: tcc-opt --pipeline=default --target=x86,sapphirerapids %s | FileCheck %s
// RUN: tcc-opt --pipeline=default --target=x86,cooperlake %s | FileCheck %s --check-prefix=DOT
// RUN: tcc-opt --pipeline=default --target=x86,cascadelake %s | FileCheck %s --check-prefix=WIDE
// RUN: tcc-opt --pipeline=default --target=x86,sapphirerapids %s | tcc-translate --to-asm --target=x86,sapphirerapids - | FileCheck %s --check-prefix=CODE
// RUN: tcc-opt --pipeline=default --target=x86,cooperlake %s | tcc-translate --to-asm --target=x86,cooperlake - | FileCheck %s --check-prefix=DOTS
// REQUIRES: avx512

// Convolutions of bf16, whose sums are f32: in tile registers, where blocks of channels are joined by two, by vdpbf16ps, and without either as patches of
// f32. Strides, padding, dilations, groups, one channel a group, several rows in a tile, images of up to four channels; a relu,
// a residual and a sigmoid behind them. Lanes behind the last channel, which are infinite in the last convolution, meet nothing.
// CHECK-DAG: tensor<1x1x3x3x16x64x2xbf16>
// CHECK-DAG: tensor<1x2x3x3x16x64x2xbf16>
// CHECK-DAG: tensor<1x1x7x7x2x64x2xbf16>
// DOT-DAG: tensor<{{[0-9]+}}x2x3x3x8x{{[0-9]+}}x2xbf16>
// WIDE-NOT: tcc.conv_blocked
// CODE-DAG: tdpbf16ps
// CODE-DAG: vcvtneps2bf16
// DOTS-NOT: tdpbf16ps
// DOTS: vdpbf16ps
func.func @main(%x0: tensor<2x32x9x17xbf16>, %x1: tensor<2x48x7x33xbf16>, %y1: tensor<2x80x7x33xbf16>, %x2: tensor<2x64x5x40xbf16>, %x3: tensor<2x96x9x14xbf16>, %x4: tensor<2x130x4x28xbf16>, %x5: tensor<2x64x8x15xbf16>, %x6: tensor<2x16x12x21xbf16>, %x7: tensor<2x208x7x7xbf16>, %x8: tensor<2x10x7x9xbf16>, %xa: tensor<2x3x17x37xbf16>, %xb: tensor<2x4x9x33xbf16>, %xc: tensor<2x1x12x50xbf16>, %xd: tensor<2x2x6x18xbf16>, %xk: tensor<2x3x20x28xbf16>, %xl: tensor<2x2x9x13xbf16>, %xe: tensor<2x3x15x31xbf16>, %xg: tensor<2x64x9x11xbf16>, %xh: tensor<2x40x9x19xbf16>, %xi: tensor<2x48x10x21xbf16>, %yi: tensor<2x48x5x11xbf16>, %xj: tensor<1x64x1x100xbf16>, %xn: tensor<2x24x7x18xbf16>) -> (tensor<2x64x9x17xbf16>, tensor<2x80x7x33xbf16>, tensor<2x64x5x40xbf16>, tensor<2x32x5x7xbf16>, tensor<2x48x4x28xbf16>, tensor<2x128x4x8xbf16>, tensor<2x16x8x21xbf16>, tensor<2x64x7x7xbf16>, tensor<2x24x7x9xbf16>, tensor<2x64x9x19xbf16>, tensor<2x24x9x33xbf16>, tensor<2x40x12x50xbf16>, tensor<2x16x6x18xbf16>, tensor<2x160x5x7xbf16>, tensor<2x72x9x13xbf16>, tensor<2x32x7x15xbf16>, tensor<2x96x9x11xbf16>, tensor<2x40x9x19xbf16>, tensor<2x48x5x11xbf16>, tensor<1x32x1x100xbf16>, tensor<2x24x7x18xbf16>) {
  %modulus = "tcc.constant"() {value = dense<199> : tensor<i32>} : () -> tensor<i32>
  %middle = "tcc.constant"() {value = dense<99> : tensor<i32>} : () -> tensor<i32>
  %small = "tcc.constant"() {value = dense<0.0078125> : tensor<bf16>} : () -> tensor<bf16>
  %none = "tcc.none"() : () -> none
  %i0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<18432xi32>
  %m0 = "tcc.mod"(%i0, %modulus) : (tensor<18432xi32>, tensor<i32>) -> tensor<18432xi32>
  %s0 = "tcc.sub"(%m0, %middle) : (tensor<18432xi32>, tensor<i32>) -> tensor<18432xi32>
  %h0 = "tcc.convert"(%s0) : (tensor<18432xi32>) -> tensor<18432xbf16>
  %k0 = "tcc.mul"(%h0, %small) : (tensor<18432xbf16>, tensor<bf16>) -> tensor<18432xbf16>
  %w0 = "tcc.reshape"(%k0) : (tensor<18432xbf16>) -> tensor<64x32x3x3xbf16>
  %b0_ = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64xi32>
  %b0 = "tcc.convert"(%b0_) : (tensor<64xi32>) -> tensor<64xbf16>
  %c0 = "tcc.conv"(%x0, %w0, %b0) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x32x9x17xbf16>, tensor<64x32x3x3xbf16>, tensor<64xbf16>) -> tensor<2x64x9x17xbf16>
  %r0 = "tcc.relu"(%c0) : (tensor<2x64x9x17xbf16>) -> tensor<2x64x9x17xbf16>
  %i1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<3840xi32>
  %m1 = "tcc.mod"(%i1, %modulus) : (tensor<3840xi32>, tensor<i32>) -> tensor<3840xi32>
  %s1 = "tcc.sub"(%m1, %middle) : (tensor<3840xi32>, tensor<i32>) -> tensor<3840xi32>
  %h1 = "tcc.convert"(%s1) : (tensor<3840xi32>) -> tensor<3840xbf16>
  %k1 = "tcc.mul"(%h1, %small) : (tensor<3840xbf16>, tensor<bf16>) -> tensor<3840xbf16>
  %w1 = "tcc.reshape"(%k1) : (tensor<3840xbf16>) -> tensor<80x48x1x1xbf16>
  %b1_ = "tcc.iota"() {axis = 0 : i64} : () -> tensor<80xi32>
  %b1 = "tcc.convert"(%b1_) : (tensor<80xi32>) -> tensor<80xbf16>
  %c1 = "tcc.conv"(%x1, %w1, %b1) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x48x7x33xbf16>, tensor<80x48x1x1xbf16>, tensor<80xbf16>) -> tensor<2x80x7x33xbf16>
  %q1 = "tcc.add"(%c1, %y1) : (tensor<2x80x7x33xbf16>, tensor<2x80x7x33xbf16>) -> tensor<2x80x7x33xbf16>
  %r1 = "tcc.relu"(%q1) : (tensor<2x80x7x33xbf16>) -> tensor<2x80x7x33xbf16>
  %i2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<36864xi32>
  %m2 = "tcc.mod"(%i2, %modulus) : (tensor<36864xi32>, tensor<i32>) -> tensor<36864xi32>
  %s2 = "tcc.sub"(%m2, %middle) : (tensor<36864xi32>, tensor<i32>) -> tensor<36864xi32>
  %h2 = "tcc.convert"(%s2) : (tensor<36864xi32>) -> tensor<36864xbf16>
  %k2 = "tcc.mul"(%h2, %small) : (tensor<36864xbf16>, tensor<bf16>) -> tensor<36864xbf16>
  %w2 = "tcc.reshape"(%k2) : (tensor<36864xbf16>) -> tensor<64x64x3x3xbf16>
  %c2 = "tcc.conv"(%x2, %w2, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x64x5x40xbf16>, tensor<64x64x3x3xbf16>, none) -> tensor<2x64x5x40xbf16>
  %i3 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<27648xi32>
  %m3 = "tcc.mod"(%i3, %modulus) : (tensor<27648xi32>, tensor<i32>) -> tensor<27648xi32>
  %s3 = "tcc.sub"(%m3, %middle) : (tensor<27648xi32>, tensor<i32>) -> tensor<27648xi32>
  %h3 = "tcc.convert"(%s3) : (tensor<27648xi32>) -> tensor<27648xbf16>
  %k3 = "tcc.mul"(%h3, %small) : (tensor<27648xbf16>, tensor<bf16>) -> tensor<27648xbf16>
  %w3 = "tcc.reshape"(%k3) : (tensor<27648xbf16>) -> tensor<32x96x3x3xbf16>
  %c3 = "tcc.conv"(%x3, %w3, %none) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x96x9x14xbf16>, tensor<32x96x3x3xbf16>, none) -> tensor<2x32x5x7xbf16>
  %g3 = "tcc.sigmoid"(%c3) : (tensor<2x32x5x7xbf16>) -> tensor<2x32x5x7xbf16>
  %r3 = "tcc.mul"(%c3, %g3) : (tensor<2x32x5x7xbf16>, tensor<2x32x5x7xbf16>) -> tensor<2x32x5x7xbf16>
  %i4 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<6240xi32>
  %m4 = "tcc.mod"(%i4, %modulus) : (tensor<6240xi32>, tensor<i32>) -> tensor<6240xi32>
  %s4 = "tcc.sub"(%m4, %middle) : (tensor<6240xi32>, tensor<i32>) -> tensor<6240xi32>
  %h4 = "tcc.convert"(%s4) : (tensor<6240xi32>) -> tensor<6240xbf16>
  %k4 = "tcc.mul"(%h4, %small) : (tensor<6240xbf16>, tensor<bf16>) -> tensor<6240xbf16>
  %w4 = "tcc.reshape"(%k4) : (tensor<6240xbf16>) -> tensor<48x130x1x1xbf16>
  %c4 = "tcc.conv"(%x4, %w4, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x130x4x28xbf16>, tensor<48x130x1x1xbf16>, none) -> tensor<2x48x4x28xbf16>
  %i5 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<8192xi32>
  %m5 = "tcc.mod"(%i5, %modulus) : (tensor<8192xi32>, tensor<i32>) -> tensor<8192xi32>
  %s5 = "tcc.sub"(%m5, %middle) : (tensor<8192xi32>, tensor<i32>) -> tensor<8192xi32>
  %h5 = "tcc.convert"(%s5) : (tensor<8192xi32>) -> tensor<8192xbf16>
  %k5 = "tcc.mul"(%h5, %small) : (tensor<8192xbf16>, tensor<bf16>) -> tensor<8192xbf16>
  %w5 = "tcc.reshape"(%k5) : (tensor<8192xbf16>) -> tensor<128x64x1x1xbf16>
  %b5_ = "tcc.iota"() {axis = 0 : i64} : () -> tensor<128xi32>
  %b5 = "tcc.convert"(%b5_) : (tensor<128xi32>) -> tensor<128xbf16>
  %c5 = "tcc.conv"(%x5, %w5, %b5) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x64x8x15xbf16>, tensor<128x64x1x1xbf16>, tensor<128xbf16>) -> tensor<2x128x4x8xbf16>
  %i6 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<3840xi32>
  %m6 = "tcc.mod"(%i6, %modulus) : (tensor<3840xi32>, tensor<i32>) -> tensor<3840xi32>
  %s6 = "tcc.sub"(%m6, %middle) : (tensor<3840xi32>, tensor<i32>) -> tensor<3840xi32>
  %h6 = "tcc.convert"(%s6) : (tensor<3840xi32>) -> tensor<3840xbf16>
  %k6 = "tcc.mul"(%h6, %small) : (tensor<3840xbf16>, tensor<bf16>) -> tensor<3840xbf16>
  %w6 = "tcc.reshape"(%k6) : (tensor<3840xbf16>) -> tensor<16x16x5x3xbf16>
  %c6 = "tcc.conv"(%x6, %w6, %none) {strides = array<i64: 1, 1>, pads = array<i64: 2, 2, 2, 2>, dilations = array<i64: 2, 2>, groups = 1 : i64} : (tensor<2x16x12x21xbf16>, tensor<16x16x5x3xbf16>, none) -> tensor<2x16x8x21xbf16>
  %i7 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<119808xi32>
  %m7 = "tcc.mod"(%i7, %modulus) : (tensor<119808xi32>, tensor<i32>) -> tensor<119808xi32>
  %s7 = "tcc.sub"(%m7, %middle) : (tensor<119808xi32>, tensor<i32>) -> tensor<119808xi32>
  %h7 = "tcc.convert"(%s7) : (tensor<119808xi32>) -> tensor<119808xbf16>
  %k7 = "tcc.mul"(%h7, %small) : (tensor<119808xbf16>, tensor<bf16>) -> tensor<119808xbf16>
  %w7 = "tcc.reshape"(%k7) : (tensor<119808xbf16>) -> tensor<64x208x3x3xbf16>
  %b7_ = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64xi32>
  %b7 = "tcc.convert"(%b7_) : (tensor<64xi32>) -> tensor<64xbf16>
  %c7 = "tcc.conv"(%x7, %w7, %b7) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x208x7x7xbf16>, tensor<64x208x3x3xbf16>, tensor<64xbf16>) -> tensor<2x64x7x7xbf16>
  %r7 = "tcc.relu"(%c7) : (tensor<2x64x7x7xbf16>) -> tensor<2x64x7x7xbf16>
  %i8 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<2160xi32>
  %m8 = "tcc.mod"(%i8, %modulus) : (tensor<2160xi32>, tensor<i32>) -> tensor<2160xi32>
  %s8 = "tcc.sub"(%m8, %middle) : (tensor<2160xi32>, tensor<i32>) -> tensor<2160xi32>
  %h8 = "tcc.convert"(%s8) : (tensor<2160xi32>) -> tensor<2160xbf16>
  %k8 = "tcc.mul"(%h8, %small) : (tensor<2160xbf16>, tensor<bf16>) -> tensor<2160xbf16>
  %w8 = "tcc.reshape"(%k8) : (tensor<2160xbf16>) -> tensor<24x10x3x3xbf16>
  %b8_ = "tcc.iota"() {axis = 0 : i64} : () -> tensor<24xi32>
  %b8 = "tcc.convert"(%b8_) : (tensor<24xi32>) -> tensor<24xbf16>
  %c8 = "tcc.conv"(%x8, %w8, %b8) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x10x7x9xbf16>, tensor<24x10x3x3xbf16>, tensor<24xbf16>) -> tensor<2x24x7x9xbf16>
  %ia = "tcc.iota"() {axis = 0 : i64} : () -> tensor<9408xi32>
  %ma = "tcc.mod"(%ia, %modulus) : (tensor<9408xi32>, tensor<i32>) -> tensor<9408xi32>
  %sa = "tcc.sub"(%ma, %middle) : (tensor<9408xi32>, tensor<i32>) -> tensor<9408xi32>
  %ha = "tcc.convert"(%sa) : (tensor<9408xi32>) -> tensor<9408xbf16>
  %ka = "tcc.mul"(%ha, %small) : (tensor<9408xbf16>, tensor<bf16>) -> tensor<9408xbf16>
  %wa = "tcc.reshape"(%ka) : (tensor<9408xbf16>) -> tensor<64x3x7x7xbf16>
  %ba_ = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64xi32>
  %ba = "tcc.convert"(%ba_) : (tensor<64xi32>) -> tensor<64xbf16>
  %ca = "tcc.conv"(%xa, %wa, %ba) {strides = array<i64: 2, 2>, pads = array<i64: 3, 3, 3, 3>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x3x17x37xbf16>, tensor<64x3x7x7xbf16>, tensor<64xbf16>) -> tensor<2x64x9x19xbf16>
  %ra = "tcc.relu"(%ca) : (tensor<2x64x9x19xbf16>) -> tensor<2x64x9x19xbf16>
  %ib = "tcc.iota"() {axis = 0 : i64} : () -> tensor<864xi32>
  %mb = "tcc.mod"(%ib, %modulus) : (tensor<864xi32>, tensor<i32>) -> tensor<864xi32>
  %sb = "tcc.sub"(%mb, %middle) : (tensor<864xi32>, tensor<i32>) -> tensor<864xi32>
  %hb = "tcc.convert"(%sb) : (tensor<864xi32>) -> tensor<864xbf16>
  %kb = "tcc.mul"(%hb, %small) : (tensor<864xbf16>, tensor<bf16>) -> tensor<864xbf16>
  %wb = "tcc.reshape"(%kb) : (tensor<864xbf16>) -> tensor<24x4x3x3xbf16>
  %cb = "tcc.conv"(%xb, %wb, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x4x9x33xbf16>, tensor<24x4x3x3xbf16>, none) -> tensor<2x24x9x33xbf16>
  %ic = "tcc.iota"() {axis = 0 : i64} : () -> tensor<1000xi32>
  %mc = "tcc.mod"(%ic, %modulus) : (tensor<1000xi32>, tensor<i32>) -> tensor<1000xi32>
  %sc = "tcc.sub"(%mc, %middle) : (tensor<1000xi32>, tensor<i32>) -> tensor<1000xi32>
  %hc = "tcc.convert"(%sc) : (tensor<1000xi32>) -> tensor<1000xbf16>
  %kc = "tcc.mul"(%hc, %small) : (tensor<1000xbf16>, tensor<bf16>) -> tensor<1000xbf16>
  %wc = "tcc.reshape"(%kc) : (tensor<1000xbf16>) -> tensor<40x1x5x5xbf16>
  %cc = "tcc.conv"(%xc, %wc, %none) {strides = array<i64: 1, 1>, pads = array<i64: 2, 2, 2, 2>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x1x12x50xbf16>, tensor<40x1x5x5xbf16>, none) -> tensor<2x40x12x50xbf16>
  %id = "tcc.iota"() {axis = 0 : i64} : () -> tensor<32xi32>
  %md = "tcc.mod"(%id, %modulus) : (tensor<32xi32>, tensor<i32>) -> tensor<32xi32>
  %sd = "tcc.sub"(%md, %middle) : (tensor<32xi32>, tensor<i32>) -> tensor<32xi32>
  %hd = "tcc.convert"(%sd) : (tensor<32xi32>) -> tensor<32xbf16>
  %kd = "tcc.mul"(%hd, %small) : (tensor<32xbf16>, tensor<bf16>) -> tensor<32xbf16>
  %wd = "tcc.reshape"(%kd) : (tensor<32xbf16>) -> tensor<16x2x1x1xbf16>
  %cd = "tcc.conv"(%xd, %wd, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x2x6x18xbf16>, tensor<16x2x1x1xbf16>, none) -> tensor<2x16x6x18xbf16>
  %ik = "tcc.iota"() {axis = 0 : i64} : () -> tensor<7680xi32>
  %mk = "tcc.mod"(%ik, %modulus) : (tensor<7680xi32>, tensor<i32>) -> tensor<7680xi32>
  %sk = "tcc.sub"(%mk, %middle) : (tensor<7680xi32>, tensor<i32>) -> tensor<7680xi32>
  %hk = "tcc.convert"(%sk) : (tensor<7680xi32>) -> tensor<7680xbf16>
  %kk = "tcc.mul"(%hk, %small) : (tensor<7680xbf16>, tensor<bf16>) -> tensor<7680xbf16>
  %wk = "tcc.reshape"(%kk) : (tensor<7680xbf16>) -> tensor<160x3x4x4xbf16>
  %bk_ = "tcc.iota"() {axis = 0 : i64} : () -> tensor<160xi32>
  %bk = "tcc.convert"(%bk_) : (tensor<160xi32>) -> tensor<160xbf16>
  %ck = "tcc.conv"(%xk, %wk, %bk) {strides = array<i64: 4, 4>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x3x20x28xbf16>, tensor<160x3x4x4xbf16>, tensor<160xbf16>) -> tensor<2x160x5x7xbf16>
  %il = "tcc.iota"() {axis = 0 : i64} : () -> tensor<1296xi32>
  %ml = "tcc.mod"(%il, %modulus) : (tensor<1296xi32>, tensor<i32>) -> tensor<1296xi32>
  %sl = "tcc.sub"(%ml, %middle) : (tensor<1296xi32>, tensor<i32>) -> tensor<1296xi32>
  %hl = "tcc.convert"(%sl) : (tensor<1296xi32>) -> tensor<1296xbf16>
  %kl = "tcc.mul"(%hl, %small) : (tensor<1296xbf16>, tensor<bf16>) -> tensor<1296xbf16>
  %wl = "tcc.reshape"(%kl) : (tensor<1296xbf16>) -> tensor<72x2x3x3xbf16>
  %cl = "tcc.conv"(%xl, %wl, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x2x9x13xbf16>, tensor<72x2x3x3xbf16>, none) -> tensor<2x72x9x13xbf16>
  %ie = "tcc.iota"() {axis = 0 : i64} : () -> tensor<864xi32>
  %me = "tcc.mod"(%ie, %modulus) : (tensor<864xi32>, tensor<i32>) -> tensor<864xi32>
  %se = "tcc.sub"(%me, %middle) : (tensor<864xi32>, tensor<i32>) -> tensor<864xi32>
  %he = "tcc.convert"(%se) : (tensor<864xi32>) -> tensor<864xbf16>
  %ke = "tcc.mul"(%he, %small) : (tensor<864xbf16>, tensor<bf16>) -> tensor<864xbf16>
  %we = "tcc.reshape"(%ke) : (tensor<864xbf16>) -> tensor<32x3x3x3xbf16>
  %ce = "tcc.conv"(%xe, %we, %none) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x3x15x31xbf16>, tensor<32x3x3x3xbf16>, none) -> tensor<2x32x7x15xbf16>
  %ig = "tcc.iota"() {axis = 0 : i64} : () -> tensor<27648xi32>
  %mg = "tcc.mod"(%ig, %modulus) : (tensor<27648xi32>, tensor<i32>) -> tensor<27648xi32>
  %sg = "tcc.sub"(%mg, %middle) : (tensor<27648xi32>, tensor<i32>) -> tensor<27648xi32>
  %hg = "tcc.convert"(%sg) : (tensor<27648xi32>) -> tensor<27648xbf16>
  %kg = "tcc.mul"(%hg, %small) : (tensor<27648xbf16>, tensor<bf16>) -> tensor<27648xbf16>
  %wg = "tcc.reshape"(%kg) : (tensor<27648xbf16>) -> tensor<96x32x3x3xbf16>
  %bg_ = "tcc.iota"() {axis = 0 : i64} : () -> tensor<96xi32>
  %bg = "tcc.convert"(%bg_) : (tensor<96xi32>) -> tensor<96xbf16>
  %cg = "tcc.conv"(%xg, %wg, %bg) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<2x64x9x11xbf16>, tensor<96x32x3x3xbf16>, tensor<96xbf16>) -> tensor<2x96x9x11xbf16>
  %rg = "tcc.relu"(%cg) : (tensor<2x96x9x11xbf16>) -> tensor<2x96x9x11xbf16>
  %ih = "tcc.iota"() {axis = 0 : i64} : () -> tensor<360xi32>
  %mh = "tcc.mod"(%ih, %modulus) : (tensor<360xi32>, tensor<i32>) -> tensor<360xi32>
  %sh = "tcc.sub"(%mh, %middle) : (tensor<360xi32>, tensor<i32>) -> tensor<360xi32>
  %hh = "tcc.convert"(%sh) : (tensor<360xi32>) -> tensor<360xbf16>
  %kh = "tcc.mul"(%hh, %small) : (tensor<360xbf16>, tensor<bf16>) -> tensor<360xbf16>
  %wh = "tcc.reshape"(%kh) : (tensor<360xbf16>) -> tensor<40x1x3x3xbf16>
  %bh_ = "tcc.iota"() {axis = 0 : i64} : () -> tensor<40xi32>
  %bh = "tcc.convert"(%bh_) : (tensor<40xi32>) -> tensor<40xbf16>
  %ch = "tcc.conv"(%xh, %wh, %bh) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 40 : i64} : (tensor<2x40x9x19xbf16>, tensor<40x1x3x3xbf16>, tensor<40xbf16>) -> tensor<2x40x9x19xbf16>
  %gh = "tcc.sigmoid"(%ch) : (tensor<2x40x9x19xbf16>) -> tensor<2x40x9x19xbf16>
  %rh = "tcc.mul"(%ch, %gh) : (tensor<2x40x9x19xbf16>, tensor<2x40x9x19xbf16>) -> tensor<2x40x9x19xbf16>
  %ii = "tcc.iota"() {axis = 0 : i64} : () -> tensor<1200xi32>
  %mi = "tcc.mod"(%ii, %modulus) : (tensor<1200xi32>, tensor<i32>) -> tensor<1200xi32>
  %si = "tcc.sub"(%mi, %middle) : (tensor<1200xi32>, tensor<i32>) -> tensor<1200xi32>
  %hi = "tcc.convert"(%si) : (tensor<1200xi32>) -> tensor<1200xbf16>
  %ki = "tcc.mul"(%hi, %small) : (tensor<1200xbf16>, tensor<bf16>) -> tensor<1200xbf16>
  %wi = "tcc.reshape"(%ki) : (tensor<1200xbf16>) -> tensor<48x1x5x5xbf16>
  %ci = "tcc.conv"(%xi, %wi, %none) {strides = array<i64: 2, 2>, pads = array<i64: 2, 2, 2, 2>, dilations = array<i64: 1, 1>, groups = 48 : i64} : (tensor<2x48x10x21xbf16>, tensor<48x1x5x5xbf16>, none) -> tensor<2x48x5x11xbf16>
  %qi = "tcc.add"(%ci, %yi) : (tensor<2x48x5x11xbf16>, tensor<2x48x5x11xbf16>) -> tensor<2x48x5x11xbf16>
  %ri = "tcc.relu"(%qi) : (tensor<2x48x5x11xbf16>) -> tensor<2x48x5x11xbf16>
  %ij = "tcc.iota"() {axis = 0 : i64} : () -> tensor<6144xi32>
  %mj = "tcc.mod"(%ij, %modulus) : (tensor<6144xi32>, tensor<i32>) -> tensor<6144xi32>
  %sj = "tcc.sub"(%mj, %middle) : (tensor<6144xi32>, tensor<i32>) -> tensor<6144xi32>
  %hj = "tcc.convert"(%sj) : (tensor<6144xi32>) -> tensor<6144xbf16>
  %kj = "tcc.mul"(%hj, %small) : (tensor<6144xbf16>, tensor<bf16>) -> tensor<6144xbf16>
  %wj = "tcc.reshape"(%kj) : (tensor<6144xbf16>) -> tensor<32x64x1x3xbf16>
  %bj_ = "tcc.iota"() {axis = 0 : i64} : () -> tensor<32xi32>
  %bj = "tcc.convert"(%bj_) : (tensor<32xi32>) -> tensor<32xbf16>
  %cj = "tcc.conv"(%xj, %wj, %bj) {strides = array<i64: 1, 1>, pads = array<i64: 0, 1, 0, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x1x100xbf16>, tensor<32x64x1x3xbf16>, tensor<32xbf16>) -> tensor<1x32x1x100xbf16>
  %onen = "tcc.constant"() {value = dense<1.0> : tensor<bf16>} : () -> tensor<bf16>
  %in_ = "tcc.iota"() {axis = 0 : i64} : () -> tensor<24x1x1xi32>
  %fn = "tcc.convert"(%in_) : (tensor<24x1x1xi32>) -> tensor<24x1x1xbf16>
  %gn = "tcc.add"(%fn, %onen) : (tensor<24x1x1xbf16>, tensor<bf16>) -> tensor<24x1x1xbf16>
  %in = "tcc.iota"() {axis = 0 : i64} : () -> tensor<5184xi32>
  %mn = "tcc.mod"(%in, %modulus) : (tensor<5184xi32>, tensor<i32>) -> tensor<5184xi32>
  %sn = "tcc.sub"(%mn, %middle) : (tensor<5184xi32>, tensor<i32>) -> tensor<5184xi32>
  %hn = "tcc.convert"(%sn) : (tensor<5184xi32>) -> tensor<5184xbf16>
  %kn = "tcc.mul"(%hn, %small) : (tensor<5184xbf16>, tensor<bf16>) -> tensor<5184xbf16>
  %wn = "tcc.reshape"(%kn) : (tensor<5184xbf16>) -> tensor<24x24x3x3xbf16>
  %cn = "tcc.conv"(%xn, %wn, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x24x7x18xbf16>, tensor<24x24x3x3xbf16>, none) -> tensor<2x24x7x18xbf16>
  %rn = "tcc.relu"(%cn) : (tensor<2x24x7x18xbf16>) -> tensor<2x24x7x18xbf16>
  %an = "tcc.add"(%rn, %gn) : (tensor<2x24x7x18xbf16>, tensor<24x1x1xbf16>) -> tensor<2x24x7x18xbf16>
  %dn = "tcc.div"(%onen, %an) : (tensor<bf16>, tensor<2x24x7x18xbf16>) -> tensor<2x24x7x18xbf16>
  %en = "tcc.conv"(%dn, %wn, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x24x7x18xbf16>, tensor<24x24x3x3xbf16>, none) -> tensor<2x24x7x18xbf16>
  return %r0, %r1, %c2, %r3, %c4, %c5, %c6, %r7, %c8, %ra, %cb, %cc, %cd, %ck, %cl, %ce, %rg, %rh, %ri, %cj, %en : tensor<2x64x9x17xbf16>, tensor<2x80x7x33xbf16>, tensor<2x64x5x40xbf16>, tensor<2x32x5x7xbf16>, tensor<2x48x4x28xbf16>, tensor<2x128x4x8xbf16>, tensor<2x16x8x21xbf16>, tensor<2x64x7x7xbf16>, tensor<2x24x7x9xbf16>, tensor<2x64x9x19xbf16>, tensor<2x24x9x33xbf16>, tensor<2x40x12x50xbf16>, tensor<2x16x6x18xbf16>, tensor<2x160x5x7xbf16>, tensor<2x72x9x13xbf16>, tensor<2x32x7x15xbf16>, tensor<2x96x9x11xbf16>, tensor<2x40x9x19xbf16>, tensor<2x48x5x11xbf16>, tensor<1x32x1x100xbf16>, tensor<2x24x7x18xbf16>
}
