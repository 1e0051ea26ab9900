// RUN: tcc-run %s --target=x86,avx2 --random=1 --compare=interp --rtol=1e-5 --atol=1e-6
// RUN: tcc-explain %s --no-cache --target=x86,avx2 | FileCheck %s
// RUN: tcc-explain %s --no-cache --target=x86,avx512 | FileCheck %s --check-prefix=WIDE
// REQUIRES: avx2

// A row whose elements lie apart, of too few for a vector side by side, takes longer to read than to add up: two sums at a time are enough where vectors are read one lane after the other.
// CHECK: along = row, {{.*}} sets = 2
// WIDE: along = row, {{.*}} sets = 4
func.func @main(%x: tensor<256x4xf32>) -> tensor<4x256xf32> {
  %0 = "tcc.transpose"(%x) {perm = array<i64: 1, 0>} : (tensor<256x4xf32>) -> tensor<4x256xf32>
  %1 = "tcc.mul"(%0, %0) : (tensor<4x256xf32>, tensor<4x256xf32>) -> tensor<4x256xf32>
  %2 = "tcc.reduce"(%1) {axes = array<i64: 1>, keepdims = true, kind = "sum"} : (tensor<4x256xf32>) -> tensor<4x1xf32>
  %3 = "tcc.sqrt"(%2) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %4 = "tcc.div"(%0, %3) : (tensor<4x256xf32>, tensor<4x1xf32>) -> tensor<4x256xf32>
  return %4 : tensor<4x256xf32>
}
