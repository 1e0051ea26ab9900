// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --save=%t
// RUN: %if optimised %{ env LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --target=x86,sapphirerapids --data=%t --check %}
// RUN: %if amx %{ tcc-run %s --random=1 --target=x86,sapphirerapids --data=%t --check --threads=2 %}
// RUN: tcc-run %s --random=1 --target=x86,cascadelake --data=%t --check
// RUN: tcc-opt --pipeline=default --target=x86,sapphirerapids %s | tcc-translate --to-asm --target=x86,sapphirerapids --kernel=k4_conv_blocked_convert_mul_round - | FileCheck %s
// REQUIRES: avx512vnni

// Zero points that are operands, as of regions whose copies have other ones: the first quantisation's ends are moved by it in front of the loop, of one that
// is no integer, too; in the loop nothing is rounded but by conversions, and four pixels' bytes are one vector.
// CHECK: vrndscaleps
// CHECK: vcvtps2dq
// CHECK-NOT: vrndscaleps
// CHECK: vpmaxsd
// CHECK: vpackssdw
// CHECK: vpackuswb
func.func @main(%x: tensor<1x64x5x14xui8>, %y: tensor<1x64x5x14xui8>, %part: tensor<f32>) -> tensor<1x64x5x14xui8> {
  %seven = "tcc.constant"() {value = dense<7> : tensor<i32>} : () -> tensor<i32>
  %eleven = "tcc.constant"() {value = dense<11> : tensor<i32>} : () -> tensor<i32>
  %modulus = "tcc.constant"() {value = dense<199> : tensor<i32>} : () -> tensor<i32>
  %middle = "tcc.constant"() {value = dense<99> : tensor<i32>} : () -> tensor<i32>
  %none = "tcc.none"() : () -> none
  %i = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64x64x1x1xi32>
  %j = "tcc.iota"() {axis = 1 : i64} : () -> tensor<64x64x1x1xi32>
  %mi = "tcc.mul"(%i, %seven) : (tensor<64x64x1x1xi32>, tensor<i32>) -> tensor<64x64x1x1xi32>
  %mj = "tcc.mul"(%j, %eleven) : (tensor<64x64x1x1xi32>, tensor<i32>) -> tensor<64x64x1x1xi32>
  %a = "tcc.add"(%mi, %mj) : (tensor<64x64x1x1xi32>, tensor<64x64x1x1xi32>) -> tensor<64x64x1x1xi32>
  %e = "tcc.mod"(%a, %modulus) : (tensor<64x64x1x1xi32>, tensor<i32>) -> tensor<64x64x1x1xi32>
  %d = "tcc.sub"(%e, %middle) : (tensor<64x64x1x1xi32>, tensor<i32>) -> tensor<64x64x1x1xi32>
  %w = "tcc.convert"(%d) : (tensor<64x64x1x1xi32>) -> tensor<64x64x1x1xi8>
  %c = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x5x14xui8>, tensor<64x64x1x1xi8>, none) -> tensor<1x64x5x14xi32>
  %f = "tcc.convert"(%c) : (tensor<1x64x5x14xi32>) -> tensor<1x64x5x14xf32>
  %half = "tcc.constant"() {value = dense<5.0e-1> : tensor<f32>} : () -> tensor<f32>
  %two = "tcc.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %low = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %high = "tcc.constant"() {value = dense<255.0> : tensor<f32>} : () -> tensor<f32>
  %z1 = "tcc.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %z2 = "tcc.constant"() {value = dense<132.0> : tensor<f32>} : () -> tensor<f32>
  %cy = "tcc.conv"(%y, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x5x14xui8>, tensor<64x64x1x1xi8>, none) -> tensor<1x64x5x14xi32>
  %fy = "tcc.convert"(%cy) : (tensor<1x64x5x14xi32>) -> tensor<1x64x5x14xf32>
  %ry = "tcc.round"(%fy) : (tensor<1x64x5x14xf32>) -> tensor<1x64x5x14xf32>
  %sy = "tcc.clamp"(%ry, %low, %high) : (tensor<1x64x5x14xf32>, tensor<f32>, tensor<f32>) -> tensor<1x64x5x14xf32>
  %by = "tcc.convert"(%sy) : (tensor<1x64x5x14xf32>) -> tensor<1x64x5x14xui8>
  %m = "tcc.mul"(%f, %two) : (tensor<1x64x5x14xf32>, tensor<f32>) -> tensor<1x64x5x14xf32>
  %r0 = "tcc.round"(%m) : (tensor<1x64x5x14xf32>) -> tensor<1x64x5x14xf32>
  %s0 = "tcc.add"(%r0, %part) : (tensor<1x64x5x14xf32>, tensor<f32>) -> tensor<1x64x5x14xf32>
  %q0 = "tcc.clamp"(%s0, %low, %high) : (tensor<1x64x5x14xf32>, tensor<f32>, tensor<f32>) -> tensor<1x64x5x14xf32>
  %b0 = "tcc.convert"(%q0) : (tensor<1x64x5x14xf32>) -> tensor<1x64x5x14xui8>
  %f0 = "tcc.convert"(%b0) : (tensor<1x64x5x14xui8>) -> tensor<1x64x5x14xf32>
  %d0 = "tcc.sub"(%f0, %part) : (tensor<1x64x5x14xf32>, tensor<f32>) -> tensor<1x64x5x14xf32>
  %p0 = "tcc.mul"(%d0, %half) : (tensor<1x64x5x14xf32>, tensor<f32>) -> tensor<1x64x5x14xf32>
  %f1 = "tcc.convert"(%by) : (tensor<1x64x5x14xui8>) -> tensor<1x64x5x14xf32>
  %d1 = "tcc.sub"(%f1, %z1) : (tensor<1x64x5x14xf32>, tensor<f32>) -> tensor<1x64x5x14xf32>
  %p1 = "tcc.mul"(%d1, %two) : (tensor<1x64x5x14xf32>, tensor<f32>) -> tensor<1x64x5x14xf32>
  %sum = "tcc.add"(%p0, %p1) : (tensor<1x64x5x14xf32>, tensor<1x64x5x14xf32>) -> tensor<1x64x5x14xf32>
  %quotient = "tcc.div"(%sum, %half) : (tensor<1x64x5x14xf32>, tensor<f32>) -> tensor<1x64x5x14xf32>
  %r2 = "tcc.round"(%quotient) : (tensor<1x64x5x14xf32>) -> tensor<1x64x5x14xf32>
  %s2 = "tcc.add"(%r2, %z2) : (tensor<1x64x5x14xf32>, tensor<f32>) -> tensor<1x64x5x14xf32>
  %q2 = "tcc.clamp"(%s2, %low, %high) : (tensor<1x64x5x14xf32>, tensor<f32>, tensor<f32>) -> tensor<1x64x5x14xf32>
  %b2 = "tcc.convert"(%q2) : (tensor<1x64x5x14xf32>) -> tensor<1x64x5x14xui8>
  return %b2 : tensor<1x64x5x14xui8>
}
