// RUN: tcc-opt --pipeline=default --target=x86,cascadelake,l1=32K,l2=1M,l3=32M %s | tcc-translate --to-llvm --target=x86,cascadelake,l1=32K,l2=1M,l3=32M - | FileCheck %s

// Sums over an image in blocks of channels, whose places lie side by side: what is prefetched lies 2 KB ahead, 64 places of bf16 and 32 of f32. Places that
// lie further apart, as columns do, are prefetched eight ahead.
// CHECK: llvm.func @{{.*}}reduce_convert
// CHECK: %[[FAR:.*]] = llvm.mlir.constant(64 : i64) : i64
// CHECK: llvm.mul %{{.*}}, %[[FAR]] : i64
// CHECK: llvm.intr.prefetch
// CHECK: llvm.func @{{.*}}_reduce(
// CHECK: %[[NEAR:.*]] = llvm.mlir.constant(32 : i64) : i64
// CHECK: llvm.mul %{{.*}}, %[[NEAR]] : i64
// CHECK: llvm.intr.prefetch
// CHECK: llvm.func @{{.*}}_reduce(
// CHECK: %[[COLUMN:.*]] = llvm.mlir.constant(8 : i64) : i64
// CHECK: llvm.mul %{{.*}}, %[[COLUMN]] : i64
// CHECK: llvm.intr.prefetch
func.func @main(%x: tensor<2x16x56x56x16xbf16>, %y: tensor<2x16x56x56x16xf32>, %z: tensor<4096x512xf32>) -> (tensor<1x16x1x1x16xf32>, tensor<1x16x1x1x16xf32>, tensor<512xf32>) {
  %w = "tcc.convert"(%x) : (tensor<2x16x56x56x16xbf16>) -> tensor<2x16x56x56x16xf32>
  %a = "tcc.reduce"(%w) {kind = "sum", axes = array<i64: 0, 2, 3>, keepdims = true} : (tensor<2x16x56x56x16xf32>) -> tensor<1x16x1x1x16xf32>
  %b = "tcc.reduce"(%y) {kind = "sum", axes = array<i64: 0, 2, 3>, keepdims = true} : (tensor<2x16x56x56x16xf32>) -> tensor<1x16x1x1x16xf32>
  %c = "tcc.reduce"(%z) {kind = "sum", axes = array<i64: 0>, keepdims = false} : (tensor<4096x512xf32>) -> tensor<512xf32>
  return %a, %b, %c : tensor<1x16x1x1x16xf32>, tensor<1x16x1x1x16xf32>, tensor<512xf32>
}
