// RUN: tcc-opt --tcc-causal-masks --verify-each --split-input-file %s | FileCheck %s

// A weight whose triangle the importer saw; its mask is finite, and every row sees a key.
// CHECK-LABEL: func.func @weight
// CHECK: %[[NONE:.*]] = "tcc.none"
// CHECK: "tcc.attention"(%arg0, %arg0, %arg0, %[[NONE]]) {causal = true, offset = [0]
func.func @weight(%x: tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %m = "tcc.weight"() {name = "m", source = 0 : i64, offset = 0 : i64, length = 256 : i64, triangle = [0], inside = 0.0 : f64, outside = -3.0e38 : f64} : () -> tensor<1x1x8x8xf32>
  %r = "tcc.attention"(%x, %x, %x, %m) {scale = 1.0 : f64} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<1x1x8x8xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// -----

// A slice of a buffer of ones and zeros, turned into summands; rows of the slice start later than columns.
// CHECK-LABEL: func.func @buffer
// CHECK: "tcc.attention"(%arg0, %arg1, %arg1, %{{.*}}) {causal = true, offset = [3]
func.func @buffer(%q: tensor<2x4x8x16xf32>, %x: tensor<2x4x11x16xf32>) -> tensor<2x4x8x16xf32> {
  %m = "tcc.weight"() {name = "m", source = 0 : i64, offset = 0 : i64, length = 1024 : i64, triangle = [0], inside = 1.0 : f64, outside = 0.0 : f64} : () -> tensor<16x16xf32>
  %s = "tcc.slice"(%m) {starts = [3, 0], steps = array<i64: 1, 1>} : (tensor<16x16xf32>) -> tensor<8x11xf32>
  %one = "tcc.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %low = "tcc.constant"() {value = dense<-1.0e10> : tensor<f32>} : () -> tensor<f32>
  %n = "tcc.sub"(%one, %s) : (tensor<f32>, tensor<8x11xf32>) -> tensor<8x11xf32>
  %a = "tcc.mul"(%n, %low) : (tensor<8x11xf32>, tensor<f32>) -> tensor<8x11xf32>
  %b = "tcc.reshape"(%a) : (tensor<8x11xf32>) -> tensor<1x1x8x11xf32>
  %r = "tcc.attention"(%q, %x, %x, %b) {scale = 1.0 : f64} : (tensor<2x4x8x16xf32>, tensor<2x4x11x16xf32>, tensor<2x4x11x16xf32>, tensor<1x1x8x11xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// -----

// Comparisons of iotas of a dynamic length, behind past keys; the region loses the argument.
// CHECK-LABEL: func.func private @region0
// CHECK-SAME: (%arg0: tensor<1x4x?x16xf32, [1, 4, "S", 16]>, %arg1: tensor<1x4x?x16xf32, [1, 4, "P + S", 16]>)
// CHECK: "tcc.attention"(%arg0, %arg1, %arg1, %{{.*}}) {causal = true, offset = ["P"]
// CHECK-LABEL: func.func @dynamic
// CHECK: call @region0(%arg0, %arg1) :
func.func private @region0(%q: tensor<1x4x?x16xf32, [1, 4, "S", 16]>, %m: tensor<1x1x?x?xi1, [1, 1, "S", "P + S"]>, %x: tensor<1x4x?x16xf32, [1, 4, "P + S", 16]>) -> tensor<1x4x?x16xf32, [1, 4, "S", 16]> {
  %r = "tcc.attention"(%q, %x, %x, %m) {scale = 1.0 : f64} : (tensor<1x4x?x16xf32, [1, 4, "S", 16]>, tensor<1x4x?x16xf32, [1, 4, "P + S", 16]>, tensor<1x4x?x16xf32, [1, 4, "P + S", 16]>, tensor<1x1x?x?xi1, [1, 1, "S", "P + S"]>) -> tensor<1x4x?x16xf32, [1, 4, "S", 16]>
  return %r : tensor<1x4x?x16xf32, [1, 4, "S", 16]>
}
func.func @dynamic(%q: tensor<1x4x?x16xf32, [1, 4, "S", 16]>, %x: tensor<1x4x?x16xf32, [1, 4, "P + S", 16]>) -> tensor<1x4x?x16xf32, [1, 4, "S", 16]> {
  %past = "tcc.sizes"() {values = ["P"]} : () -> tensor<1xi64>
  %i0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<?xi64, ["S"]>
  %i1 = "tcc.add"(%i0, %past) : (tensor<?xi64, ["S"]>, tensor<1xi64>) -> tensor<?xi64, ["S"]>
  %i = "tcc.reshape"(%i1) : (tensor<?xi64, ["S"]>) -> tensor<1x1x?x1xi64, [1, 1, "S", 1]>
  %j0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<?xi64, ["P + S"]>
  %j = "tcc.reshape"(%j0) : (tensor<?xi64, ["P + S"]>) -> tensor<1x1x1x?xi64, [1, 1, 1, "P + S"]>
  %m = "tcc.compare"(%i, %j) {predicate = "ge"} : (tensor<1x1x?x1xi64, [1, 1, "S", 1]>, tensor<1x1x1x?xi64, [1, 1, 1, "P + S"]>) -> tensor<1x1x?x?xi1, [1, 1, "S", "P + S"]>
  %r = call @region0(%q, %m, %x) : (tensor<1x4x?x16xf32, [1, 4, "S", 16]>, tensor<1x1x?x?xi1, [1, 1, "S", "P + S"]>, tensor<1x4x?x16xf32, [1, 4, "P + S", 16]>) -> tensor<1x4x?x16xf32, [1, 4, "S", 16]>
  return %r : tensor<1x4x?x16xf32, [1, 4, "S", 16]>
}

// -----

// Not causal: a number that does not hide a key; rows that see none and whose mask is finite; the triangle upside down;
// one row of a triangle that is broadcast to all queries; callers that disagree.
// CHECK-LABEL: func.func @negative
// CHECK-NOT: causal = true
// CHECK: return
func.func @negative(%x: tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) {
  %soft = "tcc.weight"() {name = "a", source = 0 : i64, offset = 0 : i64, length = 256 : i64, triangle = [0], inside = 0.0 : f64, outside = -2.0 : f64} : () -> tensor<1x1x8x8xf32>
  %late = "tcc.weight"() {name = "b", source = 0 : i64, offset = 256 : i64, length = 256 : i64, triangle = [-1], inside = 0.0 : f64, outside = -3.0e38 : f64} : () -> tensor<1x1x8x8xf32>
  %bool = "tcc.weight"() {name = "c", source = 0 : i64, offset = 512 : i64, length = 64 : i64, triangle = [0], inside = 1.0 : f64, outside = 0.0 : f64} : () -> tensor<1x1x8x8xi1>
  %down = "tcc.not"(%bool) : (tensor<1x1x8x8xi1>) -> tensor<1x1x8x8xi1>
  %row = "tcc.slice"(%bool) {starts = [0, 0, 3, 0], steps = array<i64: 1, 1, 1, 1>} : (tensor<1x1x8x8xi1>) -> tensor<1x1x1x8xi1>
  %r0 = "tcc.attention"(%x, %x, %x, %soft) {scale = 1.0 : f64} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<1x1x8x8xf32>) -> tensor<2x4x8x16xf32>
  %r1 = "tcc.attention"(%x, %x, %x, %late) {scale = 1.0 : f64} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<1x1x8x8xf32>) -> tensor<2x4x8x16xf32>
  %r2 = "tcc.attention"(%x, %x, %x, %down) {scale = 1.0 : f64} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<1x1x8x8xi1>) -> tensor<2x4x8x16xf32>
  %r3 = "tcc.attention"(%x, %x, %x, %row) {scale = 1.0 : f64} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<1x1x1x8xi1>) -> tensor<2x4x8x16xf32>
  return %r0, %r1, %r2, %r3 : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>
}

