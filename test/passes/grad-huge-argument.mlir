// Zeros as large as an argument that nothing reads, whose size is too large for any value: a diagnostic. Types are inferred first, so that nobody has looked at
// the arguments before.
// RUN: not tcc-opt %s --no-reproducer --tcc-infer-shapes --tcc-grad -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: 'tcc.broadcast': C0: result 'r' has too many elements

func.func @main(%x: tensor<4xf32> {tcc.name = "x"}, %w: tensor<1x1x?xf32, [1, 1, "4611686018427387904*T"]> {tcc.name = "w"}) -> (tensor<f32> {tcc.name = "loss"}) {
  %l = "tcc.reduce"(%x) {kind = "sum", axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
