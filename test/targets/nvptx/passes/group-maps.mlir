// Elementwise kernels that do the same are one kernel, whatever the sizes of their tensors.
// RUN: tcc-opt %s --split-input-file --target=nvptx,sm_90a --tcc-group-maps --verify-each | FileCheck %s
// RUN: tcc-opt %s --split-input-file --target=nvptx,sm_90a --tcc-group-maps | tcc-opt --split-input-file --target=nvptx,sm_90a --tcc-group-maps | FileCheck %s

// Two shapes, the order of ops another one, one of them in a region that is nothing else; the scalar is shared; reasons stay.
// CHECK: func.func private @k_x3(%[[A:.*]]: tensor<8x8xf32>, %[[G:.*]]: tensor<8x8xf32>, %[[R:.*]]: tensor<f32>, %[[H:.*]]: tensor<24xf32>, %[[B:.*]]: tensor<24xf32>, %[[I:.*]]: tensor<24xf32>, %[[C:.*]]: tensor<24xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>) attributes {tcc.kernel = "map", tcc.members = 3 : i64}
// CHECK-NEXT: %[[M0:.*]] = "tcc.mul"(%[[G]], %[[R]])
// CHECK-NEXT: %[[N0:.*]] = "tcc.neg"(%[[G]])
// CHECK-NEXT: %[[S0:.*]] = "tcc.sub"(%[[A]], %[[M0]])
// CHECK-NEXT: %[[N1:.*]] = "tcc.neg"(%[[H]])
// CHECK-NEXT: %[[M1:.*]] = "tcc.mul"(%[[H]], %[[R]])
// CHECK-NEXT: %[[S1:.*]] = "tcc.sub"(%[[B]], %[[M1]])
// CHECK-NEXT: %[[N2:.*]] = "tcc.neg"(%[[I]])
// CHECK-NEXT: %[[M2:.*]] = "tcc.mul"(%[[I]], %[[R]])
// CHECK-NEXT: %[[S2:.*]] = "tcc.sub"(%[[C]], %[[M2]])
// CHECK-NEXT: return %[[S0]], %[[N0]], %[[S1]], %[[N1]], %[[S2]], %[[N2]]
// CHECK-NOT: @update
// CHECK-NOT: @l(
// CHECK-LABEL: func.func @main
// CHECK-NEXT: call @k_x3(%arg0, %arg1, %arg6, %arg3, %arg2, %arg5, %arg4) {tcc.why = ["a", "b", "c", "d", "c", "d"]}
// CHECK-NEXT: return
func.func private @k(%p: tensor<8x8xf32>, %g: tensor<8x8xf32>, %r: tensor<f32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) attributes {tcc.kernel = "map"} {
  %0 = "tcc.mul"(%g, %r) : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %1 = "tcc.neg"(%g) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = "tcc.sub"(%p, %0) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}
func.func private @l(%r: tensor<f32>, %g: tensor<24xf32>, %p: tensor<24xf32>) -> (tensor<24xf32>, tensor<24xf32>) attributes {tcc.kernel = "map"} {
  %0 = "tcc.neg"(%g) : (tensor<24xf32>) -> tensor<24xf32>
  %1 = "tcc.mul"(%g, %r) : (tensor<24xf32>, tensor<f32>) -> tensor<24xf32>
  %2 = "tcc.sub"(%p, %1) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
  return %2, %0 : tensor<24xf32>, tensor<24xf32>
}
func.func private @update(%p: tensor<24xf32>, %g: tensor<24xf32>, %r: tensor<f32>) -> (tensor<24xf32>, tensor<24xf32>) {
  %0:2 = func.call @l(%r, %g, %p) {tcc.why = ["c", "d"]} : (tensor<f32>, tensor<24xf32>, tensor<24xf32>) -> (tensor<24xf32>, tensor<24xf32>)
  return %0#0, %0#1 : tensor<24xf32>, tensor<24xf32>
}
func.func @main(%a: tensor<8x8xf32>, %g: tensor<8x8xf32>, %b: tensor<24xf32>, %h: tensor<24xf32>, %c: tensor<24xf32>, %i: tensor<24xf32>, %r: tensor<f32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>) {
  %0:2 = func.call @k(%a, %g, %r) {tcc.why = ["a", "b"]} : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<f32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  %1:2 = func.call @update(%b, %h, %r) : (tensor<24xf32>, tensor<24xf32>, tensor<f32>) -> (tensor<24xf32>, tensor<24xf32>)
  %2:2 = func.call @update(%c, %i, %r) : (tensor<24xf32>, tensor<24xf32>, tensor<f32>) -> (tensor<24xf32>, tensor<24xf32>)
  return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>
}

