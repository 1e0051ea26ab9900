// RUN: tcc-opt %s --tcc-recompose --tcc-fuse --verify-each | FileCheck %s
// A gelu that is spelled out stays so, and the kernel of an eager module is eager: its emitter and the records of its schedules see it.
// CHECK: func.func private @k0{{.*}} attributes {tcc.kernel = "map", tcc.numerics = "eager"}
// CHECK-NOT: tcc.gelu
// CHECK: tcc.erf
module attributes {tcc.numerics = "eager"} {
  func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %s = "tcc.constant"() {value = dense<1.41421354> : tensor<f32>} : () -> tensor<f32>
    %one = "tcc.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %half = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
    %0 = "tcc.div"(%x, %s) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %1 = "tcc.erf"(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = "tcc.add"(%1, %one) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %3 = "tcc.mul"(%x, %2) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %4 = "tcc.mul"(%3, %half) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    return %4 : tensor<4x8xf32>
  }
}
