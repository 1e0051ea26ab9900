// RUN: tcc-opt %s --target=x86,sapphirerapids --tcc-autocast --verify-each | FileCheck %s
// RUN: tcc-opt %s --target=x86,cooperlake --tcc-autocast --verify-each | FileCheck %s
// RUN: tcc-opt %s --target=x86,cascadelake --tcc-autocast --verify-each | FileCheck %s --check-prefix=WIDE
// RUN: tcc-opt %s --target=x86,avx2 --tcc-autocast --verify-each | FileCheck %s --check-prefix=WIDE
// RUN: tcc-opt %s --target=x86,sapphirerapids --tcc-autocast=to=f16 --verify-each | FileCheck %s --check-prefix=WIDE
// RUN: tcc-opt %s --target=nvptx,sm_90a --tcc-autocast=to=f16 --verify-each | FileCheck %s --check-prefix=HALF

// x86 convolves bf16 where it has products of it, but not transposed; other machines, and those of f16, leave convolutions in f32. GPUs convolve both.
// CHECK: "tcc.conv"({{.*}}, {{.*}}, {{.*}}) {{.*}} : (tensor<1x16x8x8xbf16>, tensor<16x16x3x3xbf16>, tensor<16xbf16>) -> tensor<1x16x8x8xbf16>
// CHECK-NEXT: "tcc.relu"({{.*}}) : (tensor<1x16x8x8xbf16>) -> tensor<1x16x8x8xbf16>
// CHECK: "tcc.conv_transpose"({{.*}}) {{.*}} -> tensor<1x16x8x8xf32>
// WIDE-NOT: bf16
// WIDE-NOT: xf16
// HALF: "tcc.conv"({{.*}}) {{.*}} -> tensor<1x16x8x8xf16>
// HALF: "tcc.conv_transpose"({{.*}}) {{.*}} -> tensor<1x16x8x8xf16>
func.func @main(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x3x3xf32>, %b: tensor<16xf32>) -> tensor<1x16x8x8xf32> {
  %none = "tcc.none"() : () -> none
  %c = "tcc.conv"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32>, tensor<16xf32>) -> tensor<1x16x8x8xf32>
  %r = "tcc.relu"(%c) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %t = "tcc.conv_transpose"(%r, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 0>, groups = 1 : i64} : (tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32>, none) -> tensor<1x16x8x8xf32>
  return %t : tensor<1x16x8x8xf32>
}