// -----
// What is made behind the first one is a group of its own; of weights alone nothing is joined.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: "tcc.weight"
// CHECK-NEXT: call @scale(%0, %arg2)
// CHECK-NEXT: call @scale(%0, %arg3)
// CHECK-NEXT: call @layer(%arg0)
// CHECK-NEXT: call @half(%arg2)
// CHECK-NEXT: call @scale_x2(%{{.*}}#0, %arg2, %{{.*}}#1, %4)
// CHECK-NEXT: call @layer(%{{.*}}#0)
// CHECK-NEXT: call @scale_x2(%{{.*}}#0, %arg2, %{{.*}}#1, %4)
// CHECK-NEXT: return
func.func private @scale(%x: tensor<16xf32>, %r: tensor<1xf32>) -> tensor<16xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.mul"(%x, %r) : (tensor<16xf32>, tensor<1xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
func.func private @half(%r: tensor<1xf32>) -> tensor<1xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.mul"(%r, %r) : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}
func.func private @layer(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) attributes {tcc.kernel = "map"} {
  %0 = "tcc.transpose"(%x) {perm = array<i64: 0>} : (tensor<16xf32>) -> tensor<16xf32>
  %1 = "tcc.neg"(%0) : (tensor<16xf32>) -> tensor<16xf32>
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>, %r: tensor<1xf32>, %s: tensor<1xf32> {tcc.static}) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 64 : i64} : () -> tensor<16xf32>
  %a = func.call @scale(%w, %r) : (tensor<16xf32>, tensor<1xf32>) -> tensor<16xf32>
  %b = func.call @scale(%w, %s) : (tensor<16xf32>, tensor<1xf32>) -> tensor<16xf32>
  %0:2 = func.call @layer(%x) : (tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
  %h = func.call @half(%r) : (tensor<1xf32>) -> tensor<1xf32>
  %1 = func.call @scale(%0#0, %r) : (tensor<16xf32>, tensor<1xf32>) -> tensor<16xf32>
  %2:2 = func.call @layer(%0#0) : (tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
  %3 = func.call @scale(%0#1, %h) : (tensor<16xf32>, tensor<1xf32>) -> tensor<16xf32>
  %4 = func.call @scale(%2#0, %r) : (tensor<16xf32>, tensor<1xf32>) -> tensor<16xf32>
  %5 = func.call @scale(%2#1, %h) : (tensor<16xf32>, tensor<1xf32>) -> tensor<16xf32>
  return %1, %3, %4, %5, %a, %b : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}

// -----
// What stays apart: another function of the elements, another type, views, rows of a matrix beside it, sizes that are no multiples of 8 beside some
// that are, sizes that are not known, a tensor that somebody reads before it may be written over, another way to round.
// CHECK-NOT: _x2(
// CHECK-LABEL: func.func @main
// CHECK-COUNT-9: call @
// CHECK-NEXT: return
func.func private @add(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.add"(%x, %y) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
func.func private @sub(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.sub"(%x, %y) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
func.func private @eager(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> attributes {tcc.kernel = "map", tcc.numerics = "eager"} {
  %0 = "tcc.add"(%x, %y) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
func.func private @same(%x: tensor<16xf32>) -> tensor<16xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.add"(%x, %x) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
func.func private @narrow(%x: tensor<16xf16>, %y: tensor<16xf16>) -> tensor<16xf16> attributes {tcc.kernel = "map"} {
  %0 = "tcc.add"(%x, %y) : (tensor<16xf16>, tensor<16xf16>) -> tensor<16xf16>
  return %0 : tensor<16xf16>
}
func.func private @odd(%x: tensor<15xf32>, %y: tensor<15xf32>) -> tensor<15xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.add"(%x, %y) : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xf32>
  return %0 : tensor<15xf32>
}
func.func private @rows(%x: tensor<4x16xf32>, %y: tensor<16xf32>) -> tensor<4x16xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.add"(%x, %y) : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}
func.func private @any(%x: tensor<?xf32, ["N"]>, %y: tensor<?xf32, ["N"]>) -> tensor<?xf32, ["N"]> attributes {tcc.kernel = "map"} {
  %0 = "tcc.add"(%x, %y) : (tensor<?xf32, ["N"]>, tensor<?xf32, ["N"]>) -> tensor<?xf32, ["N"]>
  return %0 : tensor<?xf32, ["N"]>
}
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>, %h: tensor<16xf16>, %o: tensor<15xf32>, %m: tensor<4x16xf32>, %n: tensor<?xf32, ["N"]>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf16>, tensor<15xf32>, tensor<4x16xf32>, tensor<?xf32, ["N"]>, tensor<16xf32>) {
  %0 = func.call @add(%x, %x) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %1 = func.call @sub(%x, %y) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %2 = func.call @eager(%x, %y) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %3 = func.call @same(%x) : (tensor<16xf32>) -> tensor<16xf32>
  %4 = func.call @narrow(%h, %h) : (tensor<16xf16>, tensor<16xf16>) -> tensor<16xf16>
  %5 = func.call @odd(%o, %o) : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xf32>
  %6 = func.call @rows(%m, %x) : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %7 = func.call @any(%n, %n) : (tensor<?xf32, ["N"]>, tensor<?xf32, ["N"]>) -> tensor<?xf32, ["N"]>
  %8 = func.call @add(%y, %y) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf16>, tensor<15xf32>, tensor<4x16xf32>, tensor<?xf32, ["N"]>, tensor<16xf32>
}

// -----
// Small ones wait for the last of them; large ones do not, for what they read would live as long. What is computed again stays where it is.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: call @layer(
// CHECK-NEXT: call @large_layer(
// CHECK-NEXT: call @small(%arg0)
// CHECK-NEXT: call @layer(
// CHECK-NEXT: call @large_layer(
// CHECK-NEXT: call @small(%arg0)
// CHECK-NEXT: call @update_x2(
// CHECK-NEXT: call @large(
// CHECK-NEXT: call @large(
// CHECK-NEXT: return
func.func private @layer(%x: tensor<16xf32>) -> tensor<16xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.exp"(%x) : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
func.func private @large_layer(%x: tensor<16777216xf32>) -> tensor<16777216xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.tanh"(%x) : (tensor<16777216xf32>) -> tensor<16777216xf32>
  return %0 : tensor<16777216xf32>
}
func.func private @small(%x: tensor<16xf32>) -> tensor<16xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.neg"(%x) : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
func.func private @update(%x: tensor<16xf32>, %g: tensor<16xf32>) -> tensor<16xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.sub"(%x, %g) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
func.func private @large(%x: tensor<16777216xf32>, %g: tensor<16777216xf32>) -> tensor<16777216xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.mul"(%x, %g) : (tensor<16777216xf32>, tensor<16777216xf32>) -> tensor<16777216xf32>
  return %0 : tensor<16777216xf32>
}
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>, %a: tensor<16777216xf32>, %b: tensor<16777216xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16777216xf32>, tensor<16777216xf32>, tensor<16xf32>, tensor<16xf32>) {
  %0 = func.call @layer(%x) : (tensor<16xf32>) -> tensor<16xf32>
  %1 = func.call @large_layer(%a) : (tensor<16777216xf32>) -> tensor<16777216xf32>
  %2 = func.call @small(%x) : (tensor<16xf32>) -> tensor<16xf32>
  %3 = func.call @layer(%0) : (tensor<16xf32>) -> tensor<16xf32>
  %4 = func.call @large_layer(%1) : (tensor<16777216xf32>) -> tensor<16777216xf32>
  %5 = func.call @small(%x) : (tensor<16xf32>) -> tensor<16xf32>
  %6 = func.call @update(%x, %0) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %7 = func.call @large(%a, %1) : (tensor<16777216xf32>, tensor<16777216xf32>) -> tensor<16777216xf32>
  %8 = func.call @update(%y, %3) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %9 = func.call @large(%b, %4) : (tensor<16777216xf32>, tensor<16777216xf32>) -> tensor<16777216xf32>
  return %6, %8, %7, %9, %2, %5 : tensor<16xf32>, tensor<16xf32>, tensor<16777216xf32>, tensor<16777216xf32>, tensor<16xf32>, tensor<16xf32>
}

// -----

// An unknown size is taken for a likely one.
// CHECK-LABEL: func.func @unknown
func.func @unknown(%x: tensor<?xf32>) -> tensor<f32> {
  %0 = "tcc.exp"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = "tcc.reduce"(%0) {kind = "sum", axes = array<i64: 0>, keepdims = false} : (tensor<?xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// Counters, of one element each, are one launch; longer ones are another one, since code for one element has no index.
// CHECK: func.func private @count_x2(%arg0: tensor<i64>, %arg1: tensor<1xi64>)
// CHECK: func.func private @counts(
// CHECK-LABEL: func.func @main
// CHECK-NEXT: call @count_x2(%arg0, %arg1)
// CHECK-NEXT: call @counts(%arg2)
func.func private @count(%x: tensor<i64>) -> tensor<i64> attributes {tcc.kernel = "map"} {
  %0 = "tcc.neg"(%x) : (tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}
func.func private @other(%x: tensor<1xi64>) -> tensor<1xi64> attributes {tcc.kernel = "map"} {
  %0 = "tcc.neg"(%x) : (tensor<1xi64>) -> tensor<1xi64>
  return %0 : tensor<1xi64>
}
func.func private @counts(%x: tensor<5xi64>) -> tensor<5xi64> attributes {tcc.kernel = "map"} {
  %0 = "tcc.neg"(%x) : (tensor<5xi64>) -> tensor<5xi64>
  return %0 : tensor<5xi64>
}
func.func @main(%x: tensor<i64>, %y: tensor<1xi64>, %z: tensor<5xi64>) -> (tensor<i64>, tensor<1xi64>, tensor<5xi64>) {
  %0 = func.call @count(%x) : (tensor<i64>) -> tensor<i64>
  %1 = func.call @other(%y) : (tensor<1xi64>) -> tensor<1xi64>
  %2 = func.call @counts(%z) : (tensor<5xi64>) -> tensor<5xi64>
  return %0, %1, %2 : tensor<i64>, tensor<1xi64>, tensor<5xi64>
}
