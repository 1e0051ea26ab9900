// RUN: tcc-opt %s --split-input-file --tcc-simplify --tcc-lower-qdq --verify-each | FileCheck %s

// Unsigned by signed bytes is one product in i32; what the zero point adds to it is a sum of the weights.
// CHECK-LABEL: @product
// CHECK-DAG: %[[SUMS:.*]] = "tcc.matmul"(%arg0, %arg1) : (tensor<?x64xui8, ["N", 64]>, tensor<64x32xi8>) -> tensor<?x32xi32, ["N", 32]>
// CHECK-DAG: %[[Z:.*]] = "tcc.constant"() {value = dense<3> : tensor<i32>}
// CHECK-DAG: %[[WIDE:.*]] = "tcc.convert"(%arg1) : (tensor<64x32xi8>) -> tensor<64x32xi32>
// CHECK-DAG: %[[COLUMNS:.*]] = "tcc.reduce"(%[[WIDE]]) {axes = array<i64: 0>, keepdims = true, kind = "sum"}
// CHECK: %[[MORE:.*]] = "tcc.mul"(%[[COLUMNS]], %[[Z]])
// CHECK: %[[EXACT:.*]] = "tcc.sub"(%[[SUMS]], %[[MORE]])
// CHECK-DAG: %[[REAL:.*]] = "tcc.convert"(%[[EXACT]]) : (tensor<?x32xi32, ["N", 32]>) -> tensor<?x32xf32, ["N", 32]>
// CHECK-DAG: %[[SCALE:.*]] = "tcc.mul"(%arg3, %arg2)
// CHECK: %[[R:.*]] = "tcc.mul"(%[[REAL]], %[[SCALE]])
// CHECK: return %[[R]]
func.func @product(%p: tensor<?x64xui8, ["N", 64]>, %q: tensor<64x32xi8>, %s: tensor<f32>, %t: tensor<32xf32>) -> tensor<?x32xf32, ["N", 32]> {
  %z = "tcc.constant"() {value = dense<3> : tensor<ui8>} : () -> tensor<ui8>
  %0 = "tcc.convert"(%z) : (tensor<ui8>) -> tensor<f32>
  %1 = "tcc.convert"(%p) : (tensor<?x64xui8, ["N", 64]>) -> tensor<?x64xf32, ["N", 64]>
  %2 = "tcc.sub"(%1, %0) : (tensor<?x64xf32, ["N", 64]>, tensor<f32>) -> tensor<?x64xf32, ["N", 64]>
  %3 = "tcc.mul"(%2, %s) : (tensor<?x64xf32, ["N", 64]>, tensor<f32>) -> tensor<?x64xf32, ["N", 64]>
  %4 = "tcc.convert"(%q) : (tensor<64x32xi8>) -> tensor<64x32xf32>
  %zeros = "tcc.constant"() {value = dense<0> : tensor<64x32xi8>} : () -> tensor<64x32xi8>
  %5 = "tcc.convert"(%zeros) : (tensor<64x32xi8>) -> tensor<64x32xf32>
  %6 = "tcc.sub"(%4, %5) : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  %7 = "tcc.mul"(%6, %t) : (tensor<64x32xf32>, tensor<32xf32>) -> tensor<64x32xf32>
  %8 = "tcc.matmul"(%3, %7) : (tensor<?x64xf32, ["N", 64]>, tensor<64x32xf32>) -> tensor<?x32xf32, ["N", 32]>
  return %8 : tensor<?x32xf32, ["N", 32]>
}

// -----

