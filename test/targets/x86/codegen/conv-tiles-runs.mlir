// Tiles of a row of unknown width, and of a part of a line, that follow each other are one call: the function is told how many there are.
// RUN: tcc-opt --pipeline=default %s --target=x86,avx2,l2=512K | tcc-translate --to-asm --target=x86,avx2,l2=512K | FileCheck %s
// RUN: bash %S/Inputs/sizes.sh %s %t "2 7 9 31" 1e-3 --numerics=direct --threads=3
// REQUIRES: avx2
// CHECK: {{^}}tile0_
// CHECK: cmpq $1, %rax
// CHECK: {{^}}tile1_
// CHECK: cmpq $1, %rax
// CHECK: {{^}}tile0_
// CHECK: cmpq $1, %rax
func.func @main(%x: tensor<1x5x?x?xf32, [1, 5, "N", "N"]>, %line: tensor<1x3x500xf32>) -> (tensor<1x72x?x?xf32, [1, 72, "N", "N"]>, tensor<1x24x500xf32>) {
  %none = "tcc.none"() : () -> none
  %w0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<3240xf32>
  %w1 = "tcc.sin"(%w0) : (tensor<3240xf32>) -> tensor<3240xf32>
  %w = "tcc.reshape"(%w1) : (tensor<3240xf32>) -> tensor<72x5x3x3xf32>
  %v0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<216xf32>
  %v1 = "tcc.sin"(%v0) : (tensor<216xf32>) -> tensor<216xf32>
  %v = "tcc.reshape"(%v1) : (tensor<216xf32>) -> tensor<24x3x3xf32>
  %0 = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x5x?x?xf32, [1, 5, "N", "N"]>, tensor<72x5x3x3xf32>, none) -> tensor<1x72x?x?xf32, [1, 72, "N", "N"]>
  %1 = "tcc.conv"(%line, %v, %none) {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x3x500xf32>, tensor<24x3x3xf32>, none) -> tensor<1x24x500xf32>
  return %0, %1 : tensor<1x72x?x?xf32, [1, 72, "N", "N"]>, tensor<1x24x500xf32>
}
