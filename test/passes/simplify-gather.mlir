// RUN: tcc-opt --tcc-simplify --verify-each --split-input-file %s | FileCheck %s

// Coordinates that count positions: the gather is the tensor itself, spread over the new axes.
// CHECK-LABEL: func.func @mask
// CHECK-NEXT: %[[R:.*]] = "tcc.reshape"(%arg0) : (tensor<?x?xi1, ["B", "S"]>) -> tensor<?x1x1x?xi1, ["B", 1, 1, "S"]>
// CHECK-NEXT: %[[B:.*]] = "tcc.broadcast"(%[[R]]) : {{.*}} -> tensor<?x1x4x?xi1, ["B", 1, 4, "S"]>
// CHECK-NEXT: return %[[B]]
func.func @mask(%x: tensor<?x?xi1, ["B", "S"]>) -> tensor<?x1x4x?xi1, ["B", 1, 4, "S"]> {
  %0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<?xi64, ["B"]>
  %1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<?xi64, ["S"]>
  %2 = "tcc.reshape"(%0) : (tensor<?xi64, ["B"]>) -> tensor<?x1x1x1xi64, ["B", 1, 1, 1]>
  %3 = "tcc.broadcast"(%2) : (tensor<?x1x1x1xi64, ["B", 1, 1, 1]>) -> tensor<?x1x4x?xi64, ["B", 1, 4, "S"]>
  %4 = "tcc.reshape"(%3) : (tensor<?x1x4x?xi64, ["B", 1, 4, "S"]>) -> tensor<?x1x4x?x1xi64, ["B", 1, 4, "S", 1]>
  %5 = "tcc.broadcast"(%1) : (tensor<?xi64, ["S"]>) -> tensor<?x1x4x?xi64, ["B", 1, 4, "S"]>
  %6 = "tcc.reshape"(%5) : (tensor<?x1x4x?xi64, ["B", 1, 4, "S"]>) -> tensor<?x1x4x?x1xi64, ["B", 1, 4, "S", 1]>
  %7 = "tcc.concat"(%4, %6) {axis = 4 : i64} : (tensor<?x1x4x?x1xi64, ["B", 1, 4, "S", 1]>, tensor<?x1x4x?x1xi64, ["B", 1, 4, "S", 1]>) -> tensor<?x1x4x?x2xi64, ["B", 1, 4, "S", 2]>
  %8 = "tcc.gather_nd"(%x, %7) {valid = "signed"} : (tensor<?x?xi1, ["B", "S"]>, tensor<?x1x4x?x2xi64, ["B", 1, 4, "S", 2]>) -> tensor<?x1x4x?xi1, ["B", 1, 4, "S"]>
  return %8 : tensor<?x1x4x?xi1, ["B", 1, 4, "S"]>
}

// -----

// The first number counts along the later axis: a transpose. What the tuple does not name stays behind.
// CHECK-LABEL: func.func @transposed
// CHECK-NEXT: %[[T:.*]] = "tcc.transpose"(%arg0) {perm = array<i64: 1, 0, 2>}
// CHECK-NEXT: return %[[T]]
func.func @transposed(%x: tensor<3x4x5xf32>) -> tensor<4x3x5xf32> {
  %0 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<4x3x1xi64>
  %1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<4x3x1xi64>
  %2 = "tcc.concat"(%0, %1) {axis = 2 : i64} : (tensor<4x3x1xi64>, tensor<4x3x1xi64>) -> tensor<4x3x2xi64>
  %3 = "tcc.gather_nd"(%x, %2) : (tensor<3x4x5xf32>, tensor<4x3x2xi64>) -> tensor<4x3x5xf32>
  return %3 : tensor<4x3x5xf32>
}

// -----

// A diagonal, a part of the positions, and a count behind a reshape that joins axes stay gathers.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: "tcc.gather_nd"
func.func @others(%x: tensor<4x4xf32>, %y: tensor<5x6xf32>) -> (tensor<4xf32>, tensor<5x3xf32>, tensor<30xf32>) {
  %0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<4x1xi64>
  %1 = "tcc.concat"(%0, %0) {axis = 1 : i64} : (tensor<4x1xi64>, tensor<4x1xi64>) -> tensor<4x2xi64>
  %2 = "tcc.gather_nd"(%x, %1) : (tensor<4x4xf32>, tensor<4x2xi64>) -> tensor<4xf32>
  %3 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<5x3x1xi64>
  %4 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<5x3x1xi64>
  %5 = "tcc.concat"(%3, %4) {axis = 2 : i64} : (tensor<5x3x1xi64>, tensor<5x3x1xi64>) -> tensor<5x3x2xi64>
  %6 = "tcc.gather_nd"(%y, %5) : (tensor<5x6xf32>, tensor<5x3x2xi64>) -> tensor<5x3xf32>
  %7 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<5x6xi64>
  %8 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<5x6xi64>
  %9 = "tcc.reshape"(%7) : (tensor<5x6xi64>) -> tensor<30x1xi64>
  %10 = "tcc.reshape"(%8) : (tensor<5x6xi64>) -> tensor<30x1xi64>
  %11 = "tcc.concat"(%9, %10) {axis = 1 : i64} : (tensor<30x1xi64>, tensor<30x1xi64>) -> tensor<30x2xi64>
  %12 = "tcc.gather_nd"(%y, %11) : (tensor<5x6xf32>, tensor<30x2xi64>) -> tensor<30xf32>
  return %2, %6, %12 : tensor<4xf32>, tensor<5x3xf32>, tensor<30xf32>
}

