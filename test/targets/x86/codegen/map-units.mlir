// RUN: rm -rf %t && tcc-run %s --random=1 --threads=2 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check
// RUN: tcc-translate --to-llvm --target=x86,avx512 --kernel=k0 %s | FileCheck %s

// Axes of one place are no dims: the numbers of a convolution of 1x1 are one row, beside numbers that all share.
// CHECK: llvm.fmul {{.*}} : vector<16xf32>
// CHECK: llvm.store {{.*}} : vector<16xf32>
func.func private @k0(%x: tensor<48x33x1x1xf32>, %s: tensor<f32>, %y: tensor<1x33x1x1xf32>) -> tensor<48x33x1x1xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.mul"(%x, %s) : (tensor<48x33x1x1xf32>, tensor<f32>) -> tensor<48x33x1x1xf32>
  %1 = "tcc.add"(%0, %y) : (tensor<48x33x1x1xf32>, tensor<1x33x1x1xf32>) -> tensor<48x33x1x1xf32>
  return %1 : tensor<48x33x1x1xf32>
}
// Rows of one element that are reduced keep their dim; positions along axes of one place are 0.
func.func private @k1(%x: tensor<5x1x7x1xf32>) -> tensor<5x7xf32> attributes {tcc.kernel = "row"} {
  %0 = "tcc.mul"(%x, %x) : (tensor<5x1x7x1xf32>, tensor<5x1x7x1xf32>) -> tensor<5x1x7x1xf32>
  %1 = "tcc.reduce"(%0) {axes = array<i64: 1, 3>, kind = "max", keepdims = false} : (tensor<5x1x7x1xf32>) -> tensor<5x7xf32>
  return %1 : tensor<5x7xf32>
}
func.func private @k2(%x: tensor<1x6x1x4xi64>) -> tensor<1x6x1x4xi64> attributes {tcc.kernel = "map"} {
  %0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<1x6x1x4xi64>
  %1 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<1x6x1x4xi64>
  %2 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<1x6x1x4xi64>
  %3 = "tcc.add"(%0, %1) : (tensor<1x6x1x4xi64>, tensor<1x6x1x4xi64>) -> tensor<1x6x1x4xi64>
  %4 = "tcc.add"(%3, %2) : (tensor<1x6x1x4xi64>, tensor<1x6x1x4xi64>) -> tensor<1x6x1x4xi64>
  %5 = "tcc.mul"(%4, %x) : (tensor<1x6x1x4xi64>, tensor<1x6x1x4xi64>) -> tensor<1x6x1x4xi64>
  return %5 : tensor<1x6x1x4xi64>
}
func.func @main(%a: tensor<48x33x1x1xf32>, %s: tensor<f32>, %y: tensor<1x33x1x1xf32>, %b: tensor<5x1x7x1xf32>, %c: tensor<1x6x1x4xi64>) -> (tensor<48x33x1x1xf32>, tensor<5x7xf32>, tensor<1x6x1x4xi64>) {
  %0 = call @k0(%a, %s, %y) : (tensor<48x33x1x1xf32>, tensor<f32>, tensor<1x33x1x1xf32>) -> tensor<48x33x1x1xf32>
  %1 = call @k1(%b) : (tensor<5x1x7x1xf32>) -> tensor<5x7xf32>
  %2 = call @k2(%c) : (tensor<1x6x1x4xi64>) -> tensor<1x6x1x4xi64>
  return %0, %1, %2 : tensor<48x33x1x1xf32>, tensor<5x7xf32>, tensor<1x6x1x4xi64>
}