// Unsigned weights become signed ones, 128 lower. A zero point that is no constant is read as the integer that it was.
// CHECK-LABEL: @unsigned
// CHECK-DAG: %[[DOWN:.*]] = "tcc.constant"() {value = dense<-128> : tensor<i32>}
// CHECK-DAG: %[[LOW:.*]] = "tcc.add"({{.*}}, %[[DOWN]]) : (tensor<64x32xi32>, tensor<i32>)
// CHECK-DAG: %[[SIGNED:.*]] = "tcc.convert"(%[[LOW]]) : (tensor<64x32xi32>) -> tensor<64x32xi8>
// CHECK-DAG: "tcc.matmul"(%arg0, %[[SIGNED]]) : (tensor<8x64xui8>, tensor<64x32xi8>) -> tensor<8x32xi32>
// CHECK-DAG: "tcc.convert"(%arg2) : (tensor<ui8>) -> tensor<i32>
func.func @unsigned(%p: tensor<8x64xui8>, %q: tensor<64x32xui8>, %z: tensor<ui8>, %s: tensor<f32>) -> tensor<8x32xf32> {
  %0 = "tcc.convert"(%z) : (tensor<ui8>) -> tensor<f32>
  %1 = "tcc.convert"(%p) : (tensor<8x64xui8>) -> tensor<8x64xf32>
  %2 = "tcc.sub"(%1, %0) : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xf32>
  %3 = "tcc.mul"(%2, %s) : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xf32>
  %4 = "tcc.convert"(%q) : (tensor<64x32xui8>) -> tensor<64x32xf32>
  %5 = "tcc.mul"(%4, %s) : (tensor<64x32xf32>, tensor<f32>) -> tensor<64x32xf32>
  %6 = "tcc.matmul"(%3, %5) : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  return %6 : tensor<8x32xf32>
}

// -----

// Left alone: a scale that varies along the depth; few rows, which read weights as they lie; a depth whose sums i32 may not hold.
// CHECK-LABEL: @left
// CHECK-COUNT-3: "tcc.matmul"({{.*}} -> tensor<{{.*}}xf32>
func.func @left(%p: tensor<8x64xui8>, %q: tensor<64x32xi8>, %s: tensor<f32>, %t: tensor<64x1xf32>, %few: tensor<1x64xui8>, %deep: tensor<8x40000xui8>, %deep_q: tensor<40000x32xi8>) -> (tensor<8x32xf32>, tensor<1x32xf32>, tensor<8x32xf32>) {
  %0 = "tcc.convert"(%p) : (tensor<8x64xui8>) -> tensor<8x64xf32>
  %1 = "tcc.mul"(%0, %s) : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xf32>
  %2 = "tcc.convert"(%q) : (tensor<64x32xi8>) -> tensor<64x32xf32>
  %3 = "tcc.mul"(%2, %t) : (tensor<64x32xf32>, tensor<64x1xf32>) -> tensor<64x32xf32>
  %4 = "tcc.matmul"(%1, %3) : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  %5 = "tcc.convert"(%few) : (tensor<1x64xui8>) -> tensor<1x64xf32>
  %6 = "tcc.mul"(%5, %s) : (tensor<1x64xf32>, tensor<f32>) -> tensor<1x64xf32>
  %7 = "tcc.mul"(%2, %s) : (tensor<64x32xf32>, tensor<f32>) -> tensor<64x32xf32>
  %8 = "tcc.matmul"(%6, %7) : (tensor<1x64xf32>, tensor<64x32xf32>) -> tensor<1x32xf32>
  %9 = "tcc.convert"(%deep) : (tensor<8x40000xui8>) -> tensor<8x40000xf32>
  %10 = "tcc.mul"(%9, %s) : (tensor<8x40000xf32>, tensor<f32>) -> tensor<8x40000xf32>
  %11 = "tcc.convert"(%deep_q) : (tensor<40000x32xi8>) -> tensor<40000x32xf32>
  %12 = "tcc.mul"(%11, %s) : (tensor<40000x32xf32>, tensor<f32>) -> tensor<40000x32xf32>
  %13 = "tcc.matmul"(%10, %12) : (tensor<8x40000xf32>, tensor<40000x32xf32>) -> tensor<8x32xf32>
  return %4, %8, %13 : tensor<8x32xf32>, tensor<1x32xf32>, tensor<8x32xf32>
}

// -----

