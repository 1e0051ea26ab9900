// RUN: tcc-opt %s --tcc-autocast --target=reference --verify-each | FileCheck %s --check-prefixes=CHECK,CONV16
// RUN: tcc-opt %s --tcc-autocast --target=x86,cascadelake --verify-each | FileCheck %s --check-prefixes=CHECK,CONV32

// Products with weights of bytes, dequantised in front of them or multiplied by their scale behind them, stay what they are, through views
// of the weights, too. A machine that is no faster at convolutions of 16 bits keeps them in f32, and a product behind one is narrow all the same.
// CHECK: "tcc.matmul"(%arg0, %{{.*}}) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
// CHECK: "tcc.linear"(%arg0, %{{.*}}) {{.*}} : (tensor<4x8xf32>, tensor<8x8xf32>{{.*}}) -> tensor<4x8xf32>
// CONV16: "tcc.conv"{{.*}} -> tensor<1x4x6x6xbf16>
// CONV32: "tcc.conv"{{.*}} -> tensor<1x4x6x6xf32>
// CHECK: "tcc.matmul"(%{{.*}}, %{{.*}}) : (tensor<1x4x6x6xbf16>, tensor<1x4x6x6xbf16>) -> tensor<1x4x6x6xbf16>
func.func @main(%x: tensor<4x8xf32>, %q: tensor<8x8xi8>, %s: tensor<8xf32>, %i: tensor<1x3x8x8xf32>, %f: tensor<4x3x3x3xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<1x4x6x6xf32>) {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.convert"(%q) : (tensor<8x8xi8>) -> tensor<8x8xf32>
  %1 = "tcc.mul"(%0, %s) : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %2 = "tcc.transpose"(%1) {perm = array<i64: 1, 0>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = "tcc.matmul"(%x, %2) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %4 = "tcc.linear"(%x, %0, %none) {transposed = true} : (tensor<4x8xf32>, tensor<8x8xf32>, none) -> tensor<4x8xf32>
  %5 = "tcc.mul"(%4, %s) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %6 = "tcc.conv"(%i, %f, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, none) -> tensor<1x4x6x6xf32>
  %7 = "tcc.matmul"(%6, %6) : (tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  return %3, %5, %7 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<1x4x6x6xf32>
}
