// RUN: tcc-opt --tcc-simplify --verify-each --split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @identities
// CHECK-NEXT: return %arg0, %arg0, %arg0, %arg0, %arg0
func.func @identities(%x: tensor<?x64xf32, ["S", 64]>) -> (tensor<?x64xf32, ["S", 64]>, tensor<?x64xf32, ["S", 64]>, tensor<?x64xf32, ["S", 64]>, tensor<?x64xf32, ["S", 64]>, tensor<?x64xf32, ["S", 64]>) {
  %zero = "tcc.constant"() {value = dense<0.0> : tensor<64xf32>} : () -> tensor<64xf32>
  %one = "tcc.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %none = "tcc.none"() : () -> none
  %0 = "tcc.add"(%x, %zero) : (tensor<?x64xf32, ["S", 64]>, tensor<64xf32>) -> tensor<?x64xf32, ["S", 64]>
  %1 = "tcc.mul"(%one, %0) : (tensor<f32>, tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  %2 = "tcc.neg"(%1) : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  %3 = "tcc.neg"(%2) : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  %4 = "tcc.convert"(%3) : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  %5 = "tcc.convert"(%4) : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf64, ["S", 64]>
  %6 = "tcc.convert"(%5) : (tensor<?x64xf64, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  %7 = "tcc.clamp"(%6, %none, %none) : (tensor<?x64xf32, ["S", 64]>, none, none) -> tensor<?x64xf32, ["S", 64]>
  %8 = "tcc.max"(%7, %7) : (tensor<?x64xf32, ["S", 64]>, tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  return %1, %3, %6, %7, %8 : tensor<?x64xf32, ["S", 64]>, tensor<?x64xf32, ["S", 64]>, tensor<?x64xf32, ["S", 64]>, tensor<?x64xf32, ["S", 64]>, tensor<?x64xf32, ["S", 64]>
}

// -----

// Two transposes around a reshape that only joins axes are one, with the reshape behind it; one that cuts an axis stays between.
// CHECK-LABEL: func.func @transposes_around_a_join
// CHECK: %[[T:.*]] = "tcc.transpose"(%arg0) {perm = array<i64: 0, 2, 3, 1, 4>} : (tensor<1x6x?x7x16xf32, [1, 6, "S", 7, 16]>) -> tensor<1x?x7x6x16xf32, [1, "S", 7, 6, 16]>
// CHECK: "tcc.reshape"(%[[T]]) : (tensor<1x?x7x6x16xf32, [1, "S", 7, 6, 16]>) -> tensor<1x?x7x96xf32, [1, "S", 7, 96]>
// CHECK-NOT: tcc.reshape
// CHECK: %[[A:.*]] = "tcc.transpose"(%arg1) {perm = array<i64: 1, 0>}
// CHECK: %[[B:.*]] = "tcc.reshape"(%[[A]])
// CHECK: "tcc.transpose"(%[[B]])
func.func @transposes_around_a_join(%x: tensor<1x6x?x7x16xf32, [1, 6, "S", 7, 16]>, %y: tensor<6x4xf32>) -> (tensor<1x?x7x96xf32, [1, "S", 7, 96]>, tensor<2x4x3xf32>) {
  %0 = "tcc.transpose"(%x) {perm = array<i64: 0, 1, 4, 2, 3>} : (tensor<1x6x?x7x16xf32, [1, 6, "S", 7, 16]>) -> tensor<1x6x16x?x7xf32, [1, 6, 16, "S", 7]>
  %1 = "tcc.reshape"(%0) : (tensor<1x6x16x?x7xf32, [1, 6, 16, "S", 7]>) -> tensor<1x96x?x7xf32, [1, 96, "S", 7]>
  %2 = "tcc.transpose"(%1) {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x96x?x7xf32, [1, 96, "S", 7]>) -> tensor<1x?x7x96xf32, [1, "S", 7, 96]>
  %3 = "tcc.transpose"(%y) {perm = array<i64: 1, 0>} : (tensor<6x4xf32>) -> tensor<4x6xf32>
  %4 = "tcc.reshape"(%3) : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
  %5 = "tcc.transpose"(%4) {perm = array<i64: 1, 0, 2>} : (tensor<4x2x3xf32>) -> tensor<2x4x3xf32>
  return %2, %5 : tensor<1x?x7x96xf32, [1, "S", 7, 96]>, tensor<2x4x3xf32>
}

// -----

// So are three whose reshapes cut axes as well, where vectors of elements stay side by side: blocks of channels whose pixels become patches. Not where another
// reads what lies between.
// CHECK-LABEL: func.func @patches_of_blocks
// CHECK: %[[CUT:.*]] = "tcc.reshape"(%arg0) : (tensor<1x3x6x4x8xf32>) -> tensor<1x3x3x2x2x2x8xf32>
// CHECK: %[[T:.*]] = "tcc.transpose"(%[[CUT]]) {perm = array<i64: 3, 5, 2, 4, 0, 1, 6>}
// CHECK: %[[R:.*]] = "tcc.reshape"(%[[T]]) : (tensor<2x2x3x2x1x3x8xf32>) -> tensor<4x6x24xf32>
// CHECK-NOT: tcc.transpose
// CHECK: return %[[R]]
func.func @patches_of_blocks(%x: tensor<1x3x6x4x8xf32>) -> tensor<4x6x24xf32> {
  %0 = "tcc.transpose"(%x) {perm = array<i64: 0, 1, 4, 2, 3>} : (tensor<1x3x6x4x8xf32>) -> tensor<1x3x8x6x4xf32>
  %1 = "tcc.reshape"(%0) : (tensor<1x3x8x6x4xf32>) -> tensor<1x24x6x4xf32>
  %2 = "tcc.reshape"(%1) : (tensor<1x24x6x4xf32>) -> tensor<72x2x2x2xf32>
  %3 = "tcc.transpose"(%2) {perm = array<i64: 0, 2, 1, 3>} : (tensor<72x2x2x2xf32>) -> tensor<72x2x2x2xf32>
  %4 = "tcc.reshape"(%3) : (tensor<72x2x2x2xf32>) -> tensor<1x24x6x4xf32>
  %5 = "tcc.transpose"(%4) {perm = array<i64: 0, 3, 2, 1>} : (tensor<1x24x6x4xf32>) -> tensor<1x4x6x24xf32>
  %6 = "tcc.reshape"(%5) : (tensor<1x4x6x24xf32>) -> tensor<4x6x24xf32>
  return %6 : tensor<4x6x24xf32>
}
// CHECK-LABEL: func.func @patches_and_rows
// CHECK-COUNT-3: tcc.transpose
// CHECK: return
func.func @patches_and_rows(%x: tensor<1x3x6x4x8xf32>) -> (tensor<1x4x6x24xf32>, tensor<72x2x2x2xf32>) {
  %0 = "tcc.transpose"(%x) {perm = array<i64: 0, 1, 4, 2, 3>} : (tensor<1x3x6x4x8xf32>) -> tensor<1x3x8x6x4xf32>
  %2 = "tcc.reshape"(%0) : (tensor<1x3x8x6x4xf32>) -> tensor<72x2x2x2xf32>
  %3 = "tcc.transpose"(%2) {perm = array<i64: 0, 2, 1, 3>} : (tensor<72x2x2x2xf32>) -> tensor<72x2x2x2xf32>
  %4 = "tcc.reshape"(%3) : (tensor<72x2x2x2xf32>) -> tensor<1x24x6x4xf32>
  %5 = "tcc.transpose"(%4) {perm = array<i64: 0, 3, 2, 1>} : (tensor<1x24x6x4xf32>) -> tensor<1x4x6x24xf32>
  return %5, %3 : tensor<1x4x6x24xf32>, tensor<72x2x2x2xf32>
}

// -----

// What only looks like an identity stays: a narrowing conversion, x * 0 on floats, x + 0 that broadcasts.
// CHECK-LABEL: func.func @no_identities
// CHECK-COUNT-2: "tcc.convert"
// CHECK: "tcc.mul"
// CHECK: "tcc.add"
func.func @no_identities(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) {
  %zero = "tcc.constant"() {value = dense<0.0> : tensor<2x1xf32>} : () -> tensor<2x1xf32>
  %scalar = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.convert"(%x) : (tensor<3xf32>) -> tensor<3xf16>
  %1 = "tcc.convert"(%0) : (tensor<3xf16>) -> tensor<3xf32>
  %2 = "tcc.mul"(%x, %scalar) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %3 = "tcc.add"(%x, %zero) : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return %1, %2, %3 : tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func.func @integers_and_bool
// CHECK-DAG: %[[ZERO:.*]] = "tcc.constant"() {value = dense<0> : tensor<3xi32>}
// CHECK-DAG: %[[FALSE:.*]] = "tcc.constant"() {value = dense<false> : tensor<3xi1>}
// CHECK: return %[[ZERO]], %[[FALSE]], %arg1, %arg0
func.func @integers_and_bool(%x: tensor<3xi32>, %p: tensor<3xi1>) -> (tensor<3xi32>, tensor<3xi1>, tensor<3xi1>, tensor<3xi32>) {
  %zero = "tcc.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %true = "tcc.constant"() {value = dense<true> : tensor<3xi1>} : () -> tensor<3xi1>
  %false = "tcc.constant"() {value = dense<false> : tensor<3xi1>} : () -> tensor<3xi1>
  %0 = "tcc.mul"(%x, %zero) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  %1 = "tcc.and"(%p, %false) : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  %2 = "tcc.and"(%true, %p) : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  %3 = "tcc.select"(%true, %x, %0) : (tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return %0, %1, %2, %3 : tensor<3xi32>, tensor<3xi1>, tensor<3xi1>, tensor<3xi32>
}

// -----

// CHECK-LABEL: func.func @float_constants
// CHECK-NEXT: %[[C:.*]] = "tcc.constant"() {value = dense<[3.000000e+00, 5.000000e+00]> : tensor<2xf32>}
// CHECK-NEXT: return %[[C]]
func.func @float_constants() -> tensor<2xf32> {
  %a = "tcc.constant"() {value = dense<[4.0, 16.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %b = "tcc.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.sqrt"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "tcc.add"(%0, %b) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// Shape arithmetic ends in one tcc.sizes, or in a constant.
// CHECK-LABEL: func.func @shapes
// CHECK-DAG: %[[S:.*]] = "tcc.sizes"() {values = ["B", "S", 12, "floordiv(S + 1, 2)"]}
// CHECK-DAG: %[[C:.*]] = "tcc.constant"() {value = dense<[768, 12]> : tensor<2xi64>}
// CHECK-DAG: %[[T:.*]] = "tcc.constant"() {value = dense<true> : tensor<i1>}
// CHECK-DAG: %[[N1:.*]] = "tcc.sizes"() {values = ["B*S"]}
// CHECK-DAG: %[[N:.*]] = "tcc.reshape"(%[[N1]])
// CHECK: return %[[S]], %[[C]], %[[T]], %[[N]]
func.func @shapes() -> (tensor<4xi64>, tensor<2xi64>, tensor<i1>, tensor<i64>) {
  %shape = "tcc.sizes"() {values = ["B", "S", 768]} : () -> tensor<3xi64>
  %i = "tcc.constant"() {value = dense<[0, -2]> : tensor<2xi64>} : () -> tensor<2xi64>
  %last = "tcc.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %64 = "tcc.constant"() {value = dense<64> : tensor<1xi64>} : () -> tensor<1xi64>
  %two = "tcc.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %bs = "tcc.gather"(%shape, %i) {axis = 0 : i64} : (tensor<3xi64>, tensor<2xi64>) -> tensor<2xi64>
  %n = "tcc.reduce"(%bs) {kind = "prod", axes = array<i64: 0>} : (tensor<2xi64>) -> tensor<i64>
  %w = "tcc.gather"(%shape, %last) {axis = 0 : i64} : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
  %w1 = "tcc.reshape"(%w) : (tensor<i64>) -> tensor<1xi64>
  %h = "tcc.div"(%w1, %64) : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %s = "tcc.slice"(%bs) {starts = [1], steps = array<i64: 1>} : (tensor<2xi64>) -> tensor<1xi64>
  %f = "tcc.convert"(%s) : (tensor<1xi64>) -> tensor<1xf32>
  %q = "tcc.div"(%f, %two) : (tensor<1xf32>, tensor<f32>) -> tensor<1xf32>
  %c = "tcc.ceil"(%q) : (tensor<1xf32>) -> tensor<1xf32>
  %half = "tcc.convert"(%c) : (tensor<1xf32>) -> tensor<1xi64>
  %0 = "tcc.concat"(%bs, %h) {axis = 0 : i64} : (tensor<2xi64>, tensor<1xi64>) -> tensor<3xi64>
  %1 = "tcc.concat"(%0, %half) {axis = 0 : i64} : (tensor<3xi64>, tensor<1xi64>) -> tensor<4xi64>
  %2 = "tcc.concat"(%w1, %h) {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %3 = "tcc.compare"(%n, %last) {predicate = "ge"} : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %4 = "tcc.compare"(%w, %last) {predicate = "gt"} : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %5 = "tcc.or"(%3, %4) : (tensor<i1>, tensor<i1>) -> tensor<i1>
  return %1, %2, %5, %n : tensor<4xi64>, tensor<2xi64>, tensor<i1>, tensor<i64>
}

// -----

// Whole numbers that double holds become floats, rounded once; larger ones are left to the target.
// CHECK-LABEL: @whole_numbers_as_floats(
// CHECK-DAG: "tcc.constant"() {value = dense<4.000000e+00> : tensor<1xf32>}
// CHECK-DAG: "tcc.constant"() {value = dense<9007199254740993> : tensor<1xi64>}
// CHECK: "tcc.convert"
func.func @whole_numbers_as_floats() -> (tensor<1xf32>, tensor<1xf32>) {
  %c = "tcc.constant"() {value = dense<16> : tensor<1xi64>} : () -> tensor<1xi64>
  %0 = "tcc.convert"(%c) : (tensor<1xi64>) -> tensor<1xf32>
  %1 = "tcc.sqrt"(%0) : (tensor<1xf32>) -> tensor<1xf32>
  %d = "tcc.constant"() {value = dense<9007199254740993> : tensor<1xi64>} : () -> tensor<1xi64>
  %2 = "tcc.convert"(%d) : (tensor<1xi64>) -> tensor<1xf32>
  return %1, %2 : tensor<1xf32>, tensor<1xf32>
}

// Integers wrap in their type: a sum that i8 does not hold is not folded to a value outside it.
// CHECK-LABEL: func.func @narrow
// CHECK: "tcc.add"
func.func @narrow() -> tensor<i8> {
  %a = "tcc.constant"() {value = dense<100> : tensor<i8>} : () -> tensor<i8>
  %0 = "tcc.add"(%a, %a) : (tensor<i8>, tensor<i8>) -> tensor<i8>
  return %0 : tensor<i8>
}

// -----

// CHECK-LABEL: func.func @views
// CHECK-NEXT: %[[T:.*]] = "tcc.transpose"(%arg0) {perm = array<i64: 2, 0, 1>}
// CHECK-NEXT: %[[R:.*]] = "tcc.reshape"(%arg0) : (tensor<2x3x4xf32>) -> tensor<24xf32>
// CHECK-NEXT: %[[S:.*]] = "tcc.slice"(%arg0) {starts = [0, 2, 3], steps = array<i64: 1, 1, -2>} : (tensor<2x3x4xf32>) -> tensor<2x1x1xf32>
// CHECK-NEXT: %[[U:.*]] = "tcc.reshape"(%arg1) : (tensor<1x5xf32>) -> tensor<5x1xf32>
// CHECK-NEXT: return %arg0, %[[T]], %[[R]], %[[S]], %[[U]], %arg0, %arg0
func.func @views(%x: tensor<2x3x4xf32>, %y: tensor<1x5xf32>) -> (tensor<2x3x4xf32>, tensor<4x2x3xf32>, tensor<24xf32>, tensor<2x1x1xf32>, tensor<5x1xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.transpose"(%x) {perm = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = "tcc.transpose"(%0) {perm = array<i64: 1, 2, 0>} : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  %2 = "tcc.transpose"(%1) {perm = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %3 = "tcc.reshape"(%x) : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %4 = "tcc.reshape"(%3) : (tensor<6x4xf32>) -> tensor<24xf32>
  %5 = "tcc.slice"(%x) {starts = [0, 1, 1], steps = array<i64: 1, 1, 2>} : (tensor<2x3x4xf32>) -> tensor<2x2x2xf32>
  %6 = "tcc.slice"(%5) {starts = [0, 1, 1], steps = array<i64: 1, 1, -1>} : (tensor<2x2x2xf32>) -> tensor<2x1x1xf32>
  %7 = "tcc.transpose"(%y) {perm = array<i64: 1, 0>} : (tensor<1x5xf32>) -> tensor<5x1xf32>
  %8 = "tcc.pad"(%x, %none) {low = [0, 0, 0], high = [0, 0, 0], mode = "constant"} : (tensor<2x3x4xf32>, none) -> tensor<2x3x4xf32>
  %9 = "tcc.reduce"(%8) {kind = "sum", axes = array<i64>} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %10 = "tcc.broadcast"(%9) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %1, %2, %4, %6, %7, %8, %10 : tensor<2x3x4xf32>, tensor<4x2x3xf32>, tensor<24xf32>, tensor<2x1x1xf32>, tensor<5x1xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// -----

// Concat chains lean right; a slice inside one part takes it from there; parts of size 0 go.
// CHECK-LABEL: func.func @concats
// CHECK-NEXT: %[[CD:.*]] = "tcc.concat"(%arg2, %arg3) {axis = 0 : i64} : (tensor<3xf32>, tensor<4xf32>) -> tensor<7xf32>
// CHECK-NEXT: %[[BCD:.*]] = "tcc.concat"(%arg1, %[[CD]])
// CHECK-NEXT: %[[ABCD:.*]] = "tcc.concat"(%arg0, %[[BCD]])
// CHECK-NEXT: %[[S:.*]] = "tcc.slice"(%arg1) {starts = ["S - 1"], steps = array<i64: 1>}
// CHECK-NEXT: return %[[ABCD]], %[[S]]
func.func @concats(%a: tensor<?xf32, ["P"]>, %b: tensor<?xf32, ["S"]>, %c: tensor<3xf32>, %d: tensor<4xf32>, %e: tensor<0xf32>) -> (tensor<?xf32, ["P + S + 7"]>, tensor<1xf32>) {
  %0 = "tcc.concat"(%a, %b) {axis = 0 : i64} : (tensor<?xf32, ["P"]>, tensor<?xf32, ["S"]>) -> tensor<?xf32, ["P + S"]>
  %1 = "tcc.concat"(%0, %c) {axis = 0 : i64} : (tensor<?xf32, ["P + S"]>, tensor<3xf32>) -> tensor<?xf32, ["P + S + 3"]>
  %2 = "tcc.concat"(%1, %d) {axis = 0 : i64} : (tensor<?xf32, ["P + S + 3"]>, tensor<4xf32>) -> tensor<?xf32, ["P + S + 7"]>
  %3 = "tcc.concat"(%2, %e) {axis = 0 : i64} : (tensor<?xf32, ["P + S + 7"]>, tensor<0xf32>) -> tensor<?xf32, ["P + S + 7"]>
  %4 = "tcc.concat"(%b, %d) {axis = 0 : i64} : (tensor<?xf32, ["S"]>, tensor<4xf32>) -> tensor<?xf32, ["S + 4"]>
  %5 = "tcc.slice"(%4) {starts = ["S - 1"], steps = array<i64: 1>} : (tensor<?xf32, ["S + 4"]>) -> tensor<1xf32>
  return %3, %5 : tensor<?xf32, ["P + S + 7"]>, tensor<1xf32>
}

// -----

// Known indices and starts make slices.
// CHECK-LABEL: func.func @indices
// CHECK-NEXT: %[[A:.*]] = "tcc.slice"(%arg0) {starts = ["S - 1", 0], steps = array<i64: 1, 1>} : (tensor<?x64xf32, ["S", 64]>) -> tensor<1x64xf32>
// CHECK-NEXT: %[[B:.*]] = "tcc.reshape"(%[[A]]) : (tensor<1x64xf32>) -> tensor<64xf32>
// CHECK-NEXT: %[[C:.*]] = "tcc.slice"(%arg0) {starts = [0, 8], steps = array<i64: 1, 1>} : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x16xf32, ["S", 16]>
// CHECK-NEXT: return %[[B]], %[[C]]
func.func @indices(%x: tensor<?x64xf32, ["S", 64]>) -> (tensor<64xf32>, tensor<?x16xf32, ["S", 16]>) {
  %last = "tcc.constant"() {value = dense<-1> : tensor<i64>} : () -> tensor<i64>
  %starts = "tcc.constant"() {value = dense<[0, 8]> : tensor<2xi64>} : () -> tensor<2xi64>
  %0 = "tcc.gather"(%x, %last) {axis = 0 : i64} : (tensor<?x64xf32, ["S", 64]>, tensor<i64>) -> tensor<64xf32>
  %1 = "tcc.dynamic_slice"(%x, %starts) : (tensor<?x64xf32, ["S", 64]>, tensor<2xi64>) -> tensor<?x16xf32, ["S", 16]>
  return %0, %1 : tensor<64xf32>, tensor<?x16xf32, ["S", 16]>
}

// -----

// Equal ops become one, also with the operands of a commutative op exchanged; dead ops go.
// CHECK-LABEL: func.func @equal
// CHECK-NEXT: %[[A:.*]] = "tcc.add"(%arg0, %arg1)
// CHECK-NEXT: %[[S:.*]] = "tcc.sub"(%[[A]], %[[A]])
// CHECK-NEXT: return %[[S]]
func.func @equal(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "tcc.add"(%x, %y) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = "tcc.add"(%y, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %2 = "tcc.exp"(%1) : (tensor<3xf32>) -> tensor<3xf32>
  %3 = "tcc.log"(%2) : (tensor<3xf32>) -> tensor<3xf32>
  %4 = "tcc.sub"(%0, %1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %4 : tensor<3xf32>
}

// -----

// An elementwise op broadcasts by itself.
// CHECK-LABEL: func.func @broadcast
// CHECK-NEXT: %[[B:.*]] = "tcc.broadcast"(%arg1)
// CHECK-NEXT: %[[A:.*]] = "tcc.add"(%arg0, %arg1) : (tensor<?x64xf32, ["S", 64]>, tensor<64xf32>)
// CHECK-NEXT: %[[E:.*]] = "tcc.mul"(%arg1, %[[B]])
// CHECK-NEXT: return %[[A]], %[[E]]
func.func @broadcast(%x: tensor<?x64xf32, ["S", 64]>, %b: tensor<64xf32>) -> (tensor<?x64xf32, ["S", 64]>, tensor<?x64xf32, ["S", 64]>) {
  %0 = "tcc.broadcast"(%b) : (tensor<64xf32>) -> tensor<?x64xf32, ["S", 64]>
  %1 = "tcc.add"(%x, %0) : (tensor<?x64xf32, ["S", 64]>, tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  %2 = "tcc.mul"(%0, %0) : (tensor<?x64xf32, ["S", 64]>, tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  return %1, %2 : tensor<?x64xf32, ["S", 64]>, tensor<?x64xf32, ["S", 64]>
}

// -----

// The causal mask of one decoded token hides nothing: it is decided from the ranges of what it compares.
// CHECK-LABEL: func.func @mask_of_one_token
// CHECK-NEXT: return %arg0
func.func @mask_of_one_token(%scores: tensor<1x8x1x?xf32, [1, 8, 1, "past + 1"]>) -> tensor<1x8x1x?xf32, [1, 8, 1, "past + 1"]> {
  %hidden = "tcc.constant"() {value = dense<-3.0e38> : tensor<f32>} : () -> tensor<f32>
  %zero = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %past = "tcc.sizes"() {values = ["past"]} : () -> tensor<1xi64>
  %query = "tcc.reshape"(%past) : (tensor<1xi64>) -> tensor<1x1xi64>
  %key = "tcc.iota"() {axis = 0 : i64} : () -> tensor<?xi64, ["past + 1"]>
  %seen = "tcc.compare"(%key, %query) {predicate = "le"} : (tensor<?xi64, ["past + 1"]>, tensor<1x1xi64>) -> tensor<1x?xi1, [1, "past + 1"]>
  %mask = "tcc.select"(%seen, %zero, %hidden) : (tensor<1x?xi1, [1, "past + 1"]>, tensor<f32>, tensor<f32>) -> tensor<1x?xf32, [1, "past + 1"]>
  %r = "tcc.add"(%scores, %mask) : (tensor<1x8x1x?xf32, [1, 8, 1, "past + 1"]>, tensor<1x?xf32, [1, "past + 1"]>) -> tensor<1x8x1x?xf32, [1, 8, 1, "past + 1"]>
  return %r : tensor<1x8x1x?xf32, [1, 8, 1, "past + 1"]>
}

// -----

// The mask of several tokens stays.
// CHECK-LABEL: func.func @mask_of_tokens
// CHECK: "tcc.compare"
func.func @mask_of_tokens() -> tensor<?x?xi1, ["S", "P + S"]> {
  %past = "tcc.sizes"() {values = ["P"]} : () -> tensor<1xi64>
  %row = "tcc.iota"() {axis = 0 : i64} : () -> tensor<?xi64, ["S"]>
  %position = "tcc.add"(%row, %past) : (tensor<?xi64, ["S"]>, tensor<1xi64>) -> tensor<?xi64, ["S"]>
  %query = "tcc.reshape"(%position) : (tensor<?xi64, ["S"]>) -> tensor<?x1xi64, ["S", 1]>
  %key = "tcc.iota"() {axis = 0 : i64} : () -> tensor<?xi64, ["P + S"]>
  %seen = "tcc.compare"(%query, %key) {predicate = "ge"} : (tensor<?x1xi64, ["S", 1]>, tensor<?xi64, ["P + S"]>) -> tensor<?x?xi1, ["S", "P + S"]>
  return %seen : tensor<?x?xi1, ["S", "P + S"]>
}

// -----

// Two reshapes that give back a value: the second result of an op stays the second.
// CHECK-LABEL: func.func @second_result
// CHECK: %[[R:.*]]:2 = "tcc.topk"
// CHECK: return %[[R]]#1
func.func @second_result(%x: tensor<4x8xf32>) -> tensor<4x3xi64> {
  %0:2 = "tcc.topk"(%x) {k = [3], axis = 1 : i64, largest = true, sorted = true} : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
  %1 = "tcc.reshape"(%0#1) : (tensor<4x3xi64>) -> tensor<12xi64>
  %2 = "tcc.reshape"(%1) : (tensor<12xi64>) -> tensor<4x3xi64>
  return %2 : tensor<4x3xi64>
}

// -----

// Constants are read in all their forms: a blob beside the module, a splat, packed bits, 4-bit integers. A blob that is
// not there is not known.
// CHECK-LABEL: func.func @constant_forms
// CHECK-DAG: %[[A:.*]] = "tcc.constant"() {value = dense<[-2, 8]> : tensor<2xi64>}
// CHECK-DAG: %[[B:.*]] = "tcc.constant"() {value = dense<[1, 0, 1]> : tensor<3xi32>}
// CHECK-DAG: %[[C:.*]] = "tcc.constant"() {value = dense<[-3, 7, 1]> : tensor<3xi8>}
// CHECK-DAG: %[[D:.*]] = "tcc.neg"
// CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
func.func @constant_forms() -> (tensor<2xi64>, tensor<3xi32>, tensor<3xi8>, tensor<2xi64>) {
  %blob = "tcc.constant"() {value = dense_resource<two> : tensor<2xi64>} : () -> tensor<2xi64>
  %no_blob = "tcc.constant"() {value = dense_resource<absent> : tensor<2xi64>} : () -> tensor<2xi64>
  %bits = "tcc.constant"() {value = dense<[true, false, true]> : tensor<3xi1>} : () -> tensor<3xi1>
  %nibbles = "tcc.constant"() {value = dense<[-3, 7, 1]> : tensor<3xi4>} : () -> tensor<3xi4>
  %0 = "tcc.neg"(%blob) : (tensor<2xi64>) -> tensor<2xi64>
  %1 = "tcc.convert"(%bits) : (tensor<3xi1>) -> tensor<3xi32>
  %2 = "tcc.convert"(%nibbles) : (tensor<3xi4>) -> tensor<3xi8>
  %3 = "tcc.neg"(%no_blob) : (tensor<2xi64>) -> tensor<2xi64>
  return %0, %1, %2, %3 : tensor<2xi64>, tensor<3xi32>, tensor<3xi8>, tensor<2xi64>
}

{-#
  dialect_resources: {
    builtin: {
      two: "0x080000000200000000000000F8FFFFFFFFFFFFFF"
    }
  }
#-}

// -----

// A mask of keys that was spread over all queries becomes a mask of keys again: "and" with true is the other operand, and a
// select of two numbers goes below the broadcast of its condition.
// CHECK-LABEL: func.func @mask_of_keys
// CHECK: %[[MASK:.*]] = "tcc.select"(%arg0, {{.*}}) : (tensor<?x1x1x?xi1, ["B", 1, 1, "S"]>
// CHECK-NEXT: "tcc.add"(%arg1, %[[MASK]])
func.func @mask_of_keys(%keys: tensor<?x1x1x?xi1, ["B", 1, 1, "S"]>, %scores: tensor<?x4x?x?xf32, ["B", 4, "S", "S"]>) -> tensor<?x4x?x?xf32, ["B", 4, "S", "S"]> {
  %true = "tcc.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %zero = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %hidden = "tcc.constant"() {value = dense<-1.0e+38> : tensor<f32>} : () -> tensor<f32>
  %all = "tcc.broadcast"(%true) : (tensor<i1>) -> tensor<1x1x?x1xi1, [1, 1, "S", 1]>
  %seen = "tcc.and"(%all, %keys) : (tensor<1x1x?x1xi1, [1, 1, "S", 1]>, tensor<?x1x1x?xi1, ["B", 1, 1, "S"]>) -> tensor<?x1x?x?xi1, ["B", 1, "S", "S"]>
  %mask = "tcc.select"(%seen, %zero, %hidden) : (tensor<?x1x?x?xi1, ["B", 1, "S", "S"]>, tensor<f32>, tensor<f32>) -> tensor<?x1x?x?xf32, ["B", 1, "S", "S"]>
  %r = "tcc.add"(%scores, %mask) : (tensor<?x4x?x?xf32, ["B", 4, "S", "S"]>, tensor<?x1x?x?xf32, ["B", 1, "S", "S"]>) -> tensor<?x4x?x?xf32, ["B", 4, "S", "S"]>
  return %r : tensor<?x4x?x?xf32, ["B", 4, "S", "S"]>
}

// -----

// Zero points: bytes as floats, splats of any size. What is subtracted is nothing.
// CHECK-LABEL: @zero_points
// CHECK-DAG: %[[X:.*]] = "tcc.convert"(%arg0)
// CHECK-DAG: %[[THREE:.*]] = "tcc.constant"() {value = dense<3.000000e+00> : tensor<f32>}
// CHECK: return %[[X]], %[[THREE]]
func.func @zero_points(%w: tensor<256x1xi8>) -> (tensor<256x1xf32>, tensor<f32>) {
  %0 = "tcc.constant"() {value = dense<0> : tensor<256x1xi8>} : () -> tensor<256x1xi8>
  %1 = "tcc.convert"(%0) : (tensor<256x1xi8>) -> tensor<256x1xf32>
  %2 = "tcc.convert"(%w) : (tensor<256x1xi8>) -> tensor<256x1xf32>
  %3 = "tcc.sub"(%2, %1) : (tensor<256x1xf32>, tensor<256x1xf32>) -> tensor<256x1xf32>
  %4 = "tcc.constant"() {value = dense<3> : tensor<ui8>} : () -> tensor<ui8>
  %5 = "tcc.convert"(%4) : (tensor<ui8>) -> tensor<f32>
  return %3, %5 : tensor<256x1xf32>, tensor<f32>
}

// -----

// Running sums of zeros are zeros; a product is no sum.
// CHECK-LABEL: func.func @sums_of_zeros
// CHECK: %[[ZERO:.*]] = "tcc.constant"() {value = dense<0>
// CHECK: %[[P:.*]] = "tcc.cumulative"(%[[ZERO]]) {{.*}}kind = "prod"
// CHECK: return %[[ZERO]], %[[P]]
func.func @sums_of_zeros() -> (tensor<2x3xi64>, tensor<2x3xi64>) {
  %0 = "tcc.constant"() {value = dense<0> : tensor<2x3xi64>} : () -> tensor<2x3xi64>
  %1 = "tcc.cumulative"(%0) {axis = 1 : i64, kind = "sum"} : (tensor<2x3xi64>) -> tensor<2x3xi64>
  %2 = "tcc.cumulative"(%0) {axis = 1 : i64, kind = "prod", exclusive = true} : (tensor<2x3xi64>) -> tensor<2x3xi64>
  return %1, %2 : tensor<2x3xi64>, tensor<2x3xi64>
}

// -----

// Attention broadcasts a mask by itself.
// CHECK-LABEL: func.func @attention_mask
// CHECK-NEXT: "tcc.attention"(%arg0, %arg0, %arg0, %arg1)
func.func @attention_mask(%x: tensor<3x4x8x16xf32>, %m: tensor<3x1x1x8xi1>) -> tensor<3x4x8x16xf32> {
  %0 = "tcc.broadcast"(%m) : (tensor<3x1x1x8xi1>) -> tensor<3x1x8x8xi1>
  %1 = "tcc.attention"(%x, %x, %x, %0) {scale = 1.0 : f64} : (tensor<3x4x8x16xf32>, tensor<3x4x8x16xf32>, tensor<3x4x8x16xf32>, tensor<3x1x8x8xi1>) -> tensor<3x4x8x16xf32>
  return %1 : tensor<3x4x8x16xf32>
}

// -----

// A row of a cache written between two transposes: nothing moves. Rows may be several; what else reads the scatter, or another order behind
// it, or tuples of two numbers, keep it.
// CHECK-LABEL: func.func @scatter_between_transposes
// CHECK-NEXT: %[[R:.*]] = "tcc.reshape"(%arg1) : (tensor<3x1xi64>) -> tensor<1x1x3x1xi64>
// CHECK-NEXT: %[[I:.*]] = "tcc.broadcast"(%[[R]]) : (tensor<1x1x3x1xi64>) -> tensor<2x5x3x4xi64>
// CHECK-NEXT: %[[U:.*]] = "tcc.transpose"(%arg2) {perm = array<i64: 1, 2, 0, 3>}
// CHECK-NEXT: %[[S:.*]] = "tcc.scatter_elements"(%arg0, %[[I]], %[[U]]) {axis = 2 : i64, reduction = "add", valid = "signed"}
// CHECK-NEXT: return %[[S]]
func.func @scatter_between_transposes(%x: tensor<2x5x8x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x2x5x4xf32>) -> tensor<2x5x8x4xf32> {
  %0 = "tcc.transpose"(%x) {perm = array<i64: 2, 0, 1, 3>} : (tensor<2x5x8x4xf32>) -> tensor<8x2x5x4xf32>
  %1 = "tcc.scatter_nd"(%0, %i, %u) {reduction = "add", valid = "signed"} : (tensor<8x2x5x4xf32>, tensor<3x1xi64>, tensor<3x2x5x4xf32>) -> tensor<8x2x5x4xf32>
  %2 = "tcc.transpose"(%1) {perm = array<i64: 1, 2, 0, 3>} : (tensor<8x2x5x4xf32>) -> tensor<2x5x8x4xf32>
  return %2 : tensor<2x5x8x4xf32>
}
// CHECK-LABEL: func.func @scatter_read_elsewhere
// CHECK-COUNT-3: "tcc.scatter_nd"
func.func @scatter_read_elsewhere(%x: tensor<2x5x8x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x2x5x4xf32>, %j: tensor<3x2xi64>, %v: tensor<3x5x4xf32>) -> (tensor<2x5x8x4xf32>, tensor<8x2x5x4xf32>, tensor<5x2x8x4xf32>, tensor<2x5x8x4xf32>) {
  %0 = "tcc.transpose"(%x) {perm = array<i64: 2, 0, 1, 3>} : (tensor<2x5x8x4xf32>) -> tensor<8x2x5x4xf32>
  %1 = "tcc.scatter_nd"(%0, %i, %u) {reduction = "add"} : (tensor<8x2x5x4xf32>, tensor<3x1xi64>, tensor<3x2x5x4xf32>) -> tensor<8x2x5x4xf32>
  %2 = "tcc.transpose"(%1) {perm = array<i64: 1, 2, 0, 3>} : (tensor<8x2x5x4xf32>) -> tensor<2x5x8x4xf32>
  %3 = "tcc.scatter_nd"(%0, %i, %u) : (tensor<8x2x5x4xf32>, tensor<3x1xi64>, tensor<3x2x5x4xf32>) -> tensor<8x2x5x4xf32>
  %4 = "tcc.transpose"(%3) {perm = array<i64: 2, 1, 0, 3>} : (tensor<8x2x5x4xf32>) -> tensor<5x2x8x4xf32>
  %5 = "tcc.scatter_nd"(%0, %j, %v) : (tensor<8x2x5x4xf32>, tensor<3x2xi64>, tensor<3x5x4xf32>) -> tensor<8x2x5x4xf32>
  %6 = "tcc.transpose"(%5) {perm = array<i64: 1, 2, 0, 3>} : (tensor<8x2x5x4xf32>) -> tensor<2x5x8x4xf32>
  return %2, %1, %4, %6 : tensor<2x5x8x4xf32>, tensor<8x2x5x4xf32>, tensor<5x2x8x4xf32>, tensor<2x5x8x4xf32>
}

// -----

// What counts a size stays as long as something has that size, though nobody reads the places; else it goes.
// CHECK-LABEL: func.func @counted
// CHECK-NEXT: "tcc.nonzero"(%arg0) {size = "n"}
// CHECK-NEXT: "tcc.iota"
// CHECK-NEXT: return
func.func @counted(%m: tensor<5xi1>) -> tensor<?xi64, ["n"]> {
  %0 = "tcc.nonzero"(%m) {size = "n"} : (tensor<5xi1>) -> tensor<1x?xi64, [1, "n"]>
  %1 = "tcc.nonzero"(%m) {size = "nobody"} : (tensor<5xi1>) -> tensor<1x?xi64, [1, "nobody"]>
  %2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<?xi64, ["n"]>
  return %2 : tensor<?xi64, ["n"]>
}

// -----

// Likewise where a constraint is about it.
// CHECK-LABEL: module
// CHECK: "tcc.nonzero"
module attributes {tcc.constraints = ["-n + 4"]} {
  func.func @main(%m: tensor<5xi1>) -> tensor<5xi1> {
    %0 = "tcc.nonzero"(%m) {size = "n"} : (tensor<5xi1>) -> tensor<1x?xi64, [1, "n"]>
    return %m : tensor<5xi1>
  }
}

// -----

// What scatters add to zeros is added to what the sum is with: rows that were padded, rows of one place together. Nothing as large as the result is
// made beside it.
// CHECK-LABEL: func.func @sums_into_zeros
// CHECK-SAME: %[[X:[^:]*]]: tensor<8x6xf32>, %[[I:[^:]*]]: tensor<3x1xi64>, %[[U:[^:]*]]: tensor<3x2xf32>, %[[V:[^:]*]]: tensor<3x4xf32>
// CHECK-DAG: %[[A:.*]] = "tcc.pad"(%[[U]], {{.*}}) {high = [0, 4], low = [0, 0], mode = "constant"}
// CHECK-DAG: %[[B:.*]] = "tcc.pad"(%[[V]], {{.*}}) {high = [0, 0], low = [0, 2], mode = "constant"}
// CHECK: %[[R:.*]] = "tcc.add"(%[[A]], %[[B]])
// CHECK: %[[S:.*]] = "tcc.scatter_nd"(%[[X]], %[[I]], %[[R]]) {reduction = "add", valid = "signed"}
// CHECK: return %[[S]]
func.func @sums_into_zeros(%x: tensor<8x6xf32>, %i: tensor<3x1xi64>, %u: tensor<3x2xf32>, %v: tensor<3x4xf32>) -> tensor<8x6xf32> {
  %none = "tcc.none"() : () -> none
  %p = "tcc.constant"() {value = dense<0.0> : tensor<8x2xf32>} : () -> tensor<8x2xf32>
  %q = "tcc.constant"() {value = dense<0.0> : tensor<8x4xf32>} : () -> tensor<8x4xf32>
  %0 = "tcc.scatter_nd"(%p, %i, %u) {reduction = "add", valid = "signed"} : (tensor<8x2xf32>, tensor<3x1xi64>, tensor<3x2xf32>) -> tensor<8x2xf32>
  %1 = "tcc.scatter_nd"(%q, %i, %v) {reduction = "add", valid = "signed"} : (tensor<8x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<8x4xf32>
  %2 = "tcc.pad"(%0, %none) {low = [0, 0], high = [0, 4], mode = "constant"} : (tensor<8x2xf32>, none) -> tensor<8x6xf32>
  %3 = "tcc.pad"(%1, %none) {low = [0, 2], high = [0, 0], mode = "constant"} : (tensor<8x4xf32>, none) -> tensor<8x6xf32>
  %4 = "tcc.add"(%2, %3) : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  %5 = "tcc.add"(%x, %4) : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  return %5 : tensor<8x6xf32>
}
// Elements, too. Not: zeros that are broadcast to the sum, a scatter that replaces, one that others read, a pad of the axis that is indexed.
// CHECK-LABEL: func.func @other_scatters
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x4xf32>
// CHECK-DAG: "tcc.scatter_elements"(%[[X]], {{.*}}) {axis = 1 : i64, reduction = "add"}
// CHECK-COUNT-3: "tcc.add"
// CHECK: "tcc.pad"
// CHECK: "tcc.add"
func.func @other_scatters(%x: tensor<2x4xf32>, %i: tensor<2x1xi64>, %u: tensor<2x1xf32>, %j: tensor<1x1xi64>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x6xf32>) {
  %none = "tcc.none"() : () -> none
  %z = "tcc.constant"() {value = dense<0.0> : tensor<2x4xf32>} : () -> tensor<2x4xf32>
  %y = "tcc.constant"() {value = dense<0.0> : tensor<1x4xf32>} : () -> tensor<1x4xf32>
  %w = "tcc.constant"() {value = dense<0.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %t = "tcc.reshape"(%u) : (tensor<2x1xf32>) -> tensor<2xf32>
  %s = "tcc.constant"() {value = dense<[[0], [1]]> : tensor<2x1xi64>} : () -> tensor<2x1xi64>
  %0 = "tcc.scatter_elements"(%z, %i, %u) {axis = 1 : i64, reduction = "add"} : (tensor<2x4xf32>, tensor<2x1xi64>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %1 = "tcc.add"(%0, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = "tcc.slice"(%u) {starts = [0, 0], steps = array<i64: 1, 1>} : (tensor<2x1xf32>) -> tensor<1x1xf32>
  %3 = "tcc.scatter_elements"(%y, %j, %2) {axis = 1 : i64, reduction = "add"} : (tensor<1x4xf32>, tensor<1x1xi64>, tensor<1x1xf32>) -> tensor<1x4xf32>
  %4 = "tcc.add"(%x, %3) : (tensor<2x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  %5 = "tcc.scatter_elements"(%z, %i, %u) {axis = 1 : i64} : (tensor<2x4xf32>, tensor<2x1xi64>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %6 = "tcc.add"(%x, %5) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %7 = "tcc.scatter_elements"(%z, %i, %u) {axis = 0 : i64, reduction = "add"} : (tensor<2x4xf32>, tensor<2x1xi64>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %8 = "tcc.add"(%x, %7) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %9 = "tcc.scatter_nd"(%w, %s, %t) {reduction = "add"} : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<4xf32>
  %10 = "tcc.pad"(%9, %none) {low = [1], high = [1], mode = "constant"} : (tensor<4xf32>, none) -> tensor<6xf32>
  %11 = "tcc.broadcast"(%10) : (tensor<6xf32>) -> tensor<2x6xf32>
  %12 = "tcc.add"(%8, %7) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %1, %4, %6, %8, %12, %11 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x6xf32>
}

// -----

// An index for each slice of the first axis is one of scatter_nd. Not: of another axis, one that differs within a slice, updates of a part of each.
// CHECK-LABEL: func.func @slices
// CHECK: %[[I:.*]] = "tcc.reshape"(%arg1) : (tensor<3xi64>) -> tensor<3x1xi64>
// CHECK: "tcc.scatter_nd"(%arg0, %[[I]], %arg2) {reduction = "add", valid = "unsigned"} : (tensor<8x4x5xf32>, tensor<3x1xi64>, tensor<3x4x5xf32>)
// CHECK-NOT: "tcc.scatter_nd"
// CHECK: "tcc.scatter_elements"{{.*}}axis = 1
// CHECK: "tcc.scatter_elements"{{.*}}axis = 0
// CHECK: "tcc.scatter_elements"{{.*}}axis = 0
func.func @slices(%x: tensor<8x4x5xf32>, %i: tensor<3xi64>, %u: tensor<3x4x5xf32>, %j: tensor<3x4x1xi64>, %v: tensor<3x2x5xf32>) -> (tensor<8x4x5xf32>, tensor<8x4x5xf32>, tensor<8x4x5xf32>, tensor<8x4x5xf32>) {
  %0 = "tcc.reshape"(%i) : (tensor<3xi64>) -> tensor<3x1x1xi64>
  %1 = "tcc.broadcast"(%0) : (tensor<3x1x1xi64>) -> tensor<3x4x5xi64>
  %2 = "tcc.scatter_elements"(%x, %1, %u) {axis = 0 : i64, reduction = "add", valid = "unsigned"} : (tensor<8x4x5xf32>, tensor<3x4x5xi64>, tensor<3x4x5xf32>) -> tensor<8x4x5xf32>
  %3 = "tcc.scatter_elements"(%x, %1, %u) {axis = 1 : i64, reduction = "add", valid = "unsigned"} : (tensor<8x4x5xf32>, tensor<3x4x5xi64>, tensor<3x4x5xf32>) -> tensor<8x4x5xf32>
  %4 = "tcc.broadcast"(%j) : (tensor<3x4x1xi64>) -> tensor<3x4x5xi64>
  %5 = "tcc.scatter_elements"(%x, %4, %u) {axis = 0 : i64, reduction = "add", valid = "unsigned"} : (tensor<8x4x5xf32>, tensor<3x4x5xi64>, tensor<3x4x5xf32>) -> tensor<8x4x5xf32>
  %6 = "tcc.broadcast"(%0) : (tensor<3x1x1xi64>) -> tensor<3x2x5xi64>
  %7 = "tcc.scatter_elements"(%x, %6, %v) {axis = 0 : i64, valid = "unsigned"} : (tensor<8x4x5xf32>, tensor<3x2x5xi64>, tensor<3x2x5xf32>) -> tensor<8x4x5xf32>
  return %2, %3, %5, %7 : tensor<8x4x5xf32>, tensor<8x4x5xf32>, tensor<8x4x5xf32>, tensor<8x4x5xf32>
}

// -----

// A slice that alone reads a concatenation and has some of both parts joins these: as it narrows, parts go. Not: what somebody else reads, too, or may not reach a part.
// CHECK-LABEL: func.func @slice_of_both
// CHECK: %[[R:.*]] = "tcc.concat"(%arg0, %arg1) {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x5xf32>) -> tensor<2x8xf32>
// CHECK: "tcc.concat"({{.*}} -> tensor<2x8xf32>
// CHECK: "tcc.slice"({{.*}}tensor<2x8xf32>) -> tensor<2x4xf32>
// CHECK: "tcc.slice"({{.*}}["N", 8]>) -> tensor<4x8xf32>
// CHECK: return %[[R]]
func.func @slice_of_both(%a: tensor<2x3xf32>, %b: tensor<2x5xf32>, %z: tensor<2x3xf32>, %n: tensor<?x8xf32, ["N - 5", 8]>, %m: tensor<5x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x4xf32>, tensor<4x8xf32>) {
  %0 = "tcc.concat"(%b, %z) {axis = 1 : i64} : (tensor<2x5xf32>, tensor<2x3xf32>) -> tensor<2x8xf32>
  %1 = "tcc.concat"(%a, %0) {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x8xf32>) -> tensor<2x11xf32>
  %2 = "tcc.slice"(%1) {starts = [0, 0], steps = array<i64: 1, 1>} : (tensor<2x11xf32>) -> tensor<2x8xf32>
  %3 = "tcc.concat"(%z, %b) {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x5xf32>) -> tensor<2x8xf32>
  %4 = "tcc.slice"(%3) {starts = [0, 1], steps = array<i64: 1, 1>} : (tensor<2x8xf32>) -> tensor<2x4xf32>
  %5 = "tcc.concat"(%n, %m) {axis = 0 : i64} : (tensor<?x8xf32, ["N - 5", 8]>, tensor<5x8xf32>) -> tensor<?x8xf32, ["N", 8]>
  %6 = "tcc.slice"(%5) {starts = [0, 0], steps = array<i64: 1, 1>} : (tensor<?x8xf32, ["N", 8]>) -> tensor<4x8xf32>
  return %2, %3, %4, %6 : tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x4xf32>, tensor<4x8xf32>
}

// -----
// Gradients of parts that follow each other are put together; parts apart, or with other numbers around, are added.
// CHECK-LABEL: func.func @parts
// CHECK: %[[ALL:.*]] = "tcc.concat"(%arg0, %arg1) {axis = 0 : i64} : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
// CHECK: %[[ONE:.*]] = "tcc.pad"(%[[ALL]], {{.*}}high = [1, 0], low = [0, 0]
// CHECK: "tcc.pad"(%arg1, {{.*}}low = [3, 0]
// CHECK: "tcc.add"
// CHECK: return %[[ONE]]
func.func @parts(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>) -> (tensor<7x3xf32>, tensor<7x3xf32>) {
  %n = "tcc.none"() : () -> none
  %a = "tcc.pad"(%x, %n) {low = [0, 0], high = [5, 0], mode = "constant"} : (tensor<2x3xf32>, none) -> tensor<7x3xf32>
  %b = "tcc.pad"(%y, %n) {low = [2, 0], high = [1, 0], mode = "constant"} : (tensor<4x3xf32>, none) -> tensor<7x3xf32>
  %0 = "tcc.add"(%b, %a) : (tensor<7x3xf32>, tensor<7x3xf32>) -> tensor<7x3xf32>
  %c = "tcc.pad"(%x, %n) {low = [0, 0], high = [5, 0], mode = "constant"} : (tensor<2x3xf32>, none) -> tensor<7x3xf32>
  %d = "tcc.pad"(%y, %n) {low = [3, 0], high = [0, 0], mode = "constant"} : (tensor<4x3xf32>, none) -> tensor<7x3xf32>
  %1 = "tcc.add"(%c, %d) : (tensor<7x3xf32>, tensor<7x3xf32>) -> tensor<7x3xf32>
  return %0, %1 : tensor<7x3xf32>, tensor<7x3xf32>
}
