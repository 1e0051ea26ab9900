// RUN: tcc-opt %s --tcc-simplify --tcc-lower-qdq | FileCheck %s
// In eager numerics a product of dequantised bytes is what it is spelled as: a product of rounded floats.
// CHECK: "tcc.matmul"({{.*}}) : (tensor<8x64xf32>, tensor<64x32xf32>)
module attributes {tcc.numerics = "eager"} {
  func.func @product(%p: tensor<8x64xui8>, %q: tensor<64x32xi8>, %s: tensor<f32>, %t: tensor<32xf32>) -> tensor<8x32xf32> {
    %1 = "tcc.convert"(%p) : (tensor<8x64xui8>) -> tensor<8x64xf32>
    %3 = "tcc.mul"(%1, %s) : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xf32>
    %4 = "tcc.convert"(%q) : (tensor<64x32xi8>) -> tensor<64x32xf32>
    %7 = "tcc.mul"(%4, %t) : (tensor<64x32xf32>, tensor<32xf32>) -> tensor<64x32xf32>
    %8 = "tcc.matmul"(%3, %7) : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
    return %8 : tensor<8x32xf32>
  }
}
