// Small map kernels that stand beside each other, or share an operand, are one kernel of as many nests.
// RUN: tcc-opt %s --split-input-file --target=nvptx,sm_90a --tcc-group-siblings --verify-each | FileCheck %s
// RUN: tcc-opt %s --split-input-file --target=nvptx,sm_90a --tcc-group-siblings | tcc-opt --split-input-file --target=nvptx,sm_90a --tcc-group-siblings | FileCheck %s

// CHECK: func.func private @wide_x2(%[[A:.*]]: tensor<8x64xf32>, %[[C:.*]]: tensor<64xf32>, %[[B:.*]]: tensor<2x64xf32>) -> (tensor<8x64xf32>, tensor<2x64xf32>) attributes {tcc.kernel = "map"}
// CHECK-NEXT: %[[P:.*]] = "tcc.mul"(%[[A]], %[[C]])
// CHECK-NEXT: %[[Q:.*]] = "tcc.mul"(%[[B]], %[[C]])
// CHECK-NEXT: return %[[P]], %[[Q]]
// CHECK-NOT: func.func private @narrow
// CHECK-LABEL: func.func @main
// CHECK-NEXT: call @wide_x2(%arg0, %arg1, %arg2)
// CHECK-NEXT: return
func.func private @wide(%x: tensor<8x64xf32>, %c: tensor<64xf32>) -> tensor<8x64xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.mul"(%x, %c) : (tensor<8x64xf32>, tensor<64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}
func.func private @narrow(%x: tensor<2x64xf32>, %c: tensor<64xf32>) -> tensor<2x64xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.mul"(%x, %c) : (tensor<2x64xf32>, tensor<64xf32>) -> tensor<2x64xf32>
  return %0 : tensor<2x64xf32>
}
func.func @main(%q: tensor<8x64xf32>, %c: tensor<64xf32>, %k: tensor<2x64xf32>) -> (tensor<8x64xf32>, tensor<2x64xf32>) {
  %0 = func.call @wide(%q, %c) : (tensor<8x64xf32>, tensor<64xf32>) -> tensor<8x64xf32>
  %1 = func.call @narrow(%k, %c) : (tensor<2x64xf32>, tensor<64xf32>) -> tensor<2x64xf32>
  return %0, %1 : tensor<8x64xf32>, tensor<2x64xf32>
}

// -----

