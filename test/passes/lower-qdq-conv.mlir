// RUN: tcc-opt %s --split-input-file --target=x86,cascadelake --tcc-simplify --tcc-lower-qdq --verify-each | FileCheck %s
// RUN: tcc-opt %s --split-input-file --target=x86,avx2,tiles=llvm --tcc-simplify --tcc-lower-qdq | FileCheck %s --check-prefix=FLOAT --implicit-check-not=xi32
// RUN: tcc-opt %s --split-input-file --target=nvptx,sm_80 --tcc-simplify --tcc-lower-qdq --verify-each | FileCheck %s --check-prefix=SIGNED
// FLOAT-COUNT-7: "tcc.conv"{{.*}}f32

// Unsigned by signed bytes is a convolution of bytes, where the machine has vpdpbusd; its sums are scaled by channels.
// CHECK-LABEL: @padded
// CHECK: %[[W:.*]] = "tcc.weight"
// CHECK: %[[SUMS:.*]] = "tcc.conv"(%{{.*}}, %[[W]], %{{.*}}) {{.*}}pads = array<i64: 1, 1, 1, 1>{{.*}} : (tensor<1x32x9x9xui8>, tensor<16x32x3x3xi8>, none) -> tensor<1x16x9x9xi32>
// CHECK: %[[REAL:.*]] = "tcc.convert"(%[[SUMS]])
// CHECK: %[[SCALED:.*]] = "tcc.mul"(%[[REAL]], %{{.*}}) : (tensor<1x16x9x9xf32>, tensor<16x1x1xf32>)
// CHECK: "tcc.add"(%[[SCALED]], %{{.*}}) : (tensor<1x16x9x9xf32>, tensor<16x1x1xf32>)
func.func @padded(%x: tensor<1x32x9x9xf32>, %b: tensor<16xf32>) -> tensor<1x16x9x9xf32> {
  %s = "tcc.constant"() {value = dense<5.000000e-01> : tensor<f32>} : () -> tensor<f32>
  %t = "tcc.constant"() {value = dense<2.500000e-01> : tensor<16x1x1x1xf32>} : () -> tensor<16x1x1x1xf32>
  %z = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %low = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %high = "tcc.constant"() {value = dense<255.0> : tensor<f32>} : () -> tensor<f32>
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 4608 : i64} : () -> tensor<16x32x3x3xi8>
  %0 = "tcc.div"(%x, %s) : (tensor<1x32x9x9xf32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %1 = "tcc.round"(%0) : (tensor<1x32x9x9xf32>) -> tensor<1x32x9x9xf32>
  %2 = "tcc.add"(%1, %z) : (tensor<1x32x9x9xf32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %3 = "tcc.clamp"(%2, %low, %high) : (tensor<1x32x9x9xf32>, tensor<f32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %4 = "tcc.convert"(%3) : (tensor<1x32x9x9xf32>) -> tensor<1x32x9x9xui8>
  %5 = "tcc.convert"(%4) : (tensor<1x32x9x9xui8>) -> tensor<1x32x9x9xf32>
  %6 = "tcc.sub"(%5, %z) : (tensor<1x32x9x9xf32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %7 = "tcc.mul"(%6, %s) : (tensor<1x32x9x9xf32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %8 = "tcc.convert"(%w) : (tensor<16x32x3x3xi8>) -> tensor<16x32x3x3xf32>
  %9 = "tcc.mul"(%8, %t) : (tensor<16x32x3x3xf32>, tensor<16x1x1x1xf32>) -> tensor<16x32x3x3xf32>
  %10 = "tcc.conv"(%7, %9, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64} : (tensor<1x32x9x9xf32>, tensor<16x32x3x3xf32>, tensor<16xf32>) -> tensor<1x16x9x9xf32>
  return %10 : tensor<1x16x9x9xf32>
}

// -----

// Signed activations become unsigned ones, 128 above: here their zero point is 0.
// CHECK-LABEL: @signed
// SIGNED-LABEL: @signed(
// SIGNED: %[[Q:.*]] = "tcc.convert"(%{{.*}}) : (tensor<1x32x9x9xf32>) -> tensor<1x32x9x9xi8>
// SIGNED: "tcc.conv"({{.*}}xi8>, tensor<16x32x3x3xi8>, {{.*}}) -> tensor<1x16x{{.*}}xi32>
// CHECK: %[[U:.*]] = "tcc.convert"(%{{.*}}) : (tensor<1x32x9x9xf32>) -> tensor<1x32x9x9xui8>
// CHECK-NOT: tcc.pad
// CHECK: "tcc.conv"(%[[U]], %{{.*}}, %{{.*}}) {{.*}} : (tensor<1x32x9x9xui8>, tensor<16x32x3x3xi8>, none) -> tensor<1x16x9x9xi32>
func.func @signed(%x: tensor<1x32x9x9xf32>, %b: tensor<16xf32>) -> tensor<1x16x9x9xf32> {
  %s = "tcc.constant"() {value = dense<5.000000e-01> : tensor<f32>} : () -> tensor<f32>
  %t = "tcc.constant"() {value = dense<2.500000e-01> : tensor<16x1x1x1xf32>} : () -> tensor<16x1x1x1xf32>
  %z = "tcc.constant"() {value = dense<-128.0> : tensor<f32>} : () -> tensor<f32>
  %low = "tcc.constant"() {value = dense<-128.0> : tensor<f32>} : () -> tensor<f32>
  %high = "tcc.constant"() {value = dense<127.0> : tensor<f32>} : () -> tensor<f32>
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 4608 : i64} : () -> tensor<16x32x3x3xi8>
  %0 = "tcc.div"(%x, %s) : (tensor<1x32x9x9xf32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %1 = "tcc.round"(%0) : (tensor<1x32x9x9xf32>) -> tensor<1x32x9x9xf32>
  %2 = "tcc.add"(%1, %z) : (tensor<1x32x9x9xf32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %3 = "tcc.clamp"(%2, %low, %high) : (tensor<1x32x9x9xf32>, tensor<f32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %4 = "tcc.convert"(%3) : (tensor<1x32x9x9xf32>) -> tensor<1x32x9x9xi8>
  %5 = "tcc.convert"(%4) : (tensor<1x32x9x9xi8>) -> tensor<1x32x9x9xf32>
  %6 = "tcc.sub"(%5, %z) : (tensor<1x32x9x9xf32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %7 = "tcc.mul"(%6, %s) : (tensor<1x32x9x9xf32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %8 = "tcc.convert"(%w) : (tensor<16x32x3x3xi8>) -> tensor<16x32x3x3xf32>
  %9 = "tcc.mul"(%8, %t) : (tensor<16x32x3x3xf32>, tensor<16x1x1x1xf32>) -> tensor<16x32x3x3xf32>
  %10 = "tcc.conv"(%7, %9, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64} : (tensor<1x32x9x9xf32>, tensor<16x32x3x3xf32>, tensor<16xf32>) -> tensor<1x16x9x9xf32>
  return %10 : tensor<1x16x9x9xf32>
}

// -----

// With a zero point the image has it around it, and what it adds is a bias.
// CHECK-LABEL: @zero
// CHECK-DAG: %[[ZERO:.*]] = "tcc.constant"() {value = dense<3> : tensor<ui8>}
// CHECK-DAG: %[[SUM:.*]] = "tcc.reduce"(%{{.*}}) {axes = array<i64: 1, 2, 3>, keepdims = false, kind = "sum"} : (tensor<16x32x3x3xi32>)
// CHECK-DAG: %[[BIAS:.*]] = "tcc.mul"(%[[SUM]], %{{.*}}) : (tensor<16xi32>, tensor<i32>)
// CHECK-DAG: %[[PAD:.*]] = "tcc.pad"(%{{.*}}, %[[ZERO]]) {{.*}} -> tensor<1x32x11x11xui8>
// CHECK: "tcc.conv"(%[[PAD]], %{{.*}}, %[[BIAS]]) {{.*}}pads = array<i64: 0, 0, 0, 0>
func.func @zero(%x: tensor<1x32x9x9xf32>, %b: tensor<16xf32>) -> tensor<1x16x9x9xf32> {
  %s = "tcc.constant"() {value = dense<5.000000e-01> : tensor<f32>} : () -> tensor<f32>
  %t = "tcc.constant"() {value = dense<2.500000e-01> : tensor<16x1x1x1xf32>} : () -> tensor<16x1x1x1xf32>
  %z = "tcc.constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %low = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %high = "tcc.constant"() {value = dense<255.0> : tensor<f32>} : () -> tensor<f32>
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 4608 : i64} : () -> tensor<16x32x3x3xi8>
  %0 = "tcc.div"(%x, %s) : (tensor<1x32x9x9xf32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %1 = "tcc.round"(%0) : (tensor<1x32x9x9xf32>) -> tensor<1x32x9x9xf32>
  %2 = "tcc.add"(%1, %z) : (tensor<1x32x9x9xf32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %3 = "tcc.clamp"(%2, %low, %high) : (tensor<1x32x9x9xf32>, tensor<f32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %4 = "tcc.convert"(%3) : (tensor<1x32x9x9xf32>) -> tensor<1x32x9x9xui8>
  %5 = "tcc.convert"(%4) : (tensor<1x32x9x9xui8>) -> tensor<1x32x9x9xf32>
  %6 = "tcc.sub"(%5, %z) : (tensor<1x32x9x9xf32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %7 = "tcc.mul"(%6, %s) : (tensor<1x32x9x9xf32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %8 = "tcc.convert"(%w) : (tensor<16x32x3x3xi8>) -> tensor<16x32x3x3xf32>
  %9 = "tcc.mul"(%8, %t) : (tensor<16x32x3x3xf32>, tensor<16x1x1x1xf32>) -> tensor<16x32x3x3xf32>
  %10 = "tcc.conv"(%7, %9, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64} : (tensor<1x32x9x9xf32>, tensor<16x32x3x3xf32>, tensor<16xf32>) -> tensor<1x16x9x9xf32>
  return %10 : tensor<1x16x9x9xf32>
}

// -----

// Not of groups,
// CHECK-LABEL: @groups
// CHECK: "tcc.conv"{{.*}}xf32>) -> tensor<1x16x9x9xf32>
func.func @groups(%x: tensor<1x32x9x9xf32>, %b: tensor<16xf32>) -> tensor<1x16x9x9xf32> {
  %s = "tcc.constant"() {value = dense<5.000000e-01> : tensor<f32>} : () -> tensor<f32>
  %t = "tcc.constant"() {value = dense<2.500000e-01> : tensor<16x1x1x1xf32>} : () -> tensor<16x1x1x1xf32>
  %z = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %low = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %high = "tcc.constant"() {value = dense<255.0> : tensor<f32>} : () -> tensor<f32>
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 2304 : i64} : () -> tensor<16x16x3x3xi8>
  %0 = "tcc.div"(%x, %s) : (tensor<1x32x9x9xf32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %1 = "tcc.round"(%0) : (tensor<1x32x9x9xf32>) -> tensor<1x32x9x9xf32>
  %2 = "tcc.add"(%1, %z) : (tensor<1x32x9x9xf32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %3 = "tcc.clamp"(%2, %low, %high) : (tensor<1x32x9x9xf32>, tensor<f32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %4 = "tcc.convert"(%3) : (tensor<1x32x9x9xf32>) -> tensor<1x32x9x9xui8>
  %5 = "tcc.convert"(%4) : (tensor<1x32x9x9xui8>) -> tensor<1x32x9x9xf32>
  %6 = "tcc.sub"(%5, %z) : (tensor<1x32x9x9xf32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %7 = "tcc.mul"(%6, %s) : (tensor<1x32x9x9xf32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %8 = "tcc.convert"(%w) : (tensor<16x16x3x3xi8>) -> tensor<16x16x3x3xf32>
  %9 = "tcc.mul"(%8, %t) : (tensor<16x16x3x3xf32>, tensor<16x1x1x1xf32>) -> tensor<16x16x3x3xf32>
  %10 = "tcc.conv"(%7, %9, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 2 : i64} : (tensor<1x32x9x9xf32>, tensor<16x16x3x3xf32>, tensor<16xf32>) -> tensor<1x16x9x9xf32>
  return %10 : tensor<1x16x9x9xf32>
}

// -----

// of fewer channels than a block has,
// CHECK-LABEL: @few
// CHECK: "tcc.conv"{{.*}}xf32>) -> tensor<1x16x9x9xf32>
func.func @few(%x: tensor<1x8x9x9xf32>, %b: tensor<16xf32>) -> tensor<1x16x9x9xf32> {
  %s = "tcc.constant"() {value = dense<5.000000e-01> : tensor<f32>} : () -> tensor<f32>
  %t = "tcc.constant"() {value = dense<2.500000e-01> : tensor<16x1x1x1xf32>} : () -> tensor<16x1x1x1xf32>
  %z = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %low = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %high = "tcc.constant"() {value = dense<255.0> : tensor<f32>} : () -> tensor<f32>
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 1152 : i64} : () -> tensor<16x8x3x3xi8>
  %0 = "tcc.div"(%x, %s) : (tensor<1x8x9x9xf32>, tensor<f32>) -> tensor<1x8x9x9xf32>
  %1 = "tcc.round"(%0) : (tensor<1x8x9x9xf32>) -> tensor<1x8x9x9xf32>
  %2 = "tcc.add"(%1, %z) : (tensor<1x8x9x9xf32>, tensor<f32>) -> tensor<1x8x9x9xf32>
  %3 = "tcc.clamp"(%2, %low, %high) : (tensor<1x8x9x9xf32>, tensor<f32>, tensor<f32>) -> tensor<1x8x9x9xf32>
  %4 = "tcc.convert"(%3) : (tensor<1x8x9x9xf32>) -> tensor<1x8x9x9xui8>
  %5 = "tcc.convert"(%4) : (tensor<1x8x9x9xui8>) -> tensor<1x8x9x9xf32>
  %6 = "tcc.sub"(%5, %z) : (tensor<1x8x9x9xf32>, tensor<f32>) -> tensor<1x8x9x9xf32>
  %7 = "tcc.mul"(%6, %s) : (tensor<1x8x9x9xf32>, tensor<f32>) -> tensor<1x8x9x9xf32>
  %8 = "tcc.convert"(%w) : (tensor<16x8x3x3xi8>) -> tensor<16x8x3x3xf32>
  %9 = "tcc.mul"(%8, %t) : (tensor<16x8x3x3xf32>, tensor<16x1x1x1xf32>) -> tensor<16x8x3x3xf32>
  %10 = "tcc.conv"(%7, %9, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64} : (tensor<1x8x9x9xf32>, tensor<16x8x3x3xf32>, tensor<16xf32>) -> tensor<1x16x9x9xf32>
  return %10 : tensor<1x16x9x9xf32>
}

// -----

// or of weights with a zero point.
// CHECK-LABEL: @weights
// CHECK: "tcc.conv"{{.*}}xf32>) -> tensor<1x16x9x9xf32>
func.func @weights(%x: tensor<1x32x9x9xf32>, %b: tensor<16xf32>) -> tensor<1x16x9x9xf32> {
  %s = "tcc.constant"() {value = dense<5.000000e-01> : tensor<f32>} : () -> tensor<f32>
  %t = "tcc.constant"() {value = dense<2.500000e-01> : tensor<16x1x1x1xf32>} : () -> tensor<16x1x1x1xf32>
  %z = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %low = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %high = "tcc.constant"() {value = dense<255.0> : tensor<f32>} : () -> tensor<f32>
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 4608 : i64} : () -> tensor<16x32x3x3xi8>
  %0 = "tcc.div"(%x, %s) : (tensor<1x32x9x9xf32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %1 = "tcc.round"(%0) : (tensor<1x32x9x9xf32>) -> tensor<1x32x9x9xf32>
  %2 = "tcc.add"(%1, %z) : (tensor<1x32x9x9xf32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %3 = "tcc.clamp"(%2, %low, %high) : (tensor<1x32x9x9xf32>, tensor<f32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %4 = "tcc.convert"(%3) : (tensor<1x32x9x9xf32>) -> tensor<1x32x9x9xui8>
  %5 = "tcc.convert"(%4) : (tensor<1x32x9x9xui8>) -> tensor<1x32x9x9xf32>
  %6 = "tcc.sub"(%5, %z) : (tensor<1x32x9x9xf32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %7 = "tcc.mul"(%6, %s) : (tensor<1x32x9x9xf32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %8 = "tcc.convert"(%w) : (tensor<16x32x3x3xi8>) -> tensor<16x32x3x3xf32>
  %y = "tcc.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %w1 = "tcc.sub"(%8, %y) : (tensor<16x32x3x3xf32>, tensor<f32>) -> tensor<16x32x3x3xf32>
  %9 = "tcc.mul"(%w1, %t) : (tensor<16x32x3x3xf32>, tensor<16x1x1x1xf32>) -> tensor<16x32x3x3xf32>
  %10 = "tcc.conv"(%7, %9, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64} : (tensor<1x32x9x9xf32>, tensor<16x32x3x3xf32>, tensor<16xf32>) -> tensor<1x16x9x9xf32>
  return %10 : tensor<1x16x9x9xf32>
}

// -----

// So is one channel a group: its sums are those of four columns of the window at once.
// CHECK-LABEL: @one_channel
// CHECK: %[[SUMS:.*]] = "tcc.conv"(%{{.*}}, %{{.*}}, %{{.*}}) {{.*}}groups = 32 : i64{{.*}} : (tensor<1x32x9x9xui8>, tensor<32x1x3x3xi8>, none) -> tensor<1x32x9x9xi32>
// CHECK: %[[REAL:.*]] = "tcc.convert"(%[[SUMS]])
// CHECK: "tcc.mul"(%[[REAL]], %{{.*}}) : (tensor<1x32x9x9xf32>, tensor<32x1x1xf32>)
func.func @one_channel(%x: tensor<1x32x9x9xf32>, %b: tensor<32xf32>) -> tensor<1x32x9x9xf32> {
  %s = "tcc.constant"() {value = dense<5.000000e-01> : tensor<f32>} : () -> tensor<f32>
  %t = "tcc.constant"() {value = dense<2.500000e-01> : tensor<32x1x1x1xf32>} : () -> tensor<32x1x1x1xf32>
  %low = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %high = "tcc.constant"() {value = dense<255.0> : tensor<f32>} : () -> tensor<f32>
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 288 : i64} : () -> tensor<32x1x3x3xi8>
  %0 = "tcc.div"(%x, %s) : (tensor<1x32x9x9xf32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %1 = "tcc.round"(%0) : (tensor<1x32x9x9xf32>) -> tensor<1x32x9x9xf32>
  %2 = "tcc.clamp"(%1, %low, %high) : (tensor<1x32x9x9xf32>, tensor<f32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %3 = "tcc.convert"(%2) : (tensor<1x32x9x9xf32>) -> tensor<1x32x9x9xui8>
  %4 = "tcc.convert"(%3) : (tensor<1x32x9x9xui8>) -> tensor<1x32x9x9xf32>
  %5 = "tcc.mul"(%4, %s) : (tensor<1x32x9x9xf32>, tensor<f32>) -> tensor<1x32x9x9xf32>
  %6 = "tcc.convert"(%w) : (tensor<32x1x3x3xi8>) -> tensor<32x1x3x3xf32>
  %7 = "tcc.mul"(%6, %t) : (tensor<32x1x3x3xf32>, tensor<32x1x1x1xf32>) -> tensor<32x1x3x3xf32>
  %8 = "tcc.conv"(%5, %7, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 32 : i64} : (tensor<1x32x9x9xf32>, tensor<32x1x3x3xf32>, tensor<32xf32>) -> tensor<1x32x9x9xf32>
  return %8 : tensor<1x32x9x9xf32>
}
