// RUN: tcc-opt %s --pipeline=default --target=x86,avx512 -o %t.mlir && tcc-translate --to-llvm --target=x86,avx512 %t.mlir | FileCheck %s
// RUN: rm -rf %t && tcc-run %s --random=1 --target=x86,avx512 --threads=2 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --target=x86,avx2 --threads=2 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-3
// REQUIRES: avx512

// Layers that end alike, of unlike sizes, windows and tiles: LLVM compiles one epilogue for them, and tiles only call it.
// CHECK: llvm.func hidden @[[FINISH:finish_[0-9a-f]+]](
// CHECK: llvm.func hidden @[[TILE:tile0_[0-9a-f]+]]({{.*}}"optnone"
// CHECK: llvm.call @[[FINISH]](
// CHECK: llvm.func @k_{{.*}}_conv_blocked_neg_exp_add({{.*}}"optnone"
// CHECK: llvm.func hidden @[[FINISH]](
// CHECK-NOT: @[[TILE]](
// CHECK: llvm.call @[[FINISH]](
// CHECK: llvm.func hidden @[[FINISH]](
// CHECK-NOT: @[[TILE]](
// CHECK: llvm.call @[[FINISH]](
// CHECK: llvm.func hidden @[[FINISH]](
// CHECK: llvm.call @[[FINISH]](
// CHECK-NOT: llvm.func hidden @finish_
func.func @main(%x: tensor<1x16x30x30xf32>) -> tensor<1x40x10x10xf32> {
  %none = "tcc.none"() : () -> none
  %i0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<1024xf32>
  %s0 = "tcc.sin"(%i0) : (tensor<1024xf32>) -> tensor<1024xf32>
  %w0 = "tcc.reshape"(%s0) : (tensor<1024xf32>) -> tensor<64x16x1x1xf32>
  %c0 = "tcc.conv"(%x, %w0, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x16x30x30xf32>, tensor<64x16x1x1xf32>, none) -> tensor<1x64x30x30xf32>
  %e0 = "tcc.sigmoid"(%c0) : (tensor<1x64x30x30xf32>) -> tensor<1x64x30x30xf32>
  %y0 = "tcc.mul"(%c0, %e0) : (tensor<1x64x30x30xf32>, tensor<1x64x30x30xf32>) -> tensor<1x64x30x30xf32>
  %i1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<576xf32>
  %s1 = "tcc.sin"(%i1) : (tensor<576xf32>) -> tensor<576xf32>
  %w1 = "tcc.reshape"(%s1) : (tensor<576xf32>) -> tensor<64x1x3x3xf32>
  %c1 = "tcc.conv"(%y0, %w1, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 64 : i64} : (tensor<1x64x30x30xf32>, tensor<64x1x3x3xf32>, none) -> tensor<1x64x30x30xf32>
  %e1 = "tcc.sigmoid"(%c1) : (tensor<1x64x30x30xf32>) -> tensor<1x64x30x30xf32>
  %y1 = "tcc.mul"(%c1, %e1) : (tensor<1x64x30x30xf32>, tensor<1x64x30x30xf32>) -> tensor<1x64x30x30xf32>
  %i2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<76800xf32>
  %s2 = "tcc.sin"(%i2) : (tensor<76800xf32>) -> tensor<76800xf32>
  %w2 = "tcc.reshape"(%s2) : (tensor<76800xf32>) -> tensor<48x64x5x5xf32>
  %c2 = "tcc.conv"(%y1, %w2, %none) {strides = array<i64: 3, 3>, pads = array<i64: 2, 2, 2, 2>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x30x30xf32>, tensor<48x64x5x5xf32>, none) -> tensor<1x48x10x10xf32>
  %e2 = "tcc.sigmoid"(%c2) : (tensor<1x48x10x10xf32>) -> tensor<1x48x10x10xf32>
  %y2 = "tcc.mul"(%c2, %e2) : (tensor<1x48x10x10xf32>, tensor<1x48x10x10xf32>) -> tensor<1x48x10x10xf32>
  %i3 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<1920xf32>
  %s3 = "tcc.sin"(%i3) : (tensor<1920xf32>) -> tensor<1920xf32>
  %w3 = "tcc.reshape"(%s3) : (tensor<1920xf32>) -> tensor<40x48x1x1xf32>
  %c3 = "tcc.conv"(%y2, %w3, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x48x10x10xf32>, tensor<40x48x1x1xf32>, none) -> tensor<1x40x10x10xf32>
  %e3 = "tcc.sigmoid"(%c3) : (tensor<1x40x10x10xf32>) -> tensor<1x40x10x10xf32>
  %y3 = "tcc.mul"(%c3, %e3) : (tensor<1x40x10x10xf32>, tensor<1x40x10x10xf32>) -> tensor<1x40x10x10xf32>
  return %y3 : tensor<1x40x10x10xf32>
}
