// RUN: tcc-opt %s --target=x86,avx2,l1=32K --split-input-file --tcc-fuse --verify-each | FileCheck %s
// RUN: tcc-opt %s --target=x86,avx2,l1=48K --split-input-file --tcc-fuse --verify-each | FileCheck %s --check-prefix=WAYS

// A convolution of one channel a group reads blocks of channels where they lie among all channels of a pixel, unless pixels are so far apart that those of a
// window's rows crowd few sets of a cache: 512 channels of 14 pixels are copied to blocks first, 320 are not.
// With half as many ways again in each set those of three rows have room.
// WAYS: func.func private @[[BOTH:.*]](%{{.*}}: tensor<1x14x14x64x8xf32>, %{{.*}}: tensor<64x3x3x8xf32>)
// WAYS: func.func @far
// WAYS-NEXT: call @[[BOTH]]
// CHECK: func.func private @[[COPY:.*]](%{{.*}}: tensor<1x14x14x64x8xf32>) -> tensor<1x64x14x14x8xf32>
// CHECK: tcc.transpose
// CHECK: func.func private @{{.*}}(%{{.*}}: tensor<1x64x14x14x8xf32>, %{{.*}}: tensor<64x3x3x8xf32>)
// CHECK: func.func @far
// CHECK: call @[[COPY]]
func.func @far(%x: tensor<1x14x14x64x8xf32>, %w: tensor<64x3x3x8xf32>) -> tensor<1x64x14x14x8xf32> {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.transpose"(%x) {perm = array<i64: 0, 3, 1, 2, 4>} : (tensor<1x14x14x64x8xf32>) -> tensor<1x64x14x14x8xf32>
  %1 = "tcc.conv_blocked"(%0, %w, %none) {channels = 512 : i64, dilations = array<i64: 1, 1>, groups = 512 : i64, lanes = 8 : i64, out_channels = 512 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x64x14x14x8xf32>, tensor<64x3x3x8xf32>, none) -> tensor<1x64x14x14x8xf32>
  return %1 : tensor<1x64x14x14x8xf32>
}

// -----

// CHECK: func.func private @[[VIEW:.*]](%{{.*}}: tensor<1x14x14x40x8xf32>, %{{.*}}: tensor<40x3x3x8xf32>)
// CHECK: func.func @near
// CHECK-NEXT: call @[[VIEW]]
// CHECK-NEXT: return
func.func @near(%x: tensor<1x14x14x40x8xf32>, %w: tensor<40x3x3x8xf32>) -> tensor<1x40x14x14x8xf32> {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.transpose"(%x) {perm = array<i64: 0, 3, 1, 2, 4>} : (tensor<1x14x14x40x8xf32>) -> tensor<1x40x14x14x8xf32>
  %1 = "tcc.conv_blocked"(%0, %w, %none) {channels = 320 : i64, dilations = array<i64: 1, 1>, groups = 320 : i64, lanes = 8 : i64, out_channels = 320 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x40x14x14x8xf32>, tensor<40x3x3x8xf32>, none) -> tensor<1x40x14x14x8xf32>
  return %1 : tensor<1x40x14x14x8xf32>
}
