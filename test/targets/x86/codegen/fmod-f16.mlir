// RUN: tcc-run %s --threads=1 --random | FileCheck %s
// RUN: tcc-run %s --threads=1 --target=x86,x86-64-v3 --random | FileCheck %s
// CHECK: f16[2x3x1x5x12]

// fmod of f16 behind a pool, an element at a time: the remainder is computed in f64, and its sign must need no
// function of a library.
func.func @main(%x: tensor<2x3x3x5x33xf16>, %y: tensor<2x3x1x5x12xf16>) -> tensor<2x3x1x5x12xf16> {
  %0 = "tcc.pool"(%x) {dilations = array<i64: 1, 1, 1>, kernel = array<i64: 3, 1, 2>, kind = "sum", pads = array<i64: 0, 0, 1, 0, 0, 1>, strides = array<i64: 3, 1, 3>} : (tensor<2x3x3x5x33xf16>) -> tensor<2x3x1x5x12xf16>
  %1 = "tcc.fmod"(%0, %y) : (tensor<2x3x1x5x12xf16>, tensor<2x3x1x5x12xf16>) -> tensor<2x3x1x5x12xf16>
  return %1 : tensor<2x3x1x5x12xf16>
}