// Sums of bytes that become floats are those of a convolution in f32; sums that are read as integers stay integers.
// CHECK-LABEL: @convolution
// CHECK: "tcc.conv"({{.*}}) {{.*}} : (tensor<1x8x9x9xf32>, tensor<16x8x3x3xf32>, none) -> tensor<1x16x7x7xf32>
// CHECK: "tcc.add"({{.*}}) : (tensor<1x16x7x7xf32>, tensor<1x16x1x1xf32>)
// CHECK-NOT: i32
// CHECK-LABEL: @integers
// CHECK: "tcc.conv"({{.*}}) {{.*}} -> tensor<1x16x7x7xi32>
func.func @convolution(%x: tensor<1x8x9x9xui8>, %w: tensor<16x8x3x3xi8>, %bias: tensor<1x16x1x1xi8>) -> tensor<1x16x7x7xf32> {
  %0 = "tcc.convert"(%x) : (tensor<1x8x9x9xui8>) -> tensor<1x8x9x9xi32>
  %1 = "tcc.convert"(%w) : (tensor<16x8x3x3xi8>) -> tensor<16x8x3x3xi32>
  %2 = "tcc.none"() : () -> none
  %3 = "tcc.conv"(%0, %1, %2) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x9x9xi32>, tensor<16x8x3x3xi32>, none) -> tensor<1x16x7x7xi32>
  %4 = "tcc.convert"(%bias) : (tensor<1x16x1x1xi8>) -> tensor<1x16x1x1xi32>
  %5 = "tcc.add"(%3, %4) : (tensor<1x16x7x7xi32>, tensor<1x16x1x1xi32>) -> tensor<1x16x7x7xi32>
  %6 = "tcc.convert"(%5) : (tensor<1x16x7x7xi32>) -> tensor<1x16x7x7xf32>
  return %6 : tensor<1x16x7x7xf32>
}
func.func @integers(%x: tensor<1x8x9x9xui8>, %w: tensor<16x8x3x3xi8>) -> (tensor<1x16x7x7xi32>, tensor<1x16x7x7xf32>) {
  %0 = "tcc.convert"(%x) : (tensor<1x8x9x9xui8>) -> tensor<1x8x9x9xi32>
  %1 = "tcc.convert"(%w) : (tensor<16x8x3x3xi8>) -> tensor<16x8x3x3xi32>
  %2 = "tcc.none"() : () -> none
  %3 = "tcc.conv"(%0, %1, %2) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x9x9xi32>, tensor<16x8x3x3xi32>, none) -> tensor<1x16x7x7xi32>
  %4 = "tcc.convert"(%3) : (tensor<1x16x7x7xi32>) -> tensor<1x16x7x7xf32>
  return %3, %4 : tensor<1x16x7x7xi32>, tensor<1x16x7x7xf32>
}

// -----

