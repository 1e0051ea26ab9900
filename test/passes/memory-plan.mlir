// RUN: tcc-opt %s --tcc-memory-plan --verify-each | FileCheck %s

// CHECK: func.func @main
// Weights are never dead; an argument may be one that a result is tied to, or a caller's buffer.
// CHECK: %[[A:.*]] = call @add(%arg0, %[[W:.*]]) {tcc.inplace = array<i64: 0, 0>}
// CHECK: %[[B:.*]] = call @add(%[[A]], %[[W]]) : (
// Both are read for the last time, and an elementwise kernel may write over either of them.
// CHECK: %[[C:.*]] = call @add(%[[B]], %[[A]]) {tcc.inplace = array<i64: 0, 0, 1, 0>}
// A reshape is an alias: its source is read again further down.
// CHECK: %[[VIEW:.*]] = "tcc.reshape"(%[[C]])
// CHECK: %[[FLIP:.*]] = call @flip(%[[VIEW]]) : (
// A reduction does not read where it writes.
// CHECK: call @sum(%[[C]]) : (
func.func private @add(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.add"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @flip(%a: tensor<2x2xf32>) -> tensor<2x2xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.transpose"(%a) {perm = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
func.func private @sum(%a: tensor<4xf32>) -> tensor<f32> attributes {tcc.kernel = "row"} {
  %0 = "tcc.reduce"(%a) {kind = "sum", axes = array<i64: 0>, keepdims = false} : (tensor<4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @main(%x: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  %w = "tcc.weight"() {name = "w", source = 0, offset = 0, length = 16} : () -> tensor<4xf32>
  %0 = call @add(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = call @add(%0, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = call @add(%1, %0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = "tcc.reshape"(%2) : (tensor<4xf32>) -> tensor<2x2xf32>
  %4 = call @flip(%3) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %5 = call @sum(%2) : (tensor<4xf32>) -> tensor<f32>
  %6 = "tcc.reshape"(%4) : (tensor<2x2xf32>) -> tensor<4xf32>
  return %5, %6 : tensor<f32>, tensor<4xf32>
}

// What a join puts together is not dead behind it; a part keeps its operand alive, and both are one buffer.
// CHECK: func.func @pieces
// CHECK: %[[P:.*]] = call @add(%arg0, %arg1) {tcc.inplace = array<i64: 0, 0>} : (
// CHECK: %[[Q:.*]] = call @add(%[[P]], %arg1) {tcc.inplace = array<i64: 1, 0>} : (
// CHECK: %[[J:.*]] = call @join(%[[P]], %[[Q]]) : (
// CHECK: %[[R:.*]] = call @add(%[[P]], %[[Q]]) : (
// CHECK: %[[H:.*]] = call @half(%[[J]]) : (
// CHECK: %[[S:.*]] = call @add(%[[H]], %[[R]]) {tcc.inplace = array<i64: 1, 0>} : (
// CHECK: call @sum8(%[[J]]) : (
func.func private @join(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<8xf32> attributes {tcc.kernel = "concat"} {
  %0 = "tcc.concat"(%a, %b) {axis = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @half(%a: tensor<8xf32>) -> tensor<4xf32> attributes {tcc.kernel = "slice"} {
  %0 = "tcc.slice"(%a) {starts = ["4"], steps = array<i64: 1>} : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @sum8(%a: tensor<8xf32>) -> tensor<f32> attributes {tcc.kernel = "row"} {
  %0 = "tcc.reduce"(%a) {kind = "sum", axes = array<i64: 0>, keepdims = false} : (tensor<8xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @pieces(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
  %0 = call @add(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = call @add(%0, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = call @join(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %3 = call @add(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = call @half(%2) : (tensor<8xf32>) -> tensor<4xf32>
  %5 = call @add(%4, %3) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = call @sum8(%2) : (tensor<8xf32>) -> tensor<f32>
  return %5, %6 : tensor<4xf32>, tensor<f32>
}

// CHECK: func.func @several
// One kernel may write each of its results over each operand of their type that it reads at their index: not the row that is broadcast, nor
// what is turned, although its type is that of the results.
// CHECK: call @both(%arg0, %arg1, %arg2) {tcc.inplace = array<i64: 0, 0, 0, 1>}
func.func private @both(%a: tensor<4x4xf32>, %row: tensor<1x4xf32>, %t: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
    attributes {tcc.kernel = "map"} {
  %0 = "tcc.add"(%a, %row) : (tensor<4x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
  %1 = "tcc.convert"(%t) {saturate = true} : (tensor<4x4xf32>) -> tensor<4x4xf64>
  %2 = "tcc.transpose"(%1) {perm = array<i64: 1, 0>} : (tensor<4x4xf64>) -> tensor<4x4xf64>
  %3 = "tcc.convert"(%2) {saturate = true} : (tensor<4x4xf64>) -> tensor<4x4xf32>
  %4 = "tcc.mul"(%0, %3) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %4 : tensor<4x4xf32>, tensor<4x4xf32>
}
func.func @several(%x: tensor<4x4xf32>, %row: tensor<1x4xf32>, %t: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0:2 = call @both(%x, %row, %t) : (tensor<4x4xf32>, tensor<1x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
  return %0#0, %0#1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// A scatter may write its updates into what it scatters into; not into that which is a constant, read again, or its updates as well.
// CHECK: func.func @scatters
// CHECK: %[[U:.*]] = call @put(%arg0, %arg1, %arg2) {tcc.inplace = array<i64: 0, 0>} : (
// CHECK: %[[V:.*]] = call @put(%[[U]], %arg1, %[[U]]) : (
// CHECK: call @into_constant(%arg1, %[[V]]) : (
func.func private @put(%x: tensor<4xf32>, %i: tensor<4xi64>, %u: tensor<4xf32>) -> tensor<4xf32> attributes {tcc.kernel = "scatter"} {
  %0 = "tcc.scatter_elements"(%x, %i, %u) {axis = 0 : i64} : (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @into_constant(%i: tensor<4xi64>, %u: tensor<4xf32>) -> tensor<4xf32> attributes {tcc.kernel = "scatter"} {
  %c = "tcc.constant"() {value = dense<0.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %0 = "tcc.scatter_elements"(%c, %i, %u) {axis = 0 : i64} : (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @scatters(%x: tensor<4xf32>, %i: tensor<4xi64>, %u: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @put(%x, %i, %u) : (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4xf32>
  %1 = call @put(%0, %i, %0) : (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4xf32>
  %2 = call @into_constant(%i, %1) : (tensor<4xi64>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// Members are done at any time of each other: each writes over what it alone reads, the scalar and what both read stay.
// CHECK: func.func @members
// CHECK-NEXT: call @twice(%arg0, %arg1, %arg2, %arg3) {tcc.inplace = array<i64: 0, 0, 0, 1, 2, 2, 2, 3>}
func.func private @twice(%x: tensor<4xf32>, %both: tensor<4xf32>, %y: tensor<4xf32>, %s: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {tcc.kernel = "map", tcc.members = 2 : i64} {
  %0 = "tcc.mul"(%x, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = "tcc.add"(%0, %both) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = "tcc.mul"(%y, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = "tcc.add"(%2, %both) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
func.func @members(%x: tensor<4xf32>, %both: tensor<4xf32>, %y: tensor<4xf32>, %s: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0:4 = call @twice(%x, %both, %y, %s) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// What updates a part of what it takes over moves behind those that read the whole, if nobody reads its result before; a row of a stack, too.
// CHECK: func.func @behind_readers
// CHECK-NEXT: call @map(%arg0)
// CHECK-NEXT: %[[S:.*]] = call @put(%arg0, %arg1, %arg2) {tcc.inplace = array<i64: 0, 0>}
// CHECK: %[[T:.*]] = call @put(%[[S]], %arg1, %arg2) : (
// CHECK-NEXT: call @both_read(%[[S]], %[[T]])
func.func private @map(%x: tensor<4xf32>) -> tensor<2xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.slice"(%x) {starts = [0], steps = array<i64: 2>} : (tensor<4xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @both_read(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<2xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.add"(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "tcc.slice"(%0) {starts = [0], steps = array<i64: 2>} : (tensor<4xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
func.func @behind_readers(%x: tensor<4xf32>, %i: tensor<4xi64>, %u: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = call @put(%x, %i, %u) : (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4xf32>
  %1 = call @map(%x) : (tensor<4xf32>) -> tensor<2xf32>
  %2 = call @put(%0, %i, %u) : (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4xf32>
  %3 = call @both_read(%0, %2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<2xf32>
  return %1, %3 : tensor<2xf32>, tensor<2xf32>
}

// A step of counters, arguments alone of which results of the function are made, moves behind the readers of all of them; not where a reader comes behind
// what it makes, or somebody waits for it.
// CHECK: func.func @counters
// CHECK-NEXT: call @both_counts(%arg0, %arg1)
// CHECK-NEXT: call @count_twice(%arg0, %arg1) {tcc.inplace = array<i64: 0, 0, 1, 1>}
// CHECK: func.func @counter_that_is_read
// CHECK-NEXT: %[[C:.*]] = call @count(%arg0) : (
// CHECK-NEXT: call @both_counts(%arg0, %[[C]])
func.func private @count(%x: tensor<i64>) -> tensor<i64> attributes {tcc.kernel = "map"} {
  %0 = "tcc.neg"(%x) : (tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}
func.func private @count_twice(%x: tensor<i64>, %y: tensor<i64>) -> (tensor<i64>, tensor<i64>) attributes {tcc.kernel = "map", tcc.members = 2 : i64} {
  %0 = "tcc.neg"(%x) : (tensor<i64>) -> tensor<i64>
  %1 = "tcc.neg"(%y) : (tensor<i64>) -> tensor<i64>
  return %0, %1 : tensor<i64>, tensor<i64>
}
func.func private @both_counts(%x: tensor<i64>, %y: tensor<i64>) -> tensor<4xi64> attributes {tcc.kernel = "map"} {
  %0 = "tcc.add"(%x, %y) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %1 = "tcc.broadcast"(%0) : (tensor<i64>) -> tensor<4xi64>
  return %1 : tensor<4xi64>
}
func.func @counters(%x: tensor<i64>, %y: tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<4xi64>) {
  %0:2 = call @count_twice(%x, %y) : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>)
  %1 = call @both_counts(%x, %y) : (tensor<i64>, tensor<i64>) -> tensor<4xi64>
  return %0#0, %0#1, %1 : tensor<i64>, tensor<i64>, tensor<4xi64>
}
func.func @counter_that_is_read(%x: tensor<i64>) -> (tensor<i64>, tensor<4xi64>) {
  %0 = call @count(%x) : (tensor<i64>) -> tensor<i64>
  %1 = call @both_counts(%x, %0) : (tensor<i64>, tensor<i64>) -> tensor<4xi64>
  return %0, %1 : tensor<i64>, tensor<4xi64>
}

// Scatters in one kernel: each into what it alone reads; not into what the other one takes its updates from, nor into what both begin with.
// CHECK: func.func @twins
// CHECK: call @put_both({{.*}}tcc.inplace = array<i64: 0, 0, 3, 1>
// CHECK: call @put_crossed(
// CHECK-SAME: tcc.inplace = array<i64: 0, 0>
// CHECK: call @put_forked(
// CHECK-NOT: tcc.inplace
// CHECK: return
func.func private @put_both(%x: tensor<4xf32>, %i: tensor<4xi64>, %u: tensor<4xf32>, %y: tensor<4xf32>, %v: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {tcc.kernel = "scatter"} {
  %0 = "tcc.scatter_elements"(%x, %i, %u) {axis = 0 : i64} : (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "tcc.scatter_elements"(%y, %i, %v) {axis = 0 : i64} : (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
func.func private @put_crossed(%x: tensor<4xf32>, %i: tensor<4xi64>, %y: tensor<4xf32>, %v: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {tcc.kernel = "scatter"} {
  %0 = "tcc.scatter_elements"(%x, %i, %y) {axis = 0 : i64} : (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "tcc.scatter_elements"(%y, %i, %v) {axis = 0 : i64} : (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
func.func private @put_forked(%x: tensor<4xf32>, %i: tensor<4xi64>, %u: tensor<4xf32>, %v: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {tcc.kernel = "scatter"} {
  %0 = "tcc.scatter_elements"(%x, %i, %u) {axis = 0 : i64} : (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "tcc.scatter_elements"(%x, %i, %v) {axis = 0 : i64} : (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
func.func @twins(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: tensor<4xi64>, %u: tensor<4xf32>, %v: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = func.call @put_both(%x, %i, %u, %y, %v) : (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %1:2 = func.call @put_crossed(%0#0, %i, %0#1, %v) : (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %2:2 = func.call @put_forked(%1#0, %i, %1#1, %v) : (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %2#0, %2#1 : tensor<4xf32>, tensor<4xf32>
}