// -----

// CHECK-LABEL: func.func private @shared
// CHECK-SAME: %arg1: tensor<1x1x8x8xf32>
// CHECK-NOT: causal = true
func.func private @shared(%x: tensor<2x4x8x16xf32>, %m: tensor<1x1x8x8xf32>) -> tensor<2x4x8x16xf32> {
  %r = "tcc.attention"(%x, %x, %x, %m) {scale = 1.0 : f64} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<1x1x8x8xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}
func.func @callers(%x: tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %a = "tcc.weight"() {name = "a", source = 0 : i64, offset = 0 : i64, length = 256 : i64, triangle = [0], inside = 0.0 : f64, outside = -3.0e38 : f64} : () -> tensor<1x1x8x8xf32>
  %b = "tcc.weight"() {name = "b", source = 0 : i64, offset = 256 : i64, length = 256 : i64, triangle = [1], inside = 0.0 : f64, outside = -3.0e38 : f64} : () -> tensor<1x1x8x8xf32>
  %r = call @shared(%x, %a) : (tensor<2x4x8x16xf32>, tensor<1x1x8x8xf32>) -> tensor<2x4x8x16xf32>
  %s = call @shared(%r, %b) : (tensor<2x4x8x16xf32>, tensor<1x1x8x8xf32>) -> tensor<2x4x8x16xf32>
  return %s : tensor<2x4x8x16xf32>
}