// -----

// Coordinates whose sizes were known are constants, spread by broadcasts; with one row, 0 counts along it.
// CHECK-LABEL: func.func @constant_positions
// CHECK-NEXT: %[[A:.*]] = "tcc.reshape"(%arg0) : (tensor<3x4xi1>) -> tensor<3x1x1x4xi1>
// CHECK-NEXT: %[[B:.*]] = "tcc.reshape"(%arg1) : (tensor<1x4xi1>) -> tensor<1x1x1x4xi1>
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @constant_positions(%x: tensor<3x4xi1>, %y: tensor<1x4xi1>) -> (tensor<3x1x1x4xi1>, tensor<1x1x1x4xi1>) {
  %b = "tcc.constant"() {value = dense<[[[[0]]], [[[1]]], [[[2]]]]> : tensor<3x1x1x1xi64>} : () -> tensor<3x1x1x1xi64>
  %s = "tcc.constant"() {value = dense<[[[[0, 1, 2, 3]]]]> : tensor<1x1x1x4xi64>} : () -> tensor<1x1x1x4xi64>
  %z = "tcc.constant"() {value = dense<0> : tensor<1x1x1x1x1xi64>} : () -> tensor<1x1x1x1x1xi64>
  %0 = "tcc.broadcast"(%b) : (tensor<3x1x1x1xi64>) -> tensor<3x1x1x4xi64>
  %1 = "tcc.reshape"(%0) : (tensor<3x1x1x4xi64>) -> tensor<3x1x1x4x1xi64>
  %2 = "tcc.broadcast"(%s) : (tensor<1x1x1x4xi64>) -> tensor<3x1x1x4xi64>
  %3 = "tcc.reshape"(%2) : (tensor<3x1x1x4xi64>) -> tensor<3x1x1x4x1xi64>
  %4 = "tcc.concat"(%1, %3) {axis = 4 : i64} : (tensor<3x1x1x4x1xi64>, tensor<3x1x1x4x1xi64>) -> tensor<3x1x1x4x2xi64>
  %5 = "tcc.gather_nd"(%x, %4) {batch_dims = 0 : i64} : (tensor<3x4xi1>, tensor<3x1x1x4x2xi64>) -> tensor<3x1x1x4xi1>
  %6 = "tcc.broadcast"(%z) : (tensor<1x1x1x1x1xi64>) -> tensor<1x1x1x4x1xi64>
  %7 = "tcc.reshape"(%s) : (tensor<1x1x1x4xi64>) -> tensor<1x1x1x4x1xi64>
  %8 = "tcc.concat"(%6, %7) {axis = 4 : i64} : (tensor<1x1x1x4x1xi64>, tensor<1x1x1x4x1xi64>) -> tensor<1x1x1x4x2xi64>
  %9 = "tcc.gather_nd"(%y, %8) {batch_dims = 0 : i64} : (tensor<1x4xi1>, tensor<1x1x1x4x2xi64>) -> tensor<1x1x1x4xi1>
  return %5, %9 : tensor<3x1x1x4xi1>, tensor<1x1x1x4xi1>
}

// -----