// One that reads the other's result; one that reads something else and stands behind another call; one whose operand somebody reads between the two; numerics that differ; many elements; sizes that are not
// known; and what is turned through tiles.
// CHECK-NOT: _x2
func.func private @half(%x: tensor<64xf32>, %c: tensor<64xf32>) -> tensor<64xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.mul"(%x, %c) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
func.func private @exact(%x: tensor<64xf32>, %c: tensor<64xf32>) -> tensor<64xf32> attributes {tcc.kernel = "map", tcc.numerics = "direct"} {
  %0 = "tcc.mul"(%x, %c) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
func.func private @sum(%x: tensor<64xf32>) -> tensor<1xf32> attributes {tcc.kernel = "row"} {
  %0 = "tcc.reduce"(%x) {axes = array<i64: 0>, keepdims = true, kind = "sum"} : (tensor<64xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}
func.func private @large(%x: tensor<1024x512xf32>, %c: tensor<512xf32>) -> tensor<1024x512xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.mul"(%x, %c) : (tensor<1024x512xf32>, tensor<512xf32>) -> tensor<1024x512xf32>
  return %0 : tensor<1024x512xf32>
}
func.func private @unknown(%x: tensor<?x512xf32, ["N", 512]>, %c: tensor<512xf32>) -> tensor<?x512xf32, ["N", 512]> attributes {tcc.kernel = "map"} {
  %0 = "tcc.mul"(%x, %c) : (tensor<?x512xf32, ["N", 512]>, tensor<512xf32>) -> tensor<?x512xf32, ["N", 512]>
  return %0 : tensor<?x512xf32, ["N", 512]>
}
func.func private @turned(%x: tensor<64x128xf32>) -> tensor<128x64xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.transpose"(%x) {perm = array<i64: 1, 0>} : (tensor<64x128xf32>) -> tensor<128x64xf32>
  return %0 : tensor<128x64xf32>
}
func.func @main(%a: tensor<64xf32>, %b: tensor<64xf32>, %c: tensor<64xf32>, %d: tensor<64xf32>, %x: tensor<1024x512xf32>, %y: tensor<512xf32>, %z: tensor<?x512xf32, ["N", 512]>, %t: tensor<64x128xf32>) -> (tensor<64xf32>, tensor<1xf32>, tensor<64xf32>, tensor<64xf32>, tensor<1xf32>, tensor<64xf32>, tensor<64xf32>, tensor<1024x512xf32>, tensor<?x512xf32, ["N", 512]>, tensor<128x64xf32>, tensor<128x64xf32>) {
  %0 = func.call @half(%a, %b) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %1 = func.call @half(%0, %b) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %s = func.call @sum(%b) : (tensor<64xf32>) -> tensor<1xf32>
  %2 = func.call @half(%c, %d) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %3 = func.call @sum(%d) : (tensor<64xf32>) -> tensor<1xf32>
  %4 = func.call @half(%a, %d) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %5 = func.call @exact(%c, %a) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %6 = func.call @large(%x, %y) : (tensor<1024x512xf32>, tensor<512xf32>) -> tensor<1024x512xf32>
  %7 = func.call @unknown(%z, %y) : (tensor<?x512xf32, ["N", 512]>, tensor<512xf32>) -> tensor<?x512xf32, ["N", 512]>
  %8 = func.call @turned(%t) : (tensor<64x128xf32>) -> tensor<128x64xf32>
  %9 = func.call @turned(%t) : (tensor<64x128xf32>) -> tensor<128x64xf32>
  return %1, %s, %2, %4, %3, %5, %0, %6, %7, %8, %9 : tensor<64xf32>, tensor<1xf32>, tensor<64xf32>, tensor<64xf32>, tensor<1xf32>, tensor<64xf32>, tensor<64xf32>, tensor<1024x512xf32>, tensor<?x512xf32, ["N", 512]>, tensor<128x64xf32>, tensor<128x64xf32>
}

// -----