// -----

// Iotas whose length was known are constants.
// CHECK-LABEL: func.func @constant_iotas
// CHECK: "tcc.attention"(%arg0, %arg0, %arg0, %{{.*}}) {causal = true, offset = [0]
func.func @constant_iotas(%x: tensor<2x4x3x16xf32>) -> tensor<2x4x3x16xf32> {
  %i = "tcc.constant"() {value = dense<[[[[0], [1], [2]]]]> : tensor<1x1x3x1xi64>} : () -> tensor<1x1x3x1xi64>
  %j = "tcc.constant"() {value = dense<[[[[0, 1, 2]]], [[[0, 1, 2]]]]> : tensor<2x1x1x3xi64>} : () -> tensor<2x1x1x3xi64>
  %m = "tcc.compare"(%j, %i) {predicate = "le"} : (tensor<2x1x1x3xi64>, tensor<1x1x3x1xi64>) -> tensor<2x1x3x3xi1>
  %r = "tcc.attention"(%x, %x, %x, %m) {scale = 1.0 : f64} : (tensor<2x4x3x16xf32>, tensor<2x4x3x16xf32>, tensor<2x4x3x16xf32>, tensor<2x1x3x3xi1>) -> tensor<2x4x3x16xf32>
  return %r : tensor<2x4x3x16xf32>
}

// -----

// Constants that are no iota: a step of two, and one number that is out of line.
// CHECK-LABEL: func.func @no_iotas
// CHECK-NOT: causal = true
// CHECK: return
func.func @no_iotas(%x: tensor<1x4x3x16xf32>) -> (tensor<1x4x3x16xf32>, tensor<1x4x3x16xf32>) {
  %i = "tcc.constant"() {value = dense<[[[[0], [1], [2]]]]> : tensor<1x1x3x1xi64>} : () -> tensor<1x1x3x1xi64>
  %j = "tcc.constant"() {value = dense<[[[[0, 2, 4]]]]> : tensor<1x1x1x3xi64>} : () -> tensor<1x1x1x3xi64>
  %k = "tcc.constant"() {value = dense<[[[[0, 1, 1]]]]> : tensor<1x1x1x3xi64>} : () -> tensor<1x1x1x3xi64>
  %m = "tcc.compare"(%j, %i) {predicate = "le"} : (tensor<1x1x1x3xi64>, tensor<1x1x3x1xi64>) -> tensor<1x1x3x3xi1>
  %n = "tcc.compare"(%k, %i) {predicate = "le"} : (tensor<1x1x1x3xi64>, tensor<1x1x3x1xi64>) -> tensor<1x1x3x3xi1>
  %r = "tcc.attention"(%x, %x, %x, %m) {scale = 1.0 : f64} : (tensor<1x4x3x16xf32>, tensor<1x4x3x16xf32>, tensor<1x4x3x16xf32>, tensor<1x1x3x3xi1>) -> tensor<1x4x3x16xf32>
  %s = "tcc.attention"(%x, %x, %x, %n) {scale = 1.0 : f64} : (tensor<1x4x3x16xf32>, tensor<1x4x3x16xf32>, tensor<1x4x3x16xf32>, tensor<1x1x3x3xi1>) -> tensor<1x4x3x16xf32>
  return %r, %s : tensor<1x4x3x16xf32>, tensor<1x4x3x16xf32>
}