// Rows that a table of positions gives in their order are a slice of it; out of order, or past its end, they are not.
// CHECK-LABEL: func.func @table
// CHECK: %[[S:.*]] = "tcc.slice"(%arg0) {starts = [2, 0]
// CHECK: %[[R:.*]] = "tcc.reshape"(%[[S]]) : (tensor<3x4xf32>) -> tensor<1x3x4xf32>
// CHECK: "tcc.gather"
// CHECK: "tcc.gather"
// CHECK: return %[[R]]
func.func @table(%x: tensor<8x4xf32>) -> (tensor<1x3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  %i = "tcc.constant"() {value = dense<[[2, 3, 4]]> : tensor<1x3xi64>} : () -> tensor<1x3xi64>
  %j = "tcc.constant"() {value = dense<[2, 4, 3]> : tensor<3xi64>} : () -> tensor<3xi64>
  %k = "tcc.constant"() {value = dense<[6, 7, 8]> : tensor<3xi64>} : () -> tensor<3xi64>
  %r = "tcc.gather"(%x, %i) {axis = 0 : i64, valid = "signed"} : (tensor<8x4xf32>, tensor<1x3xi64>) -> tensor<1x3x4xf32>
  %s = "tcc.gather"(%x, %j) {axis = 0 : i64} : (tensor<8x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  %t = "tcc.gather"(%x, %k) {axis = 0 : i64} : (tensor<8x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  return %r, %s, %t : tensor<1x3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
}

// -----
// Of a difference one element of each line is read: it is made of these alone.
// CHECK-LABEL: @labels
// CHECK: %[[AT:.*]] = "tcc.gather_elements"(%arg0, %arg2) {axis = 1 : i64, valid = "unsigned"}
// CHECK: "tcc.sub"(%[[AT]], %arg1) : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
func.func @labels(%x: tensor<3x50xf32>, %m: tensor<3x1xf32>, %i: tensor<3x1xi64>) -> tensor<3x1xf32> {
  %0 = "tcc.sub"(%x, %m) : (tensor<3x50xf32>, tensor<3x1xf32>) -> tensor<3x50xf32>
  %1 = "tcc.gather_elements"(%0, %i) {axis = 1 : i64, valid = "unsigned"} : (tensor<3x50xf32>, tensor<3x1xi64>) -> tensor<3x1xf32>
  return %1 : tensor<3x1xf32>
}

// -----
// Two of each line, lines left out, or what is subtracted differs within a line: the difference stays.
// CHECK-LABEL: @stays
// CHECK-COUNT-2: "tcc.sub"({{.*}} -> tensor<3x50xf32>
// CHECK-NOT: tcc.sub
func.func @stays(%x: tensor<3x50xf32>, %m: tensor<3x1xf32>, %v: tensor<50xf32>, %i: tensor<3x2xi64>, %j: tensor<3x1xi64>, %k: tensor<2x1xi64>) -> (tensor<3x2xf32>, tensor<3x1xf32>, tensor<2x1xf32>) {
  %0 = "tcc.sub"(%x, %m) : (tensor<3x50xf32>, tensor<3x1xf32>) -> tensor<3x50xf32>
  %1 = "tcc.gather_elements"(%0, %i) {axis = 1 : i64} : (tensor<3x50xf32>, tensor<3x2xi64>) -> tensor<3x2xf32>
  %2 = "tcc.sub"(%x, %v) : (tensor<3x50xf32>, tensor<50xf32>) -> tensor<3x50xf32>
  %3 = "tcc.gather_elements"(%2, %j) {axis = 1 : i64} : (tensor<3x50xf32>, tensor<3x1xi64>) -> tensor<3x1xf32>
  %4 = "tcc.gather_elements"(%0, %k) {axis = 1 : i64} : (tensor<3x50xf32>, tensor<2x1xi64>) -> tensor<2x1xf32>
  return %1, %3, %4 : tensor<3x2xf32>, tensor<3x1xf32>, tensor<2x1xf32>
}

// -----

// An axis whose size nothing says is no count of constants.
// CHECK-LABEL: func.func @unknown
// CHECK: tcc.gather
func.func @unknown(%x: tensor<64x?xf32, [64, "?"]>, %at: tensor<80xi64>) -> tensor<64x80xf32> {
  %0 = "tcc.gather"(%x, %at) {axis = 1 : i64} : (tensor<64x?xf32, [64, "?"]>, tensor<80xi64>) -> tensor<64x80xf32>
  return %0 : tensor<64x80xf32>
}

// A place that an axis of unknown size may not have is clamped: it is no slice. The first and the last one are there.
// CHECK-LABEL: @may_be_outside
// CHECK-COUNT-2: tcc.gather
// CHECK-COUNT-3: tcc.slice
func.func @may_be_outside(%x: tensor<?x4xf32, ["N + 9", 4]>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %far = "tcc.constant"() {value = dense<-17> : tensor<i64>} : () -> tensor<i64>
  %ten = "tcc.constant"() {value = dense<9> : tensor<i64>} : () -> tensor<i64>
  %nine = "tcc.constant"() {value = dense<8> : tensor<i64>} : () -> tensor<i64>
  %first = "tcc.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %last = "tcc.constant"() {value = dense<-1> : tensor<i64>} : () -> tensor<i64>
  %a = "tcc.gather"(%x, %far) {axis = 0 : i64} : (tensor<?x4xf32, ["N + 9", 4]>, tensor<i64>) -> tensor<4xf32>
  %b = "tcc.gather"(%x, %ten) {axis = 0 : i64} : (tensor<?x4xf32, ["N + 9", 4]>, tensor<i64>) -> tensor<4xf32>
  %c = "tcc.gather"(%x, %nine) {axis = 0 : i64} : (tensor<?x4xf32, ["N + 9", 4]>, tensor<i64>) -> tensor<4xf32>
  %d = "tcc.gather"(%x, %first) {axis = 0 : i64} : (tensor<?x4xf32, ["N + 9", 4]>, tensor<i64>) -> tensor<4xf32>
  %e = "tcc.gather"(%x, %last) {axis = 0 : i64} : (tensor<?x4xf32, ["N + 9", 4]>, tensor<i64>) -> tensor<4xf32>
  return %a, %b, %c, %d, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
