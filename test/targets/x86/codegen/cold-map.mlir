// RUN: tcc-explain %s --target=x86,avx2 --no-cache | FileCheck %s
// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --save=%t && tcc-run %s --random=1 --data=%t --check

// What is made once from weights is short code before it is quick: one vector in an iteration, where a kernel of each run has four.
// CHECK: sin (map): {{.*}} (cold)
// CHECK: schedule: lanes = 8, vectors = 1
// CHECK: cos_mul (map):
// CHECK: schedule: lanes = 8, vectors = 4
func.func @main(%x: tensor<8192xf32>) -> tensor<8192xf32> {
  %i = "tcc.iota"() {axis = 0 : i64} : () -> tensor<8192xf32>
  %s = "tcc.sin"(%i) : (tensor<8192xf32>) -> tensor<8192xf32>
  %c = "tcc.cos"(%x) : (tensor<8192xf32>) -> tensor<8192xf32>
  %r = "tcc.mul"(%s, %c) : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
  return %r : tensor<8192xf32>
}
