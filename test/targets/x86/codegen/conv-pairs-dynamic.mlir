// RUN: %if optimised %{ bash -c 'for w in 1 2 8 15 16 31 33 64; do rm -rf %t; tcc-run %s --random=1 --dim=H=3 --dim=W=$w --target=reference --save=%t && for m in sapphirerapids cooperlake; do LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --dim=H=3 --dim=W=$w --target=x86,$m --data=%t --check || exit 1; done; done' %}
// RUN: tcc-opt --pipeline=default --target=x86,sapphirerapids %s | FileCheck %s
// REQUIRES: avx512

// Convolutions of bf16 whose sizes are not known: whole tiles, smaller ones and pixels, as conv-pairs.mlir.
// CHECK-COUNT-3: tcc.conv_blocked
func.func @main(%xy: tensor<1x70x?x?xbf16, [1, 70, "H", "W"]>, %xz: tensor<1x3x?x?xbf16, [1, 3, "H", "W"]>, %xv: tensor<1x24x?x?xbf16, [1, 24, "H", "W"]>) -> (tensor<1x40x?x?xbf16, [1, 40, "H", "W"]>, tensor<1x32x?x?xbf16, [1, 32, "H", "W"]>, tensor<1x24x?x?xbf16, [1, 24, "H", "W"]>) {
  %modulus = "tcc.constant"() {value = dense<199> : tensor<i32>} : () -> tensor<i32>
  %middle = "tcc.constant"() {value = dense<99> : tensor<i32>} : () -> tensor<i32>
  %small = "tcc.constant"() {value = dense<0.0078125> : tensor<bf16>} : () -> tensor<bf16>
  %none = "tcc.none"() : () -> none
  %iy = "tcc.iota"() {axis = 0 : i64} : () -> tensor<25200xi32>
  %my = "tcc.mod"(%iy, %modulus) : (tensor<25200xi32>, tensor<i32>) -> tensor<25200xi32>
  %sy = "tcc.sub"(%my, %middle) : (tensor<25200xi32>, tensor<i32>) -> tensor<25200xi32>
  %hy = "tcc.convert"(%sy) : (tensor<25200xi32>) -> tensor<25200xbf16>
  %ky = "tcc.mul"(%hy, %small) : (tensor<25200xbf16>, tensor<bf16>) -> tensor<25200xbf16>
  %wy = "tcc.reshape"(%ky) : (tensor<25200xbf16>) -> tensor<40x70x3x3xbf16>
  %by_ = "tcc.iota"() {axis = 0 : i64} : () -> tensor<40xi32>
  %by = "tcc.convert"(%by_) : (tensor<40xi32>) -> tensor<40xbf16>
  %cy = "tcc.conv"(%xy, %wy, %by) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x70x?x?xbf16, [1, 70, "H", "W"]>, tensor<40x70x3x3xbf16>, tensor<40xbf16>) -> tensor<1x40x?x?xbf16, [1, 40, "H", "W"]>
  %ry = "tcc.relu"(%cy) : (tensor<1x40x?x?xbf16, [1, 40, "H", "W"]>) -> tensor<1x40x?x?xbf16, [1, 40, "H", "W"]>
  %iz = "tcc.iota"() {axis = 0 : i64} : () -> tensor<864xi32>
  %mz = "tcc.mod"(%iz, %modulus) : (tensor<864xi32>, tensor<i32>) -> tensor<864xi32>
  %sz = "tcc.sub"(%mz, %middle) : (tensor<864xi32>, tensor<i32>) -> tensor<864xi32>
  %hz = "tcc.convert"(%sz) : (tensor<864xi32>) -> tensor<864xbf16>
  %kz = "tcc.mul"(%hz, %small) : (tensor<864xbf16>, tensor<bf16>) -> tensor<864xbf16>
  %wz = "tcc.reshape"(%kz) : (tensor<864xbf16>) -> tensor<32x3x3x3xbf16>
  %cz = "tcc.conv"(%xz, %wz, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x?x?xbf16, [1, 3, "H", "W"]>, tensor<32x3x3x3xbf16>, none) -> tensor<1x32x?x?xbf16, [1, 32, "H", "W"]>
  %iv = "tcc.iota"() {axis = 0 : i64} : () -> tensor<216xi32>
  %mv = "tcc.mod"(%iv, %modulus) : (tensor<216xi32>, tensor<i32>) -> tensor<216xi32>
  %sv = "tcc.sub"(%mv, %middle) : (tensor<216xi32>, tensor<i32>) -> tensor<216xi32>
  %hv = "tcc.convert"(%sv) : (tensor<216xi32>) -> tensor<216xbf16>
  %kv = "tcc.mul"(%hv, %small) : (tensor<216xbf16>, tensor<bf16>) -> tensor<216xbf16>
  %wv = "tcc.reshape"(%kv) : (tensor<216xbf16>) -> tensor<24x1x3x3xbf16>
  %cv = "tcc.conv"(%xv, %wv, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 24 : i64} : (tensor<1x24x?x?xbf16, [1, 24, "H", "W"]>, tensor<24x1x3x3xbf16>, none) -> tensor<1x24x?x?xbf16, [1, 24, "H", "W"]>
  %rv = "tcc.relu"(%cv) : (tensor<1x24x?x?xbf16, [1, 24, "H", "W"]>) -> tensor<1x24x?x?xbf16, [1, 24, "H", "W"]>
  return %ry, %cz, %rv : tensor<1x40x?x?xbf16, [1, 40, "H", "W"]>, tensor<1x32x?x?xbf16, [1, 32, "H", "W"]>, tensor<1x24x?x?xbf16, [1, 24, "H", "W"]>
}
