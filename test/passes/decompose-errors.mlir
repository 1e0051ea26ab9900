// RUN: not tcc-interp %s --pipeline tcc-decompose --function none 2>&1 | FileCheck %s

// All composites that cannot be expanded are reported, each once.
// CHECK: 'tcc.rnn': activation 'bogus' is not known
// CHECK: 'tcc.rnn': has 0 activations, not 1
func.func @main(%x: tensor<?x1x2xf32, ["S", 1, 2]>, %z: tensor<2x1x2xf32>, %w: tensor<1x3x2xf32>, %r: tensor<1x3x3xf32>) {
  %n = "tcc.none"() : () -> none
  %0:2 = "tcc.rnn"(%x, %w, %r, %n, %n, %n) {hidden = 3 : i64, direction = "forward", activations = "bogus"} : (tensor<?x1x2xf32, ["S", 1, 2]>, tensor<1x3x2xf32>, tensor<1x3x3xf32>, none, none, none) -> (tensor<?x1x1x3xf32, ["S", 1, 1, 3]>, tensor<1x1x3xf32>)
  %1:2 = "tcc.rnn"(%z, %w, %r, %n, %n, %n) {hidden = 3 : i64, direction = "forward", activations = ""} : (tensor<2x1x2xf32>, tensor<1x3x2xf32>, tensor<1x3x3xf32>, none, none, none) -> (tensor<2x1x1x3xf32>, tensor<1x1x3xf32>)
  return
}
