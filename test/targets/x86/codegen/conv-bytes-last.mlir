// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --save=%t
// RUN: %if optimised %{ env LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --target=x86,sapphirerapids --data=%t --check %}
// RUN: %if amx %{ tcc-run %s --random=1 --target=x86,sapphirerapids --data=%t --check --threads=2 %}
// RUN: tcc-run %s --random=1 --target=x86,cascadelake --data=%t --check
// RUN: tcc-opt --pipeline=default --target=x86,sapphirerapids %s | FileCheck %s
// RUN: tcc-opt --pipeline=default --target=x86,cascadelake %s | FileCheck %s --check-prefix=BLOCKS
// RUN: tcc-explain --no-cache --target=x86,sapphirerapids %s | FileCheck %s --check-prefix=DIRECT
// RUN: bash -c 'for i in 0 1 4 9; do tcc-opt --target=x86,sapphirerapids --pass-pipeline="import,tcc-block-layout,tcc-decompose,tcc-simplify,tcc-sink-reshapes,tcc-fuse,tcc-dedup-kernels,tcc-variants{count=15},tcc-select{candidate=$i}" %s -o %t/$i.mlir || exit 1; done'
// RUN: %if optimised %{ bash -c 'for i in 0 1 4 9; do LD_PRELOAD=%build/test/emulate.so tcc-run %t/$i.mlir --no-cache --random=1 --target=x86,sapphirerapids --data=%t --check || exit 1; done' %}
// REQUIRES: avx512vnni