// Beside each other: three that read nothing in common, of which the last one stands behind a weight and a view.
// CHECK-LABEL: func.func private @twice_x3(
// CHECK: func.func @main
// CHECK-NEXT: "tcc.reshape"(%arg4)
// CHECK-NEXT: %[[R:.*]]:3 = call @twice_x3(%arg0, %arg1, %arg2, %{{.*}})
// CHECK-NEXT: "tcc.reshape"(%[[R]]#0)
// CHECK-NEXT: return {{.*}}%[[R]]#1, %[[R]]#2
func.func private @twice(%x: tensor<64xf32>) -> tensor<64xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.add"(%x, %x) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
func.func private @index(%i: tensor<i64>) -> tensor<2x64xi64> attributes {tcc.kernel = "map"} {
  %0 = "tcc.broadcast"(%i) : (tensor<i64>) -> tensor<2x64xi64>
  return %0 : tensor<2x64xi64>
}
func.func private @scaled(%x: tensor<2x64xf32>, %y: tensor<2x64xf32>) -> tensor<2x64xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.mul"(%x, %y) : (tensor<2x64xf32>, tensor<2x64xf32>) -> tensor<2x64xf32>
  return %0 : tensor<2x64xf32>
}
func.func @main(%x: tensor<64xf32>, %i: tensor<i64>, %y: tensor<2x64xf32>, %v: tensor<2x64xf32>, %z: tensor<128xf32>) -> (tensor<1x64xf32>, tensor<2x64xi64>, tensor<2x64xf32>) {
  %0 = func.call @twice(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1 = "tcc.reshape"(%0) : (tensor<64xf32>) -> tensor<1x64xf32>
  %2 = func.call @index(%i) : (tensor<i64>) -> tensor<2x64xi64>
  %3 = "tcc.reshape"(%z) : (tensor<128xf32>) -> tensor<2x64xf32>
  %4 = func.call @scaled(%y, %3) : (tensor<2x64xf32>, tensor<2x64xf32>) -> tensor<2x64xf32>
  return %1, %2, %4 : tensor<1x64xf32>, tensor<2x64xi64>, tensor<2x64xf32>
}

// -----

// Two scatters alike of one index, beside each other; not with a third behind another call, nor one of another index.
// CHECK-LABEL: func.func private @put_x2(
// CHECK-SAME: %[[A:.*]]: tensor<2x8x4xf32>, %[[I:.*]]: tensor<2x1x4xi64>, %[[U:.*]]: tensor<2x1x4xf32>, %[[B:.*]]: tensor<2x8x4xf32>, %[[V:.*]]: tensor<2x1x4xf32>) -> (tensor<2x8x4xf32>, tensor<2x8x4xf32>) attributes {tcc.kernel = "scatter"}
// CHECK-NEXT: "tcc.scatter_elements"(%[[A]], %[[I]], %[[U]])
// CHECK-NEXT: "tcc.scatter_elements"(%[[B]], %[[I]], %[[V]])
// CHECK: func.func @main
// CHECK-NEXT: %[[R:.*]]:2 = call @put_x2(%arg0, %arg1, %arg2, %arg3, %arg4)
// CHECK-NEXT: call @put(%arg5, %arg6, %arg2)
// CHECK-NEXT: call @total(%[[R]]#0)
// CHECK-NEXT: call @put(%arg5, %arg6, %arg4)
func.func private @put(%x: tensor<2x8x4xf32>, %i: tensor<2x1x4xi64>, %u: tensor<2x1x4xf32>) -> tensor<2x8x4xf32> attributes {tcc.kernel = "scatter"} {
  %0 = "tcc.scatter_elements"(%x, %i, %u) {axis = 1 : i64} : (tensor<2x8x4xf32>, tensor<2x1x4xi64>, tensor<2x1x4xf32>) -> tensor<2x8x4xf32>
  return %0 : tensor<2x8x4xf32>
}
func.func private @total(%x: tensor<2x8x4xf32>) -> tensor<2x8x1xf32> attributes {tcc.kernel = "row"} {
  %0 = "tcc.reduce"(%x) {axes = array<i64: 2>, keepdims = true, kind = "sum"} : (tensor<2x8x4xf32>) -> tensor<2x8x1xf32>
  return %0 : tensor<2x8x1xf32>
}
func.func @main(%a: tensor<2x8x4xf32>, %i: tensor<2x1x4xi64>, %u: tensor<2x1x4xf32>, %b: tensor<2x8x4xf32>, %v: tensor<2x1x4xf32>, %c: tensor<2x8x4xf32>, %j: tensor<2x1x4xi64>) -> (tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x1xf32>, tensor<2x8x4xf32>) {
  %0 = func.call @put(%a, %i, %u) : (tensor<2x8x4xf32>, tensor<2x1x4xi64>, tensor<2x1x4xf32>) -> tensor<2x8x4xf32>
  %1 = func.call @put(%b, %i, %v) : (tensor<2x8x4xf32>, tensor<2x1x4xi64>, tensor<2x1x4xf32>) -> tensor<2x8x4xf32>
  %2 = func.call @put(%c, %j, %u) : (tensor<2x8x4xf32>, tensor<2x1x4xi64>, tensor<2x1x4xf32>) -> tensor<2x8x4xf32>
  %3 = func.call @total(%0) : (tensor<2x8x4xf32>) -> tensor<2x8x1xf32>
  %4 = func.call @put(%c, %j, %v) : (tensor<2x8x4xf32>, tensor<2x1x4xi64>, tensor<2x1x4xf32>) -> tensor<2x8x4xf32>
  return %0, %1, %2, %3, %4 : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x1xf32>, tensor<2x8x4xf32>
}
