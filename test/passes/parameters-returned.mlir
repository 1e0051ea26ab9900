// A weight that the model returns as it is, is an argument there, too.
// RUN: tcc-opt %s --tcc-parameters --verify-each | FileCheck %s
// CHECK: func.func @main(%arg0: tensor<4xf32> {tcc.name = "x"}, %arg1: tensor<4xf32> {tcc.name = "a", tcc.parameter})
// CHECK: return %{{.*}}, %arg1 : tensor<4xf32>, tensor<4xf32>
module attributes {tcc.sources = ["m.bin"]} {
  func.func @main(%x: tensor<4xf32> {tcc.name = "x"}) -> (tensor<4xf32> {tcc.name = "y"}, tensor<4xf32> {tcc.name = "z"}) {
    %a = "tcc.weight"() {name = "a", source = 0 : i64, offset = 0 : i64, length = 16 : i64} : () -> tensor<4xf32>
    %p = "tcc.mul"(%x, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %p, %a : tensor<4xf32>, tensor<4xf32>
  }
}