// Quantised again with the same scale and zero point: the same bytes, transposed and flattened. With another scale they are not.
// CHECK-LABEL: @again
// CHECK: %[[T:.*]] = "tcc.transpose"(%arg0) {perm = array<i64: 1, 0, 2>} : (tensor<4x6x8xui8>)
// CHECK: %[[R:.*]] = "tcc.reshape"(%[[T]])
// CHECK: %[[ELSE:.*]] = "tcc.convert"({{.*}}) : (tensor<4x6x8xf32>) -> tensor<4x6x8xui8>
// CHECK: return %[[R]], %[[ELSE]]
func.func @again(%q: tensor<4x6x8xui8>, %s: tensor<f32>, %t: tensor<f32>) -> (tensor<6x32xui8>, tensor<4x6x8xui8>) {
  %z = "tcc.constant"() {value = dense<7.0> : tensor<f32>} : () -> tensor<f32>
  %least = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %most = "tcc.constant"() {value = dense<255.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.convert"(%q) : (tensor<4x6x8xui8>) -> tensor<4x6x8xf32>
  %1 = "tcc.sub"(%0, %z) : (tensor<4x6x8xf32>, tensor<f32>) -> tensor<4x6x8xf32>
  %2 = "tcc.mul"(%1, %s) : (tensor<4x6x8xf32>, tensor<f32>) -> tensor<4x6x8xf32>
  %3 = "tcc.transpose"(%2) {perm = array<i64: 1, 0, 2>} : (tensor<4x6x8xf32>) -> tensor<6x4x8xf32>
  %4 = "tcc.reshape"(%3) : (tensor<6x4x8xf32>) -> tensor<6x32xf32>
  %5 = "tcc.div"(%4, %s) : (tensor<6x32xf32>, tensor<f32>) -> tensor<6x32xf32>
  %6 = "tcc.round"(%5) : (tensor<6x32xf32>) -> tensor<6x32xf32>
  %7 = "tcc.add"(%6, %z) : (tensor<6x32xf32>, tensor<f32>) -> tensor<6x32xf32>
  %8 = "tcc.clamp"(%7, %least, %most) : (tensor<6x32xf32>, tensor<f32>, tensor<f32>) -> tensor<6x32xf32>
  %9 = "tcc.convert"(%8) : (tensor<6x32xf32>) -> tensor<6x32xui8>
  %10 = "tcc.div"(%2, %t) : (tensor<4x6x8xf32>, tensor<f32>) -> tensor<4x6x8xf32>
  %11 = "tcc.round"(%10) : (tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
  %12 = "tcc.add"(%11, %z) : (tensor<4x6x8xf32>, tensor<f32>) -> tensor<4x6x8xf32>
  %13 = "tcc.clamp"(%12, %least, %most) : (tensor<4x6x8xf32>, tensor<f32>, tensor<f32>) -> tensor<4x6x8xf32>
  %14 = "tcc.convert"(%13) : (tensor<4x6x8xf32>) -> tensor<4x6x8xui8>
  return %9, %14 : tensor<6x32xui8>, tensor<4x6x8xui8>
}

// -----

// The largest of some bytes is the byte of the largest number, if the scale is known to be positive; a mean is not of bytes.
// CHECK-LABEL: @pooled
// CHECK: %[[BYTES:.*]] = "tcc.pool"(%arg0) {{{.*}}kind = "max"{{.*}}} : (tensor<1x4x9x9xi8>) -> tensor<1x4x5x5xi8>
// CHECK-DAG: "tcc.pool"({{.*}}) {{{.*}}kind = "max"{{.*}}} : (tensor<1x4x9x9xf32>) -> tensor<1x4x5x5xf32>
// CHECK-DAG: "tcc.pool"({{.*}}) {{{.*}}kind = "avg"{{.*}}} : (tensor<1x4x9x9xf32>) -> tensor<1x4x5x5xf32>
// CHECK: return %[[BYTES]],
func.func @pooled(%q: tensor<1x4x9x9xi8>) -> (tensor<1x4x5x5xi8>, tensor<1x4x5x5xi8>, tensor<1x4x5x5xi8>) {
  %s = "tcc.constant"() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %negative = "tcc.constant"() {value = dense<-0.25> : tensor<f32>} : () -> tensor<f32>
  %least = "tcc.constant"() {value = dense<-128.0> : tensor<f32>} : () -> tensor<f32>
  %most = "tcc.constant"() {value = dense<127.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.convert"(%q) : (tensor<1x4x9x9xi8>) -> tensor<1x4x9x9xf32>
  %1 = "tcc.mul"(%0, %s) : (tensor<1x4x9x9xf32>, tensor<f32>) -> tensor<1x4x9x9xf32>
  %2 = "tcc.pool"(%1) {kind = "max", kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x4x9x9xf32>) -> tensor<1x4x5x5xf32>
  %3 = "tcc.div"(%2, %s) : (tensor<1x4x5x5xf32>, tensor<f32>) -> tensor<1x4x5x5xf32>
  %4 = "tcc.round"(%3) : (tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  %5 = "tcc.clamp"(%4, %least, %most) : (tensor<1x4x5x5xf32>, tensor<f32>, tensor<f32>) -> tensor<1x4x5x5xf32>
  %6 = "tcc.convert"(%5) : (tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xi8>
  %11 = "tcc.mul"(%0, %negative) : (tensor<1x4x9x9xf32>, tensor<f32>) -> tensor<1x4x9x9xf32>
  %12 = "tcc.pool"(%11) {kind = "max", kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x4x9x9xf32>) -> tensor<1x4x5x5xf32>
  %13 = "tcc.div"(%12, %negative) : (tensor<1x4x5x5xf32>, tensor<f32>) -> tensor<1x4x5x5xf32>
  %14 = "tcc.round"(%13) : (tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  %15 = "tcc.clamp"(%14, %least, %most) : (tensor<1x4x5x5xf32>, tensor<f32>, tensor<f32>) -> tensor<1x4x5x5xf32>
  %16 = "tcc.convert"(%15) : (tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xi8>
  %22 = "tcc.pool"(%1) {kind = "avg", kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x4x9x9xf32>) -> tensor<1x4x5x5xf32>
  %23 = "tcc.div"(%22, %s) : (tensor<1x4x5x5xf32>, tensor<f32>) -> tensor<1x4x5x5xf32>
  %24 = "tcc.round"(%23) : (tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  %25 = "tcc.clamp"(%24, %least, %most) : (tensor<1x4x5x5xf32>, tensor<f32>, tensor<f32>) -> tensor<1x4x5x5xf32>
  %26 = "tcc.convert"(%25) : (tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xi8>
  return %6, %16, %26 : tensor<1x4x5x5xi8>, tensor<1x4x5x5xi8>, tensor<1x4x5x5xi8>
}