// Bytes that a convolution into fewer channels reads pixel by pixel have channels last where tile registers read them, without a copy: what is quantised in
// an epilogue, and with a residual that lies so as well. Convolutions with strides and padding read them, too, and copy. Images of 8x12 are three pairs of
// tiles; those of 5x14 are no whole number of them, and stay in blocks. A schedule that is given copies.
// CHECK-LABEL: func.func @main
// CHECK: call @{{.*}}conv_blocked{{.*}} -> tensor<2x8x12x16x16xui8>
// CHECK: call @{{.*}}conv_blocked{{.*}} : (tensor<2x8x12x256xui8>, tensor<1x4x1x1x16x64x4xi8>) -> tensor<2x4x8x12x16xui8>
// CHECK: call @{{.*}}conv_blocked{{.*}} : (tensor<2x8x12x256xui8>, tensor<2x4x8x12x16xui8>, {{.*}} -> tensor<2x8x12x16x16xui8>
// CHECK: call @{{.*}}conv_blocked{{.*}} -> tensor<2x16x5x14x16xui8>
// BLOCKS: call @{{.*}}conv_blocked{{.*}} -> tensor<2x16x8x12x16xui8>
// DIRECT: pixels=32 vectors=4 panels=1 depth=4 rows=1
func.func @main(%xa: tensor<2x64x8x12xui8>, %xb: tensor<2x64x5x14xui8>) -> (tensor<2x64x8x12xi32>, tensor<2x80x4x6xi32>, tensor<2x32x8x12xi32>, tensor<2x64x5x14xi32>) {
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
  %ia0_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<256x64x1x1xi32>
  %ia0_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<256x64x1x1xi32>
  %ia0_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<256x64x1x1xi32>
  %ia0_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<256x64x1x1xi32>
  %ma0_0 = "tcc.mul"(%ia0_0, %seven) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %ma0_1 = "tcc.mul"(%ia0_1, %eleven) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %ma0_2 = "tcc.mul"(%ia0_2, %thirteen) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %aa0_0 = "tcc.add"(%ma0_0, %ma0_1) : (tensor<256x64x1x1xi32>, tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi32>
  %aa0_1 = "tcc.add"(%ma0_2, %ia0_3) : (tensor<256x64x1x1xi32>, tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi32>
  %aa0 = "tcc.add"(%aa0_0, %aa0_1) : (tensor<256x64x1x1xi32>, tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi32>
  %ea0 = "tcc.mod"(%aa0, %modulus) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %sa0 = "tcc.sub"(%ea0, %middle) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %wa0 = "tcc.convert"(%sa0) : (tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi8>
  %ca0 = "tcc.conv"(%xa, %wa0, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x64x8x12xui8>, tensor<256x64x1x1xi8>, none) -> tensor<2x256x8x12xi32>
  %fa0_1 = "tcc.convert"(%ca0) : (tensor<2x256x8x12xi32>) -> tensor<2x256x8x12xf32>
  %fa0 = "tcc.mul"(%fa0_1, %fine) : (tensor<2x256x8x12xf32>, tensor<f32>) -> tensor<2x256x8x12xf32>
  %qa0_1 = "tcc.round"(%fa0) : (tensor<2x256x8x12xf32>) -> tensor<2x256x8x12xf32>
  %qa0_2 = "tcc.max"(%qa0_1, %low) : (tensor<2x256x8x12xf32>, tensor<f32>) -> tensor<2x256x8x12xf32>
  %qa0_3 = "tcc.min"(%qa0_2, %high) : (tensor<2x256x8x12xf32>, tensor<f32>) -> tensor<2x256x8x12xf32>
  %qa0 = "tcc.convert"(%qa0_3) : (tensor<2x256x8x12xf32>) -> tensor<2x256x8x12xui8>
  %ia1_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64x256x1x1xi32>
  %ia1_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<64x256x1x1xi32>
  %ia1_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<64x256x1x1xi32>
  %ia1_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<64x256x1x1xi32>
  %ma1_0 = "tcc.mul"(%ia1_0, %seven) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %ma1_1 = "tcc.mul"(%ia1_1, %eleven) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %ma1_2 = "tcc.mul"(%ia1_2, %thirteen) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %aa1_0 = "tcc.add"(%ma1_0, %ma1_1) : (tensor<64x256x1x1xi32>, tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi32>
  %aa1_1 = "tcc.add"(%ma1_2, %ia1_3) : (tensor<64x256x1x1xi32>, tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi32>
  %aa1 = "tcc.add"(%aa1_0, %aa1_1) : (tensor<64x256x1x1xi32>, tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi32>
  %ea1 = "tcc.mod"(%aa1, %modulus) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %sa1 = "tcc.sub"(%ea1, %middle) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %wa1 = "tcc.convert"(%sa1) : (tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi8>
  %ca1 = "tcc.conv"(%qa0, %wa1, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x256x8x12xui8>, tensor<64x256x1x1xi8>, none) -> tensor<2x64x8x12xi32>
  %fa1_1 = "tcc.convert"(%ca1) : (tensor<2x64x8x12xi32>) -> tensor<2x64x8x12xf32>
  %fa1 = "tcc.mul"(%fa1_1, %finer) : (tensor<2x64x8x12xf32>, tensor<f32>) -> tensor<2x64x8x12xf32>
  %qa1_1 = "tcc.round"(%fa1) : (tensor<2x64x8x12xf32>) -> tensor<2x64x8x12xf32>
  %qa1_2 = "tcc.max"(%qa1_1, %low) : (tensor<2x64x8x12xf32>, tensor<f32>) -> tensor<2x64x8x12xf32>
  %qa1_3 = "tcc.min"(%qa1_2, %high) : (tensor<2x64x8x12xf32>, tensor<f32>) -> tensor<2x64x8x12xf32>
  %qa1 = "tcc.convert"(%qa1_3) : (tensor<2x64x8x12xf32>) -> tensor<2x64x8x12xui8>
  %ia2_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<256x64x1x1xi32>
  %ia2_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<256x64x1x1xi32>
  %ia2_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<256x64x1x1xi32>
  %ia2_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<256x64x1x1xi32>
  %ma2_0 = "tcc.mul"(%ia2_0, %seven) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %ma2_1 = "tcc.mul"(%ia2_1, %eleven) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %ma2_2 = "tcc.mul"(%ia2_2, %thirteen) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %aa2_0 = "tcc.add"(%ma2_0, %ma2_1) : (tensor<256x64x1x1xi32>, tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi32>
  %aa2_1 = "tcc.add"(%ma2_2, %ia2_3) : (tensor<256x64x1x1xi32>, tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi32>
  %aa2 = "tcc.add"(%aa2_0, %aa2_1) : (tensor<256x64x1x1xi32>, tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi32>
  %ea2 = "tcc.mod"(%aa2, %modulus) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %sa2 = "tcc.sub"(%ea2, %middle) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %wa2 = "tcc.convert"(%sa2) : (tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi8>
  %ca2 = "tcc.conv"(%qa1, %wa2, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x64x8x12xui8>, tensor<256x64x1x1xi8>, none) -> tensor<2x256x8x12xi32>
  %fa2_1 = "tcc.convert"(%ca2) : (tensor<2x256x8x12xi32>) -> tensor<2x256x8x12xf32>
  %fa2 = "tcc.mul"(%fa2_1, %fine) : (tensor<2x256x8x12xf32>, tensor<f32>) -> tensor<2x256x8x12xf32>
  %da_1 = "tcc.convert"(%qa0) : (tensor<2x256x8x12xui8>) -> tensor<2x256x8x12xf32>
  %da_2 = "tcc.mul"(%da_1, %half) : (tensor<2x256x8x12xf32>, tensor<f32>) -> tensor<2x256x8x12xf32>
  %da = "tcc.add"(%fa2, %da_2) : (tensor<2x256x8x12xf32>, tensor<2x256x8x12xf32>) -> tensor<2x256x8x12xf32>
  %qa2_1 = "tcc.round"(%da) : (tensor<2x256x8x12xf32>) -> tensor<2x256x8x12xf32>
  %qa2_2 = "tcc.max"(%qa2_1, %low) : (tensor<2x256x8x12xf32>, tensor<f32>) -> tensor<2x256x8x12xf32>
  %qa2_3 = "tcc.min"(%qa2_2, %high) : (tensor<2x256x8x12xf32>, tensor<f32>) -> tensor<2x256x8x12xf32>
  %qa2 = "tcc.convert"(%qa2_3) : (tensor<2x256x8x12xf32>) -> tensor<2x256x8x12xui8>
  %ia3_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64x256x1x1xi32>
  %ia3_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<64x256x1x1xi32>
  %ia3_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<64x256x1x1xi32>
  %ia3_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<64x256x1x1xi32>
  %ma3_0 = "tcc.mul"(%ia3_0, %seven) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %ma3_1 = "tcc.mul"(%ia3_1, %eleven) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %ma3_2 = "tcc.mul"(%ia3_2, %thirteen) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %aa3_0 = "tcc.add"(%ma3_0, %ma3_1) : (tensor<64x256x1x1xi32>, tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi32>
  %aa3_1 = "tcc.add"(%ma3_2, %ia3_3) : (tensor<64x256x1x1xi32>, tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi32>
  %aa3 = "tcc.add"(%aa3_0, %aa3_1) : (tensor<64x256x1x1xi32>, tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi32>
  %ea3 = "tcc.mod"(%aa3, %modulus) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %sa3 = "tcc.sub"(%ea3, %middle) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %wa3 = "tcc.convert"(%sa3) : (tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi8>
  %ca3 = "tcc.conv"(%qa2, %wa3, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x256x8x12xui8>, tensor<64x256x1x1xi8>, none) -> tensor<2x64x8x12xi32>
  %ia4_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<80x256x1x1xi32>
  %ia4_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<80x256x1x1xi32>
  %ia4_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<80x256x1x1xi32>
  %ia4_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<80x256x1x1xi32>
  %ma4_0 = "tcc.mul"(%ia4_0, %seven) : (tensor<80x256x1x1xi32>, tensor<i32>) -> tensor<80x256x1x1xi32>
  %ma4_1 = "tcc.mul"(%ia4_1, %eleven) : (tensor<80x256x1x1xi32>, tensor<i32>) -> tensor<80x256x1x1xi32>
  %ma4_2 = "tcc.mul"(%ia4_2, %thirteen) : (tensor<80x256x1x1xi32>, tensor<i32>) -> tensor<80x256x1x1xi32>
  %aa4_0 = "tcc.add"(%ma4_0, %ma4_1) : (tensor<80x256x1x1xi32>, tensor<80x256x1x1xi32>) -> tensor<80x256x1x1xi32>
  %aa4_1 = "tcc.add"(%ma4_2, %ia4_3) : (tensor<80x256x1x1xi32>, tensor<80x256x1x1xi32>) -> tensor<80x256x1x1xi32>
  %aa4 = "tcc.add"(%aa4_0, %aa4_1) : (tensor<80x256x1x1xi32>, tensor<80x256x1x1xi32>) -> tensor<80x256x1x1xi32>
  %ea4 = "tcc.mod"(%aa4, %modulus) : (tensor<80x256x1x1xi32>, tensor<i32>) -> tensor<80x256x1x1xi32>
  %sa4 = "tcc.sub"(%ea4, %middle) : (tensor<80x256x1x1xi32>, tensor<i32>) -> tensor<80x256x1x1xi32>
  %wa4 = "tcc.convert"(%sa4) : (tensor<80x256x1x1xi32>) -> tensor<80x256x1x1xi8>
  %ca4 = "tcc.conv"(%qa2, %wa4, %none) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x256x8x12xui8>, tensor<80x256x1x1xi8>, none) -> tensor<2x80x4x6xi32>
  %ia5_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<32x256x3x3xi32>
  %ia5_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<32x256x3x3xi32>
  %ia5_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<32x256x3x3xi32>
  %ia5_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<32x256x3x3xi32>
  %ma5_0 = "tcc.mul"(%ia5_0, %seven) : (tensor<32x256x3x3xi32>, tensor<i32>) -> tensor<32x256x3x3xi32>
  %ma5_1 = "tcc.mul"(%ia5_1, %eleven) : (tensor<32x256x3x3xi32>, tensor<i32>) -> tensor<32x256x3x3xi32>
  %ma5_2 = "tcc.mul"(%ia5_2, %thirteen) : (tensor<32x256x3x3xi32>, tensor<i32>) -> tensor<32x256x3x3xi32>
  %aa5_0 = "tcc.add"(%ma5_0, %ma5_1) : (tensor<32x256x3x3xi32>, tensor<32x256x3x3xi32>) -> tensor<32x256x3x3xi32>
  %aa5_1 = "tcc.add"(%ma5_2, %ia5_3) : (tensor<32x256x3x3xi32>, tensor<32x256x3x3xi32>) -> tensor<32x256x3x3xi32>
  %aa5 = "tcc.add"(%aa5_0, %aa5_1) : (tensor<32x256x3x3xi32>, tensor<32x256x3x3xi32>) -> tensor<32x256x3x3xi32>
  %ea5 = "tcc.mod"(%aa5, %modulus) : (tensor<32x256x3x3xi32>, tensor<i32>) -> tensor<32x256x3x3xi32>
  %sa5 = "tcc.sub"(%ea5, %middle) : (tensor<32x256x3x3xi32>, tensor<i32>) -> tensor<32x256x3x3xi32>
  %wa5 = "tcc.convert"(%sa5) : (tensor<32x256x3x3xi32>) -> tensor<32x256x3x3xi8>
  %ca5 = "tcc.conv"(%qa2, %wa5, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x256x8x12xui8>, tensor<32x256x3x3xi8>, none) -> tensor<2x32x8x12xi32>
  %ib0_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<256x64x1x1xi32>
  %ib0_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<256x64x1x1xi32>
  %ib0_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<256x64x1x1xi32>
  %ib0_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<256x64x1x1xi32>
  %mb0_0 = "tcc.mul"(%ib0_0, %seven) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %mb0_1 = "tcc.mul"(%ib0_1, %eleven) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %mb0_2 = "tcc.mul"(%ib0_2, %thirteen) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %ab0_0 = "tcc.add"(%mb0_0, %mb0_1) : (tensor<256x64x1x1xi32>, tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi32>
  %ab0_1 = "tcc.add"(%mb0_2, %ib0_3) : (tensor<256x64x1x1xi32>, tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi32>
  %ab0 = "tcc.add"(%ab0_0, %ab0_1) : (tensor<256x64x1x1xi32>, tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi32>
  %eb0 = "tcc.mod"(%ab0, %modulus) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %sb0 = "tcc.sub"(%eb0, %middle) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %wb0 = "tcc.convert"(%sb0) : (tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi8>
  %cb0 = "tcc.conv"(%xb, %wb0, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x64x5x14xui8>, tensor<256x64x1x1xi8>, none) -> tensor<2x256x5x14xi32>
  %fb0_1 = "tcc.convert"(%cb0) : (tensor<2x256x5x14xi32>) -> tensor<2x256x5x14xf32>
  %fb0 = "tcc.mul"(%fb0_1, %fine) : (tensor<2x256x5x14xf32>, tensor<f32>) -> tensor<2x256x5x14xf32>
  %qb0_1 = "tcc.round"(%fb0) : (tensor<2x256x5x14xf32>) -> tensor<2x256x5x14xf32>
  %qb0_2 = "tcc.max"(%qb0_1, %low) : (tensor<2x256x5x14xf32>, tensor<f32>) -> tensor<2x256x5x14xf32>
  %qb0_3 = "tcc.min"(%qb0_2, %high) : (tensor<2x256x5x14xf32>, tensor<f32>) -> tensor<2x256x5x14xf32>
  %qb0 = "tcc.convert"(%qb0_3) : (tensor<2x256x5x14xf32>) -> tensor<2x256x5x14xui8>
  %ib1_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64x256x1x1xi32>
  %ib1_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<64x256x1x1xi32>
  %ib1_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<64x256x1x1xi32>
  %ib1_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<64x256x1x1xi32>
  %mb1_0 = "tcc.mul"(%ib1_0, %seven) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %mb1_1 = "tcc.mul"(%ib1_1, %eleven) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %mb1_2 = "tcc.mul"(%ib1_2, %thirteen) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %ab1_0 = "tcc.add"(%mb1_0, %mb1_1) : (tensor<64x256x1x1xi32>, tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi32>
  %ab1_1 = "tcc.add"(%mb1_2, %ib1_3) : (tensor<64x256x1x1xi32>, tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi32>
  %ab1 = "tcc.add"(%ab1_0, %ab1_1) : (tensor<64x256x1x1xi32>, tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi32>
  %eb1 = "tcc.mod"(%ab1, %modulus) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %sb1 = "tcc.sub"(%eb1, %middle) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %wb1 = "tcc.convert"(%sb1) : (tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi8>
  %cb1 = "tcc.conv"(%qb0, %wb1, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x256x5x14xui8>, tensor<64x256x1x1xi8>, none) -> tensor<2x64x5x14xi32>
  %fb1_1 = "tcc.convert"(%cb1) : (tensor<2x64x5x14xi32>) -> tensor<2x64x5x14xf32>
  %fb1 = "tcc.mul"(%fb1_1, %finer) : (tensor<2x64x5x14xf32>, tensor<f32>) -> tensor<2x64x5x14xf32>
  %qb1_1 = "tcc.round"(%fb1) : (tensor<2x64x5x14xf32>) -> tensor<2x64x5x14xf32>
  %qb1_2 = "tcc.max"(%qb1_1, %low) : (tensor<2x64x5x14xf32>, tensor<f32>) -> tensor<2x64x5x14xf32>
  %qb1_3 = "tcc.min"(%qb1_2, %high) : (tensor<2x64x5x14xf32>, tensor<f32>) -> tensor<2x64x5x14xf32>
  %qb1 = "tcc.convert"(%qb1_3) : (tensor<2x64x5x14xf32>) -> tensor<2x64x5x14xui8>
  %ib2_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<256x64x1x1xi32>
  %ib2_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<256x64x1x1xi32>
  %ib2_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<256x64x1x1xi32>
  %ib2_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<256x64x1x1xi32>
  %mb2_0 = "tcc.mul"(%ib2_0, %seven) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %mb2_1 = "tcc.mul"(%ib2_1, %eleven) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %mb2_2 = "tcc.mul"(%ib2_2, %thirteen) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %ab2_0 = "tcc.add"(%mb2_0, %mb2_1) : (tensor<256x64x1x1xi32>, tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi32>
  %ab2_1 = "tcc.add"(%mb2_2, %ib2_3) : (tensor<256x64x1x1xi32>, tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi32>
  %ab2 = "tcc.add"(%ab2_0, %ab2_1) : (tensor<256x64x1x1xi32>, tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi32>
  %eb2 = "tcc.mod"(%ab2, %modulus) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %sb2 = "tcc.sub"(%eb2, %middle) : (tensor<256x64x1x1xi32>, tensor<i32>) -> tensor<256x64x1x1xi32>
  %wb2 = "tcc.convert"(%sb2) : (tensor<256x64x1x1xi32>) -> tensor<256x64x1x1xi8>
  %cb2 = "tcc.conv"(%qb1, %wb2, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x64x5x14xui8>, tensor<256x64x1x1xi8>, none) -> tensor<2x256x5x14xi32>
  %fb2_1 = "tcc.convert"(%cb2) : (tensor<2x256x5x14xi32>) -> tensor<2x256x5x14xf32>
  %fb2 = "tcc.mul"(%fb2_1, %fine) : (tensor<2x256x5x14xf32>, tensor<f32>) -> tensor<2x256x5x14xf32>
  %db_1 = "tcc.convert"(%qb0) : (tensor<2x256x5x14xui8>) -> tensor<2x256x5x14xf32>
  %db_2 = "tcc.mul"(%db_1, %half) : (tensor<2x256x5x14xf32>, tensor<f32>) -> tensor<2x256x5x14xf32>
  %db = "tcc.add"(%fb2, %db_2) : (tensor<2x256x5x14xf32>, tensor<2x256x5x14xf32>) -> tensor<2x256x5x14xf32>
  %qb2_1 = "tcc.round"(%db) : (tensor<2x256x5x14xf32>) -> tensor<2x256x5x14xf32>
  %qb2_2 = "tcc.max"(%qb2_1, %low) : (tensor<2x256x5x14xf32>, tensor<f32>) -> tensor<2x256x5x14xf32>
  %qb2_3 = "tcc.min"(%qb2_2, %high) : (tensor<2x256x5x14xf32>, tensor<f32>) -> tensor<2x256x5x14xf32>
  %qb2 = "tcc.convert"(%qb2_3) : (tensor<2x256x5x14xf32>) -> tensor<2x256x5x14xui8>
  %ib3_0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64x256x1x1xi32>
  %ib3_1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<64x256x1x1xi32>
  %ib3_2 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<64x256x1x1xi32>
  %ib3_3 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<64x256x1x1xi32>
  %mb3_0 = "tcc.mul"(%ib3_0, %seven) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %mb3_1 = "tcc.mul"(%ib3_1, %eleven) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %mb3_2 = "tcc.mul"(%ib3_2, %thirteen) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %ab3_0 = "tcc.add"(%mb3_0, %mb3_1) : (tensor<64x256x1x1xi32>, tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi32>
  %ab3_1 = "tcc.add"(%mb3_2, %ib3_3) : (tensor<64x256x1x1xi32>, tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi32>
  %ab3 = "tcc.add"(%ab3_0, %ab3_1) : (tensor<64x256x1x1xi32>, tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi32>
  %eb3 = "tcc.mod"(%ab3, %modulus) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %sb3 = "tcc.sub"(%eb3, %middle) : (tensor<64x256x1x1xi32>, tensor<i32>) -> tensor<64x256x1x1xi32>
  %wb3 = "tcc.convert"(%sb3) : (tensor<64x256x1x1xi32>) -> tensor<64x256x1x1xi8>
  %cb3 = "tcc.conv"(%qb2, %wb3, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x256x5x14xui8>, tensor<64x256x1x1xi8>, none) -> tensor<2x64x5x14xi32>
  return %ca3, %ca4, %ca5, %cb3 : tensor<2x64x8x12xi32>, tensor<2x80x4x6xi32>, tensor<2x32x8x12xi32>, tensor<2x64x5x14xi32>
}
