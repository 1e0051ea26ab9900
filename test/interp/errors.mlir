// RUN: not tcc-interp %s --function gather 2>&1 | FileCheck %s --check-prefix=GATHER
// RUN: not tcc-interp %s --function scatter 2>&1 | FileCheck %s --check-prefix=SCATTER
// RUN: not tcc-interp %s --function slice --input 4xf32=0 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: not tcc-interp %s --function lengths 2>&1 | FileCheck %s --check-prefix=LENGTHS
// RUN: not tcc-interp %s --function callee 2>&1 | FileCheck %s --check-prefix=CALLEE
// RUN: not tcc-interp %s --function forever 2>&1 | FileCheck %s --check-prefix=FOREVER
// RUN: not tcc-interp %s --function foreign 2>&1 | FileCheck %s --check-prefix=FOREIGN
// RUN: not tcc-interp %s --function slice 2>&1 | FileCheck %s --check-prefix=ARGUMENTS

// What only the data can break is one message that names the op and the call it stands in.
// GATHER: 'tcc.gather': index 3 is outside [-3, 3), axis 0
func.func @gather() -> tensor<2xf32> {
  %x = "tcc.constant"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %i = "tcc.constant"() {value = dense<[0, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  %0 = "tcc.gather"(%x, %i) {axis = 0 : i64, valid = "signed"} : (tensor<3xf32>, tensor<2xi64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// SCATTER: 'tcc.scatter_nd': index -1 is outside [0, 3), axis 0
func.func @scatter() -> tensor<3xf32> {
  %x = "tcc.constant"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %i = "tcc.constant"() {value = dense<[[-1]]> : tensor<1x1xi64>} : () -> tensor<1x1xi64>
  %u = "tcc.constant"() {value = dense<[1.0]> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = "tcc.scatter_nd"(%x, %i, %u) {valid = "unsigned"} : (tensor<3xf32>, tensor<1x1xi64>, tensor<1xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// SLICE: 'tcc.slice': C4: the slice of axis 0 leaves x, which has size '4' there
// ARGUMENTS: 0 arguments for 1 parameters
func.func @slice(%x: tensor<?xf32, ["S"]>) -> tensor<3xf32> {
  %0 = "tcc.slice"(%x) {starts = [2], steps = array<i64: 1>} : (tensor<?xf32, ["S"]>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// LENGTHS: 'tcc.rnn': sequence length 4 of 2
func.func @lengths() -> tensor<2x1x1x1xf32> {
  %x = "tcc.constant"() {value = dense<1.0> : tensor<2x1x1xf32>} : () -> tensor<2x1x1xf32>
  %w = "tcc.constant"() {value = dense<1.0> : tensor<1x1x1xf32>} : () -> tensor<1x1x1xf32>
  %l = "tcc.constant"() {value = dense<4> : tensor<1xi32>} : () -> tensor<1xi32>
  %n = "tcc.none"() : () -> none
  %0:2 = "tcc.rnn"(%x, %w, %w, %n, %l, %n) {hidden = 1 : i64, direction = "forward", activations = "tanh"} : (tensor<2x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, none, tensor<1xi32>, none) -> (tensor<2x1x1x1xf32>, tensor<1x1x1xf32>)
  return %0#0 : tensor<2x1x1x1xf32>
}
// CALLEE: 'func.call': in @gather: 'tcc.gather': index 3 is outside [-3, 3)
func.func @callee() -> tensor<2xf32> {
  %0 = func.call @gather() : () -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// FOREVER: calls nest deeper than 64
func.func @forever() -> tensor<2xf32> {
  %0 = func.call @forever() : () -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// FOREIGN: 'builtin.unrealized_conversion_cast': the interpreter does not run this op
func.func @foreign() -> tensor<2xf32> {
  %0 = builtin.unrealized_conversion_cast to tensor<2xf32>
  return %0 : tensor<2xf32>
}