// -----

// A mask that hides nothing is none: of flags that are all true, of summands that are all 0, beside a triangle that is an attribute.
// CHECK-LABEL: func.func @open
// CHECK: "tcc.attention"(%arg0, %arg0, %arg0, %[[NONE:.*]]) {scale = 1.000000e+00 : f64}
// CHECK-SAME: none
// CHECK: "tcc.attention"(%arg0, %arg0, %arg0, %{{.*}}) {causal = true, scale = 1.000000e+00 : f64}
// CHECK-SAME: none
func.func @open(%x: tensor<1x4x?x16xf32, [1, 4, "S", 16]>) -> (tensor<1x4x?x16xf32, [1, 4, "S", 16]>, tensor<1x4x?x16xf32, [1, 4, "S", 16]>) {
  %true = "tcc.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %zero = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %m = "tcc.broadcast"(%true) : (tensor<i1>) -> tensor<1x1x1x?xi1, [1, 1, 1, "S"]>
  %n = "tcc.broadcast"(%zero) : (tensor<f32>) -> tensor<1x1x?x?xf32, [1, 1, "S", "S"]>
  %r = "tcc.attention"(%x, %x, %x, %m) {scale = 1.0 : f64} : (tensor<1x4x?x16xf32, [1, 4, "S", 16]>, tensor<1x4x?x16xf32, [1, 4, "S", 16]>, tensor<1x4x?x16xf32, [1, 4, "S", 16]>, tensor<1x1x1x?xi1, [1, 1, 1, "S"]>) -> tensor<1x4x?x16xf32, [1, 4, "S", 16]>
  %s = "tcc.attention"(%x, %x, %x, %n) {causal = true, scale = 1.0 : f64} : (tensor<1x4x?x16xf32, [1, 4, "S", 16]>, tensor<1x4x?x16xf32, [1, 4, "S", 16]>, tensor<1x4x?x16xf32, [1, 4, "S", 16]>, tensor<1x1x?x?xf32, [1, 1, "S", "S"]>) -> tensor<1x4x?x16xf32, [1, 4, "S", 16]>
  return %r, %s : tensor<1x4x?x16xf32, [1, 4, "S", 16]>, tensor<1x4x?x16xf32, [1, 4, "S", 16]>
}

// -----

// One that hides everything stays.
// CHECK-LABEL: func.func @shut
// CHECK: "tcc.attention"(%arg0, %arg0, %arg0, %{{.*}}) {scale
// CHECK-SAME: xi1>)
func.func @shut(%x: tensor<1x4x8x16xf32>) -> tensor<1x4x8x16xf32> {
  %m = "tcc.constant"() {value = dense<false> : tensor<1x1x1x8xi1>} : () -> tensor<1x1x1x8xi1>
  %r = "tcc.attention"(%x, %x, %x, %m) {scale = 1.0 : f64} : (tensor<1x4x8x16xf32>, tensor<1x4x8x16xf32>, tensor<1x4x8x16xf32>, tensor<1x1x1x8xi1>) -> tensor<1x4x8x16xf32>
  return %r : tensor<1x4x8x16xf32>
}
