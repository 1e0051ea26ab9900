// RUN: tcc-opt --split-input-file --tcc-verify %s | FileCheck %s
// RUN: tcc-opt --split-input-file --tcc-verify %s | tcc-opt --split-input-file --tcc-verify | FileCheck %s
// RUN: tcc-opt --split-input-file --tcc-infer-shapes %s | FileCheck %s

// What the rules ask of sizes and cannot decide becomes the module's constraints, each once, and no others.
// CHECK: module attributes {tcc.constraint_origins = ["tcc.scatter_elements", "tcc.scatter_elements", "tcc.topk", "tcc.slice"],
// CHECK-SAME: tcc.constraints = ["a - c", "b - min(c*d, 1)", "b - 5", "b - 6"]}
module {
  func.func @main(%x: tensor<?x?xf32, ["a", "b"]>, %i: tensor<?x?xi64, ["c", "d"]>, %u: tensor<?x?xf32, ["c", "d"]>)
      -> (tensor<?x?xf32, ["a", "b"]>, tensor<?x5xf32, ["a", 5]>, tensor<?x4xf32, ["a", 4]>) {
    %0 = "tcc.scatter_elements"(%x, %i, %u) {axis = 1 : i64} : (tensor<?x?xf32, ["a", "b"]>, tensor<?x?xi64, ["c", "d"]>, tensor<?x?xf32, ["c", "d"]>) -> tensor<?x?xf32, ["a", "b"]>
    %1 = "tcc.scatter_elements"(%0, %i, %u) {axis = 1 : i64} : (tensor<?x?xf32, ["a", "b"]>, tensor<?x?xi64, ["c", "d"]>, tensor<?x?xf32, ["c", "d"]>) -> tensor<?x?xf32, ["a", "b"]>
    %2:2 = "tcc.topk"(%x) {axis = 1 : i64, k = [5]} : (tensor<?x?xf32, ["a", "b"]>) -> (tensor<?x5xf32, ["a", 5]>, tensor<?x5xi64, ["a", 5]>)
    %3 = "tcc.slice"(%x) {starts = [0, 2], steps = array<i64: 1, 1>} : (tensor<?x?xf32, ["a", "b"]>) -> tensor<?x4xf32, ["a", 4]>
    %4 = "tcc.slice"(%3) {starts = [0, 1], steps = array<i64: 1, 1>} : (tensor<?x4xf32, ["a", 4]>) -> tensor<?x3xf32, ["a", 3]>
    return %1, %2#0, %3 : tensor<?x?xf32, ["a", "b"]>, tensor<?x5xf32, ["a", 5]>, tensor<?x4xf32, ["a", 4]>
  }
  // What main does not reach asks nothing.
  func.func private @unused(%x: tensor<?xf32, ["z"]>) -> tensor<7xf32> {
    %0 = "tcc.slice"(%x) {starts = [0], steps = array<i64: 1>} : (tensor<?xf32, ["z"]>) -> tensor<7xf32>
    return %0 : tensor<7xf32>
  }
}

// -----

// A loop without an iteration asks nothing of its body: a row of x there is one if there are T. The other table needs one if T is not 0.
// CHECK: module attributes {tcc.constraint_origins = ["tcc.gather"], tcc.constraints = ["max(-T, V - 1)"]}
module {
  func.func @main(%x: tensor<?x2xf32, ["T", 2]>, %t: tensor<?x2xf32, ["V", 2]>, %s: tensor<2xf32>) -> tensor<2xf32> {
    %zero = "tcc.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
    %0:2 = func.call @body(%s, %zero, %x, %t) {tcc.trips = ["T"]} : (tensor<2xf32>, tensor<i64>, tensor<?x2xf32, ["T", 2]>, tensor<?x2xf32, ["V", 2]>) -> (tensor<2xf32>, tensor<i64>)
    return %0#0 : tensor<2xf32>
  }
  func.func private @body(%s: tensor<2xf32>, %i: tensor<i64>, %x: tensor<?x2xf32, ["T", 2]>, %t: tensor<?x2xf32, ["V", 2]>) -> (tensor<2xf32>, tensor<i64>) {
    %one = "tcc.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
    %next = "tcc.add"(%i, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %row = "tcc.gather"(%x, %i) {axis = 0 : i64} : (tensor<?x2xf32, ["T", 2]>, tensor<i64>) -> tensor<2xf32>
    %other = "tcc.gather"(%t, %one) {axis = 0 : i64} : (tensor<?x2xf32, ["V", 2]>, tensor<i64>) -> tensor<2xf32>
    %0 = "tcc.add"(%s, %row) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %1 = "tcc.add"(%0, %other) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %1, %next : tensor<2xf32>, tensor<i64>
  }
}

// -----

// Known: parts of what is cut in two, an index of what has as many rows, a multiple.
// CHECK-NOT: tcc.constraints
// CHECK: func.func @main
module {
  func.func @main(%x: tensor<?x?x6xf32, ["2*a", "b", 6]>, %i: tensor<?x?xi64, ["2*a", "b"]>) -> tensor<?x?x?x6xf32, ["2*a", "b", "b", 6]> {
    %0 = "tcc.gather"(%x, %i) {axis = 0 : i64} : (tensor<?x?x6xf32, ["2*a", "b", 6]>, tensor<?x?xi64, ["2*a", "b"]>) -> tensor<?x?x?x6xf32, ["2*a", "b", "b", 6]>
    %1 = "tcc.slice"(%x) {starts = ["a", 0, 0], steps = array<i64: 1, 1, 1>} : (tensor<?x?x6xf32, ["2*a", "b", 6]>) -> tensor<?x?x6xf32, ["a", "b", 6]>
    return %0 : tensor<?x?x?x6xf32, ["2*a", "b", "b", 6]>
  }
}
